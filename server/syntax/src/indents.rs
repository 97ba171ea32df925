//! How deep lines stand by what the tree says.

use std::ops::Range;

use streaming_iterator::StreamingIterator;
use tree_sitter::QueryCursor;

use crate::Syntax;
use crate::query::TextChunks;

impl Syntax {
    /// How many steps deep each of `lines` (from 0) stands by `queries/<language>/indents.scm`;
    /// `None` for a line that is to be left as it is, and for all of them where the language's
    /// indentation is not known.
    ///
    /// The captures: `@indent` for a node whose lines after its first stand one step deeper;
    /// `@outdent` for a node that, at the start of its line, stands as deep as what holds it;
    /// `@leave` for a node whose lines after its first are nobody's business: a string, a comment.
    /// A line stands one step deeper than the line on which the innermost `@indent` around its
    /// start begins, so several that start on one line make one step. O(n + nodes).
    #[must_use]
    pub fn indent_levels(&self, lines: Range<usize>) -> Vec<Option<usize>> {
        let text = self.text();
        let Some(query) = self.language().indents() else { return vec![None; lines.len()] };
        let names = query.capture_names();
        let mut outdent = vec![false; text.line_count() + 1];
        // By line: how many nodes begin or end that it is nobody's business how deep they stand.
        let mut leave = vec![0_isize; text.line_count() + 2];
        let mut opened: Vec<(usize, usize)> = Vec::new();
        let mut cursor = QueryCursor::new();
        for root in self.searchable() {
            let mut matches = cursor.matches(query, root, TextChunks(text));
            while let Some(found) = matches.next() {
                for capture in found.captures() {
                    let span = capture.node.byte_range();
                    let (first, last) = self.lines_of(&span);
                    match names[capture.index as usize] {
                        "indent" if last > first => opened.push((first, last)),
                        "outdent" => {
                            let before = text.slice(text.line_start(first)..span.start);
                            outdent[first] |= before.trim().is_empty();
                        }
                        "leave" if last > first => {
                            leave[first + 1] += 1;
                            leave[last + 1] -= 1;
                        }
                        _ => {}
                    }
                }
            }
        }
        // Outer before inner.
        opened.sort_by_key(|(first, last)| (*first, usize::MAX - last));
        let mut opened = opened.into_iter().peekable();
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut left = 0;
        let end = lines.end.min(text.line_count());
        let mut levels: Vec<usize> = Vec::with_capacity(end);
        let mut asked = Vec::with_capacity(lines.len());
        for line in 0..end {
            open.extend(std::iter::from_fn(|| opened.next_if(|(first, _)| *first < line)));
            while open.last().is_some_and(|(_, last)| *last < line) {
                open.pop();
            }
            left += leave[line];
            let inside = open.last().map_or(0, |(first, _)| levels[*first] + 1);
            levels.push(inside.saturating_sub(usize::from(outdent[line])));
            if line >= lines.start {
                asked.push((left == 0).then_some(levels[line]));
            }
        }
        asked.resize(lines.len(), None);
        asked
    }
}
