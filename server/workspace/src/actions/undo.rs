//! What undoing an action takes, and whether it may be done.

use std::path::Path;
use std::sync::Arc;

use similar::{MergeResolution, TextMerge};
use text::{Text, decode};

use super::record::{Did, Kept, What};
use super::{Action, ActionHistory, HistoryError, State};
use crate::entries::{open_below, print, shown_print};
use crate::platform::{Errno, Opening};
use crate::{Change, FileError, FileKind, FilePath, FileText, Root, Snapshot, Source};

/// What becomes of places that are not what the action left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Nothing is undone.
    #[default]
    Refuse,
    /// They stay as they are, and the others are undone.
    Skip,
    /// In texts what the action changed is taken out of what is there now, where the two are apart. Where they
    /// are not, and in everything but texts, nothing is undone.
    Merge,
}

/// An action that can be undone, and what that takes.
pub struct Undo {
    /// The action.
    pub action: Action,
    pub(crate) changes: Vec<Change>,
    /// The places that will change: where something goes, and where something comes.
    pub goes: Vec<FilePath>,
    /// See `goes`.
    pub comes: Vec<FilePath>,
    /// The open documents that the editor will change.
    pub open: Vec<FilePath>,
    /// For each file that changes its text: the path, the text now, and the one from before.
    pub texts: Vec<(FilePath, String, String)>,
    /// Places that are as they were before the action: somebody has undone it there.
    pub already: Vec<FilePath>,
    /// Places that stay as they are, for they are not what the action left.
    pub skipped: Vec<Conflict>,
    /// Files that keep what was changed in them after the action.
    pub merged: Vec<FilePath>,
}

/// A place that is not what the action left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path.
    pub path: String,
    /// What tells the content that the action left: for files their SHA-256.
    pub expected: String,
    /// What stands there now.
    pub actual: String,
    /// The text that the action left and the one there now, where both are known.
    pub texts: Option<(String, String)>,
    /// Whether [`OnConflict::Merge`] would work here.
    pub can_merge: bool,
}

/// Why an action cannot be undone.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum UndoError {
    #[error("there is no action {0}")]
    Unknown(String),
    #[error("there is nothing to undo")]
    Nothing,
    #[error("action {0} was undone already")]
    Undone(i64),
    #[error("action {id}: {path} lies in no folder that is open")]
    NotOpen { id: i64, path: String },
    #[error("action {id}: what it kept of {path} is gone")]
    Gone { id: i64, path: String },
    #[error("action {id}: {} no longer what it left", told(.conflicts))]
    Conflict { id: i64, conflicts: Vec<Conflict> },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    History(#[from] HistoryError),
}

fn told(conflicts: &[Conflict]) -> String {
    match conflicts {
        [one] => format!("{} is", one.path),
        [one, rest @ ..] => format!("{} and {} more are", one.path, rest.len()),
        [] => "nothing is".to_owned(),
    }
}

/// What is being put together.
struct Plan<'a> {
    history: &'a ActionHistory,
    now: &'a Snapshot,
    on_conflict: OnConflict,
    undo: Undo,
    conflicts: Vec<Conflict>,
    /// Places that steps before have emptied, and filled.
    emptied: Vec<FilePath>,
    /// Folders that go back: where they are now, and where they were.
    moved: Vec<(FilePath, FilePath)>,
}

impl ActionHistory {
    /// Works out what undoing the action `id` takes, by default the last one not undone.
    pub(crate) fn undo(
        &self,
        id: Option<i64>,
        on_conflict: OnConflict,
        now: &Snapshot,
    ) -> Result<Undo, UndoError> {
        let found = self.action(id)?;
        let (action, did) = found.ok_or_else(|| match id {
            Some(id) => UndoError::Unknown(id.to_string()),
            None => UndoError::Nothing,
        })?;
        if action.state == State::Undone {
            return Err(UndoError::Undone(action.id));
        }
        let undo = Undo {
            action,
            changes: Vec::new(),
            goes: Vec::new(),
            comes: Vec::new(),
            open: Vec::new(),
            texts: Vec::new(),
            already: Vec::new(),
            skipped: Vec::new(),
            merged: Vec::new(),
        };
        let mut plan = Plan {
            history: self,
            now,
            on_conflict,
            undo,
            conflicts: Vec::new(),
            emptied: Vec::new(),
            moved: Vec::new(),
        };
        for did in did.iter().rev() {
            plan.back(did)?;
        }
        let is_partial = on_conflict == OnConflict::Skip && !plan.undo.changes.is_empty();
        if plan.conflicts.is_empty() || is_partial {
            plan.edit_before_moving();
            plan.undo.skipped = plan.conflicts;
            return Ok(plan.undo);
        }
        Err(UndoError::Conflict { id: plan.undo.action.id, conflicts: plan.conflicts })
    }
}

impl Undo {
    /// Whether anything changes by it.
    #[must_use]
    pub fn changes_anything(&self) -> bool {
        !self.changes.is_empty()
    }
}

impl Plan<'_> {
    fn back(&mut self, did: &Did) -> Result<(), UndoError> {
        let id = self.undo.action.id;
        let roots: &[Arc<Root>] = &self.now.roots;
        let not_open = || UndoError::NotOpen { id, path: did.path.shown.clone() };
        let path = did.path.read(roots).ok_or_else(not_open)?;
        match &did.what {
            What::Edited { before, was: _, left, change, open } => {
                let before = self.kept(before, &path)?;
                let path = self.now_at(path);
                self.edited(&path, before, left, change.as_ref(), *open)?;
            }
            What::Created { left } => {
                let now = print(&path)?;
                let left = left.as_deref().unwrap_or_default();
                if now.is_none() {
                    self.undo.already.push(path);
                    return Ok(());
                }
                if now.as_deref() != Some(left) {
                    self.conflict(&path, left, now.as_deref(), None, false);
                    return Ok(());
                }
                self.undo.changes.push(Change::Remove { entry: self.now.entry(&path)? });
                self.emptied.push(path.clone());
                self.undo.goes.push(path);
            }
            What::Folder => self.undo.changes.push(Change::Tidy { path }),
            What::Deleted { trash } => {
                if !self.is_free(&path)? {
                    let now = print(&path)?;
                    self.conflict(&path, "nothing", now.as_deref(), None, false);
                    return Ok(());
                }
                if open_below(self.history.trash.dir(), Path::new(trash), Opening::Look).is_err() {
                    return Err(UndoError::Gone { id, path: path.shown() });
                }
                self.undo.comes.push(path.clone());
                self.undo.changes.push(Change::Restore { trash: trash.clone(), to: path });
            }
            What::Moved { from, left } => {
                let from = from.read(roots).ok_or_else(not_open)?;
                let now = match left {
                    Some(_) => print(&path)?,
                    None => self.is_folder(&path).then(|| "a folder".to_owned()),
                };
                let left = left.as_deref().unwrap_or("a folder");
                if now.as_deref() != Some(left) {
                    self.conflict(&path, left, now.as_deref(), None, false);
                    return Ok(());
                }
                if !self.is_free(&from)? {
                    let now = print(&from)?;
                    self.conflict(&from, "nothing", now.as_deref(), None, false);
                    return Ok(());
                }
                let entry = self.now.entry(&path)?;
                if entry.kind == FileKind::Directory {
                    self.moved.push((path.clone(), from.clone()));
                }
                self.undo.changes.push(Change::Rename { entry, to: from.clone(), over: None });
                self.emptied.push(path.clone());
                self.undo.goes.push(path);
                self.undo.comes.push(from);
            }
        }
        Ok(())
    }

    /// Where a file is now that was edited before its folder moved.
    fn now_at(&self, path: FilePath) -> FilePath {
        let inner = self.moved.iter().find_map(|(now, was)| {
            let rest = path.relative.strip_prefix(&was.relative).ok()?;
            Arc::ptr_eq(&path.root, &was.root)
                .then(|| FilePath::new(&now.root, now.relative.join(rest)))
        });
        inner.unwrap_or(path)
    }

    /// Puts the edits of files in folders that go back before that.
    fn edit_before_moving(&mut self) {
        let moves = |change: &Change| {
            let edited = change.edited().map(FilePath::absolute);
            edited.is_some_and(|path| {
                self.moved.iter().any(|(now, _)| path.starts_with(now.absolute()))
            })
        };
        let (mut changes, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.undo.changes).into_iter().partition(moves);
        changes.extend(rest);
        self.undo.changes = changes;
    }

    fn edited(
        &mut self,
        path: &FilePath,
        before: Vec<u8>,
        left: &str,
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
                if file.hash.to_string() != left {
                    self.conflict(path, left, Some(&file.hash.to_string()), None, false);
                    return Ok(());
                }
                self.undo.changes.push(Change::Bytes { file, after: before });
                self.undo.comes.push(path.clone());
                return Ok(());
            }
            Err(FileError::NotFound { .. } | FileError::IsDirectory { .. }) => {
                let now = print(path)?;
                self.conflict(path, left, now.as_deref(), None, false);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let is_open = matches!(file.source, Source::Open(_));
        // A buffer has no encoding, and a file may have a mark: then the texts are compared.
        let text = |bytes: &[u8]| decode(bytes.to_vec()).ok().map(|decoded| decoded.text);
        let plain = |text: &str| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let now = file.text.to_string();
        let same = file.hash.to_string() == left
            || (is_open != was_open
                && after.as_deref().and_then(text).is_some_and(|left| plain(&left) == plain(&now)));
        if !same {
            let was = text(&before);
            if was.as_deref().is_some_and(|was| plain(was) == plain(&now)) {
                self.undo.already.push(path.clone());
                return Ok(());
            }
            let Some(left_text) = after.as_deref().and_then(text) else {
                self.conflict(path, left, Some(&file.hash.to_string()), None, false);
                return Ok(());
            };
            let merged = was.and_then(|was| merged(&plain(&left_text), &now, &plain(&was)));
            let can_merge = merged.is_some();
            match merged.filter(|_| self.on_conflict == OnConflict::Merge) {
                Some(back) => {
                    self.undo.comes.push(path.clone());
                    self.undo.merged.push(path.clone());
                    self.push_text(path, file, now, back, &before, true);
                }
                None => {
                    self.conflict(
                        path,
                        left,
                        Some(&file.hash.to_string()),
                        Some((left_text, now)),
                        can_merge,
                    );
                }
            }
            return Ok(());
        }
        self.undo.comes.push(path.clone());
        let as_text = match (is_open, was_open) {
            (true, true) => String::from_utf8(before.clone()).ok(),
            _ => text(&before),
        };
        let Some(mut back) = as_text else {
            let file = self.now.read_bytes(path)?;
            self.undo.changes.push(Change::Bytes { file, after: before });
            return Ok(());
        };
        // The mark of a buffer stays where it is.
        if is_open && !was_open && now.starts_with('\u{feff}') {
            back.insert(0, '\u{feff}');
        }
        self.push_text(path, file, now, back, &before, is_open || was_open);
        Ok(())
    }

    /// Gives the file its text from before; byte for byte where it was on disk.
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
        } else if !by_text && file.spell(&back) != before {
            // Its encoding was changed too.
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

    fn kept(&self, kept: &Kept, path: &FilePath) -> Result<Vec<u8>, UndoError> {
        let name = match kept {
            Kept::Inline(bytes) => return Ok(bytes.clone()),
            Kept::Trash(name) => name,
        };
        let gone = || UndoError::Gone { id: self.undo.action.id, path: path.shown() };
        let file = open_below(self.history.trash.dir(), Path::new(name), Opening::Read)
            .map_err(|_| gone())?;
        let mut bytes = Vec::new();
        let mut file = std::io::Read::take(std::fs::File::from(file), crate::root::READ_LIMIT + 1);
        std::io::Read::read_to_end(&mut file, &mut bytes).map_err(|_| gone())?;
        Ok(bytes)
    }

    /// Whether nothing will stand at `path` by the time that something comes there.
    fn is_free(&self, path: &FilePath) -> Result<bool, FileError> {
        if self.emptied.iter().any(|emptied| path.absolute().starts_with(emptied.absolute())) {
            return Ok(true);
        }
        match path.root.stat(&path.relative) {
            Ok(_) => Ok(false),
            Err(Errno::NOENT) => Ok(true),
            Err(errno) => Err(FileError::from_errno(&path.shown(), "looking up", errno)),
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
        self.conflicts.push(Conflict {
            path: path.shown(),
            expected: expected.to_owned(),
            actual: shown_print(actual),
            texts,
            can_merge,
        });
    }
}

/// `now` without what turned `was` into `left`; `None` where that overlaps with what turned `left` into `now`.
fn merged(left: &str, now: &str, was: &str) -> Option<String> {
    /// Longer texts are not compared: it takes too long.
    const LONGEST: usize = 1 << 20;
    if [left, now, was].iter().any(|text| text.len() > LONGEST) {
        return None;
    }
    let merge = TextMerge::from_lines(left, now, was);
    // Changes of neighbouring lines may belong together: only those with a line between them are apart.
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
    use super::merged;

    #[test]
    fn a_change_is_taken_out_of_a_text_that_has_moved_on() {
        let was = "a\nb\nc\nd\n";
        let left = "a\nB\nc\nd\n";
        assert_eq!(merged(left, "a\nB\nc\nd\ne\n", was).as_deref(), Some("a\nb\nc\nd\ne\n"));
        assert_eq!(merged(left, "a\nB\nc\nD", was).as_deref(), Some("a\nb\nc\nD"));
        // The same line, and the one beside it.
        assert_eq!(merged(left, "a\nB!\nc\nd\n", was), None);
        assert_eq!(merged(left, "a\nB\nC\nd\n", was), None);
        let moved = merged("a\r\n1\r\nB\r\n", "x\r\na\r\n1\r\nB\r\n", "a\r\n1\r\nb\r\n");
        assert_eq!(moved.as_deref(), Some("x\r\na\r\n1\r\nb\r\n"));
    }
}
