//! Everything below a folder, in a stable order.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::open_below;
use crate::platform::{
    AsHandle, Errno, Handle, Opening, Stat, link_target_at, names_in, stat, stat_at,
};
use crate::{EntryKind, FilePath, OwnFiles};

/// One entry below a folder.
pub(crate) struct Below {
    /// Where, from that folder.
    pub(crate) path: PathBuf,
    pub(crate) stat: Stat,
    /// What a link says.
    pub(crate) target: Option<Vec<u8>>,
}

impl Below {
    pub(crate) fn kind(&self) -> EntryKind {
        self.stat.kind()
    }
}

/// Visits everything below `top`, each folder before what it holds; `visit` says false to stop.
/// No link is followed. At most two handles are open at a time.
///
/// # Errors
/// What the kernel says, and `CANCELED` once `interrupt` is set.
pub(crate) fn listing(
    top: &Handle,
    interrupt: &AtomicBool,
    mut visit: impl FnMut(&Handle, Below) -> Result<bool, Errno>,
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
            if !visit(&dir, Below { path, stat, target })? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Most guarded places that are told of.
const MOST: usize = 20;

/// The places below the folder at `path`, from it, whose names make programs run what is written
/// there: what is moved or copied with it.
pub(crate) fn guarded_below(
    path: &FilePath,
    interrupt: &AtomicBool,
) -> Result<Vec<PathBuf>, Errno> {
    let top = match path.root.open_at(&path.relative, Opening::Look) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(Vec::new()),
        Err(errno) => return Err(errno),
    };
    if stat(&top)?.kind() != EntryKind::Directory {
        return Ok(Vec::new());
    }
    let own = OwnFiles::resolve(std::slice::from_ref(&path.root));
    let mut found: Vec<PathBuf> = Vec::new();
    listing(&top, interrupt, |_, below| {
        let place = FilePath::new(&path.root, below.path.clone());
        let is_first = !found.iter().any(|known| below.path.starts_with(known));
        let is_guarded = || place.has_guarded_name() || own.contains_path(&place.absolute());
        if is_first && is_guarded() {
            found.push(below.path);
        }
        Ok(found.len() < MOST)
    })?;
    Ok(found)
}
