//! How deep lines stand by what the tree says.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use text::Text;
use tree_sitter::Query;

use crate::Syntax;

/// Longest line, in bytes, of a text of which it is asked how deep its lines stand: nobody indents
/// what a program has put on one line, and broken code of such lines takes tree-sitter minutes.
const LONGEST: usize = 64 << 10;

impl Syntax {
    /// How many steps deep each of `lines` (from 0) stands by `queries/<language>/indents.scm`;
    /// `None` for a line that is to be left as it is, and for all of them where the language's
    /// indentation is not known.
    ///
    /// The captures: `@indent` for a node whose lines after its first stand one step deeper than
    /// that line; `@indent.body` for one whose lines stand one step deeper than the line where its
    /// parent starts: the block of a function whose head goes over lines; `@outdent` for a node that, at the start of its line, stands as deep as the line
    /// where what holds it starts; `@margin` for one that stands there at the margin; `@leave` for a
    /// node whose lines after its first are nobody's business: a string, a comment.
    ///
    /// Of several `@indent` over a line, the one that starts on the last line before it counts, so
    /// those that start on one line make one step. Of both for one node, `@indent` counts. O(captures of the text).
    /// `None` for all once `interrupt` is set.
    #[must_use]
    pub fn indent_levels(
        &self,
        lines: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Option<usize>>> {
        let known = self.language().indents().filter(|_| longest_line(self.text()) <= LONGEST);
        let Some(query) = known else { return Some(vec![None; lines.len()]) };
        let marks = self.indent_marks(query, interrupt)?;
        let (mut known, mut levels) = (Vec::new(), Vec::new());
        // The lines on which something starts that is not at its end, and how deep they stand.
        let mut open: Vec<Open> = Vec::new();
        let mut nodes = marks.nodes.into_iter().peekable();
        let mut left = marks.left.into_iter().peekable();
        let mut left_to = None;
        for line in 0..lines.end.min(self.text().line_count()) {
            while open.last().is_some_and(|o| o.last < line) {
                open.pop();
            }
            let around = open.last().map(|o| o.level);
            let level = match marks.tokens.get(&line) {
                Some(Token::Margin) => 0,
                Some(Token::Outdent) => around.unwrap_or(0),
                None => around.map_or(0, |level| level + 1),
            };
            known.push(level);
            while let Some(node) = nodes.next_if(|node| node.first <= line) {
                if open.last().is_none_or(|o| o.line < line) {
                    open.push(Open { line, last: node.last, level: known[node.hangs_on] });
                }
            }
            levels.push((Some(line) > left_to).then_some(level));
            while let Some((_, last)) = left.next_if(|(first, _)| *first <= line) {
                left_to = left_to.max(Some(last));
            }
        }
        levels.drain(..lines.start.min(levels.len()));
        levels.resize(lines.len(), None);
        Some(levels)
    }

    fn indent_marks(&self, query: &Query, interrupt: &AtomicBool) -> Option<Marks> {
        let text = self.text();
        let names = query.capture_names();
        let mut marks = Marks::default();
        // Many tokens may stand on one line, which may be as long as the text.
        let code_starts = Cell::new((usize::MAX, 0));
        self.each_match(query, interrupt, |found| {
            for capture in found.captures() {
                let span = capture.node.byte_range();
                let (first, last) = self.lines_of(&span);
                let starts_line = || {
                    if code_starts.get().0 != first {
                        code_starts.set((first, first_code(text, first)));
                    }
                    span.start <= code_starts.get().1
                };
                match names[capture.index as usize] {
                    "indent" if last > first => {
                        marks.nodes.push(Deeper { first, last, hangs_on: first });
                    }
                    "indent.body" if last > first => {
                        let parent = capture.node.parent().unwrap_or(capture.node);
                        let hangs_on = text.line_of(parent.start_byte());
                        marks.nodes.push(Deeper { first, last, hangs_on });
                    }
                    "outdent" if starts_line() => {
                        marks.tokens.entry(first).or_insert(Token::Outdent);
                    }
                    "margin" if starts_line() => {
                        marks.tokens.insert(first, Token::Margin);
                    }
                    "leave" if last > first => marks.left.push((first, last)),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        })?;
        marks.left.sort_unstable();
        marks.nodes.sort_by_key(|n| (n.first, usize::MAX - n.last, usize::MAX - n.hangs_on));
        Some(marks)
    }
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

/// Where on a line, or behind it, something other than blanks stands.
fn first_code(text: &Text, line: usize) -> usize {
    let mut at = text.line_start(line);
    while at < text.len() {
        let (chunk, start) = text.chunk_at(at);
        let rest = &chunk[at - start..];
        let blanks = rest.len() - rest.trim_start().len();
        at += blanks;
        if blanks < rest.len() {
            break;
        }
    }
    at
}

/// A line on which nodes start, and the last line of the one that goes furthest.
struct Open {
    line: usize,
    last: usize,
    level: usize,
}

/// A node whose lines stand one step deeper than the line that it hangs on.
struct Deeper {
    first: usize,
    last: usize,
    hangs_on: usize,
}

/// What a text's `indents.scm` captures.
#[derive(Default)]
struct Marks {
    nodes: Vec<Deeper>,
    tokens: HashMap<usize, Token>,
    /// First and last lines.
    left: Vec<(usize, usize)>,
}

enum Token {
    Outdent,
    Margin,
}
