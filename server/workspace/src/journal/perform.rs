//! Steps being done.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::AtomicBool;

use super::Step;
use super::back::node_at;
use crate::Stamp;
use crate::entries::{Copying, Node, copy};
use crate::platform::{Errno, Handle, Rename, hard_link, make_folder, rename};
use crate::replace::Content;
use crate::trash::Trash;

/// A step with what is at hand to do it.
pub(crate) struct Ready {
    pub(crate) step: Step,
    /// The new content, where that is what is renamed.
    pub(crate) content: Option<Content>,
    /// The state that what goes, or gets another name, must still be in.
    pub(crate) expect: Option<Stamp>,
}

/// Why a step was not done.
#[derive(Debug)]
pub(crate) enum StepError {
    /// What stands there is not what was seen.
    Changed,
    Errno(Errno),
}

impl From<Errno> for StepError {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl Ready {
    pub(crate) fn plain(step: Step) -> Self {
        Self { step, content: None, expect: None }
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
                match make_folder(&dir, &name, 0o777) {
                    Ok(()) | Err(Errno::EXIST) => Ok(()),
                    Err(errno) => Err(errno.into()),
                }
            }
            Step::Copy { from, to } => {
                let ((from, name), (to, new)) = (from.parent(trash)?, to.parent(trash)?);
                let copying = Copying { specials, interrupt };
                Ok(copy((&from, &name), (&to, &new), &copying)?)
            }
            Step::Rename { from, to, node, over, .. } => {
                let (from_dir, from) = from.parent(trash)?;
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
                let placed = seen(&from_dir, &from).map(|(node, _)| node);
                let flags = match over {
                    Some(_) => Rename::Exchange,
                    None => Rename::New,
                };
                match rename((&from_dir, &from), (&to_dir, &to), flags) {
                    Err(Errno::INVAL | Errno::NOSYS) if over.is_some() => {
                        exchange_in_steps(&from_dir, &from, &to_dir, &to)?;
                    }
                    Err(Errno::INVAL | Errno::NOSYS) => {
                        // A file system that knows no flags.
                        if seen(&to_dir, &to).is_some() {
                            return Err(Errno::EXIST.into());
                        }
                        rename((&from_dir, &from), (&to_dir, &to), Rename::Over)?;
                    }
                    done => done?,
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
                match over {
                    Some(_) => exchange_back(&from_dir, &from, &to_dir, &to, placed)?,
                    None => rename((&to_dir, &to), (&from_dir, &from), flags)?,
                }
                Err(StepError::Changed)
            }
        }
    }
}

/// How often it is tried to be quicker than somebody who writes all the time.
const EXCHANGES: usize = 64;

/// Puts what came out of `to` back into it, and takes out `placed`, which was put there. What
/// somebody has put there meanwhile is newer than both, and stays.
fn exchange_back(
    from_dir: &Handle,
    from: &OsStr,
    to_dir: &Handle,
    to: &OsStr,
    mut placed: Option<Node>,
) -> Result<(), Errno> {
    for _ in 0..EXCHANGES {
        let back = node_at(from_dir, from).map(|(node, _)| node);
        rename((to_dir, to), (from_dir, from), Rename::Exchange)?;
        if node_at(from_dir, from).map(|(node, _)| node) == placed {
            return Ok(());
        }
        placed = back;
    }
    Err(Errno::BUSY)
}

/// For file systems without an exchange of names. A crash in between leaves what was there under
/// a hidden name.
fn exchange_in_steps(
    from_dir: &Handle,
    from: &OsStr,
    to_dir: &Handle,
    to: &OsStr,
) -> Result<(), Errno> {
    let mut aside = from.to_owned();
    aside.push(".old");
    let plain = Rename::Over;
    if hard_link((to_dir, to), (from_dir, &aside)).is_err() {
        rename((to_dir, to), (from_dir, &aside), plain)?;
    }
    rename((from_dir, from), (to_dir, to), plain).inspect_err(|_| {
        let _ = rename((from_dir, &aside), (to_dir, to), plain);
    })?;
    rename((from_dir, &aside), (from_dir, from), plain)
}
