//! Rust whose tree is broken: pairs of tokens that no construct of the language has. Its parser gives
//! up far before them, where the item begins that holds them, or the file.

use super::SyntaxError;
use super::older::rust_tokens::{Kind, Token, tokens};

/// Most errors of one text.
const MOST: usize = 20;
/// Keywords that never follow themselves.
const ONCE: &[&str] = &[
    "else", "enum", "fn", "for", "if", "impl", "in", "let", "match", "mod", "mut", "pub", "struct",
    "trait", "use", "where", "while",
];
/// Keywords in front of `fn`.
const OF_FUNCTIONS: &[&str] = &["async", "const", "extern", "unsafe"];

/// The errors that pairs of tokens show. O(text).
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let tokens = tokens(source, 0);
    let reader = Reader { source, tokens: &tokens };
    let mut errors = Vec::new();
    for at in 0..tokens.len().saturating_sub(1) {
        if let Some(error) = reader.quote(at) {
            // Behind a quote too many or too few, what is text and what is code is not known.
            errors.push(error);
            break;
        }
        errors.extend(reader.error(at));
        if errors.len() >= MOST {
            break;
        }
    }
    errors
}

struct Reader<'s> {
    source: &'s str,
    tokens: &'s [Token],
}

impl<'s> Reader<'s> {
    fn text(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| &self.source[token.start..token.end])
    }

    /// A string with code right behind it: `""a"`, `"a"",`.
    fn quote(&self, at: usize) -> Option<SyntaxError> {
        let (first, second) = (self.tokens[at], self.tokens[at + 1]);
        let (one, two) = (self.text(at), self.text(at + 1));
        let is_string = first.kind == Kind::Text && one.starts_with('"') && one.len() > 1;
        if !is_string || first.end != second.start {
            return None;
        }
        let is_odd = match second.kind {
            Kind::Text | Kind::Word | Kind::Number => true,
            Kind::Sign => one.len() == 2 && matches!(two, "/" | "\\" | "#" | "$" | "@" | "%" | "~"),
            Kind::Lifetime => false,
        };
        if !is_odd {
            return None;
        }
        if one.contains('\n') {
            // It took the quote that opens another one for its own.
            let line = 1 + self.source[..first.start].matches('\n').count();
            let message = format!("unclosed string that starts on line {line}");
            return Some(SyntaxError {
                span: first.start..first.start + 1,
                message,
                missing: None,
            });
        }
        let shown: String = two.chars().take(20).take_while(|c| *c != '\n').collect();
        let message = format!("unexpected `{shown}` right behind a string");
        Some(SyntaxError { span: first.start..first.end, message, missing: None })
    }

    /// What is wrong with a token and the next one.
    fn error(&self, at: usize) -> Option<SyntaxError> {
        let (first, second) = (self.tokens[at], self.tokens[at + 1]);
        let (one, two) = (self.text(at), self.text(at + 1));
        let report = |token: Token, message: String| {
            Some(SyntaxError { span: token.start..token.end, message, missing: None })
        };
        if first.kind != Kind::Word {
            return None;
        }
        match (one, two) {
            ("if" | "while" | "match", "{") if !self.is_followed(at + 1) => {
                let wanted = if one == "match" { "a value" } else { "a condition" };
                report(first, format!("expected {wanted} between `{one}` and `{{`"))
            }
            ("fn", "(" | "<") if self.begins_item(at) => {
                report(first, "expected a name after `fn`".to_owned())
            }
            _ if one == two && second.kind == Kind::Word && ONCE.contains(&one) => {
                report(second, format!("unexpected `{one}`"))
            }
            _ => None,
        }
    }

    /// Whether what opens at a token is a value that goes on behind it: `if { a } { b }`.
    fn is_followed(&self, opens: usize) -> bool {
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

    /// Whether a `fn` begins an item, not a type.
    fn begins_item(&self, at: usize) -> bool {
        let mut before = at;
        while let Some(word) = before.checked_sub(1)
            && (OF_FUNCTIONS.contains(&self.text(word)) || self.text(word).starts_with('"'))
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

    fn told(source: &str) -> Vec<String> {
        errors(source).into_iter().map(|e| e.message).collect()
    }

    #[test]
    fn pairs_that_no_construct_has_are_told() {
        for (source, expected) in [
            ("fn a() { if  { b } c() }", "expected a condition between `if` and `{`"),
            ("fn a() { if b {} else if { } }", "expected a condition between `if` and `{`"),
            ("fn a() { match { B => c, } }", "expected a value between `match` and `{`"),
            ("fn a() { if if b { c } }", "unexpected `if`"),
            ("pub(crate) unsafe fn (a: B) {}", "expected a name after `fn`"),
            ("impl A { fn <T>(a: T) {} }", "expected a name after `fn`"),
            ("const A: &str = \"\"of\";", "unexpected `of` right behind a string"),
            ("const A: &str = \"b\"\", c;", "unexpected `\", c;` right behind a string"),
        ] {
            assert_eq!(told(source), [expected], "{source}");
        }
    }

    #[test]
    fn what_the_language_has_is_not_told() {
        for source in [
            "fn a() { if { b() } { c() } while { d } != e {} match { f }.g { _ => {} } }",
            "type A = fn(B); struct C { d: unsafe extern \"C\" fn(E), f: Option<fn(G)> }",
            "fn a(b: fn(C) -> D, e: impl Fn()) -> for<'f> fn(&'f G) { h as fn(I) }",
            "const A: &[&str] = &[\"\", \"b\"]; const C: [u8; 2] = *b\"cd\"; f!(\"\"/* e */);",
            "fn a<'b>(c: &'b str) { d('\"', \"\\\\\"); return return e }",
        ] {
            assert_eq!(told(source), [""; 0], "{source}");
        }
    }
}
