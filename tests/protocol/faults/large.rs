//! Folders and names at the limits of the file system.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tests::Home;

use super::LiveServer;

fn source_and_destination(source: &str, destination: &str) -> Value {
    json!({ "source": source, "destination": destination })
}

/// Time for one call with a hundred thousand entries, beside other tests.
const TIME_FOR_MANY: Duration = Duration::from_secs(120);

#[track_caller]
fn must(server: &LiveServer, tool: &str, params: &Value) -> Value {
    let result = server.send(tool, params).wait(TIME_FOR_MANY);
    result.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_folder_of_a_hundred_thousand_entries_is_listed_moved_deleted_copied_and_restored() {
    const ENTRIES: usize = 100_000;
    let home = Home::new();
    let root = home.root();
    std::fs::create_dir(root.join("many")).unwrap();
    // Hard links are quicker to make than files.
    std::fs::write(root.join("one"), "").unwrap();
    for n in 0..ENTRIES {
        std::fs::hard_link(root.join("one"), root.join(format!("many/f{n}")))
            .unwrap_or_else(|_| std::fs::write(root.join(format!("many/f{n}")), "").unwrap());
    }
    let server = LiveServer::start(&home);
    let listed = must(&server, "list_directory", &json!({ "path": "many" }));
    let told = serde_json::to_string(&listed).unwrap().len();
    assert!(told < 64 << 10, "{told} bytes");
    assert!(listed["truncated"] == true || listed["next_cursor"].is_string(), "cut unsaid");
    must(&server, "get_file_info", &json!({ "path": "many" }));
    must(&server, "move_file", &source_and_destination("many", "new/moved"));
    assert!(!root.join("many").exists());
    let gone = must(&server, "delete_file", &json!({ "path": "new/moved", "recursive": true }));
    assert!(!root.join("new/moved").exists());
    must(&server, "undo_action", &json!({ "action": gone["action"] }));
    assert_eq!(count(&root.join("new/moved")), ENTRIES);
    must(&server, "undo_action", &json!({}));
    assert_eq!(count(&root.join("many")), ENTRIES);
    must(&server, "copy_file", &source_and_destination("many", "copy"));
    assert_eq!(count(&root.join("copy")), ENTRIES);
    must(&server, "undo_action", &json!({}));
    assert_eq!(count(&root), 2);
}

#[test]
fn a_tree_of_a_thousand_levels_is_listed_and_moved() {
    let home = Home::new();
    let root = home.root();
    let deep: PathBuf = (0..1_000).map(|_| "d").collect();
    std::fs::create_dir_all(root.join("tree").join(&deep)).unwrap();
    std::fs::write(root.join("tree").join(&deep).join("leaf.txt"), "leaf\n").unwrap();
    let at = |top: &str, name: &str| Path::new(top).join(&deep).join(name).display().to_string();
    let server = LiveServer::start(&home);
    server.must("get_workspace_structure", &json!({}));
    server.must("list_directory", &json!({ "path": "tree" }));
    server.must("list_directory", &json!({ "path": at("tree", "") }));
    server.must("get_file_info", &json!({ "path": at("tree", "leaf.txt") }));
    let edit = json!({ "path": at("tree", "leaf.txt"), "old_text": "leaf", "new_text": "edited" });
    server.must("apply_edit", &edit);
    server.must("undo_action", &json!({}));
    server.must(
        "move_file",
        &source_and_destination(&at("tree", "leaf.txt"), &at("tree", "moved.txt")),
    );
    server.must("copy_file", &source_and_destination(&at("tree", "moved.txt"), "top.txt"));
    server.must("delete_file", &json!({ "path": at("tree", "moved.txt") }));
    for _ in 0..3 {
        server.must("undo_action", &json!({}));
    }
    let leaf = root.join("tree").join(&deep).join("leaf.txt");
    assert_eq!(std::fs::read_to_string(leaf).unwrap(), "leaf\n");
    assert_eq!(count(&root), 1);
    // Guarded names are not searched for that deep: a person must approve.
    server.refused("move_file", &source_and_destination("tree", "other"), "E_DENIED");
    let call_approved = |tool: &str, params: &Value| {
        let mut command = home.command();
        command.args(["call", "--yes", tool, &params.to_string(), "--workspace"]);
        let output = command.arg(&root).output().unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stdout));
    };
    call_approved("move_file", &source_and_destination("tree", "other"));
    assert!(root.join("other").join(&deep).join("leaf.txt").exists());
    call_approved("undo_action", &json!({}));
    let found = server.must("grep_search", &json!({ "pattern": "leaf" }));
    let is_found = found["matches"].as_array().unwrap().len() == 1;
    assert!(is_found || found["incomplete"] == true, "past its depth unsaid: {found}");
}

#[test]
fn names_of_any_bytes_and_of_maximum_length_work() {
    let home = Home::new();
    let root = home.root();
    let longest = "n".repeat(255);
    let wide = "\u{e9}".repeat(127);
    // As it is written in JSON, and the bytes on disk.
    let root_uri = client::file_uri(&root);
    let names: Vec<(String, Vec<u8>)> = vec![
        ("new\nline".into(), b"new\nline".to_vec()),
        (longest.clone(), longest.clone().into_bytes()),
        (wide.clone(), wide.into_bytes()),
        (" blank ".into(), b" blank ".to_vec()),
        ("-rf".into(), b"-rf".to_vec()),
        ("a\\b\t\u{1b}[31m".into(), b"a\\b\t\x1b[31m".to_vec()),
        (format!("{root_uri}/a%0Ab%25.txt"), b"a\nb%.txt".to_vec()),
    ];
    let server = LiveServer::start(&home);
    for (written, bytes) in &names {
        let path = root.join(OsStr::from_bytes(bytes));
        std::fs::write(&path, "content\n").unwrap();
        server.must("list_directory", &json!({ "path": "." }));
        server.must("get_file_info", &json!({ "path": written }));
        let read = server.must("read_file", &json!({ "path": written }));
        assert_eq!(read["content"], "content\n");
        server.must(
            "apply_edit",
            &json!({ "path": written, "old_text": "content", "new_text": "x" }),
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"x\n");
        server.must("undo_action", &json!({}));
        server.must("copy_file", &source_and_destination(written, "copy.txt"));
        server.must("undo_action", &json!({}));
        server.must("move_file", &source_and_destination(written, "dir/moved.txt"));
        server.must("undo_action", &json!({}));
        let gone = server.must("delete_file", &json!({ "path": written }));
        assert!(!path.exists());
        server.must("undo_action", &json!({ "action": gone["action"] }));
        assert_eq!(std::fs::read(&path).unwrap(), b"content\n");
        assert_eq!(count(&root), 1, "{written:?}: something is left over");
        server.must("delete_file", &json!({ "path": written }));
        server.must("write_file", &json!({ "path": written, "content": "made\n" }));
        assert_eq!(std::fs::read(&path).unwrap(), b"made\n");
        std::fs::remove_file(&path).unwrap();
    }
    // What is no UTF-8 cannot be written in JSON: it is listed, and goes with its folder.
    let raw = root.join(OsStr::from_bytes(b"dir\xff"));
    std::fs::write(&raw, "raw\n").unwrap();
    let uri = format!("{root_uri}/dir%FF");
    for tool in ["read_file", "get_file_info", "delete_file", "list_directory"] {
        server.refused(tool, &json!({ "path": uri }), "E_INVALID_PARAMS");
    }
    let listed = server.must("list_directory", &json!({ "path": "." }));
    assert!(listed.to_string().contains("dir\u{fffd}"), "{listed}");
    std::fs::remove_file(raw).unwrap();
    std::fs::write(root.join("a.txt"), "a\n").unwrap();
    let over = format!("{longest}n");
    for (tool, params) in [
        ("write_file", json!({ "path": over, "content": "x" })),
        ("create_directory", json!({ "path": over })),
        ("move_file", source_and_destination("a.txt", &over)),
        ("copy_file", source_and_destination("a.txt", &over)),
        ("read_file", json!({ "path": over })),
    ] {
        server.refused(tool, &params, "E_PATH_FORBIDDEN");
    }
    assert_eq!(count(&root), 1);
}
