//! Elements without their other halves.

use std::ops::Range;

use super::SyntaxError;
use super::tags::{Tag, unclosed};

/// Elements without an end tag.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
];
/// Elements whose end tag may be left out.
const OPTIONAL: &[&str] = &[
    "body", "caption", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p",
    "rb", "rp", "rt", "rtc", "tbody", "td", "tfoot", "th", "thead", "tr",
];

/// Longest line before a tag whose indentation counts, in bytes.
const LINE: usize = 2_000;

/// An element that is open.
struct Open<'s> {
    name: &'s str,
    span: Range<usize>,
    /// Its end tag may be left out.
    is_optional: bool,
    /// The blanks before it, if it is the first on its line.
    depth: Option<&'s str>,
    /// The end tag in it that has no opening one: it may have been meant for this.
    stray: Option<Range<usize>>,
}

/// The elements that are open, and what was wrong with those before.
pub(super) struct Elements<'s> {
    source: &'s str,
    open: Vec<Open<'s>>,
    errors: Vec<SyntaxError>,
    /// Elements that were closed by an end tag which stands less deep, and end tags which stand
    /// deeper than what they close: of several, one of these is the one that is wrong.
    left_open: Vec<(&'s str, Range<usize>)>,
    too_many: Vec<(&'s str, Range<usize>)>,
}

impl<'s> Elements<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let (open, errors) = (Vec::new(), Vec::new());
        Self { source, open, errors, left_open: Vec::new(), too_many: Vec::new() }
    }

    pub(super) fn take(&mut self, tag: &Tag<'s>) {
        let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(tag.name));
        if is(VOID) {
            return;
        }
        if tag.is_end {
            self.end(tag);
        } else {
            let depth = self.depth(tag.span.start);
            // `<div/>` is open to the standard and closed to those who write it.
            // What looks like `<stdlib.h>` is text that should have been escaped.
            let is_optional = is(OPTIONAL) || tag.is_closed || tag.name.contains(['.', '@']);
            let (name, span) = (tag.name, tag.span.clone());
            self.open.push(Open { name, span, is_optional, depth, stray: None });
        }
    }

    fn end(&mut self, tag: &Tag<'s>) {
        let fits = |open: &Open<'_>| open.name.eq_ignore_ascii_case(tag.name);
        let Some(found) = self.open.iter().rposition(fits) else {
            return self.stray(tag);
        };
        // A tag that closes elements around it where inner ones are closed later on is too many.
        let inner = &self.open[found + 1..];
        if let Some(first) = inner.iter().find(|open| !open.is_optional)
            && self.depth(tag.span.start).is_some_and(|depth| Some(depth) != self.open[found].depth)
            && self.closes_later(first.name, tag)
        {
            return self.stray(tag);
        }
        let closed = self.open.drain(found..).collect::<Vec<_>>();
        for open in closed.iter().skip(1) {
            self.unclosed(open);
        }
        let Some(opened) = closed[0].depth else { return };
        // On one line with other tags, those may be what is as deep as the line.
        let Some(line) = self.line_start(tag.span.start) else { return };
        let before = &self.source[line..tag.span.start];
        let closing = &before[..before.len() - before.trim_start().len()];
        if closed[0].span.start >= line
            || before.len() != closing.len() && closing.len() < opened.len()
        {
            return;
        }
        if closing.len() < opened.len() {
            self.left_open.push((closed[0].name, closed[0].span.clone()));
        } else if closing.len() > opened.len() {
            self.too_many.push((tag.name, tag.span.clone()));
        }
    }

    /// Whether an element that is open has its end tag before the next of the same name opens.
    fn closes_later(&self, name: &str, tag: &Tag<'_>) -> bool {
        let rest = &self.source[tag.span.end..];
        let next = |open: &str| {
            let found = rest.match_indices(open).find(|(at, _)| {
                let behind = &rest[at + open.len()..];
                behind.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name))
                    && !behind[name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
            });
            found.map_or(usize::MAX, |(at, _)| at)
        };
        next("</") < next("<")
    }

    fn stray(&mut self, tag: &Tag<'s>) {
        if let Some(open) = self.open.last_mut().filter(|open| !open.is_optional)
            && open.stray.is_none()
        {
            open.stray = Some(tag.span.clone());
        }
        let index = self.too_many.iter().position(|(name, _)| name.eq_ignore_ascii_case(tag.name));
        let span = index.map_or(tag.span.clone(), |index| self.too_many.remove(index).1);
        let name = tag.name;
        let message = format!("`</{name}>` has no opening `<{name}>`");
        self.errors.push(SyntaxError { span, message, missing: None });
    }

    fn unclosed(&mut self, open: &Open<'s>) {
        if open.is_optional {
            return;
        }
        let name = open.name;
        if let Some(stray) = &open.stray
            && let Some(error) = self.errors.iter_mut().find(|error| error.span == *stray)
        {
            let found: String =
                self.source[stray.clone()].chars().filter(|c| !c.is_whitespace()).collect();
            error.message = format!("expected `</{name}>` before `{found}`");
            return;
        }
        let index = self.left_open.iter().position(|(its, _)| its.eq_ignore_ascii_case(name));
        let span = index.map_or(open.span.clone(), |index| self.left_open.remove(index).1);
        let span = span.start..span.start + 1 + name.len();
        self.errors.push(unclosed(self.source, &format!("`<{name}>`"), "opens", span));
    }

    /// The blanks before what is the first on its line.
    fn depth(&self, at: usize) -> Option<&'s str> {
        let above = self.source[..at].trim_end_matches([' ', '\t']);
        (above.is_empty() || above.ends_with('\n')).then(|| &self.source[above.len()..at])
    }

    /// Where the line of a tag starts, unless it is so long that nobody reads it.
    fn line_start(&self, at: usize) -> Option<usize> {
        let far = at.saturating_sub(LINE);
        let newline = memchr::memrchr(b'\n', &self.source.as_bytes()[far..at]);
        newline.map(|newline| far + newline + 1).or((far == 0).then_some(0))
    }

    pub(super) fn error_count(&self) -> usize {
        self.errors.len()
    }

    /// The errors; those of elements that are still open, if the text was read to its end.
    pub(super) fn finish(mut self, all_read: bool) -> Vec<SyntaxError> {
        let open = std::mem::take(&mut self.open);
        for open in open.iter().filter(|_| all_read) {
            self.unclosed(open);
        }
        self.errors
    }
}
