//! Finds the tests that can see a change.
//!
//! A change is the difference between the work tree and a commit. It is a set of units (functions,
//! classes, values) whose tokens differ. Tests from which a chain of names leads to one of them are
//! selected ([`graph`]); the index says where units begin and end, and [`units`] which names they use.
//! Names in strings, decorators, operators, frameworks and import-time code count, so that hardly a test
//! is left out that would fail; a file that is no source selects everything.

mod changes;
mod graph;
mod identifiers;
mod lexer;
mod record;
mod rust_blocks;
mod selection;
mod sources;
#[cfg(test)]
mod tests;
mod units;

use std::time::{Duration, Instant};

use tools::{Code, Context, ToolError};

use self::changes::difference;
use self::graph::{Graph, Imports, ProjectFile};
use self::identifiers::{Collection, style_of};
use self::lexer::Style;
use self::record::{Record, Seen};
use self::selection::{ChangedUnits, Tests, covers, select, shorten};
pub(crate) use self::sources::SourceCache;
use self::sources::{Source, changed_sources};
use crate::history::History;
use crate::kinds::{Runner, Values};
use crate::project::Project;
use crate::recording::RunRecord;

/// What the change of a call selects.
#[derive(Debug)]
pub(crate) struct Affected {
    /// The words that run the selected tests; `None` to run all.
    pub(crate) values: Option<Values>,
    /// The selected tests as their runner names them.
    pub(crate) tests: Vec<String>,
    /// How many tests these are.
    pub(crate) count: usize,
    /// How many of `tests` are no classes or files.
    pub(crate) singles: usize,
    /// All tests.
    pub(crate) of: usize,
    /// What changed.
    pub(crate) changed: Vec<String>,
    /// Why all tests run, if they do.
    pub(crate) all_because: Option<String>,
    /// Selected tests that ran nothing of what changed when their functions were recorded.
    pub(crate) left_out_by_record: usize,
    pub(crate) duration: Duration,
}

/// A project's sources when a run begins.
pub(crate) struct SourcesBefore {
    files: Vec<ProjectFile>,
    epoch: u64,
}

impl SourcesBefore {
    /// Reads them; `None` if the runner's tests cannot be selected.
    pub(crate) fn read(
        context: &Context<'_>,
        tool: &'static str,
        project: &Project<'_>,
        runner: &Runner,
    ) -> Result<Option<Self>, ToolError> {
        let Some(selects) = runner.selects else { return Ok(None) };
        let cache = context.session.family::<SourceCache>();
        let mut cache = cache.lock();
        let files = cache.read(context, tool, &project.folder, style_of(selects))?.files;
        Ok(Some(Self { files, epoch: cache.epoch }))
    }

    /// Keeps which functions each test of the run has run.
    ///
    /// # Errors
    /// If the state folder cannot be written.
    pub(crate) fn keep(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        project: &Project<'_>,
        runner: &Runner,
        run: &RunRecord,
    ) -> Result<(), ToolError> {
        let cache = context.session.family::<SourceCache>();
        let cache = cache.lock();
        if cache.epoch != self.epoch {
            return Ok(());
        }
        let graph = Graph::new(&self.files, &cache.names);
        let mut record = Record::new(&graph, &cache.names, project.folder.root().path(), run);
        if let Some(older) = read_record(context, tool, project, runner) {
            record.add_older(older);
        }
        let bytes = serde_json::to_vec(&record).unwrap_or_default();
        History::open(context, tool)?.keep_tests(
            &project.folder.display_path(),
            &runner.name,
            &bytes,
        )
    }
}

fn read_record(
    context: &Context<'_>,
    tool: &'static str,
    project: &Project<'_>,
    runner: &Runner,
) -> Option<Record> {
    let history = History::open(context, tool).ok()?;
    let bytes = history.tests(&project.folder.display_path(), &runner.name)?;
    serde_json::from_slice(&bytes).ok()
}

/// More words than this are not put on a command line.
const MAX_WORDS_BYTES: usize = 100_000;
/// Changed units that are listed.
const MAX_LISTED: usize = 50;

/// Selects the tests that can see what differs from `since`.
///
/// # Errors
/// If the runner cannot run single tests, nothing says what has changed, or the call is cancelled.
pub(crate) fn affected(
    context: &Context<'_>,
    tool: &'static str,
    project: &Project<'_>,
    runner: &Runner,
    since: Option<&str>,
) -> Result<Affected, ToolError> {
    let started = Instant::now();
    let Some(selects) = runner.selects else {
        let message = format!("{tool}: `affected` is not known for {}", runner.name);
        return Err(ToolError::new(Code::Unsupported, message).hint("run all tests"));
    };
    let style = style_of(selects);
    let cache = context.session.family::<SourceCache>();
    let mut cache = cache.lock();
    let mut sources = cache.read(context, tool, &project.folder, style)?;
    let changed = changed_sources(context, tool, project, since)?;
    let Some(changed) = changed else {
        let message = format!("{tool}: the folder is in no git repository with a commit");
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("`affected` compares with a commit; run all tests"));
    };
    let collection = Collection::read(context, project, selects);
    let in_project = |file: &ProjectFile| collection.collects(&file.path);
    let mut all_because = collection.all_because().map(str::to_owned);
    let (mut listed, mut differences) = (Vec::new(), Vec::new());
    for source in changed {
        match source {
            Source::Other(path) => {
                // A text that no code names is documentation.
                if !sources.is_documentation(&path) {
                    all_because.get_or_insert_with(|| format!("{path} changed"));
                }
            }
            Source::Gone(path) => {
                all_because.get_or_insert_with(|| format!("{path} is gone"));
            }
            Source::Text { path, old } => {
                let Some(file) = sources.number_of(&path) else { continue };
                let new = sources.files[file].units.clone();
                let old = sources.parse_old(context, style, &path, old.as_deref());
                let mut difference = difference(&old, &new);
                difference.has_statements |= new.is_broken;
                let names = difference
                    .units
                    .iter()
                    .map(|unit| format!("{path} {}", new.units[*unit].path.join("/")));
                listed.extend(names);
                if difference.has_statements {
                    listed.push(path.clone());
                    if matches!(new.style, Style::Rust | Style::Braces) {
                        all_because.get_or_insert_with(|| {
                            format!("{path} changed outside of its functions and types")
                        });
                    }
                }
                differences.push(ChangedUnits { file, difference });
            }
        }
    }
    let graph = Graph::new(&sources.files, sources.names);
    let tests = Tests::new(&graph, &in_project, collection.is_by_file());
    let mut found = Affected {
        values: None,
        tests: Vec::new(),
        count: 0,
        singles: 0,
        of: tests.count(),
        changed: listed,
        all_because,
        left_out_by_record: 0,
        duration: Duration::ZERO,
    };
    found.changed.truncate(MAX_LISTED);
    if found.all_because.is_none() {
        let imports = Imports::new(&sources.files, sources.names);
        let record = read_record(context, tool, project, runner);
        let seen =
            record.as_ref().map(|record| Seen::new(record, &sources.files, &imports, &differences));
        let mut selected = select(&graph, &imports, &differences, &tests);
        if let (Some(selected), Some(seen)) = (&mut selected, seen) {
            let others = differences.iter().map(|one| ChangedUnits {
                file: one.file,
                difference: one.difference.without_bodies(),
            });
            let others: Vec<ChangedUnits> = others.collect();
            if let Some(others) = select(&graph, &imports, &others, &tests) {
                let before = selected.len();
                selected.retain(|one| covers(&others, one) || seen.may_see(&sources.files, one));
                found.left_out_by_record = before - selected.len();
            }
        }
        match selected {
            Some(selected) => {
                let (selected, count) = shorten(&graph, &tests, selected);
                found.count = count;
                found.singles = selected.iter().filter(|one| !one.path.is_empty()).count();
                let (names, values) = collection.values(&sources.files, &selected, runner.quote);
                let bytes: usize = values.values().flatten().map(|word| word.len() + 1).sum();
                if bytes > MAX_WORDS_BYTES {
                    found.all_because = Some("too many tests for one command".to_owned());
                } else {
                    found.tests = names;
                    found.values = Some(values);
                }
            }
            None => {
                let reason = "a macro that can see the change may make tests";
                found.all_because = Some(reason.to_owned());
            }
        }
    }
    found.duration = started.elapsed();
    Ok(found)
}
