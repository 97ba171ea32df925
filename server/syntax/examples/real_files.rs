//! What is said of real files that are right: `real_files [indents|errors|misfits] FILE...`. Of their
//! lines, how many stand where `indents.scm` has them; of the files, in how many an error is told, or
//! would be (`misfits`) if the parser were trusted: each is a false alarm. With `-v` the lines that
//! stand elsewhere, and the errors.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax, indent_unit};
use text::Text;

/// Longest file that is looked at, in bytes.
const LONGEST: usize = 400_000;

#[derive(Default)]
struct Counts {
    files: usize,
    broken: usize,
    lines: usize,
    stand: usize,
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let verbose = words.iter().any(|word| word == "-v");
    words.retain(|word| word != "-v");
    if words.is_empty() {
        return eprintln!("usage: real_files [indents|errors|misfits] [-v] FILE...");
    }
    let what = words.remove(0);
    let (indents, all_of_them) = (what == "indents", what == "misfits");
    let mut all: BTreeMap<&str, Counts> = BTreeMap::new();
    for file in &words {
        let Ok(source) = std::fs::read_to_string(file) else { continue };
        let name = file.rsplit('/').next().unwrap_or_default();
        let Some(language) = Language::detect(name, &source) else { continue };
        if source.len() > LONGEST {
            continue;
        }
        let text = Text::new(&source);
        let go = AtomicBool::new(false);
        let Some(syntax) = Syntax::parse(language, &text, None, &go) else { continue };
        let counts = all.entry(language.id()).or_default();
        counts.files += 1;
        let errors = if all_of_them { syntax.misfits(5) } else { syntax.errors(5) };
        if !errors.is_empty() || indents && syntax.root().has_error() {
            counts.broken += 1;
            if !indents && verbose {
                println!("{file}");
                for error in &errors {
                    let line = text.line_of(error.span.start);
                    println!("{:6} {}: {}", line + 1, error.message, text.line(line));
                }
            }
        } else if indents {
            let (lines, stand) = standing(file, &syntax, verbose);
            counts.lines += lines;
            counts.stand += stand;
        }
    }
    for (language, Counts { files, broken, lines, stand }) in all {
        if indents {
            let share = 1000 * stand / lines.max(1);
            println!("{language:16} {:4} files {lines:7} lines .{share:03}", files - broken);
        } else {
            println!("{language:16} {files:4} files {broken:4} with an error");
        }
    }
}

/// How many lines have a place, and how many of them stand there.
fn standing(file: &str, syntax: &Syntax, verbose: bool) -> (usize, usize) {
    let text = syntax.text();
    let unit = indent_unit(text, syntax.language().indent());
    let go = AtomicBool::new(false);
    let levels = syntax.indent_levels(0..text.line_count(), &go).unwrap_or_default();
    let (mut lines, mut stand) = (0, 0);
    for (line, level) in levels.into_iter().enumerate() {
        let written = text.line(line);
        let rest = written.trim_start_matches([' ', '\t']);
        let (Some(level), false) = (level, rest.trim().is_empty()) else { continue };
        lines += 1;
        let wanted = unit.repeat(level);
        if written[..written.len() - rest.len()] == wanted {
            stand += 1;
        } else if verbose {
            println!("{file}:{}: {level}×{}: {written}", line + 1, unit.len());
        }
    }
    (lines, stand)
}
