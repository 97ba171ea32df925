//! What an earlier tree still says of a text, while the text is being parsed.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;

use crate::{Highlight, HighlightOptions, Outline, OutlineItem, Syntax};

/// The tree of an earlier text, moved to where things stand in this one. Places are right, and what
/// the edit touches is left out; what the edit means for the rest is not known yet. So it is good
/// for looking at, and nothing that is written may rest on it: it does not show its tree.
#[derive(Debug)]
pub struct Shifted {
    moved: Syntax,
    /// What differs from the text that was parsed; `None` where nothing does.
    touched: Option<Range<usize>>,
    /// Whether something was taken away there.
    deleted: bool,
}

impl Syntax {
    /// What this says of a later or earlier state of its text, without parsing that.
    #[must_use]
    pub fn shifted(&self, text: &Text) -> Shifted {
        match self.text().difference(text) {
            None => Shifted { moved: self.clone(), touched: None, deleted: false },
            Some((from, to)) => Shifted {
                moved: self.moved_to(text, &from, &to),
                deleted: !from.is_empty(),
                touched: Some(to),
            },
        }
    }
}

impl Shifted {
    /// The highlights of what touches `span`, as [`Syntax::highlights`]. A word at which something
    /// was typed is left out; a comment or a string in the middle of which it was goes over it.
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        let mut highlights = self.moved.highlights(span, options, interrupt)?;
        highlights.retain(|highlight| !self.is_unsure(&highlight.span));
        Some(highlights)
    }

    /// The outline, as [`Syntax::outline`]. An item whose name the edit touches, or of which it may
    /// have taken an end away, is left out; what is in it is not.
    #[must_use]
    pub fn outline(&self, interrupt: &AtomicBool) -> Option<Outline> {
        let Outline { items, is_whole } = self.moved.outline(interrupt)?;
        Some(Outline { items: self.sure(items), is_whole })
    }

    fn sure(&self, items: Vec<OutlineItem>) -> Vec<OutlineItem> {
        let mut sure = Vec::with_capacity(items.len());
        for mut item in items {
            item.children = self.sure(item.children);
            if self.is_touched(&item.name_span) || self.deleted && self.is_unsure(&item.span) {
                sure.append(&mut item.children);
            } else {
                sure.push(item);
            }
        }
        sure
    }

    fn is_touched(&self, span: &Range<usize>) -> bool {
        let touched = self.touched.as_ref();
        touched.is_some_and(|t| span.start <= t.end && span.end >= t.start)
    }

    /// Whether the edit touches it and is not well within.
    fn is_unsure(&self, span: &Range<usize>) -> bool {
        let within = |t: &Range<usize>| span.start < t.start && t.end < span.end;
        self.is_touched(span) && !self.touched.as_ref().is_some_and(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    fn shifted(language: &str, before: &str, after: &str) -> Shifted {
        let go = AtomicBool::new(false);
        let language = Language::by_id(language).unwrap();
        let syntax = Syntax::parse(language, &Text::new(before), None, &go).unwrap();
        syntax.shifted(&Text::new(after))
    }

    fn pieces(language: &str, before: &str, after: &str) -> Vec<(String, &'static str)> {
        let options = HighlightOptions { injections: true, known: None, budget: None };
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
    fn words_stand_where_they_stand_now_and_what_is_typed_is_left_out() {
        let found = pieces("python", "def f():\n    return 1\n", "def ff():\n    return 1\n");
        let words: Vec<_> = found.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["def", ")", ":", "return", "1"]);
        assert_eq!(found[3].1, "keyword");
    }

    #[test]
    fn a_comment_goes_over_what_is_typed_in_it() {
        let found = pieces("rust", "// ab\nfn f() {}\n", "// a é b\nfn f() {}\n");
        assert_eq!(found[0], ("// a é b".to_owned(), "comment"));
    }

    #[test]
    fn an_item_is_left_out_while_its_name_is_typed_but_not_what_is_in_it() {
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
    fn nothing_is_touched_where_nothing_differs() {
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
