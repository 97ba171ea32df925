//! Tests the confinement of roots in both modes, kernel (`openat2`) and name by name: both must
//! agree.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, RenameFlags, mkfifoat, renameat_with};

use crate::{Change, FileError, Headless, Root, Snapshot, Workspace};

/// A workspace full of links next to a secret folder, opened in both modes.
struct BothModes {
    temporary: tempfile::TempDir,
    kernel: Workspace,
    by_name: Workspace,
}

impl BothModes {
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: &str| temporary.path().join(name);
        fs::create_dir_all(at("root/dir/deep")).unwrap();
        fs::create_dir_all(at("root-evil")).unwrap();
        fs::create_dir_all(at("secret")).unwrap();
        for (file, text) in [
            ("root/a.txt", "inside"),
            ("root/dir/b.txt", "inside b"),
            ("secret/s.txt", "secret"),
            ("root-evil/s.txt", "secret"),
        ] {
            fs::write(at(file), text).unwrap();
        }
        for (to, link) in [
            ("../secret/s.txt", "out"),
            ("../secret", "out-dir"),
            ("/etc/passwd", "out-absolute"),
            ("/proc/self/root", "magic"),
            ("/proc/self/fd/0", "magic-fd"),
            ("chain-2", "chain"),
            ("dir/../out", "chain-2"),
            ("loop", "loop"),
            ("dir/b.txt", "in"),
            ("dir", "in-dir"),
            ("../root/a.txt", "out-and-in"),
            ("no-such", "dangling"),
        ] {
            symlink(to, at("root").join(link)).unwrap();
        }
        symlink(at("root/dir/b.txt"), at("root/in-absolute")).unwrap();
        mkfifoat(CWD, at("root/fifo"), Mode::RUSR).unwrap();
        let open = || Root::open(&at("root")).unwrap();
        let kernel = Workspace::new(vec![open()]);
        let by_name = Workspace::new(vec![open().confined_name_by_name()]);
        assert!(!by_name.snapshot().roots()[0].is_confined_by_kernel());
        Self { temporary, kernel, by_name }
    }

    fn modes(&self) -> [(&'static str, &Workspace); 2] {
        [("by the kernel", &self.kernel), ("name by name", &self.by_name)]
    }

    fn root(&self) -> std::path::PathBuf {
        self.temporary.path().join("root")
    }
}

fn read(snapshot: &Snapshot, path: &str) -> Result<String, FileError> {
    let file = snapshot.read(&snapshot.locate(path)?)?;
    Ok(file.text.to_string())
}

#[test]
fn both_modes_read_and_refuse_the_same_paths() {
    let both = BothModes::new();
    let root = both.root().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let inside = |text: &'static str| Ok(text);
    let forbidden = Err("forbidden");
    let cases = [
        ("a.txt", inside("inside")),
        ("./dir/../a.txt", inside("inside")),
        (&format!("{root}/a.txt"), inside("inside")),
        ("in", inside("inside b")),
        ("in-dir/b.txt", inside("inside b")),
        ("in-absolute", inside("inside b")),
        ("out-and-in", inside("inside")),
        ("out", forbidden),
        ("out-dir", forbidden),
        ("out-dir/s.txt", forbidden),
        ("out-absolute", forbidden),
        ("magic", forbidden),
        ("magic/etc/passwd", forbidden),
        ("magic-fd", forbidden),
        ("chain", forbidden),
        ("loop", forbidden),
        ("loop/x", forbidden),
        ("..", forbidden),
        ("../secret/s.txt", forbidden),
        ("dir/../../secret/s.txt", forbidden),
        ("in-dir/../../secret/s.txt", forbidden),
        (&format!("{root}-evil/s.txt"), forbidden),
        ("/etc/passwd", forbidden),
        ("no-such", Err("not found")),
        ("no-such/x", Err("not found")),
        ("a.txt/x", Err("not found")),
        ("dangling", Err("not found")),
        ("dir", Err("folder")),
        (".", Err("folder")),
        ("fifo", Err("special")),
    ];
    for (path, expected) in cases {
        for (mode, workspace) in both.modes() {
            let found = read(&workspace.snapshot(), path);
            let found = found.as_deref().map_err(|error| match error {
                FileError::Forbidden { .. } => "forbidden",
                FileError::NotFound { .. } => "not found",
                FileError::IsDirectory { .. } => "folder",
                FileError::NotRegular { .. } => "special",
                other => panic!("{path} {mode}: {other}"),
            });
            assert_eq!(found, expected, "{path} {mode}");
        }
        let [kernel, by_name] =
            both.modes().map(|(_, workspace)| read(&workspace.snapshot(), path));
        assert_eq!(kernel, by_name, "{path}: the same message, too");
    }
}

#[test]
fn both_modes_write_files() {
    for (mode, workspace) in BothModes::new().modes() {
        let never = AtomicBool::new(false);
        let write_lock = workspace.write_lock(&never).unwrap();
        let seen = workspace.snapshot();
        let commit =
            |change| workspace.commit(&write_lock, "test", &seen, &[change], &Headless::default());
        let file = seen.read(&seen.locate("in").unwrap()).unwrap();
        let whole = 0..file.text.to_string().len();
        let after = format!("written {mode}");
        commit(Change::Edit { file, edits: vec![(whole, after.clone())], after: after.clone() })
            .unwrap();
        assert_eq!(read(&seen, "dir/b.txt").unwrap(), after);
        let path = seen.locate(&format!("made/{}/x.txt", mode.replace(' ', "-"))).unwrap();
        commit(Change::Create { path: path.clone(), text: "new".to_owned() }).unwrap();
        assert_eq!(fs::read(path.absolute()).unwrap(), b"new");
    }
}

/// A thread keeps swapping a folder and a link that leads outside while both modes access it.
#[test]
fn a_symlink_race_never_escapes_in_either_mode() {
    let both = BothModes::new();
    let root = both.root();
    fs::create_dir(root.join("race")).unwrap();
    fs::write(root.join("race/s.txt"), "inside").unwrap();
    symlink("../secret", root.join("race-out")).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let exchange = |a: &Path, b: &Path| {
                renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
            };
            while !is_over.load(Ordering::Relaxed) {
                exchange(&root.join("race"), &root.join("race-out"));
            }
        });
        for (mode, workspace) in both.modes() {
            let never = AtomicBool::new(false);
            let write_lock = workspace.write_lock(&never).unwrap();
            let until = Instant::now() + Duration::from_millis(300);
            let (mut found, mut refused) = (0, 0);
            while Instant::now() < until {
                let seen = workspace.snapshot();
                match read(&seen, "race/s.txt") {
                    Ok(text) if text == "inside" => found += 1,
                    Ok(text) => panic!("{mode} read {text:?}"),
                    Err(_) => refused += 1,
                }
                if let Ok(file) = seen.locate("race/s.txt").and_then(|path| seen.read(&path)) {
                    let same = "inside".to_owned();
                    let edit =
                        Change::Edit { file, edits: vec![(0..6, same.clone())], after: same };
                    let _ =
                        workspace.commit(&write_lock, "race", &seen, &[edit], &Headless::default());
                }
            }
            assert!(found > 0 && refused > 0, "{mode}: {found} found, {refused} refused");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let secret = both.temporary.path().join("secret");
    assert_eq!(fs::read(secret.join("s.txt")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(&secret).unwrap().count(), 1);
}
