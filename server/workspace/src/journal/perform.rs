//! Steps being done.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use super::back::node_at;
use super::exchange::{Held, Left, Names};
use super::{Place, Step};
use crate::Stamp;
use crate::entries::{Copying, Node, copy, remove};
use crate::path::FilePath;
use crate::platform::{Errno, Handle, Rename, make_folder, rename};
use crate::replace::{Content, temporary_name};
use crate::trash::Trash;

/// A step with what is at hand to do it.
pub(crate) struct Ready {
    pub(crate) step: Step,
    /// The new content, where that is what is renamed.
    pub(crate) content: Option<Content>,
    /// The state that what goes, or gets another name, must still be in.
    pub(crate) expect: Option<Stamp>,
    /// The hidden copy that this step has made.
    copied: Option<Copied>,
}

/// A hidden copy, found again wherever its folder is now.
struct Copied {
    dir: Handle,
    name: OsString,
    /// Which file or folder it is: another one may have been put there.
    node: Node,
}

/// Why a step was not done.
#[derive(Debug)]
pub(crate) enum StepError {
    /// What stands there is not what was seen.
    Changed,
    /// Somebody wrote there all the while. Of two texts of theirs one stands there, the other is
    /// left at this place; whose place it was is theirs to say.
    Raced(Place),
    Errno(Errno),
}

impl From<Errno> for StepError {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl Ready {
    pub(crate) fn plain(step: Step) -> Self {
        Self::new(step, None, None)
    }

    pub(crate) fn new(step: Step, content: Option<Content>, expect: Option<Stamp>) -> Self {
        Self { step, content, expect, copied: None }
    }

    /// Removes the copy that this step has made, if it is still there and nobody's else. Where a folder on
    /// its way was exchanged meanwhile, the path leads elsewhere and nothing else would find it.
    pub(crate) fn remove_copy(&self) {
        let Some(Copied { dir, name, node }) = &self.copied else { return };
        if node_at(dir, name).is_some_and(|(found, _)| found == *node)
            && let Err(errno) = remove(dir, name)
        {
            tracing::warn!("{}: a copy could not be removed: {errno}", name.display());
        }
    }

    /// Does it. Nothing is left of a step that fails, but for a copy, which is hidden.
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
                let copying = Copying { specials, interrupt };
                copy((&from, &name), (&to, &new), &copying)?;
                let made = node_at(&to, &new);
                self.copied = made.map(|(node, _)| Copied { dir: to, name: new, node });
                Ok(())
            }
            Step::Rename { from: place, to, node, over, made } => {
                let (from_dir, from) = place.parent(trash)?;
                let (to_dir, to) = to.parent(trash)?;
                let seen = |dir: &Handle, name: &OsString| node_at(dir, name);
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
                let names = Names { from: (&from_dir, &from), to: (&to_dir, &to) };
                let held = over.map(|_| Held::at(names.from)).transpose()?;
                match over {
                    Some(_) => names.exchange()?,
                    None => rename_new(&names)?,
                }
                // Somebody may have put something else there in between: theirs stays.
                let (out, expected) = match over {
                    Some(over) => (seen(&from_dir, &from), Some(*over)),
                    None => (seen(&to_dir, &to), *node),
                };
                let is_it = expected.is_none_or(|expected| out.is_some_and(|(n, _)| n == expected));
                if is_it {
                    return Ok(());
                }
                let Some(held) = held else {
                    return Err(match rename(names.to, names.from, Rename::New) {
                        Ok(()) => StepError::Changed,
                        Err(Errno::EXIST) => keep(&names, place)?,
                        Err(errno) => errno.into(),
                    });
                };
                match names.put_back(held)? {
                    Left::Ours => {}
                    // By its number it could be taken for what stood there.
                    Left::Replaced if *made => remove(&from_dir, &from)?,
                    Left::Replaced | Left::Written => return Err(StepError::Raced(place.clone())),
                }
                Err(StepError::Changed)
            }
        }
    }
}

/// `from` becomes `to`, where nothing may stand.
fn rename_new(names: &Names<'_>) -> Result<(), Errno> {
    match rename(names.from, names.to, Rename::New) {
        Err(Errno::INVAL | Errno::NOSYS) => {
            // A file system that knows no flags.
            if node_at(names.to.0, names.to.1).is_some() {
                return Err(Errno::EXIST);
            }
            rename(names.from, names.to, Rename::Over)
        }
        done => done,
    }
}

/// What came from `from`, whose name is `place`, and was not what was expected there, cannot go
/// back, as something stands there again: it is kept beside that.
fn keep(names: &Names<'_>, place: &Place) -> Result<StepError, Errno> {
    let Place::Tree(path) = place else { return Err(Errno::EXIST) };
    let name = temporary_name();
    rename(names.to, (names.from.0, name.as_ref()), Rename::New)?;
    let kept = FilePath::new(&path.root, path.relative.with_file_name(name));
    Ok(StepError::Raced(Place::Tree(kept)))
}
