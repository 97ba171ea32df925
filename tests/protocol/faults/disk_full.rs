//! A full disk: under the workspace, under the state folder, under both.

use std::path::Path;

use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT, ToolError};

use super::{
    LiveServer, SmallFileSystem, Tree, called, edit_all, is_in_separate_mount_namespace, same, tree,
};

const FILES: usize = 12;

fn name(n: usize) -> String {
    format!("dir/f{n}.txt")
}

fn fill(root: &Path) {
    std::fs::create_dir(root.join("dir")).unwrap();
    for n in 0..FILES {
        let text = format!("file {n}\n").repeat(1_500) + "old\n";
        std::fs::write(root.join(name(n)), text).unwrap();
    }
}

/// All that is in the workspace, but what fills it up.
fn content(root: &Path) -> Tree {
    let mut found = tree(root);
    found.retain(|path, _| !path.ends_with("filler"));
    found
}

/// Calls that need space, each with the names of what it makes.
fn calls() -> Vec<(&'static str, Value)> {
    let all = edit_all((0..FILES).map(name), "old\n", "new\n");
    let patch = "*** Begin Patch\n*** Add File: made/a.txt\n+a\n*** Delete File: dir/f1.txt\n\
                 *** Update File: dir/f2.txt\n@@\n-old\n+new\n*** End Patch\n";
    vec![
        ("apply_edit", all),
        ("apply_patch", json!({ "patch": patch })),
        ("write_file", json!({ "path": "new/large.txt", "content": "x".repeat(50_000) })),
        (
            "write_file",
            json!({ "path": "dir/f0.txt", "content": "y".repeat(50_000), "overwrite": true }),
        ),
        ("copy_file", json!({ "source": "dir", "destination": "copy/of/dir" })),
        (
            "copy_file",
            json!({ "source": "dir/f0.txt", "destination": "dir/f1.txt",
            "overwrite": true }),
        ),
        ("delete_file", json!({ "path": "dir", "recursive": true })),
        (
            "move_file",
            json!({ "source": "dir/f0.txt", "destination": "dir/f1.txt",
            "overwrite": true }),
        ),
    ]
}

#[track_caller]
fn assert_reports_no_space(error: &ToolError) {
    assert_eq!(error.code, "E_IO", "{}", error.data);
    let is_told = ["No space left", "full"].iter().any(|word| error.message.contains(word));
    assert!(is_told, "{}", error.data);
    let hint = error.data["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("space"), "what to do about it: {}", error.data);
}

/// Does it, which must work, and undoes it.
fn call_and_undo(server: &LiveServer, root: &Path, before: &Tree, tool: &str, params: &Value) {
    let done = server.must(tool, params);
    assert!(done["action"].is_string(), "{tool}: {done}");
    assert_ne!(content(root), *before, "{tool}");
    server.must("undo_action", &json!({ "action": done["action"] }));
    same(&content(root), before, tool);
}

#[test]
fn a_full_workspace_changes_nothing_and_works_again_once_there_is_space() {
    let here = "faults::disk_full::\
                a_full_workspace_changes_nothing_and_works_again_once_there_is_space";
    if !is_in_separate_mount_namespace(here) {
        return;
    }
    let home = Home::new();
    let disk = SmallFileSystem::mount(&home.root(), "1m");
    fill(&home.root());
    let before = content(&home.root());
    let server = LiveServer::start(&home);
    for (tool, params) in calls() {
        disk.fill();
        match server.call(tool, &params) {
            Err(error) => assert_reports_no_space(&error),
            // A name more, or one in the trash on the other disk, may take no space at all.
            Ok(done) => {
                assert!(["delete_file", "move_file"].contains(&tool), "{tool}: {done}");
                server.must("undo_action", &json!({}));
            }
        }
        same(&content(&home.root()), &before, tool);
        let text = server.must("read_file", &json!({ "path": "dir/f3.txt" }));
        assert!(text["content"].as_str().unwrap().ends_with("old\n"));
        disk.free();
        call_and_undo(&server, &home.root(), &before, tool, &params);
    }
}

#[test]
fn with_a_full_state_folder_nothing_is_deleted_and_only_single_edits_work() {
    let here = "faults::disk_full::\
                with_a_full_state_folder_nothing_is_deleted_and_only_single_edits_work";
    if !is_in_separate_mount_namespace(here) {
        return;
    }
    let home = Home::new();
    let disk = SmallFileSystem::mount(&home.outside().join("state"), "16m");
    fill(&home.root());
    let before = tree(&home.root());
    // Full before there is any history, and after.
    for warm in [false, true] {
        let server = LiveServer::start(&home);
        if warm {
            call_and_undo(
                &server,
                &home.root(),
                &before,
                "create_directory",
                &json!({ "path": "made" }),
            );
        }
        for (tool, params) in calls() {
            disk.fill();
            let is_single = tool == "write_file";
            match server.call(tool, &params) {
                Err(error) => {
                    assert_reports_no_space(&error);
                    same(&tree(&home.root()), &before, tool);
                }
                Ok(done) => {
                    assert!(is_single, "{tool}: {done}");
                    assert!(done["unrecorded"].is_string(), "{tool}: {done}");
                    let path = params["path"].as_str().unwrap();
                    let now = tree(&home.root());
                    let text = params["content"].as_str().unwrap().as_bytes();
                    assert_eq!(now[Path::new(path)].as_deref(), Some(text));
                    // Nobody keeps the one before: put back by hand.
                    match &before.get(Path::new(path)) {
                        Some(Some(old)) => std::fs::write(home.root().join(path), old).unwrap(),
                        _ => std::fs::remove_dir_all(home.root().join("new")).unwrap(),
                    }
                    same(&tree(&home.root()), &before, tool);
                }
            }
            disk.free();
            call_and_undo(&server, &home.root(), &before, tool, &params);
        }
        // Calls made in the meantime have waited to be audited.
        let is_told = || {
            let log = server.must("get_audit_log", &json!({ "limit": 200 })).to_string();
            log.matches("E_IO").count() >= 5
        };
        let until = std::time::Instant::now() + RESPONSE_TIMEOUT;
        while !is_told() {
            assert!(std::time::Instant::now() < until, "calls are missing in the record");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
}

#[test]
fn one_full_disk_under_everything_changes_nothing() {
    let here = "faults::disk_full::one_full_disk_under_everything_changes_nothing";
    if !is_in_separate_mount_namespace(here) {
        return;
    }
    // The space runs out at every point on the way, from the first byte to the last.
    let mut outcomes = (0, 0);
    for left in (0..96).step_by(4) {
        let home = Home::new();
        let disk = SmallFileSystem::mount(&home.outside(), "16m");
        std::fs::create_dir(home.root()).unwrap();
        fill(&home.root());
        let before = tree(&home.root());
        let server = LiveServer::start(&home);
        server.must("create_directory", &json!({ "path": "made" }));
        server.must("undo_action", &json!({}));
        for (tool, params) in calls() {
            disk.fill_but(left);
            let done = server.call(tool, &params);
            match &done {
                Ok(done) if done["action"].is_null() => {
                    assert!(done["unrecorded"].is_string(), "{tool}: {done}");
                    disk.free();
                    let path = home.root().join(params["path"].as_str().unwrap());
                    match before.get(path.strip_prefix(home.root()).unwrap()) {
                        Some(Some(old)) => std::fs::write(path, old).unwrap(),
                        _ => std::fs::remove_dir_all(home.root().join("new")).unwrap(),
                    }
                }
                Ok(done) => {
                    outcomes.0 += 1;
                    disk.free();
                    assert_ne!(tree(&home.root()), before, "{tool}: {done}");
                    server.must("undo_action", &json!({ "action": done["action"] }));
                }
                Err(error) => {
                    outcomes.1 += 1;
                    assert_reports_no_space(error);
                    same(&tree(&home.root()), &before, tool);
                    disk.free();
                }
            }
            same(&tree(&home.root()), &before, tool);
            call_and_undo(&server, &home.root(), &before, tool, &params);
        }
        assert!(disk.is_mounted());
        server.kill();
        std::process::Command::new("umount").arg("-l").arg(&disk.at).status().unwrap();
    }
    assert!(outcomes.0 > 20 && outcomes.1 > 30, "too little was seen: {outcomes:?}");
}

#[test]
fn a_state_folder_that_fills_up_at_any_moment_loses_no_deleted_file() {
    let here = "faults::disk_full::\
                a_state_folder_that_fills_up_at_any_moment_loses_no_deleted_file";
    if !is_in_separate_mount_namespace(here) {
        return;
    }
    let home = Home::new();
    let disk = SmallFileSystem::mount(&home.outside().join("state"), "16m");
    for path in ["a/one.txt", "a/two.txt", "b/one.txt"] {
        let path = home.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "line\n".repeat(1_000)).unwrap();
    }
    let before = tree(&home.root());
    called(&home, "create_directory", &json!({ "path": "made" })).unwrap();
    called(&home, "undo_action", &json!({})).unwrap();
    let mut outcomes = [0, 0];
    for left in 46..90 {
        // State that a process could not write is lost with it.
        let (tool, params) = match left % 2 {
            0 => ("delete_file", json!({ "path": "a", "recursive": true })),
            _ => ("move_file", json!({ "source": "a", "destination": "b", "overwrite": true })),
        };
        disk.fill_but(left / 2);
        let done = called(&home, tool, &params);
        outcomes[usize::from(done.is_ok())] += 1;
        disk.free();
        called(&home, "get_file_info", &json!({ "path": "." })).unwrap();
        match done {
            Ok(done) => {
                called(&home, "undo_action", &json!({ "action": done["action"] })).unwrap();
            }
            Err(error) => assert_reports_no_space(&error),
        }
        same(&tree(&home.root()), &before, &format!("{tool}, {} pages left", left / 2));
    }
    assert!(outcomes.iter().all(|&count| count > 4), "too little was seen: {outcomes:?}");
}

#[test]
fn a_move_onto_a_full_disk_leaves_everything_where_it_was() {
    let here = "faults::disk_full::a_move_onto_a_full_disk_leaves_everything_where_it_was";
    if !is_in_separate_mount_namespace(here) {
        return;
    }
    let home = Home::new();
    let disk = SmallFileSystem::mount(&home.root().join("other"), "256k");
    fill(&home.root());
    std::fs::write(disk.at.join("b.txt"), "b\n").unwrap();
    let before = content(&home.root());
    let server = LiveServer::start(&home);
    let one = json!({ "source": "dir/f0.txt", "destination": "other/new/a.txt" });
    let over = json!({ "source": "dir/f0.txt", "destination": "other/b.txt", "overwrite": true });
    let all = json!({ "source": "dir", "destination": "other/dir" });
    for params in [&one, &over, &all] {
        disk.fill();
        assert_reports_no_space(&server.refused("move_file", params, "E_IO"));
        same(&content(&home.root()), &before, "moved");
        disk.free();
        call_and_undo(&server, &home.root(), &before, "move_file", params);
    }
}
