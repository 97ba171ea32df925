//! Deletes an entry with everything below it, at any depth.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, RandomState};

use crate::platform::{
    AsHandle, Errno, RenameMode, names_in, open_to_empty, remove_file, remove_folder, rename,
};

/// Removes `name` in the folder `parent` with everything below it. A missing entry is not an error.
///
/// It needs two handles whatever the depth: nested folders are first moved up.
pub(crate) fn remove(parent: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    let parent = parent.as_fd();
    match remove_file(parent, name) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR) => {}
        Err(errno) => return Err(errno),
    }
    let top = open_to_empty(parent, name)?;
    // Flattening adds entries to `top`, so list it again until it is empty. Each round removes one
    // level of nesting.
    loop {
        let names = entry_names(&top)?;
        if names.is_empty() {
            break;
        }
        for name in names {
            match remove_file(&top, &name) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR) => flatten(&top, &name)?,
                Err(errno) => return Err(errno),
            }
        }
    }
    remove_folder(parent, name)
}

/// Removes the folder `name` in `top` after moving its subfolders up into `top`.
fn flatten(top: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    let top = top.as_fd();
    let sub = open_to_empty(top, name)?;
    for inner in entry_names(&sub)? {
        match remove_file(&sub, &inner) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => {
                // Moving a folder changes its `..`, so it must be writable first.
                drop(open_to_empty(&sub, &inner)?);
                let unique = format!(".{:016x}", RandomState::new().hash_one(&inner));
                rename((&sub, &inner), (top, unique.as_ref()), RenameMode::NoReplace)?;
            }
            Err(errno) => return Err(errno),
        }
    }
    remove_folder(top, name)
}

fn entry_names(dir: impl AsHandle) -> Result<Vec<OsString>, Errno> {
    names_in(dir)?.collect()
}
