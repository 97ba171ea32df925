//! Visits everything below a folder.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::open_below;
use crate::platform::{
    AsHandle, Errno, Handle, Opening, Stat, link_target_at, names_in, stat, stat_at,
};
use crate::{EntryKind, FilePath, OwnFiles};

/// An entry below a folder.
pub(crate) struct TreeEntry {
    /// The path relative to that folder.
    pub(crate) path: PathBuf,
    pub(crate) stat: Stat,
    /// The target, if it is a link.
    pub(crate) target: Option<Vec<u8>>,
}

impl TreeEntry {
    pub(crate) fn kind(&self) -> EntryKind {
        self.stat.kind()
    }
}

/// Visits everything below `top`, each folder before its contents; `visit` returns false to stop.
/// Links are not followed. At most two handles are open at a time.
///
/// # Errors
/// Any system error, and `CANCELED` once `interrupt` is set.
pub(crate) fn visit_tree(
    top: &Handle,
    interrupt: &AtomicBool,
    mut visit: impl FnMut(&Handle, TreeEntry) -> Result<bool, Errno>,
) -> Result<(), Errno> {
    let mut todo = vec![PathBuf::new()];
    while let Some(at) = todo.pop() {
        let dir = open_below(top.as_fd(), &at, Opening::Folder)?;
        for name in names_in(&dir)? {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Errno::CANCELED);
            }
            let name = name?;
            let stat = match stat_at(&dir, &name) {
                Err(Errno::NOENT) => continue,
                stat => stat?,
            };
            let path = at.join(&name);
            let kind = stat.kind();
            if kind == EntryKind::Directory {
                todo.push(path.clone());
            }
            let target = match kind {
                EntryKind::Link => Some(link_target_at(&dir, &name)?),
                _ => None,
            };
            if !visit(&dir, TreeEntry { path, stat, target })? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Maximum number of guarded paths that are returned.
const MAX_GUARDED: usize = 20;

/// The guarded paths below the folder at `path`, relative to it: they move or are copied with it.
pub(crate) fn guarded_below(
    path: &FilePath,
    interrupt: &AtomicBool,
) -> Result<Vec<PathBuf>, Errno> {
    let top = match path.root.open_at(&path.relative, Opening::Inspect) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(Vec::new()),
        Err(errno) => return Err(errno),
    };
    if stat(&top)?.kind() != EntryKind::Directory {
        return Ok(Vec::new());
    }
    let own = OwnFiles::resolve(std::slice::from_ref(&path.root));
    let mut found: Vec<PathBuf> = Vec::new();
    visit_tree(&top, interrupt, |_, below| {
        let path = FilePath::new(&path.root, below.path.clone());
        let is_first = !found.iter().any(|known| below.path.starts_with(known));
        let is_guarded = || path.has_guarded_name() || own.contains_path(&path.absolute());
        if is_first && is_guarded() {
            found.push(below.path);
        }
        Ok(found.len() < MAX_GUARDED)
    })?;
    Ok(found)
}
