//! Changes of many files as one: all of it happens, or none.

mod change;
mod documents;
mod error;
mod places;
mod stage;

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

pub use self::change::Change;
use self::documents::document_edit;
pub use self::error::CommitError;
use self::stage::Staging;
use crate::actions::record::fill_in;
use crate::actions::{ActionHistory, ActionLabel, Lock};
use crate::journal::{Place, Ready, Step, StepError, Steps};
use crate::platform::Errno;
use crate::trash::Trash;
use crate::uri::uri_of_path;
use crate::{Editor, FileError, FilePath, Snapshot, Source, Turn, Workspace};

/// What a transaction did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// Its number in the history; `None` where nothing changed, or none is kept.
    pub action: Option<i64>,
    /// Why it is in no history.
    pub unrecorded: Option<String>,
    /// Whether the editor has said that it made the edit, but has not reported the change.
    pub unconfirmed: bool,
    /// The open documents whose files went or got another path.
    pub open: Vec<FilePath>,
}

/// The history that a transaction is recorded in, while it has the turn among processes.
struct Record<'a> {
    history: &'a ActionHistory,
    _lock: Lock,
}

impl Workspace {
    /// Applies `changes`, which were worked out on `seen`, in their order: open documents through
    /// `editor`, in one step; what is on disk by renaming. Edits of files in a folder that moves come
    /// before the folder's move. Everything that can fail is done before
    /// anything is visible; what fails all the same is taken back, also after a crash. It is
    /// recorded as an action that can be undone.
    ///
    /// Where no history can be kept, one file alone can still be edited or created; what takes
    /// something away, and what is of several files, is refused.
    ///
    /// # Errors
    /// When nothing was changed, and why. [`CommitError::Torn`] and [`CommitError::Raced`] alone mean
    /// otherwise.
    pub fn commit<'l>(
        &self,
        turn: &Turn<'_>,
        label: impl Into<ActionLabel<'l>>,
        seen: &Snapshot,
        changes: &[Change],
        editor: &dyn Editor,
    ) -> Result<Committed, CommitError> {
        self.commit_as(turn, label.into(), None, seen, changes, editor)
    }

    /// As [`Workspace::commit`], for an action that undoes `undoes`.
    pub(crate) fn commit_as(
        &self,
        turn: &Turn<'_>,
        label: ActionLabel<'_>,
        undoes: Option<i64>,
        seen: &Snapshot,
        changes: &[Change],
        editor: &dyn Editor,
    ) -> Result<Committed, CommitError> {
        let now = self.snapshot();
        let changes = &*on_disk_where_moved(&now, changes)?;
        let places = changes.iter().flat_map(Change::places);
        places.into_iter().try_for_each(|path| now.check_writable(path))?;
        let history = self.history(&now.roots);
        let recorded = match &history {
            Ok(history) => history
                .lock(&now.roots)
                .map(|lock| Record { history, _lock: lock })
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        let record = recorded.as_ref().ok();
        let history = record.map(|record| record.history);
        let mut staging = Staging::new(&now, seen, history).with_moving(changes);
        let mut documents = Vec::new();
        for change in changes {
            match change {
                Change::Edit { file, edits, after } if matches!(file.source, Source::Open(_)) => {
                    documents.push(document_edit(&now, file, edits)?);
                    staging.document(file, after);
                }
                _ => staging.stage(change)?,
            }
        }
        let needs_history = changes.len() > 1
            || changes.iter().any(|change| {
                !matches!(
                    change,
                    Change::Edit { .. }
                        | Change::Bytes { .. }
                        | Change::Create { .. }
                        | Change::Put { .. }
                )
            });
        if let Err(error) = &recorded
            && needs_history
        {
            return Err(CommitError::Journal(error.clone()));
        }
        let work = Work {
            changes,
            undoes,
            label,
            record,
            needs_history,
            interrupt: turn.interrupt(),
            editor,
        };
        let open = std::mem::take(&mut staging.open);
        let mut committed = self.carry_out(&work, staging, &documents)?;
        committed.open = open;
        if let Err(error) = recorded {
            committed.unrecorded = Some(error);
        }
        Ok(committed)
    }

    fn carry_out(
        &self,
        work: &Work<'_>,
        staging: Staging<'_>,
        documents: &[crate::DocumentEdit],
    ) -> Result<Committed, CommitError> {
        let Staging { mut ready, clear, tidy, mut did, .. } = staging;
        let steps = Steps { steps: ready.iter().map(|r| r.step.clone()).collect(), clear, tidy };
        let renames = |step: &&Step| matches!(step, Step::Rename { .. });
        let durable = steps.steps.iter().filter(renames).count() > 1 || steps.have_copies();
        let mut committed = Committed::default();
        if let Some(record) = work.record {
            let begun = record.history.begin(work.label, &did, &steps, work.undoes, durable);
            match begun {
                Ok(id) => committed.action = Some(id),
                Err(error) if work.needs_history => {
                    return Err(CommitError::Journal(error.to_string()));
                }
                // What the history was to take over is lost to it, but the edit goes on.
                Err(error) if steps.steps.iter().any(|s| trash_of(s).is_some()) => {
                    return Err(CommitError::Journal(error.to_string()));
                }
                Err(error) => committed.unrecorded = Some(error.to_string()),
            }
        }
        let recorded = work.record.zip(committed.action);
        let forget = || {
            if let Some((record, id)) = recorded {
                record.history.forget(id);
            }
        };
        if !documents.is_empty() {
            let is_reported = self
                .apply_in_editor(work.label.tool, work.changes, documents, work.editor)
                .inspect_err(|_| forget())?;
            committed.unconfirmed = !is_reported;
        }
        let trash = work.record.map(|record| &record.history.trash);
        let performed = self.perform(work, &mut ready, &steps).and_then(|()| match recorded {
            // After a crash, whoever finds it must know that the copies are all there is.
            Some((record, id)) if steps.have_copies() => record.history.clearing(id).map_err(|e| {
                let first = CommitError::Journal(e.to_string()).into();
                taken_back(&steps, (usize::MAX, trash), first, shown(&steps, 0))
            }),
            _ => Ok(()),
        });
        if let Err(error) = performed {
            ready.iter().for_each(Ready::remove_copy);
            if let (CommitError::Torn { .. }, Some((record, id))) = (&error, recorded) {
                record.history.torn(id);
            } else {
                forget();
            }
            self.take_back_in_editor(work.label.tool, documents, work.changes, work.editor);
            return Err(error);
        }
        steps.clear(trash);
        if let Some((record, id)) = recorded {
            fill_in(&mut did, &self.snapshot().roots);
            record.history.end(id, did, durable);
        }
        self.files_changed(steps.steps.iter().flat_map(uris));
        if work.changes.iter().any(Change::is_of_folder) {
            self.files_may_have_changed();
        }
        Ok(committed)
    }

    /// Does the steps; those that were done are taken back when one fails.
    fn perform(
        &self,
        work: &Work<'_>,
        ready: &mut [Ready],
        steps: &Steps,
    ) -> Result<(), CommitError> {
        let trash = work.record.map(|record| &record.history.trash);
        let specials = !work.changes.iter().any(|change| matches!(change, Change::Copy { .. }));
        let mut is_final = false;
        for (number, one) in ready.iter_mut().enumerate() {
            let shown = shown(steps, number);
            let hidden = matches!(one.step, Step::Copy { .. } | Step::Folder { .. });
            let outcome = if !hidden && !is_final && !work.editor.commit() {
                Err(CommitError::Cancelled.into())
            } else {
                is_final |= !hidden;
                one.perform(trash, work.interrupt, specials).map_err(|error| failed(error, &shown))
            };
            if let Err(first) = outcome {
                // One that was raced has cleared up after itself.
                let count = number + usize::from(!matches!(first, Failed::Raced(_)));
                return Err(taken_back(steps, (count, trash), first, shown));
            }
        }
        if !is_final && !work.editor.commit() {
            let first = CommitError::Cancelled.into();
            return Err(taken_back(steps, (usize::MAX, trash), first, shown(steps, 0)));
        }
        steps.sync(trash);
        // As late as can be: after this, what was replaced is gone.
        if let Some(number) = steps.overtaken(trash) {
            let shown = shown(steps, number);
            let first = failed(StepError::Changed, &shown);
            return Err(taken_back(steps, (usize::MAX, trash), first, shown));
        }
        Ok(())
    }
}

/// The changes, with the edits of open documents in folders that move as edits of their files: the
/// editor has them under paths that are gone afterwards. They have to be saved.
fn on_disk_where_moved<'c>(
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
            return Err(CommitError::Unsaved { path: path.shown() });
        }
        let change = Change::Edit { file: disk, edits: edits.clone(), after: after.clone() };
        changes.to_mut()[number] = change;
    }
    Ok(changes)
}

/// Why a step was not done.
enum Failed {
    Commit(CommitError),
    /// What somebody has written meanwhile is left at this place.
    Raced(Place),
}

impl From<CommitError> for Failed {
    fn from(error: CommitError) -> Self {
        Self::Commit(error)
    }
}

/// Takes back the first `count` steps of a transaction that failed by `first` at `path`: its error.
fn taken_back(
    steps: &Steps,
    (count, trash): (usize, Option<&Trash>),
    first: Failed,
    path: String,
) -> CommitError {
    let (first, mut kept) = match first {
        Failed::Commit(first) => (Some(first), Vec::new()),
        Failed::Raced(place) => (None, vec![place]),
    };
    let outcome = steps.take_back(count, trash, &mut kept);
    let raced =
        || CommitError::Raced { path: path.clone(), kept: kept.iter().map(shown_place).collect() };
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
    CommitError::Torn { path, source, first }
}

/// What a transaction is about.
struct Work<'a> {
    changes: &'a [Change],
    undoes: Option<i64>,
    label: ActionLabel<'a>,
    record: Option<&'a Record<'a>>,
    needs_history: bool,
    interrupt: &'a AtomicBool,
    editor: &'a dyn Editor,
}

fn failed(error: StepError, shown: &str) -> Failed {
    let failed = match error {
        StepError::Raced(place) => return Failed::Raced(place),
        StepError::Changed => FileError::Changed { path: shown.to_owned() }.into(),
        StepError::Errno(Errno::EXIST | Errno::NOTEMPTY) => {
            CommitError::Exists { path: shown.to_owned() }
        }
        StepError::Errno(Errno::CANCELED) => CommitError::Cancelled,
        StepError::Errno(Errno::OPNOTSUPP) => {
            FileError::NotRegular { path: shown.to_owned(), what: "or holds a special file" }.into()
        }
        StepError::Errno(errno) => FileError::from_errno(shown, "writing", errno).into(),
    };
    Failed::Commit(failed)
}

fn shown_place(place: &Place) -> String {
    match place {
        Place::Tree(path) => path.shown(),
        Place::Trash(_) => "the trash".to_owned(),
    }
}

/// The place that a message about a step names: of what is hidden, the one that it is for.
fn shown(steps: &Steps, number: usize) -> String {
    let named = |step: &Step| {
        let places = match step {
            Step::Folder { at } => [at, at],
            Step::Copy { from, to } => [from, to],
            Step::Rename { from, to, .. } => [to, from],
        };
        places.into_iter().find_map(|place| match place {
            Place::Tree(path) if !path.file_name().to_string_lossy().starts_with(".tandem-") => {
                Some(path.shown())
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
        Step::Copy { to: Place::Trash(name), .. } | Step::Rename { to: Place::Trash(name), .. } => {
            Some(name)
        }
        _ => None,
    }
}

fn uris(step: &Step) -> Vec<String> {
    let places = match step {
        Step::Folder { .. } | Step::Copy { .. } => return Vec::new(),
        Step::Rename { from, to, .. } => [from, to],
    };
    places
        .into_iter()
        .filter_map(|place| match place {
            Place::Tree(path) => Some(uri_of_path(&path.absolute())),
            Place::Trash(_) => None,
        })
        .collect()
}
