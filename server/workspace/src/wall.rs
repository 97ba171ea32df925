//! The second wall: threads that work for tools can get at the roots and our own folders only.
//!
//! The first wall is the roots' handles: every path is opened below one of them. This one does not
//! know of handles or paths; it is the kernel's refusal to the thread. Where one has a hole, the
//! other still stands.

use std::path::{Path, PathBuf};

use crate::Root;
use crate::libraries::{Environment, Libraries};
use crate::platform::Fence;

/// What a thread may get at once it has entered: the roots, our own state and cache; and, to be
/// read only, our settings and the folders of dependencies.
///
/// A thread that has entered never leaves, and children that it starts are inside too: programs are
/// run from threads outside, in sandboxes of their own.
#[derive(Debug)]
pub struct Wall(Fence);

impl Wall {
    /// A wall around these roots.
    ///
    /// # Errors
    /// Why this system has none: the roots' handles are all that confines then.
    pub fn around<'r>(roots: impl IntoIterator<Item = &'r Root>) -> Result<Self, String> {
        let kept = [own("XDG_STATE_HOME", ".local/state"), own("XDG_CACHE_HOME", ".cache")];
        let settings = own("XDG_CONFIG_HOME", ".config");
        kept.iter().chain([&settings]).flatten().for_each(|folder| make(folder));
        let roots: Vec<&Root> = roots.into_iter().collect();
        let libraries = Libraries::find(&roots, &Environment::own());
        let mut worked_in: Vec<&Path> = roots.iter().map(|root| root.path()).collect();
        worked_in.extend(kept.iter().flatten().map(PathBuf::as_path));
        let mut read = vec![Path::new("/dev/null"), Path::new("/dev/urandom")];
        read.extend(settings.as_deref());
        read.extend(libraries.outside(&roots).map(|library| library.path()));
        Fence::around(&worked_in, &read, &[]).map(Self)
    }

    /// A wall for work that needs nothing else: around folders that are worked in, and folders and
    /// files that are read.
    ///
    /// # Errors
    /// Why this system has none.
    pub fn around_only(worked_in: &[&Path], read: &[&Path]) -> Result<Self, String> {
        Self::around_part(worked_in, read, &[])
    }

    /// As [`Wall::around_only`], where folders lie above of which only names are told: `listed`,
    /// and all below them.
    ///
    /// # Errors
    /// Why this system has none.
    pub fn around_part(
        worked_in: &[&Path],
        read: &[&Path],
        listed: &[&Path],
    ) -> Result<Self, String> {
        let devices = ["/dev/null", "/dev/urandom"].map(Path::new);
        let read: Vec<&Path> = read.iter().copied().chain(devices).collect();
        Fence::around(worked_in, &read, listed).map(Self)
    }

    /// Locks this thread, and those that it starts from now on, inside.
    ///
    /// # Errors
    /// Why the kernel did not.
    pub fn enter(&self) -> Result<(), String> {
        self.0.enter()
    }

    /// Whether this system has a wall, tried out: a thread inside one must be refused what is
    /// outside.
    ///
    /// # Errors
    /// Why it has none.
    pub fn check() -> Result<(), String> {
        let wall = Self::around([])?;
        let tried = std::thread::spawn(move || {
            wall.enter()?;
            // The folder of all folders is nobody's workspace here, and everybody may list it.
            match std::fs::read_dir("/") {
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
                _ => Err("Landlock: a fenced thread was not refused".to_owned()),
            }
        });
        tried.join().unwrap_or_else(|_| Err("the trial thread panicked".to_owned()))
    }
}

/// Our folder in the one that `variable` names, by default `$HOME/<default>`.
fn own(variable: &str, default: &str) -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    Some(absolute(variable).or_else(|| Some(absolute("HOME")?.join(default)))?.join("tandem"))
}

/// A wall can only be built around what exists.
fn make(folder: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    // A home that cannot be written to has no state, and needs no way to it.
    let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;
    use crate::Workspace;

    /// Runs on a thread of its own, behind a wall around `root`.
    fn behind<R: Send + 'static>(root: &Path, work: impl FnOnce() -> R + Send + 'static) -> R {
        let workspace = Workspace::new(vec![Root::open(root).unwrap()]);
        let wall = Wall::around(workspace.snapshot().roots().iter().map(Arc::as_ref)).unwrap();
        std::thread::spawn(move || {
            wall.enter().unwrap();
            work()
        })
        .join()
        .unwrap()
    }

    fn denied<T>(what: &str, done: io::Result<T>) {
        match done {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            Err(error) => panic!("{what}: {error}"),
            Ok(_) => panic!("{what}: not refused"),
        }
    }

    #[test]
    fn this_kernel_has_a_wall() {
        Wall::check().unwrap();
    }

    /// Plain `std::fs` throughout: nothing here asks the first wall.
    #[test]
    fn outside_is_refused_whatever_the_way() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: &str| temporary.path().join(name);
        fs::create_dir_all(at("root/sub")).unwrap();
        fs::create_dir(at("outside")).unwrap();
        fs::create_dir(at("root-evil")).unwrap();
        for file in ["root/a.txt", "outside/s.txt", "root-evil/s.txt"] {
            fs::write(at(file), "secret").unwrap();
        }
        symlink(at("outside/s.txt"), at("root/out")).unwrap();
        symlink("../outside", at("root/out-dir")).unwrap();
        symlink("/proc/self/root", at("root/magic")).unwrap();
        let place = temporary.path().to_owned();
        behind(&at("root"), move || {
            let at = |name: &str| place.join(name);
            denied("read", fs::read("/etc/passwd"));
            denied("read a sibling", fs::read(at("outside/s.txt")));
            denied("read by dots", fs::read(at("root/../outside/s.txt")));
            denied("read a longer name", fs::read(at("root-evil/s.txt")));
            denied("read by a link", fs::read(at("root/out")));
            denied("read by a link to a folder", fs::read(at("root/out-dir/s.txt")));
            denied("read by a magic link", fs::read(at("root/magic/etc/passwd")));
            denied("read itself", fs::read("/proc/self/environ"));
            denied("list", fs::read_dir(at("outside")));
            denied("write", fs::write(at("outside/s.txt"), "x"));
            denied("write by a link", fs::write(at("root/out"), "x"));
            denied("create", fs::write(at("outside/new"), "x"));
            denied("create by a link", fs::write(at("root/out-dir/new"), "x"));
            denied("make a folder", fs::create_dir(at("outside/new")));
            denied("remove", fs::remove_file(at("outside/s.txt")));
            denied("remove a folder", fs::remove_dir_all(at("root-evil")));
            denied("link there", symlink("x", at("outside/new")));
            denied("truncate", fs::File::options().write(true).open(at("outside/s.txt")));
            denied("run", std::process::Command::new("/bin/true").status());
            for (from, to) in [("outside/s.txt", "root/in"), ("root/a.txt", "outside/new")] {
                let renamed = fs::rename(at(from), at(to)).unwrap_err();
                let kind = renamed.kind();
                let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::CrossesDevices];
                assert!(kinds.contains(&kind), "{from} {to}: {renamed}");
                fs::hard_link(at(from), at(to)).unwrap_err();
            }
            // Threads started from inside are inside.
            let inner = std::thread::spawn(|| denied("read", fs::read("/etc/passwd")));
            inner.join().unwrap();
        });
        assert_eq!(fs::read(at("outside/s.txt")).unwrap(), b"secret");
        assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 1);
    }

    #[test]
    fn inside_all_work_goes_on() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().to_owned();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("a.txt"), "a").unwrap();
        behind(temporary.path(), move || {
            assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"a");
            fs::write(root.join("new"), "x").unwrap();
            fs::create_dir(root.join("folder")).unwrap();
            fs::rename(root.join("new"), root.join("sub/moved")).unwrap();
            fs::rename(root.join("sub"), root.join("folder/sub")).unwrap();
            fs::hard_link(root.join("a.txt"), root.join("folder/hard")).unwrap();
            symlink("a.txt", root.join("link")).unwrap();
            fs::rename(root.join("link"), root.join("folder/link")).unwrap();
            fs::File::open(root.join("folder")).unwrap().sync_all().unwrap();
            fs::File::options().write(true).open(root.join("a.txt")).unwrap().set_len(0).unwrap();
            fs::remove_dir_all(root.join("folder")).unwrap();
            fs::read("/dev/null").unwrap();
        });
    }

    /// A file without a name gets one through `/proc/self/fd`.
    #[test]
    fn files_are_replaced_behind_the_wall() {
        use std::sync::atomic::AtomicBool;
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("a.txt"), "old").unwrap();
        let workspace = Arc::new(Workspace::new(vec![Root::open(temporary.path()).unwrap()]));
        behind(temporary.path(), move || {
            let never = AtomicBool::new(false);
            let turn = workspace.turn(&never).unwrap();
            let seen = workspace.snapshot();
            let file = seen.read(&seen.locate("a.txt").unwrap()).unwrap();
            let edit = crate::Change::Edit {
                file,
                edits: vec![(0..3, "new".to_owned())],
                after: "new".to_owned(),
            };
            let create = crate::Change::Create {
                path: seen.locate("deep/new.txt").unwrap(),
                text: "new".to_owned(),
            };
            // Two files: the journal in the state folder is written too.
            workspace
                .commit(&turn, "test", &seen, &[edit, create], &crate::Headless::default())
                .unwrap();
        });
        assert_eq!(fs::read(temporary.path().join("a.txt")).unwrap(), b"new");
        assert_eq!(fs::read(temporary.path().join("deep/new.txt")).unwrap(), b"new");
    }
}
