//! `kill -9` at any moment of a transaction of many files: all of it has happened, or none.

use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tests::{Fixture, Home};

use crate::attacks::is_attack_run;

const FILES: usize = 40;

fn tandem(home: &Home, tool: &str, params: &Value) -> Command {
    let mut command = home.command();
    command.args(["call", tool, &params.to_string(), "--workspace"]).arg(home.root());
    command
}

#[test]
fn a_transaction_killed_at_any_moment_is_whole_or_nothing() {
    let fixture: String =
        (0..FILES).map(|n| format!("//- /dir{}/f{n}.txt\nold {n}\n", n % 4)).collect();
    let home = Home::new();
    for file in Fixture::parse(&fixture).files {
        let path = home.root().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    let name = |n: usize| format!("dir{}/f{n}.txt", n % 4);
    let edit = |from: &str, to: &str| {
        let file = |n: usize| {
            let patch =
                json!({ "old_text": format!("{from} {n}\n"), "new_text": format!("{to} {n}\n") });
            json!({ "path": name(n), "patches": [patch] })
        };
        json!({ "edits": (0..FILES).map(file).collect::<Vec<_>>() })
    };
    let text = |n: usize| std::fs::read_to_string(home.root().join(name(n))).unwrap();

    // How long a whole one takes, so that the kills spread over it.
    let started = Instant::now();
    assert!(tandem(&home, "apply_edit", &edit("old", "new")).output().unwrap().status.success());
    let whole = started.elapsed();
    let (mut from, mut to, mut killed) = ("new", "old", 0);
    let rounds = rounds(40);
    for round in 0..rounds {
        let mut child =
            tandem(&home, "apply_edit", &edit(from, to)).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * round * 10 / (rounds * 9));
        child.kill().unwrap();
        killed += u32::from(!child.wait().unwrap().success());
        // Any later call finds the workspace whole.
        let read = tandem(&home, "read_file", &json!({ "path": name(0) })).output().unwrap();
        assert!(read.status.success());
        let first = text(0);
        let state = first.split(' ').next().unwrap().to_owned();
        for n in 0..FILES {
            assert_eq!(text(n), format!("{state} {n}\n"), "round {round}: torn");
        }
        if state == to {
            std::mem::swap(&mut from, &mut to);
        }
    }
    assert!(killed >= rounds / 4, "the kills came too late: {killed}");
    let mut left = Vec::new();
    for dir in 0..4 {
        for entry in std::fs::read_dir(home.root().join(format!("dir{dir}"))).unwrap() {
            left.push(entry.unwrap().file_name().into_string().unwrap());
        }
    }
    left.retain(|name| !name.starts_with('f'));
    assert!(left.len() <= 1, "temporary files are left behind: {left:?}");
}

/// How often a test kills: as often as given by `cargo xtask attack`, fewer times in a test.
fn rounds(thorough: u32) -> u32 {
    if is_attack_run() { thorough } else { thorough * 2 / 5 }
}

/// A workspace whose state lies on another file system, where this machine has one.
struct StateOnOtherDisk {
    home: Home,
    state: tempfile::TempDir,
}

impl StateOnOtherDisk {
    fn new() -> Self {
        let shm = std::path::Path::new("/dev/shm");
        assert!(shm.is_dir(), "this test needs /dev/shm, a file system of its own");
        let state = tempfile::tempdir_in(shm).unwrap();
        Self { home: Home::new(), state }
    }

    fn tandem(&self, tool: &str, params: &Value) -> Command {
        let mut command = tandem(&self.home, tool, params);
        command.env("XDG_STATE_HOME", self.state.path());
        command
    }

    fn call(&self, tool: &str, params: &Value) -> Value {
        let output = self.tandem(tool, params).output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.success(), "{tool}: {value}");
        value
    }
}

/// Every path below a folder with its content, our own hidden files too.
fn listing(root: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
                found.push((name, Vec::new()));
            } else {
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn fill(root: &std::path::Path, name: &str, files: usize) {
    for n in 0..files {
        let path = root.join(name).join(format!("sub{}/f{n}.txt", n % 7));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{name} {n}\n").repeat(200)).unwrap();
    }
}

/// Kills `tool` at moments spread over its time; afterwards all of it has happened, or none.
/// Then what has happened is undone.
fn killed_anywhere(
    make: impl Fn(&std::path::Path),
    tool: &str,
    params: &Value,
    elsewhere: bool,
    thorough: u32,
) {
    let rounds = rounds(thorough);
    let place = StateOnOtherDisk::new();
    let start = |params: &Value, tool: &str| match elsewhere {
        true => place.tandem(tool, params),
        false => tandem(&place.home, tool, params),
    };
    let must = |tool: &str, params: &Value| {
        let output = start(params, tool).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stdout));
    };
    let root = place.home.root();
    make(&root);
    let before = listing(&root);
    let started = Instant::now();
    must(tool, params);
    let whole = started.elapsed();
    let after = listing(&root);
    assert_ne!(before, after);
    must("undo_action", &json!({}));
    assert_eq!(listing(&root), before, "undone");
    let (mut killed, mut happened, mut span) = (0, 0, whole);
    let mut round = 0;
    // At least one run ends by itself, or else the last moments were missed: a machine that is busy now takes many times
    // as long as `whole`.
    while round < rounds || happened == 0 && round < rounds + 20 {
        let mut child = start(params, tool).stdout(Stdio::null()).spawn().unwrap();
        // From the very start to a little after the end, which a run on a busy machine tells
        // badly: what came too late or too early moves the next ones.
        let part = if round < rounds { round * 7 % rounds } else { rounds };
        std::thread::sleep(span * part * 5 / (rounds * 4));
        child.kill().unwrap();
        let was_killed = !child.wait().unwrap().success();
        killed += u32::from(was_killed);
        span = if was_killed {
            span * if round < rounds { 11 } else { 15 } / 10
        } else {
            span * 8 / 10
        };
        must("get_file_info", &json!({ "path": "." }));
        let now = listing(&root);
        if now == after {
            happened += 1;
            must("undo_action", &json!({}));
            assert_eq!(listing(&root), before, "round {round}: undone");
        } else {
            let names =
                |l: &[(String, Vec<u8>)]| l.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
            assert!(now == before, "round {round}: torn: {:?}", names(&now));
        }
        round += 1;
    }
    assert!(killed > 0, "the kills came too late");
    assert!(happened > 0, "the kills came too early: {killed} of {rounds}, {whole:?}");
}

#[test]
fn deleting_a_folder_killed_at_any_moment_is_whole_or_nothing() {
    let params = json!({ "path": "dir", "recursive": true });
    killed_anywhere(|root| fill(root, "dir", 60), "delete_file", &params, false, 24);
    killed_anywhere(|root| fill(root, "dir", 60), "delete_file", &params, true, 40);
}

#[test]
fn a_move_that_replaces_killed_at_any_moment_is_whole_or_nothing() {
    let params = json!({ "source": "a", "destination": "b", "overwrite": true });
    let make = |root: &std::path::Path| {
        fill(root, "a", 30);
        fill(root, "b", 30);
    };
    killed_anywhere(make, "move_file", &params, false, 24);
    killed_anywhere(make, "move_file", &params, true, 40);
}

/// A package whose files import each other and a neighbouring module, and files that import them.
fn importing(root: &std::path::Path) {
    std::fs::create_dir_all(root.join("src/lib")).unwrap();
    std::fs::write(root.join("src/unit.ts"), "export const unit = 1;\n").unwrap();
    for n in 0..20 {
        let next = (n + 1) % 20;
        let inner = format!(
            "import {{ unit }} from '../unit';\nimport {{ x{next} }} from './f{next}';\n\
             export const x{n} = unit + x{next};\n"
        );
        std::fs::write(root.join(format!("src/lib/f{n}.ts")), inner).unwrap();
        let outer = format!("import {{ x{n} }} from './lib/f{n}';\nexport const y{n} = x{n};\n");
        std::fs::write(root.join(format!("src/user{n}.ts")), outer).unwrap();
    }
}

#[test]
fn a_move_that_changes_imports_killed_at_any_moment_is_whole_or_nothing() {
    let params = json!({ "source": "src/lib", "destination": "src/deep/inner/lib" });
    killed_anywhere(importing, "move_file", &params, false, 30);
    killed_anywhere(importing, "move_file", &params, true, 30);
}

#[test]
fn a_copy_killed_at_any_moment_is_whole_or_nothing() {
    let params = json!({ "source": "a", "destination": "new/b" });
    killed_anywhere(|root| fill(root, "a", 80), "copy_file", &params, false, 30);
}

#[test]
fn a_trash_on_another_file_system_brings_everything_back() {
    let place = StateOnOtherDisk::new();
    let root = place.home.root();
    fill(&root, "dir", 10);
    std::os::unix::fs::symlink("nowhere", root.join("dir/link")).unwrap();
    std::fs::write(root.join("large.txt"), "x".repeat(1 << 20) + "\nold\n").unwrap();
    std::fs::write(root.join("over.txt"), "over\n").unwrap();
    let names = || {
        let mut found: Vec<_> = listing(&root.join("dir")).into_iter().collect();
        found.sort();
        found
    };
    std::fs::remove_file(root.join("dir/link")).unwrap();
    let before = names();
    place.call("delete_file", &json!({ "path": "dir", "recursive": true }));
    assert!(!root.join("dir").exists());
    place.call("undo_action", &json!({}));
    assert_eq!(names(), before);
    place.call(
        "apply_edit",
        &json!({ "path": "large.txt", "old_text": "old\n", "new_text": "new\n" }),
    );
    place.call(
        "copy_file",
        &json!({ "source": "large.txt", "destination": "over.txt", "overwrite": true }),
    );
    assert!(std::fs::read_to_string(root.join("over.txt")).unwrap().ends_with("new\n"));
    place.call("undo_action", &json!({}));
    assert_eq!(std::fs::read_to_string(root.join("over.txt")).unwrap(), "over\n");
    place.call("undo_action", &json!({}));
    assert!(std::fs::read_to_string(root.join("large.txt")).unwrap().ends_with("old\n"));
}

#[test]
fn a_full_disk_changes_nothing_and_is_reported() {
    // A limit on the size of files stands in for a full disk: writes fail in the middle.
    let home = Home::new();
    let text = "line\n".repeat(200_000) + "old\n";
    std::fs::write(home.root().join("a.txt"), &text).unwrap();
    std::fs::write(home.root().join("b.txt"), "old\n").unwrap();
    let limited = |tool: &str, params: &Value| {
        let inner = tandem(&home, tool, params);
        let mut command = Command::new("sh");
        let quote =
            |s: &std::ffi::OsStr| format!("'{}'", s.to_string_lossy().replace('\'', "'\\''"));
        let words: Vec<_> = std::iter::once(quote(inner.get_program()))
            .chain(inner.get_args().map(quote))
            .collect();
        command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f 100; {}", words.join(" ")));
        for (name, value) in inner.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.output().unwrap()
    };
    for (tool, params) in [
        ("apply_edit", json!({ "path": "a.txt", "old_text": "old\n", "new_text": "new\n" })),
        ("copy_file", json!({ "source": "a.txt", "destination": "copy.txt" })),
        ("write_file", json!({ "path": "new.txt", "content": "x".repeat(110_000) })),
    ] {
        let output = limited(tool, &params);
        assert!(!output.status.success(), "{tool}");
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["code"], "E_IO", "{tool}: {value}");
    }
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), text);
    let names: Vec<_> = listing(&home.root()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a.txt", "b.txt"]);
}

#[test]
fn folders_swapped_for_links_during_delete_or_copy_do_not_escape() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let home = Home::new();
    let (root, outside) = (home.root(), home.outside().join("outside"));
    fill(&home.outside(), "outside", 40);
    let kept = listing(&outside);
    let stop = AtomicBool::new(false);
    // `dir/sub0` is a folder and a link out of the workspace by turns.
    let swap = || {
        let (at, aside) = (root.join("dir/sub0"), root.join("aside"));
        while !stop.load(Ordering::Relaxed) {
            let _ = std::fs::rename(&at, &aside);
            let _ = std::os::unix::fs::symlink(&outside, &at);
            let _ = std::fs::remove_file(&at);
            let _ = std::fs::rename(&aside, &at);
        }
    };
    for round in 0..12 {
        let _ = std::fs::remove_dir_all(root.join("dir"));
        let _ = std::fs::remove_dir_all(root.join("aside"));
        fill(&root, "dir", 21);
        let copy = format!("copy{round}");
        stop.store(false, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(swap);
            let params = json!({ "source": "dir", "destination": copy });
            let _ = tandem(&home, "copy_file", &params).output().unwrap();
            let params = json!({ "path": "dir", "recursive": true });
            let _ = tandem(&home, "delete_file", &params).output().unwrap();
            stop.store(true, Ordering::Relaxed);
        });
        let sub = root.join(&copy).join("sub0");
        let is_leaked = !sub.is_symlink()
            && listing(&sub).iter().any(|(_, content)| content.starts_with(b"outside"));
        assert!(!is_leaked, "round {round}: copied from outside");
    }
    assert_eq!(listing(&outside), kept, "what lies outside was touched");
}
