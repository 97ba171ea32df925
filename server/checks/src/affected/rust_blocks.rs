//! The parts of Rust files that no definition spans: `impl` blocks, and macros at the level of items.

use std::ops::Range;

use super::lexer::{Token, TokenKind};

/// An `impl` block.
#[derive(Debug)]
pub(super) struct ImplBlock {
    /// The names in its header: the type, the trait, their parameters.
    pub(super) header: Vec<String>,
    /// The header, to tell the blocks of a type apart.
    pub(super) header_text: String,
    /// The bytes between its braces.
    pub(super) body: Range<usize>,
    pub(super) is_of_trait: bool,
}

/// The `impl` blocks of a file.
pub(super) fn impl_blocks(text: &str, tokens: &[Token]) -> Vec<ImplBlock> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        if token.kind != TokenKind::Word || token.text(text) != "impl" || !token.is_first {
            let is_unsafe = at >= 2 && tokens[at - 2].text(text) == "unsafe";
            if !(is_unsafe && token.text(text) == "impl") {
                continue;
            }
        }
        let header = tokens[at..].iter().take_while(|token| !token.is(b'{') && !token.is(b';'));
        let header: Vec<&Token> = header.collect();
        let open = at + header.len();
        if !tokens.get(open).is_some_and(|token| token.is(b'{')) {
            continue;
        }
        let close = closing(tokens, open);
        let words = header.iter().filter(|token| token.kind == TokenKind::Word);
        let words: Vec<String> = words.map(|token| token.text(text).to_owned()).collect();
        // `for<'a>` is a bound.
        let is_of_trait = header.iter().enumerate().any(|(index, token)| {
            token.text(text) == "for" && !header.get(index + 1).is_some_and(|next| next.is(b'<'))
        });
        blocks.push(ImplBlock {
            header_text: words.join(" "),
            header: words.into_iter().filter(|word| word != "for" && word != "where").collect(),
            body: tokens[open].end as usize
                ..close.map_or(text.len(), |close| tokens[close].start as usize),
            is_of_trait,
        });
        at = open + 1;
    }
    blocks
}

/// The bytes of the macro calls of a file. Those in functions are among them.
pub(super) fn item_macros(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut macros: Vec<Range<usize>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_call = token.kind == TokenKind::Word
            && token.is_first
            && tokens.get(at + 1).is_some_and(|next| next.is(b'!'));
        let open = [at + 2, at + 3].into_iter().find(|open| {
            tokens.get(*open).is_some_and(|token| [b'(', b'[', b'{'].iter().any(|b| token.is(*b)))
        });
        if let Some(open) = open.filter(|_| is_call)
            && macros.last().is_none_or(|last| last.end <= token.start as usize)
        {
            let close = closing(tokens, open);
            let end = close.map_or(text.len(), |close| tokens[close].end as usize);
            macros.push(token.start as usize..end);
        }
    }
    macros
}

/// The token that closes the bracket at `open`.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punctuation(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
