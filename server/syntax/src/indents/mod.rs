//! Indentation: from the tree, and where styles differ, from what the file itself does.

mod anchors;
mod captures;
pub(crate) mod mixed_tabs;
mod style;

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;

use self::anchors::{LineAnchor, line_anchors, width};
use self::mixed_tabs::{expand_tabs, pack_tabs, uses_mixed_tabs};
use self::style::FileStyle;
use crate::Syntax;

/// Longest line of a text for which indentation is computed, in bytes. Longer lines are generated,
/// and tree-sitter takes minutes for broken code with such lines.
const MAX_LINE_LEN: usize = 64 << 10;
/// Largest indentation of a line that is reported, in bytes.
const MAX_INDENT: usize = 1_000;
/// Limit of the indentation of all lines together, in bytes.
const MAX_TOTAL_INDENT: usize = 32 << 20;

/// The indentation of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indent {
    /// The leading whitespace: steps, then alignment.
    pub whitespace: String,
    /// Whether the tree or the style of the file determines it. Otherwise the line only moves along
    /// with the line that it continues.
    pub is_certain: bool,
}

impl Syntax {
    /// The indentation of each of `lines` (from 0) according to `queries/<language>/indents.scm`,
    /// in steps of `unit`. `None` for a line that must be left as it is, and for every line if the
    /// language has no such query.
    ///
    /// The captures:
    /// - `@indent`: the node's lines after its first are one step deeper than that line.
    /// - `@indent.body`: its lines are one step deeper than the line where its parent starts (the
    ///   block of a function whose header spans lines).
    /// - `@continue`: its lines after its first follow the file's style for this construct; without
    ///   one they stay, as long as they are deeper than the first.
    /// - `@continue.item`: the same for a node at the start of its line that continues what its
    ///   parent starts.
    /// - `@level`: its lines are as deep as its first.
    /// - `@outdent`: at the start of a line, the node is as deep as the line where its container
    ///   starts, or follows the file's style.
    /// - `@margin`: at the start of a line, the node is at column 0.
    /// - `@leave`: its lines after the first must not be changed (strings, comments).
    ///
    /// With `(#set! flat)`, deeper lines may also be level with the first line, and level ones
    /// deeper, if the file's style says so. With `(#set! trim)`, comments at the node's end do not
    /// belong to it.
    ///
    /// A line that already has the right width keeps its whitespace. In files that use tabs for
    /// eight columns, changed lines do so too.
    ///
    /// Of several nodes over a line, the one that starts on the last line before it decides, so
    /// nodes that start on one line make one step. If several patterns capture one node, the last
    /// decides. O(captures of the text + its length). `None` for all once `interrupt` is set.
    #[must_use]
    pub fn indents(
        &self,
        lines: Range<usize>,
        unit: &str,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Option<Indent>>> {
        let text = self.text();
        let known = self.language().indents().filter(|_| longest_line(text) <= MAX_LINE_LEN);
        let Some(query) = known else { return Some(vec![None; lines.len()]) };
        let anchors = line_anchors(self.indent_captures(query, interrupt)?, text.line_count());
        let written: Vec<String> =
            (0..text.line_count()).map(|line| leading_whitespace(text, line)).collect();
        let blank = |line: usize| text.line(line).len() == written[line].len();
        let comment_targets = self.comment_targets(&written);
        let uses_tabs = uses_mixed_tabs(text);
        let expanded: Vec<String> =
            written.iter().filter(|_| uses_tabs).map(|blanks| expand_tabs(blanks)).collect();
        let comparable = if uses_tabs { &expanded } else { &written };
        let style = FileStyle::new(&anchors, comparable, unit, blank);
        let mut all: Vec<Option<Indent>> = Vec::new();
        let mut total = 0;
        for line in 0..lines.end.min(anchors.len()) {
            let level_with = comment_targets[line].filter(|next| {
                !matches!(&anchors[*next], Some(LineAnchor::Line { anchor, .. }) if *anchor >= line)
                    && anchors[line].is_some()
            });
            let level_with = level_with.unwrap_or(line);
            let computed = indent_of_line(level_with, &anchors, comparable, &all, &style, unit);
            let computed =
                computed.filter(|i| i.whitespace.len() <= MAX_INDENT && total < MAX_TOTAL_INDENT);
            total += computed.as_ref().map_or(0, |i| i.whitespace.len());
            all.push(computed);
        }
        for (indent, written) in all.iter_mut().zip(&written) {
            let Some(indent) = indent else { continue };
            if width(&indent.whitespace) == width(written) {
                // The width is right already; keep the file's own whitespace.
                indent.whitespace.clone_from(written);
            } else if uses_tabs {
                indent.whitespace = pack_tabs(&indent.whitespace);
            }
        }
        all.drain(..lines.start.min(all.len()));
        all.resize(lines.len(), None);
        Some(all)
    }

    /// For each comment-only line, the code line below that it is level with, if there is one and
    /// it starts with no closing token. O(n).
    fn comment_targets(&self, written: &[String]) -> Vec<Option<usize>> {
        let (text, language) = (self.text(), self.language());
        let mut next = None;
        let mut all = vec![None; written.len()];
        for line in (0..written.len()).rev() {
            let whole = text.line(line);
            let code = &whole[written[line].len()..];
            if code.trim().is_empty() {
                next = None;
            } else if language.line_comments().iter().any(|c| code.starts_with(c.as_str())) {
                all[line] = next.filter(|next: &usize| written[*next] == written[line]);
            } else {
                next = (!language.dedents_itself(code)).then_some(line);
            }
        }
        all
    }
}

/// The indentation of `line`, given the indentation of the lines before it.
fn indent_of_line(
    line: usize,
    anchors: &[Option<LineAnchor>],
    written: &[String],
    computed: &[Option<Indent>],
    style: &FileStyle,
    unit: &str,
) -> Option<Indent> {
    let certain = |blanks: String| Some(Indent { whitespace: blanks, is_certain: true });
    let LineAnchor::Line { anchor, relation } = anchors[line].as_ref()? else {
        return certain(String::new());
    };
    let old = &written[*anchor];
    let new = computed[*anchor].as_ref().map_or(old, |indent| &indent.whitespace);
    let (step, is_habit) = style.step(relation, unit);
    if is_habit {
        return certain(format!("{new}{step}"));
    }
    let (current, expected) = (&written[line], format!("{new}{step}"));
    let rest =
        current.strip_prefix(old.as_str()).filter(|r| relation.may_be_flat() || !r.is_empty());
    let blanks = match rest {
        // Only the anchor line was misplaced.
        _ if *current == expected => expected,
        Some(rest) => format!("{new}{rest}"),
        // Tabs on one line and spaces on the other.
        None if old == new && width(current) > width(old) => current.clone(),
        None => expected,
    };
    Some(Indent { whitespace: blanks, is_certain: false })
}

/// The leading whitespace of a line.
fn leading_whitespace(text: &Text, line: usize) -> String {
    let written = text.line(line);
    let rest = written.trim_start_matches([' ', '\t']);
    written[..written.len() - rest.len()].to_owned()
}

/// The length of the longest line, in bytes. O(n).
fn longest_line(text: &Text) -> usize {
    let (mut at, mut start, mut longest) = (0, 0, 0);
    for chunk in text.chunks() {
        for end in memchr::memchr2_iter(b'\n', b'\r', chunk.as_bytes()) {
            longest = longest.max(at + end - start);
            start = at + end + 1;
        }
        at += chunk.len();
    }
    longest.max(at - start)
}
