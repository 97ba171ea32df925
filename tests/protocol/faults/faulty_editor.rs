//! Editors that refuse an edit, answer falsely, or die between `workspace/applyEdit` and its response.

use std::sync::mpsc::channel;
use std::time::Duration;

use client::{Answer, Client, file_uri};
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT};

use super::{LiveServer, Tree, called, edit_all, same, tree};

const CLOSED_FILES: usize = 6;

/// One file that is open in the editor, and closed ones.
fn filled() -> (Home, Tree) {
    let home = Home::new();
    for name in names() {
        std::fs::write(home.root().join(name), "old\n").unwrap();
    }
    let before = tree(&home.root());
    (home, before)
}

fn names() -> impl Iterator<Item = String> {
    ["open.txt".to_owned(), "too.txt".to_owned()]
        .into_iter()
        .chain((0..CLOSED_FILES).map(|n| format!("closed{n}.txt")))
}

fn open(server: &LiveServer, home: &Home, name: &str) -> String {
    let uri = file_uri(&home.root().join(name));
    server.client.open(&uri, "plaintext", 1, "old\n").unwrap();
    uri
}

fn changed(uri: &str, version: i64) -> Value {
    let document = json!({ "uri": uri, "version": version });
    json!({ "textDocument": document, "contentChanges": [{ "text": "new\n" }] })
}

fn live(home: &Home, command: &str) -> LiveServer {
    let mut client = Client::spawn(home.command().arg(command)).unwrap();
    client.set_timeout(RESPONSE_TIMEOUT);
    LiveServer { client }
}

/// After whatever happened to the server: the files on disk have all changed, or none has.
fn whole_or_nothing(home: &Home, before: &Tree, round: usize) -> bool {
    called(home, "get_file_info", &json!({ "path": "." })).unwrap();
    let now = tree(&home.root());
    let mut closed = now.iter().filter(|(path, _)| path.to_string_lossy().starts_with("closed"));
    let is_done = closed.clone().next().unwrap().1.as_deref() == Some(b"new\n");
    let expected: &[u8] = if is_done { b"new\n" } else { b"old\n" };
    assert!(closed.all(|(_, text)| text.as_deref() == Some(expected)), "round {round}: torn");
    assert_eq!(now.len(), before.len(), "round {round}: something is left over");
    assert_eq!(now[std::path::Path::new("open.txt")].as_deref(), Some(&b"old\n"[..]));
    is_done
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Death {
    /// The pipe is closed, and there is no answer.
    Unanswered,
    /// The pipe is closed right after the answer.
    Answered,
    /// The server is killed while it waits.
    Killed,
    /// The server is killed right after the answer.
    AnsweredKilled,
}

#[test]
fn an_editor_that_dies_in_the_middle_of_an_edit_leaves_it_whole_or_undone() {
    use Death::{Answered, AnsweredKilled, Killed, Unanswered};
    // An unanswered question is given two seconds before the server ends without a client.
    let mut deaths = vec![Unanswered; 2];
    deaths.extend([Answered, Killed, AnsweredKilled].repeat(5));
    for (round, death) in deaths.into_iter().enumerate() {
        let (home, before) = filled();
        let server = live(&home, "lsp");
        let (asked, is_asked) = channel();
        server.client.on_request(move |request, out| {
            if request.method != "workspace/applyEdit" {
                return Answer::Default;
            }
            if matches!(death, Answered | AnsweredKilled) {
                let uri = &request.params["edit"]["documentChanges"][0]["textDocument"]["uri"];
                let _ = out
                    .notify("textDocument/didChange", changed(uri.as_str().unwrap_or_default(), 2));
                let _ = out.respond(&request.id, json!({ "applied": true }));
            }
            let _ = asked.send(());
            Answer::Handled
        });
        let capabilities = json!({ "workspace": { "applyEdit": true,
            "workspaceEdit": { "documentChanges": true } } });
        server.client.initialize(&home.root(), capabilities).unwrap();
        open(&server, &home, "open.txt");
        let edit = edit_all(names().filter(|name| name != "too.txt"), "old\n", "new\n");
        let _pending = server.send("apply_edit", &edit);
        is_asked.recv_timeout(RESPONSE_TIMEOUT).expect("the editor is asked");
        std::thread::sleep(Duration::from_micros(500) * u32::try_from(round / 3).unwrap());
        match death {
            Unanswered | Answered => {
                server.client.close_input();
                let process = server.client.process().unwrap();
                process.wait_exit(RESPONSE_TIMEOUT).expect("a server without a client ends");
            }
            Killed | AnsweredKilled => server.client.process().unwrap().kill(),
        }
        let is_done = whole_or_nothing(&home, &before, round);
        if matches!(death, Unanswered | Killed) {
            assert!(!is_done, "{death:?}: done without the editor");
            same(&tree(&home.root()), &before, "unanswered");
        } else if is_done {
            called(&home, "get_action_history", &json!({})).unwrap();
        }
    }
}

#[test]
fn a_partial_edit_by_the_editor_is_reverted_and_nothing_is_written() {
    let (home, before) = filled();
    let server = live(&home, "lsp");
    server.client.on_request(move |request, out| {
        if request.method != "workspace/applyEdit" {
            return Answer::Default;
        }
        // It says yes to all and does the first.
        let first = &request.params["edit"]["documentChanges"][0];
        let text = first["edits"][0]["newText"].as_str().unwrap();
        let version = first["textDocument"]["version"].as_i64().unwrap() + 1;
        let document = json!({ "uri": first["textDocument"]["uri"], "version": version });
        let range = &first["edits"][0]["range"];
        let change = json!({ "range": range, "text": text });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        out.notify("textDocument/didChange", params).unwrap();
        Answer::Result(json!({ "applied": true }))
    });
    let capabilities = json!({ "workspace": { "applyEdit": true,
        "workspaceEdit": { "documentChanges": true } } });
    server.client.initialize(&home.root(), capabilities).unwrap();
    let uris = ["open.txt", "too.txt"].map(|name| open(&server, &home, name));
    server.refused("apply_edit", &edit_all(names(), "old\n", "new\n"), "E_CONFLICT");
    same(&tree(&home.root()), &before, "one of two");
    for uri in uris {
        let read = server.must("read_file", &json!({ "path": uri }));
        assert_eq!(read["content"], "old\n");
    }
    let history = server.must("get_action_history", &json!({}));
    assert_eq!(history["actions"], json!([]), "what was not done is in no history");
}

#[test]
fn an_editor_that_claims_to_apply_an_edit_and_does_not_is_detected() {
    let (home, before) = filled();
    let server = live(&home, "lsp");
    server.client.on_request(|request, _| match request.method.as_str() {
        "workspace/applyEdit" => Answer::Result(json!({ "applied": true })),
        _ => Answer::Default,
    });
    let capabilities = json!({ "workspace": { "applyEdit": true } });
    server.client.initialize(&home.root(), capabilities).unwrap();
    let uri = open(&server, &home, "open.txt");
    // One that reports nothing is taken at its word, for the closed files' sake.
    let edit = edit_all(names(), "old\n", "new\n");
    let done = server.must("apply_edit", &edit);
    whole_or_nothing(&home, &tree(&home.root()), 0);
    // But the text is what it reported, for every later call.
    let read = server.must("read_file", &json!({ "path": uri }));
    assert_eq!(read["content"], "old\n");
    // So there is nothing to undo in it.
    let undone = server.must("undo_action", &json!({ "action": done["action"] }));
    let open = undone["files"].as_array().unwrap().iter().find(|file| file["path"] == "open.txt");
    assert_eq!(open.unwrap()["kind"], "already", "{undone}");
    same(&tree(&home.root()), &before, "undone in part");
}

#[test]
fn an_editor_that_refuses_or_fails_keeps_the_closed_files_as_they_are() {
    let (home, before) = filled();
    for answer in [
        Some(json!({ "applied": false, "failureReason": "no" })),
        Some(json!({ "applied": "yes" })),
        Some(json!([])),
        Some(Value::Null),
        None,
    ] {
        let server = live(&home, "lsp");
        let given = answer.clone();
        server.client.on_request(move |request, out| {
            if request.method != "workspace/applyEdit" {
                return Answer::Default;
            }
            match &given {
                Some(answer) => Answer::Result(answer.clone()),
                None => {
                    out.respond_with_error(&request.id, -32603, "the editor is broken").unwrap();
                    Answer::Handled
                }
            }
        });
        let capabilities = json!({ "workspace": { "applyEdit": true } });
        server.client.initialize(&home.root(), capabilities).unwrap();
        open(&server, &home, "open.txt");
        let edit = edit_all(names(), "old\n", "new\n");
        let error = server.refused("apply_edit", &edit, "E_CONFLICT");
        assert!(error.message.contains("open.txt"), "{}", error.data);
        same(&tree(&home.root()), &before, &format!("{answer:?}"));
        // Calls that need no editor still work.
        let closed = edit_all(std::iter::once("closed0.txt".to_owned()), "old\n", "new\n");
        server.must("apply_edit", &closed);
        server.must("undo_action", &json!({}));
    }
}
