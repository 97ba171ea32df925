//! Entries that go, come, or get another place, whatever they hold.

use super::super::CommitError;
use super::super::places::{check_movable, folder_of, nearest_folder, same_mount, sibling};
use super::Staging;
use crate::actions::record::{Did, What, Written};
use crate::entries::{Entry, print};
use crate::journal::{Place, Ready, Step};
use crate::replace::temporary_name;
use crate::trash::Trash;
use crate::{FileKind, FilePath, Stamp};

impl Staging<'_> {
    pub(super) fn remove(
        &mut self,
        entry: &Entry,
        expect: Option<Stamp>,
    ) -> Result<(), CommitError> {
        let path = &entry.path;
        check_movable(path, "is the workspace itself, which cannot be deleted")?;
        self.check_saved(path)?;
        let name = Trash::name();
        let place = Place::Tree(path.clone());
        self.did.push(Did::new(path, What::Deleted { trash: name.clone() }));
        self.emptied.push(path.clone());
        let dir = folder_of(path)?;
        if self.trash.is_some_and(|trash| trash.is_reached_from(&dir)) {
            self.rename_step(place, Place::Trash(name), Some(entry), expect);
            return Ok(());
        }
        let hidden = Place::Tree(sibling(path, &temporary_name()));
        self.rename_step(place, hidden.clone(), Some(entry), expect);
        self.copy_to_trash(hidden, name);
        Ok(())
    }

    pub(super) fn rename(
        &mut self,
        entry: &Entry,
        to: &FilePath,
        over: Option<&Entry>,
        expect: Option<Stamp>,
    ) -> Result<(), CommitError> {
        let from = &entry.path;
        check_movable(from, "is the workspace itself, which cannot be moved")?;
        check_movable(to, "is the workspace itself, which cannot be replaced")?;
        if to.absolute().starts_with(from.absolute()) {
            return Err(CommitError::IntoItself { path: from.shown() });
        }
        self.check_saved(from)?;
        if let Some(over) = over {
            self.check_saved(&over.path)?;
        } else {
            self.check_free(to)?;
        }
        self.make_folders(to.relative.parent(), to)?;
        let left = match entry.kind {
            FileKind::Directory => None,
            _ => print(from)?,
        };
        let (here, there) = (Place::Tree(from.clone()), Place::Tree(to.clone()));
        // A folder in which files are edited first is not as it was seen.
        let expect = expect.filter(|_| !self.moving.contains(from));
        if same_mount(from, to) {
            let Some(over) = over else {
                self.rename_step(here, there, Some(entry), expect);
                self.moved(from, to, left);
                return Ok(());
            };
            let name = Trash::name();
            self.exchange_step(here.clone(), there, Some(entry), over, false);
            self.discard(here, &over.path, Some(over), &name);
            self.did.push(Did::new(&over.path, What::Deleted { trash: name }));
            self.moved(from, to, left);
            return Ok(());
        }
        // Another file system: out of sight, copied, and gone once the copy is in place.
        let aside = Place::Tree(sibling(from, &temporary_name()));
        let copy = Place::Tree(sibling(to, &temporary_name()));
        self.rename_step(here, aside.clone(), Some(entry), expect);
        self.clear.push(aside.clone());
        self.copied(aside, copy, to, over)?;
        // A folder's copy has another digest only where somebody was quicker.
        self.moved(from, to, left);
        Ok(())
    }

    fn moved(&mut self, from: &FilePath, to: &FilePath, left: Option<String>) {
        self.emptied.push(from.clone());
        let from = Written::of(from);
        self.did.push(Did::new(to, What::Moved { from, left }));
    }

    pub(super) fn copy(
        &mut self,
        entry: &Entry,
        to: &FilePath,
        over: Option<&Entry>,
    ) -> Result<(), CommitError> {
        check_movable(to, "is the workspace itself, which cannot be replaced")?;
        let (from, into) = (entry.path.absolute(), to.absolute());
        if into.starts_with(&from) || (over.is_some() && from.starts_with(&into)) {
            return Err(CommitError::IntoItself { path: entry.path.shown() });
        }
        match over {
            Some(over) => self.check_saved(&over.path)?,
            None => self.check_free(to)?,
        }
        self.make_folders(to.relative.parent(), to)?;
        // It may stand in a folder that is not there yet: then it waits in the root.
        let hidden = Place::Tree(sibling(to, &temporary_name()));
        self.copied(Place::Tree(entry.path.clone()), hidden, to, over)?;
        self.did.push(Did::new(to, What::Created { left: None }));
        Ok(())
    }

    /// The steps of a copy that takes its place at `to`.
    fn copied(
        &mut self,
        from: Place,
        hidden: Place,
        to: &FilePath,
        over: Option<&Entry>,
    ) -> Result<(), CommitError> {
        self.ready.push(Ready::plain(Step::Copy { from, to: hidden.clone() }));
        let there = Place::Tree(to.clone());
        let Some(over) = over else {
            self.rename_made(hidden, there);
            return Ok(());
        };
        let name = Trash::name();
        self.exchange_step(hidden.clone(), there, None, over, true);
        self.discard(hidden, to, Some(over), &name);
        self.did.push(Did::new(to, What::Deleted { trash: name }));
        Ok(())
    }

    pub(super) fn restore(&mut self, trash: &str, to: &FilePath) -> Result<(), CommitError> {
        self.check_free(to)?;
        self.make_folders(to.relative.parent(), to)?;
        let place = Place::Trash(trash.to_owned());
        let there = Place::Tree(to.clone());
        self.did.push(Did::new(to, What::Created { left: None }));
        let reached = nearest_folder(to)
            .is_ok_and(|(_, dir)| self.trash.is_some_and(|trash| trash.is_reached_from(dir)));
        if reached {
            self.rename_step(place, there, None, None);
            return Ok(());
        }
        let hidden = Place::Tree(sibling(to, &temporary_name()));
        self.ready.push(Ready::plain(Step::Copy { from: place.clone(), to: hidden.clone() }));
        self.rename_made(hidden, there);
        self.clear.push(place);
        Ok(())
    }

    /// What stands at `place`, hidden or not, goes to the trash.
    pub(super) fn discard(
        &mut self,
        place: Place,
        near: &FilePath,
        entry: Option<&Entry>,
        name: &str,
    ) {
        let dir = folder_of(near);
        if dir.is_ok_and(|dir| self.trash.is_some_and(|trash| trash.is_reached_from(dir))) {
            self.rename_step(place, Place::Trash(name.to_owned()), entry, None);
            return;
        }
        let Place::Tree(path) = &place else { return };
        let hidden = Place::Tree(sibling(path, &temporary_name()));
        self.rename_step(place, hidden.clone(), entry, None);
        self.copy_to_trash(hidden, name.to_owned());
    }

    fn copy_to_trash(&mut self, hidden: Place, name: String) {
        let step = Step::Copy { from: hidden.clone(), to: Place::Trash(name) };
        self.ready.push(Ready::plain(step));
        self.clear.push(hidden);
    }
}
