//! Plans the steps of changes and writes new contents under hidden names, before any step is
//! performed.

mod entries;

use std::path::{Path, PathBuf};

use super::paths::{failed, folder_of, nearest_folder, sibling};
use super::{Change, CommitError};
use crate::action_history::ActionHistory;
use crate::action_history::record::{RecordedChange, RecordedKind, StoredContent, byte_difference};
use crate::entries::Entry;
use crate::journal::{PreparedStep, Step, StepPath};
use crate::platform::Errno;
use crate::replace::NewContent;
use crate::trash::Trash;
use crate::{ContentHash, EntryKind, FileError, FilePath, FileText, Snapshot, Source, Stamp};

/// Size up to which an old content is stored in its record; larger ones go to the trash.
const MAX_INLINE_BYTES: usize = 64 << 10;

/// The planned steps of a transaction.
pub(super) struct StepPlanner<'a> {
    now: &'a Snapshot,
    seen: &'a Snapshot,
    trash: Option<&'a Trash>,
    pub(super) prepared: Vec<PreparedStep>,
    pub(super) leftovers: Vec<StepPath>,
    pub(super) empty_folders: Vec<StepPath>,
    pub(super) recorded: Vec<RecordedChange>,
    pub(super) open: Vec<FilePath>,
    /// Folders that earlier steps create.
    folders: Vec<FilePath>,
    /// Paths that earlier steps empty.
    emptied: Vec<FilePath>,
    /// Folders that are moved after the files in them are edited.
    moving: Vec<FilePath>,
}

impl<'a> StepPlanner<'a> {
    pub(super) fn new(
        now: &'a Snapshot,
        seen: &'a Snapshot,
        history: Option<&'a ActionHistory>,
    ) -> Self {
        Self {
            now,
            seen,
            trash: history.map(|history| &history.trash),
            prepared: Vec::new(),
            leftovers: Vec::new(),
            empty_folders: Vec::new(),
            recorded: Vec::new(),
            open: Vec::new(),
            folders: Vec::new(),
            emptied: Vec::new(),
            moving: Vec::new(),
        }
    }

    /// Sets the folders that `changes` move.
    pub(super) fn with_moving(mut self, changes: &[Change]) -> Self {
        self.moving = changes.iter().filter_map(Change::moved_folder).cloned().collect();
        self
    }

    /// The moved folder that contains `path`.
    fn moving_around(&self, path: &FilePath) -> Option<&FilePath> {
        let path = path.absolute();
        self.moving.iter().find(|folder| path.starts_with(folder.absolute()))
    }

    /// Records the edit of an open document, which the editor will perform.
    pub(super) fn document(&mut self, file: &FileText, after: &str) {
        let before = file.text.to_string().into_bytes();
        self.recorded.push(recorded_edit(&file.path, before, after.as_bytes(), None, true));
    }

    /// Plans one change on disk. Its new content is written, hidden and durable.
    pub(super) fn stage(&mut self, change: &Change) -> Result<(), CommitError> {
        match change {
            Change::Edit { file, after, .. } => {
                self.check_closed(&file.path)?;
                let before = file.encode(&file.text.to_string());
                let Source::Disk(stamp) = &file.source else {
                    return Err(CommitError::DocumentChanged { path: file.path.display_path() });
                };
                self.replace(&file.path, before, *stamp, &file.encode(after))
            }
            Change::Bytes { file, after } => {
                self.check_closed(&file.path)?;
                self.replace(&file.path, file.bytes.clone(), file.stamp, after)
            }
            Change::Create { path, text } => {
                if self.now.open_document(path).is_some() {
                    return Err(CommitError::Open { path: path.display_path() });
                }
                self.create(path, path, text.as_bytes(), false)
            }
            Change::CreateBinary { path, bytes, executable } => {
                if self.now.open_document(path).is_some() {
                    return Err(CommitError::Open { path: path.display_path() });
                }
                self.create(path, path, bytes, *executable)
            }
            Change::Delete { file } => {
                let entry = self.now.entry(&file.path)?;
                self.remove(&entry, stamp_of(file))
            }
            Change::Move { file, to, after } => {
                if self.now.open_document(to).is_some() {
                    return Err(CommitError::Open { path: to.display_path() });
                }
                let entry = self.now.entry(&file.path)?;
                if *after == file.text.to_string() {
                    return self.rename(&entry, to, None, stamp_of(file));
                }
                self.create(to, &file.path, &file.encode(after), false)?;
                self.remove(&entry, stamp_of(file))
            }
            Change::Remove { entry } => self.remove(entry, Some(entry.stat.stamp)),
            Change::Rename { entry, to, over } => {
                self.rename(entry, to, over.as_ref(), Some(entry.stat.stamp))
            }
            Change::Copy { entry, to, over } => self.copy(entry, to, over.as_ref()),
            Change::Folder { path } => {
                self.make_folders(Some(&path.relative), path)?;
                // The folder itself counts as created, its parents only as needed for it.
                if let Some(recorded) = self.recorded.last_mut() {
                    recorded.kind = RecordedKind::Created { fingerprint: None };
                }
                Ok(())
            }
            Change::Restore { trash, to } => self.restore(trash, to),
            Change::RemoveFolderIfEmpty { path } => {
                self.recorded.push(RecordedChange::new(path, RecordedKind::Folder));
                self.empty_folders.push(StepPath::Workspace(path.clone()));
                Ok(())
            }
        }
    }

    /// Fails if the file is open in the editor, where it must be changed instead.
    fn check_closed(&self, path: &FilePath) -> Result<(), CommitError> {
        if self.moving_around(path).is_some() {
            // It is saved; otherwise its folder could not be moved.
            return Ok(());
        }
        let path_shown = || path.display_path();
        match (self.now.open_document(path), self.seen.open_document(path)) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(CommitError::DocumentChanged { path: path_shown() }),
            (Some(_), Some(_)) => Err(CommitError::Open { path: path_shown() }),
        }
    }

    /// Records the open documents at and below `path`; fails if one has unsaved changes, which
    /// would be lost.
    fn check_saved(&mut self, path: &FilePath) -> Result<(), CommitError> {
        let top = path.absolute();
        let mut open = Vec::new();
        for document in self.now.documents() {
            let Some(own) = document.path(&self.now.roots) else { continue };
            if !own.absolute().starts_with(&top) {
                continue;
            }
            let text = document.text().to_string();
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let is_saved =
                self.now.read_disk(&own).is_ok_and(|file| file.text == text::Text::new(text));
            if !is_saved {
                return Err(CommitError::Unsaved { path: own.display_path() });
            }
            open.push(own);
        }
        self.open.extend(open);
        Ok(())
    }

    /// Writes the new content of a file, and plans to exchange it with the old one.
    fn replace(
        &mut self,
        path: &FilePath,
        before: Vec<u8>,
        stamp: Stamp,
        after: &[u8],
    ) -> Result<(), CommitError> {
        let entry = self.now.entry(path)?;
        if entry.stat.stamp != stamp {
            return Err(FileError::Changed { path: path.display_path() }.into());
        }
        // A hidden file inside a moving folder could no longer be found by its path.
        let near = self.moving_around(path).unwrap_or(path).clone();
        let dir = folder_of(&near)?;
        let is_trash_on_same_mount = self.trash.is_some_and(|trash| trash.is_on_same_mount(&dir));
        let content = NewContent::new(dir, path, Some(stamp), path, after)?;
        let hidden = StepPath::Workspace(sibling(&near, content.name()));
        let node = content.inode().map_err(|errno| failed(path, errno))?;
        let step = Step::Rename {
            from: hidden.clone(),
            to: StepPath::Workspace(path.clone()),
            node: Some(node),
            over: Some(entry.stat.node),
            made: true,
        };
        self.prepared.push(PreparedStep::new(step, Some(content), Some(stamp)));
        if before.len() > MAX_INLINE_BYTES && is_trash_on_same_mount {
            let name = Trash::name();
            self.recorded.push(recorded_edit(path, before, after, Some(&name), false));
            self.prepared.push(PreparedStep::without_content(Step::Rename {
                from: hidden,
                to: StepPath::Trash(name),
                node: Some(entry.stat.node),
                over: None,
                made: false,
            }));
        } else {
            self.leftovers.push(hidden);
            self.recorded.push(recorded_edit(path, before, after, None, false));
        }
        Ok(())
    }

    /// Writes a new file, and plans to put it in place.
    fn create(
        &mut self,
        path: &FilePath,
        like: &FilePath,
        bytes: &[u8],
        executable: bool,
    ) -> Result<(), CommitError> {
        self.check_free(path)?;
        let parent = path.relative.parent().unwrap_or(Path::new(""));
        self.make_folders(Some(parent), path)?;
        // If the parent folder does not exist yet, the content is written into the nearest existing
        // one.
        let (near, dir) = nearest_folder(path).map_err(|errno| failed(path, errno))?;
        let content = NewContent::new(dir, path, None, like, bytes)?;
        if executable {
            content.make_executable().map_err(|errno| failed(path, errno))?;
        }
        let hidden = FilePath::new(&path.root, near.join(content.name()));
        let node = content.inode().map_err(|errno| failed(path, errno))?;
        let step = Step::Rename {
            from: StepPath::Workspace(hidden),
            to: StepPath::Workspace(path.clone()),
            node: Some(node),
            over: None,
            made: true,
        };
        self.prepared.push(PreparedStep::new(step, Some(content), None));
        let fingerprint = Some(ContentHash::digest(bytes).to_string());
        self.recorded.push(RecordedChange::new(path, RecordedKind::Created { fingerprint }));
        Ok(())
    }

    fn rename_step(
        &mut self,
        from: StepPath,
        to: StepPath,
        entry: Option<&Entry>,
        expect: Option<Stamp>,
    ) {
        let node = entry.map(|entry| entry.stat.node);
        let step = Step::Rename { from, to, node, over: None, made: false };
        self.prepared.push(PreparedStep::new(step, None, expect));
    }

    fn rename_created(&mut self, from: StepPath, to: StepPath) {
        let step = Step::Rename { from, to, node: None, over: None, made: true };
        self.prepared.push(PreparedStep::without_content(step));
    }

    fn exchange_step(
        &mut self,
        from: StepPath,
        to: StepPath,
        entry: Option<&Entry>,
        over: &Entry,
        made: bool,
    ) {
        let node = entry.map(|entry| entry.stat.node);
        let step = Step::Rename { from, to, node, over: Some(over.stat.node), made };
        self.prepared.push(PreparedStep::new(step, None, Some(over.stat.stamp)));
    }

    /// Fails unless `path` is free, or will be after earlier steps.
    fn check_free(&self, path: &FilePath) -> Result<(), CommitError> {
        let absolute = path.absolute();
        if self.emptied.iter().any(|emptied| absolute.starts_with(emptied.absolute())) {
            return Ok(());
        }
        match path.root.stat(&path.relative) {
            Err(Errno::NOENT) => Ok(()),
            Ok(_) => Err(CommitError::Exists { path: path.display_path() }),
            Err(errno) => {
                Err(FileError::from_errno(&path.display_path(), "looking up", errno).into())
            }
        }
    }

    /// Plans the creation of missing folders down to `parent`.
    fn make_folders(&mut self, parent: Option<&Path>, of: &FilePath) -> Result<(), CommitError> {
        let mut at = PathBuf::new();
        for name in parent.unwrap_or(Path::new("")) {
            at.push(name);
            let folder = FilePath::new(&of.root, at.clone());
            if self.folders.contains(&folder) {
                continue;
            }
            match of.root.stat(&at) {
                Ok(found) if found.kind() == EntryKind::Directory => {}
                Ok(_) => return Err(CommitError::Exists { path: folder.display_path() }),
                Err(Errno::NOENT) => {
                    let step = Step::Folder { at: StepPath::Workspace(folder.clone()) };
                    self.prepared.push(PreparedStep::without_content(step));
                    self.recorded.push(RecordedChange::new(&folder, RecordedKind::Folder));
                    self.folders.push(folder);
                }
                Err(errno) => {
                    return Err(
                        FileError::from_errno(&of.display_path(), "looking up", errno).into()
                    );
                }
            }
        }
        Ok(())
    }
}

/// The record of an edit, with what is needed to undo it.
fn recorded_edit(
    path: &FilePath,
    before: Vec<u8>,
    after: &[u8],
    trash: Option<&str>,
    was_open: bool,
) -> RecordedChange {
    let fingerprint_before = ContentHash::digest(&before).to_string();
    let fingerprint_after = ContentHash::digest(after).to_string();
    let (change, before) = match trash {
        Some(name) => (None, StoredContent::Trash(name.to_owned())),
        None => {
            let change = Some(byte_difference(&before, after))
                .filter(|(.., new)| new.len() <= MAX_INLINE_BYTES);
            (change, StoredContent::Inline(before))
        }
    };
    RecordedChange::new(
        path,
        RecordedKind::Edited { before, fingerprint_before, fingerprint_after, change, was_open },
    )
}

fn stamp_of(file: &FileText) -> Option<Stamp> {
    match &file.source {
        Source::Disk(stamp) => Some(*stamp),
        Source::Open(_) => None,
    }
}
