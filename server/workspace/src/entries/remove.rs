//! Removes an entry for good, however deep it is.

use std::ffi::{CString, OsStr};
use std::hash::{BuildHasher, RandomState};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, RenameFlags, fchmod, openat, renameat_with, unlinkat,
};
use rustix::io::Errno;

/// Removes `name` in the folder `parent`, with everything below it. Nothing there is fine.
///
/// It needs two handles whatever the depth: folders inside folders are first moved up.
pub(crate) fn remove(parent: impl AsFd, name: &OsStr) -> Result<(), Errno> {
    let parent = parent.as_fd();
    match unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR) => {}
        Err(errno) => return Err(errno),
    }
    let top = folder(parent, name)?;
    loop {
        let names = names_in(&top)?;
        if names.is_empty() {
            break;
        }
        for name in names {
            match unlinkat(&top, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR) => flatten(&top, &name)?,
                Err(errno) => return Err(errno),
            }
        }
    }
    unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Removes the folder `name` in `top`; the folders in it go up into `top`.
fn flatten(top: impl AsFd, name: &CString) -> Result<(), Errno> {
    let top = top.as_fd();
    let sub = folder(top, OsStr::from_bytes(name.as_bytes()))?;
    for inner in names_in(&sub)? {
        match unlinkat(&sub, &inner, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => {
                // Moving a folder writes to it: its `..` changes.
                drop(folder(&sub, OsStr::from_bytes(inner.as_bytes()))?);
                let unique = format!(".{:016x}", RandomState::new().hash_one(&inner));
                renameat_with(&sub, &inner, top, &unique, RenameFlags::NOREPLACE)?;
            }
            Err(errno) => return Err(errno),
        }
    }
    unlinkat(top, name, AtFlags::REMOVEDIR)
}

/// Opens a folder that is to go; who owns it may always empty it.
fn folder(parent: impl AsFd, name: &OsStr) -> Result<std::os::fd::OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(parent.as_fd(), name, flags, Mode::empty());
    let dir = match open() {
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(
                parent.as_fd(),
                name,
                Mode::from_raw_mode(0o700),
                AtFlags::SYMLINK_NOFOLLOW,
            )?;
            open()?
        }
        opened => opened?,
    };
    let _ = fchmod(&dir, Mode::from_raw_mode(0o700));
    Ok(dir)
}

fn names_in(dir: impl AsFd) -> Result<Vec<CString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}
