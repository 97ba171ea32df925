//! The view of the file system that a command has, in a mount namespace of its own.

use std::fs;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use mountinfo::MountPoint;
use rustix::fs::{FileType, Mode, OFlags, StatVfsMountFlags, fstat, fstatvfs, open};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount,
};
use rustix::thread::UnshareFlags;

use super::raw;
use crate::Protected;
use crate::plan::{Plan, Refusal};

/// What was arranged.
pub(super) struct Mounts {
    /// `/dev/shm` is a command's own.
    pub(super) private_memory: bool,
    /// `/dev/pts` is a command's own.
    pub(super) private_terminals: bool,
}

/// Where daemons keep their sockets.
const RUNTIME: &str = "/run";
/// A file that cannot be opened, to be mounted over what is hidden.
const UNREADABLE: &str = "/run/.unreadable";

/// Enters a mount namespace, and arranges `/proc` and, for a confined
/// command, what leads to daemons that are not. `None` where mounting is refused.
pub(super) fn arrange(plan: &Plan, is_confined: bool) -> Result<Option<Mounts>, Refusal> {
    if raw::unshare(UnshareFlags::NEWNS).is_err() {
        return Ok(None);
    }
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    if mount_change("/", private).is_err() {
        return Ok(None);
    }
    let careful = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // Inside of containers this may be refused: then the old one stays, whose processes of others
    // are out of reach by their user namespace and Landlock.
    let _ = mount("proc", "/proc", "proc", careful, None);
    let mut mounts = Mounts { private_memory: false, private_terminals: false };
    if !is_confined {
        return Ok(Some(mounts));
    }
    hide_sockets(plan)?;
    let no_code = MountFlags::NOSUID | MountFlags::NODEV;
    mounts.private_memory =
        mount("shm", "/dev/shm", "tmpfs", no_code, c"mode=1777,size=1g").is_ok();
    let terminals = MountFlags::NOSUID | MountFlags::NOEXEC;
    mounts.private_terminals =
        mount("devpts", "/dev/pts", "devpts", terminals, c"newinstance,ptmxmode=0666,mode=0600")
            .and_then(|()| mount_bind("/dev/pts/ptmx", "/dev/ptmx"))
            .is_ok();
    Ok(Some(mounts))
}

/// Hides the sockets of daemons: whoever may connect to one has it act outside of any wall.
fn hide_sockets(plan: &Plan) -> Result<(), Refusal> {
    let refused = |path: &str| {
        let path = path.to_owned();
        move |e: Errno| Refusal::failed(&format!("hiding {path}"), e)
    };
    for path in &plan.sockets {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(socket) = open(path, flags, Mode::empty()) else { continue };
        if fstat(&socket).is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::Socket) {
            mount_bind("/dev/null", by_handle(&socket)).map_err(refused(path))?;
        }
    }
    // Sockets may be made there at any time.
    let Ok(entries) = fs::read_dir(RUNTIME) else { return Ok(()) };
    let links: Vec<_> = entries
        .flatten()
        .filter_map(|entry| Some((entry.path(), fs::read_link(entry.path()).ok()?)))
        .collect();
    let mut kept: Vec<PathBuf> = vec![plan.cwd.clone()];
    kept.extend(plan.writable.iter().flatten().map(|folder| folder.path.clone()));
    kept.extend(fs::canonicalize("/etc/resolv.conf"));
    kept.retain(|path| path.starts_with(RUNTIME));
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let kept: Vec<_> = kept
        .into_iter()
        .filter_map(|path| Some((open(&path, flags, Mode::empty()).ok()?, path)))
        .collect();
    mount("run", RUNTIME, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=0755,size=1m")
        .map_err(refused(RUNTIME))?;
    // Made here, for later `/run` is read-only, and so is what is mounted from it.
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o0).open(UNREADABLE);
    made.map_err(|e| Refusal::failed("making what hides files", e))?;
    for (path, target) in links {
        // Without it, something is not found that need not be.
        let _ = std::os::unix::fs::symlink(target, path);
    }
    for (handle, path) in kept {
        let is_folder = fs::metadata(by_handle(&handle)).is_ok_and(|m| m.is_dir());
        let place = if is_folder {
            fs::create_dir_all(&path)
        } else {
            fs::create_dir_all(path.parent().unwrap_or(&path))
                .and_then(|()| fs::File::create(&path).map(drop))
        };
        place.map_err(|e| Refusal::failed("keeping a folder in /run", e))?;
        mount_bind_recursive(by_handle(&handle), &path)
            .map_err(refused(&path.to_string_lossy()))?;
    }
    Ok(())
}

/// What a handle is open on, as a path that cannot be exchanged.
fn by_handle(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

/// Everything protected that exists in the writable folders, as absolute paths. Nothing can be mounted
/// over a link itself.
pub(super) fn protected(rules: &Protected, writable: &[(&Path, OwnedFd)]) -> Vec<PathBuf> {
    let is_protected = |path: &&PathBuf| {
        writable.iter().any(|(root, _)| path.starts_with(root))
            && fs::symlink_metadata(path).is_ok_and(|found| !found.is_symlink())
    };
    let paths = rules.paths.iter().chain(&rules.pinned);
    let mut found: Vec<PathBuf> = paths.filter(is_protected).cloned().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Puts read-only mounts over `paths`: nothing in them can be changed, and they themselves can be
/// neither replaced, moved nor removed.
pub(super) fn protect(paths: &[PathBuf]) -> Result<(), Refusal> {
    for path in paths {
        let failed = |e: Errno| Refusal::failed(&format!("protecting {}", path.display()), e);
        let opened = || {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            open(path, flags, Mode::empty()).map_err(failed)
        };
        let before = opened()?;
        mount_bind_recursive(by_handle(&before), by_handle(&before)).map_err(failed)?;
        // The handle of before leads below the new mount.
        let mounted = opened()?;
        let id = |fd: &OwnedFd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino));
        if id(&before) != id(&mounted) {
            return Err(Refusal::FolderChanged(path.to_string_lossy().into_owned()));
        }
        make_read_only(&mounted).map_err(failed)?;
    }
    Ok(())
}

/// Keeps the folders above `paths`, up to the writable ones, from being renamed: each becomes a mount
/// of its own.
pub(super) fn pin(paths: &[PathBuf], writable: &[(&Path, OwnedFd)]) -> Result<(), Refusal> {
    let mut above = std::collections::BTreeSet::new();
    for path in paths {
        let roots = writable.iter().map(|(root, _)| *root).filter(|root| path.starts_with(root));
        for root in roots {
            let folders = path.ancestors().skip(1);
            above.extend(folders.take_while(|folder| *folder != root).map(Path::to_owned));
        }
    }
    // In this order, a folder comes before those in it.
    for folder in above {
        let failed = |e: Errno| Refusal::failed(&format!("pinning {}", folder.display()), e);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match open(&folder, flags, Mode::empty()) {
            Ok(handle) => {
                mount_bind_recursive(by_handle(&handle), by_handle(&handle)).map_err(failed)?;
            }
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(failed(errno)),
        }
    }
    Ok(())
}

/// Puts what cannot be opened over `paths`. The content that stands there has no other name in the
/// view of the file system that the command gets, if the caller has given all of them.
pub(super) fn hide(paths: &[PathBuf]) -> Result<(), Refusal> {
    if paths.is_empty() {
        return Ok(());
    }
    // Without a `/run` of the command's own, what is hidden reads as empty.
    let is_made = fs::symlink_metadata(UNREADABLE).is_ok();
    let file = if is_made { UNREADABLE } else { "/dev/null" };
    for path in paths {
        let failed = |e: Errno| Refusal::failed(&format!("hiding {}", path.display()), e);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match open(path, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT | Errno::NOTDIR) => continue,
            // Who cannot reach it cannot read it.
            Err(Errno::ACCESS) => continue,
            Err(errno) => return Err(failed(errno)),
        };
        let mode = fstat(&handle).map_err(failed)?.st_mode;
        match FileType::from_raw_mode(mode) {
            FileType::Symlink => {}
            FileType::Directory => {
                let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
                mount("hidden", by_handle(&handle), "tmpfs", flags, c"mode=0,size=4k")
                    .map_err(failed)?;
            }
            _ => mount_bind(file, by_handle(&handle)).map_err(failed)?,
        }
    }
    Ok(())
}

/// Makes every mount read-only but those of `writable`, of processes and of devices: Landlock has
/// no say in modes, times and attributes.
pub(super) fn read_only_but(writable: &[&Path]) -> Result<(), Refusal> {
    let failed = |path: &Path| {
        let what = format!("making {} read-only", path.display());
        move |e: Errno| Refusal::failed(&what, e)
    };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for path in writable {
        let handle = open(*path, flags, Mode::empty()).map_err(failed(path))?;
        mount_bind_recursive(by_handle(&handle), by_handle(&handle)).map_err(failed(path))?;
    }
    let listed = fs::read("/proc/self/mountinfo").map_err(|e| Refusal::failed("mounts", e))?;
    let own = ["/proc", "/dev/shm", "/dev/pts", "/dev/ptmx"].map(Path::new);
    for MountPoint { path, .. } in mountinfo::parse(&listed) {
        if own.iter().chain(writable).any(|kept| path.starts_with(kept)) {
            continue;
        }
        // What is hidden below another mount is out of anybody's reach.
        let Ok(handle) = open(&path, flags, Mode::empty()) else { continue };
        match make_read_only(&handle) {
            Ok(()) | Err(Errno::INVAL) => {}
            Err(errno) => return Err(failed(&path)(errno)),
        }
    }
    Ok(())
}

/// Makes the mount that `mounted` is the top of read-only.
fn make_read_only(mounted: &OwnedFd) -> Result<(), Errno> {
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
    // What the system has forbidden stays forbidden, else this would be refused.
    let now = fstatvfs(mounted.as_fd())?.f_flag;
    for (flag, kept) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
    ] {
        if now.contains(flag) {
            flags |= kept;
        }
    }
    mount_remount(by_handle(mounted), flags, "")
}
