//! Permissions that are missing, or are lost while the server runs.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tests::Home;

use super::{LiveServer, SmallFileSystem, edit_all, is_in_separate_mount_namespace, same, tree};

/// Makes a command run without the superuser's right to pass over modes; `None`, loudly, where
/// that cannot be.
fn bound(home: &Home) -> Option<Command> {
    let lsp = {
        let mut lsp = home.command();
        lsp.arg("lsp");
        lsp
    };
    let probe = home.outside().join("probe");
    std::fs::write(&probe, "").unwrap();
    set(&probe, 0o000);
    if std::fs::read(&probe).is_err() {
        return Some(lsp);
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]);
    let tried = command.arg("cat").arg(&probe).output();
    if !tried.is_ok_and(|output| String::from_utf8_lossy(&output.stderr).contains("ermission")) {
        super::skipped("this is root, and setpriv cannot take its rights away");
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"]);
    command.arg(lsp.get_program()).args(lsp.get_args()).current_dir(home.outside());
    for (name, value) in lsp.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Some(command)
}

fn set(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn filled() -> Home {
    let home = Home::new();
    let root = home.root();
    std::fs::create_dir_all(root.join("dir/sub")).unwrap();
    for (path, text) in
        [("dir/a.txt", "old\n"), ("dir/sub/b.txt", "old\n"), ("c.txt", "old\n"), ("d.txt", "old\n")]
    {
        std::fs::write(root.join(path), text).unwrap();
    }
    home
}

fn edit(path: &str) -> serde_json::Value {
    json!({ "path": path, "old_text": "old\n", "new_text": "new\n" })
}

#[test]
fn an_unwritable_or_unreadable_file_is_left_alone() {
    let home = filled();
    let Some(mut command) = bound(&home) else { return };
    let root = home.root();
    let before = tree(&root);
    let server = LiveServer::of(&mut command, &root);
    set(&root.join("c.txt"), 0o444);
    server.refused("apply_edit", &edit("c.txt"), "E_PERMISSION");
    server.refused("write_file", &json!({ "path": "c.txt", "content": "x" }), "E_PERMISSION");
    let both = edit_all(["d.txt", "c.txt"].map(str::to_owned).into_iter(), "old\n", "new\n");
    server.refused("apply_edit", &both, "E_PERMISSION");
    server.must("read_file", &json!({ "path": "c.txt" }));
    same(&tree(&root), &before, "read-only");
    set(&root.join("c.txt"), 0o000);
    for (tool, params) in [
        ("read_file", json!({ "path": "c.txt" })),
        ("apply_edit", edit("c.txt")),
        ("copy_file", json!({ "source": "c.txt", "destination": "e.txt" })),
    ] {
        server.refused(tool, &params, "E_PERMISSION");
    }
    // A search skips it.
    let found = server.must("grep_search", &json!({ "pattern": "old" }));
    assert_eq!(found["matches"].as_array().unwrap().len(), 3, "{found}");
    // It goes and comes back as it is, alone and with its folder; only a copy would be read.
    server.must("delete_file", &json!({ "path": "c.txt" }));
    server.must("undo_action", &json!({}));
    set(&root.join("c.txt"), 0o644);
    set(&root.join("dir/a.txt"), 0o000);
    server.refused("copy_file", &json!({ "source": "dir", "destination": "x" }), "E_PERMISSION");
    assert!(!root.join("x").exists());
    server.must("move_file", &json!({ "source": "dir", "destination": "y/dir" }));
    server.must("delete_file", &json!({ "path": "y", "recursive": true }));
    for _ in 0..2 {
        server.must("undo_action", &json!({}));
    }
    set(&root.join("dir/a.txt"), 0o644);
    same(&tree(&root), &before, "unreadable");
}

#[test]
fn an_unwritable_or_unreadable_folder_is_left_alone() {
    let home = filled();
    let Some(mut command) = bound(&home) else { return };
    let root = home.root();
    let before = tree(&root);
    let server = LiveServer::of(&mut command, &root);
    set(&root.join("dir"), 0o500);
    let to = |from: &str, to: &str| json!({ "source": from, "destination": to });
    for (tool, params) in [
        ("apply_edit", edit("dir/a.txt")),
        ("write_file", json!({ "path": "dir/new.txt", "content": "x" })),
        ("write_file", json!({ "path": "dir/new/new.txt", "content": "x" })),
        ("create_directory", json!({ "path": "dir/new" })),
        ("delete_file", json!({ "path": "dir/a.txt" })),
        ("move_file", to("dir/a.txt", "e.txt")),
        ("move_file", to("c.txt", "dir/e.txt")),
        ("move_file", json!({ "source": "c.txt", "destination": "dir/a.txt", "overwrite": true })),
        ("copy_file", to("c.txt", "dir/e.txt")),
        ("copy_file", to("dir/sub", "dir/e")),
    ] {
        server.refused(tool, &params, "E_PERMISSION");
        same(&tree(&root), &before, tool);
    }
    let both = edit_all(["c.txt", "dir/a.txt"].map(str::to_owned).into_iter(), "old\n", "new\n");
    server.refused("apply_edit", &both, "E_PERMISSION");
    same(&tree(&root), &before, "one of two");
    server.must("apply_edit", &edit("dir/sub/b.txt"));
    server.must("undo_action", &json!({}));
    set(&root.join("dir"), 0o000);
    for (tool, params) in [
        ("read_file", json!({ "path": "dir/a.txt" })),
        ("list_directory", json!({ "path": "dir" })),
        ("get_file_info", json!({ "path": "dir/a.txt" })),
        ("copy_file", to("dir", "e")),
        ("apply_edit", edit("dir/a.txt")),
        ("delete_file", json!({ "path": "dir/a.txt" })),
    ] {
        server.refused(tool, &params, "E_PERMISSION");
    }
    assert!(!root.join("e").exists());
    let found = server.must("grep_search", &json!({ "pattern": "old" }));
    assert_eq!(found["matches"].as_array().unwrap().len(), 2, "{found}");
    set(&root.join("dir"), 0o700);
    same(&tree(&root), &before, "afterwards");
}

#[test]
fn a_workspace_that_loses_permissions_reports_it_and_recovers() {
    let home = filled();
    let Some(mut command) = bound(&home) else { return };
    let root = home.root();
    let before = tree(&root);
    let server = LiveServer::of(&mut command, &root);
    for mode in [0o000, 0o500] {
        server.must("apply_edit", &edit("dir/a.txt"));
        server.must("undo_action", &json!({}));
        set(&root, mode);
        let write = json!({ "path": "new.txt", "content": "x" });
        server.refused("write_file", &write, "E_PERMISSION");
        server.refused("apply_edit", &edit("c.txt"), "E_PERMISSION");
        server.refused("delete_file", &json!({ "path": "c.txt" }), "E_PERMISSION");
        set(&root, 0o700);
        same(&tree(&root), &before, "afterwards");
    }
    server.must("apply_edit", &edit("c.txt"));
}

#[test]
fn with_an_unwritable_state_folder_nothing_is_deleted() {
    let home = filled();
    let Some(mut command) = bound(&home) else { return };
    let root = home.root();
    let before = tree(&root);
    let outside = home.outside();
    let state = outside.join("state/tandem");
    std::fs::create_dir_all(&state).unwrap();
    set(&state, 0o500);
    let server = LiveServer::of(&mut command, &root);
    let done = server.must("apply_edit", &edit("c.txt"));
    assert!(done["unrecorded"].as_str().unwrap().contains("ermission"), "{done}");
    std::fs::write(root.join("c.txt"), "old\n").unwrap();
    let many = edit_all(["c.txt", "d.txt"].map(str::to_owned).into_iter(), "old\n", "new\n");
    for (tool, params) in [
        ("apply_edit", many),
        ("delete_file", json!({ "path": "dir", "recursive": true })),
        ("move_file", json!({ "source": "c.txt", "destination": "e.txt" })),
    ] {
        let error = server.refused(tool, &params, "E_IO");
        assert!(error.message.contains("ermission"), "{}", error.data);
        same(&tree(&root), &before, tool);
    }
    set(&state, 0o700);
    server.must("delete_file", &json!({ "path": "dir", "recursive": true }));
    server.must("undo_action", &json!({}));
    same(&tree(&root), &before, "with its rights again");
}

#[test]
fn a_workspace_that_is_deleted_or_renamed_away_is_no_longer_written_to_by_its_name() {
    let home = filled();
    let (root, aside) = (home.root(), home.outside().join("aside"));
    let server = LiveServer::start(&home);
    server.must("apply_edit", &edit("c.txt"));
    std::fs::rename(&root, &aside).unwrap();
    let before = tree(&aside);
    // Another folder has the name now: it is not the one that was opened.
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("d.txt"), "old\n").unwrap();
    let result = server.call("apply_edit", &edit("d.txt"));
    let other = std::fs::read_to_string(root.join("d.txt")).unwrap();
    assert_eq!(other, "old\n", "another folder was written to: {result:?}");
    assert_eq!(result.unwrap_err().code, "E_CONFLICT");
    server.refused("read_file", &json!({ "path": "d.txt" }), "E_CONFLICT");
    std::fs::remove_dir_all(&root).unwrap();
    same(&tree(&aside), &before, "renamed");
    std::fs::rename(&aside, &root).unwrap();
    server.must("undo_action", &json!({}));
    assert_eq!(std::fs::read_to_string(root.join("c.txt")).unwrap(), "old\n");

    std::fs::remove_dir_all(&root).unwrap();
    let write = json!({ "path": "new.txt", "content": "x" });
    let gone = server.call("write_file", &write).unwrap_err();
    assert_eq!(gone.code, "E_CONFLICT", "{}", gone.data);
    server.refused("read_file", &json!({ "path": "c.txt" }), "E_CONFLICT");
    server.refused("delete_file", &json!({ "path": "c.txt" }), "E_CONFLICT");
    let _ = server.call("grep_search", &json!({ "pattern": "old" }));
    let _ = server.call("list_directory", &json!({ "path": "." }));
    assert!(!root.exists(), "nothing is made where the workspace was");
    server.must("get_action_history", &json!({}));
}

#[test]
fn an_unmounted_workspace_gets_answers_and_nothing_is_written_below_it() {
    let here = "faults::permission::\
                an_unmounted_workspace_gets_answers_and_nothing_is_written_below_it";
    if !is_in_separate_mount_namespace(here) {
        return;
    }
    let home = Home::new();
    let disk = SmallFileSystem::mount(&home.root(), "1m");
    std::fs::write(home.root().join("c.txt"), "old\n").unwrap();
    let server = LiveServer::start(&home);
    server.must("apply_edit", &edit("c.txt"));
    let unmounted = Command::new("umount").arg("-l").arg(&disk.at).status().unwrap();
    assert!(unmounted.success() && !disk.is_mounted());
    for (tool, params) in [
        ("write_file", json!({ "path": "d.txt", "content": "x" })),
        ("undo_action", json!({})),
        ("create_directory", json!({ "path": "dir" })),
    ] {
        // Open handles still work; files under the mount point are not touched.
        let _ = server.call(tool, &params);
        assert_eq!(tree(&home.root()).len(), 0, "{tool}");
    }
    server.must("get_action_history", &json!({}));
}
