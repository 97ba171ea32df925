//! Rust: adjacent tokens that no construct allows. Used if the tree has errors, because the
//! parser's ERROR node starts far before them, at the enclosing item or the file.

use super::SyntaxError;
use super::downlevel::rust_tokens::{Token, TokenKind, tokens};

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Keywords that are never repeated.
const NEVER_REPEATED: &[&str] = &[
    "else", "enum", "fn", "for", "if", "impl", "in", "let", "match", "mod", "mut", "pub", "struct",
    "trait", "use", "where", "while",
];
/// Keywords that may precede `fn`.
const FN_QUALIFIERS: &[&str] = &["async", "const", "extern", "unsafe"];

/// Errors that pairs of adjacent tokens show. O(text).
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let tokens = tokens(source, 0);
    let pairs = TokenPairs { source, tokens: &tokens };
    let mut errors = Vec::new();
    for at in 0..tokens.len().saturating_sub(1) {
        if let Some(error) = pairs.string_error(at) {
            // After an unbalanced quote, strings and code cannot be told apart.
            errors.push(error);
            break;
        }
        errors.extend(pairs.pair_error(at));
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    errors
}

struct TokenPairs<'s> {
    source: &'s str,
    tokens: &'s [Token],
}

impl<'s> TokenPairs<'s> {
    fn text(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| &self.source[token.start..token.end])
    }

    /// A string directly followed by code: `""a"`, `"a"",`.
    fn string_error(&self, at: usize) -> Option<SyntaxError> {
        let (first, second) = (self.tokens[at], self.tokens[at + 1]);
        let (first_text, second_text) = (self.text(at), self.text(at + 1));
        let is_string =
            first.kind == TokenKind::Literal && first_text.starts_with('"') && first_text.len() > 1;
        if !is_string || first.end != second.start {
            return None;
        }
        let is_odd = match second.kind {
            TokenKind::Literal | TokenKind::Word | TokenKind::Number => true,
            TokenKind::Punctuation => {
                first_text.len() == 2
                    && matches!(second_text, "/" | "\\" | "#" | "$" | "@" | "%" | "~")
            }
            TokenKind::Lifetime => false,
        };
        if !is_odd {
            return None;
        }
        if first_text.contains('\n') {
            // The string ended at the opening quote of another.
            let line = 1 + self.source[..first.start].matches('\n').count();
            let message = format!("unclosed string that starts on line {line}");
            return Some(SyntaxError {
                span: first.start..first.start + 1,
                message,
                missing: None,
            });
        }
        let shown: String = second_text.chars().take(20).take_while(|c| *c != '\n').collect();
        let message = format!("unexpected `{shown}` directly after a string");
        Some(SyntaxError { span: first.start..first.end, message, missing: None })
    }

    /// The error of a token and the next one.
    fn pair_error(&self, at: usize) -> Option<SyntaxError> {
        let (first, second) = (self.tokens[at], self.tokens[at + 1]);
        let (first_text, second_text) = (self.text(at), self.text(at + 1));
        let report = |token: Token, message: String| {
            Some(SyntaxError { span: token.start..token.end, message, missing: None })
        };
        if first.kind != TokenKind::Word {
            return None;
        }
        match (first_text, second_text) {
            ("if" | "while" | "match", "{") if !self.is_continued(at + 1) => {
                let wanted = if first_text == "match" { "a value" } else { "a condition" };
                report(first, format!("expected {wanted} between `{first_text}` and `{{`"))
            }
            ("fn", "(" | "<") if self.starts_item(at) => {
                report(first, "expected a name after `fn`".to_owned())
            }
            _ if first_text == second_text
                && second.kind == TokenKind::Word
                && NEVER_REPEATED.contains(&first_text) =>
            {
                report(second, format!("unexpected `{first_text}`"))
            }
            _ => None,
        }
    }

    /// Whether the block at a token is a value that continues after it: `if { a } { b }`.
    fn is_continued(&self, opens: usize) -> bool {
        let mut depth = 0_usize;
        for at in opens..self.tokens.len() {
            match self.text(at) {
                "{" => depth += 1,
                "}" if depth > 1 => depth -= 1,
                "}" => {
                    let next = self.text(at + 1);
                    return matches!(next, "{" | "=" | "." | "&" | "|" | "<" | ">" | "!" | "?");
                }
                _ => {}
            }
        }
        false
    }

    /// Whether a `fn` starts an item, not a type.
    fn starts_item(&self, at: usize) -> bool {
        let mut before = at;
        while let Some(word) = before.checked_sub(1)
            && (FN_QUALIFIERS.contains(&self.text(word)) || self.text(word).starts_with('"'))
        {
            before = word;
        }
        match before.checked_sub(1).map(|word| self.text(word)) {
            None => true,
            Some(")") => {
                // `pub(crate)`
                let opens = (0..before).rev().find(|&n| self.text(n) == "(");
                opens.is_some_and(|n| n > 0 && self.text(n - 1) == "pub")
            }
            Some(word) => matches!(word, "}" | "{" | ";" | "]" | "pub"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(source: &str) -> Vec<String> {
        errors(source).into_iter().map(|e| e.message).collect()
    }

    #[test]
    fn impossible_token_pairs_are_errors() {
        for (source, expected) in [
            ("fn a() { if  { b } c() }", "expected a condition between `if` and `{`"),
            ("fn a() { if b {} else if { } }", "expected a condition between `if` and `{`"),
            ("fn a() { match { B => c, } }", "expected a value between `match` and `{`"),
            ("fn a() { if if b { c } }", "unexpected `if`"),
            ("pub(crate) unsafe fn (a: B) {}", "expected a name after `fn`"),
            ("impl A { fn <T>(a: T) {} }", "expected a name after `fn`"),
            ("const A: &str = \"\"of\";", "unexpected `of` directly after a string"),
            ("const A: &str = \"b\"\", c;", "unexpected `\", c;` directly after a string"),
        ] {
            assert_eq!(errors_of(source), [expected], "{source}");
        }
    }

    #[test]
    fn valid_code_has_no_errors() {
        for source in [
            "fn a() { if { b() } { c() } while { d } != e {} match { f }.g { _ => {} } }",
            "type A = fn(B); struct C { d: unsafe extern \"C\" fn(E), f: Option<fn(G)> }",
            "fn a(b: fn(C) -> D, e: impl Fn()) -> for<'f> fn(&'f G) { h as fn(I) }",
            "const A: &[&str] = &[\"\", \"b\"]; const C: [u8; 2] = *b\"cd\"; f!(\"\"/* e */);",
            "fn a<'b>(c: &'b str) { d('\"', \"\\\\\"); return return e }",
        ] {
            assert_eq!(errors_of(source), [""; 0], "{source}");
        }
    }
}
