//! Atomic transactions over several files and open documents.

mod change;
mod documents;
mod error;
mod paths;
mod stage;

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

pub use self::change::Change;
use self::documents::document_edit;
pub use self::error::CommitError;
use self::stage::StepPlanner;
use crate::action_history::record::record_fingerprints;
use crate::action_history::{ActionHistory, ActionLabel, HistoryLock};
use crate::journal::{ParentFolders, PreparedStep, Step, StepError, StepPath, Steps};
use crate::platform::Errno;
use crate::uri::uri_of_path;
use crate::{Editor, FileError, FilePath, Snapshot, Source, Workspace, WriteLock};

/// The outcome of a transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// Its id in the history; `None` if nothing changed or there is no history.
    pub action: Option<i64>,
    /// Why it is not in the history.
    pub unrecorded: Option<String>,
    /// Whether the editor has confirmed the edit but not reported the document changes.
    pub unconfirmed: bool,
    /// The open documents whose files were removed or moved.
    pub open: Vec<FilePath>,
}

/// The history, locked for a transaction.
struct LockedHistory<'a> {
    history: &'a ActionHistory,
    _lock: HistoryLock,
}

impl Workspace {
    /// Applies `changes`, computed from `seen`, in order: to open documents through `editor` in one
    /// step, to files on disk by renames. Edits of files in a folder that moves must precede the
    /// move of the folder. Everything that can fail is done before anything becomes visible; a
    /// later failure is reverted, also after a crash. The transaction is recorded as an action that
    /// can be undone.
    ///
    /// Without a history, a single file can still be edited or created; removals and changes of
    /// several files are refused.
    ///
    /// # Errors
    /// Why nothing was changed. Only after [`CommitError::Torn`] and [`CommitError::Raced`]
    /// something may be.
    pub fn commit<'l>(
        &self,
        write_lock: &WriteLock<'_>,
        label: impl Into<ActionLabel<'l>>,
        seen: &Snapshot,
        changes: &[Change],
        editor: &dyn Editor,
    ) -> Result<Committed, CommitError> {
        self.commit_as(write_lock, label.into(), None, seen, changes, editor)
    }

    /// As [`Workspace::commit`], for an action that undoes `undoes`.
    pub(crate) fn commit_as(
        &self,
        write_lock: &WriteLock<'_>,
        label: ActionLabel<'_>,
        undoes: Option<i64>,
        seen: &Snapshot,
        changes: &[Change],
        editor: &dyn Editor,
    ) -> Result<Committed, CommitError> {
        let now = self.snapshot();
        let changes = &*edit_files_in_moved_folders(&now, changes)?;
        let paths = changes.iter().flat_map(Change::paths);
        paths.into_iter().try_for_each(|path| now.check_writable(path))?;
        let history = self.history(&now.roots);
        let locked = match &history {
            Ok(history) => history
                .lock_and_recover(&now.roots)
                .map(|lock| LockedHistory { history, _lock: lock })
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        let history_lock = locked.as_ref().ok();
        let history = history_lock.map(|history_lock| history_lock.history);
        let mut planner = StepPlanner::new(&now, seen, history).with_moving(changes);
        let mut documents = Vec::new();
        for change in changes {
            match change {
                Change::Edit { file, edits, after } if matches!(file.source, Source::Open(_)) => {
                    documents.push(document_edit(&now, file, edits)?);
                    planner.document(file, after);
                }
                _ => planner.stage(change)?,
            }
        }
        let needs_history = changes.len() > 1
            || changes.iter().any(|change| {
                !matches!(
                    change,
                    Change::Edit { .. }
                        | Change::Bytes { .. }
                        | Change::Create { .. }
                        | Change::CreateBinary { .. }
                )
            });
        if let Err(error) = &locked
            && needs_history
        {
            return Err(CommitError::Journal(error.clone()));
        }
        let params = TransactionParams {
            changes,
            undoes,
            label,
            history_lock,
            needs_history,
            interrupt: write_lock.interrupt(),
            editor,
        };
        let open = std::mem::take(&mut planner.open);
        let mut committed = self.execute(&params, planner, &documents)?;
        committed.open = open;
        if let Err(error) = locked {
            committed.unrecorded = Some(error);
        }
        Ok(committed)
    }

    /// Records the action, applies the edits in the editor, performs the steps, and records the
    /// outcome.
    fn execute(
        &self,
        params: &TransactionParams<'_>,
        planner: StepPlanner<'_>,
        documents: &[crate::DocumentEdit],
    ) -> Result<Committed, CommitError> {
        let StepPlanner { mut prepared, leftovers, empty_folders, mut recorded, .. } = planner;
        let steps = Steps {
            steps: prepared.iter().map(|r| r.step.clone()).collect(),
            leftovers,
            empty_folders,
        };
        let renames = |step: &&Step| matches!(step, Step::Rename { .. });
        let durable = steps.steps.iter().filter(renames).count() > 1 || steps.have_copies();
        let mut committed = Committed::default();
        if let Some(history_lock) = params.history_lock {
            let group = params.label.group.or_else(|| params.editor.action_group());
            let label = ActionLabel { group, ..params.label };
            let begun =
                history_lock.history.begin(label, &recorded, &steps, params.undoes, durable);
            match begun {
                Ok(id) => committed.action = Some(id),
                Err(error) if params.needs_history => {
                    return Err(CommitError::Journal(error.to_string()));
                }
                // Without a trash no old content is moved there, so the edit can proceed
                // unrecorded.
                Err(error) if steps.steps.iter().any(|s| trash_of(s).is_some()) => {
                    return Err(CommitError::Journal(error.to_string()));
                }
                Err(error) => committed.unrecorded = Some(error.to_string()),
            }
        }
        let record_id = params.history_lock.zip(committed.action);
        let delete_record = || {
            if let Some((history_lock, id)) = record_id {
                history_lock.history.delete(id);
            }
        };
        if !documents.is_empty() {
            let is_reported = self
                .apply_in_editor(params.label.tool, params.changes, documents, params.editor)
                .inspect_err(|_| delete_record())?;
            committed.unconfirmed = !is_reported;
        }
        let folders =
            ParentFolders::new(params.history_lock.map(|history_lock| &history_lock.history.trash));
        let performed =
            self.perform(params, &mut prepared, (&steps, &folders)).and_then(
                |()| match record_id {
                    // Recovery after a crash must know that the originals may be removed already.
                    Some((history_lock, id)) if steps.have_copies() => {
                        history_lock.history.mark_clearing(id).map_err(|e| {
                            let first = CommitError::Journal(e.to_string()).into();
                            revert_after(
                                &steps,
                                (usize::MAX, &folders),
                                first,
                                step_path(&steps, 0),
                            )
                        })
                    }
                    _ => Ok(()),
                },
            );
        if let Err(error) = performed {
            if let (CommitError::RevertFailed { .. }, Some((history_lock, id))) =
                (&error, record_id)
            {
                history_lock.history.mark_torn(id);
            } else {
                delete_record();
            }
            self.revert_unchanged_in_editor(
                params.label.tool,
                documents,
                params.changes,
                params.editor,
            );
            return Err(error);
        }
        steps.clean_up(&folders);
        if let Some((history_lock, id)) = record_id {
            record_fingerprints(&mut recorded, &self.snapshot().roots);
            history_lock.history.end(id, recorded, durable);
        }
        self.files_changed(steps.steps.iter().flat_map(uris));
        if params.changes.iter().any(Change::is_of_folder) {
            self.files_may_have_changed();
        }
        Ok(committed)
    }

    /// Performs the steps; if one fails, the earlier ones are reverted.
    fn perform(
        &self,
        params: &TransactionParams<'_>,
        prepared: &mut [PreparedStep],
        (steps, folders): (&Steps, &ParentFolders<'_>),
    ) -> Result<(), CommitError> {
        let specials = !params.changes.iter().any(|change| matches!(change, Change::Copy { .. }));
        let mut is_past_cancel = false;
        for (number, one) in prepared.iter_mut().enumerate() {
            let shown = step_path(steps, number);
            let hidden = matches!(one.step, Step::Copy { .. } | Step::Folder { .. });
            let outcome = if !hidden && !is_past_cancel && !params.editor.commit() {
                Err(CommitError::Cancelled.into())
            } else {
                is_past_cancel |= !hidden;
                one.perform(folders, params.interrupt, specials)
                    .map_err(|error| step_failure(error, &shown))
            };
            if let Err(first) = outcome {
                // A raced step has reverted itself.
                let count = number + usize::from(!matches!(first, StepFailure::Raced(_)));
                return Err(revert_after(steps, (count, folders), first, shown));
            }
        }
        if !is_past_cancel && !params.editor.commit() {
            let first = CommitError::Cancelled.into();
            return Err(revert_after(steps, (usize::MAX, folders), first, step_path(steps, 0)));
        }
        steps.sync(folders);
        // Check as late as possible: afterwards the replaced files are removed.
        if let Some(number) = steps.overwritten_step(folders) {
            let shown = step_path(steps, number);
            let first = step_failure(StepError::Changed, &shown);
            return Err(revert_after(steps, (usize::MAX, folders), first, shown));
        }
        Ok(())
    }
}

/// Turns edits of open documents in folders that move into edits of their files: the editor knows
/// the documents by paths that disappear. The documents must be saved.
fn edit_files_in_moved_folders<'c>(
    now: &Snapshot,
    changes: &'c [Change],
) -> Result<Cow<'c, [Change]>, CommitError> {
    let folders: Vec<_> =
        changes.iter().filter_map(Change::moved_folder).map(FilePath::absolute).collect();
    let mut changes = Cow::Borrowed(changes);
    for number in 0..changes.len() {
        let Change::Edit { file, edits, after } = &changes[number] else { continue };
        let path = &file.path;
        let moves = folders.iter().any(|folder| path.absolute().starts_with(folder));
        if !moves || !matches!(file.source, Source::Open(_)) {
            continue;
        }
        let disk = now.read_disk(path)?;
        if disk.text != file.text {
            return Err(CommitError::Unsaved { path: path.display_path() });
        }
        let change = Change::Edit { file: disk, edits: edits.clone(), after: after.clone() };
        changes.to_mut()[number] = change;
    }
    Ok(changes)
}

/// Why a step failed.
enum StepFailure {
    Commit(CommitError),
    /// The content that others have written meanwhile is kept at this path.
    Raced(StepPath),
}

impl From<CommitError> for StepFailure {
    fn from(error: CommitError) -> Self {
        Self::Commit(error)
    }
}

/// Reverts the first `count` steps of a transaction that failed with `first` at `path`; returns its
/// error.
fn revert_after(
    steps: &Steps,
    (count, folders): (usize, &ParentFolders<'_>),
    first: StepFailure,
    path: String,
) -> CommitError {
    let (first, mut kept) = match first {
        StepFailure::Commit(first) => (Some(first), Vec::new()),
        StepFailure::Raced(step_path) => (None, vec![step_path]),
    };
    let outcome = steps.revert(count, folders, &mut kept);
    let raced =
        || CommitError::Raced { path: path.clone(), kept: kept.iter().map(kept_path).collect() };
    let first = match first {
        Some(first) if kept.is_empty() => first,
        _ => raced(),
    };
    let Err(errno) = outcome else { return first };
    let source = FileError::from_errno(&path, "putting back", errno);
    let first = match first {
        CommitError::File(first) => first,
        other => {
            let (path, action) = (other.to_string(), "the change");
            FileError::Io { path, action, source: Errno::IO }
        }
    };
    CommitError::RevertFailed { path, source, first }
}

/// The parameters of a running transaction.
struct TransactionParams<'a> {
    changes: &'a [Change],
    undoes: Option<i64>,
    label: ActionLabel<'a>,
    history_lock: Option<&'a LockedHistory<'a>>,
    needs_history: bool,
    interrupt: &'a AtomicBool,
    editor: &'a dyn Editor,
}

fn step_failure(error: StepError, shown: &str) -> StepFailure {
    let failed = match error {
        StepError::Raced(step_path) => return StepFailure::Raced(step_path),
        StepError::Changed => FileError::Changed { path: shown.to_owned() }.into(),
        StepError::Errno(Errno::EXIST | Errno::NOTEMPTY) => {
            CommitError::Exists { path: shown.to_owned() }
        }
        StepError::Errno(Errno::CANCELED) => CommitError::Cancelled,
        StepError::Errno(Errno::OPNOTSUPP) => {
            FileError::NotRegular { path: shown.to_owned(), what: "or contains a special file" }
                .into()
        }
        StepError::Errno(errno) => FileError::from_errno(shown, "writing", errno).into(),
    };
    StepFailure::Commit(failed)
}

fn kept_path(step_path: &StepPath) -> String {
    match step_path {
        StepPath::Workspace(path) => path.display_path(),
        StepPath::Trash(_) => "the trash".to_owned(),
    }
}

/// The display path of a step; for a hidden path, that of the step that it belongs to.
fn step_path(steps: &Steps, number: usize) -> String {
    let named = |step: &Step| {
        let paths = match step {
            Step::Folder { at } => [at, at],
            Step::Copy { from, to } => [from, to],
            Step::Rename { from, to, .. } => [to, from],
        };
        paths.into_iter().find_map(|step_path| match step_path {
            StepPath::Workspace(path)
                if !path.file_name().to_string_lossy().starts_with(".tandem-") =>
            {
                Some(path.display_path())
            }
            _ => None,
        })
    };
    let (before, on) = steps.steps.split_at(number);
    let found = on.iter().chain(before.iter().rev()).find_map(named);
    found.unwrap_or_else(|| "the trash".to_owned())
}

fn trash_of(step: &Step) -> Option<&str> {
    match step {
        Step::Copy { to: StepPath::Trash(name), .. }
        | Step::Rename { to: StepPath::Trash(name), .. } => Some(name),
        _ => None,
    }
}

/// The URIs of the files that a step changes visibly.
fn uris(step: &Step) -> Vec<String> {
    let paths = match step {
        Step::Folder { .. } | Step::Copy { .. } => return Vec::new(),
        Step::Rename { from, to, .. } => [from, to],
    };
    paths
        .into_iter()
        .filter_map(|step_path| match step_path {
            StepPath::Workspace(path) => Some(uri_of_path(&path.absolute())),
            StepPath::Trash(_) => None,
        })
        .collect()
}
