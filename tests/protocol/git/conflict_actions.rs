//! Conflict markers in the editor: their diagnostic, and code actions that take a side.

use serde_json::{Value, json};
use tests::{Server, ServerBuilder};

use super::{git, repository, run};

fn merging(setup: ServerBuilder) -> ServerBuilder {
    setup.prepare(|root| {
        repository(root);
        git(root, &["checkout", "-q", "-b", "topic"]);
        std::fs::write(root.join("a.py"), "def a():\n    return 2\n").unwrap();
        git(root, &["commit", "-qam", "two"]);
        git(root, &["checkout", "-q", "main"]);
        std::fs::write(root.join("a.py"), "def a():\n    return 3\n").unwrap();
        git(root, &["commit", "-qam", "three"]);
        assert!(!run(root, &["merge", "-q", "topic"]).status.success());
    })
}

const FIXTURE: &str = "//- /a.py\ndef a():\n    return 1\n";

fn start() -> Server {
    let literals = json!({ "codeActionKind": { "valueSet": [] } });
    let setup = Server::builder(FIXTURE)
        .capability("textDocument/codeAction/codeActionLiteralSupport", literals);
    merging(setup).start()
}

fn actions(server: &Server, line: u64, only: &str) -> Vec<Value> {
    let at = json!({ "line": line, "character": 2 });
    let params = json!({
        "textDocument": { "uri": server.uri("a.py") },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": [only] },
    });
    server.request("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
}

fn apply_action(server: &Server, title: &str) {
    let found = actions(server, 2, "quickfix");
    let action = found.iter().find(|action| action["title"].as_str().unwrap().starts_with(title));
    let action = action.unwrap_or_else(|| panic!("{title}: {found:?}"));
    let edits = action["edit"]["documentChanges"][0]["edits"]
        .as_array()
        .or(action["edit"]["changes"][server.uri("a.py")].as_array());
    let changes: Vec<_> = edits
        .unwrap_or_else(|| panic!("{action}"))
        .iter()
        .map(|edit| json!({ "range": edit["range"], "text": edit["newText"] }))
        .collect();
    server.type_in("a.py", &changes);
}

#[test]
fn conflict_markers_are_one_diagnostic_and_nothing_else() {
    let server = start();
    server.open_file("a.py");
    let said = server.diagnostics("a.py", |all| !all.is_empty());
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["code"], "merge-conflict");
    assert_eq!(said[0]["message"], "merge conflict between `HEAD` and `topic`");
    assert_eq!(said[0]["range"]["start"]["line"], 1);
    apply_action(&server, "Take our side");
    server.diagnostics("a.py", <[Value]>::is_empty);
}

#[test]
fn a_conflict_is_resolved_to_one_side_or_both() {
    for (title, expected) in [
        ("Take our side (HEAD)", "def a():\n    return 3\n"),
        ("Take their side (topic)", "def a():\n    return 2\n"),
        ("Take both sides", "def a():\n    return 3\n    return 2\n"),
    ] {
        let server = start();
        server.open_file("a.py");
        assert!(actions(&server, 0, "quickfix").is_empty());
        apply_action(&server, title);
        assert_eq!(server.buffer("a.py"), expected, "{title}");
    }
}

#[test]
fn a_client_without_edits_in_actions_gets_a_command() {
    let server = merging(Server::builder(FIXTURE)).start();
    server.open_file("a.py");
    let found = actions(&server, 2, "quickfix");
    let theirs = found.iter().find(|a| a["title"] == "Take their side (topic)").unwrap();
    let params = json!({ "command": theirs["command"], "arguments": theirs["arguments"] });
    server.request("workspace/executeCommand", params).unwrap();
    assert_eq!(server.buffer("a.py"), "def a():\n    return 2\n");
}

#[test]
fn unpaired_conflict_markers_are_text() {
    let server = Server::start("//- /a.txt\n<<<<<<< HEAD\nx\n=======\n");
    server.open_file("a.txt");
    assert_eq!(server.diagnostics("a.txt", |_| true), Vec::<Value>::new());
}
