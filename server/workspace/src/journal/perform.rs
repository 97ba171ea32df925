//! Performs steps.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::exchange::{HeldInode, NamePair, PutBackOutcome};
use super::revert::inode_at;
use super::{ParentFolders, Step, StepPath};
use crate::Stamp;
use crate::entries::{CopyOptions, copy, remove};
use crate::path::FilePath;
use crate::platform::{Errno, Handle, RenameMode, make_folder, rename};
use crate::replace::NewContent;
use crate::temporary_name::temporary_name;

/// A step with the data to perform it.
pub(crate) struct PreparedStep {
    pub(crate) step: Step,
    /// The new content, if the step puts it in place.
    pub(crate) content: Option<NewContent>,
    /// The stamp that the replaced or renamed file must still have.
    pub(crate) expect: Option<Stamp>,
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
        Self { step, content, expect }
    }

    /// Performs the step. A failed step leaves nothing behind that reverting it does not remove.
    pub(crate) fn perform(
        &mut self,
        folders: &ParentFolders<'_>,
        interrupt: &AtomicBool,
        specials: bool,
    ) -> Result<(), StepError> {
        match &self.step {
            Step::Folder { at } => {
                let (dir, name) = folders.parent(at)?;
                match make_folder(&dir, &name, 0o775) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(errno) => Err(errno.into()),
                }
            }
            Step::Copy { from, to } => {
                let ((from, name), (to, new)) = (folders.parent(from)?, folders.parent(to)?);
                let options = CopyOptions { specials, interrupt };
                Ok(copy((&*from, &name), (&*to, &new), &options)?)
            }
            Step::Rename { from: step_path, to, node, over, made } => {
                if let Some(dir) = self.content.as_ref().and_then(NewContent::named_in) {
                    folders.hold(step_path, dir?);
                }
                let (from_dir, from) = folders.parent(step_path)?;
                let (target, (to_dir, to)) = (to, folders.parent(to)?);
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
                folders.renamed(step_path, target);
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
