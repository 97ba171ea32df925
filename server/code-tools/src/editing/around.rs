//! Checks an edit for new syntax errors by parsing only the declarations around it.
//!
//! An edit can only break the top-level declarations it touches. They are parsed as a text of their
//! own, before and after the edit, with neighbours on either side. If both are free of errors, the edit
//! adds none. Otherwise, for instance if the excerpt starts inside a string or a comment, nothing is
//! known and the caller parses the whole text.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax};
use text::Text;

/// Languages whose declarations start in the first column, and whose syntax checks look at the tree or
/// at a single declaration.
const LANGUAGES: [&str; 5] = ["javascript", "python", "rust", "tsx", "typescript"];

/// Neighbouring declarations that are parsed, too: an edit at the end of one can change the next.
const DECLARATIONS: usize = 2;

/// Limit for the lines searched for the start or end of a declaration.
const MAX_LINES: usize = 2_000;

/// Longest excerpt, in bytes: parsing the whole text is hardly slower than a longer one.
const MAX_EXCERPT: usize = 64 << 10;

/// Whether the declarations around the difference of two texts are free of errors in both, so `after`
/// has no new errors. `false` means unknown.
pub(super) fn adds_no_errors(
    language: Language,
    before: &Text,
    after: &Text,
    interrupt: &AtomicBool,
) -> bool {
    if !LANGUAGES.contains(&language.id()) {
        return false;
    }
    let Some((old, new)) = before.difference(after) else { return true };
    let Some(old_excerpt) = excerpt(before, &old) else { return false };
    // The common suffix has the same length in both.
    let end = after.len() - (before.len() - old_excerpt.end);
    let new_excerpt = old_excerpt.start..end.max(new.end);
    if old_excerpt.len().max(new_excerpt.len()) > MAX_EXCERPT {
        return false;
    }
    let parse = |text: &Text, span: Range<usize>, from: Option<&Syntax>| {
        let excerpt = Text::new(&text.slice(span));
        let tree = workspace::parse_with_timeout(language, &excerpt, from, interrupt)?;
        let is_clean = !tree.root().has_error() && tree.errors(1).is_empty();
        is_clean.then_some(tree)
    };
    let old = parse(before, old_excerpt, None);
    old.is_some_and(|old| parse(after, new_excerpt, Some(&old)).is_some())
}

/// The range of whole declarations around a range; `None` if they are too long.
fn excerpt(text: &Text, changed: &Range<usize>) -> Option<Range<usize>> {
    let lines = text.line_count();
    let (first, last) = (text.line_of(changed.start), text.line_of(changed.end));
    let is_head = |line: &usize| begins_declaration(&text.line(*line));
    // The first and the last line are changed themselves, so that they begin nothing.
    let mut above = (first.saturating_sub(MAX_LINES)..first).rev();
    let start = match above.by_ref().filter(is_head).nth(DECLARATIONS - 1) {
        Some(line) => text.line_start(line),
        None if first <= MAX_LINES => 0,
        None => return None,
    };
    let mut below = (last + 1)..lines.min(last + 1 + MAX_LINES);
    let end = match below.by_ref().filter(is_head).nth(DECLARATIONS - 1) {
        Some(line) => text.line_start(line),
        None if lines <= last + 1 + MAX_LINES => text.len(),
        None => return None,
    };
    Some(start..end)
}

/// Whether a line at the margin may begin a declaration: it goes on with none.
fn begins_declaration(line: &str) -> bool {
    const GO_ON: [&str; 6] = ["else", "elif", "except", "finally", "catch", "where"];
    let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    !word.is_empty() && !GO_ON.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several declarations a language, with what spans lines at the margin.
    const SOURCES: [(&str, &str); 3] = [
        (
            "python",
            "import os\n\n\n@cached\ndef first(a, b):\n    if a:\n        return [b, a]\n    else:\n        return None\n\n\nTEXT = \"\"\"\ndef not_code(:\n    it is (text\n\"\"\"\n\n\nclass Last:\n    def run(self):\n        try:\n            return f(\n                1,\n            )\n        except OSError:\n            pass\n\n\ntry:\n    x = 1\nexcept OSError:\n    x = 2\n",
        ),
        (
            "rust",
            "use std::fmt;\n\n/// One.\n#[derive(Debug)]\nstruct One {\n    a: u32,\n}\n\n/* fn text( {\nfn more( }\n*/\nfn two(x: u32) -> u32 {\n    let text = \"\nfn not_code( {\n\";\n    match x {\n        0 => 1,\n        _ => x + text.len() as u32,\n    }\n}\n\nimpl One\nwhere\n    u32: Copy,\n{\n    fn three(&self) {}\n}\n",
        ),
        (
            "typescript",
            "import { a } from 'a';\n\nexport function one(x: number): string {\n  return `${x}\nfunction not(code {\n`;\n}\n\nconst two = [\n  1,\n  a(2),\n];\n\nclass Three {\n  four(): void {\n    if (two.length) {\n      one(1);\n    }\n  }\n}\n",
        ),
    ];

    /// The messages of all errors.
    fn errors(language: Language, text: &Text) -> Vec<String> {
        let tree = Syntax::parse(language, text, None, &AtomicBool::new(false)).unwrap();
        tree.errors(100).into_iter().map(|error| error.message).collect()
    }

    /// Every text that differs from `source` by one character taken out, put in or replaced, or by a
    /// line taken out.
    fn edits(source: &str) -> Vec<String> {
        let ends: Vec<usize> = source.char_indices().map(|(at, _)| at).collect();
        let characters = ends.iter().flat_map(|&at| {
            let with = |new: &str, taken: usize| {
                format!("{}{new}{}", &source[..at], source.get(at + taken..).unwrap_or_default())
            };
            [with("", 1), with("(", 0), with("\"", 0), with("}", 1), with("\n", 0), with("/*", 0)]
        });
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        let without = (0..lines.len()).map(|at| [&lines[..at], &lines[at + 1..]].concat().concat());
        characters.chain(without).collect()
    }

    #[test]
    fn an_edit_reported_clean_adds_no_error_anywhere() {
        for (id, source) in SOURCES {
            let language = Language::by_id(id).unwrap();
            let before = Text::new(source);
            assert_eq!(errors(language, &before), Vec::<String>::new(), "{id}");
            let (mut sound, mut broken) = (0, 0);
            for edited in edits(source) {
                let after = Text::new(&edited);
                let found = errors(language, &after);
                let adds_no_errors =
                    adds_no_errors(language, &before, &after, &AtomicBool::new(false));
                assert!(!adds_no_errors || found.is_empty(), "{id}: {found:?} in\n{edited}");
                sound += usize::from(adds_no_errors);
                broken += usize::from(!found.is_empty());
            }
            assert!(sound > 50 && broken > 50, "{id}: {sound} sound, {broken} broken");
        }
    }

    #[test]
    fn declarations_around_a_change() {
        let text = Text::new("a = 1\nb = 2\ndef f():\n    x\n    y\n)\nc = 3\nd = 4\ne = 5\n");
        let of = |old: &str| {
            let source = text.to_string();
            let at = source.find(old).unwrap();
            excerpt(&text, &(at..at + old.len())).map(|span| source[span].to_owned())
        };
        assert_eq!(of("x\n    ").as_deref(), Some("b = 2\ndef f():\n    x\n    y\n)\nc = 3\n"));
        assert_eq!(of("a = 1").as_deref(), Some("a = 1\nb = 2\n"));
        assert_eq!(of("e = 5").as_deref(), Some("c = 3\nd = 4\ne = 5\n"));
    }
}
