//! `kill -9` at any moment of a transaction of many files: all of it has happened, or none.

use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use tests::{Fixture, Home};

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
    for round in 0..40u32 {
        let mut child =
            tandem(&home, "apply_edit", &edit(from, to)).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * round / 36);
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
    assert!(killed >= 10, "the kills came too late: {killed}");
    let mut left = Vec::new();
    for dir in 0..4 {
        for entry in std::fs::read_dir(home.root().join(format!("dir{dir}"))).unwrap() {
            left.push(entry.unwrap().file_name().into_string().unwrap());
        }
    }
    left.retain(|name| !name.starts_with('f'));
    assert!(left.len() <= 1, "temporary files are left behind: {left:?}");
}
