//! Code patterns with placeholders: `foo($A, $$$REST)`.
//!
//! `$NAME` matches one node, `$$$NAME` any number of sibling nodes; a repeated name must match
//! equal text. The pattern is parsed as code of its language with identifiers in place of the
//! placeholders, so it must be one whole expression, statement or declaration.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;
use tree_sitter::Node;

use super::matching::{Matcher, PatternNode, Placeholders};
use super::{MAX_PATTERN_LEN, PatternError, StructuralMatch};
use crate::{Language, Syntax};

/// A pattern for one language.
#[derive(Debug)]
pub struct CodePattern {
    language: Language,
    pattern: PatternNode,
    word: Option<String>,
}

/// Contexts in which a pattern is parsed until one gives no errors: alone, as a statement, in a
/// function, as an expression there, in a class.
const CONTEXTS: &[(&str, &str)] = &[
    ("", ""),
    ("", ";"),
    ("fn f() { ", " }"),
    ("fn f() { let x = ", "; }"),
    ("package p; func f() { ", "\n}"),
    ("void f() { ", " }"),
    ("void f() { ", "; }"),
    ("class C { ", " }"),
    ("class C { void f() { ", " } }"),
    ("class C { Object x = ", "; }"),
];

impl CodePattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// If it is not valid code of the language, more than one piece of code, or nothing but a
    /// placeholder.
    pub fn new(language: Language, source: &str) -> Result<Self, PatternError> {
        let source = source.trim();
        if source.is_empty() || source.len() > MAX_PATTERN_LEN {
            return Err(PatternError::new(format!("a pattern has 1 to {MAX_PATTERN_LEN} bytes")));
        }
        let mut several = false;
        for end in ["", ";"] {
            let (code, placeholders) = with_identifiers(source, end)?;
            for (before, after) in CONTEXTS {
                let whole = format!("{before}{code}{after}");
                let span = before.len()..before.len() + code.len();
                let text = Text::new(&whole);
                let go = AtomicBool::new(false);
                let Some(syntax) = Syntax::parse(language, &text, None, &go) else { continue };
                if syntax.root().has_error() {
                    continue;
                }
                let Some(node) = node_spanning(&syntax, &span) else {
                    several = true;
                    continue;
                };
                let pattern = PatternNode::from_node(node, &whole, &placeholders);
                if !matches!(pattern, PatternNode::Node { .. } | PatternNode::Leaf { .. }) {
                    return Err(PatternError::new(
                        "the pattern is only a placeholder, which would match everything",
                    ));
                }
                let word = pattern.words().into_iter().max_by_key(|word| word.len());
                return Ok(Self { language, word: word.map(str::to_owned), pattern });
            }
        }
        let name = language.name();
        Err(PatternError::new(if several {
            format!("the pattern is more than one expression, statement or declaration of {name}")
        } else {
            format!(
                "the pattern is not a complete expression, statement or declaration of {name}; \
                 `$A` stands for one node, `$$$A` for any number"
            )
        }))
    }

    /// The language of the pattern.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// A word that every matching text contains, to filter texts before parsing them.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        self.word.as_deref()
    }

    /// The matches, in document order, at most `limit`. Stops once `interrupt` is set. O(nodes),
    /// times the size of the pattern if many nodes look alike.
    #[must_use]
    pub fn find(
        &self,
        syntax: &Syntax,
        limit: usize,
        interrupt: &AtomicBool,
    ) -> Vec<StructuralMatch> {
        Matcher::new(&self.pattern, syntax, interrupt).find(limit)
    }
}

/// Replaces each placeholder by an identifier, and returns the meaning of the identifiers. `end` is
/// put after a `$$$` placeholder in statement position.
fn with_identifiers(source: &str, end: &str) -> Result<(String, Placeholders), PatternError> {
    let (mut code, mut placeholders) = (String::new(), Placeholders::new());
    let mut rest = source;
    while let Some(at) = rest.find('$') {
        code.push_str(&rest[..at]);
        let dollars = rest[at..].bytes().take_while(|byte| *byte == b'$').count();
        let after = &rest[at + dollars..];
        let name: String =
            after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        if !is_name || !matches!(dollars, 1 | 3) {
            // A dollar sign of the language itself.
            code.push_str(&rest[at..at + dollars]);
            rest = after;
            continue;
        }
        if placeholders.len() > 100 {
            return Err(PatternError::new("a pattern has at most 100 placeholders"));
        }
        let many = dollars == 3;
        let identifier = format!("tandem_{}_{name}", if many { "many" } else { "one" });
        code.push_str(&identifier);
        rest = &after[name.len()..];
        let before = code[..code.len() - identifier.len()].trim_end_matches([' ', '\t']);
        let follows = rest.trim_start_matches([' ', '\t']);
        let stands_alone = before.ends_with(['{', ';', '}', '\n'])
            && (follows.starts_with(['}', '\n', '$']) || follows.is_empty());
        if many && stands_alone {
            code.push_str(end);
        }
        placeholders.insert(identifier, (name, many));
    }
    code.push_str(rest);
    Ok((code, placeholders))
}

/// The node with exactly this span, except for a final `;`.
fn node_spanning<'t>(syntax: &'t Syntax, span: &Range<usize>) -> Option<Node<'t>> {
    let mut node = syntax.root().named_descendant_for_byte_range(span.start, span.end)?;
    // Skip the root and wrappers that cover the whole file.
    while node.parent().is_none() && node.named_child_count() == 1 {
        node = node.named_child(0)?;
    }
    let is_span = node.start_byte() == span.start && node.end_byte() >= span.end;
    (node.parent().is_some() && is_span && node.end_byte() <= span.end + 1).then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: &str, pattern: &str, source: &str) -> Vec<String> {
        let language = Language::by_id(language).unwrap();
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &Text::new(source), None, &go).unwrap();
        let pattern = CodePattern::new(language, pattern).unwrap();
        assert!(pattern.word().is_none_or(|word| source.contains(word)));
        let describe = |found: StructuralMatch| {
            let captures = found.captures.iter();
            let captures: Vec<_> =
                captures.map(|(name, span)| format!("{name}={}", &source[span.clone()])).collect();
            format!("{} [{}]", &source[found.span], captures.join("|"))
        };
        pattern.find(&syntax, 100, &go).into_iter().map(describe).collect()
    }

    #[test]
    fn calls_in_every_language() {
        for (language, source) in [
            ("rust", "fn f() { foo(1, 2, 3); bar(foo(x)); foo(); }"),
            ("python", "foo(1, 2, 3)\nbar(foo(x))\nfoo()\n"),
            ("javascript", "foo(1, 2, 3); bar(foo(x)); foo();"),
            ("typescript", "foo(1, 2, 3); bar(foo(x)); foo();"),
            ("go", "package p\nfunc f() {\n\tfoo(1, 2, 3)\n\tbar(foo(x))\n\tfoo()\n}\n"),
            ("c", "void f() { foo(1, 2, 3); bar(foo(x)); foo(); }"),
            ("cpp", "void f() { foo(1, 2, 3); bar(foo(x)); foo(); }"),
            ("java", "class C { void f() { foo(1, 2, 3); bar(foo(x)); foo(); } }"),
        ] {
            let matches = found(language, "foo($A, $$$REST)", source);
            let expected = ["foo(1, 2, 3) [A=1|REST=2, 3]", "foo(x) [A=x]"];
            assert_eq!(matches, expected, "{language}");
            assert_eq!(found(language, "foo($$$ARGS)", source).len(), 3, "{language}");
            assert_eq!(found(language, "foo()", source), ["foo() []"], "{language}");
        }
    }

    #[test]
    fn placeholders_match_any_number_of_statements() {
        for (language, pattern, source) in [
            ("rust", "if $COND { $$$BODY }", "fn f() { if a == 1 { x(); y(); } if b {} else {} }"),
            ("c", "if ($COND) { $$$BODY }", "void f() { if (a == 1) { x(); y(); } }"),
            (
                "java",
                "if ($COND) { $$$BODY }",
                "class C { void f() { if (a == 1) { x(); y(); } } }",
            ),
            ("javascript", "if ($COND) { $$$BODY }", "if (a == 1) { x(); y(); }"),
            ("go", "if $COND { $$$BODY }", "package p\nfunc f() { if a == 1 { x(); y() } }"),
            ("python", "if $COND:\n    $$$BODY", "if a == 1:\n    x()\n    y()\n"),
        ] {
            let matches = found(language, pattern, source);
            assert_eq!(matches.len(), 1, "{language}: {matches:?}");
            assert!(matches[0].contains("COND=a == 1|BODY=x()"), "{language}: {matches:?}");
            assert!(matches[0].contains("y()"), "{language}: {matches:?}");
        }
    }

    #[test]
    fn operators_and_repeated_names_are_compared() {
        assert_eq!(
            found("rust", "$A == $A", "fn f() { a == b; a == a; a != a; }"),
            ["a == a [A=a]"]
        );
        assert_eq!(found("python", "$X.get($K)", "d.get(1)\nd.set(1)\n").len(), 1);
        assert_eq!(
            found("rust", "$R.unwrap()", "fn f() { a.b().unwrap(); }"),
            ["a.b().unwrap() [R=a.b()]"]
        );
        assert_eq!(found("rust", "fn $N($$$A) { $$$B }", "fn g() {} fn h(a: u8) { 1; }").len(), 2);
    }

    #[test]
    fn invalid_patterns_are_rejected() {
        let rust = Language::by_id("rust").unwrap();
        for bad in ["", "$A", "$$$A", "foo(", "a; b;", &"(".repeat(5_000), &"x".repeat(9_000)] {
            assert!(CodePattern::new(rust, bad).is_err(), "{bad:.20}");
        }
    }
}
