//! Matching of start and end tags.

use std::ops::Range;

use super::SyntaxError;
use super::tags::{Tag, unclosed};

/// Void elements, which have no end tag.
const VOID_ELEMENTS: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
];
/// Elements whose end tag may be omitted.
const OPTIONAL_END_TAGS: &[&str] = &[
    "body", "caption", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p",
    "rb", "rp", "rt", "rtc", "tbody", "td", "tfoot", "th", "thead", "tr",
];

/// Longest line before a tag whose indentation is considered, in bytes.
const MAX_LINE_LEN: usize = 2_000;

/// An open element.
struct OpenElement<'s> {
    name: &'s str,
    span: Range<usize>,
    /// Whether its end tag may be omitted.
    is_optional: bool,
    /// Its indentation, if it is the first on its line.
    depth: Option<&'s str>,
    /// An unmatched end tag inside it, which may have been intended for it.
    stray: Option<Range<usize>>,
}

/// The open elements, and the errors so far.
pub(super) struct Elements<'s> {
    source: &'s str,
    open: Vec<OpenElement<'s>>,
    errors: Vec<SyntaxError>,
    /// Elements whose end tag is less indented than they are, and end tags that are more indented
    /// than their element. If tags do not match, one of these is the likely error.
    maybe_unclosed: Vec<(&'s str, Range<usize>)>,
    maybe_superfluous: Vec<(&'s str, Range<usize>)>,
}

impl<'s> Elements<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let (open, errors) = (Vec::new(), Vec::new());
        Self { source, open, errors, maybe_unclosed: Vec::new(), maybe_superfluous: Vec::new() }
    }

    pub(super) fn add_tag(&mut self, tag: &Tag<'s>) {
        let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(tag.name));
        if is(VOID_ELEMENTS) {
            return;
        }
        if tag.is_end {
            self.close_element(tag);
        } else {
            let depth = self.indentation(tag.span.start);
            // `<div/>` is open according to the standard, but closed for its author. `<stdlib.h>`
            // is text that should have been escaped.
            let is_optional =
                is(OPTIONAL_END_TAGS) || tag.is_closed || tag.name.contains(['.', '@']);
            let (name, span) = (tag.name, tag.span.clone());
            self.open.push(OpenElement { name, span, is_optional, depth, stray: None });
        }
    }

    fn close_element(&mut self, tag: &Tag<'s>) {
        let fits = |open: &OpenElement<'_>| open.name.eq_ignore_ascii_case(tag.name);
        let Some(found) = self.open.iter().rposition(fits) else {
            return self.report_stray_end_tag(tag);
        };
        // If inner elements are closed later, the end tag is superfluous.
        let inner = &self.open[found + 1..];
        if let Some(first) = inner.iter().find(|open| !open.is_optional)
            && self
                .indentation(tag.span.start)
                .is_some_and(|depth| Some(depth) != self.open[found].depth)
            && self.is_closed_later(first.name, tag)
        {
            return self.report_stray_end_tag(tag);
        }
        let closed = self.open.drain(found..).collect::<Vec<_>>();
        for open in closed.iter().skip(1) {
            self.unclosed(open);
        }
        let Some(opened) = closed[0].depth else { return };
        // If other tags share the line, the indentation may belong to those.
        let Some(line) = self.line_start(tag.span.start) else { return };
        let before = &self.source[line..tag.span.start];
        let value_end = &before[..before.len() - before.trim_start().len()];
        if closed[0].span.start >= line
            || before.len() != value_end.len() && value_end.len() < opened.len()
        {
            return;
        }
        if value_end.len() < opened.len() {
            self.maybe_unclosed.push((closed[0].name, closed[0].span.clone()));
        } else if value_end.len() > opened.len() {
            self.maybe_superfluous.push((tag.name, tag.span.clone()));
        }
    }

    /// Whether the end tag of an open element comes before the next start tag of that name.
    fn is_closed_later(&self, name: &str, tag: &Tag<'_>) -> bool {
        let rest = &self.source[tag.span.end..];
        let next = |open: &str| {
            let found = rest.match_indices(open).find(|(at, _)| {
                let after = &rest[at + open.len()..];
                after.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name))
                    && !after[name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
            });
            found.map_or(usize::MAX, |(at, _)| at)
        };
        next("</") < next("<")
    }

    fn report_stray_end_tag(&mut self, tag: &Tag<'s>) {
        if let Some(open) = self.open.last_mut().filter(|open| !open.is_optional)
            && open.stray.is_none()
        {
            open.stray = Some(tag.span.clone());
        }
        let index =
            self.maybe_superfluous.iter().position(|(name, _)| name.eq_ignore_ascii_case(tag.name));
        let span = index.map_or(tag.span.clone(), |index| self.maybe_superfluous.remove(index).1);
        let name = tag.name;
        let message = format!("`</{name}>` has no opening `<{name}>`");
        self.errors.push(SyntaxError { span, message, missing: None });
    }

    fn unclosed(&mut self, open: &OpenElement<'s>) {
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
        let index = self.maybe_unclosed.iter().position(|(its, _)| its.eq_ignore_ascii_case(name));
        let span = index.map_or(open.span.clone(), |index| self.maybe_unclosed.remove(index).1);
        let span = span.start..span.start + 1 + name.len();
        self.errors.push(unclosed(self.source, &format!("`<{name}>`"), "opens", span));
    }

    /// The indentation, if the tag is the first on its line.
    fn indentation(&self, at: usize) -> Option<&'s str> {
        let above = self.source[..at].trim_end_matches([' ', '\t']);
        (above.is_empty() || above.ends_with('\n')).then(|| &self.source[above.len()..at])
    }

    /// The start of the tag's line, unless the line is very long.
    fn line_start(&self, at: usize) -> Option<usize> {
        let far = at.saturating_sub(MAX_LINE_LEN);
        let newline = memchr::memrchr(b'\n', &self.source.as_bytes()[far..at]);
        newline.map(|newline| far + newline + 1).or((far == 0).then_some(0))
    }

    pub(super) fn error_count(&self) -> usize {
        self.errors.len()
    }

    /// The errors, including those of elements that are still open if the whole text was read.
    pub(super) fn finish(mut self, all_read: bool) -> Vec<SyntaxError> {
        let open = std::mem::take(&mut self.open);
        for open in open.iter().filter(|_| all_read) {
            self.unclosed(open);
        }
        self.errors
    }
}
