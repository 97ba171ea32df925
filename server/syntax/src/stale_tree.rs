//! Reading a stale tree while the new text is still being parsed.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;

use crate::{Highlight, HighlightOptions, Outline, OutlineItem, Syntax};

/// The tree of an earlier text, with its nodes moved to their positions in the new text.
///
/// Positions are right, and nodes that the edit touches are left out, but how the edit changes the
/// rest is not known yet. So it is only for display; it does not expose the tree, so that no edit
/// can be based on it.
#[derive(Debug)]
pub struct StaleTree {
    moved: Syntax,
    /// The span of the new text that differs; `None` if the texts are equal.
    touched: Option<Range<usize>>,
    /// Whether the edit removed text.
    deleted: bool,
}

impl Syntax {
    /// A stale view of this tree for another state of its text, without parsing. O(depth of the
    /// tree), plus one pass over the text.
    #[must_use]
    pub fn stale_tree(&self, text: &Text) -> StaleTree {
        match self.text().difference(text) {
            None => StaleTree { moved: self.clone(), touched: None, deleted: false },
            Some((from, to)) => StaleTree {
                moved: self.with_edited_tree(text, &from, &to),
                deleted: !from.is_empty(),
                touched: Some(to),
            },
        }
    }
}

impl StaleTree {
    /// The highlights that touch `span`, as [`Syntax::highlights`]. A token at whose edge text was
    /// typed is left out; a comment or string that contains the edit is kept.
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        let mut highlights = self.moved.highlights(span, options, interrupt)?;
        highlights.retain(|highlight| !self.is_invalidated(&highlight.span));
        Some(highlights)
    }

    /// The outline, as [`Syntax::outline`]. An item is left out, but not its children, if the edit
    /// touches its name or may have removed its start or end.
    #[must_use]
    pub fn outline(&self, interrupt: &AtomicBool) -> Option<Outline> {
        let Outline { items, is_whole } = self.moved.outline(interrupt)?;
        Some(Outline { items: self.keep_sure(items), is_whole })
    }

    fn keep_sure(&self, items: Vec<OutlineItem>) -> Vec<OutlineItem> {
        let mut kept = Vec::with_capacity(items.len());
        for mut item in items {
            item.children = self.keep_sure(item.children);
            if self.touches_edit(&item.name_span) || self.deleted && self.is_invalidated(&item.span)
            {
                kept.append(&mut item.children);
            } else {
                kept.push(item);
            }
        }
        kept
    }

    fn touches_edit(&self, span: &Range<usize>) -> bool {
        let touched = self.touched.as_ref();
        touched.is_some_and(|t| span.start <= t.end && span.end >= t.start)
    }

    /// Whether the edit touches the span but is not strictly inside.
    fn is_invalidated(&self, span: &Range<usize>) -> bool {
        let within = |t: &Range<usize>| span.start < t.start && t.end < span.end;
        self.touches_edit(span) && !self.touched.as_ref().is_some_and(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn shifted(language: &str, before: &str, after: &str) -> StaleTree {
        let go = AtomicBool::new(false);
        let language = Language::by_id(language).unwrap();
        let syntax = Syntax::parse(language, &Text::new(before), None, &go).unwrap();
        syntax.stale_tree(&Text::new(after))
    }

    fn pieces(language: &str, before: &str, after: &str) -> Vec<(String, &'static str)> {
        let options = HighlightOptions { injections: true, cache: None, budget: None };
        let shifted = shifted(language, before, after);
        let found = shifted.highlights(0..after.len(), options, &AtomicBool::new(false)).unwrap();
        found.into_iter().map(|h| (after[h.span].to_owned(), h.class.name())).collect()
    }

    fn named(items: &[OutlineItem], text: &str) -> Vec<String> {
        let mut names = Vec::new();
        for item in items {
            assert_eq!(text[item.name_span.clone()], item.name);
            names.push(item.name.clone());
            names.extend(named(&item.children, text));
        }
        names
    }

    #[test]
    fn tokens_are_at_their_new_positions_without_the_edited_one() {
        let found = pieces("python", "def f():\n    return 1\n", "def ff():\n    return 1\n");
        let words: Vec<_> = found.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["def", ")", ":", "return", "1"]);
        assert_eq!(found[3].1, "keyword");
    }

    #[test]
    fn a_comment_covers_the_text_typed_in_it() {
        let found = pieces("rust", "// ab\nfn f() {}\n", "// a é b\nfn f() {}\n");
        assert_eq!(found[0], ("// a é b".to_owned(), "comment"));
    }

    #[test]
    fn an_item_with_edited_name_is_left_out_but_not_its_children() {
        let before = "class A:\n    def m(self): pass\n\nclass B:\n    x = 1\n";
        let after = before.replace("class A", "class Abc");
        let outline = shifted("python", before, &after).outline(&AtomicBool::new(false)).unwrap();
        assert_eq!(named(&outline.items, &after), ["m", "B", "x"]);
        let after = before.replace("pass", "pass; return 2");
        let outline = shifted("python", before, &after).outline(&AtomicBool::new(false)).unwrap();
        assert_eq!(named(&outline.items, &after), ["A", "m", "B", "x"]);
        let after = before.replace(": pass", "");
        let outline = shifted("python", before, &after).outline(&AtomicBool::new(false)).unwrap();
        assert_eq!(named(&outline.items, &after), ["B", "x"]);
    }

    #[test]
    fn an_equal_text_keeps_everything() {
        let source = "fn f() {}\n";
        assert_eq!(
            named(
                &shifted("rust", source, source).outline(&AtomicBool::new(false)).unwrap().items,
                source
            ),
            ["f"]
        );
    }
}
