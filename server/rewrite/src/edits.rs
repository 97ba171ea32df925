//! The edits of a file's matches: which are made, and which are refused.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::Syntax;
use text::Text;

use crate::scan::RuleMatch;

/// Limit for counted syntax errors.
const MAX_ERRORS: usize = 200;

/// A byte range and its new text.
pub type Edit = (Range<usize>, String);

/// The edits of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileEdits {
    /// Sorted and disjoint.
    pub edits: Vec<Edit>,
    /// Matches inside code that another match replaces. As in ast-grep, they stay as they are inside
    /// the new text; a second call finds them there.
    pub nested: usize,
}

/// Why the edits of a file are refused.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Two edits overlap, and neither contains the other's match: the result would depend on their
    /// order.
    Overlap {
        /// Where the first begins.
        first: usize,
        /// Where the second begins.
        second: usize,
    },
    /// The new text has a syntax error that the old text has not.
    Syntax {
        /// Its line in the new text, 0-based.
        line: usize,
        /// The error.
        message: String,
    },
    /// The interrupt flag was set.
    Interrupted,
}

impl FileEdits {
    /// The edits of `matches`, as [`FileRules::scan`](crate::FileRules::scan) returns them.
    ///
    /// # Errors
    /// [`Refusal::Overlap`].
    pub fn new(matches: &[RuleMatch]) -> Result<Self, Refusal> {
        let mut sorted: Vec<_> =
            matches.iter().filter_map(|found| Some((found.rule, found.edit.as_ref()?))).collect();
        sorted.sort_by_key(|(rule, (range, _))| (range.start, std::cmp::Reverse(range.end), *rule));
        let mut all = Self::default();
        let mut last: Option<(usize, &Edit)> = None;
        for (rule, edit) in sorted {
            let (range, text) = edit;
            if let Some((last_rule, (before, last_text))) = last
                && range.start < before.end
            {
                let is_same = range == before && text == last_text;
                let is_inside = range.end <= before.end && range != before && rule == last_rule;
                if is_inside {
                    all.nested += 1;
                }
                if is_same || is_inside {
                    continue;
                }
                return Err(Refusal::Overlap { first: before.start, second: range.start });
            }
            last = Some((rule, edit));
            all.edits.push(edit.clone());
        }
        Ok(all)
    }

    /// Checks that the new text parses as well as the old one.
    ///
    /// # Errors
    /// [`Refusal::Syntax`], [`Refusal::Interrupted`].
    pub fn check_syntax(&self, before: &Syntax, interrupt: &AtomicBool) -> Result<(), Refusal> {
        let after = Text::new(&self.apply(before.text()));
        let parsed = Syntax::parse(before.language(), &after, Some(before), interrupt);
        let parsed = parsed.ok_or(Refusal::Interrupted)?;
        let (old, new) = (before.errors(MAX_ERRORS), parsed.errors(MAX_ERRORS));
        if new.len() > old.len() {
            let is_old = |message: &str| old.iter().any(|error| error.message == message);
            let found = new.iter().find(|error| !is_old(&error.message)).or(new.first());
            let (offset, message) =
                found.map_or((0, String::new()), |e| (e.span.start, e.message.clone()));
            return Err(Refusal::Syntax { line: after.line_of(offset), message });
        }
        if parsed.root().has_error() && !before.root().has_error() {
            let offset = first_error(&parsed);
            let message = "the code does not parse".to_owned();
            return Err(Refusal::Syntax { line: after.line_of(offset), message });
        }
        Ok(())
    }

    /// The new text.
    #[must_use]
    pub fn apply(&self, text: &Text) -> String {
        let mut new = String::with_capacity(text.len());
        let mut at = 0;
        for (range, replacement) in &self.edits {
            new.push_str(&text.slice(at..range.start));
            new.push_str(replacement);
            at = range.end;
        }
        new.push_str(&text.slice(at..text.len()));
        new
    }
}

/// Where the first broken node of a tree begins.
fn first_error(syntax: &Syntax) -> usize {
    let mut node = syntax.root();
    loop {
        let mut cursor = node.walk();
        let broken = node.children(&mut cursor).find(tree_sitter::Node::has_error);
        match broken {
            Some(child) if !node.is_error() => node = child,
            _ => return node.start_byte(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Rules, language_for};

    fn run(language: &str, rule: Value, source: &str) -> Result<(String, usize), Refusal> {
        let language = language_for(language).unwrap();
        let rules = Rules::from_rules(&rule, None, Some(language)).unwrap();
        let never = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &Text::new(source), None, &never).unwrap();
        let file = rules.for_file("a".as_ref(), language);
        let matches = file.scan(&syntax, 1_000, &never).unwrap();
        let edits = FileEdits::new(&matches)?;
        edits.check_syntax(&syntax, &never)?;
        Ok((edits.apply(syntax.text()), edits.nested))
    }

    #[test]
    fn rules_are_applied() {
        let rule = json!({
            "rule": { "pattern": "logger.warn($MSG, $$$ARGS)", "inside": { "kind": "function_definition", "stopBy": "end" } },
            "constraints": { "MSG": { "kind": "string" } },
            "fix": "logger.warning($MSG, $$$ARGS)",
        });
        let source =
            "logger.warn('a', 1)\ndef f():\n    logger.warn('b', 2)\n    logger.warn(x, 3)\n";
        let (new, _) = run("python", rule, source).unwrap();
        let expected =
            "logger.warn('a', 1)\ndef f():\n    logger.warning('b', 2)\n    logger.warn(x, 3)\n";
        assert_eq!(new, expected);
        let yaml = "\
id: no-var
language: ts
rule:
  pattern: const $A = require($B)
transform:
  NAME: { convert: { source: $A, toCase: upperCase } }
fix: import $NAME from $B;
---
id: other
language: typescript
rule: { any: [{ pattern: foo() }, { pattern: bar() }] }
fix: baz()
";
        let source = "const a = require('x');\nfoo();\nbar();\n// ast-grep-ignore\nfoo();\n";
        let (new, _) = run("typescript", json!(yaml), source).unwrap();
        assert_eq!(new, "import A from 'x';\nbaz();\nbaz();\n// ast-grep-ignore\nfoo();\n");
    }

    #[test]
    fn the_outer_of_nested_matches_is_replaced() {
        let rule = json!({ "pattern": "f($A)", "fix": "g($A)" });
        assert_eq!(
            run("rust", rule, "fn m() { f(f(1)); }").unwrap(),
            ("fn m() { g(f(1)); }".into(), 1)
        );
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let two = json!([
            { "pattern": "a($X)", "fix": "b($X)" },
            { "pattern": "c($X)", "fix": "d($X)" },
        ]);
        let refused = run("python", two.clone(), "a(c(1))\n").unwrap_err();
        assert_eq!(refused, Refusal::Overlap { first: 0, second: 2 });
        assert_eq!(run("python", two, "a(1)\nc(2)\n").unwrap().0, "b(1)\nd(2)\n");
        // Each takes the comma after it.
        let expand = json!({
            "rule": { "kind": "integer", "inside": { "kind": "list" } },
            "fix": { "template": "", "expandStart": { "regex": "," }, "expandEnd": { "regex": "," } },
        });
        let refused = run("python", expand, "x = [1, 2, 3]\n").unwrap_err();
        assert!(matches!(refused, Refusal::Overlap { .. }), "{refused:?}");
    }

    #[test]
    fn a_result_that_does_not_parse_is_refused() {
        for (language, source) in [
            ("rust", "fn m() { f(1); }"),
            ("python", "f(1)\n"),
            ("typescript", "f(1);"),
            ("go", "package p\nvar x = f(1, 2)\n"),
            ("c", "int x = f(1, 2);\n"),
            ("java", "class C { int x = f(1); }"),
        ] {
            let rule = json!({ "rule": { "pattern": { "context": source, "selector": kind(language) } },
                "fix": "(" });
            let refused = run(language, rule, source);
            assert!(
                matches!(refused, Err(Refusal::Syntax { line: 0.., .. })),
                "{language}: {refused:?}"
            );
        }
        // Errors that were there before do not count.
        let rule = json!({ "pattern": "f($A)", "fix": "g($A)" });
        assert_eq!(run("python", rule, "f(1)\nx = )\n").unwrap().0, "g(1)\nx = )\n");
    }

    fn kind(language: &str) -> &'static str {
        match language {
            "python" => "call",
            "java" => "method_invocation",
            _ => "call_expression",
        }
    }
}
