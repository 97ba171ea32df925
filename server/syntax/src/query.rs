//! tree-sitter queries over ropes.

use std::ops::Range;

use text::Text;
use tree_sitter::{Node, Query, QueryError, TextProvider};

use crate::Language;

/// Compiles a query for `language`. `file` names it in the error.
///
/// # Errors
/// When tree-sitter rejects it; the message holds the file, line and reason.
pub fn compile(language: Language, file: &str, source: &str) -> Result<Query, QueryError> {
    Query::new(language.grammar(), source).map_err(|mut e| {
        e.message = format!("queries/{}/{file}:{}: {}", language.id(), e.row + 1, e.message);
        e
    })
}

/// Lets a query's predicates read the nodes' text from a rope, piece by piece.
#[derive(Clone, Copy)]
pub struct TextChunks<'a>(pub &'a Text);

impl<'a> TextProvider<&'a [u8]> for TextChunks<'a> {
    type I = Pieces<'a>;

    fn text(&mut self, node: Node<'_>) -> Self::I {
        Pieces { text: self.0, span: node.byte_range() }
    }
}

/// The pieces of one node's text.
pub struct Pieces<'a> {
    text: &'a Text,
    span: Range<usize>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<Self::Item> {
        let end = self.span.end.min(self.text.len());
        if self.span.start >= end {
            return None;
        }
        let (chunk, at) = self.text.chunk_at(self.span.start);
        let stop = end.min(at + chunk.len());
        let piece = &chunk.as_bytes()[self.span.start - at..stop - at];
        self.span.start = stop;
        Some(piece)
    }
}
