//! Searching code by its structure: a tree-sitter query, or code with placeholders.

mod code_pattern;
mod matching;
mod structural_query;

use std::ops::Range;

use thiserror::Error;

pub use code_pattern::CodePattern;
pub use structural_query::StructuralQuery;

/// A piece of code that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuralMatch {
    /// Its bytes.
    pub span: Range<usize>,
    /// What its placeholders or captures stand for, by name, in the order of the text.
    pub captures: Vec<(String, Range<usize>)>,
}

/// Why a pattern or query is none.
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
const LONGEST: usize = 8_192;
