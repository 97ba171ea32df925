//! Unix sockets by which other processes of the same person reach a running server of a workspace.
//!
//! Each server has its own socket, named after its process id, so that two editors on one workspace
//! do not conflict. This module does not know the protocol. The folder of the sockets is hidden
//! from sandboxed commands; [`is_in_our_namespaces`] detects a peer that got in nevertheless.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::platform;
use crate::state_folders::{make_private_folder, server_socket_folder};

/// The file extension of the sockets of editors' servers.
const EXTENSION: &str = ".sock";
/// The file extension of the socket of a server without an editor.
const HEADLESS_EXTENSION: &str = ".headless";
/// The file that such a server locks, so that there is one of them.
const HEADLESS_LOCK: &str = "headless.lock";
/// Maximum number of sockets that are tried.
const MAX_SOCKETS: usize = 16;
/// The namespaces that a sandboxed process does not share.
const NAMESPACES: [&str; 3] = ["mnt", "pid", "user"];

/// The socket of this process; it is removed on drop.
#[derive(Debug)]
pub struct ServerSocket {
    path: PathBuf,
    listener: UnixListener,
    /// Locked while a server without an editor runs.
    _lock: Option<File>,
}

impl ServerSocket {
    /// Creates the socket of this process for the workspace folder `root`, an absolute path without
    /// links.
    ///
    /// # Errors
    /// When its private folder or the socket cannot be created.
    pub fn bind(root: &Path) -> io::Result<Self> {
        let folder = server_socket_folder(root)?;
        make_private_folder(&folder)?;
        Self::bind_in(&folder, EXTENSION, None)
    }

    /// Creates the socket of this process as the one server without an editor. `None` if there is one.
    ///
    /// # Errors
    /// As [`ServerSocket::bind`].
    pub fn bind_headless(root: &Path) -> io::Result<Option<Self>> {
        let folder = server_socket_folder(root)?;
        make_private_folder(&folder)?;
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(folder.join(HEADLESS_LOCK))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Self::bind_in(&folder, HEADLESS_EXTENSION, Some(lock)).map(Some),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn bind_in(folder: &Path, extension: &str, lock: Option<File>) -> io::Result<Self> {
        let name = format!("{}{extension}", std::process::id());
        let path = folder.join(&name);
        // A leftover of an earlier process with this id; the folder is ours.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = with_short_path(folder, &name, |path| UnixListener::bind(path))?;
        Ok(Self { path, listener, _lock: lock })
    }

    /// The listener, in non-blocking mode.
    ///
    /// # Errors
    /// When the system has no more descriptors.
    pub fn listener(&self) -> io::Result<UnixListener> {
        let listener = self.listener.try_clone()?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }
}

impl Drop for ServerSocket {
    fn drop(&mut self) {
        // A leftover is harmless: the next client that cannot connect removes it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Connects to the newest server of `folder`, or of the nearest parent folder that has one. `None`
/// if there is none.
///
/// # Errors
/// When `folder` does not exist.
pub fn connect_to_server(folder: &Path) -> io::Result<Option<UnixStream>> {
    let folder = folder.canonicalize()?;
    Ok(folder.ancestors().find_map(|root| connect_newest(root, EXTENSION)))
}

/// Connects to the newest server that has exactly the folder `root` open; a server of a parent
/// folder would expose more. `None` if there is none.
///
/// # Errors
/// When `root` does not exist.
pub fn connect_to_server_at(root: &Path) -> io::Result<Option<UnixStream>> {
    Ok(connect_newest(&root.canonicalize()?, EXTENSION))
}

/// Connects to the server without an editor that has exactly the folder `root` open. `None` if there is
/// none.
///
/// # Errors
/// When `root` does not exist.
pub fn connect_to_headless_server(root: &Path) -> io::Result<Option<UnixStream>> {
    Ok(connect_newest(&root.canonicalize()?, HEADLESS_EXTENSION))
}

/// Connects to the other processes' servers that have exactly the folder `root` open, an absolute
/// path without links: each with its process id, the newest first.
#[must_use]
pub fn connect_to_other_servers(root: &Path) -> Vec<(u32, UnixStream)> {
    let own = format!("{}{EXTENSION}", std::process::id());
    let others = sockets(root, EXTENSION).into_iter().flat_map(|(folder, names)| {
        let others = names.into_iter().filter(|name| *name != own);
        others
            .filter_map(|name| {
                let number = name.strip_suffix(EXTENSION)?.parse().ok()?;
                Some((number, connect(&folder, &name)?))
            })
            .collect::<Vec<_>>()
    });
    others.collect()
}

/// When a server of the folder `root` last started or stopped: the modification time of one folder.
#[must_use]
pub fn servers_changed_at(root: &Path) -> Option<SystemTime> {
    std::fs::metadata(server_socket_folder(root).ok()?).ok()?.modified().ok()
}

fn connect_newest(root: &Path, extension: &str) -> Option<UnixStream> {
    let (folder, names) = sockets(root, extension)?;
    names.iter().find_map(|name| connect(&folder, name))
}

/// The folder of the sockets for `root`, and the names with this extension, the newest first.
fn sockets(root: &Path, extension: &str) -> Option<(PathBuf, Vec<String>)> {
    let folder = server_socket_folder(root).ok()?;
    let entries = std::fs::read_dir(&folder).ok()?.flatten().take(MAX_SOCKETS * 4);
    let mut found: Vec<(SystemTime, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|n| n.ends_with(extension))?;
            Some((entry.metadata().ok()?.modified().ok()?, name))
        })
        .collect();
    // Fails if the folder belongs to another user.
    make_private_folder(&folder).ok()?;
    found.sort_unstable_by(|a, b| b.cmp(a));
    Some((folder, found.into_iter().take(MAX_SOCKETS).map(|(_, name)| name).collect()))
}

fn connect(folder: &Path, name: &str) -> Option<UnixStream> {
    let connected = with_short_path(folder, name, |path| UnixStream::connect(path));
    if connected.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused) {
        // Its server has crashed.
        let _ = std::fs::remove_file(folder.join(name));
    }
    connected.ok()
}

/// Calls `with` with a path of `name` in `folder` that is short enough for a socket address,
/// however long the folder's path is.
fn with_short_path<T>(
    folder: &Path,
    name: &str,
    with: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let folder = File::open(folder)?;
    with(Path::new(&format!("/proc/self/fd/{}/{name}", folder.as_raw_fd())))
}

/// The effective user id of this process.
#[must_use]
pub fn effective_user_id() -> u32 {
    platform::user()
}

/// Whether a process is in the same namespaces as this one. A sandboxed one is not. False if this
/// is unknown.
#[must_use]
pub fn is_in_our_namespaces(process: u32) -> bool {
    NAMESPACES.iter().all(|name| {
        let of = |who: &str| std::fs::read_link(format!("/proc/{who}/ns/{name}"));
        matches!((of("self"), of(&process.to_string())), (Ok(ours), Ok(theirs)) if ours == theirs)
    })
}
