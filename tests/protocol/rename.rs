//! Renames: what the client is given, and what is refused.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
# area is a word here
def area(r):
    return r * r
//- /main.py
from shapes import area

print(area(2), 'area')
";

fn position_params(server: &Server, path: &str, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": server.uri(path) },
        "position": { "line": line, "character": character },
    })
}

fn rename(server: &Server, path: &str, line: u32, character: u32, new: &str) -> Value {
    let mut params = position_params(server, path, line, character);
    params["newName"] = json!(new);
    server.request("textDocument/rename", params).unwrap()
}

fn annotated(fixture: &str) -> Server {
    Server::builder(fixture)
        .capability("workspace/workspaceEdit/documentChanges", json!(true))
        .capability("workspace/workspaceEdit/changeAnnotationSupport", json!({}))
        .start()
}

/// `file:line:character new annotation`, in order.
fn summary(edit: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for document in edit["documentChanges"].as_array().unwrap() {
        let uri = document["textDocument"]["uri"].as_str().unwrap_or("");
        let file = uri.rsplit('/').next().unwrap();
        for edit in document["edits"].as_array().into_iter().flatten() {
            let start = &edit["range"]["start"];
            let new = edit["newText"].as_str().unwrap();
            let why = edit["annotationId"].as_str().unwrap_or("");
            all.push(format!("{file}:{}:{} {new} {why}", start["line"], start["character"]));
        }
    }
    all
}

#[test]
fn rename_can_be_prepared() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    let found = server
        .request("textDocument/prepareRename", position_params(&server, "main.py", 2, 7))
        .unwrap();
    assert_eq!(found["placeholder"], "area");
    assert_eq!(found["range"]["start"], json!({ "line": 2, "character": 6 }));
}

#[test]
fn certain_edits_apply_and_others_need_confirmation() {
    let server = annotated(FIXTURE);
    server.open_file("main.py");
    let edit = rename(&server, "main.py", 2, 7, "size");
    assert_eq!(
        summary(&edit),
        [
            "main.py:0:19 size rename",
            "main.py:2:6 size rename",
            "main.py:2:16 size string",
            "shapes.py:0:2 size comment",
            "shapes.py:1:4 size rename",
        ]
    );
    let annotations = &edit["changeAnnotations"];
    assert_eq!(annotations["comment"]["needsConfirmation"], true);
    assert_eq!(annotations["rename"]["needsConfirmation"], Value::Null);
    let documents = edit["documentChanges"].as_array().unwrap().iter();
    let versions: Vec<_> = documents.map(|d| d["textDocument"]["version"].is_number()).collect();
    assert_eq!(versions, [true, false]);
}

#[test]
fn clients_without_change_annotations_get_certain_edits_only() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    let edit = rename(&server, "main.py", 2, 7, "size");
    let text = edit.to_string();
    assert_eq!(text.matches("\"size\"").count(), 3, "{text}");
}

#[test]
fn unsaved_text_is_used() {
    let server = annotated(FIXTURE);
    server.open_file("main.py");
    server.replace_text("main.py", "print(area(2), 'area')", "pass\narea");
    let edit = rename(&server, "shapes.py", 1, 5, "size");
    let all = summary(&edit);
    assert!(all.contains(&"main.py:3:0 size rename".to_owned()), "{all:?}");
}

#[test]
fn refusals_give_reason_and_location() {
    let server = Server::start(
        "
//- /a.py
class A:
    def fetch(self): pass
class B:
    def fetch(self): pass
def f(x):
    return x.fetch()
import os
taken = 1
",
    );
    server.open_file("a.py");
    let refused = |line, character, new: &str, code: &str| {
        let mut params = position_params(&server, "a.py", line, character);
        params["newName"] = json!(new);
        let error = server.request("textDocument/rename", params).unwrap_err();
        let text = format!("{error:?}");
        assert!(text.contains(code), "{text}");
        text
    };
    let text = refused(1, 9, "grab", "E_AMBIGUOUS");
    assert!(text.contains("a.py:6") && text.contains("unknown type"), "{text}");
    refused(0, 6, "B", "E_CONFLICT");
    refused(0, 6, "not a name", "E_INVALID_PARAMS");
    refused(6, 7, "other", "E_UNSUPPORTED");
    let prepared =
        server.request("textDocument/prepareRename", position_params(&server, "a.py", 6, 7));
    let told = format!("{prepared:?}");
    // Outside, or in the standard library where one is there.
    assert!(told.contains("outside") || told.contains("in a library"), "{told}");
}
