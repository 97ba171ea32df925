//! Measures the time to index a folder, by language and step, on one thread: `reading DIR`.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use names::{Facts, FileId, Index, PackedFacts};
use syntax::{Language, Syntax};
use text::Text;

/// The time of each step, in order.
type Steps = [Duration; 4];

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let mut files = Vec::new();
    gather(Path::new(&folder), &mut files);
    files.sort();
    let (go, mut index) = (AtomicBool::new(false), Index::new());
    let mut all: BTreeMap<&str, (usize, Steps)> = BTreeMap::new();
    for (number, path) in files.iter().enumerate() {
        let Ok(source) = std::fs::read_to_string(path) else { continue };
        let name = path.file_name().unwrap().to_string_lossy();
        let Some(language) = Language::detect(&name, &source) else { continue };
        let mut at = Instant::now();
        let mut lap = || {
            let took = at.elapsed();
            at = Instant::now();
            took
        };
        let text = Text::new(&source);
        drop(Syntax::parse(language, &text, None, &go));
        let parse = lap();
        let Some(facts) = Facts::parse_and_lower(language, &text, &go, &mut || false) else {
            continue;
        };
        let facts_of = lap();
        let packed = PackedFacts::pack(&facts);
        let pack = lap();
        index.insert_packed(FileId(u32::try_from(number).unwrap()), &name, packed);
        let merge = lap();
        let steps = [parse, facts_of, pack, merge];
        let (bytes, sums) = all.entry(language.id()).or_default();
        *bytes += source.len();
        sums.iter_mut().zip(steps).for_each(|(sum, step)| *sum += step);
    }
    println!("| language | MB | bare parse, s | facts, with the parse | pack | merge |");
    println!("|---|---:|---:|---:|---:|---:|");
    for (language, (bytes, steps)) in all {
        let steps = steps.map(|step| format!("{:.3}", step.as_secs_f64())).join(" | ");
        println!("| {language} | {:.1} | {steps} |", bytes as f64 / 1e6);
    }
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if kind.is_dir() && !name.starts_with('.') {
            gather(&entry.path(), files);
        } else if kind.is_file() && Language::detect(&name, "").is_some() {
            files.push(entry.path());
        }
    }
}
