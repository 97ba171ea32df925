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
    /// Several `@indent` that start on one line make one step.
    #[must_use]
    pub fn indent_levels(&self, lines: Range<usize>) -> Vec<Option<usize>> {
        let text = self.text();
        let Some(query) = self.language().indents() else { return vec![None; lines.len()] };
        let names = query.capture_names();
        // By line: how the depth changes from it on, and what was left behind.
        let mut change = vec![0_isize; text.line_count() + 2];
        let mut outdent = vec![false; text.line_count() + 1];
        let mut leave = vec![0_isize; text.line_count() + 2];
        let mut opened: Vec<(usize, usize)> = Vec::new();
        let mut cursor = QueryCursor::new();
        for root in self.searchable() {
            let mut matches = cursor.matches(query, root, TextChunks(text));
            while let Some(found) = matches.next() {
                for capture in found.captures() {
                    let span = capture.node.byte_range();
                    let (first, last) = (text.line_of(span.start), text.line_of(span.end));
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
        // The one that goes furthest counts of those that start on a line.
        opened.sort_by_key(|(first, last)| (*first, usize::MAX - last));
        opened.dedup_by_key(|(first, _)| *first);
        for (first, last) in opened {
            change[first + 1] += 1;
            change[last + 1] -= 1;
        }
        let (mut depth, mut left) = (0, 0);
        let mut levels = Vec::with_capacity(lines.len());
        for line in 0..lines.end.min(text.line_count()) {
            depth += change[line];
            left += leave[line];
            if line >= lines.start {
                let level = usize::try_from(depth).unwrap_or(0);
                let level = level.saturating_sub(usize::from(outdent[line]));
                levels.push((left == 0).then_some(level));
            }
        }
        levels.resize(lines.len(), None);
        levels
    }
}
