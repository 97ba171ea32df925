//! Measures completion at uses whose definition a recorded oracle knows: `complete PROJECT.json
//! FOLDER [--letters N] [--sites N] [--half] [--misses] [--features]`. Cuts the name at each use to
//! its first letters and counts the rank of the full name. `--half` cuts the rest of the line as
//! well.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::cast_possible_truncation)]

mod tree;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use names::{CompletionRequest, Facts, FileId, Index};
use serde_json::Value;
use syntax::{Language, LineRest, Syntax};
use text::{Position, PositionEncoding, Text};

use tree::Source;

static GO: AtomicBool = AtomicBool::new(false);

struct File {
    number: u32,
    language: Language,
    source: String,
}

fn load(root: &Path) -> (Index, BTreeMap<String, File>) {
    let (mut index, mut loaded) = (Index::new(), BTreeMap::new());
    for (number, Source { name, text: source, language }) in
        tree::read(root).into_iter().enumerate()
    {
        index.configure(&name, &source);
        let Some(language) = language else { continue };
        let number = number as u32;
        index.insert(FileId(number), &name, Arc::new(facts(language, &source)));
        loaded.insert(name, File { number, language, source });
    }
    (index, loaded)
}

fn facts(language: Language, source: &str) -> Facts {
    let syntax = Syntax::parse(language, &Text::new(source), None, &GO).unwrap();
    Facts::lower(&syntax, &GO).unwrap()
}

/// Uses that the index resolves to definitions of the project, in the format of an oracle.
fn own_sites(index: &Index, files: &BTreeMap<String, File>) -> Value {
    let mut all = Vec::new();
    for (path, file) in files {
        let facts = index.facts(FileId(file.number)).unwrap();
        let text = Text::new(&file.source);
        let mut at = 0;
        while let Some(length) = file.source[at..].find(|c: char| c.is_alphanumeric() || c == '_') {
            let start = at + length;
            let word = |c: char| !(c.is_alphanumeric() || c == '_');
            let end = file.source[start..].find(word).map_or(file.source.len(), |n| start + n);
            at = end;
            if end - start < 4 || !(start * 7 + end).is_multiple_of(5) {
                continue;
            }
            let Some(name) = facts.name_at(start) else { continue };
            if name.is_definition
                || name.span != (start..end)
                || index.definition(FileId(file.number), start).is_empty()
            {
                continue;
            }
            let place = text.position(start, PositionEncoding::Utf16);
            all.push(serde_json::json!({
                "name": name.text, "file": path, "line": place.line, "col": place.character,
                "defs": [[path, 0]],
            }));
        }
    }
    // At most three uses of each name, so that no name dominates.
    let mut seen = BTreeMap::new();
    all.retain(|site| {
        let count = seen.entry(site["name"].to_string()).or_insert(0);
        *count += 1;
        *count <= 3
    });
    serde_json::json!({ "definitions": all })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str, otherwise: usize| {
        let at = arguments.iter().position(|a| a == name);
        at.map_or(otherwise, |at| arguments[at + 1].parse().unwrap())
    };
    let worst = option("--worst", 1);
    let (letters, most) = (option("--letters", 2), option("--sites", 80));
    let (index, files) = load(Path::new(&arguments[2]));
    let data: Value = match arguments[1].as_str() {
        "-" => own_sites(&index, &files),
        path => serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap(),
    };
    let word = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let sites: Vec<&Value> = data["definitions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|q| {
            let name = q["name"].as_str().unwrap();
            q["defs"].as_array().is_some_and(|d| !d.is_empty())
                && !q["site"].as_bool().unwrap_or(false)
                && name.chars().count() >= 4
                && word(name)
        })
        .collect();
    let step = (sites.len() / most).max(1);
    let (mut all, mut listed, mut five, mut first) = (0, 0, 0, 0);
    let mut times = Vec::new();
    let mut wholes = BTreeMap::new();
    for site in sites.into_iter().step_by(step).take(most) {
        let (name, path) = (site["name"].as_str().unwrap(), site["file"].as_str().unwrap());
        let file = &files[path];
        let text = Text::new(&file.source);
        let (line, character) =
            (site["line"].as_u64().unwrap() as u32, site["col"].as_u64().unwrap() as u32);
        let start = text.offset(Position { line, character }, PositionEncoding::Utf16);
        let typed: String = name.chars().take(letters).collect();
        let end = start + name.len();
        let line_end = file.source[end..].find('\n').map_or(file.source.len(), |n| end + n);
        let until = if arguments.iter().any(|a| a == "--half") { line_end } else { end };
        let source = format!("{}{typed}{}", &file.source[..start], &file.source[until..]);
        let line_start = file.source[..start].rfind('\n').map_or(0, |n| n + 1);
        let offset = start + typed.len();
        let started = Instant::now();
        let whole = wholes
            .entry(path)
            .or_insert_with(|| Syntax::parse(file.language, &text, None, &GO).unwrap());
        let whole_errors = whole.error_weight();
        let base = Some((&*whole, whole_errors));
        let finished = Syntax::finish_line(
            file.language,
            &Text::new(&source),
            offset,
            "zzTandemHere",
            base,
            &mut || false,
        );
        let parsed = started.elapsed();
        let errors = finished.as_ref().map(|f| f.errors as i64 - whole_errors as i64);
        let rest = finished.as_ref().map_or(LineRest::Code, |f| f.rest);
        let (facts, facts_text) = match finished {
            Some(finished) => {
                let text = finished.syntax.text().clone();
                (Facts::lower(&finished.syntax, &GO).unwrap(), text)
            }
            None => (facts(file.language, &source), Text::new(&source)),
        };
        let read = started.elapsed();
        let typing = CompletionRequest {
            file: FileId(file.number),
            facts: &facts,
            text: &facts_text,
            offset,
            prefix: &typed,
            before: &file.source[line_start..start],
            preceding: file.source[..line_start].trim_end().chars().next_back(),
            rest,
            allow_words: true,
            element: None,
        };
        let found = index.complete(&typing, 200);
        times.push((started.elapsed(), parsed, read));
        let fits = |n: &str| n.to_lowercase().starts_with(&typed.to_lowercase());
        let ranked: Vec<_> = found.candidates.iter().filter(|c| fits(&c.name)).collect();
        let rank = ranked.iter().position(|c| c.name == name);
        if arguments.iter().any(|a| a == "--features") && rank.is_some() {
            for c in &ranked {
                let right = u8::from(c.name == name);
                println!("F {all} {right} {} {:?}", u8::from(c.is_word), c.features);
            }
        }
        all += 1;
        listed += usize::from(rank.is_some());
        five += usize::from(rank.is_some_and(|r| r < 5));
        first += usize::from(rank == Some(0));
        if rank.is_none_or(|r| r >= worst) && arguments.iter().any(|a| a == "--misses") {
            let shown: Vec<_> =
                ranked.iter().take(6).map(|c| format!("{} {:.2}", c.name, c.score)).collect();
            println!(
                "{rank:?} `{name}` {path}:{}:{} {:?} {errors:?} | {} | {}",
                line + 1,
                character + 1,
                found.context,
                file.source[..start].rsplit('\n').next().unwrap().trim_start(),
                shown.join(", ")
            );
        }
    }
    times.sort();
    let middle = |part: fn(&(Duration, Duration, Duration)) -> Duration| {
        let mut all: Vec<_> = times.iter().map(part).collect();
        all.sort();
        all[all.len() / 2]
    };
    let share = |n: usize| n as f64 / f64::from(all);
    println!(
        "{:14} sites {all} listed {:.3} five {:.3} first {:.3} | p50 {:?} (parsed {:?}, read {:?}) max {:?}",
        Path::new(&arguments[1]).file_stem().unwrap().to_string_lossy(),
        share(listed),
        share(five),
        share(first),
        middle(|t| t.0),
        middle(|t| t.1),
        middle(|t| t.2),
        times[times.len() - 1].0,
    );
}
