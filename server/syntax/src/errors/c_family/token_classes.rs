//! Classifies tokens as names or macros, once per text, because every check asks for a dozen tokens
//! and the keyword lists are long.

use super::tokens::{Token, TokenKind};
use super::{NEVER_REPEATED, STATEMENT_KEYWORDS, TYPES};

/// Flags for each token.
pub(super) struct TokenClasses {
    pub(super) macros: Vec<bool>,
    /// Words that are neither macros nor keywords.
    pub(super) names: Vec<bool>,
}

impl TokenClasses {
    pub(super) fn new(source: &str, tokens: &[Token]) -> Self {
        let text = |token: &Token| &source[token.span.clone()];
        let macros: Vec<_> = tokens.iter().map(|token| is_macro(token, text(token))).collect();
        let is_name = |(token, is_macro): (&Token, &bool)| {
            token.kind == TokenKind::Word && !is_macro && !is_keyword(text(token))
        };
        let names = tokens.iter().zip(&macros).map(is_name).collect();
        Self { macros, names }
    }
}

fn is_macro(token: &Token, text: &str) -> bool {
    token.kind == TokenKind::Word
        && (!text.contains(|c: char| c.is_ascii_lowercase()) || is_generated(text))
        || text.starts_with("__")
        || text.starts_with('_') && text[1..].starts_with(|c: char| c.is_ascii_uppercase())
}

/// Whether a name is as Lemon's parsers name macros: `ParseCTX_FETCH`.
fn is_generated(text: &str) -> bool {
    ["ARG_FETCH", "ARG_STORE", "CTX_FETCH", "CTX_STORE"].iter().any(|end| text.ends_with(end))
}

fn is_keyword(text: &str) -> bool {
    STATEMENT_KEYWORDS.contains(&text) || TYPES.contains(&text) || NEVER_REPEATED.contains(&text)
}
