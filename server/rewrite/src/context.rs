//! Patterns whose code means something else by itself than inside a function.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use ast_grep_core::Language as _;
use syntax::{Language, Syntax};
use text::Text;
use tree_sitter::Node;

use crate::language::RuleLanguage;

/// Code around a statement or expression, by language.
const CONTEXTS: &[(&str, &str, &str)] = &[
    ("c", "void f() { ", "; }"),
    ("cpp", "void f() { ", "; }"),
    ("csharp", "class C { void F() { ", "; } }"),
    ("go", "package p\nfunc f() { ", " }"),
    ("java", "class C { void f() { ", "; } }"),
    ("php", "<?php ", ";"),
];

/// How a pattern is written so that it means what it means inside a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextHint {
    /// The kind of the pattern by itself.
    pub kind: String,
    /// The code around it.
    pub context: String,
    /// Its kind there.
    pub selector: String,
}

/// The other meaning of a pattern's code inside a function, if it has one there.
#[must_use]
pub fn context_hint(language: Language, code: &str) -> Option<ContextHint> {
    let (_, before, after) = CONTEXTS.iter().find(|(id, ..)| *id == language.id())?;
    let of = RuleLanguage(language);
    let plain = parse(of, code)?;
    let mut node = plain.root();
    while node.child_count() == 1 {
        node = node.child(0)?;
    }
    let code = code.trim();
    let whole = format!("{before}{code}{after}");
    let inside = parse(of, &whole)?;
    let start = before.len();
    // The sigil of the parsed pattern may be longer than `$`.
    let end = inside.text().len() - after.len();
    let found = node_at(&inside, start..end)?;
    let is_new = found.kind() != node.kind() && !found.has_error();
    is_new.then(|| ContextHint {
        kind: node.kind().to_owned(),
        context: whole.clone(),
        selector: found.kind().to_owned(),
    })
}

/// Whether a pattern has a syntax error.
pub(crate) fn is_broken(of: RuleLanguage, code: &str) -> bool {
    parse(of, code).is_none_or(|syntax| syntax.root().has_error())
}

fn parse(of: RuleLanguage, code: &str) -> Option<Syntax> {
    let never = AtomicBool::new(false);
    Syntax::parse(of.0, &Text::new(&of.pre_process_pattern(code)), None, &never)
}

/// The smallest node with exactly this span.
fn node_at(syntax: &Syntax, span: Range<usize>) -> Option<Node<'_>> {
    let node = syntax.root().named_descendant_for_byte_range(span.start, span.end)?;
    (node.byte_range() == span).then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language_for;

    #[test]
    fn a_call_in_go_and_c_needs_its_function() {
        let hint = |language: &str, code: &str| {
            context_hint(language_for(language).unwrap(), code)
                .map(|hint| (hint.kind, hint.selector))
        };
        let call = |kind: &str| Some((kind.to_owned(), "call_expression".to_owned()));
        assert_eq!(hint("go", "fmt.Println($A)"), call("type_conversion_expression"));
        assert!(hint("c", "foo($A, $$$REST)").is_some());
        assert_eq!(hint("rust", "foo($A)"), None);
        assert_eq!(hint("go", "for {"), None);
    }
}
