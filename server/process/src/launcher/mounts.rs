//! A command's view of the file system, in its own mount namespace.

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

/// What [`set_up`] could set up.
pub(super) struct Mounts {
    /// Whether the command has its own `/dev/shm`.
    pub(super) private_memory: bool,
    /// Whether the command has its own `/dev/pts`.
    pub(super) private_terminals: bool,
}

/// Where daemons put their sockets.
const RUNTIME: &str = "/run";
/// A file without permissions, to be mounted over hidden files.
const UNREADABLE: &str = "/run/.unreadable";

/// Enters a mount namespace, mounts `/proc`, and for a confined command hides sockets and gives it
/// its own shared memory and terminals. `None` if mounting is refused.
pub(super) fn set_up(plan: &Plan, is_confined: bool) -> Result<Option<Mounts>, Refusal> {
    if raw::unshare(UnshareFlags::NEWNS).is_err() {
        return Ok(None);
    }
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    if mount_change("/", private).is_err() {
        return Ok(None);
    }
    let flags_of_proc = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // Containers may refuse this. The old `/proc` stays then; its foreign processes are out of
    // reach because of the user namespace and Landlock.
    let _ = mount("proc", "/proc", "proc", flags_of_proc, None);
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

/// Hides the sockets of daemons: a command could have a daemon act outside the sandbox.
fn hide_sockets(plan: &Plan) -> Result<(), Refusal> {
    let refused = |path: &str| {
        let path = path.to_owned();
        move |e: Errno| Refusal::failed(&format!("hiding {path}"), e)
    };
    for path in &plan.sockets {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(socket) = open(path, flags, Mode::empty()) else { continue };
        if fstat(&socket).is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::Socket) {
            mount_bind("/dev/null", proc_path(&socket)).map_err(refused(path))?;
        }
    }
    // Daemons may create sockets in `/run` at any time: replace it.
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
    // Create it now: `/run` is made read-only later, and so are mounts of this file.
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o0).open(UNREADABLE);
    made.map_err(|e| Refusal::failed("making what hides files", e))?;
    for (path, target) in links {
        // A missing link only makes an optional file missing.
        let _ = std::os::unix::fs::symlink(target, path);
    }
    for (handle, path) in kept {
        let is_folder = fs::metadata(proc_path(&handle)).is_ok_and(|m| m.is_dir());
        let place = if is_folder {
            fs::create_dir_all(&path)
        } else {
            fs::create_dir_all(path.parent().unwrap_or(&path))
                .and_then(|()| fs::File::create(&path).map(drop))
        };
        place.map_err(|e| Refusal::failed("keeping a folder in /run", e))?;
        mount_bind_recursive(proc_path(&handle), &path)
            .map_err(refused(&path.to_string_lossy()))?;
    }
    Ok(())
}

/// A path to the file a handle refers to, which cannot be replaced meanwhile.
fn proc_path(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

/// The protected paths that exist in the writable folders, except links: nothing can be mounted
/// over a link.
pub(super) fn protected_paths(rules: &Protected, writable: &[(&Path, OwnedFd)]) -> Vec<PathBuf> {
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

/// Mounts `paths` read-only over themselves: their content cannot change, and they cannot be
/// replaced, moved or removed.
pub(super) fn make_protected_read_only(paths: &[PathBuf]) -> Result<(), Refusal> {
    for path in paths {
        let failed = |e: Errno| Refusal::failed(&format!("protecting {}", path.display()), e);
        let opened = || {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            open(path, flags, Mode::empty()).map_err(failed)
        };
        let before = opened()?;
        mount_bind_recursive(proc_path(&before), proc_path(&before)).map_err(failed)?;
        // The first handle refers to the file below the new mount.
        let mounted = opened()?;
        let id = |fd: &OwnedFd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino));
        if id(&before) != id(&mounted) {
            return Err(Refusal::FolderChanged(path.to_string_lossy().into_owned()));
        }
        make_read_only(&mounted).map_err(failed)?;
    }
    Ok(())
}

/// Prevents the folders above `paths`, up to the writable ones, from being renamed: each becomes a
/// mount point.
pub(super) fn pin(paths: &[PathBuf], writable: &[(&Path, OwnedFd)]) -> Result<(), Refusal> {
    let mut above = std::collections::BTreeSet::new();
    for path in paths {
        let roots = writable.iter().map(|(root, _)| *root).filter(|root| path.starts_with(root));
        for root in roots {
            let folders = path.ancestors().skip(1);
            above.extend(folders.take_while(|folder| *folder != root).map(Path::to_owned));
        }
    }
    // Sorted: a folder comes before those in it.
    for folder in above {
        let failed = |e: Errno| Refusal::failed(&format!("pinning {}", folder.display()), e);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match open(&folder, flags, Mode::empty()) {
            Ok(handle) => {
                mount_bind_recursive(proc_path(&handle), proc_path(&handle)).map_err(failed)?;
            }
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(failed(errno)),
        }
    }
    Ok(())
}

/// Mounts something unreadable over `paths`. Their content has no other name in the command's view,
/// provided that the caller lists all names.
pub(super) fn hide(paths: &[PathBuf]) -> Result<(), Refusal> {
    if paths.is_empty() {
        return Ok(());
    }
    // Without our own `/run`, hidden files read as empty.
    let is_made = fs::symlink_metadata(UNREADABLE).is_ok();
    let file = if is_made { UNREADABLE } else { "/dev/null" };
    for path in paths {
        let failed = |e: Errno| Refusal::failed(&format!("hiding {}", path.display()), e);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match open(path, flags, Mode::empty()) {
            Ok(handle) => handle,
            Err(Errno::NOENT | Errno::NOTDIR) => continue,
            // An inaccessible path cannot be read anyway.
            Err(Errno::ACCESS) => continue,
            Err(errno) => return Err(failed(errno)),
        };
        let mode = fstat(&handle).map_err(failed)?.st_mode;
        match FileType::from_raw_mode(mode) {
            FileType::Symlink => {}
            FileType::Directory => {
                let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
                mount("hidden", proc_path(&handle), "tmpfs", flags, c"mode=0,size=4k")
                    .map_err(failed)?;
            }
            _ => mount_bind(file, proc_path(&handle)).map_err(failed)?,
        }
    }
    Ok(())
}

/// Makes all mounts read-only except `writable`, `/proc` and devices: Landlock does not restrict
/// changes of modes, times and attributes.
pub(super) fn make_all_read_only_except(writable: &[&Path]) -> Result<(), Refusal> {
    let failed = |path: &Path| {
        let what = format!("making {} read-only", path.display());
        move |e: Errno| Refusal::failed(&what, e)
    };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for path in writable {
        let handle = open(*path, flags, Mode::empty()).map_err(failed(path))?;
        mount_bind_recursive(proc_path(&handle), proc_path(&handle)).map_err(failed(path))?;
    }
    let listed = fs::read("/proc/self/mountinfo").map_err(|e| Refusal::failed("mounts", e))?;
    let own = ["/proc", "/dev/shm", "/dev/pts", "/dev/ptmx"].map(Path::new);
    for MountPoint { path, .. } in mountinfo::parse(&listed) {
        if own.iter().chain(writable).any(|kept| path.starts_with(kept)) {
            continue;
        }
        // A mount hidden below another one cannot be reached.
        let Ok(handle) = open(&path, flags, Mode::empty()) else { continue };
        match make_read_only(&handle) {
            Ok(()) | Err(Errno::INVAL) => {}
            Err(errno) => return Err(failed(&path)(errno)),
        }
    }
    Ok(())
}

/// Makes the mount with the top `mounted` read-only.
fn make_read_only(mounted: &OwnedFd) -> Result<(), Errno> {
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
    // Keep the flags that are set: removing them would be refused.
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
    mount_remount(proc_path(mounted), flags, "")
}
