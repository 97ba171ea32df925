//! The kept runs of a workspace: what each found, and what it printed.
//!
//! Each is a record and a log in the state folder, outside the workspace. The oldest are deleted.

mod figures;

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tools::{Code, Context, ToolError};
use workspace::{Snapshot, state_folder};

pub(crate) use self::figures::RunFigures;
use crate::findings::{Diagnostic, Failure};
use crate::kinds::Check;

/// Runs kept.
const MAX_RUNS: usize = 100;
/// Longest log kept of one run, in bytes.
const MAX_LOG_BYTES: usize = 1 << 20;
/// Longest record that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 16 << 20;
/// Longest record of tests that is read, in bytes.
const MAX_TESTS_BYTES: u64 = 256 << 20;
/// Failures and diagnostics kept of one run.
const MAX_KEPT: usize = 200;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunStatus {
    /// All is well.
    Passed,
    /// Something is wrong with the project.
    Failed,
    /// It took too long and was killed.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

/// A kept run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: u64,
    pub(crate) check: Check,
    pub(crate) kind: String,
    pub(crate) runner: String,
    /// The project's folder, relative to the workspace.
    pub(crate) project: String,
    pub(crate) branch: Option<String>,
    pub(crate) command: String,
    /// RFC 3339.
    pub(crate) started_at: String,
    pub(crate) duration_ms: u64,
    pub(crate) status: RunStatus,
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) failures: Vec<Failure>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The runs of a workspace.
pub(crate) struct History {
    tool: &'static str,
    folder: PathBuf,
}

impl History {
    /// Opens it; creates its folder if it is missing.
    ///
    /// # Errors
    /// If the state folder cannot be used.
    pub(crate) fn open(context: &Context<'_>, tool: &'static str) -> Result<Self, ToolError> {
        Self::of(&context.snapshot, tool)
    }

    /// Opens that of the workspace of `snapshot`.
    ///
    /// # Errors
    /// If the state folder cannot be used.
    fn of(snapshot: &Snapshot, tool: &'static str) -> Result<Self, ToolError> {
        let folder = state_folder(snapshot.roots()).and_then(|folder| {
            let folder = folder.join("checks");
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            Ok(folder)
        });
        match folder {
            Ok(folder) => Ok(Self { tool, folder }),
            Err(error) => Err(failed(tool, &error)),
        }
    }

    /// The ids of the kept runs, the newest first.
    pub(crate) fn ids(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let id = |name: &str| name.strip_suffix(".json")?.parse::<u64>().ok();
        let mut ids: Vec<u64> =
            entries.filter_map(|entry| id(entry.file_name().to_str()?)).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids
    }

    /// The record of a run.
    pub(crate) fn record(&self, id: u64) -> Option<Record> {
        let bytes = read(&self.folder.join(format!("{id}.json")), MAX_RECORD_BYTES)?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The log of a run.
    pub(crate) fn log(&self, id: u64) -> Option<String> {
        let bytes = read(&self.folder.join(format!("{id}.log")), 2 * MAX_LOG_BYTES as u64)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The run with this id, or the last one.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn find(&self, id: Option<&str>) -> Result<Record, ToolError> {
        let found = match id {
            Some(id) => id.parse().ok().and_then(|id| self.record(id)),
            None => self.ids().into_iter().find_map(|id| self.record(id)),
        };
        found.ok_or_else(|| {
            let message = match id {
                Some(id) => {
                    let id: String = id.chars().take(40).collect();
                    format!("{}: no run has the id `{id}`", self.tool)
                }
                None => format!("{}: nothing has run yet", self.tool),
            };
            ToolError::new(Code::NoMatch, message).hint("`build_list` lists the runs that are kept")
        })
    }

    /// Stores a run and its log under a new id, which it returns, and removes the oldest.
    ///
    /// # Errors
    /// If the state folder cannot be written.
    pub(crate) fn add(&self, mut record: Record, log: &str) -> Result<u64, ToolError> {
        record.failures.truncate(MAX_KEPT);
        record.diagnostics.truncate(MAX_KEPT);
        let mut add = || -> io::Result<u64> {
            let ids = self.ids();
            let mut id = ids.first().copied().unwrap_or_default() + 1;
            // Another server may take the same number.
            let path = loop {
                let path = self.folder.join(format!("{id}.json"));
                match create(&path) {
                    Ok(()) => break path,
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => id += 1,
                    Err(error) => return Err(error),
                }
            };
            record.id = id;
            fs::write(self.folder.join(format!("{id}.log")), cut(log))?;
            let json = serde_json::to_vec(&record).map_err(io::Error::other)?;
            fs::write(path, json)?;
            for old in ids.into_iter().skip(MAX_RUNS - 1) {
                // `failed_only` needs it, however many saved files were checked since.
                if self.is_last_test(old) {
                    continue;
                }
                let _ = fs::remove_file(self.folder.join(format!("{old}.json")));
                let _ = fs::remove_file(self.folder.join(format!("{old}.log")));
            }
            Ok(id)
        };
        add().map_err(|error| failed(self.tool, &error))
    }

    /// Keeps the record of which functions a project's tests run, in place of the last.
    ///
    /// # Errors
    /// If the state folder cannot be written.
    pub(crate) fn keep_tests(
        &self,
        project: &str,
        runner: &str,
        record: &[u8],
    ) -> Result<(), ToolError> {
        let path = self.tests_path(project, runner);
        let new = path.with_extension("new");
        let keep = || {
            let _ = fs::remove_file(&new);
            create(&new)?;
            fs::write(&new, record)?;
            fs::rename(&new, &path)
        };
        keep().map_err(|error| failed(self.tool, &error))
    }

    /// That record.
    pub(crate) fn tests(&self, project: &str, runner: &str) -> Option<Vec<u8>> {
        read(&self.tests_path(project, runner), MAX_TESTS_BYTES)
    }

    fn tests_path(&self, project: &str, runner: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (project, runner).hash(&mut hasher);
        self.folder.join(format!("tests-{:016x}", hasher.finish()))
    }

    /// Whether a run is the last one of its project's tests.
    fn is_last_test(&self, id: u64) -> bool {
        let record = self.record(id).filter(|record| record.check == Check::Test);
        record.is_some_and(|record| {
            let last = self.last_test(&record.project, &record.runner);
            last.is_some_and(|last| last.id == id)
        })
    }

    /// The last run of the tests of a project that was not cancelled.
    pub(crate) fn last_test(&self, project: &str, runner: &str) -> Option<Record> {
        let records = self.ids().into_iter().filter_map(|id| self.record(id));
        let mut tests = records.filter(|record| {
            record.check == Check::Test
                && record.project == project
                && record.runner == runner
                && record.status != RunStatus::Cancelled
        });
        tests.next()
    }
}

fn create(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path).map(drop)
}

fn read(path: &Path, limit: u64) -> Option<Vec<u8>> {
    let size = fs::metadata(path).ok()?.len();
    if size > limit { None } else { fs::read(path).ok() }
}

fn cut(log: &str) -> String {
    if log.len() <= MAX_LOG_BYTES {
        return log.to_owned();
    }
    let head = log.floor_char_boundary(MAX_LOG_BYTES / 2);
    let tail = log.ceil_char_boundary(log.len() - MAX_LOG_BYTES / 2);
    format!("{}\n[left out here: {} bytes]\n{}", &log[..head], tail - head, &log[tail..])
}

fn failed(tool: &str, error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("{tool}: the state folder: {error}"))
}

/// The branch that is checked out at the workspace's root.
pub(crate) fn branch(context: &Context<'_>) -> Option<String> {
    let root = context.snapshot.roots().first()?;
    let head = context.snapshot.locate_absolute(&root.path().join(".git/HEAD")).ok()?;
    let head = context.snapshot.read_bytes(&head).ok()?;
    let head = String::from_utf8(head.bytes).ok()?;
    Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_tests_outlive_checks_of_saved_files() {
        let folder = std::env::temp_dir().join(format!("tandem-runs-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let history = History { tool: "test", folder };
        let add = |check: &str| {
            let record = json!({
                "id": 0, "check": check, "kind": "cargo", "runner": "r", "project": "p", "branch": null,
                "command": "c", "started_at": "", "duration_ms": 0, "status": "passed", "passed": 0,
                "failed": 0, "skipped": 0, "errors": 0, "warnings": 0, "failures": [], "diagnostics": [],
            });
            history.add(serde_json::from_value(record).unwrap(), "").unwrap()
        };
        let (first, last) = (add("test"), add("test"));
        for _ in 0..MAX_RUNS + 5 {
            add("lint");
        }
        let ids = history.ids();
        assert!(ids.contains(&last) && !ids.contains(&first), "{ids:?}");
        assert_eq!(ids.len(), MAX_RUNS + 1);
        assert_eq!(history.last_test("p", "r").unwrap().id, last);
        fs::remove_dir_all(&history.folder).unwrap();
    }
}
