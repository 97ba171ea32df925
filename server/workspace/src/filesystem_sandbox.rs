//! A filesystem sandbox for threads that run tools: they can access the roots and our own folders
//! only.
//!
//! This is the second layer of defense. The first one is the roots' handles: every path is opened
//! below one of them. This one does not know handles or paths; the kernel denies access to the
//! thread. If one layer has a hole, the other still holds.

use std::path::{Path, PathBuf};

use crate::Root;
use crate::libraries::{Environment, Libraries};
use crate::platform::LandlockRuleset;

/// The files that a restricted thread can access: the roots, our own state and cache; and,
/// read-only, our settings and the folders of dependencies.
///
/// The restriction is permanent and inherited by child processes. Programs are therefore started
/// from unrestricted threads, in their own sandboxes.
#[derive(Debug)]
pub struct FilesystemSandbox(LandlockRuleset);

impl FilesystemSandbox {
    /// A sandbox for these roots.
    ///
    /// # Errors
    /// Why this system does not support it; only the roots' handles confine then.
    pub fn for_roots<'r>(roots: impl IntoIterator<Item = &'r Root>) -> Result<Self, String> {
        let kept = [
            tandem_folder("XDG_STATE_HOME", ".local/state"),
            tandem_folder("XDG_CACHE_HOME", ".cache"),
        ];
        let settings = tandem_folder("XDG_CONFIG_HOME", ".config");
        kept.iter().chain([&settings]).flatten().for_each(|folder| create_private(folder));
        let roots: Vec<&Root> = roots.into_iter().collect();
        let libraries = Libraries::find(&roots, &Environment::from_process());
        let mut writable: Vec<&Path> = roots.iter().map(|root| root.path()).collect();
        writable.extend(kept.iter().flatten().map(PathBuf::as_path));
        let mut readable = vec![Path::new("/dev/null"), Path::new("/dev/urandom")];
        readable.extend(settings.as_deref());
        readable.extend(libraries.outside(&roots).map(|library| library.path()));
        LandlockRuleset::new(&writable, &readable, &[]).map(Self)
    }

    /// A sandbox for other work: `writable` folders are writable, `readable` files and folders are
    /// readable.
    ///
    /// # Errors
    /// Why this system does not support it.
    pub fn with_folders(writable: &[&Path], readable: &[&Path]) -> Result<Self, String> {
        Self::with_listed_folders(writable, readable, &[])
    }

    /// As [`Wall::with_folders`]; in `listable` folders and all below them, names can be listed but
    /// not read.
    ///
    /// # Errors
    /// Why this system does not support it.
    pub fn with_listed_folders(
        writable: &[&Path],
        readable: &[&Path],
        listable: &[&Path],
    ) -> Result<Self, String> {
        let devices = ["/dev/null", "/dev/urandom"].map(Path::new);
        let readable: Vec<&Path> = readable.iter().copied().chain(devices).collect();
        LandlockRuleset::new(writable, &readable, listable).map(Self)
    }

    /// Restricts this thread and those that it starts from now on.
    ///
    /// # Errors
    /// Why the kernel refused.
    pub fn restrict_thread(&self) -> Result<(), String> {
        self.0.restrict_thread()
    }

    /// Tests whether the sandbox works: a restricted thread must be denied access outside.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check() -> Result<(), String> {
        let sandbox = Self::for_roots([])?;
        let tried = std::thread::spawn(move || {
            sandbox.restrict_thread()?;
            // `/` is not in the sandbox, and everyone may list it.
            match std::fs::read_dir("/") {
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Ok(()),
                _ => Err("Landlock: a restricted thread was not denied access".to_owned()),
            }
        });
        tried.join().unwrap_or_else(|_| Err("the test thread panicked".to_owned()))
    }
}

/// The `tandem` folder in the one that `variable` names, by default `$HOME/<default>`.
fn tandem_folder(variable: &str, default: &str) -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    Some(absolute(variable).or_else(|| Some(absolute("HOME")?.join(default)))?.join("tandem"))
}

/// Creates a folder: only existing folders can be added to a ruleset.
fn create_private(folder: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    // If the home is not writable there is no state, and no access is needed.
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

    /// Runs `work` on a new thread in a sandbox for `root`.
    fn in_sandbox<R: Send + 'static>(root: &Path, work: impl FnOnce() -> R + Send + 'static) -> R {
        let workspace = Workspace::new(vec![Root::open(root).unwrap()]);
        let sandbox =
            FilesystemSandbox::for_roots(workspace.snapshot().roots().iter().map(Arc::as_ref))
                .unwrap();
        std::thread::spawn(move || {
            sandbox.restrict_thread().unwrap();
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
    fn this_kernel_supports_the_sandbox() {
        FilesystemSandbox::check().unwrap();
    }

    /// Uses plain `std::fs`, so that only this layer denies access.
    #[test]
    fn access_outside_is_denied_by_any_path() {
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
        let temporary_path = temporary.path().to_owned();
        in_sandbox(&at("root"), move || {
            let at = |name: &str| temporary_path.join(name);
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
            // Threads started from a restricted one are restricted.
            let inner = std::thread::spawn(|| denied("read", fs::read("/etc/passwd")));
            inner.join().unwrap();
        });
        assert_eq!(fs::read(at("outside/s.txt")).unwrap(), b"secret");
        assert_eq!(fs::read_dir(at("outside")).unwrap().count(), 1);
    }

    #[test]
    fn work_inside_is_not_restricted() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().to_owned();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("a.txt"), "a").unwrap();
        in_sandbox(temporary.path(), move || {
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

    /// Unnamed files are linked through `/proc/self/fd`, which must work in the sandbox.
    #[test]
    fn files_are_replaced_in_the_sandbox() {
        use std::sync::atomic::AtomicBool;
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("a.txt"), "old").unwrap();
        let workspace = Arc::new(Workspace::new(vec![Root::open(temporary.path()).unwrap()]));
        in_sandbox(temporary.path(), move || {
            let never = AtomicBool::new(false);
            let write_lock = workspace.write_lock(&never).unwrap();
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
            // With two files, the journal in the state folder is written as well.
            workspace
                .commit(&write_lock, "test", &seen, &[edit, create], &crate::Headless::default())
                .unwrap();
        });
        assert_eq!(fs::read(temporary.path().join("a.txt")).unwrap(), b"new");
        assert_eq!(fs::read(temporary.path().join("deep/new.txt")).unwrap(), b"new");
    }
}
