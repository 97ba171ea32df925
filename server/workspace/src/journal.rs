//! What is done to the disk, in steps that can be taken back, also by another process.
//!
//! Every visible change is one rename, or an exchange of two names. What takes the place of
//! something is made under a hidden name beside it first; what goes is not destroyed but renamed
//! aside, until all steps are done. The steps are recorded durably before the first one, so that
//! whoever finds them after a crash can tell by the files' own numbers which were done: all of
//! them, then the rest is cleared up; else they are taken back, last one first.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use rustix::fs::{
    AtFlags, Mode, RenameFlags, fstat, fsync, linkat, mkdirat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::entries::{Copying, FOLDER, Node, copy, open_below, remove};
use crate::path::FilePath;
use crate::replace::Content;
use crate::trash::Trash;
use crate::{Root, Stamp};

/// A place that a step is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the workspace.
    Tree(FilePath),
    /// In the trash, by name.
    Trash(String),
}

/// One change on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Step<P = Place> {
    /// A folder on the way that is not there yet.
    Folder { at: P },
    /// A hidden copy.
    Copy { from: P, to: P },
    /// `from` gets the name `to`. `over` stands there and gets the name `from`; where it is
    /// `None`, nothing may stand there.
    Rename {
        from: P,
        to: P,
        /// Which file it is; `None` for one that a step before makes.
        node: Option<Node>,
        over: Option<Node>,
        /// Whether `from` is of our own making, and goes when the step is taken back.
        made: bool,
    },
}

impl<P> Step<P> {
    fn map<Q>(&self, mut place: impl FnMut(&P) -> Option<Q>) -> Option<Step<Q>> {
        Some(match self {
            Self::Folder { at } => Step::Folder { at: place(at)? },
            Self::Copy { from, to } => Step::Copy { from: place(from)?, to: place(to)? },
            Self::Rename { from, to, node, over, made } => Step::Rename {
                from: place(from)?,
                to: place(to)?,
                node: *node,
                over: *over,
                made: *made,
            },
        })
    }
}

/// A step with what is at hand to do it.
pub(crate) struct Ready {
    pub(crate) step: Step,
    /// The new content, where that is what is renamed.
    pub(crate) content: Option<Content>,
    /// The state that what goes, or gets another name, must still be in.
    pub(crate) expect: Option<Stamp>,
}

/// The steps of one action, as they are recorded.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Written {
    steps: Vec<Step<String>>,
    clear: Vec<String>,
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

/// The steps of one action, and what is left to be removed once all are done.
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) clear: Vec<Place>,
}

const PLAIN: &AsciiSet = &CONTROLS.add(b'%');

/// A path as text, whatever its bytes.
pub(crate) fn written_path(path: &Path) -> String {
    percent_encode(path.as_os_str().as_bytes(), PLAIN).to_string()
}

/// The place below one of `roots` that was written so.
pub(crate) fn read_path(written: &str, roots: &[Arc<Root>]) -> Option<FilePath> {
    let bytes: Vec<u8> = percent_decode_str(written).collect();
    let path = PathBuf::from(OsString::from_vec(bytes));
    roots.iter().find_map(|root| {
        let relative = root.strip(&path)?.to_owned();
        let is_plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        is_plain.then(|| FilePath { root: root.clone(), relative })
    })
}

const TRASH: &str = "trash:";

impl Place {
    fn written(&self) -> String {
        match self {
            Self::Tree(path) => written_path(&path.absolute()),
            Self::Trash(name) => format!("{TRASH}{name}"),
        }
    }

    fn read(written: &str, roots: &[Arc<Root>]) -> Option<Self> {
        match written.strip_prefix(TRASH) {
            Some(name) => (!name.contains('/')).then(|| Self::Trash(name.to_owned())),
            None => read_path(written, roots).map(Self::Tree),
        }
    }

    /// The folder that it is in, and its name there.
    fn parent(&self, trash: Option<&Trash>) -> Result<(OwnedFd, OsString), Errno> {
        match self {
            Self::Tree(path) => {
                let parent = path.relative.parent().unwrap_or(Path::new(""));
                let dir = path.root.open_at(parent, FOLDER, Mode::empty())?;
                Ok((dir, path.file_name().to_owned()))
            }
            Self::Trash(name) => {
                let trash = trash.ok_or(Errno::NOENT)?;
                let dir = open_below(trash.dir(), Path::new(""), FOLDER, Mode::empty())?;
                Ok((dir, name.into()))
            }
        }
    }
}

/// What stands at a name in a folder.
fn node_at(dir: &OwnedFd, name: &std::ffi::OsStr) -> Option<(Node, Stamp)> {
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some((Node::of(&stat), Stamp::of(&stat)))
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
                match mkdirat(&dir, &name, Mode::from_raw_mode(0o777)) {
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
                let seen = |dir: &OwnedFd, name: &OsString| node_at(dir, name);
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
                let flags = match over {
                    Some(_) => RenameFlags::EXCHANGE,
                    None => RenameFlags::NOREPLACE,
                };
                match renameat_with(&from_dir, &from, &to_dir, &to, flags) {
                    Err(Errno::INVAL | Errno::NOSYS) if over.is_some() => {
                        exchange_in_steps(&from_dir, &from, &to_dir, &to)?;
                    }
                    Err(Errno::INVAL | Errno::NOSYS) => {
                        // A file system that knows no flags.
                        if seen(&to_dir, &to).is_some() {
                            return Err(Errno::EXIST.into());
                        }
                        renameat_with(&from_dir, &from, &to_dir, &to, RenameFlags::empty())?;
                    }
                    done => done?,
                }
                // Somebody may have put something else there in between: theirs stays.
                let (out, expected) = match over {
                    Some(over) => (seen(&from_dir, &from), Some(*over)),
                    None => (seen(&to_dir, &to), *node),
                };
                let is_it = expected.is_none_or(|expected| out.is_some_and(|(n, _)| n == expected));
                if !is_it {
                    renameat_with(&to_dir, &to, &from_dir, &from, flags)?;
                    return Err(StepError::Changed);
                }
                Ok(())
            }
        }
    }
}

/// For file systems without an exchange of names. A crash in between leaves what was there under
/// a hidden name.
fn exchange_in_steps(
    from_dir: &OwnedFd,
    from: &OsString,
    to_dir: &OwnedFd,
    to: &OsString,
) -> Result<(), Errno> {
    let mut aside = from.clone();
    aside.push(".old");
    let plain = RenameFlags::empty();
    if linkat(to_dir, to, from_dir, &aside, AtFlags::empty()).is_err() {
        renameat_with(to_dir, to, from_dir, &aside, plain)?;
    }
    renameat_with(from_dir, from, to_dir, to, plain).inspect_err(|_| {
        let _ = renameat_with(from_dir, &aside, to_dir, to, plain);
    })?;
    renameat_with(from_dir, &aside, from_dir, from, plain)
}

impl Steps {
    pub(crate) fn written(&self) -> Option<Written> {
        let write = |place: &Place| Some(place.written());
        Some(Written {
            steps: self.steps.iter().filter_map(|step| step.map(write)).collect(),
            clear: self.clear.iter().filter_map(write).collect(),
        })
    }

    /// `None` where a place lies in no folder that is open.
    pub(crate) fn read(written: &Written, roots: &[Arc<Root>]) -> Option<Self> {
        let read = |place: &String| Place::read(place, roots);
        Some(Self {
            steps: written.steps.iter().map(|step| step.map(read)).collect::<Option<_>>()?,
            clear: written.clear.iter().map(read).collect::<Option<_>>()?,
        })
    }

    /// Whether all of them have been done: the last one has.
    pub(crate) fn are_done(&self, trash: Option<&Trash>) -> bool {
        match self.steps.last() {
            None => true,
            Some(Step::Copy { .. }) => false,
            Some(Step::Folder { at }) => {
                at.parent(trash).is_ok_and(|(dir, name)| node_at(&dir, &name).is_some())
            }
            Some(step @ Step::Rename { .. }) => is_done(step, trash),
        }
    }

    /// Takes back the first `count` steps, last one first. True where that could be done.
    pub(crate) fn take_back(&self, count: usize, trash: Option<&Trash>) -> Result<(), Errno> {
        let mut outcome = Ok(());
        for step in self.steps[..count.min(self.steps.len())].iter().rev() {
            if let Err(errno) = take_back(step, trash) {
                outcome = Err(errno);
            }
        }
        self.sync(trash);
        outcome
    }

    /// Removes what is left over once all steps are done.
    pub(crate) fn clear(&self, trash: Option<&Trash>) {
        for place in &self.clear {
            let cleared = place.parent(trash).and_then(|(dir, name)| remove(&dir, &name));
            if let Err(error) = cleared {
                tracing::warn!("{}: could not be removed: {error}", place.written());
            }
        }
    }

    /// Makes the folders of all steps durable, each once.
    pub(crate) fn sync(&self, trash: Option<&Trash>) {
        let mut synced: Vec<(u64, u64)> = Vec::new();
        let places = self.steps.iter().flat_map(|step| match step {
            Step::Folder { at } => [Some(at), None],
            // Durable once it returns.
            Step::Copy { .. } => [None, None],
            Step::Rename { from, to, .. } => [Some(to), Some(from)],
        });
        for place in places.flatten() {
            let Ok((dir, _)) = place.parent(trash) else { continue };
            let Ok(stat) = fstat(&dir) else { continue };
            let id = (stat.st_dev, stat.st_ino);
            if synced.contains(&id) {
                continue;
            }
            synced.push(id);
            // It has happened; a failing sync only makes it less durable.
            if let Err(errno) = fsync(&dir) {
                tracing::warn!("{}: the folder could not be synced: {errno}", place.written());
            }
        }
    }
}

fn is_done(step: &Step, trash: Option<&Trash>) -> bool {
    let Step::Rename { from, to, node, over, .. } = step else { return false };
    let at = |place: &Place| {
        place.parent(trash).ok().and_then(|(dir, name)| node_at(&dir, &name)).map(|(node, _)| node)
    };
    match (node, over) {
        // What was made and linked in one go never had the other name.
        (Some(node), _) => at(to) == Some(*node) && at(from) != Some(*node),
        (None, Some(over)) => at(from) == Some(*over),
        (None, None) => at(from).is_none() && at(to).is_some(),
    }
}

fn take_back(step: &Step, trash: Option<&Trash>) -> Result<(), Errno> {
    match step {
        Step::Folder { at } => {
            let (dir, name) = at.parent(trash)?;
            // Somebody may have put something into it by now.
            let _ = unlinkat(&dir, &name, AtFlags::REMOVEDIR);
            Ok(())
        }
        Step::Copy { to, .. } => match to.parent(trash) {
            Ok((dir, name)) => remove(&dir, &name),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno),
        },
        Step::Rename { from, to, over, made, .. } => {
            let (from_dir, from_name) = match from.parent(trash) {
                Err(Errno::NOENT) => return Ok(()),
                parent => parent?,
            };
            if is_done(step, trash) {
                let (to_dir, to_name) = to.parent(trash)?;
                let held = node_at(&from_dir, &from_name).map(|(node, _)| node);
                let flags = match over {
                    Some(over) if held == Some(*over) => RenameFlags::EXCHANGE,
                    // What was replaced has been cleared away: there is no way back.
                    Some(_) => return Err(Errno::NOENT),
                    None => RenameFlags::NOREPLACE,
                };
                renameat_with(&to_dir, &to_name, &from_dir, &from_name, flags)?;
            } else if let (Some(over), true) = (over, *made)
                && node_at(&from_dir, &from_name).is_some_and(|(node, _)| node == *over)
            {
                // Ours was written to by somebody: theirs stays, and so does what was there.
                return Err(Errno::BUSY);
            }
            if *made {
                remove(&from_dir, &from_name)?;
            }
            Ok(())
        }
    }
}

/// Refuses a folder that somebody else could have filled.
pub(crate) fn trusted(dir: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(dir)?;
    let ours = found.is_dir()
        && found.uid() == rustix::process::geteuid().as_raw()
        && found.mode() & 0o077 == 0;
    if ours {
        return Ok(());
    }
    let message = format!("{}: must be a folder of mode 0700 that is yours", dir.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

/// `$XDG_STATE_HOME/tandem`, by default `~/.local/state/tandem`; `None` without a home.
pub(crate) fn state_dir() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state =
        absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("tandem"))
}
