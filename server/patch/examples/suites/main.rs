//! The edit tool on the test cases of other projects' edit engines.
//!
//! `cargo xtask suites FOLDER`, where FOLDER has their repositories. Their tests are read as they
//! are: every call of the function under test whose texts are literals becomes a call of
//! `apply_edit`, and what their test expects is compared with what ours does. Nothing of theirs is
//! built or run.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool talks")]

mod assertions;
mod calls;
mod case;
mod evaluate;
mod sources;
mod value;

use std::path::PathBuf;
use std::process::ExitCode;

use case::{Case, CaseResult, Verdict};
use sources::SUITES;

struct Options {
    folder: PathBuf,
    tandem: PathBuf,
    /// How many differences are printed in full.
    show: usize,
    /// Only suites whose names contain this.
    only: String,
}

fn options() -> Result<Options, String> {
    let mut words = std::env::args().skip(1);
    let mut folder = None;
    let (mut show, mut only) = (0, String::new());
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--show" => show = next()?.parse().map_err(|_| "--show needs a number")?,
            "--only" => only = next()?,
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    let tandem = std::env::var_os("TANDEM_BIN").ok_or("TANDEM_BIN names no program")?;
    let folder = folder.ok_or("no folder of repositories is given")?;
    Ok(Options { folder, tandem: tandem.into(), show, only })
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("suites: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let work = std::env::temp_dir().join(format!("tandem-suites-{}", std::process::id()));
    let mut shown = 0;
    let mut total = [0; 4];
    let row = |name: &str, counts: &[usize; 4]| {
        let [same, refused, applied, different] = counts;
        let all: usize = counts.iter().sum();
        println!("| {name} | {all} | {same} | {refused} | {applied} | {different} |");
    };
    println!(
        "| suite | cases | same | refused where they apply | applied where they refuse | another text |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let mut absent = Vec::new();
    for suite in SUITES.iter().filter(|suite| suite.name.contains(&options.only)) {
        let Some(cases) = suite.cases(&options.folder) else {
            absent.push(suite.repository);
            continue;
        };
        let mut counts = [0; 4];
        for case in cases? {
            let result =
                case::run_case(&case, &options.tandem, &work).map_err(|error| error.to_string())?;
            counts[result.verdict as usize] += 1;
            if result.verdict != Verdict::Same && shown < options.show {
                shown += 1;
                print_case(suite.name, &case, &result);
            }
        }
        row(suite.name, &counts);
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    row("all", &total);
    if !absent.is_empty() {
        println!("\nNot in the folder: {}.", absent.join(", "));
    }
    let _ = std::fs::remove_dir_all(work);
    Ok(())
}

/// A difference, on stderr so that the table stays whole.
fn print_case(suite: &str, case: &Case, result: &CaseResult) {
    eprintln!("=== {suite}: {}: {:?}", case.name, result.verdict);
    for (path, text) in &case.files {
        eprintln!("--- before, {path}\n{text}");
    }
    match case.parameters.as_object() {
        Some(parameters) => {
            for (name, value) in parameters {
                eprintln!(
                    "--- {name}\n{}",
                    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
                );
            }
        }
        None => eprintln!("--- parameters\n{}", case.parameters),
    }
    match &case.expected {
        Some(case::Expected::Files(files)) => {
            for (path, text) in files {
                eprintln!("--- expected, {path}\n{}", text.as_deref().unwrap_or("(gone)"));
            }
        }
        expected => eprintln!("--- expected\n{expected:?}"),
    }
    match &result.answer {
        Ok(files) => files.iter().for_each(|(path, text)| eprintln!("--- here, {path}\n{text}")),
        Err(error) => eprintln!("--- here\n{error}"),
    }
    eprintln!();
}
