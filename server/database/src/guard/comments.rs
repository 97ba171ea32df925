//! Comments that a database executes, or that two parsers could end at different places.

use sqlparser::dialect::Dialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use crate::engine::Kind;
use crate::failure::{Failure, Layer, printable};

/// Most words and operators of a statement: trees of operators are as deep as they are long.
const MAX_WORDS: usize = 5_000;

/// Refuses a statement with such comments, and one that is too long to be walked.
pub(super) fn check(kind: Kind, dialect: &dyn Dialect, sql: &str) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::refused(Layer::Syntax, why));
    // The tokenizer executes such comments as well, so their tokens are looked for in the text. In a string they
    // are refused, too: a parameter can hold them.
    if kind == Kind::Mysql && (sql.contains("/*!") || sql.contains("/*M!") || sql.contains("/*m!"))
    {
        return refused("MySQL executes comments that begin with `/*!`");
    }
    let tokens = Tokenizer::new(dialect, sql).tokenize().map_err(|error| {
        let why = format!(
            "it does not parse, so what it does is not known: {}",
            printable(&error.to_string())
        );
        Failure::refused(Layer::Syntax, why)
    })?;
    let words = tokens.iter().filter(|token| is_structure(token)).count();
    if words > MAX_WORDS {
        return Err(Failure::TooLarge(format!(
            "the statement has more than {MAX_WORDS} words and operators"
        )));
    }
    for token in &tokens {
        let Token::Whitespace(Whitespace::MultiLineComment(text)) = token else { continue };
        if text.contains("/*") || text.contains("*/") {
            return refused("databases end nested comments differently");
        }
        if kind == Kind::Mysql && text.starts_with('+') {
            return refused("hints in comments can change settings");
        }
    }
    Ok(())
}

/// Whether a token may make the tree deeper: lists of values are flat.
fn is_structure(token: &Token) -> bool {
    !matches!(
        token,
        Token::Whitespace(_)
            | Token::Comma
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Placeholder(_)
            | Token::LParen
            | Token::RParen
    )
}
