//! The truth table: runs each engine on thousands of cases with known answers, made from real files.
//!
//! `cargo run --release -p patch --example truth -- [--cases N] [--seed N] [--slow N]
//! [--show N] [--alone] FOLDER…`
//!
//! Peers outside this process are named by `TANDEM_CODEX` (its program), `TANDEM_AIDER` (its
//! editblock_coder.py), `TANDEM_DIFF_MATCH_PATCH` (its diff_match_patch.py), and `patch` on the
//! path. A missing one has an empty column. `cargo xtask truth` brings them. Programs that are
//! started for each case get the first `--slow` cases of each class.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod cases;
mod corpus;
mod engines;
mod makers;
mod random;
mod script;
mod slips;
mod traps;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use cases::{Answer, Case, case, classes};
use engines::EngineOutput;
use random::Random;

#[derive(Default, Clone, Copy)]
struct Score {
    right: usize,
    refused: usize,
    wrong: usize,
}

impl Score {
    fn add(&mut self, case: &Case, made: &EngineOutput) -> bool {
        let same = made.as_ref().is_none_or(|made| *made == case.text);
        let right = match &case.answer {
            Answer::Text(text) => made.as_ref() == Some(text),
            Answer::Unchanged => same,
            Answer::Either(text) => same || made.as_ref() == Some(text),
            // Only our engine reports "already applied", and here that report is wrong.
            Answer::Refused => same && !case.claimed.get(),
        };
        let count = if right {
            &mut self.right
        } else if same && !case.claimed.get() {
            &mut self.refused
        } else {
            &mut self.wrong
        };
        *count += 1;
        right
    }
}

struct Arguments {
    cases: usize,
    seed: u64,
    slow: usize,
    show: usize,
    alone: bool,
    folders: Vec<PathBuf>,
}

fn arguments() -> Option<Arguments> {
    let mut parsed =
        Arguments { cases: 100, seed: 1, slow: 20, show: 0, alone: false, folders: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(argument) = words.next() {
        match argument.as_str() {
            "--cases" => parsed.cases = words.next()?.parse().ok()?,
            "--seed" => parsed.seed = words.next()?.parse().ok()?,
            "--slow" => parsed.slow = words.next()?.parse().ok()?,
            "--show" => parsed.show = words.next()?.parse().ok()?,
            "--alone" => parsed.alone = true,
            folder => parsed.folders.push(folder.into()),
        }
    }
    (!parsed.folders.is_empty()).then_some(parsed)
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: truth [--cases N] [--seed N] [--slow N] [--show N] [--alone] FOLDER...");
        return ExitCode::from(2);
    };
    let mut random = Random(arguments.seed);
    let files = corpus::files(&mut random, &arguments.folders, 400);
    let mut all: Vec<Case> = Vec::new();
    let words = corpus::words(&files);
    for class in classes() {
        let (mut made, mut tried) = (0, 0);
        while made < arguments.cases && tried < arguments.cases * 40 {
            tried += 1;
            let Some((name, text)) = random.pick(&files) else { break };
            if let Some(case) = case(&mut random, class, name, text, &words) {
                all.push(case);
                made += 1;
            }
        }
    }
    let wrong = print_table(&arguments, &all, files.len());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the table; returns how many of our results are wrong.
fn print_table(arguments: &Arguments, all: &[Case], files: usize) -> usize {
    let scratch = std::env::temp_dir().join(format!("truth-{}", std::process::id()));
    let _ = std::fs::create_dir_all(&scratch);
    let codex = env_var("TANDEM_CODEX");
    let modules = ["TANDEM_DIFF_MATCH_PATCH", "TANDEM_AIDER"].map(env_var);
    let has_patch = engines::has_gnu_patch();
    let mut scores: BTreeMap<&str, BTreeMap<&str, Score>> = BTreeMap::new();
    let mut shown = 0;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let quick: Vec<[EngineOutput; 2]> = if arguments.alone || modules.iter().all(Option::is_none) {
        Vec::new()
    } else {
        engines::python(all, &modules, &scratch).unwrap_or_default()
    };
    for (at, case) in all.iter().enumerate() {
        let count = seen.entry(case.class).or_default();
        *count += 1;
        let mut add = |engine: &'static str, made: &EngineOutput| {
            scores.entry(engine).or_default().entry(case.class).or_default().add(case, made)
        };
        let made = engines::tandem(case);
        let wrong = made.as_ref().is_some_and(|made| *made != case.text);
        if !add("tandem", &made) && (shown < arguments.show || (wrong && arguments.show > 0)) {
            shown += 1;
            print_case(case, &made);
        }
        if arguments.alone {
            continue;
        }
        add("mpatch", &engines::mpatch(case));
        if let Some([dmp, aider]) = quick.get(at) {
            for (engine, module, made) in
                [("diff-match-patch", &modules[0], dmp), ("aider", &modules[1], aider)]
            {
                if module.is_some() {
                    add(engine, made);
                }
            }
        }
        if *count <= arguments.slow {
            if has_patch {
                add("GNU patch", &engines::gnu_patch(case, &scratch));
            }
            if let Some(codex) = &codex {
                add("codex", &engines::codex(case, codex, &scratch));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    let engines = ["tandem", "mpatch", "codex", "aider", "diff-match-patch", "GNU patch"];
    println!(
        "{} cases from {files} files, seed {}; right/refused/WRONG\n",
        all.len(),
        arguments.seed
    );
    println!("| class | {} |", engines.join(" | "));
    println!("|---|{}", "---|".repeat(engines.len()));
    let cell = |score: Option<&Score>| match score {
        Some(score) => format!("{}/{}/{}", score.right, score.refused, score.wrong),
        None => "absent".to_owned(),
    };
    for (class, _) in classes() {
        let cells: Vec<String> = engines
            .iter()
            .map(|engine| cell(scores.get(engine).and_then(|scores| scores.get(class))))
            .collect();
        println!("| {class} | {} |", cells.join(" | "));
    }
    let total = |engine: &str| {
        scores.get(engine).into_iter().flat_map(BTreeMap::values).fold(
            Score::default(),
            |sum, score| Score {
                right: sum.right + score.right,
                refused: sum.refused + score.refused,
                wrong: sum.wrong + score.wrong,
            },
        )
    };
    let percent = |engine: &&str| {
        let sum = total(engine);
        if !scores.contains_key(engine) {
            return "absent".to_owned();
        }
        let all = (sum.right + sum.refused + sum.wrong).max(1) as f64 / 100.0;
        format!(
            "**{:.1} %/{:.1} %/{:.1} %**",
            sum.right as f64 / all,
            sum.refused as f64 / all,
            sum.wrong as f64 / all
        )
    };
    println!("| all | {} |", engines.iter().map(percent).collect::<Vec<_>>().join(" | "));
    total("tandem").wrong
}

/// A non-empty environment variable.
fn env_var(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The tier that found the place of a case.
fn strategy(case: &Case) -> &'static str {
    let patches = std::slice::from_ref(&case.patch);
    let plan = patch::plan(&case.text, patches, &patch::Options::default());
    plan.ok().and_then(|plan| Some(plan.outcomes.first()?.strategy.as_str())).unwrap_or("")
}

fn print_case(case: &Case, made: &EngineOutput) {
    println!(
        "=== {} in {}\n--- old\n{}--- new\n{}",
        case.class, case.file, case.patch.old_text, case.patch.new_text
    );
    for anchor in &case.patch.within {
        println!("--- anchor\n{anchor}");
    }
    match made {
        Some(made) => {
            let expected = match &case.answer {
                Answer::Text(text) | Answer::Either(text) => text,
                Answer::Unchanged | Answer::Refused => &case.text,
            };
            println!(
                "--- WRONG ({}), wanted against made\n{}",
                strategy(case),
                similar::TextDiff::from_lines(expected, made).unified_diff()
            );
        }
        None => match patch::plan(
            &case.text,
            std::slice::from_ref(&case.patch),
            &patch::Options::default(),
        ) {
            Err(report) => println!("--- {report}"),
            Ok(_) => println!("--- not refused"),
        },
    }
}
