//! Texts with a preprocessor, parsed as the compiler would see them.

use std::ops::Range;

use syntax::{Language, Syntax};
use text::Text;

use super::blank_macros::{self, BlankedMacros};
use super::preprocessor_branches::{self, SkippedName};

/// A better tree than the given one, if there is one.
#[derive(Default)]
pub(super) struct Preprocessed<'t> {
    pub(super) syntax: Option<Syntax>,
    /// The blanked macros.
    pub(super) aside: BlankedMacros<'t>,
    /// Names in blanked branches.
    pub(super) left: Vec<SkippedName>,
}

/// Preprocesses and parses a text; without a given tree there is always a result. `None` once
/// `stop` returns true.
pub(super) fn preprocess<'t>(
    language: Language,
    whole: &Text,
    syntax: Option<&Syntax>,
    text: &'t str,
    cplusplus: bool,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Preprocessed<'t>> {
    let mut preprocessed = Preprocessed::default();
    let mut source = None;
    let mut aside = blank_macros::blank_macros(text);
    if !aside.blanks.is_empty() {
        let read = Text::new(&aside.text);
        let blanks = in_order(std::mem::take(&mut aside.blanks));
        preprocessed.syntax = Some(match syntax {
            Some(old) => old.parse_with_replaced_spans(&read, &blanks, stop)?,
            None => Syntax::parse_until(language, &read, None, stop)?,
        });
        source = Some(std::mem::take(&mut aside.text));
    } else if syntax.is_none() {
        preprocessed.syntax = Some(Syntax::parse_until(language, whole, None, stop)?);
    }
    preprocessed.aside = aside;
    let Some(so_far) = preprocessed.syntax.as_ref().or(syntax) else { return Some(preprocessed) };
    let errors_left = errors(so_far);
    if errors_left > 0 {
        // Branches that exclude each other may not parse together: try the text with active
        // branches only.
        let mut macros = preprocessor_branches::DefinedMacros { cplusplus, ..Default::default() };
        let read = macros.blank_inactive_branches(source.as_deref().unwrap_or(text));
        if !read.blanks.is_empty() {
            let blanks = in_order(read.blanks);
            let better = so_far.parse_with_replaced_spans(&Text::new(&read.text), &blanks, stop)?;
            if errors(&better) * 2 < errors_left {
                (preprocessed.syntax, preprocessed.left) = (Some(better), read.left);
            }
        }
    }
    Some(preprocessed)
}

/// Spans in order, without overlaps.
fn in_order(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_unstable_by_key(|s| s.start);
    let mut all: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match all.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => all.push(span),
        }
    }
    all
}

/// The size of a tree's errors, in bytes and missing tokens.
fn errors(syntax: &Syntax) -> usize {
    let (mut cursor, mut sum) = (syntax.root().walk(), 0);
    loop {
        let node = cursor.node();
        if node.is_error() {
            sum += node.end_byte() - node.start_byte() + 1;
        } else if node.is_missing() {
            sum += 1;
        }
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return sum;
            }
        }
    }
}
