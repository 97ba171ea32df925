//! `kill -9` of the server at any moment of an action or its undo: everything has happened or nothing,
//! and no temporary files are left.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Home;

use super::{LiveServer, call, called, edit_all, same, tree};

const FILES: usize = 24;

fn name(n: usize) -> String {
    format!("dir{}/f{n}.txt", n % 3)
}

fn fill(root: &Path) {
    for n in 0..FILES {
        let path = root.join(name(n));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Some are stored in the history, some in the trash.
        let text = format!("file {n}\n").repeat(if n % 8 == 0 { 9_000 } else { 10 }) + "old\n";
        std::fs::write(path, text).unwrap();
    }
}

fn actions() -> Vec<(&'static str, Value)> {
    let patch = "*** Begin Patch\n*** Add File: made/deep/a.txt\n+a\n*** Delete File: dir1/f1.txt\n\
                 *** Update File: dir2/f2.txt\n*** Move to: moved/f2.txt\n@@\n-old\n+new\n\
                 *** Update File: dir0/f0.txt\n@@\n-old\n+new\n*** End Patch\n";
    vec![
        ("apply_edit", edit_all((0..FILES).map(name), "old\n", "new\n")),
        ("apply_edit", json!({ "patch": patch })),
        ("delete_file", json!({ "path": "dir0", "recursive": true })),
        ("move_file", json!({ "source": "dir0", "destination": "dir1", "overwrite": true })),
        ("copy_file", json!({ "source": "dir1", "destination": "new/copy" })),
    ]
}

/// Kills servers at moments spread over what they do: the action and its undoing by turns. Each
/// next server finds the workspace whole, from its first answer on.
fn kill_servers(home: &Home, state: Option<&Path>, rounds: u32) {
    let command = || {
        let mut command: Command = home.command();
        if let Some(state) = state {
            command.env("XDG_STATE_HOME", state);
        }
        command.arg("lsp").env("TANDEM_LOG", "error");
        command
    };
    let root = home.root();
    fill(&root);
    let before = tree(&root);
    for (tool, params) in actions() {
        let server = LiveServer::of(&mut command(), &root);
        let began = Instant::now();
        server.must(tool, &params);
        // Durations vary on a busy machine: each outcome moves the time of the next kill.
        let mut span = began.elapsed().min(Duration::from_millis(150));
        let after = tree(&root);
        server.must("undo_action", &json!({}));
        same(&tree(&root), &before, tool);
        drop(server);
        let mut happened = [0, 0];
        let mut is_after = false;
        for round in 0..rounds {
            let server = LiveServer::of(&mut command(), &root);
            let (tool, params) =
                if is_after { ("undo_action", json!({})) } else { (tool, params.clone()) };
            let pending = server.send(tool, &params);
            std::thread::sleep(span * (round * 7 % rounds) * 3 / (2 * rounds));
            server.kill();
            drop(pending);
            let server = LiveServer::of(&mut command(), &root);
            server.must("get_file_info", &json!({ "path": "." }));
            let said = server.client.process().unwrap().stderr();
            assert!(!said.contains("could not be taken back"), "round {round}: {said}");
            let now = tree(&root);
            let was_after = std::mem::replace(&mut is_after, now == after);
            if !is_after {
                same(&now, &before, &format!("{tool}, round {round}: torn"));
            }
            let has_happened = was_after != is_after;
            happened[usize::from(was_after)] += u32::from(has_happened);
            span = if has_happened { span * 9 / 10 } else { span * 6 / 5 };
            span = span.clamp(Duration::from_millis(1), Duration::from_secs(2));
        }
        let server = LiveServer::of(&mut command(), &root);
        if is_after {
            server.must("undo_action", &json!({}));
        }
        same(&tree(&root), &before, tool);
        let told = server.must("get_action_history", &json!({ "limit": 200 }));
        for action in told["actions"].as_array().unwrap() {
            assert!(["done", "undone"].contains(&action["state"].as_str().unwrap()), "{action}");
        }
        assert!(happened[0] > 0, "{tool}: no action was whole before its kill: {happened:?}");
    }
}

#[test]
fn a_server_killed_at_any_moment_leaves_every_action_whole_or_undone() {
    kill_servers(&Home::new(), None, 24);
}

#[test]
fn a_server_killed_with_its_state_on_another_disk_leaves_every_action_whole_or_undone() {
    let shm = Path::new("/dev/shm");
    if !shm.is_dir() {
        super::skipped("/dev/shm, a file system of its own, is not there");
        return;
    }
    let state = tempfile::tempdir_in(shm).unwrap();
    kill_servers(&Home::new(), Some(state.path()), 24);
}

#[test]
fn a_call_killed_during_recovery_is_recovered_in_the_end() {
    let home = Home::new();
    let root = home.root();
    fill(&root);
    let before = tree(&root);
    let edit = edit_all((0..FILES).map(name), "old\n", "new\n");
    let began = Instant::now();
    called(&home, "apply_edit", &edit).unwrap();
    let whole = began.elapsed();
    called(&home, "undo_action", &json!({})).unwrap();
    let start = |tool: &str, params: &Value, after: Duration| {
        let mut child =
            call(&home, tool, params).stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap();
    };
    for round in 0..16u32 {
        start("apply_edit", &edit, whole * (round % 8 + 2) / 10);
        // It is killed twice in a row during its recovery.
        for part in 1..3 {
            start("get_file_info", &json!({ "path": "." }), whole * (round % 4) * part / 8);
        }
        called(&home, "get_file_info", &json!({ "path": "." })).unwrap();
        let now = tree(&root);
        if std::fs::read(root.join(name(0))).unwrap().ends_with(b"new\n") {
            called(&home, "undo_action", &json!({})).unwrap();
            same(&tree(&root), &before, "undone");
        } else {
            same(&now, &before, &format!("round {round}: torn"));
        }
    }
}
