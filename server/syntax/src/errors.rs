//! Syntax errors, read off a tree.

use std::ops::Range;

use tree_sitter::Node;

use crate::Syntax;

/// One place where the text does not fit its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes that do not fit; empty where something is missing.
    pub span: Range<usize>,
    /// What is wrong, for a person.
    pub message: String,
}

/// Longest piece of source text quoted in a message, in characters.
const QUOTE: usize = 30;

impl Syntax {
    /// The syntax errors in document order, at most `limit`; none in a language whose parser is
    /// not known to take all of it. Only the broken parts of the tree are visited.
    #[must_use]
    pub fn errors(&self, limit: usize) -> Vec<SyntaxError> {
        if self.language().errors_are_sure() { self.misfits(limit) } else { Vec::new() }
    }

    /// What the parser made nothing of, at most `limit`: errors, as far as it knows the language.
    #[must_use]
    pub fn misfits(&self, limit: usize) -> Vec<SyntaxError> {
        let mut errors = Vec::new();
        let mut cursor = self.tree().walk();
        loop {
            let node = cursor.node();
            if errors.len() == limit {
                return errors;
            }
            if node.is_error() || node.is_missing() {
                errors.push(self.describe(node));
            } else if node.has_error() && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return errors;
                }
            }
        }
    }

    /// How many places do not fit, counted up to `limit`.
    #[must_use]
    pub fn error_count(&self, limit: usize) -> usize {
        if self.root().has_error() { self.errors(limit).len() } else { 0 }
    }

    fn describe(&self, node: Node<'_>) -> SyntaxError {
        let span = node.byte_range();
        if node.is_missing() {
            return SyntaxError { span, message: format!("expected `{}` here", node.kind()) };
        }
        // The first token that does not fit says more than the whole skipped stretch.
        let text = self.text().slice(span.clone());
        let word = text.split_whitespace().next().unwrap_or_default();
        let mut quoted: String = word.chars().take(QUOTE).collect();
        if quoted.len() < word.len() {
            quoted.push('…');
        }
        let message = if quoted.is_empty() {
            "syntax error".to_owned()
        } else {
            format!("unexpected `{quoted}`")
        };
        SyntaxError { span, message }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    fn errors(language: &str, source: &str) -> Vec<String> {
        let language = Language::by_id(language).unwrap();
        let syntax =
            Syntax::parse(language, &Text::new(source), None, &AtomicBool::new(false)).unwrap();
        syntax.errors(10).into_iter().map(|e| format!("{:?} {}", e.span, e.message)).collect()
    }

    #[test]
    fn good_code_has_none() {
        for (language, source) in [
            ("c", "int main(void) { return 0; }"),
            ("cpp", "template<class T> auto f(T t) -> T { return t; }"),
            ("go", "package p\nfunc f[T any](t T) T { return t }\n"),
            ("java", "record P(int x) { }"),
            ("javascript", "const f = async () => <p>{await 1}</p>"),
            ("python", "match x:\n    case [1, *_]: print(f'{x!r}')\n"),
            ("rust", "fn f<'a>(x: &'a str) -> impl Iterator<Item = char> + 'a { x.chars() }"),
            ("tsx", "const a = <T,>(t: T) => <B<string> c={t} />"),
            ("typescript", "type A<T> = T extends infer U ? U : never; let x = y satisfies A<1>"),
        ] {
            assert_eq!(errors(language, source), [""; 0], "{language}");
        }
    }

    #[test]
    fn missing_and_unexpected_are_told() {
        assert_eq!(errors("c", "int f() { return 0 }"), ["18..18 expected `;` here"]);
        assert_eq!(errors("rust", "fn f() { let = 1; }"), ["13..14 unexpected `=`"]);
    }

    #[test]
    fn the_limit_holds() {
        assert_eq!(errors("python", &"x = = 1\n".repeat(50)).len(), 10);
    }
}
