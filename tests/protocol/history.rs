//! The history of actions, and undoing them.

use std::process::Command;

use serde_json::{Value, json};
use tests::{Home, Server};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "old_text": old, "new_text": new })
}

fn call(home: &Home, tool: &str, params: &Value) -> (bool, Value) {
    let mut command: Command = home.command();
    command.args(["call", tool, &params.to_string(), "--workspace"]).arg(home.root());
    let output = command.output().unwrap();
    let value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.success(), value)
}

fn history(server: &Server) -> Vec<Value> {
    server.must("get_action_history", json!({}))["actions"].as_array().unwrap().clone()
}

#[test]
fn an_edit_is_undone_and_done_again() {
    let server = Server::start("//- /a.txt\nold\r\nx\n");
    let edited = server.must("apply_edit", edit("a.txt", "old", "new"));
    assert!(edited["action"].is_string(), "{edited}");
    let undone = server.must("undo_action", json!({ "id": edited["action"] }));
    assert_eq!(server.disk("a.txt"), b"old\r\nx\n");
    assert_eq!(undone["undone"], edited["action"]);
    assert!(undone["files"][0]["diff"].as_str().unwrap().contains("+old"), "{undone}");
    server.must_fail("undo_action", json!({ "action": edited["action"] }), "E_CONFLICT");
    server.must("undo_action", json!({ "action_id": undone["action"] }));
    assert_eq!(server.disk("a.txt"), b"new\r\nx\n");
    server.must("rollback_action", json!({}));
    assert_eq!(server.disk("a.txt"), b"old\r\nx\n");
}

#[test]
fn undoing_again_and_again_goes_back_to_the_start() {
    let server = Server::start("//- /a.txt\n0\n");
    for n in 0..5 {
        server.must("apply_edit", edit("a.txt", &n.to_string(), &(n + 1).to_string()));
    }
    for n in (0..5).rev() {
        server.must("undo_action", json!({}));
        assert_eq!(server.disk_text("a.txt"), format!("{n}\n"));
    }
    server.must_fail("undo_action", json!({}), "E_PATH_NOT_FOUND");
}

#[test]
fn later_changes_are_kept() {
    let server = Server::start("//- /a.txt\nold\n//- /b.txt\nold\n");
    let patch = json!([{ "old_text": "old", "new_text": "new" }]);
    let edits =
        json!([{ "path": "a.txt", "patches": patch }, { "path": "b.txt", "patches": patch }]);
    server.must("apply_edit", json!({ "edits": edits }));
    server.write("b.txt", "new and more\n");
    let error = server.must_fail("undo_action", json!({}), "E_CONFLICT");
    let conflicts = error.data["details"]["conflicts"].as_array().unwrap();
    assert_eq!(conflicts.len(), 1, "{}", error.data);
    assert_eq!(conflicts[0]["path"], "b.txt");
    let diff = conflicts[0]["diff"].as_str().unwrap();
    assert!(diff.contains("-new\n") && diff.contains("+new and more"), "{diff}");
    assert_ne!(conflicts[0]["expected"], conflicts[0]["actual"]);
    assert_eq!(
        (server.disk_text("a.txt"), server.disk_text("b.txt")),
        ("new\n".into(), "new and more\n".into())
    );
    server.write("b.txt", "new\n");
    server.must("undo_action", json!({}));
    assert_eq!(
        (server.disk_text("a.txt"), server.disk_text("b.txt")),
        ("old\n".into(), "old\n".into())
    );
}

/// Files with these lines that one action has changed: `old` is `new` in each.
fn changed(files: &[(&str, &str)]) -> Server {
    let fixture: String = files.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect();
    let server = Server::start(&fixture);
    let patch = json!([{ "old_text": "old", "new_text": "new" }]);
    let edits: Vec<Value> =
        files.iter().map(|(path, _)| json!({ "path": path, "patches": patch })).collect();
    server.must("apply_edit", json!({ "edits": edits }));
    server
}

#[test]
fn a_change_undone_by_hand_is_no_conflict() {
    let server = changed(&[("a.txt", "old\n"), ("b.txt", "old\n"), ("c.txt", "old\n")]);
    server.open_file("a.txt");
    server.replace_text("a.txt", "new", "old");
    server.write("b.txt", "old\n");
    let undone = server.must("undo_action", json!({}));
    let files: Vec<_> = undone["files"].as_array().unwrap().iter().collect();
    let of = |path: &str| files.iter().find(|file| file["path"] == path).unwrap()["kind"].clone();
    assert_eq!([of("a.txt"), of("b.txt"), of("c.txt")], ["already", "already", "edited"]);
    assert_eq!(server.disk_text("c.txt"), "old\n");
    // Doing it again is about the file that the undoing has changed.
    server.must("undo_action", json!({ "action": undone["action"] }));
    assert_eq!(
        (server.buffer("a.txt"), server.disk_text("c.txt")),
        ("old\n".into(), "new\n".into())
    );

    // Where all of it was undone by hand, it is out of the way.
    let server = changed(&[("a.txt", "old\n")]);
    server.write("a.txt", "old\n");
    assert_eq!(server.must("undo_action", json!({}))["changed"], false);
    server.must_fail("undo_action", json!({}), "E_PATH_NOT_FOUND");
}

#[test]
fn files_that_were_changed_after_an_action_are_skipped_or_merged() {
    let text = "old\n1\n2\n";
    let server = changed(&[("a.txt", text), ("b.txt", text)]);
    server.open_file("b.txt");
    server.replace_text("b.txt", "2", "two");
    let error = server.must_fail("undo_action", json!({}), "E_CONFLICT");
    assert_eq!(error.data["details"]["conflicts"][0]["can_merge"], true, "{}", error.data);

    let undone = server.must("undo_action", json!({ "on_conflict": "skip", "dry_run": true }));
    assert_eq!(undone["skipped"], json!(["b.txt"]));
    let undone = server.must("undo_action", json!({ "on_conflict": "merge" }));
    assert_eq!(undone["files"].as_array().unwrap().len(), 2, "{undone}");
    assert_eq!(server.disk_text("a.txt"), text);
    assert_eq!(server.buffer("b.txt"), "old\n1\ntwo\n");
    server.must("undo_action", json!({ "action": undone["action"] }));
    assert_eq!(server.buffer("b.txt"), "new\n1\ntwo\n");

    let server = changed(&[("a.txt", text), ("b.txt", text)]);
    server.write("b.txt", "newer\n1\n2\n");
    let error = server.must_fail("undo_action", json!({ "on_conflict": "merge" }), "E_CONFLICT");
    assert_eq!(error.data["details"]["conflicts"][0]["can_merge"], false, "{}", error.data);
    let undone = server.must("undo_action", json!({ "on_conflict": "skip" }));
    assert_eq!(undone["skipped"], json!(["b.txt"]));
    assert_eq!(
        (server.disk_text("a.txt"), server.disk_text("b.txt")),
        (text.into(), "newer\n1\n2\n".into())
    );
}

#[test]
fn a_moved_and_then_changed_file_is_not_moved_back() {
    let server = Server::start("//- /a.txt\na\n//- /gone.txt\ngone\n");
    let moved = server.must("move_file", json!({ "source": "a.txt", "destination": "b.txt" }));
    server.write("b.txt", "changed\n");
    server.must_fail("undo_action", json!({ "action": moved["action"] }), "E_CONFLICT");
    assert_eq!(server.disk_text("b.txt"), "changed\n");
    let deleted = server.must("delete_file", json!({ "path": "gone.txt" }));
    server.write("gone.txt", "somebody's\n");
    server.must_fail("undo_action", json!({ "action": deleted["action"] }), "E_CONFLICT");
    assert_eq!(server.disk_text("gone.txt"), "somebody's\n");
}

#[test]
fn open_documents_are_undone_in_the_editor() {
    let server = Server::start("//- /open.txt\none\n//- /shut.txt\none\n");
    server.open_file("open.txt");
    let patch = json!([{ "old_text": "one", "new_text": "two" }]);
    let edits =
        json!([{ "path": "open.txt", "patches": patch }, { "path": "shut.txt", "patches": patch }]);
    server.must("apply_edit", json!({ "edits": edits }));
    assert_eq!(
        (server.buffer("open.txt"), server.disk_text("shut.txt")),
        ("two\n".into(), "two\n".into())
    );
    server.replace_text("open.txt", "two", "three");
    server.must_fail("undo_action", json!({}), "E_CONFLICT");
    server.replace_text("open.txt", "three", "two");
    server.must("undo_action", json!({}));
    assert_eq!(
        (server.buffer("open.txt"), server.disk_text("shut.txt")),
        ("one\n".into(), "one\n".into())
    );
    assert_eq!(server.disk_text("open.txt"), "one\n");
    // After saving and closing, the file on disk is compared.
    server.must("undo_action", json!({ "action": history(&server)[0]["id"] }));
    server.write("open.txt", "two\n");
    server.close_file("open.txt");
    server.must("undo_action", json!({}));
    assert_eq!(
        (server.disk_text("open.txt"), server.disk_text("shut.txt")),
        ("one\n".into(), "one\n".into())
    );
}

#[test]
fn a_dry_run_of_undo_changes_nothing() {
    let server = Server::start("//- /a.txt\nold\n");
    server.must("apply_edit", edit("a.txt", "old", "new"));
    let dry = server.must("undo_action", json!({ "dry_run": true }));
    assert!(dry["files"][0]["diff"].as_str().unwrap().contains("+old"), "{dry}");
    assert!(dry["action"].is_null());
    assert_eq!(server.disk_text("a.txt"), "new\n");
    assert_eq!(history(&server).len(), 1);
}

#[test]
fn the_history_is_paged_and_filtered() {
    let server = Server::start("//- /a.txt\n0\n//- /dir/b.txt\n0\n");
    for n in 0..6 {
        let path = if n % 2 == 0 { "a.txt" } else { "dir/b.txt" };
        let (old, new) = ((n / 2).to_string(), (n / 2 + 1).to_string());
        server.must("apply_edit", edit(path, &old, &new));
    }
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut params = json!({ "limit": 4 });
        if !cursor.is_null() {
            params["cursor"] = cursor;
        }
        let page = server.must("get_action_history", params);
        seen.extend(page["actions"].as_array().unwrap().clone());
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), 6);
    let ids: Vec<i64> = seen.iter().map(|a| a["id"].as_str().unwrap().parse().unwrap()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] > pair[1]), "newest first: {ids:?}");
    let first = &seen[0];
    assert_eq!(first["tool"], "apply_edit");
    assert_eq!((&first["state"], &first["undoable"]), (&json!("done"), &json!(true)));
    assert_eq!(first["files"], json!([{ "path": "dir/b.txt", "kind": "edited" }]));
    assert!(first["time"].as_str().unwrap().ends_with('Z'), "{first}");
    let only = |path: &str| {
        let found = server.must("get_action_history", json!({ "path": path }));
        found["actions"].as_array().unwrap().len()
    };
    assert_eq!((only("a.txt"), only("dir"), only("dir/b.txt"), only("di")), (3, 3, 3, 0));
    server.must_fail("get_action_history", json!({ "cursor": "x" }), "E_INVALID_PARAMS");
    server.must_fail("undo_action", json!({ "action": "x" }), "E_INVALID_PARAMS");
    server.must_fail("undo_action", json!({ "action": 1 }), "E_PATH_NOT_FOUND");
}

#[test]
fn a_process_can_undo_the_action_of_another() {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "old\n").unwrap();
    std::fs::create_dir(home.root().join("dir")).unwrap();
    std::fs::write(home.root().join("dir/b.txt"), "b\n").unwrap();
    assert!(call(&home, "apply_edit", &edit("a.txt", "old", "new")).0);
    assert!(call(&home, "delete_file", &json!({ "path": "dir", "recursive": true })).0);
    let (fine, listed) = call(&home, "get_action_history", &json!({}));
    assert!(fine && listed["actions"].as_array().unwrap().len() == 2, "{listed}");
    assert!(call(&home, "undo_action", &json!({})).0);
    assert!(call(&home, "undo_action", &json!({})).0);
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), "old\n");
    assert_eq!(std::fs::read_to_string(home.root().join("dir/b.txt")).unwrap(), "b\n");
}

#[test]
fn concurrent_processes_lose_no_action() {
    let home = Home::new();
    let text: String = (0..40).map(|n| format!("line {n:02}\n")).collect();
    for n in 0..4 {
        std::fs::write(home.root().join(format!("{n}.txt")), &text).unwrap();
    }
    std::thread::scope(|scope| {
        for file in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for n in 0..10 {
                    let path = format!("{file}.txt");
                    let params = edit(&path, &format!("line {n:02}"), &format!("done {n:02}"));
                    let (fine, value) = call(home, "apply_edit", &params);
                    assert!(fine, "{value}");
                }
            });
        }
    });
    let (_, listed) = call(&home, "get_action_history", &json!({ "limit": 200 }));
    assert_eq!(listed["actions"].as_array().unwrap().len(), 40);
    for _ in 0..40 {
        assert!(call(&home, "undo_action", &json!({})).0);
    }
    for n in 0..4 {
        let now = std::fs::read_to_string(home.root().join(format!("{n}.txt"))).unwrap();
        assert_eq!(now, text);
    }
}

/// The state folder of the workspace.
fn state(home: &Home) -> std::path::PathBuf {
    let folders = std::fs::read_dir(home.outside().join("state/tandem")).unwrap();
    let mut found =
        folders.map(|entry| entry.unwrap().path()).filter(|p| p.join("history.db").exists());
    found.next().unwrap()
}

#[test]
fn a_broken_or_unreadable_history_never_blocks_an_edit() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "0\n").unwrap();
    assert!(call(&home, "apply_edit", &edit("a.txt", "0", "1")).0);
    let state = state(&home);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&state), mode(&state.join("history.db"))), (0o700, 0o600));
    assert_eq!(mode(&state.join("trash")), 0o700);

    std::fs::write(
        state.join("history.db"),
        "no database at all, but long enough to be one".repeat(99),
    )
    .unwrap();
    let (fine, value) = call(&home, "apply_edit", &edit("a.txt", "1", "2"));
    assert!(fine && value["action"].is_string(), "{value}");
    assert!(call(&home, "undo_action", &json!({})).0);

    // Without a usable state folder a single file can be edited, but nothing deleted.
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o770)).unwrap();
    let (fine, value) = call(&home, "apply_edit", &edit("a.txt", "1", "2"));
    assert!(fine && value["action"].is_null() && value["unrecorded"].is_string(), "{value}");
    let (fine, value) = call(&home, "delete_file", &json!({ "path": "a.txt" }));
    assert!(!fine && value["code"] == "E_IO", "{value}");
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), "2\n");
}

#[test]
fn undo_never_writes_through_a_planted_link() {
    let server = Server::start("//- /dir/a.txt\nold\n");
    server.must("apply_edit", edit("dir/a.txt", "old", "new"));
    let outside = server.outside().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.txt"), "new\n").unwrap();
    std::fs::remove_dir_all(server.path("dir")).unwrap();
    std::os::unix::fs::symlink(&outside, server.path("dir")).unwrap();
    let error = server.tool("undo_action", json!({})).unwrap_err();
    assert!(["E_PATH_FORBIDDEN", "E_CONFLICT"].contains(&error.code.as_str()), "{}", error.data);
    assert_eq!(std::fs::read_to_string(outside.join("a.txt")).unwrap(), "new\n");
}

#[test]
fn large_and_binary_files_are_restored() {
    let server = Server::start("");
    let large = "line of some length\n".repeat(50_000) + "old\n";
    server.write("large.txt", &large);
    server.write("bytes.bin", b"\x80\xfe\xfd old \x80\x81");
    server.must("apply_edit", edit("large.txt", "old\n", "new\n"));
    server.must("apply_edit", edit("bytes.bin", " old ", " new "));
    assert_eq!(server.disk("bytes.bin"), b"\x80\xfe\xfd new \x80\x81");
    server.must("undo_action", json!({}));
    server.must("undo_action", json!({}));
    assert_eq!(server.disk("bytes.bin"), b"\x80\xfe\xfd old \x80\x81");
    assert_eq!(server.disk_text("large.txt"), large);
}

#[test]
fn undo_keeps_files_that_others_put_into_created_folders() {
    let server = Server::start("//- /a.txt\nx\n");
    let create = "*** Begin Patch\n*** Add File: g1/g2/n.txt\n+x\n*** End Patch\n";
    for (tool, arguments, folder) in [
        ("write_file", json!({ "path": "w1/w2/z.txt", "content": "x" }), "w1"),
        ("create_directory", json!({ "path": "p/q/r" }), "p"),
        ("copy_file", json!({ "source": "a.txt", "destination": "c1/c2/a.txt" }), "c1"),
        ("move_file", json!({ "source": "a.txt", "destination": "m1/m2/a.txt" }), "m1"),
        ("apply_edit", json!({ "patch": create }), "g1"),
    ] {
        server.must(tool, arguments);
        server.write(&format!("{folder}/mine.txt"), "mine\n");
        server.must("undo_action", json!({}));
        assert_eq!(server.disk_text(&format!("{folder}/mine.txt")), "mine\n", "{tool}");
        let left = std::fs::read_dir(server.path(folder)).unwrap().count();
        assert_eq!(left, 1, "{tool}: only the foreign file is left in {folder}");
    }
}
