//! Which tokens are names and which are macros by their looks, found out once a text: each check asks
//! it of a dozen tokens around its own, and the lists of keywords are long.

use super::tokens::{Kind, Token};
use super::{ONCE, STATEMENTS, TYPES};

/// A flag for each token.
pub(super) struct Words {
    pub(super) macros: Vec<bool>,
    /// Words that are neither macros nor keywords.
    pub(super) names: Vec<bool>,
}

impl Words {
    pub(super) fn new(source: &str, tokens: &[Token]) -> Self {
        let text = |token: &Token| &source[token.span.clone()];
        let macros: Vec<_> = tokens.iter().map(|token| is_macro(token, text(token))).collect();
        let is_name = |(token, is_macro): (&Token, &bool)| {
            token.kind == Kind::Word && !is_macro && !is_keyword(text(token))
        };
        let names = tokens.iter().zip(&macros).map(is_name).collect();
        Self { macros, names }
    }
}

fn is_macro(token: &Token, text: &str) -> bool {
    token.kind == Kind::Word && !text.contains(|c: char| c.is_ascii_lowercase())
        || text.starts_with("__")
        || text.starts_with('_') && text[1..].starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_keyword(text: &str) -> bool {
    STATEMENTS.contains(&text) || TYPES.contains(&text) || ONCE.contains(&text)
}
