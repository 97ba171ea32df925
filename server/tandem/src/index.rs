//! `tandem index`

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use workspace::{
    FileError, IndexCounts, IndexProgress, LanguageCounts, Root, Snapshot, Wall, Workspace,
};

use crate::cli::IndexArgs;
use crate::out::say;
#[cfg(feature = "scip")]
use crate::scip;

/// Stands in for the module of the feature `scip` in a binary without it.
#[cfg(not(feature = "scip"))]
mod scip {
    pub(super) struct Written {
        pub(super) documents: usize,
        pub(super) occurrences: usize,
        pub(super) left_out: usize,
    }

    pub(super) fn write(_: &super::Snapshot, _: super::File) -> Result<Written, String> {
        let install = crate::features::INSTALL;
        Err(format!("this binary was built without the feature `scip`: {install}"))
    }
}

/// What reading a folder gave.
struct Reading {
    snapshot: Snapshot,
    progress: IndexProgress,
    took: Duration,
    /// Bytes of memory at the end, and at most.
    memory: Option<(u64, u64)>,
}

pub(crate) fn run(args: &IndexArgs) -> ExitCode {
    let failed = |what: &str| {
        anstream::eprintln!("tandem index: {what}");
        ExitCode::FAILURE
    };
    // Opened before the wall, which it may lie outside of.
    if args.scip.is_some() && cfg!(not(feature = "scip")) {
        let install = crate::features::INSTALL;
        return failed(&format!("--scip is not in this build; all is in: {install}"));
    }
    let scip = match args.scip.as_ref().map(|path| (path, File::create(path))) {
        Some((path, Err(error))) => return failed(&format!("{}: {error}", path.display())),
        Some((path, Ok(file))) => Some((path, file)),
        None => None,
    };
    let reading = match read(&args.dir) {
        Ok(reading) => reading,
        Err(error) => return failed(&error.to_string()),
    };
    let scip = match scip.map(|(path, file)| (path, scip::write(&reading.snapshot, file))) {
        Some((path, Err(error))) => return failed(&format!("{}: {error}", path.display())),
        Some((_, Ok(written))) => Some(written),
        None => None,
    };
    let counts = reading.snapshot.index_counts();
    if args.json {
        let mut figures = figures(&reading, &counts);
        if let Some(scip) = scip {
            figures["scip"] = json!({
                "documents": scip.documents, "occurrences": scip.occurrences,
                "left_out": scip.left_out,
            });
        }
        say!("{figures}");
        return ExitCode::SUCCESS;
    }
    table(&reading, &counts);
    if let Some(scip) = scip {
        say!(
            "SCIP: {} documents, {} occurrences; {} uses are not sure and were left out",
            scip.documents,
            scip.occurrences,
            scip.left_out
        );
    }
    ExitCode::SUCCESS
}

fn read(dir: &Path) -> Result<Reading, FileError> {
    let root = Root::open(dir)?;
    let process = Process::open();
    let workspace = Workspace::new(vec![root]);
    let snapshot = workspace.snapshot();
    // Where there is none (`tandem doctor` says so), the root's handle confines.
    let roots = snapshot.roots().iter().map(Arc::as_ref);
    let _ = Wall::around(roots).and_then(|wall| wall.enter());
    // Hidden where stderr is no terminal.
    let bar = ProgressBar::new(0);
    let style = "{bar:40} {pos}/{len} files, {elapsed}";
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let begun = Instant::now();
    snapshot.build_index(&AtomicBool::new(false), &|progress: IndexProgress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    });
    let took = begun.elapsed();
    bar.finish_and_clear();
    let progress = snapshot.index_progress();
    let memory = process.memory();
    Ok(Reading { snapshot, progress, took, memory })
}

/// The sum of all languages.
fn sum(counts: &IndexCounts) -> LanguageCounts {
    counts.languages.iter().fold(LanguageCounts::default(), |sum, one| LanguageCounts {
        language: "all",
        files: sum.files + one.files,
        lines: sum.lines + one.lines,
        bytes: sum.bytes + one.bytes,
        definitions: sum.definitions + one.definitions,
        references: sum.references + one.references,
    })
}

#[allow(clippy::cast_precision_loss)] // Figures for people.
fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64().max(1e-9)
}

/// What the system says of this process; opened before the wall, which it lies outside of.
struct Process(Option<File>);

impl Process {
    fn open() -> Self {
        Self(File::open("/proc/self/status").ok())
    }

    /// Bytes of memory that it holds, and held at most.
    fn memory(&self) -> Option<(u64, u64)> {
        let mut status = String::new();
        self.0.as_ref()?.read_to_string(&mut status).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
            Some(kilobytes << 10)
        };
        Some((field("VmRSS:")?, field("VmHWM:")?))
    }
}

fn figures(reading: &Reading, counts: &IndexCounts) -> serde_json::Value {
    let all = sum(counts);
    let shown = |one: &LanguageCounts| {
        json!({
            "files": one.files, "lines": one.lines, "bytes": one.bytes,
            "definitions": one.definitions, "references": one.references,
        })
    };
    let languages: serde_json::Map<_, _> =
        counts.languages.iter().map(|one| (one.language.to_owned(), shown(one))).collect();
    let mut figures = shown(&all);
    figures["languages"] = languages.into();
    figures["names"] = counts.names.into();
    figures["kept"] = reading.progress.kept.into();
    figures["read"] = (reading.progress.total - reading.progress.kept).into();
    figures["seconds"] = reading.took.as_secs_f64().into();
    figures["bytes_per_second"] = rate(all.bytes, reading.took).into();
    figures["files_per_second"] = rate(all.files, reading.took).into();
    figures["index_bytes"] = counts.memory.into();
    if let Some((now, most)) = reading.memory {
        figures["resident_bytes"] = now.into();
        figures["resident_bytes_at_most"] = most.into();
    }
    figures
}

#[allow(clippy::cast_precision_loss)] // Figures for people.
fn table(reading: &Reading, counts: &IndexCounts) {
    say!("{:<12} {:>9} {:>11} {:>12} {:>12}", "", "files", "lines", "definitions", "references");
    for one in counts.languages.iter().chain([&sum(counts)]) {
        say!(
            "{:<12} {:>9} {:>11} {:>12} {:>12}",
            one.language,
            one.files,
            one.lines,
            one.definitions,
            one.references
        );
    }
    let (all, took) = (sum(counts), reading.took);
    let kept = match reading.progress.kept {
        0 => String::new(),
        kept => format!(", {kept} of the files known from before"),
    };
    say!(
        "{:.2} s: {:.1} MB/s, {:.0} files/s{kept}",
        took.as_secs_f64(),
        rate(all.bytes, took) / 1e6,
        rate(all.files, took)
    );
    let resident = reading.memory.map_or_else(String::new, |(now, most)| {
        format!(", {:.1} MB resident ({:.1} MB at most)", now as f64 / 1e6, most as f64 / 1e6)
    });
    say!("{} names, {:.1} MB of index{resident}", counts.names, counts.memory as f64 / 1e6);
}
