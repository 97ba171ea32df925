//! Checks results on valid real files: `real_files [indents|errors|misfits] FILE...`. For
//! `indents`: how many lines keep their indentation, how many of these with certainty, how many
//! lines get their indentation back after it was removed, and how many other lines stay. For
//! `errors`: in how many files an error is reported, or for `misfits` would be reported if the tree
//! were trusted; each is a false alarm. `-v` prints the moved lines and the errors, `-l` the lines
//! that are not restored.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use syntax::{Indent, Language, Syntax, indent_unit};
use text::Text;

/// Longest file that is checked, in bytes.
const MAX_FILE_LEN: usize = 400_000;

#[derive(Default)]
struct Counts {
    files: usize,
    broken: usize,
    /// Lines with a computed indentation; those that have it already; those for which it is
    /// certain.
    lines: [usize; 3],
    /// Lines whose indentation was removed, and those that got it back; other lines, and those of
    /// them that stay.
    taken: [usize; 4],
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let verbose = words.iter().any(|word| word == "-v");
    let lost = words.iter().any(|word| word == "-l");
    words.retain(|word| word != "-v" && word != "-l");
    if words.is_empty() {
        return eprintln!("usage: real_files [indents|errors|misfits] [-v] FILE...");
    }
    let what = words.remove(0);
    let (indents, uses_tree_errors) = (what == "indents", what == "misfits");
    let mut all: BTreeMap<&str, Counts> = BTreeMap::new();
    for file in &words {
        let Ok(source) = std::fs::read_to_string(file) else { continue };
        let name = file.rsplit('/').next().unwrap_or_default();
        let Some(language) = Language::detect(name, &source) else { continue };
        if source.len() > MAX_FILE_LEN {
            continue;
        }
        let text = Text::new(&source);
        let go = AtomicBool::new(false);
        let Some(syntax) = Syntax::parse(language, &text, None, &go) else { continue };
        let counts = all.entry(language.id()).or_default();
        counts.files += 1;
        let errors = if uses_tree_errors { syntax.unfiltered_errors(5) } else { syntax.errors(5) };
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
            for (count, more) in
                counts.lines.iter_mut().zip(check_indentation(file, &syntax, verbose))
            {
                *count += more;
            }
            for (count, more) in
                counts.taken.iter_mut().zip(check_restored_indentation(file, &syntax, lost))
            {
                *count += more;
            }
        }
    }
    for (language, Counts { files, broken, lines, taken }) in all {
        if indents {
            let [lines, stand, sure] = lines;
            let share = |of: usize, all: usize| of as f64 / all.max(1) as f64;
            println!(
                "{language:16} {:4} files {lines:7} lines {:.3} stay, {:.3} surely, {:.3} found again, {:.3} of the others stay",
                files - broken,
                share(stand, lines),
                share(sure, lines),
                share(taken[1], taken[0]),
                share(taken[3], taken[2]),
            );
        } else {
            println!("{language:16} {files:4} files {broken:4} with an error");
        }
    }
}

/// The number of lines with a computed indentation, of those that have it already, and of those for
/// which it is certain.
fn check_indentation(file: &str, syntax: &Syntax, verbose: bool) -> [usize; 3] {
    let text = syntax.text();
    let unit = indent_unit(text, syntax.language().default_indent());
    let go = AtomicBool::new(false);
    let indents = syntax.indents(0..text.line_count(), &unit, &go).unwrap_or_default();
    let mut counts = [0; 3];
    for (line, indent) in indents.into_iter().enumerate() {
        let written = text.line(line);
        let rest = written.trim_start_matches([' ', '\t']);
        let (Some(indent), false) = (indent, rest.trim().is_empty()) else { continue };
        let stands = written[..written.len() - rest.len()] == indent.whitespace;
        counts[0] += 1;
        counts[1] += usize::from(stands);
        counts[2] += usize::from(stands && indent.is_certain);
        if !stands && verbose {
            println!("{file}:{}: {:?}: {written}", line + 1, indent.whitespace);
        }
    }
    counts
}

/// Removes the indentation of every fifth run of five lines: returns their number, how many get it
/// back, the number of other lines that are stable in the original, and how many of them still are.
fn check_restored_indentation(file: &str, syntax: &Syntax, verbose: bool) -> [usize; 4] {
    let text = syntax.text();
    let unit = indent_unit(text, syntax.language().default_indent());
    let go = AtomicBool::new(false);
    let all = 0..text.line_count();
    let known = syntax.indents(all.clone(), &unit, &go).unwrap_or_default();
    let taken = |line: usize| line % 25 >= 20 && known.get(line).is_some_and(Option::is_some);
    let flat = all.clone().map(|line| match text.line(line) {
        written if taken(line) => written.trim_start_matches([' ', '\t']).to_owned(),
        written => written.into_owned(),
    });
    let flat = Text::new(&flat.collect::<Vec<_>>().join("\n"));
    let Some(syntax) = Syntax::parse(syntax.language(), &flat, None, &go) else { return [0; 4] };
    let indents = syntax.indents(all.clone(), &unit, &go).unwrap_or_default();
    let mut counts = [0; 4];
    for line in all.filter(|line| !text.line(*line).trim().is_empty()) {
        let written = text.line(line);
        let blanks = written.len() - written.trim_start_matches([' ', '\t']).len();
        let stands = |indents: &[Option<Indent>]| {
            indents[line].as_ref().is_none_or(|i| i.whitespace == written[..blanks])
        };
        let back = stands(&indents);
        if taken(line) {
            counts[0] += 1;
            counts[1] += usize::from(back);
        } else if stands(&known) {
            counts[2] += 1;
            counts[3] += usize::from(back);
        }
        if !back && verbose && (taken(line) || stands(&known)) {
            println!("{file}:{}: not found: {written}", line + 1);
        }
    }
    counts
}
