//! What is reported of a text that is not valid, or suspicious.

use std::ops::Range;

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The span to underline.
    pub span: Range<usize>,
    /// The message for the user.
    pub message: String,
    /// The token that would fix the error, if it is a single one.
    pub(crate) missing: Option<Missing>,
}

/// A valid but suspicious construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxWarning {
    /// The span to underline.
    pub span: Range<usize>,
    /// The message for the user.
    pub message: String,
}

/// A missing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) token: &'static str,
    /// Its offset, if known. Otherwise the token closes what opens at the error's span.
    pub(crate) at: Option<usize>,
}
