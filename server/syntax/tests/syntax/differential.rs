//! Compares the highlighter with the crate `tree-sitter-highlight`, whose rules it follows: both
//! must give every byte the same class with the same query.
//!
//! Three rules differ on purpose, and the results may differ only where they apply:
//!
//! 1. Of two nodes with equal spans the inner one wins; there, the one of the later pattern.
//! 2. A capture without a class (`@_tag`) is only for predicates; there, it removes a node's class.
//! 3. All captures of a pattern count; there, if a later pattern overrides one, the pattern's other
//!    captures are dropped.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use streaming_iterator::StreamingIterator;
use syntax::{HighlightClass, HighlightOptions, Language, QueryFile, Syntax, TextChunks};
use text::Text;
use tree_sitter::{Query, QueryCursor};
use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

static GO: AtomicBool = AtomicBool::new(false);

/// Compares the classes of each byte, if a language has a `highlights.scm`. Returns the number of
/// bytes that differ because of the three rules.
pub(crate) fn compare(language: Language, source: &str) -> Result<usize, String> {
    let Some(query) = QueryFile::Highlights.source(language) else { return Ok(0) };
    let syntax = Syntax::parse(language, &Text::new(source), None, &GO).unwrap();
    let (ours, theirs) = (our_classes(&syntax), reference_classes(language, &query, source));
    if ours == theirs {
        return Ok(0);
    }
    let mut different = 0;
    let exempted_bytes = exempted_bytes(&syntax, &query);
    for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        different += usize::from(ours != theirs);
        if ours != theirs && !exempted_bytes.contains(&at) {
            let line = source[..source.floor_char_boundary(at)].lines().count();
            let piece = &source[source.floor_char_boundary(at)..];
            let piece: String = piece.chars().take(20).collect();
            return Err(format!("{language:?}, line {line}, {piece:?}: {ours:?}, not {theirs:?}"));
        }
    }
    Ok(different)
}

fn class_of(capture: &str) -> Option<&'static str> {
    let mut prefix = capture;
    loop {
        if let Some(class) = HighlightClass::all().find(|class| class.name() == prefix) {
            return Some(class.name());
        }
        prefix = prefix.rsplit_once('.')?.0;
    }
}

fn our_classes(syntax: &Syntax) -> Vec<Option<&'static str>> {
    let options = HighlightOptions { injections: false, cache: None, budget: None };
    let mut classes = vec![None; syntax.text().len()];
    for highlight in syntax.highlights(0..syntax.text().len(), options, &GO).unwrap() {
        classes[highlight.span].fill(Some(highlight.class.name()));
    }
    classes
}

fn reference_classes(language: Language, query: &str, source: &str) -> Vec<Option<&'static str>> {
    let grammar = language.grammar().clone();
    let mut config = HighlightConfiguration::new(grammar, language.id(), query, "", "").unwrap();
    let names: Vec<String> = config.names().iter().map(|n| (*n).to_owned()).collect();
    let names: Vec<String> = names.into_iter().filter(|n| class_of(n).is_some()).collect();
    config.configure(&names);
    let mut highlighter = Highlighter::new();
    let events = highlighter.highlight(&config, source.as_bytes(), None, None, |_| None).unwrap();
    let (mut classes, mut open) = (vec![None; source.len()], Vec::new());
    for event in events {
        match event.unwrap() {
            HighlightEvent::HighlightStart(highlight) => open.push(class_of(&names[highlight.0])),
            HighlightEvent::HighlightEnd => drop(open.pop()),
            HighlightEvent::Source { start, end } => {
                classes[start..end].fill(open.last().copied().flatten());
            }
        }
    }
    classes
}

/// The bytes to which the three rules apply.
fn exempted_bytes(syntax: &Syntax, query: &str) -> HashSet<usize> {
    struct Captured {
        span: Range<usize>,
        node: usize,
        found: u32,
        has_class: bool,
    }
    let query = Query::new(syntax.language().grammar(), query).unwrap();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, syntax.root(), TextChunks(syntax.text()));
    let mut captured = Vec::new();
    let mut number = 0;
    while let Some(found) = matches.next() {
        number += 1;
        captured.extend(found.captures().iter().map(|c| Captured {
            span: c.node.byte_range(),
            node: c.node.id(),
            found: number,
            has_class: class_of(query.capture_names()[c.index as usize]).is_some(),
        }));
    }
    let mut of_node: HashMap<usize, HashSet<u32>> = HashMap::new();
    let mut of_span: HashMap<(usize, usize), HashSet<usize>> = HashMap::new();
    let mut of_match: HashMap<u32, usize> = HashMap::new();
    for c in &captured {
        of_node.entry(c.node).or_default().insert(c.found);
        of_span.entry((c.span.start, c.span.end)).or_default().insert(c.node);
        *of_match.entry(c.found).or_default() += 1;
    }
    let overridden: HashSet<u32> =
        captured.iter().filter(|c| of_node[&c.node].len() > 1).map(|c| c.found).collect();
    let applies = |c: &&Captured| {
        of_span[&(c.span.start, c.span.end)].len() > 1
            || !c.has_class
            || overridden.contains(&c.found) && of_match[&c.found] > 1
    };
    captured.iter().filter(applies).flat_map(|c| c.span.clone()).collect()
}

fn highlight_classes(language: &str, source: &str, piece: &str) -> [Option<&'static str>; 2] {
    let language = Language::by_id(language).unwrap();
    let syntax = Syntax::parse(language, &Text::new(source), None, &GO).unwrap();
    let query = QueryFile::Highlights.source(language).unwrap();
    let at = source.find(piece).unwrap();
    [our_classes(&syntax)[at], reference_classes(language, &query, source)[at]]
}

#[test]
fn the_inner_of_two_nodes_with_equal_spans_wins() {
    let source = "import a from 'b';\nexport class A { @c d() {} }\n";
    assert_eq!(highlight_classes("javascript", source, "c d"), [Some("attribute"); 2]);
}

#[test]
fn captures_for_predicates_remove_no_class() {
    let source = "#[derive(Debug)]\nstruct S;\n";
    assert_eq!(highlight_classes("rust", source, "derive"), [Some("attribute"), None]);
}

/// Files of real projects: each file in the folder `TANDEM_SYNTAX_TREES` contains the path of a
/// folder.
#[test]
fn real_files_are_highlighted_equally() {
    let Some(roots) = std::env::var_os("TANDEM_SYNTAX_TREES") else { return };
    let mut folders: Vec<_> = std::fs::read_dir(roots)
        .unwrap()
        .map(|root| std::fs::read_to_string(root.unwrap().path()).unwrap().trim().into())
        .collect();
    let (mut bytes, mut different, mut wrong) = (0, 0, Vec::new());
    while let Some(folder) = folders.pop() {
        let folder: std::path::PathBuf = folder;
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(path);
                continue;
            }
            let Ok(source) = std::fs::read_to_string(&path) else { continue };
            let name = path.file_name().unwrap().to_string_lossy();
            let language = Language::detect(&name, &source).filter(|_| source.len() < 60_000);
            let Some(language) = language else { continue };
            bytes += source.len();
            match compare(language, &source) {
                Ok(by_rule) => different += by_rule,
                Err(error) => wrong.push(format!("{}: {error}", path.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        different < bytes / 100,
        "{different} of {bytes} bytes differ by the rules that differ"
    );
}
