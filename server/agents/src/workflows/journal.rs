//! The journal of a run: what has begun and what has ended, with the results.
//!
//! A run is a file of JSON lines in the state folder. A line is written before a call starts and after it has
//! ended, so that a run that was killed resumes after the last call that ended. Lines about commands and other
//! effects that cannot be reverted are synced to disk. The rest need not be: a power failure that loses them
//! only has reads repeated, and changes of files reverted by the history and made again.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Code, Context, ToolError};
use workspace::state_folder;

/// The folder of runs in the state folder.
const FOLDER: &str = "workflows";
/// Runs that are kept.
const MAX_RUNS: usize = 100;
/// Longest journal that is read or written, in bytes.
const MAX_BYTES: u64 = 32 << 20;
/// Attempts to find a free id.
const MAX_ATTEMPTS: usize = 1_000;

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub(super) enum Event {
    Run(RunHeader),
    /// The list that a step is repeated for.
    Items {
        step: String,
        items: Vec<Value>,
    },
    Begun {
        step: String,
        item: usize,
        effects: EffectClass,
    },
    Ended {
        step: String,
        item: usize,
        ms: u64,
        outcome: Outcome,
    },
    Skipped {
        step: String,
    },
    Finished {
        state: RunState,
    },
}

/// What a run is of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RunHeader {
    pub(super) workflow: String,
    /// The file it came from.
    pub(super) path: String,
    /// Its text: a run resumes as it began.
    pub(super) text: String,
    pub(super) inputs: Map<String, Value>,
    /// RFC 3339.
    pub(super) time: String,
}

/// What it takes to repeat a call whose outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EffectClass {
    /// It only reads.
    Read,
    /// It changes files, which the history reverts.
    Files,
    /// It has other effects.
    Other,
}

/// How a call ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Result(Value),
    /// The `data` of an error.
    Error(Value),
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunState {
    /// It runs.
    Running,
    /// Its process ended before it did.
    Interrupted,
    Done,
    Failed,
    Cancelled,
}

/// A step in a journal.
#[derive(Debug, Default)]
pub(super) struct StepRecord {
    pub(super) items: Option<Vec<Value>>,
    pub(super) is_skipped: bool,
    pub(super) calls: BTreeMap<usize, CallRecord>,
}

/// A call in a journal.
#[derive(Debug)]
pub(super) struct CallRecord {
    pub(super) effects: EffectClass,
    /// `None` if it has begun and its end is not recorded.
    pub(super) ended: Option<(u64, Outcome)>,
}

/// What a journal says.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) header: RunHeader,
    pub(super) steps: BTreeMap<String, StepRecord>,
    pub(super) state: RunState,
}

/// The journal of a run, locked by this process.
pub(super) struct Journal {
    pub(super) id: String,
    file: File,
    written: u64,
}

impl Journal {
    /// Starts the journal of a new run.
    pub(super) fn create(context: &Context<'_>, header: RunHeader) -> Result<Self, ToolError> {
        let folder = folder(context)?;
        prune(&folder);
        let time: String = header.time.chars().filter(char::is_ascii_digit).take(14).collect();
        let (day, clock) = time.split_at(time.len().min(8));
        for attempt in 1..MAX_ATTEMPTS {
            let suffix = if attempt == 1 { String::new() } else { format!("-{attempt}") };
            let id = format!("{}-{day}-{clock}{suffix}", header.workflow);
            let mut options = OpenOptions::new();
            options.read(true).append(true).create_new(true).mode(0o600);
            match options.open(folder.join(format!("{id}.jsonl"))) {
                Ok(file) => {
                    file.lock().map_err(|error| of_io(&error))?;
                    let mut journal = Self { id, file, written: 0 };
                    journal.write(&Event::Run(header), false)?;
                    return Ok(journal);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(of_io(&error)),
            }
        }
        Err(of_io(&io::Error::from(io::ErrorKind::AlreadyExists)))
    }

    /// Continues the journal of the run `id`.
    pub(super) fn resume(context: &Context<'_>, id: &str) -> Result<(Self, Recorded), ToolError> {
        let path = path_of(context, id)?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(&path)
            .map_err(|error| missing(id, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("workflow: the run `{id}` is still running");
                return Err(ToolError::new(Code::Conflict, message));
            }
            Err(TryLockError::Error(error)) => return Err(of_io(&error)),
        }
        let (recorded, length) = read(&mut file)?;
        // A line that was cut off by a crash must not be continued.
        file.set_len(length).map_err(|error| of_io(&error))?;
        Ok((Self { id: id.to_owned(), file, written: length }, recorded))
    }

    /// Writes an event; `sync` makes it survive a power failure.
    pub(super) fn write(&mut self, event: &Event, sync: bool) -> Result<(), ToolError> {
        let mut line = serde_json::to_vec(event).map_err(|error| of_io(&error.into()))?;
        line.push(b'\n');
        self.written += line.len() as u64;
        if self.written > MAX_BYTES {
            let message =
                format!("workflow: the results of the run take more than {} MiB", MAX_BYTES >> 20);
            return Err(ToolError::new(Code::TooLarge, message));
        }
        self.file.write_all(&line).map_err(|error| of_io(&error))?;
        if sync {
            self.file.sync_data().map_err(|error| of_io(&error))?;
        }
        Ok(())
    }
}

/// What the journal of the run `id` says.
pub(super) fn recorded(context: &Context<'_>, id: &str) -> Result<Recorded, ToolError> {
    let path = path_of(context, id)?;
    let mut file = File::open(&path).map_err(|error| missing(id, &error))?;
    let is_running = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let (mut recorded, _) = read(&mut file)?;
    if is_running {
        recorded.state = RunState::Running;
    }
    Ok(recorded)
}

/// The ids of all runs, newest first.
pub(super) fn runs(context: &Context<'_>) -> Result<Vec<String>, ToolError> {
    let files = files(&folder(context)?);
    Ok(files.into_iter().map(|(id, _)| id).collect())
}

fn folder(context: &Context<'_>) -> Result<PathBuf, ToolError> {
    let folder =
        state_folder(context.snapshot.roots()).map_err(|error| of_io(&error))?.join(FOLDER);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|error| of_io(&error))?;
    Ok(folder)
}

fn path_of(context: &Context<'_>, id: &str) -> Result<PathBuf, ToolError> {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if id.is_empty() || id.len() > 200 || !id.chars().all(is_plain) {
        let message = format!("workflow: `{:.60}` is no id of a run", id);
        return Err(
            ToolError::new(Code::InvalidParams, message).hint("action \"status\" lists the runs")
        );
    }
    Ok(folder(context)?.join(format!("{id}.jsonl")))
}

/// The journals in a folder, newest first.
fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.strip_suffix(".jsonl")?.to_owned();
            Some((entry.metadata().ok()?.modified().ok()?, id, entry.path()))
        })
        .collect();
    files.sort();
    files.into_iter().rev().map(|(_, id, path)| (id, path)).collect()
}

/// Deletes the oldest journals that no process has locked.
fn prune(folder: &Path) {
    for (_, path) in files(folder).into_iter().skip(MAX_RUNS - 1) {
        if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Reads a journal, and the length of its complete lines.
fn read(file: &mut File) -> Result<(Recorded, u64), ToolError> {
    file.rewind().map_err(|error| of_io(&error))?;
    let mut lines = BufReader::new((&*file).take(MAX_BYTES));
    let (mut header, mut steps) = (None, BTreeMap::<String, StepRecord>::new());
    let (mut state, mut length) = (RunState::Interrupted, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let size = lines.read_until(b'\n', &mut line).map_err(|error| of_io(&error))?;
        if size == 0 || line.last() != Some(&b'\n') {
            break;
        }
        let Ok(event) = serde_json::from_slice::<Event>(&line) else { break };
        length += size as u64;
        match event {
            Event::Run(of) => header = Some(of),
            Event::Items { step, items } => steps.entry(step).or_default().items = Some(items),
            Event::Begun { step, item, effects } => {
                let record = CallRecord { effects, ended: None };
                steps.entry(step).or_default().calls.insert(item, record);
                // A run that was resumed is not finished.
                state = RunState::Interrupted;
            }
            Event::Ended { step, item, ms, outcome } => {
                let calls = &mut steps.entry(step).or_default().calls;
                if let Some(call) = calls.get_mut(&item) {
                    call.ended = Some((ms, outcome));
                }
            }
            Event::Skipped { step } => steps.entry(step).or_default().is_skipped = true,
            Event::Finished { state: ended } => state = ended,
        }
    }
    let Some(header) = header else {
        return Err(ToolError::new(Code::Io, "workflow: the journal of the run cannot be read"));
    };
    Ok((Recorded { header, steps, state }, length))
}

fn missing(id: &str, error: &io::Error) -> ToolError {
    if error.kind() == io::ErrorKind::NotFound {
        let message = format!("workflow: there is no run `{id}`");
        return ToolError::new(Code::PathNotFound, message)
            .hint("action \"status\" lists the runs");
    }
    of_io(error)
}

fn of_io(error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("workflow: the journal of the run: {error}"))
}
