//! The steps that changes take, worked out before any of them is done.

mod entries;

use std::path::{Path, PathBuf};

use super::places::{failed, folder_of, nearest_folder, sibling};
use super::{Change, CommitError};
use crate::actions::ActionHistory;
use crate::actions::record::{Did, Kept, What, difference};
use crate::entries::Entry;
use crate::journal::{Place, Ready, Step};
use crate::platform::Errno;
use crate::replace::Content;
use crate::trash::Trash;
use crate::{EntryKind, FileError, FilePath, FileText, Hash, Snapshot, Source, Stamp};

/// A content up to this many bytes is kept with its record; a larger one goes to the trash.
const INLINE: usize = 64 << 10;

/// What a transaction will do.
pub(super) struct Staging<'a> {
    now: &'a Snapshot,
    seen: &'a Snapshot,
    trash: Option<&'a Trash>,
    pub(super) ready: Vec<Ready>,
    pub(super) clear: Vec<Place>,
    pub(super) tidy: Vec<Place>,
    pub(super) did: Vec<Did>,
    pub(super) open: Vec<FilePath>,
    /// Folders that steps will have made.
    folders: Vec<FilePath>,
    /// Places that steps will have emptied.
    emptied: Vec<FilePath>,
    /// Folders that get another path once the files in them have been edited.
    moving: Vec<FilePath>,
}

impl<'a> Staging<'a> {
    pub(super) fn new(
        now: &'a Snapshot,
        seen: &'a Snapshot,
        history: Option<&'a ActionHistory>,
    ) -> Self {
        Self {
            now,
            seen,
            trash: history.map(|history| &history.trash),
            ready: Vec::new(),
            clear: Vec::new(),
            tidy: Vec::new(),
            did: Vec::new(),
            open: Vec::new(),
            folders: Vec::new(),
            emptied: Vec::new(),
            moving: Vec::new(),
        }
    }

    /// The same for changes that rename folders as well.
    pub(super) fn with_moving(mut self, changes: &[Change]) -> Self {
        self.moving = changes.iter().filter_map(Change::moved_folder).cloned().collect();
        self
    }

    /// The folder around a place that gets another path.
    fn moving_around(&self, path: &FilePath) -> Option<&FilePath> {
        let path = path.absolute();
        self.moving.iter().find(|folder| path.starts_with(folder.absolute()))
    }

    /// Takes note of an open document that the editor will edit.
    pub(super) fn document(&mut self, file: &FileText, after: &str) {
        let before = file.text.to_string().into_bytes();
        self.did.push(edited(&file.path, before, after.as_bytes(), None, true));
    }

    /// Works out one change of what is on disk: its new content lies there, hidden and durable.
    pub(super) fn stage(&mut self, change: &Change) -> Result<(), CommitError> {
        match change {
            Change::Edit { file, after, .. } => {
                self.check_closed(&file.path)?;
                let before = file.spell(&file.text.to_string());
                let Source::Disk(stamp) = &file.source else {
                    return Err(CommitError::Moved { path: file.path.shown() });
                };
                self.replace(&file.path, before, *stamp, &file.spell(after))
            }
            Change::Bytes { file, after } => {
                self.check_closed(&file.path)?;
                self.replace(&file.path, file.bytes.clone(), file.stamp, after)
            }
            Change::Create { path, text } => {
                if self.now.open_document(path).is_some() {
                    return Err(CommitError::Open { path: path.shown() });
                }
                self.create(path, path, text.as_bytes(), false)
            }
            Change::Put { path, bytes, executable } => {
                if self.now.open_document(path).is_some() {
                    return Err(CommitError::Open { path: path.shown() });
                }
                self.create(path, path, bytes, *executable)
            }
            Change::Delete { file } => {
                let entry = self.now.entry(&file.path)?;
                self.remove(&entry, stamp_of(file))
            }
            Change::Move { file, to, after } => {
                if self.now.open_document(to).is_some() {
                    return Err(CommitError::Open { path: to.shown() });
                }
                let entry = self.now.entry(&file.path)?;
                if *after == file.text.to_string() {
                    return self.rename(&entry, to, None, stamp_of(file));
                }
                self.create(to, &file.path, &file.spell(after), false)?;
                self.remove(&entry, stamp_of(file))
            }
            Change::Remove { entry } => self.remove(entry, Some(entry.stat.stamp)),
            Change::Rename { entry, to, over } => {
                self.rename(entry, to, over.as_ref(), Some(entry.stat.stamp))
            }
            Change::Copy { entry, to, over } => self.copy(entry, to, over.as_ref()),
            Change::Folder { path } => {
                self.make_folders(Some(&path.relative), path)?;
                // The folder itself is what came; those on the way only go with it.
                if let Some(did) = self.did.last_mut() {
                    did.what = What::Created { left: None };
                }
                Ok(())
            }
            Change::Restore { trash, to } => self.restore(trash, to),
            Change::Tidy { path } => {
                self.did.push(Did::new(path, What::Folder));
                self.tidy.push(Place::Tree(path.clone()));
                Ok(())
            }
        }
    }

    fn check_closed(&self, path: &FilePath) -> Result<(), CommitError> {
        if self.moving_around(path).is_some() {
            // It is saved, or its folder could not move.
            return Ok(());
        }
        let path_shown = || path.shown();
        match (self.now.open_document(path), self.seen.open_document(path)) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(CommitError::Moved { path: path_shown() }),
            (Some(_), Some(_)) => Err(CommitError::Open { path: path_shown() }),
        }
    }

    /// The open documents at and below `path` keep what is in them: unsaved text holds everything
    /// up.
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
                return Err(CommitError::Unsaved { path: own.shown() });
            }
            open.push(own);
        }
        self.open.extend(open);
        Ok(())
    }

    fn replace(
        &mut self,
        path: &FilePath,
        before: Vec<u8>,
        stamp: Stamp,
        after: &[u8],
    ) -> Result<(), CommitError> {
        let entry = self.now.entry(path)?;
        if entry.stat.stamp != stamp {
            return Err(FileError::Changed { path: path.shown() }.into());
        }
        // What is hidden inside of a folder that moves would be lost sight of.
        let near = self.moving_around(path).unwrap_or(path).clone();
        let dir = folder_of(&near)?;
        let reached = self.trash.is_some_and(|trash| trash.is_reached_from(&dir));
        let content = Content::new(dir, path, Some(stamp), path, after)?;
        let hidden = Place::Tree(sibling(&near, content.name()));
        let node = content.node().map_err(|errno| failed(path, errno))?;
        let step = Step::Rename {
            from: hidden.clone(),
            to: Place::Tree(path.clone()),
            node: Some(node),
            over: Some(entry.stat.node),
            made: true,
        };
        self.ready.push(Ready::new(step, Some(content), Some(stamp)));
        if before.len() > INLINE && reached {
            let name = Trash::name();
            self.did.push(edited(path, before, after, Some(&name), false));
            self.ready.push(Ready::plain(Step::Rename {
                from: hidden,
                to: Place::Trash(name),
                node: Some(entry.stat.node),
                over: None,
                made: false,
            }));
        } else {
            self.clear.push(hidden);
            self.did.push(edited(path, before, after, None, false));
        }
        Ok(())
    }

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
        // What is made before its folder is there waits in the nearest one that is.
        let (near, dir) = nearest_folder(path).map_err(|errno| failed(path, errno))?;
        let content = Content::new(dir, path, None, like, bytes)?;
        if executable {
            content.make_executable().map_err(|errno| failed(path, errno))?;
        }
        let hidden = FilePath::new(&path.root, near.join(content.name()));
        let node = content.node().map_err(|errno| failed(path, errno))?;
        let step = Step::Rename {
            from: Place::Tree(hidden),
            to: Place::Tree(path.clone()),
            node: Some(node),
            over: None,
            made: true,
        };
        self.ready.push(Ready::new(step, Some(content), None));
        let left = Some(Hash::of(bytes).to_string());
        self.did.push(Did::new(path, What::Created { left }));
        Ok(())
    }

    fn rename_step(
        &mut self,
        from: Place,
        to: Place,
        entry: Option<&Entry>,
        expect: Option<Stamp>,
    ) {
        let node = entry.map(|entry| entry.stat.node);
        let step = Step::Rename { from, to, node, over: None, made: false };
        self.ready.push(Ready::new(step, None, expect));
    }

    fn rename_made(&mut self, from: Place, to: Place) {
        let step = Step::Rename { from, to, node: None, over: None, made: true };
        self.ready.push(Ready::plain(step));
    }

    fn exchange_step(
        &mut self,
        from: Place,
        to: Place,
        entry: Option<&Entry>,
        over: &Entry,
        made: bool,
    ) {
        let node = entry.map(|entry| entry.stat.node);
        let step = Step::Rename { from, to, node, over: Some(over.stat.node), made };
        self.ready.push(Ready::new(step, None, Some(over.stat.stamp)));
    }

    fn check_free(&self, path: &FilePath) -> Result<(), CommitError> {
        let absolute = path.absolute();
        if self.emptied.iter().any(|emptied| absolute.starts_with(emptied.absolute())) {
            return Ok(());
        }
        match path.root.stat(&path.relative) {
            Err(Errno::NOENT) => Ok(()),
            Ok(_) => Err(CommitError::Exists { path: path.shown() }),
            Err(errno) => Err(FileError::from_errno(&path.shown(), "looking up", errno).into()),
        }
    }

    /// The steps that make the folders down to `parent` which are not there.
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
                Ok(_) => return Err(CommitError::Exists { path: folder.shown() }),
                Err(Errno::NOENT) => {
                    let step = Step::Folder { at: Place::Tree(folder.clone()) };
                    self.ready.push(Ready::plain(step));
                    self.did.push(Did::new(&folder, What::Folder));
                    self.folders.push(folder);
                }
                Err(errno) => {
                    return Err(FileError::from_errno(&of.shown(), "looking up", errno).into());
                }
            }
        }
        Ok(())
    }
}

fn edited(path: &FilePath, before: Vec<u8>, after: &[u8], trash: Option<&str>, open: bool) -> Did {
    let was = Hash::of(&before).to_string();
    let left = Hash::of(after).to_string();
    let (change, before) = match trash {
        Some(name) => (None, Kept::Trash(name.to_owned())),
        None => {
            let change = Some(difference(&before, after)).filter(|(.., new)| new.len() <= INLINE);
            (change, Kept::Inline(before))
        }
    };
    Did::new(path, What::Edited { before, was, left, change, open })
}

fn stamp_of(file: &FileText) -> Option<Stamp> {
    match &file.source {
        Source::Disk(stamp) => Some(*stamp),
        Source::Open(_) => None,
    }
}
