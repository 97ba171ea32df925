//! Checkpoints: an agent's work can always be reverted.

use serde_json::{Value, json};
use tests::Server;

use super::{git, run, start, texts};

const FIXTURE: &str = "//- /a.txt\none\ntwo\nthree\n//- /b.txt\nb\n//- /.gitignore\n*.log\n";

fn checkpoint(server: &Server, params: Value) -> Value {
    server.must("git_checkpoint", params)
}

#[test]
fn a_failed_edit_is_reverted() {
    let server = start(FIXTURE);
    let root = server.root();
    server.write("new.txt", "new\n");
    server.write("trace.log", "log\n");
    server.write("b.txt", "staged\n");
    git(&root, &["add", "b.txt"]);
    server.open_file("a.txt");
    server.replace_text("a.txt", "two", "unsaved");
    let before =
        (run(&root, &["status", "--porcelain"]).stdout, git(&root, &["rev-parse", "HEAD"]));
    let made = checkpoint(&server, json!({ "action": "create", "message": "before the agent" }));
    let after = (run(&root, &["status", "--porcelain"]).stdout, git(&root, &["rev-parse", "HEAD"]));
    assert_eq!(before, after, "neither index nor HEAD is touched");
    assert_eq!(git(&root, &["stash", "list"]), "");

    // An agent goes wrong.
    server.must("apply_edit", json!({ "path": "a.txt", "old_text": "one", "new_text": "WRONG" }));
    server.must("delete_file", json!({ "path": "b.txt" }));
    server.must("write_file", json!({ "path": "junk.txt", "content": "junk\n" }));
    server.write("new.txt", "overwritten\n");
    server.write("trace.log", "more\n");
    let diff = checkpoint(&server, json!({ "action": "diff" }));
    assert_eq!(texts(&diff["files"], "path"), ["a.txt", "b.txt", "junk.txt", "new.txt"]);
    assert!(diff["diff"].as_str().unwrap().contains("-one\n+WRONG\n"));

    let some = json!({ "action": "restore", "files": ["new.txt"], "id": made["checkpoint"]["id"] });
    assert_eq!(checkpoint(&server, some)["restored"], json!(["new.txt"]));
    assert_eq!(server.disk_text("new.txt"), "new\n");
    let done = checkpoint(&server, json!({ "action": "restore" }));
    assert_eq!(done["restored"], json!(["a.txt", "b.txt", "junk.txt"]));
    assert_eq!(server.buffer("a.txt"), "one\nunsaved\nthree\n");
    assert_eq!(server.disk_text("b.txt"), "staged\n");
    assert!(!server.path("junk.txt").exists());
    assert_eq!(server.disk_text("trace.log"), "more\n", "what is ignored is left alone");
    assert_eq!(checkpoint(&server, json!({ "action": "diff" }))["files"], json!([]));

    // And that, too.
    server.must("undo_action", json!({ "id": done["action"] }));
    assert_eq!(server.buffer("a.txt"), "WRONG\nunsaved\nthree\n");
    assert_eq!(server.disk_text("junk.txt"), "junk\n");
}

#[test]
fn the_exact_bytes_are_restored() {
    let server =
        start("//- /x.txt\nx\n//- /.gitattributes\n*.txt text=auto eol=lf\n*.lfs filter=lfs\n");
    let binary: Vec<u8> = (0..=255).collect();
    let files: [(&str, &[u8]); 4] = [
        ("x.txt", b"mixed\r\nand\nnot\r\n"),
        ("bin", &binary),
        ("big.lfs", b"content\r\n"),
        ("run.sh", b"#!/bin/sh\n"),
    ];
    for (path, bytes) in files {
        server.write(path, bytes);
    }
    use std::os::unix::fs::PermissionsExt;
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(server.path("run.sh"), mode(0o755)).unwrap();
    checkpoint(&server, json!({ "action": "create" }));
    for (path, _) in files {
        std::fs::remove_file(server.path(path)).unwrap();
    }
    checkpoint(&server, json!({ "action": "restore" }));
    for (path, bytes) in files {
        assert_eq!(server.disk(path), bytes, "{path}");
    }
    let is_executable = |path: &str| {
        std::fs::metadata(server.path(path)).unwrap().permissions().mode() & 0o111 != 0
    };
    assert!(is_executable("run.sh") && !is_executable("bin"));
}

#[test]
fn checkpoints_are_listed_and_pruned() {
    let server = start(FIXTURE);
    for n in 0..3 {
        checkpoint(&server, json!({ "action": "create", "message": format!("number {n}") }));
    }
    let list = checkpoint(&server, json!({ "action": "list" }));
    assert_eq!(texts(&list["checkpoints"], "message"), ["number 2", "number 1", "number 0"]);
    let gone = checkpoint(&server, json!({ "action": "prune" }));
    assert_eq!(gone["pruned"], json!([]), "none is old");
    let id = list["checkpoints"][1]["id"].clone();
    checkpoint(&server, json!({ "action": "prune", "id": id }));
    checkpoint(&server, json!({ "action": "prune", "older_than_days": 0, "keep": 1 }));
    let list = checkpoint(&server, json!({ "action": "list" }));
    assert_eq!(texts(&list["checkpoints"], "message"), ["number 2"]);
    server.must_fail("git_checkpoint", json!({ "action": "restore", "id": "x" }), "E_NO_MATCH");
    assert_eq!(
        texts(&server.must("git_log", json!({ "all": true }))["commits"], "subject"),
        ["first"]
    );
}
