//! `tandem call` and `tandem patch` beside an editor that has the folder open.

use std::process::{Command, Stdio};

use client::file_uri;
use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "//- /a.py\nprint(1)\n//- /sub/b.py\nbelow = 1\n";

/// The exit status of `tandem call`, and the JSON that it prints.
fn shell(mut tandem: Command, options: &[&str], tool: &str, arguments: Value) -> (i32, Value) {
    tandem.args(["call", tool, &arguments.to_string()]).args(options);
    let output = tandem.stdin(Stdio::null()).output().unwrap();
    let printed = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    (output.status.code().unwrap(), printed)
}

fn call(server: &Server, options: &[&str], tool: &str, arguments: Value) -> (i32, Value) {
    // Who has answered this can be joined.
    server.must("get_file_info", json!({ "path": "sub" }));
    let root = server.root();
    let options = [&["--workspace", root.to_str().unwrap()], options].concat();
    shell(server.command(), &options, tool, arguments)
}

#[test]
fn a_shell_sees_and_edits_unsaved_text() {
    let server = Server::start(FIXTURE);
    server.open_text("a.py", "print(2)\n");
    let (status, read) = call(&server, &[], "read_file", json!({ "path": "a.py" }));
    assert_eq!((status, &read["content"]), (0, &json!("print(2)\n")), "{read}");
    assert_eq!(read["answered_by"], "client", "the name that the editor gave itself");

    let edit = json!({ "path": "a.py", "old_text": "2", "new_text": "3" });
    let (status, edited) = call(&server, &[], "apply_edit", edit);
    assert_eq!((status, &edited["changed"]), (0, &json!(true)), "{edited}");
    assert_eq!(server.buffer("a.py"), "print(3)\n");
    assert_eq!(server.disk_text("a.py"), "print(1)\n");
    server.must("undo_action", json!({}));
    assert_eq!(server.buffer("a.py"), "print(2)\n");

    let (status, error) = call(&server, &[], "read_file", json!({ "path": "none.py" }));
    assert_eq!((status, &error["code"]), (1, &json!("E_FILE_NOT_FOUND")), "{error}");
}

#[test]
fn a_patch_is_applied_to_the_buffer() {
    let server = Server::start(FIXTURE);
    server.open_text("a.py", "print(2)\n");
    // It can be joined by now, and has taken that in.
    assert_eq!(server.read("a.py"), "print(2)\n");
    let patch = server.outside().join("change.diff");
    std::fs::write(&patch, "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-print(2)\n+print(4)\n").unwrap();
    let mut tandem = server.command();
    tandem.arg("patch").arg(&patch).arg("--workspace").arg(server.root());
    let output = tandem.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(server.buffer("a.py"), "print(4)\n");
    assert_eq!(server.disk_text("a.py"), "print(1)\n");
}

#[test]
fn headless_works_on_the_disk() {
    let server = Server::start(FIXTURE);
    server.open_text("a.py", "print(2)\n");
    let arguments = json!({ "path": "a.py" });
    let (_, read) = call(&server, &["--headless"], "read_file", arguments.clone());
    assert_eq!(
        (&read["content"], &read["answered_by"]),
        (&json!("print(1)\n"), &json!("files on disk"))
    );
    // A server of a parent folder would reach more than the requested folder.
    let below = server.root().join("sub");
    let options = ["--workspace", below.to_str().unwrap()];
    let (_, read) = shell(server.command(), &options, "read_file", json!({ "path": "b.py" }));
    assert_eq!(read["answered_by"], "files on disk", "{read}");
    // Nor is one that has ended.
    let home = server.quit();
    let root = home.root();
    let options = ["--workspace", root.to_str().unwrap()];
    let (_, read) = shell(home.command(), &options, "read_file", arguments);
    assert_eq!(read["answered_by"], "files on disk", "{read}");
}

#[test]
fn yes_approves_one_call_in_the_editors_server() {
    let server = Server::start(FIXTURE);
    let command = json!({ "command": "echo joined" });
    // The client of this test does not answer questions.
    let (status, denied) = call(&server, &[], "run_command", command.clone());
    assert_eq!((status, &denied["code"]), (1, &json!("E_DENIED")), "{denied}");
    let (status, ran) = call(&server, &["--yes"], "run_command", command.clone());
    assert_eq!((status, &ran["stdout"]), (0, &json!("joined\n")), "{ran}");
    assert_eq!(ran["answered_by"], "client");
    let (status, denied) = call(&server, &[], "run_command", command);
    assert_eq!((status, &denied["code"]), (1, &json!("E_DENIED")), "{denied}");
}

/// A second editor on the folder of the first, and the first.
fn two_editors() -> (Server, Server) {
    let first = Server::start(FIXTURE);
    let second = first.second_server();
    first.must("get_file_info", json!({ "path": "sub" }));
    second.must("get_file_info", json!({ "path": "sub" }));
    (first, second)
}

#[test]
fn a_call_runs_in_the_server_that_has_the_document_open() {
    // The newest server is tried first.
    let (older, newer) = two_editors();
    older.open_text("a.py", "print(2)\n");
    assert_eq!(older.read("a.py"), "print(2)\n");
    let edit = json!({ "path": "a.py", "old_text": "2", "new_text": "3" });
    let (status, edited) = call(&newer, &[], "apply_edit", edit);
    assert_eq!((status, &edited["changed"]), (0, &json!(true)), "{edited}");
    assert_eq!(older.buffer("a.py"), "print(3)\n");
    assert_eq!(older.disk_text("a.py"), "print(1)\n");
    // So is what the newer one's own client asks for, and what names no file.
    let read = newer.must("read_file", json!({ "path": "a.py" }));
    assert_eq!(read["content"], "print(3)\n");
    let found = newer.must("grep_search", json!({ "query": "print.3" }));
    assert!(found.to_string().contains("a.py"), "{found}");
    // The error of the one is that of the other.
    let edit = json!({ "path": "a.py", "old_text": "none", "new_text": "3" });
    let (status, error) = call(&newer, &[], "apply_edit", edit);
    assert_eq!((status, &error["code"]), (1, &json!("E_NO_MATCH")), "{error}");
    // What neither has open is the newest's.
    let (_, read) = call(&newer, &[], "read_file", json!({ "path": "sub/b.py" }));
    assert_eq!(read["content"], "below = 1\n");
}

#[test]
fn unsaved_text_in_two_editors_is_a_conflict() {
    let (older, newer) = two_editors();
    older.open_text("a.py", "print(2)\n");
    newer.open_text("a.py", "print(4)\n");
    // Both know by now what was opened.
    assert_eq!(
        (older.read("a.py"), newer.read("a.py")),
        ("print(2)\n".into(), "print(4)\n".into())
    );
    let edit = json!({ "path": "a.py", "old_text": "print", "new_text": "write" });
    let (status, error) = call(&newer, &[], "apply_edit", edit);
    assert_eq!((status, &error["code"]), (1, &json!("E_CONFLICT")), "{error}");
    assert!(error["message"].as_str().unwrap().contains("two editors"), "{error}");
    assert_eq!(
        (older.buffer("a.py"), newer.buffer("a.py")),
        ("print(2)\n".into(), "print(4)\n".into())
    );
    // Reading is harmless.
    let (_, read) = call(&newer, &[], "read_file", json!({ "path": "a.py" }));
    assert!(["print(2)\n", "print(4)\n"].contains(&read["content"].as_str().unwrap()), "{read}");
}

/// Places would mean others there.
#[test]
fn a_call_does_not_reach_an_editor_with_other_folders() {
    let first = Server::start(FIXTURE);
    let other = first.outside().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("a.py"), "other\n").unwrap();
    let wider = first.spawn_second();
    let folders =
        [&other, &wider.root()].map(|folder| json!({ "uri": file_uri(folder), "name": "a" }));
    wider
        .request("initialize", json!({ "capabilities": {}, "workspaceFolders": folders }))
        .unwrap();
    wider.notify("initialized", json!({})).unwrap();
    wider.open_text("a.py", "print(2)\n");
    // It has processed that.
    assert_eq!(wider.read("a.py"), "other\n");
    first.must("get_file_info", json!({ "path": "sub" }));
    let read = first.must("read_file", json!({ "path": "a.py" }));
    assert_eq!(read["content"], "print(1)\n");
}

/// A process without peers does not search for them at each call, but notices new ones.
#[test]
fn an_editor_that_starts_later_is_found() {
    let first = Server::start(FIXTURE);
    // Twice, with the time between that it takes to be sure.
    first.must("read_file", json!({ "path": "a.py" }));
    std::thread::sleep(std::time::Duration::from_millis(150));
    first.must("read_file", json!({ "path": "a.py" }));
    let second = first.second_server();
    second.open_text("a.py", "print(2)\n");
    assert_eq!(second.read("a.py"), "print(2)\n");
    assert_eq!(first.read("a.py"), "print(2)\n");
    // And ended ones.
    drop(second);
    assert_eq!(first.read("a.py"), "print(1)\n");
}
