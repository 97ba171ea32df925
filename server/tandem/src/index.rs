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
    FileError, FilesystemSandbox, IndexCounts, IndexProgress, LanguageCounts, Root, Snapshot,
    Workspace, with_indexing_threads,
};

use crate::cli::IndexArgs;
#[cfg(feature = "scip")]
use crate::scip;
use crate::stdout::print_line;

/// Stand-in for a build without the feature `scip`.
#[cfg(not(feature = "scip"))]
mod scip {
    pub(super) struct ScipExport {
        pub(super) documents: usize,
        pub(super) occurrences: usize,
        pub(super) left_out: usize,
    }

    pub(super) fn write(_: &super::Snapshot, _: super::File) -> Result<ScipExport, String> {
        let install = tools::INSTALL;
        Err(format!("this binary was built without the feature `scip`: {install}"))
    }
}

/// The result of indexing.
struct IndexResult {
    snapshot: Snapshot,
    progress: IndexProgress,
    took: Duration,
    /// Current and peak memory, in bytes.
    memory: Option<(u64, u64)>,
}

pub(crate) fn run(args: &IndexArgs) -> ExitCode {
    let failed = |what: &str| {
        anstream::eprintln!("tandem index: {what}");
        ExitCode::FAILURE
    };
    // Opened before Landlock confines this thread to the folder.
    if args.scip.is_some() && cfg!(not(feature = "scip")) {
        let install = tools::INSTALL;
        return failed(&format!("--scip needs a full build: {install}"));
    }
    let scip = match args.scip.as_ref().map(|path| (path, File::create(path))) {
        Some((path, Err(error))) => return failed(&format!("{}: {error}", path.display())),
        Some((path, Ok(file))) => Some((path, file)),
        None => None,
    };
    let result = match index(&args.dir) {
        Ok(result) => result,
        Err(error) => return failed(&error.to_string()),
    };
    let scip = match scip.map(|(path, file)| (path, scip::write(&result.snapshot, file))) {
        Some((path, Err(error))) => return failed(&format!("{}: {error}", path.display())),
        Some((_, Ok(written))) => Some(written),
        None => None,
    };
    let counts = result.snapshot.index_counts();
    if args.json {
        let mut statistics = statistics(&result, &counts);
        if let Some(scip) = scip {
            statistics["scip"] = json!({
                "documents": scip.documents, "occurrences": scip.occurrences,
                "left_out": scip.left_out,
            });
        }
        print_line!("{statistics}");
        return ExitCode::SUCCESS;
    }
    print_table(&result, &counts);
    if let Some(scip) = scip {
        print_line!(
            "SCIP: {} documents, {} occurrences; {} uncertain references were left out",
            scip.documents,
            scip.occurrences,
            scip.left_out
        );
    }
    ExitCode::SUCCESS
}

fn index(dir: &Path) -> Result<IndexResult, FileError> {
    let root = Root::open(dir)?;
    let process = ProcessStatus::open();
    let workspace = Workspace::new(vec![root]);
    let snapshot = workspace.snapshot();
    // Without Landlock (see `tandem doctor`), only the root's handle confines access.
    let roots = snapshot.roots().iter().map(Arc::as_ref);
    let _ = FilesystemSandbox::for_roots(roots).and_then(|ruleset| ruleset.restrict_thread());
    // Hidden if stderr is not a terminal.
    let bar = ProgressBar::new(0);
    let style = "{bar:40} {pos}/{len} files, {elapsed}";
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let begun = Instant::now();
    let report = |progress: IndexProgress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    };
    with_indexing_threads(|| snapshot.build_index(&AtomicBool::new(false), &report));
    let took = begun.elapsed();
    bar.finish_and_clear();
    let progress = snapshot.index_progress();
    let memory = process.memory();
    Ok(IndexResult { snapshot, progress, took, memory })
}

/// Sums up all languages.
fn total(counts: &IndexCounts) -> LanguageCounts {
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

/// The `/proc` status of this process, opened before Landlock confines it.
struct ProcessStatus(Option<File>);

impl ProcessStatus {
    fn open() -> Self {
        Self(File::open("/proc/self/status").ok())
    }

    /// Current and peak memory, in bytes.
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

fn statistics(result: &IndexResult, counts: &IndexCounts) -> serde_json::Value {
    let all = total(counts);
    let shown = |one: &LanguageCounts| {
        json!({
            "files": one.files, "lines": one.lines, "bytes": one.bytes,
            "definitions": one.definitions, "references": one.references,
        })
    };
    let languages: serde_json::Map<_, _> =
        counts.languages.iter().map(|one| (one.language.to_owned(), shown(one))).collect();
    let mut statistics = shown(&all);
    statistics["languages"] = languages.into();
    statistics["names"] = counts.names.into();
    statistics["kept"] = result.progress.cached.into();
    statistics["read"] = (result.progress.total - result.progress.cached).into();
    statistics["seconds"] = result.took.as_secs_f64().into();
    statistics["bytes_per_second"] = rate(all.bytes, result.took).into();
    statistics["files_per_second"] = rate(all.files, result.took).into();
    statistics["index_bytes"] = counts.memory.into();
    if let Some((now, most)) = result.memory {
        statistics["resident_bytes"] = now.into();
        statistics["resident_bytes_at_most"] = most.into();
    }
    statistics
}

#[allow(clippy::cast_precision_loss)] // Figures for people.
fn print_table(result: &IndexResult, counts: &IndexCounts) {
    print_line!(
        "{:<12} {:>9} {:>11} {:>12} {:>12}",
        "",
        "files",
        "lines",
        "definitions",
        "references"
    );
    for one in counts.languages.iter().chain([&total(counts)]) {
        print_line!(
            "{:<12} {:>9} {:>11} {:>12} {:>12}",
            one.language,
            one.files,
            one.lines,
            one.definitions,
            one.references
        );
    }
    let (all, took) = (total(counts), result.took);
    let kept = match result.progress.cached {
        0 => String::new(),
        kept => format!(", {kept} of the files from the cache"),
    };
    print_line!(
        "{:.2} s: {:.1} MB/s, {:.0} files/s{kept}",
        took.as_secs_f64(),
        rate(all.bytes, took) / 1e6,
        rate(all.files, took)
    );
    let resident = result.memory.map_or_else(String::new, |(now, most)| {
        format!(", {:.1} MB resident ({:.1} MB peak)", now as f64 / 1e6, most as f64 / 1e6)
    });
    print_line!("{} names, {:.1} MB of index{resident}", counts.names, counts.memory as f64 / 1e6);
}
