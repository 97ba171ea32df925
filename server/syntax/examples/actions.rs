//! Checks every code action on real files: `actions FILE...`, or `actions --queries DIR` to compile
//! the `actions.scm` of each language. An applied action must not add errors, and expanding and
//! collapsing a list must be inverse to each other.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax, SyntaxAction};
use text::Text;

/// Number of positions per file at which actions are requested.
const POSITIONS: usize = 400;

static GO: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
struct Counts {
    files: usize,
    requested: usize,
    by_id: BTreeMap<String, [usize; 3]>,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, folder] = words.as_slice()
        && flag == "--queries"
    {
        return compile_all(folder);
    }
    let mut all: BTreeMap<&str, Counts> = BTreeMap::new();
    for file in &words {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let Ok(source) = String::from_utf8(bytes) else { continue };
        let name = file.rsplit('/').next().unwrap_or_default();
        let Some(language) = Language::detect(name, &source) else { continue };
        if source.len() > 200_000 {
            continue;
        }
        check_file(file, language, &source, all.entry(language.id()).or_default());
    }
    for (language, counts) in all {
        println!("{language}: {} files, {} places", counts.files, counts.requested);
        for (id, [offered, back, differ]) in counts.by_id {
            println!("  {id:24} {offered:6} offered {back:6} back {differ:6} otherwise");
        }
    }
}

fn compile_all(folder: &str) {
    for language in Language::all_with_embedded() {
        let mut source = String::new();
        for id in [language.id(), language.queries_folder()] {
            let path = format!("{folder}/{id}/actions.scm");
            if let Ok(text) = std::fs::read_to_string(&path) {
                source = text;
                break;
            }
        }
        if let Some(rest) = source.strip_prefix("; inherits: ecmascript") {
            let base = std::fs::read_to_string(format!("{folder}/ecmascript/actions.scm"));
            source = base.unwrap_or_default() + rest;
        }
        if let Err(error) = syntax::compile(language, "actions.scm", &source) {
            println!("{error}");
        }
    }
}

fn apply(source: &str, action: &SyntaxAction) -> String {
    let mut new = source.to_owned();
    for (span, text) in action.edits.iter().rev() {
        new.replace_range(span.clone(), text);
    }
    new
}

fn parse(language: Language, source: &str) -> Option<Syntax> {
    Syntax::parse(language, &Text::new(source), None, &GO)
}

fn error_count(syntax: &Syntax) -> usize {
    let mut cursor = syntax.root().walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

fn positions(source: &str) -> Vec<Range<usize>> {
    let boundaries: Vec<usize> = source.char_indices().map(|(at, _)| at).collect();
    let step = (boundaries.len() / POSITIONS).max(1);
    let mut positions: Vec<_> = boundaries.iter().step_by(step).map(|at| *at..*at).collect();
    let mut at = 0;
    let lines: Vec<Range<usize>> = source
        .split_inclusive('\n')
        .map(|line| {
            at += line.len();
            at - line.len()..at
        })
        .collect();
    let step = (lines.len() / POSITIONS).max(1);
    for (n, line) in lines.iter().enumerate().step_by(step) {
        positions.push(line.clone());
        if let Some(other) = lines.get(n + 1 + n % 3) {
            positions.push(line.start..other.end);
        }
    }
    positions
}

fn check_file(file: &str, language: Language, source: &str, counts: &mut Counts) {
    let Some(syntax) = parse(language, source) else { return };
    let before = error_count(&syntax);
    counts.files += 1;
    for place in positions(source) {
        counts.requested += 1;
        for action in syntax.actions(place.clone(), &|_| true, &GO) {
            let new = apply(source, &action);
            let Some(after) = parse(language, &new) else { continue };
            let name = format!("{} {}", action.offer.id, action.offer.choice);
            let entry = counts.by_id.entry(name.trim().to_owned()).or_default();
            entry[0] += 1;
            if error_count(&after) > before || new == source {
                println!("BAD {file} {place:?} {}: {:?}", action.offer.id, action.edits);
            }
            let opposite = match action.offer.id {
                "expand_list" => "collapse_list",
                "collapse_list" => "expand_list",
                "flip_comparison" => "flip_comparison",
                "toggle_comment" => "toggle_comment",
                _ => continue,
            };
            let grown = new.len().wrapping_sub(source.len());
            let again = match action.offer.id {
                "toggle_comment" => place.start..place.end.wrapping_add(grown),
                "flip_comparison" => {
                    let at = action.edits[0].0.start + action.edits[0].1.len() + 1;
                    at..at
                }
                _ => action.edits[0].0.start..action.edits[0].0.start,
            };
            let back = after.actions(again, &|_| true, &GO);
            let back = back.iter().find(|a| a.offer.id == opposite);
            match back.map(|back| apply(&new, back)) {
                Some(text) if text == source => entry[1] += 1,
                Some(text) => {
                    let same = |a: &str, b: &str| {
                        let bare = |s: &str| {
                            s.chars()
                                .filter(|c| !c.is_whitespace() && *c != ',')
                                .collect::<String>()
                        };
                        bare(a) == bare(b)
                    };
                    entry[2] += 1;
                    if !same(&text, source) {
                        println!(
                            "DIFFERS {file} {place:?} {}: {:?}",
                            action.offer.id, action.edits
                        );
                    }
                }
                None => {}
            }
        }
    }
}
