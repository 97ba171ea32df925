//! Structural search: by tree-sitter query, or by code with placeholders.

mod code_pattern;
mod matching;
mod structural_query;

use std::ops::Range;

use thiserror::Error;

pub use code_pattern::CodePattern;
pub use structural_query::StructuralQuery;

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuralMatch {
    /// Its span in bytes.
    pub span: Range<usize>,
    /// The spans of its placeholders or captures, by name, in document order.
    pub captures: Vec<(String, Range<usize>)>,
}

/// Why a pattern or query is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct PatternError {
    /// What is wrong, and where.
    pub message: String,
}

impl PatternError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Longest pattern or query, in bytes.
const MAX_PATTERN_LEN: usize = 8_192;
