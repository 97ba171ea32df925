//! Copies an entry or a whole tree by handle, with mode, times and extended attributes.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::{TreeEntry, open_below, visit_tree};
use crate::EntryKind;
use crate::platform::{
    AsHandle, Errno, Handle, Opening, Stat, copy_content, copy_metadata, keep_times, link_target,
    make_folder, make_link, make_special, stat, sync, sync_file_system,
};

/// Options of a copy.
pub(crate) struct CopyOptions<'a> {
    /// Whether FIFOs, sockets and devices are recreated; otherwise they are an error.
    pub(crate) specials: bool,
    pub(crate) interrupt: &'a AtomicBool,
}

/// Copies `name` in `from` to `new` in `to`, which must not exist; durable once it returns.
/// On failure the partial copy stays: its caller uses a temporary name for it.
///
/// # Errors
/// Any system error; `OPNOTSUPP` for a special file, `CANCELED` once interrupted.
pub(crate) fn copy(
    (from, name): (impl AsHandle, &OsStr),
    (to, new): (impl AsHandle, &OsStr),
    options: &CopyOptions<'_>,
) -> Result<(), Errno> {
    let (from, to) = (from.as_fd(), to.as_fd());
    let entry = open_below(from, Path::new(name), Opening::Inspect)?;
    let stat = stat(&entry)?;
    let target = match stat.kind() {
        EntryKind::Directory => return copy_tree(from, name, to, new, &stat, options),
        EntryKind::Link => Some(link_target(&entry)?),
        _ => None,
    };
    let from_dir = open_below(from, Path::new(""), Opening::Folder)?;
    let to_dir = open_below(to, Path::new(""), Opening::Folder)?;
    let below = TreeEntry { path: PathBuf::from(name), stat, target };
    copy_one(&from_dir, &below, &to_dir, new, options, true)?;
    sync(&to_dir)
}

/// Copies a folder with its contents; synced once at the end.
fn copy_tree(
    from: impl AsHandle,
    name: &OsStr,
    to: impl AsHandle,
    new: &OsStr,
    stat: &Stat,
    options: &CopyOptions<'_>,
) -> Result<(), Errno> {
    let from = open_below(from, Path::new(name), Opening::Folder)?;
    make_folder(&to, new, 0o700)?;
    let top = open_below(&to, Path::new(new), Opening::Folder)?;
    // Modes and times are set last: a mode may forbid writing, and adding entries changes the time.
    let mut folders = vec![(PathBuf::new(), *stat)];
    let mut last: Option<(PathBuf, Handle)> = None;
    visit_tree(&from, options.interrupt, |dir, below| {
        let parent = below.path.parent().unwrap_or(Path::new(""));
        if last.as_ref().is_none_or(|(path, _)| path != parent) {
            last = Some((parent.to_owned(), open_below(&top, parent, Opening::Folder)?));
        }
        let Some((_, into)) = &last else { return Err(Errno::IO) };
        let name = below.path.file_name().unwrap_or_default().to_owned();
        if below.kind() == EntryKind::Directory {
            make_folder(into, &name, 0o700)?;
            folders.push((below.path, below.stat));
        } else {
            copy_one(dir, &below, into, &name, options, false)?;
        }
        Ok(true)
    })?;
    for (path, stat) in folders.iter().rev() {
        let (old, new) =
            (open_below(&from, path, Opening::Folder)?, open_below(&top, path, Opening::Folder)?);
        let new = File::from(new);
        copy_metadata(&File::from(old), stat, &new)?;
        keep_times(stat, &new)?;
    }
    sync_file_system(&top)
}

/// Copies an entry that is not a folder.
fn copy_one(
    dir: &Handle,
    below: &TreeEntry,
    to: &Handle,
    new: &OsStr,
    options: &CopyOptions<'_>,
    durable: bool,
) -> Result<(), Errno> {
    let name = below.path.file_name().unwrap_or_default();
    match below.kind() {
        EntryKind::File => {
            let old = File::from(open_below(dir, Path::new(name), Opening::Read)?);
            let stat = stat(&old)?;
            if stat.kind() != EntryKind::File {
                return Err(Errno::LOOP);
            }
            let made = File::from(open_below(to, Path::new(new), Opening::Create(0o600))?);
            copy_content(&old, &made, stat.size(), options.interrupt)?;
            copy_metadata(&old, &stat, &made)?;
            keep_times(&stat, &made)?;
            if durable { sync(&made) } else { Ok(()) }
        }
        EntryKind::Link => {
            make_link(below.target.as_deref().unwrap_or_default(), to, new, &below.stat)
        }
        _ if options.specials => make_special(to, new, &below.stat),
        _ => Err(Errno::OPNOTSUPP),
    }
}
