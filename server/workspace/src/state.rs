//! Where what is kept of a workspace lies: outside of it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::platform::is_private_folder;
use crate::{Hash, Root};

/// The longest part of a folder's name that is kept for people to know it by.
const LONGEST_SLUG: usize = 32;

/// The folder that keeps what lasts of the workspace of these roots, below
/// `$XDG_STATE_HOME/tandem`: named after the first root, with a hash of its path. It is created,
/// with mode 0700.
///
/// # Errors
/// When there is no home to keep it in, when it cannot be created, and when it is not ours alone:
/// somebody else could have filled it.
pub fn state_folder(roots: &[Arc<Root>]) -> io::Result<PathBuf> {
    let folder = state_place(roots).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set")
    })?;
    make_private_folder(&folder)?;
    Ok(folder)
}

/// Where that folder is, there or not; `None` without a home.
pub(crate) fn state_place(roots: &[Arc<Root>]) -> Option<PathBuf> {
    let name = roots.first().map_or_else(|| "none".to_owned(), |root| name_of(root.path()));
    Some(state_dir()?.join(name))
}

/// The folder in `cache` that keeps what can be made again; otherwise as [`state_folder`].
///
/// # Errors
/// As [`state_folder`].
pub(crate) fn cache_folder(cache: &Path, roots: &[Arc<Root>]) -> io::Result<PathBuf> {
    let root = roots.first().ok_or(io::ErrorKind::NotFound)?;
    let folder = cache.join(name_of(root.path()));
    make_private_folder(&folder)?;
    Ok(folder)
}

/// `$XDG_CACHE_HOME/tandem`, by default `~/.cache/tandem`; `None` without a home.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    tandem_folder("XDG_CACHE_HOME", ".cache")
}

/// `$XDG_STATE_HOME/tandem`, by default `~/.local/state/tandem`; `None` without a home.
pub(crate) fn state_dir() -> Option<PathBuf> {
    tandem_folder("XDG_STATE_HOME", ".local/state")
}

/// `$XDG_RUNTIME_DIR/tandem`; `None` without such a folder.
pub(crate) fn runtime_dir() -> Option<PathBuf> {
    let runtime = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
    runtime.is_absolute().then(|| runtime.join("tandem"))
}

/// Our folder in the one that `variable` names, by default in the folder `default` of the home.
pub(crate) fn tandem_folder(variable: &str, default: &str) -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = absolute(variable).or_else(|| Some(absolute("HOME")?.join(default)))?;
    Some(folder.join("tandem"))
}

/// The folder of the sockets of a workspace folder's servers: in `$XDG_RUNTIME_DIR`, which ends with
/// the person's session, else beside what is kept of the workspace.
pub(crate) fn live_folder(root: &Path) -> io::Result<PathBuf> {
    let folder =
        runtime_dir().or_else(|| Some(state_dir()?.join("live"))).ok_or(io::ErrorKind::NotFound)?;
    Ok(folder.join(name_of(root)))
}

/// Makes the folder at `path`, with mode 0700, or refuses the one that is there where somebody
/// else could have filled it.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    check(path)
}

/// The folder `name` in `$XDG_CACHE_HOME/tandem`, with these files in it, and no say in what else is
/// there. Each is written whole, where it does not hold these bytes already. Mode 0700.
///
/// # Errors
/// As [`state_folder`].
pub fn private_cache_folder(name: &str, files: &[(String, Vec<u8>)]) -> io::Result<PathBuf> {
    let folder = cache_dir().ok_or(io::ErrorKind::NotFound)?.join(name);
    make_private_folder(&folder)?;
    for (file, bytes) in files {
        let path = folder.join(file);
        // A FIFO in its place would be waited for; it is replaced.
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if is_file && std::fs::read(&path).is_ok_and(|found| found == *bytes) {
            continue;
        }
        let temporary = folder.join(crate::replace::temporary_name());
        std::fs::write(&temporary, bytes)?;
        std::fs::rename(&temporary, &path)?;
    }
    Ok(folder)
}

fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    // A leading dot would hide it.
    let slug: String = name.trim_start_matches('.').chars().take(LONGEST_SLUG).map(plain).collect();
    let slug = if slug.is_empty() { "root" } else { &slug };
    format!("{slug}-{:.16}", Hash::of(root.as_os_str().as_bytes()).to_string())
}

fn check(folder: &Path) -> io::Result<()> {
    if is_private_folder(folder)? {
        return Ok(());
    }
    let message = format!("{}: must be a folder of mode 0700 that is yours", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_workspaces_apart_and_are_plain() {
        let names: Vec<_> = ["/a/project", "/b/project", "/", "/a/..b c/\u{e9} \n"]
            .iter()
            .map(|path| name_of(Path::new(path)))
            .collect();
        assert!(names[0].starts_with("project-") && names[1].starts_with("project-"));
        assert_ne!(names[0], names[1]);
        assert!(names[2].starts_with("root-"), "{names:?}");
        assert!(names.iter().all(|n| n.is_ascii() && !n.contains(['/', '\n', ' '])), "{names:?}");
    }

    #[test]
    fn a_folder_that_others_could_fill_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        for (mode, is_ours) in [(0o700, true), (0o770, false)] {
            std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(check(dir.path()).is_ok(), is_ours, "{mode:o}");
        }
    }
}
