//! Performs steps.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::exchange::{HeldInode, NamePair, PutBackOutcome};
use super::revert::inode_at;
use super::{Step, StepPath};
use crate::Stamp;
use crate::entries::{CopyOptions, InodeState, copy, remove};
use crate::path::FilePath;
use crate::platform::{Errno, Handle, RenameMode, make_folder, rename};
use crate::replace::{NewContent, temporary_name};
use crate::trash::Trash;

/// A step with the data to perform it.
pub(crate) struct PreparedStep {
    pub(crate) step: Step,
    /// The new content, if the step puts it in place.
    pub(crate) content: Option<NewContent>,
    /// The stamp that the replaced or renamed file must still have.
    pub(crate) expect: Option<Stamp>,
    /// The hidden copy that this step has created.
    hidden_copy: Option<HiddenCopy>,
}

/// A hidden copy, found by its folder's handle even if the folder was moved.
struct HiddenCopy {
    dir: Handle,
    name: OsString,
    /// Its inode: another file may have taken its name.
    node: InodeState,
}

/// Why a step was not done.
#[derive(Debug)]
pub(crate) enum StepError {
    /// The file is not the one that was read.
    Changed,
    /// Others kept writing. One of their two files is in place, the other is kept at this path;
    /// only they can tell which one is right.
    Raced(StepPath),
    Errno(Errno),
}

impl From<Errno> for StepError {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl PreparedStep {
    pub(crate) fn without_content(step: Step) -> Self {
        Self::new(step, None, None)
    }

    pub(crate) fn new(step: Step, content: Option<NewContent>, expect: Option<Stamp>) -> Self {
        Self { step, content, expect, hidden_copy: None }
    }

    /// Removes the copy that this step has created, if it is still the same. If a parent folder was
    /// exchanged meanwhile, its path leads elsewhere, so the folder's handle is used.
    pub(crate) fn remove_copy(&self) {
        let Some(HiddenCopy { dir, name, node }) = &self.hidden_copy else { return };
        if inode_at(dir, name).is_some_and(|(found, _)| found == *node)
            && let Err(errno) = remove(dir, name)
        {
            tracing::warn!("{}: a copy could not be removed: {errno}", name.display());
        }
    }

    /// Performs the step. A failed step leaves nothing behind except a hidden copy.
    pub(crate) fn perform(
        &mut self,
        trash: Option<&Trash>,
        interrupt: &AtomicBool,
        specials: bool,
    ) -> Result<(), StepError> {
        match &self.step {
            Step::Folder { at } => {
                let (dir, name) = at.parent(trash)?;
                match make_folder(&dir, &name, 0o775) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(errno) => Err(errno.into()),
                }
            }
            Step::Copy { from, to } => {
                let ((from, name), (to, new)) = (from.parent(trash)?, to.parent(trash)?);
                let options = CopyOptions { specials, interrupt };
                copy((&from, &name), (&to, &new), &options)?;
                let made = inode_at(&to, &new);
                self.hidden_copy = made.map(|(node, _)| HiddenCopy { dir: to, name: new, node });
                Ok(())
            }
            Step::Rename { from: step_path, to, node, over, made } => {
                let (from_dir, from) = step_path.parent(trash)?;
                let (to_dir, to) = to.parent(trash)?;
                let seen = |dir: &Handle, name: &OsString| inode_at(dir, name);
                if let Some(over) = over {
                    let found = seen(&to_dir, &to);
                    let as_read = found.is_some_and(|(found, stamp)| {
                        found == *over && self.expect.is_none_or(|expected| expected == stamp)
                    });
                    if !as_read {
                        return Err(StepError::Changed);
                    }
                } else if let (None, Some(expected)) = (&self.content, self.expect)
                    && seen(&from_dir, &from).is_none_or(|(_, stamp)| stamp != expected)
                {
                    return Err(StepError::Changed);
                }
                if let (None, Some(node), Some(_)) = (&self.content, node, over)
                    && seen(&from_dir, &from).is_none_or(|(found, _)| found != *node)
                {
                    return Err(StepError::Changed);
                }
                if let Some(content) = &mut self.content {
                    if over.is_none() {
                        if content.link(&to_dir, &to)? {
                            return Ok(());
                        }
                    } else {
                        content.link(&from_dir, &from)?;
                    }
                }
                let names = NamePair { from: (&from_dir, &from), to: (&to_dir, &to) };
                let held = over.map(|_| HeldInode::open(names.from)).transpose()?;
                match over {
                    Some(_) => names.exchange()?,
                    None => rename_new(&names)?,
                }
                // If others put another file there in between, theirs must stay.
                let (out, expected) = match over {
                    Some(over) => (seen(&from_dir, &from), Some(*over)),
                    None => (seen(&to_dir, &to), *node),
                };
                let is_it = expected.is_none_or(|expected| out.is_some_and(|(n, _)| n == expected));
                if is_it {
                    return Ok(());
                }
                let Some(held) = held else {
                    return Err(match rename(names.to, names.from, RenameMode::NoReplace) {
                        Ok(()) => StepError::Changed,
                        Err(Errno::EXIST) => keep_beside(&names, step_path)?,
                        Err(errno) => errno.into(),
                    });
                };
                match names.put_back(held)? {
                    PutBackOutcome::Original => {}
                    // Recovery could take it for the replaced file, by its inode.
                    PutBackOutcome::Replaced if *made => remove(&from_dir, &from)?,
                    PutBackOutcome::Replaced | PutBackOutcome::WrittenByOthers => {
                        return Err(StepError::Raced(step_path.clone()));
                    }
                }
                Err(StepError::Changed)
            }
        }
    }
}

/// Renames `from` to `to`, which must not exist.
fn rename_new(names: &NamePair<'_>) -> Result<(), Errno> {
    match rename(names.from, names.to, RenameMode::NoReplace) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            // The file system does not support rename flags.
            if inode_at(names.to.0, names.to.1).is_some() {
                return Err(Errno::EXIST);
            }
            rename(names.from, names.to, RenameMode::Replace)
        }
        done => done,
    }
}

/// Keeps an unexpected file that was renamed from `step_path` beside it: it cannot go back because
/// the name is taken again.
fn keep_beside(names: &NamePair<'_>, step_path: &StepPath) -> Result<StepError, Errno> {
    let StepPath::Workspace(path) = step_path else { return Err(Errno::EXIST) };
    let name = temporary_name();
    rename(names.to, (names.from.0, name.as_ref()), RenameMode::NoReplace)?;
    let kept = FilePath::new(&path.root, path.relative.with_file_name(name));
    Ok(StepError::Raced(StepPath::Workspace(kept)))
}
