//! `workspace/willRenameFiles`: the edits that go with a rename of files.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /src/shapes.ts
import { unit } from './unit';
export const shape = unit;
//- /src/unit.ts
export const unit = 1;
//- /src/app.ts
import { shape } from './shapes';
//- /pkg/__init__.py
//- /pkg/box.py
x = 1
//- /main.py
import pkg.box
from pkg.box import x
";

fn server(annotations: bool) -> Server {
    let mut setup = Server::builder(FIXTURE)
        .capability("workspace/workspaceEdit/documentChanges", json!(true))
        .capability("workspace/fileOperations/willRename", json!(true));
    if annotations {
        setup = setup.capability("workspace/workspaceEdit/changeAnnotationSupport", json!({}));
    }
    setup.start()
}

/// `file:line new annotation`, in order.
fn import_edits(server: &Server, from: &str, to: &str) -> Vec<String> {
    let params = json!({ "files": [{ "oldUri": server.uri(from), "newUri": server.uri(to) }] });
    let edit = server.request("workspace/willRenameFiles", params).unwrap();
    let mut all = Vec::new();
    for document in edit["documentChanges"].as_array().into_iter().flatten() {
        let uri = document["textDocument"]["uri"].as_str().unwrap();
        let file = uri.rsplit('/').next().unwrap();
        for edit in document["edits"].as_array().unwrap() {
            let new = edit["newText"].as_str().unwrap();
            let why = edit["annotationId"].as_str().unwrap_or("");
            all.push(format!("{file}:{} {new} {why}", edit["range"]["start"]["line"]));
        }
    }
    all
}

#[test]
fn imports_follow_files_and_folders() {
    let server = server(true);
    let moved = import_edits(&server, "src/shapes.ts", "src/deep/forms.ts");
    assert_eq!(moved, ["app.ts:0 ./deep/forms rename", "shapes.ts:0 ../unit rename"]);
    let moved = import_edits(&server, "pkg", "lib");
    assert_eq!(moved, ["main.py:0 lib.box rename", "main.py:1 lib.box rename"]);
    assert!(import_edits(&server, "src/app.ts", "src/other.ts").is_empty());
}

#[test]
fn uncertain_edits_are_left_out_without_change_annotations() {
    let server = server(false);
    assert_eq!(import_edits(&server, "pkg/box.py", "pkg/in/crate.py"), ["main.py:1 pkg.in.crate "]);
}

#[test]
fn unsaved_text_is_used() {
    let server = server(true);
    server.open_text("src/app.ts", "\n\nimport { shape } from './shapes';\n");
    assert_eq!(import_edits(&server, "src/shapes.ts", "src/forms.ts"), ["app.ts:2 ./forms rename"]);
}

#[test]
fn paths_outside_are_skipped() {
    let server = server(true);
    let outside = server.outside().join("x.ts");
    let params = json!({ "files": [
        { "oldUri": server.uri("src/shapes.ts"), "newUri": format!("file://{}", outside.display()) },
        { "oldUri": "untitled:x", "newUri": "file:///etc/passwd" },
    ] });
    assert_eq!(server.request("workspace/willRenameFiles", params).unwrap(), Value::Null);
}

#[test]
fn the_server_registers_filters_for_will_rename() {
    let server = server(true);
    let told = &server.initialized()["capabilities"]["workspace"]["fileOperations"]["willRename"];
    let filters = told["filters"].as_array().unwrap();
    let glob = filters[0]["pattern"]["glob"].as_str().unwrap();
    for ending in ["py", "ts", "tsx", "js", "rs", "go", "c", "hpp", "java"] {
        assert!(glob.contains(ending), "{glob}");
    }
    assert_eq!(filters[1]["pattern"]["matches"], "folder");
}
