//! Plans the changes that undo an action, and checks whether they are safe.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use similar::{MergeResolution, TextMerge};
use text::{Text, decode};

use super::record::{RecordedChange, RecordedKind, StoredContent};
use super::{Action, ActionHistory, ActionState, HistoryError};
use crate::entries::{display_fingerprint, fingerprint_of, open_below};
use crate::platform::{Errno, Opening};
use crate::{Change, FileError, FileKind, FilePath, FileText, Root, Snapshot, Source};

/// What to do with files that have changed since the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Undo nothing.
    #[default]
    Refuse,
    /// Leave them as they are and undo the rest.
    Skip,
    /// In text files, revert the action's change with a three-way merge. Where the changes overlap
    /// or are adjacent, and for files that are not text, undo nothing.
    Merge,
}

/// The planner that undoes an action.
pub struct UndoPlan {
    /// The action.
    pub action: Action,
    pub(crate) changes: Vec<Change>,
    /// The paths that the planner empties: removed entries and move sources.
    pub emptied_paths: Vec<FilePath>,
    /// The paths that the planner writes: edited and restored files and move targets.
    pub written_paths: Vec<FilePath>,
    /// The open documents that the editor will change.
    pub open: Vec<FilePath>,
    /// For each text file that changes: its path, its text now and its text afterwards.
    pub texts: Vec<(FilePath, String, String)>,
    /// Paths that already have their content from before the action.
    pub already_reverted: Vec<FilePath>,
    /// Paths that are left alone because they changed after the action.
    pub skipped: Vec<UndoConflict>,
    /// Files in which later changes are kept by a merge.
    pub merged: Vec<FilePath>,
}

/// A path whose content is not what the action left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoConflict {
    /// The path.
    pub path: String,
    /// The fingerprint that the action left: for files their SHA-256.
    pub expected: String,
    /// The fingerprint now.
    pub actual: String,
    /// The text that the action left and the text now, if both are known.
    pub texts: Option<(String, String)>,
    /// Whether [`OnConflict::Merge`] would work here.
    pub can_merge: bool,
}

/// Why an action cannot be undone.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum UndoError {
    #[error("there is no action {0}")]
    UnknownAction(String),
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("action {0} is already undone")]
    AlreadyUndone(i64),
    #[error("action {id}: {path} is not in an open workspace folder")]
    NotOpen { id: i64, path: String },
    #[error("action {id}: the stored content of {path} is missing")]
    BackupMissing { id: i64, path: String },
    #[error("action {id}: {} changed since", subject(.conflicts))]
    Conflict { id: i64, conflicts: Vec<UndoConflict> },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// The subject of the conflict message.
fn subject(conflicts: &[UndoConflict]) -> String {
    match conflicts {
        [one] => format!("{} has", one.path),
        [one, rest @ ..] => format!("{} and {} more have", one.path, rest.len()),
        [] => "nothing has".to_owned(),
    }
}

/// Builds an [`Undo`] by reverting the recorded changes from last to first.
struct UndoPlanner<'a> {
    history: &'a ActionHistory,
    now: &'a Snapshot,
    on_conflict: OnConflict,
    /// Paths that actions changed which are undone before this one: what they are now does not count.
    undone_before: &'a HashSet<PathBuf>,
    undo: UndoPlan,
    conflicts: Vec<UndoConflict>,
    /// Paths that earlier steps of the planner empty.
    emptied: Vec<FilePath>,
    /// Folders that are moved back: their path now and their old path.
    moved: Vec<(FilePath, FilePath)>,
}

impl ActionHistory {
    /// Plans how to undo the action `id`, by default the last one that is not undone.
    pub(crate) fn undo(
        &self,
        id: Option<i64>,
        on_conflict: OnConflict,
        now: &Snapshot,
        undone_before: &HashSet<PathBuf>,
    ) -> Result<UndoPlan, UndoError> {
        let found = self.action(id)?;
        let (action, recorded) = found.ok_or_else(|| match id {
            Some(id) => UndoError::UnknownAction(id.to_string()),
            None => UndoError::NothingToUndo,
        })?;
        if action.state == ActionState::Undone {
            return Err(UndoError::AlreadyUndone(action.id));
        }
        let undo = UndoPlan {
            action,
            changes: Vec::new(),
            emptied_paths: Vec::new(),
            written_paths: Vec::new(),
            open: Vec::new(),
            texts: Vec::new(),
            already_reverted: Vec::new(),
            skipped: Vec::new(),
            merged: Vec::new(),
        };
        let mut planner = UndoPlanner {
            history: self,
            now,
            on_conflict,
            undone_before,
            undo,
            conflicts: Vec::new(),
            emptied: Vec::new(),
            moved: Vec::new(),
        };
        for recorded in recorded.iter().rev() {
            planner.revert(recorded)?;
        }
        let is_partial = on_conflict == OnConflict::Skip && !planner.undo.changes.is_empty();
        if planner.conflicts.is_empty() || is_partial {
            planner.edit_before_moving();
            planner.undo.skipped = planner.conflicts;
            return Ok(planner.undo);
        }
        Err(UndoError::Conflict { id: planner.undo.action.id, conflicts: planner.conflicts })
    }
}

impl UndoPlan {
    /// Whether the planner contains any change.
    #[must_use]
    pub fn changes_anything(&self) -> bool {
        !self.changes.is_empty()
    }
}

impl UndoPlanner<'_> {
    /// Plans to revert one recorded change, or adds a conflict.
    fn revert(&mut self, recorded: &RecordedChange) -> Result<(), UndoError> {
        let id = self.undo.action.id;
        let roots: &[Arc<Root>] = &self.now.roots;
        let not_open = || UndoError::NotOpen { id, path: recorded.path.shown.clone() };
        let path = recorded.path.read(roots).ok_or_else(not_open)?;
        match &recorded.kind {
            RecordedKind::Edited { before, fingerprint_after, change, was_open, .. } => {
                let before = self.stored_content(before, &path)?;
                let path = self.current_path(path);
                self.revert_edit(&path, before, fingerprint_after, change.as_ref(), *was_open)?;
            }
            RecordedKind::Created { fingerprint } => {
                let now = fingerprint_of(&path)?;
                let expected = fingerprint.as_deref().unwrap_or_default();
                if now.is_none() {
                    self.undo.already_reverted.push(path);
                    return Ok(());
                }
                if now.as_deref() != Some(expected) {
                    self.conflict(&path, expected, now.as_deref(), None, false);
                    return Ok(());
                }
                self.undo.changes.push(Change::Remove { entry: self.now.entry(&path)? });
                self.emptied.push(path.clone());
                self.undo.emptied_paths.push(path);
            }
            RecordedKind::Folder => self.undo.changes.push(Change::RemoveFolderIfEmpty { path }),
            RecordedKind::Deleted { trash } => {
                if !self.is_free(&path)? {
                    let now = fingerprint_of(&path)?;
                    self.conflict(&path, "nothing", now.as_deref(), None, false);
                    return Ok(());
                }
                if open_below(self.history.trash.dir(), Path::new(trash), Opening::Inspect).is_err()
                {
                    return Err(UndoError::BackupMissing { id, path: path.display_path() });
                }
                self.undo.written_paths.push(path.clone());
                self.undo.changes.push(Change::Restore { trash: trash.clone(), to: path });
            }
            RecordedKind::Moved { from, fingerprint } => {
                let from = from.read(roots).ok_or_else(not_open)?;
                let now = match fingerprint {
                    Some(_) => fingerprint_of(&path)?,
                    None => self.is_folder(&path).then(|| "a folder".to_owned()),
                };
                let expected = fingerprint.as_deref().unwrap_or("a folder");
                if now.as_deref() != Some(expected) {
                    self.conflict(&path, expected, now.as_deref(), None, false);
                    return Ok(());
                }
                if !self.is_free(&from)? {
                    let now = fingerprint_of(&from)?;
                    self.conflict(&from, "nothing", now.as_deref(), None, false);
                    return Ok(());
                }
                let entry = self.now.entry(&path)?;
                if entry.kind == FileKind::Directory {
                    self.moved.push((path.clone(), from.clone()));
                }
                self.undo.changes.push(Change::Rename { entry, to: from.clone(), over: None });
                self.emptied.push(path.clone());
                self.undo.emptied_paths.push(path);
                self.undo.written_paths.push(from);
            }
        }
        Ok(())
    }

    /// The current path of a file whose folder was moved by the same action.
    fn current_path(&self, path: FilePath) -> FilePath {
        let inner = self.moved.iter().find_map(|(now, was)| {
            let rest = path.relative.strip_prefix(&was.relative).ok()?;
            Arc::ptr_eq(&path.root, &was.root)
                .then(|| FilePath::new(&now.root, now.relative.join(rest)))
        });
        inner.unwrap_or(path)
    }

    /// Orders edits inside moved folders before the folders are moved back: the edits use current
    /// paths.
    fn edit_before_moving(&mut self) {
        let moves = |change: &Change| {
            let edited = change.edited_file().map(FilePath::absolute);
            edited.is_some_and(|path| {
                self.moved.iter().any(|(now, _)| path.starts_with(now.absolute()))
            })
        };
        let (mut changes, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.undo.changes).into_iter().partition(moves);
        changes.extend(rest);
        self.undo.changes = changes;
    }

    /// Plans to restore the content `before` of an edited file whose fingerprint should be
    /// `expected`.
    fn revert_edit(
        &mut self,
        path: &FilePath,
        before: Vec<u8>,
        expected: &str,
        change: Option<&(usize, usize, Vec<u8>)>,
        was_open: bool,
    ) -> Result<(), UndoError> {
        let after = change.and_then(|(start, end, new)| {
            Some([before.get(..*start)?, new, before.get(*end..)?].concat())
        });
        let file = match self.now.read(path) {
            Ok(file) => file,
            Err(FileError::Encoding { .. }) => {
                let file = self.now.read_bytes(path)?;
                if file.hash.to_string() != expected {
                    self.conflict(path, expected, Some(&file.hash.to_string()), None, false);
                    return Ok(());
                }
                self.undo.changes.push(Change::Bytes { file, after: before });
                self.undo.written_paths.push(path.clone());
                return Ok(());
            }
            Err(FileError::NotFound { .. } | FileError::IsDirectory { .. }) => {
                let now = fingerprint_of(path)?;
                self.conflict(path, expected, now.as_deref(), None, false);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let is_open = matches!(file.source, Source::Open(_));
        // A buffer has no encoding and no byte order mark, so texts are compared instead of bytes.
        let text = |bytes: &[u8]| decode(bytes.to_vec()).ok().map(|decoded| decoded.text);
        let without_bom = |text: &str| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let now = file.text.to_string();
        let same = file.hash.to_string() == expected
            || (is_open != was_open
                && after
                    .as_deref()
                    .and_then(text)
                    .is_some_and(|expected| without_bom(&expected) == without_bom(&now)));
        if !same {
            let text_before = text(&before);
            if text_before.as_deref().is_some_and(|before| without_bom(before) == without_bom(&now))
            {
                self.undo.already_reverted.push(path.clone());
                return Ok(());
            }
            let Some(text_after_action) = after.as_deref().and_then(text) else {
                self.conflict(path, expected, Some(&file.hash.to_string()), None, false);
                return Ok(());
            };
            let merged = text_before.and_then(|before| {
                reverted_by_merge(&without_bom(&text_after_action), &now, &without_bom(&before))
            });
            let can_merge = merged.is_some();
            match merged.filter(|_| self.on_conflict == OnConflict::Merge) {
                Some(back) => {
                    self.undo.written_paths.push(path.clone());
                    self.undo.merged.push(path.clone());
                    self.push_text(path, file, now, back, &before, true);
                }
                None => {
                    self.conflict(
                        path,
                        expected,
                        Some(&file.hash.to_string()),
                        Some((text_after_action, now)),
                        can_merge,
                    );
                }
            }
            return Ok(());
        }
        self.undo.written_paths.push(path.clone());
        let as_text = match (is_open, was_open) {
            (true, true) => String::from_utf8(before.clone()).ok(),
            _ => text(&before),
        };
        let Some(mut back) = as_text else {
            let file = self.now.read_bytes(path)?;
            self.undo.changes.push(Change::Bytes { file, after: before });
            return Ok(());
        };
        // Keep the byte order mark of the buffer.
        if is_open && !was_open && now.starts_with('\u{feff}') {
            back.insert(0, '\u{feff}');
        }
        self.push_text(path, file, now, back, &before, is_open || was_open);
        Ok(())
    }

    /// Plans to restore the file's text; byte for byte if it was and is on disk.
    fn push_text(
        &mut self,
        path: &FilePath,
        file: FileText,
        now: String,
        back: String,
        before: &[u8],
        by_text: bool,
    ) {
        self.undo.texts.push((path.clone(), now, back.clone()));
        if matches!(file.source, Source::Open(_)) {
            self.undo.open.push(path.clone());
        } else if !by_text && file.encode(&back) != before {
            // The encoding changed as well, so the bytes are restored.
            if let Ok(file) = self.now.read_bytes(path) {
                self.undo.changes.push(Change::Bytes { file, after: before.to_vec() });
                return;
            }
        }
        let new = Text::new(&back);
        let edits = match file.text.difference(&new) {
            Some((from, to)) => vec![(from, new.slice(to).into_owned())],
            None => Vec::new(),
        };
        self.undo.changes.push(Change::Edit { file, edits, after: back });
    }

    /// Loads an earlier content from the record or the trash.
    fn stored_content(&self, kept: &StoredContent, path: &FilePath) -> Result<Vec<u8>, UndoError> {
        let name = match kept {
            StoredContent::Inline(bytes) => return Ok(bytes.clone()),
            StoredContent::Trash(name) => name,
        };
        let gone =
            || UndoError::BackupMissing { id: self.undo.action.id, path: path.display_path() };
        let file = open_below(self.history.trash.dir(), Path::new(name), Opening::Read)
            .map_err(|_| gone())?;
        let mut bytes = Vec::new();
        let mut file =
            std::io::Read::take(std::fs::File::from(file), crate::root::MAX_READ_BYTES + 1);
        std::io::Read::read_to_end(&mut file, &mut bytes).map_err(|_| gone())?;
        Ok(bytes)
    }

    /// Whether `path` will be free when the planner writes to it.
    fn is_free(&self, path: &FilePath) -> Result<bool, FileError> {
        if self.emptied.iter().any(|emptied| path.absolute().starts_with(emptied.absolute())) {
            return Ok(true);
        }
        match path.root.stat(&path.relative) {
            Ok(_) => Ok(false),
            Err(Errno::NOENT) => Ok(true),
            Err(errno) => Err(FileError::from_errno(&path.display_path(), "looking up", errno)),
        }
    }

    fn is_folder(&self, path: &FilePath) -> bool {
        path.root.open_at(&path.relative, Opening::Folder).is_ok()
    }

    fn conflict(
        &mut self,
        path: &FilePath,
        expected: &str,
        actual: Option<&str>,
        texts: Option<(String, String)>,
        can_merge: bool,
    ) {
        let absolute = path.absolute();
        let mut earlier = self.undone_before.iter();
        if earlier.any(|other| absolute.starts_with(other) || other.starts_with(&absolute)) {
            self.undo.written_paths.push(path.clone());
            return;
        }
        self.conflicts.push(UndoConflict {
            path: path.display_path(),
            expected: expected.to_owned(),
            actual: display_fingerprint(actual),
            texts,
            can_merge,
        });
    }
}

/// Reverts the change `before` → `after` in `now` by a three-way merge; `None` if it overlaps or
/// touches the change `after` → `now`.
fn reverted_by_merge(after: &str, now: &str, before: &str) -> Option<String> {
    /// The merge takes too long for longer texts.
    const MAX_MERGED_BYTES: usize = 1 << 20;
    if [after, now, before].iter().any(|text| text.len() > MAX_MERGED_BYTES) {
        return None;
    }
    let merge = TextMerge::from_lines(after, now, before);
    // Adjacent changes may depend on each other, so an unchanged line must separate them.
    let is_apart = merge.regions().windows(2).all(|pair| {
        use MergeResolution::{Both, Ours, Theirs};
        !matches!(
            [pair[0].resolution(), pair[1].resolution()],
            [Ours, Theirs] | [Theirs, Ours] | [Both, Ours | Theirs] | [Ours | Theirs, Both]
        )
    });
    (is_apart && !merge.is_conflicted()).then(|| merge.to_string())
}

#[cfg(test)]
mod tests {
    use super::reverted_by_merge;

    #[test]
    fn merge_reverts_a_change_and_keeps_later_ones() {
        let before = "a\nb\nc\nd\n";
        let after = "a\nB\nc\nd\n";
        assert_eq!(
            reverted_by_merge(after, "a\nB\nc\nd\ne\n", before).as_deref(),
            Some("a\nb\nc\nd\ne\n")
        );
        assert_eq!(reverted_by_merge(after, "a\nB\nc\nD", before).as_deref(), Some("a\nb\nc\nD"));
        // The same line and an adjacent line.
        assert_eq!(reverted_by_merge(after, "a\nB!\nc\nd\n", before), None);
        assert_eq!(reverted_by_merge(after, "a\nB\nC\nd\n", before), None);
        let moved = reverted_by_merge("a\r\n1\r\nB\r\n", "x\r\na\r\n1\r\nB\r\n", "a\r\n1\r\nb\r\n");
        assert_eq!(moved.as_deref(), Some("x\r\na\r\n1\r\nb\r\n"));
    }
}
