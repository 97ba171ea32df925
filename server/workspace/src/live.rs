//! Where a running server of a workspace can be reached by others of the same person: a Unix socket
//! in a folder that is theirs alone.
//!
//! Each server has a socket of its own, named after its process, so that two editors on one workspace
//! do not get in each other's way. What is said over it is not known here. The folder is one that
//! commands in the sandbox do not see; who made it in all the same is told by
//! [`is_in_our_namespaces`].

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::platform;
use crate::state::{live_folder, make_private_folder};

/// How a socket's name ends.
const ENDING: &str = ".sock";
/// Most sockets that are tried.
const MOST: usize = 16;
/// The namespaces that a process in a sandbox does not share.
const NAMESPACES: [&str; 3] = ["mnt", "pid", "user"];

/// A socket that can be reached while this lives.
#[derive(Debug)]
pub struct LiveSocket {
    path: PathBuf,
    listener: UnixListener,
}

impl LiveSocket {
    /// Makes the socket of this process for the workspace folder `root`, an absolute path without
    /// links in it.
    ///
    /// # Errors
    /// When there is no private folder to make it in, or it cannot be made.
    pub fn bind(root: &Path) -> io::Result<Self> {
        let folder = live_folder(root)?;
        make_private_folder(&folder)?;
        let name = format!("{}{ENDING}", std::process::id());
        let path = folder.join(&name);
        // One of a process that had this number before; the folder is ours.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = short(&folder, &name, |path| UnixListener::bind(path))?;
        Ok(Self { path, listener })
    }

    /// What is listened on; set not to block.
    ///
    /// # Errors
    /// When the system has no more descriptors.
    pub fn listener(&self) -> io::Result<UnixListener> {
        let listener = self.listener.try_clone()?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }
}

impl Drop for LiveSocket {
    fn drop(&mut self) {
        // Nobody is harmed by one that stays: who finds nobody there takes it away.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Connects to the newest server of the workspace that `folder` is in: of that folder, or of the
/// nearest one above it that has a server. `None` where there is none.
///
/// # Errors
/// When `folder` is not there.
pub fn connect_live(folder: &Path) -> io::Result<Option<UnixStream>> {
    let folder = folder.canonicalize()?;
    Ok(folder.ancestors().find_map(connect_to))
}

/// Connects to the newest server that has exactly the folder `root` open: one of a folder around it
/// reaches further than `root`. `None` where there is none.
///
/// # Errors
/// When `root` is not there.
pub fn connect_live_at(root: &Path) -> io::Result<Option<UnixStream>> {
    Ok(connect_to(&root.canonicalize()?))
}

/// Connects to the servers that have exactly the folder `root` open, an absolute path without links
/// in it, but for this process's own: each with the number of its process, the newest first.
#[must_use]
pub fn connect_live_others(root: &Path) -> Vec<(u32, UnixStream)> {
    let own = format!("{}{ENDING}", std::process::id());
    let others = sockets(root).into_iter().flat_map(|(folder, names)| {
        let others = names.into_iter().filter(|name| *name != own);
        others
            .filter_map(|name| {
                let number = name.strip_suffix(ENDING)?.parse().ok()?;
                Some((number, connect(&folder, &name)?))
            })
            .collect::<Vec<_>>()
    });
    others.collect()
}

/// When a server of the folder `root` has come or gone last, as far as the file system knows. A look
/// at one folder's entry.
#[must_use]
pub fn live_changed(root: &Path) -> Option<SystemTime> {
    std::fs::metadata(live_folder(root).ok()?).ok()?.modified().ok()
}

fn connect_to(root: &Path) -> Option<UnixStream> {
    let (folder, names) = sockets(root)?;
    names.iter().find_map(|name| connect(&folder, name))
}

/// The folder of the sockets for `root`, and their names, the newest first.
fn sockets(root: &Path) -> Option<(PathBuf, Vec<String>)> {
    let folder = live_folder(root).ok()?;
    let entries = std::fs::read_dir(&folder).ok()?.flatten().take(MOST * 4);
    let mut found: Vec<(SystemTime, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok().filter(|n| n.ends_with(ENDING))?;
            Some((entry.metadata().ok()?.modified().ok()?, name))
        })
        .collect();
    // Somebody else's folder has nothing for us.
    make_private_folder(&folder).ok()?;
    found.sort_unstable_by(|a, b| b.cmp(a));
    Some((folder, found.into_iter().take(MOST).map(|(_, name)| name).collect()))
}

fn connect(folder: &Path, name: &str) -> Option<UnixStream> {
    let connected = short(folder, name, |path| UnixStream::connect(path));
    if connected.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused) {
        // Its server has died.
        let _ = std::fs::remove_file(folder.join(name));
    }
    connected.ok()
}

/// Does something with a name in a folder by a path that is short enough for a socket's address,
/// however long the folder's is.
fn short<T>(folder: &Path, name: &str, with: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let folder = File::open(folder)?;
    with(Path::new(&format!("/proc/self/fd/{}/{name}", folder.as_raw_fd())))
}

/// The number of the user that this process acts for.
#[must_use]
pub fn user() -> u32 {
    platform::user()
}

/// Whether a process is in the same namespaces as this one: one that is not was put into a sandbox.
/// False where that cannot be told.
#[must_use]
pub fn is_in_our_namespaces(process: u32) -> bool {
    NAMESPACES.iter().all(|name| {
        let of = |who: &str| std::fs::read_link(format!("/proc/{who}/ns/{name}"));
        matches!((of("self"), of(&process.to_string())), (Ok(ours), Ok(theirs)) if ours == theirs)
    })
}
