//! Plans the removal, move, copy and restoration of entries of any kind.

use super::super::CommitError;
use super::super::paths::{check_movable, folder_of, nearest_folder, same_mount, sibling};
use super::StepPlanner;
use crate::action_history::record::{RecordedChange, RecordedKind, RecordedPath};
use crate::entries::{Entry, fingerprint_of};
use crate::journal::{PreparedStep, Step, StepPath};
use crate::temporary_name::temporary_name;
use crate::trash::Trash;
use crate::{FileKind, FilePath, Stamp};

impl StepPlanner<'_> {
    /// Plans to move an entry to the trash: by a rename, or by a copy if the trash is on another
    /// mount.
    pub(super) fn remove(
        &mut self,
        entry: &Entry,
        expect: Option<Stamp>,
    ) -> Result<(), CommitError> {
        let path = &entry.path;
        check_movable(path, "is the workspace itself, which cannot be deleted")?;
        self.check_saved(path)?;
        let name = Trash::name();
        let step_path = StepPath::Workspace(path.clone());
        self.recorded
            .push(RecordedChange::new(path, RecordedKind::Deleted { trash: name.clone() }));
        self.emptied.push(path.clone());
        let dir = folder_of(path)?;
        if self.trash.is_some_and(|trash| trash.is_on_same_mount(&dir)) {
            self.rename_step(step_path, StepPath::Trash(name), Some(entry), expect);
            return Ok(());
        }
        let hidden = StepPath::Workspace(sibling(path, &temporary_name()));
        self.rename_step(step_path, hidden.clone(), Some(entry), expect);
        self.copy_to_trash(hidden, name);
        Ok(())
    }

    /// Plans to move an entry, over another one if given.
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
            return Err(CommitError::IntoItself { path: from.display_path() });
        }
        self.check_saved(from)?;
        if let Some(over) = over {
            self.check_saved(&over.path)?;
        } else {
            self.check_free(to)?;
        }
        self.make_folders(to.relative.parent(), to)?;
        let fingerprint = match entry.kind {
            FileKind::Directory => None,
            _ => fingerprint_of(from)?,
        };
        let (source, target) = (StepPath::Workspace(from.clone()), StepPath::Workspace(to.clone()));
        // A folder in which files are edited first no longer has the stamp that was seen.
        let expect = expect.filter(|_| !self.moving.contains(from));
        if same_mount(from, to) {
            let Some(over) = over else {
                self.rename_step(source, target, Some(entry), expect);
                self.moved(from, to, fingerprint);
                return Ok(());
            };
            let name = Trash::name();
            self.exchange_step(source.clone(), target, Some(entry), over, false);
            self.discard(source, &over.path, Some(over), &name);
            self.recorded
                .push(RecordedChange::new(&over.path, RecordedKind::Deleted { trash: name }));
            self.moved(from, to, fingerprint);
            return Ok(());
        }
        // Another file system: hide it, copy it, and remove it once the copy is in place.
        let aside = StepPath::Workspace(sibling(from, &temporary_name()));
        let copy = StepPath::Workspace(sibling(to, &temporary_name()));
        self.rename_step(source, aside.clone(), Some(entry), expect);
        self.leftovers.push(aside.clone());
        self.plan_copy(aside, copy, to, over)?;
        // A folder's copy has the same fingerprint unless others changed it meanwhile.
        self.moved(from, to, fingerprint);
        Ok(())
    }

    fn moved(&mut self, from: &FilePath, to: &FilePath, fingerprint: Option<String>) {
        self.emptied.push(from.clone());
        let from = RecordedPath::new(from);
        self.recorded.push(RecordedChange::new(to, RecordedKind::Moved { from, fingerprint }));
    }

    /// Plans to copy an entry, over another one if given.
    pub(super) fn copy(
        &mut self,
        entry: &Entry,
        to: &FilePath,
        over: Option<&Entry>,
    ) -> Result<(), CommitError> {
        check_movable(to, "is the workspace itself, which cannot be replaced")?;
        let (from, into) = (entry.path.absolute(), to.absolute());
        if into.starts_with(&from) || (over.is_some() && from.starts_with(&into)) {
            return Err(CommitError::IntoItself { path: entry.path.display_path() });
        }
        match over {
            Some(over) => self.check_saved(&over.path)?,
            None => self.check_free(to)?,
        }
        self.make_folders(to.relative.parent(), to)?;
        // Nothing is written now, so the parent folder may be missing until its step runs.
        let hidden = StepPath::Workspace(sibling(to, &temporary_name()));
        self.plan_copy(StepPath::Workspace(entry.path.clone()), hidden, to, over)?;
        self.recorded.push(RecordedChange::new(to, RecordedKind::Created { fingerprint: None }));
        Ok(())
    }

    /// Plans a copy that is then put in place at `to`.
    fn plan_copy(
        &mut self,
        from: StepPath,
        hidden: StepPath,
        to: &FilePath,
        over: Option<&Entry>,
    ) -> Result<(), CommitError> {
        self.prepared.push(PreparedStep::without_content(Step::Copy { from, to: hidden.clone() }));
        let target = StepPath::Workspace(to.clone());
        let Some(over) = over else {
            self.rename_created(hidden, target);
            return Ok(());
        };
        let name = Trash::name();
        self.exchange_step(hidden.clone(), target, None, over, true);
        self.discard(hidden, to, Some(over), &name);
        self.recorded.push(RecordedChange::new(to, RecordedKind::Deleted { trash: name }));
        Ok(())
    }

    /// Plans to move an entry of the trash back.
    pub(super) fn restore(&mut self, trash: &str, to: &FilePath) -> Result<(), CommitError> {
        self.check_free(to)?;
        self.make_folders(to.relative.parent(), to)?;
        let step_path = StepPath::Trash(trash.to_owned());
        let target = StepPath::Workspace(to.clone());
        self.recorded.push(RecordedChange::new(to, RecordedKind::Created { fingerprint: None }));
        let is_trash_on_same_mount = nearest_folder(to)
            .is_ok_and(|(_, dir)| self.trash.is_some_and(|trash| trash.is_on_same_mount(dir)));
        if is_trash_on_same_mount {
            self.rename_step(step_path, target, None, None);
            return Ok(());
        }
        let hidden = StepPath::Workspace(sibling(to, &temporary_name()));
        self.prepared.push(PreparedStep::without_content(Step::Copy {
            from: step_path.clone(),
            to: hidden.clone(),
        }));
        self.rename_created(hidden, target);
        self.leftovers.push(step_path);
        Ok(())
    }

    /// Plans to move the entry at `step_path`, hidden or not, to the trash.
    pub(super) fn discard(
        &mut self,
        step_path: StepPath,
        near: &FilePath,
        entry: Option<&Entry>,
        name: &str,
    ) {
        let dir = folder_of(near);
        if dir.is_ok_and(|dir| self.trash.is_some_and(|trash| trash.is_on_same_mount(dir))) {
            self.rename_step(step_path, StepPath::Trash(name.to_owned()), entry, None);
            return;
        }
        let StepPath::Workspace(path) = &step_path else { return };
        let hidden = StepPath::Workspace(sibling(path, &temporary_name()));
        self.rename_step(step_path, hidden.clone(), entry, None);
        self.copy_to_trash(hidden, name.to_owned());
    }

    fn copy_to_trash(&mut self, hidden: StepPath, name: String) {
        let step = Step::Copy { from: hidden.clone(), to: StepPath::Trash(name) };
        self.prepared.push(PreparedStep::without_content(step));
        self.leftovers.push(hidden);
    }
}
