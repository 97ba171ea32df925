//! Formats results as text, for snapshot tests.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use syntax::{Language, OutlineItem, Syntax, highlight};
use text::Text;

use crate::differential::compare;

static GO: AtomicBool = AtomicBool::new(false);

fn parse(language: &str, source: &str) -> Syntax {
    let language = Language::by_id(language).unwrap();
    let syntax = Syntax::parse(language, &Text::new(source), None, &GO).unwrap();
    assert_eq!(syntax.unfiltered_errors(3), [], "the text of a test is to be valid");
    syntax
}

/// Kinds, names and details as an indented list.
pub(crate) fn outline(language: &str, source: &str) -> String {
    fn write(out: &mut String, items: &[OutlineItem], depth: usize) {
        for item in items {
            let detail = item.detail.as_deref().unwrap_or_default();
            let line = format!("{} {} {detail}", item.kind.as_str(), item.name);
            writeln!(out, "{}{}", "  ".repeat(depth), line.trim_end()).unwrap();
            write(out, &item.children, depth + 1);
        }
    }
    let mut out = String::new();
    write(&mut out, &parse(language, source).outline(&GO).unwrap().items, 0);
    out
}

/// The highlighted tokens of each class, in document order.
pub(crate) fn highlights(language: &str, source: &str) -> String {
    let syntax = parse(language, source);
    if let Err(difference) = compare(syntax.language(), source) {
        panic!("{difference}");
    }
    let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for highlight in highlight(Language::by_id(language).unwrap(), source, &GO).unwrap() {
        classes.entry(highlight.class.name()).or_default().push(&source[highlight.span]);
    }
    classes.remove("punctuation");
    let line = |(class, words): (&str, Vec<&str>)| format!("{class}: {}", words.join(" "));
    let all: Vec<String> = classes.into_iter().map(line).collect();
    all.join("\n").lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The class at the start of the first occurrence of `piece`.
pub(crate) fn class_of(language: &str, source: &str, piece: &str) -> &'static str {
    let at = source.find(piece).unwrap();
    let highlights = highlight(Language::by_id(language).unwrap(), source, &GO).unwrap();
    highlights.iter().find(|h| h.span.contains(&at)).map_or("", |h| h.class.name())
}

/// Lines (from 1) and kinds of folds.
pub(crate) fn folds(language: &str, source: &str) -> String {
    let folds = parse(language, source).folds(&GO).unwrap();
    let words = folds.iter().map(|f| format!("{}-{} {:?}", f.lines.0 + 1, f.lines.1 + 1, f.kind));
    words.collect::<Vec<_>>().join(", ")
}

/// The linked files.
pub(crate) fn links(language: &str, source: &str) -> Vec<String> {
    let syntax = parse(language, source);
    syntax
        .links(&GO)
        .unwrap()
        .into_iter()
        .map(|span| syntax.text().slice(span).to_string())
        .collect()
}

/// Asserts that a well-formatted text keeps its indentation.
pub(crate) fn well_indented(language: &str, unit: usize, source: &str) {
    assert_eq!(reindented(language, &" ".repeat(unit), source), source);
}

/// The text, indented according to the queries.
pub(crate) fn reindented(language: &str, unit: &str, source: &str) -> String {
    let indents = parse(language, source).indents(0..source.lines().count(), unit, &GO).unwrap();
    let mut again = String::new();
    for (line, indent) in source.lines().zip(indents) {
        match indent.filter(|_| !line.trim().is_empty()) {
            Some(indent) => writeln!(again, "{}{}", indent.whitespace, line.trim_start()).unwrap(),
            None => writeln!(again, "{line}").unwrap(),
        }
    }
    again
}
