//! The folders outside a workspace that hold its state, cache and sockets.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::platform::is_private_folder;
use crate::{ContentHash, Root};

/// Maximum length of the readable part of a folder's name.
const MAX_SLUG_LENGTH: usize = 32;
/// The folder of secrets in the state folder.
const SECRETS: &str = "secrets";

/// The state folder of the workspace with these roots, below `$XDG_STATE_HOME/tandem`. Its name
/// consists of the first root's name and a hash of its path. It is created with mode 0700.
///
/// # Errors
/// When there is no home folder, when it cannot be created, and when other users have access: they
/// could have filled it.
pub fn state_folder(roots: &[Arc<Root>]) -> io::Result<PathBuf> {
    let folder = state_path(roots).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set")
    })?;
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The state folders of all workspaces.
#[must_use]
pub fn state_folders() -> Vec<PathBuf> {
    let entries = state_dir().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
    let mut folders: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| is_private_folder(path).is_ok_and(|is| is))
        .collect();
    folders.sort();
    folders
}

/// The path of the state folder, whether it exists or not; `None` without a home.
pub(crate) fn state_path(roots: &[Arc<Root>]) -> Option<PathBuf> {
    let name = roots.first().map_or_else(|| "none".to_owned(), |root| folder_name(root.path()));
    Some(state_dir()?.join(name))
}

/// The folder for the workspace's secrets, which no sandboxed program can read; otherwise as
/// [`state_folder`].
///
/// # Errors
/// As [`state_folder`].
pub fn secrets_folder(roots: &[Arc<Root>]) -> io::Result<PathBuf> {
    let name = roots.first().map(|root| folder_name(root.path())).ok_or(io::ErrorKind::NotFound)?;
    let folder = state_dir().ok_or(io::ErrorKind::NotFound)?.join(SECRETS).join(name);
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The folder with the secrets of all workspaces, to be hidden from sandboxed programs. `None` if there
/// are none.
#[must_use]
pub fn all_secrets() -> Option<PathBuf> {
    state_dir()?.join(SECRETS).canonicalize().ok()
}

/// The cache folder of the workspace in `cache`; otherwise as [`state_folder`].
///
/// # Errors
/// As [`state_folder`].
pub(crate) fn cache_folder(cache: &Path, roots: &[Arc<Root>]) -> io::Result<PathBuf> {
    let root = roots.first().ok_or(io::ErrorKind::NotFound)?;
    let folder = cache.join(folder_name(root.path()));
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The folder below `$XDG_CACHE_HOME/tandem` for the packages that a workspace's programs fetch, whether it
/// exists or not; `None` without a home. Sandboxed programs write in it, so it is not one of our own.
#[must_use]
pub fn packages_path(roots: &[Arc<Root>]) -> Option<PathBuf> {
    let root = roots.first()?;
    Some(cache_dir()?.with_file_name("tandem-packages").join(folder_name(root.path())))
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

/// The `tandem` folder in the one that `variable` names, by default in `default` of the home.
pub(crate) fn tandem_folder(variable: &str, default: &str) -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = absolute(variable).or_else(|| Some(absolute("HOME")?.join(default)))?;
    Some(folder.join("tandem"))
}

/// The folder of the server sockets of a workspace folder: in `$XDG_RUNTIME_DIR`, which ends with
/// the user's session, else in the state folder.
pub(crate) fn server_socket_folder(root: &Path) -> io::Result<PathBuf> {
    let folder =
        runtime_dir().or_else(|| Some(state_dir()?.join("live"))).ok_or(io::ErrorKind::NotFound)?;
    Ok(folder.join(folder_name(root)))
}

/// Creates the folder at `path` with mode 0700, or fails if other users have access to the existing
/// one.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    check_private(path)
}

/// The folder `name` in `$XDG_CACHE_HOME/tandem` with mode 0700, containing at least these files.
/// Each is written atomically unless it already has this content.
///
/// # Errors
/// As [`state_folder`].
pub fn private_cache_folder(name: &str, files: &[(String, Vec<u8>)]) -> io::Result<PathBuf> {
    let folder = cache_dir().ok_or(io::ErrorKind::NotFound)?.join(name);
    make_private_folder(&folder)?;
    for (file, bytes) in files {
        let path = folder.join(file);
        // Reading a FIFO in its place would block; it is replaced.
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if is_file && std::fs::read(&path).is_ok_and(|found| found == *bytes) {
            continue;
        }
        let temporary = folder.join(crate::temporary_name::temporary_name());
        std::fs::write(&temporary, bytes)?;
        std::fs::rename(&temporary, &path)?;
    }
    Ok(folder)
}

/// The folder `name` in `$XDG_STATE_HOME/tandem` with mode 0700, for state that belongs to no
/// workspace.
///
/// # Errors
/// As [`state_folder`].
pub fn private_state_folder(name: &str) -> io::Result<PathBuf> {
    let folder = state_dir().ok_or(io::ErrorKind::NotFound)?.join(name);
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The folder `name` in `$XDG_DATA_HOME/tandem` with mode 0700, for what a person keeps.
///
/// # Errors
/// As [`state_folder`].
pub fn private_data_folder(name: &str) -> io::Result<PathBuf> {
    let folder = data_dir().ok_or(io::ErrorKind::NotFound)?.join(name);
    make_private_folder(&folder)?;
    Ok(folder)
}

/// The folder of the git work trees that are created for the repository at `top`, below
/// `$XDG_DATA_HOME/tandem/worktrees`. It is created with mode 0700. People and programs work in it, so it
/// is not one of our own folders, which are protected from them.
///
/// # Errors
/// As [`state_folder`].
pub fn worktrees_folder(top: &Path) -> io::Result<PathBuf> {
    let folder = worktrees_dir().ok_or(io::ErrorKind::NotFound)?.join(folder_name(top));
    make_private_folder(&folder)?;
    folder.canonicalize()
}

/// Whether `path` lies where git work trees are created for repositories of this user.
#[must_use]
pub fn is_in_worktrees_folder(path: &Path) -> bool {
    worktrees_dir().and_then(|folder| folder.canonicalize().ok()).is_some_and(|folder| {
        path.starts_with(&folder) && is_private_folder(&folder).unwrap_or(false)
    })
}

fn worktrees_dir() -> Option<PathBuf> {
    Some(data_dir()?.join("worktrees"))
}

/// `$XDG_DATA_HOME/tandem`, by default `~/.local/share/tandem`; `None` without a home.
fn data_dir() -> Option<PathBuf> {
    tandem_folder("XDG_DATA_HOME", ".local/share")
}

fn folder_name(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    // A leading dot would hide it.
    let slug: String =
        name.trim_start_matches('.').chars().take(MAX_SLUG_LENGTH).map(plain).collect();
    let slug = if slug.is_empty() { "root" } else { &slug };
    format!("{slug}-{:.16}", ContentHash::digest(root.as_os_str().as_bytes()).to_string())
}

fn check_private(folder: &Path) -> io::Result<()> {
    if is_private_folder(folder)? {
        return Ok(());
    }
    let message = format!("{}: must be a folder with mode 0700 owned by you", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_are_unique_and_plain() {
        let names: Vec<_> = ["/a/project", "/b/project", "/", "/a/..b c/\u{e9} \n"]
            .iter()
            .map(|path| folder_name(Path::new(path)))
            .collect();
        assert!(names[0].starts_with("project-") && names[1].starts_with("project-"));
        assert_ne!(names[0], names[1]);
        assert!(names[2].starts_with("root-"), "{names:?}");
        assert!(names.iter().all(|n| n.is_ascii() && !n.contains(['/', '\n', ' '])), "{names:?}");
    }

    #[test]
    fn a_folder_accessible_to_others_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        for (mode, is_ours) in [(0o700, true), (0o770, false)] {
            std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(check_private(dir.path()).is_ok(), is_ours, "{mode:o}");
        }
    }
}
