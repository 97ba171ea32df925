//! Reports the syntax errors for mistakes that `cargo xtask mistakes` confirmed: `replay FOLDER
//! [-v]`.
//!
//! FOLDER is the folder of a language in the output of that command, with `mutants.jsonl` and
//! `files`. Prints how many mistakes of each kind are reported at an acceptable line, and false
//! errors in valid files; with `-v` also every unreported mistake. It tests only this crate, in
//! seconds; the command itself tests the server.

#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use syntax::{Language, Syntax};
use text::Text;

/// Limit of errors per text, as in the server.
const MAX_ERRORS: usize = 100;
/// Messages that do not say what is missing or unexpected.
const UNINFORMATIVE: &[&str] = &["", "syntax error", "something is missing here"];

/// The errors of a text: line (from 0) and message.
fn errors(path: &str, source: &str) -> Vec<(usize, String)> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some(language) = Language::detect(name, source) else { return Vec::new() };
    let text = Text::new(source);
    let Some(syntax) = Syntax::parse(language, &text, None, &AtomicBool::new(false)) else {
        return Vec::new();
    };
    let line = |at: usize| source[..at.min(source.len())].matches('\n').count();
    let errors = syntax.errors(MAX_ERRORS).into_iter();
    let warnings = syntax.warnings(MAX_ERRORS).into_iter();
    errors
        .map(|its| (line(its.span.start), its.message))
        .chain(warnings.map(|its| (line(its.span.start), its.message)))
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folder = words.first().ok_or("usage: replay FOLDER [-v]")?;
    let verbose = words.iter().any(|word| word == "-v");
    let mutants = std::fs::read_to_string(Path::new(folder).join("mutants.jsonl"))?;
    let mut sources: BTreeMap<String, (String, BTreeSet<(String, String)>)> = BTreeMap::new();
    let mut kinds: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for mutant in mutants.lines() {
        let mutant: Value = serde_json::from_str(mutant)?;
        let text = |key: &str| mutant[key].as_str().unwrap_or_default();
        let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
        let path = text("path");
        if !sources.contains_key(path) {
            let source = std::fs::read_to_string(Path::new(folder).join(path))?;
            let lines: Vec<&str> = source.lines().collect();
            let known = errors(path, &source)
                .into_iter()
                .map(|(line, message)| {
                    println!("false: {path}:{}: {message}", line + 1);
                    (lines.get(line).unwrap_or(&"").trim().to_owned(), message)
                })
                .collect();
            sources.insert(path.to_owned(), (source, known));
        }
        let (source, known) = &sources[path];
        let (start, end) = (number(&mutant["start"]), number(&mutant["end"]));
        let (Some(start), Some(end)) = (start, end) else { return Err("no place".into()) };
        let wrong = format!("{}{}{}", &source[..start], text("text"), &source[end..]);
        let lines: Vec<&str> = wrong.lines().collect();
        let places: Vec<usize> =
            mutant["lines"].as_array().into_iter().flatten().filter_map(number).collect();
        let mut reported = errors(path, &wrong);
        reported.retain(|(line, message)| {
            let source = lines.get(*line).unwrap_or(&"").trim().to_owned();
            !known.contains(&(source, message.clone()))
        });
        let fits = |(line, message): &(usize, String)| {
            places.contains(line) && !UNINFORMATIVE.contains(&message.as_str())
        };
        let count = kinds.entry(text("kind").to_owned()).or_default();
        count[0] += 1;
        count[2] += reported.iter().filter(|error| !fits(error)).count();
        if reported.iter().any(fits) {
            count[1] += 1;
        } else if verbose {
            let line = source[..start].matches('\n').count();
            println!(
                "[{}] {path}:{} {:?} -> {:?} | {}\n    got {reported:?}; the checker: {}",
                text("kind"),
                line + 1,
                &source[start..end],
                text("text"),
                lines.get(line).unwrap_or(&"").trim(),
                mutant["refusal"],
            );
        }
    }
    let mut all = [0; 3];
    for (kind, count) in &kinds {
        println!("{kind}: {} of {}, elsewhere {}", count[1], count[0], count[2]);
        for (sum, one) in all.iter_mut().zip(count) {
            *sum += one;
        }
    }
    println!("all: {} of {}, elsewhere {}, {} files", all[1], all[0], all[2], sources.len());
    Ok(())
}
