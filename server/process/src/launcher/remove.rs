//! Removes a folder tree of any depth.
//!
//! A program can nest folders deeper than any path, stack or number of open handles reaches. So
//! this
//! does not descend: the content of a folder is moved up to the top before the folder is removed.

use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, RenameFlags, chmodat, openat, renameat_with, unlinkat,
};
use rustix::io::{Errno, Result};

/// Removes the folder `top` with its content. No other process may use it. O(entries).
///
/// # Errors
/// When something cannot be removed; the rest has been removed then.
pub(super) fn remove_tree(top: &Path) -> Result<()> {
    let folder = open_folder(rustix::fs::CWD, &name_of(top)?)?;
    let mut number = 0;
    let mut failed = None;
    loop {
        let names = names_in(&folder)?;
        if names.is_empty() {
            break;
        }
        let before = number;
        let mut is_less = false;
        for name in &names {
            match remove_one(&folder, name, &mut number) {
                Ok(()) => is_less = true,
                Err(errno) => failed = Some(errno),
            }
        }
        if !is_less && number == before {
            return Err(failed.unwrap_or(Errno::IO));
        }
    }
    fs::remove_dir(top).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Removes an entry of the top folder. The content of a subfolder is moved to the top first.
fn remove_one(top: &OwnedFd, name: &CStr, number: &mut u64) -> Result<()> {
    match unlinkat(top, name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) => {}
        done => return done,
    }
    if unlinkat(top, name, AtFlags::REMOVEDIR).is_ok() {
        return Ok(());
    }
    // The owner may always change the mode.
    chmodat(top, name, Mode::RWXU, AtFlags::empty())?;
    let folder = open_folder(top, name)?;
    for inner in names_in(&folder)? {
        match unlinkat(&folder, &inner, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => {}
            done => {
                done?;
                continue;
            }
        }
        if unlinkat(&folder, &inner, AtFlags::REMOVEDIR).is_ok() {
            continue;
        }
        chmodat(&folder, &inner, Mode::RWXU, AtFlags::empty())?;
        loop {
            *number += 1;
            let free = CString::new(format!(".{number}")).map_err(|_| Errno::INVAL)?;
            match renameat_with(&folder, &inner, top, &free, RenameFlags::NOREPLACE) {
                Err(Errno::EXIST) => {}
                done => break done?,
            }
        }
    }
    unlinkat(top, name, AtFlags::REMOVEDIR)
}

fn open_folder(dir: impl std::os::fd::AsFd, name: &CStr) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

fn names_in(folder: &OwnedFd) -> Result<Vec<CString>> {
    let names = Dir::read_from(folder)?.map(|entry| Ok(entry?.file_name().to_owned()));
    let names: Result<Vec<CString>> = names.collect();
    Ok(names?.into_iter().filter(|name| !matches!(name.to_bytes(), b"." | b"..")).collect())
}

fn name_of(path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::mkdirat;

    use super::*;

    #[test]
    fn any_tree_is_removed_and_nothing_that_a_link_leads_to() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("top");
        for folder in ["a/b/.1", "a/c", ".1/x"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        fs::write(dir.path().join("kept"), "").unwrap();
        symlink(dir.path(), top.join("a/link")).unwrap();
        fs::write(top.join("a/b/.1/file"), "").unwrap();
        fs::set_permissions(top.join("a/b"), PermissionsExt::from_mode(0o000)).unwrap();
        // Deeper than a path can name.
        let mut at = open_folder(rustix::fs::CWD, &name_of(&top).unwrap()).unwrap();
        for _ in 0..20_000 {
            mkdirat(&at, c"deep", Mode::RWXU).unwrap();
            at = open_folder(&at, c"deep").unwrap();
        }
        remove_tree(&top).unwrap();
        assert!(!top.exists());
        assert!(dir.path().join("kept").exists());
    }
}
