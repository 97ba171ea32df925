//! Selection ranges (`textDocument/selectionRange`).

use std::ops::Range;

use crate::Syntax;

/// Limit of steps. LSP nests each range in the next smaller one, and many JSON parsers accept at
/// most 128 levels.
const MAX_STEPS: usize = 100;

impl Syntax {
    /// The spans around `offset`, from the innermost to the whole text, each larger than the one
    /// before: the word, the nodes, and the contents of bracketed nodes. At most [`MAX_STEPS`], of
    /// which the last is the whole text. O(depth).
    #[must_use]
    pub fn selections(&self, offset: usize) -> Vec<Range<usize>> {
        let text = self.text();
        let offset = offset.min(text.len());
        let mut found = Vec::new();
        found.extend(self.word_at(offset));
        let root = self.root();
        // Between two nodes, prefer the one before if it is a word.
        let before = offset.saturating_sub(1)..offset;
        let named = |n: tree_sitter::Node<'_>| n.is_named() && n.child_count() == 0;
        let mut node = root.descendant_for_byte_range(offset, offset);
        if !node.is_some_and(named) {
            let previous = root.descendant_for_byte_range(before.start, before.end);
            node = previous.filter(|n| named(*n) && n.end_byte() == offset).or(node);
        }
        for node in node.map(|node| self.ancestors(node)).unwrap_or_default() {
            let children = node.child_count();
            let first = node.child(0).filter(|c| children > 2 && !c.is_named());
            let last = node.child(children.saturating_sub(1)).filter(|c| !c.is_named());
            if let (Some(first), Some(last)) = (first, last) {
                found.push(first.end_byte()..last.start_byte());
            }
            found.push(node.byte_range());
        }
        found.push(0..text.len());
        let mut grown: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for span in found {
            let contains_offset = span.start <= offset && offset <= span.end;
            let larger = grown.last().is_none_or(|inner| {
                span.start <= inner.start && span.end >= inner.end && span != *inner
            });
            if contains_offset && larger {
                grown.push(span);
            }
        }
        // Keep the innermost spans and the whole text.
        let whole = grown.pop();
        grown.truncate(MAX_STEPS - 1);
        grown.extend(whole);
        grown
    }

    /// The run of letters, digits and underscores at `offset`.
    fn word_at(&self, offset: usize) -> Option<Range<usize>> {
        let text = self.text();
        let line = text.line_span(text.line_of(offset));
        let whole = text.slice(line.clone());
        let at = (offset - line.start).min(whole.len());
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = whole[..at].rfind(|c| !in_word(c));
        let start = start.map_or(0, |i| i + whole[i..].chars().next().map_or(1, char::len_utf8));
        let end = whole[at..].find(|c| !in_word(c)).map_or(whole.len(), |i| at + i);
        (end > start).then_some(line.start + start..line.start + end)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    #[test]
    fn a_selection_grows_from_the_word_to_the_text() {
        let source = "fn f() {\n    call(first_one, 2);\n}\n";
        let language = Language::by_id("rust").unwrap();
        let text = Text::new(source);
        let syntax = Syntax::parse(language, &text, None, &AtomicBool::new(false)).unwrap();
        let at = source.find("t_one").unwrap();
        let grown: Vec<_> = syntax.selections(at).into_iter().map(|s| &source[s]).collect();
        assert_eq!(
            grown,
            [
                "first_one",
                "first_one, 2",
                "(first_one, 2)",
                "call(first_one, 2)",
                "call(first_one, 2);",
                "\n    call(first_one, 2);\n",
                "{\n    call(first_one, 2);\n}",
                "fn f() {\n    call(first_one, 2);\n}",
                source,
            ]
        );
        let end = source.find(", 2").unwrap();
        assert_eq!(&source[syntax.selections(end)[0].clone()], "first_one");
    }

    /// A long sum is as deep as it is long.
    #[test]
    fn deep_nesting_gives_a_bounded_number_of_steps() {
        let source = format!("x = {};", vec!["1"; 100_000].join("+"));
        let language = Language::by_id("javascript").unwrap();
        let text = Text::new(&source);
        let syntax = Syntax::parse(language, &text, None, &AtomicBool::new(false)).unwrap();
        let grown = syntax.selections(5);
        assert_eq!((grown.len(), grown.last().cloned()), (MAX_STEPS, Some(0..source.len())));
        assert_eq!(&source[grown[1].clone()], "1+1");
    }
}
