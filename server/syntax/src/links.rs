//! The places of a file that name other files: imports, includes, modules.

use std::ops::Range;

use streaming_iterator::StreamingIterator;
use tree_sitter::QueryCursor;

use crate::Syntax;
use crate::query::TextChunks;

/// Most links of one file.
const MOST: usize = 2_000;

impl Syntax {
    /// What names other files, by `queries/<language>/links.scm`: without quotes, in order of
    /// place.
    #[must_use]
    pub fn links(&self) -> Vec<Range<usize>> {
        let query = self.language().links();
        let link = query.capture_index_for_name("link");
        let mut cursor = QueryCursor::new();
        let mut spans = Vec::new();
        for root in self.searchable() {
            let mut matches = cursor.matches(query, root, TextChunks(self.text()));
            while let Some(found) = matches.next() {
                let named = found.captures().iter().filter(|c| Some(c.index) == link);
                spans.extend(named.map(|c| self.unquoted(c.node.byte_range())));
                if spans.len() >= MOST {
                    break;
                }
            }
        }
        spans.retain(|span: &Range<usize>| !span.is_empty());
        spans.sort_by_key(|span| span.start);
        spans.dedup();
        spans
    }

    fn unquoted(&self, span: Range<usize>) -> Range<usize> {
        let quoted =
            self.text().slice(span.start..span.start + 1).starts_with(['"', '\'', '<', '`']);
        let closed = self.text().slice(span.end - 1..span.end).ends_with(['"', '\'', '>', '`']);
        span.start + usize::from(quoted)..span.end - usize::from(quoted && closed && span.len() > 1)
    }
}
