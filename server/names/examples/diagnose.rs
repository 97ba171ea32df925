//! Prints the name diagnostics of all files of a folder: `diagnose FOLDER [--mutate N] [--list]`.
//! `--mutate` changes one name at a time, at N places of each language, and counts how often a
//! diagnostic reports it.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::cast_possible_truncation)]

mod tree;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use names::{Facts, FileId, Index, NameDiagnostic};
use syntax::{Language, Syntax};
use text::Text;

use tree::Source;

static GO: AtomicBool = AtomicBool::new(false);

struct File {
    id: FileId,
    name: String,
    language: Language,
    text: String,
}

fn parse(language: Language, source: &str) -> Syntax {
    Syntax::parse(language, &Text::new(source), None, &GO).unwrap()
}

fn load(root: &Path) -> (Index, Vec<File>) {
    let (mut index, mut files) = (Index::new(), Vec::new());
    for (number, Source { name, text, language }) in tree::read(root).into_iter().enumerate() {
        index.configure(&name, &text);
        let Some(language) = language else { continue };
        let id = FileId(number as u32);
        let facts = Facts::lower(&parse(language, &text), &GO).unwrap();
        index.insert(id, &name, Arc::new(facts));
        files.push(File { id, name, language, text });
    }
    (index, files)
}

/// Whether a diagnostic holds on disk: the path that must be absent is absent.
fn holds(root: &Path, finding: &NameDiagnostic) -> bool {
    let Some(absent) = &finding.absent else { return true };
    let Ok(entries) = std::fs::read_dir(root.join(&absent.folder)) else { return false };
    !entries.flatten().any(|e| {
        let name = e.file_name().to_string_lossy().into_owned();
        name == absent.stem || name.split('.').next() == Some(&absent.stem)
    })
}

fn diagnose(index: &Index, root: &Path, file: &File, source: &str) -> Vec<NameDiagnostic> {
    let syntax = parse(file.language, source);
    let mut found = index.name_diagnostics(file.id, &syntax, &GO).unwrap();
    found.retain(|f| holds(root, f));
    found
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let root = Path::new(&arguments[1]);
    let (mut index, files) = load(root);
    let at = arguments.iter().position(|a| a == "--mutate");
    if let Some(at) = at {
        return mutate(&mut index, root, &files, arguments[at + 1].parse().unwrap());
    }
    let (mut counts, mut slowest, mut all) =
        (BTreeMap::new(), (Duration::ZERO, ""), Duration::ZERO);
    let mut times: Vec<Duration> = Vec::new();
    for file in &files {
        let lines = file.text.matches('\n').count();
        if (1_500..2_500).contains(&lines) {
            let syntax = parse(file.language, &file.text);
            let started = Instant::now();
            index.name_diagnostics(file.id, &syntax, &GO).unwrap();
            times.push(started.elapsed());
        }
        let started = Instant::now();
        let found = diagnose(&index, root, file, &file.text);
        let took = started.elapsed();
        all += took;
        if took > slowest.0 {
            slowest = (took, &file.name);
        }
        for f in found {
            *counts.entry(f.kind.code()).or_insert(0) += 1;
            let before = &file.text[..f.span.start];
            let line = before.matches('\n').count() + 1;
            let start = before.rfind('\n').map_or(0, |n| n + 1);
            let text = file.text[start..].lines().next().unwrap_or("").trim();
            let column = f.span.start - start + 1;
            println!("{}:{line}:{column} {} `{}` | {text:.120}", file.name, f.kind.code(), f.name);
        }
    }
    times.sort();
    if let Some(last) = times.len().checked_sub(1) {
        let at = |share: usize| times[last * share / 100];
        let (n, p50, p99) = (times.len(), at(50), at(99));
        println!("# of about 2,000 lines, without parsing: {n} files, p50 {p50:?} p99 {p99:?}");
    }
    println!("# {} files {counts:?} in {all:?}, slowest {slowest:?}", files.len());
}

/// A reproducible pseudo-random sequence.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

fn mutate(index: &mut Index, root: &Path, files: &[File], most: usize) {
    let mut by_language: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.text.len() > 500) {
        by_language.entry(file.language.id()).or_default().push(file);
    }
    for (language, files) in by_language {
        let mut numbers = Numbers(7);
        // Counts of found and tried mutations, of imports and of other names.
        let mut counts = [(0, 0); 2];
        let mut tries = 0;
        while counts[0].1 + counts[1].1 < most && tries < most * 20 {
            tries += 1;
            let file = files[numbers.below(files.len())];
            let offset = numbers.below(file.text.len());
            let facts = index.facts(file.id).unwrap().clone();
            let Some(name) = facts.name_at(offset) else { continue };
            let before = &file.text[..name.span.start];
            let line = before.rfind('\n').map_or(before, |n| &before[n + 1..]);
            let import = line.trim_start();
            let import = ["import ", "from ", "use ", "mod ", "pub mod ", "#include", "pub use "]
                .iter()
                .any(|w| import.starts_with(w));
            let member = before.ends_with(['.', ':', '>']);
            if !import && (name.is_definition || member) || name.span.len() < 3 {
                continue;
            }
            let changed = format!("{}{}Zq{}", before, name.text, &file.text[name.span.end..]);
            let syntax = parse(file.language, &changed);
            let new = Arc::new(Facts::lower(&syntax, &GO).unwrap());
            index.insert(file.id, &file.name, new);
            let found = index.name_diagnostics(file.id, &syntax, &GO).unwrap();
            // An import under another name is undefined where it is used.
            let hit = found.iter().any(|f| f.kind.is_error() && holds(root, f));
            let count = &mut counts[usize::from(!import)];
            *count = (count.0 + usize::from(hit), count.1 + 1);
            if !hit && std::env::args().any(|a| a == "--list") {
                let rest = file.text[name.span.end..].lines().next().unwrap_or("");
                println!(
                    "MISSED {} {} [{}] {line}{}{rest}",
                    file.name, language, name.text, name.text
                );
            }
            index.insert(file.id, &file.name, facts);
        }
        println!("{language}: imports {:?}, other names {:?}", counts[0], counts[1]);
    }
}
