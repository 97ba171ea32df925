//! Opens paths below a folder.
//!
//! It uses `openat2(RESOLVE_BENEATH)` where available (Linux 5.6 or newer, and not hidden by a
//! container's sandbox). Otherwise each name of the path is opened through the handle of its parent
//! folder and never through a link: equally safe, but one system call per name instead of one per
//! path.

use std::path::{Component, Path};
use std::sync::OnceLock;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, open, openat, openat2};

use crate::platform::{AsHandle, BorrowedHandle, Errno, Handle, Opening};

/// How a path is confined below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// By the kernel, in one call.
    Kernel,
    /// By opening one name after another.
    NameByName,
}

/// Maximum number of attempts while others rename folders on the path (`EAGAIN`).
const MAX_ATTEMPTS: usize = 64;

impl Confinement {
    /// The best mode for the folder `dir`.
    pub(crate) fn detect(dir: impl AsHandle) -> Self {
        match Self::Kernel.open(&dir, Path::new("."), Opening::Inspect) {
            // Container sandboxes return EPERM for unknown system calls.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => Self::NameByName,
            _ => Self::Kernel,
        }
    }

    /// The best mode of this process, for folders outside any root.
    pub(crate) fn of_process() -> Self {
        static MODE: OnceLock<Confinement> = OnceLock::new();
        *MODE.get_or_init(|| {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            open("/", flags, Mode::empty()).map_or(Self::NameByName, Self::detect)
        })
    }

    /// Opens `path` below `dir`. Links are refused, except as the last name with
    /// [`Opening::Inspect`].
    ///
    /// # Errors
    /// `LOOP` for a link or a path that keeps changing, `XDEV` for a path that escapes `dir`.
    pub(crate) fn open(
        self,
        dir: impl AsHandle,
        path: &Path,
        opening: Opening,
    ) -> Result<Handle, Errno> {
        let (flags, mode) = flags_of(opening);
        let inside =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        with_retries(|| match self {
            Self::Kernel => openat2(&dir, path, flags, mode, inside),
            Self::NameByName => open_name_by_name(dir.as_fd(), path, flags, mode),
        })
    }
}

/// The flags and mode. They never follow a link as the last name.
pub(super) fn flags_of(opening: Opening) -> (OFlags, Mode) {
    let always = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let flags = match opening {
        Opening::Inspect => OFlags::PATH,
        Opening::Traverse => OFlags::PATH | OFlags::DIRECTORY,
        Opening::Folder => OFlags::RDONLY | OFlags::DIRECTORY,
        Opening::Read => OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY,
        Opening::Create(mode) => {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            return (flags | always, Mode::from_raw_mode(mode));
        }
    };
    (flags | always, Mode::empty())
}

fn with_retries(mut open: impl FnMut() -> Result<Handle, Errno>) -> Result<Handle, Errno> {
    for _ in 0..MAX_ATTEMPTS {
        match open() {
            Err(Errno::AGAIN | Errno::INTR) => {}
            done => return done,
        }
    }
    Err(Errno::LOOP)
}

/// The fallback without `openat2`: each parent is opened without following links.
fn open_name_by_name(
    dir: BorrowedHandle<'_>,
    path: &Path,
    flags: OFlags,
    mode: Mode,
) -> Result<Handle, Errno> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return Err(Errno::XDEV),
        }
    }
    let Some((last, above)) = names.split_last() else {
        return openat(dir, ".", flags, mode);
    };
    let mut at: Option<Handle> = None;
    for name in above {
        let folder = at.as_ref().map_or(dir, AsHandle::as_fd);
        let through = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let next = openat(folder, *name, through, Mode::empty())?;
        match FileType::from_raw_mode(fstat(&next)?.st_mode) {
            FileType::Directory => at = Some(next),
            FileType::Symlink => return Err(Errno::LOOP),
            _ => return Err(Errno::NOTDIR),
        }
    }
    // A trailing slash means a folder, but components drop it.
    let slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let flags = if slash { flags | OFlags::DIRECTORY } else { flags };
    openat(at.as_ref().map_or(dir, AsHandle::as_fd), *last, flags, mode)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    /// The inode of the opened entry, or the error, for comparison.
    fn outcome(
        mode: Confinement,
        dir: &Handle,
        path: &Path,
        opening: Opening,
    ) -> Result<u64, Errno> {
        Ok(fstat(mode.open(dir, path, opening)?)?.st_ino)
    }

    fn folder(path: &Path) -> Handle {
        rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn this_kernel_confines() {
        let temporary = tempfile::tempdir().unwrap();
        assert_eq!(Confinement::detect(folder(temporary.path())), Confinement::Kernel);
    }

    #[test]
    fn both_modes_agree() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("root");
        std::fs::create_dir_all(root.join("dir/deep")).unwrap();
        std::fs::write(temporary.path().join("outside.txt"), "secret").unwrap();
        std::fs::write(root.join("a.txt"), "a").unwrap();
        std::fs::write(root.join("dir/deep/b.txt"), "b").unwrap();
        std::fs::write(root.join(OsStr::from_bytes(b"dir/\xff\xfe")), "bytes").unwrap();
        for (to, at) in [
            ("../outside.txt", "out"),
            ("/etc/passwd", "etc"),
            ("..", "up"),
            ("dir", "in"),
            ("a.txt", "in-file"),
            ("loop", "loop"),
            ("/proc/self/root", "magic"),
            ("/proc/self/fd/0", "fd"),
            ("nowhere", "dangling"),
        ] {
            symlink(to, root.join(at)).unwrap();
        }
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("fifo"), Mode::RUSR).unwrap();
        let _socket = UnixListener::bind(root.join("socket")).unwrap();
        let dir = folder(&root);
        let long = "n".repeat(300);
        let bytes = Path::new(OsStr::from_bytes(b"dir/\xff\xfe"));
        let paths = [
            ".",
            "./",
            "a.txt",
            "./a.txt",
            "a.txt/",
            "a.txt/x",
            "dir",
            "dir/",
            "dir/.",
            "dir/deep/b.txt",
            "dir//deep///b.txt",
            "dir/./deep/b.txt",
            "no",
            "no/such",
            "out",
            "etc",
            "up",
            "up/outside.txt",
            "in",
            "in/deep/b.txt",
            "in-file",
            "in-file/x",
            "loop",
            "loop/x",
            "magic",
            "magic/etc/passwd",
            "fd",
            "dangling",
            "dangling/x",
            "fifo",
            "fifo/x",
            "socket",
            &long,
        ];
        let paths = paths.iter().map(Path::new).chain([bytes]);
        let openings = [Opening::Inspect, Opening::Traverse, Opening::Read, Opening::Folder];
        for path in paths {
            for opening in openings {
                let kernel = outcome(Confinement::Kernel, &dir, path, opening);
                let by_name = outcome(Confinement::NameByName, &dir, path, opening);
                assert_eq!(kernel, by_name, "{path:?} {opening:?}");
            }
        }
        for path in ["..", "../outside.txt", "dir/../../outside.txt", "/etc/passwd", "/"] {
            for mode in [Confinement::Kernel, Confinement::NameByName] {
                let found = outcome(mode, &dir, Path::new(path), Opening::Inspect);
                assert_eq!(found, Err(Errno::XDEV), "{path} {mode:?}");
            }
        }
    }

    /// A thread keeps swapping a folder and a link to another folder.
    #[test]
    fn a_race_of_folder_and_link_never_escapes() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: &str| temporary.path().join(name);
        for name in ["root/dir", "outside"] {
            std::fs::create_dir_all(at(name)).unwrap();
            std::fs::write(at(name).join("f"), name).unwrap();
        }
        symlink("../outside", at("root/link")).unwrap();
        let outside = fstat(folder(&at("outside"))).unwrap().st_ino;
        let outside_file =
            std::os::unix::fs::MetadataExt::ino(&at("outside/f").metadata().unwrap());
        let dir = folder(&at("root"));
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(&dir, "dir", &dir, "link", exchange).unwrap();
                }
            });
            for mode in [Confinement::Kernel, Confinement::NameByName] {
                let (mut opened, mut refused) = (0, 0);
                let until = Instant::now() + Duration::from_millis(300);
                while Instant::now() < until {
                    match outcome(mode, &dir, Path::new("dir/f"), Opening::Read) {
                        Ok(inode) => {
                            assert!(inode != outside && inode != outside_file, "{mode:?} got out");
                            opened += 1;
                        }
                        Err(_) => refused += 1,
                    }
                }
                assert!(opened > 0 && refused > 0, "{mode:?}: {opened} opened, {refused} refused");
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }
}
