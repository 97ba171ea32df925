//! What is read off the tree alone: tokens, folds, selections, tags, colours, typing.

use serde_json::{Value, json};
use tests::Server;

const MAIN: &str = "\
use std::fs;
use std::io;

/// Adds é.
fn add(a: u32) -> u32 {
    // one
    let text = \"a
b\";
    a + 1
}
";

fn document_params(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

/// The numbers of a result, with the names that the legend gives for the last two of each five.
fn decode_tokens(server: &Server, data: &Value, text: &str) -> Vec<String> {
    let legend = server.initialized().pointer("/capabilities/semanticTokensProvider/legend");
    let kinds = &legend.unwrap()["tokenTypes"];
    let numbers: Vec<usize> =
        data.as_array().unwrap().iter().map(|n| n.as_u64().unwrap().try_into().unwrap()).collect();
    let lines: Vec<Vec<u16>> = text.split('\n').map(|l| l.encode_utf16().collect()).collect();
    let (mut line, mut start) = (0, 0);
    let mut said = Vec::new();
    for token in numbers.chunks(5) {
        start = if token[0] == 0 { start + token[1] } else { token[1] };
        line += token[0];
        let word = String::from_utf16(&lines[line][start..start + token[2]]).unwrap();
        said.push(format!("{}:{word}", kinds[token[3]].as_str().unwrap()));
    }
    said
}

fn patched(before: &Value, edits: &Value) -> Vec<Value> {
    let mut data = before.as_array().unwrap().clone();
    for edit in edits.as_array().unwrap() {
        let number = |name: &str| usize::try_from(edit[name].as_u64().unwrap()).unwrap();
        let (start, gone) = (number("start"), number("deleteCount"));
        let new = edit["data"].as_array().cloned().unwrap_or_default();
        data.splice(start..start + gone, new);
    }
    data
}

#[test]
fn tokens_classify_every_word() {
    let server = Server::start(&format!("//- /main.rs\n{MAIN}"));
    server.open_file("main.rs");
    let uri = server.uri("main.rs");
    let all = server.request("textDocument/semanticTokens/full", document_params(&uri)).unwrap();
    let said = decode_tokens(&server, &all["data"], MAIN);
    for expected in [
        "keyword:use",
        "comment:/// Adds é.",
        "function:add",
        "type:u32",
        "comment:// one",
        "string:\"a",
        "string:b\"",
        "number:1",
    ] {
        assert!(said.iter().any(|s| s == expected), "{expected} in {said:?}");
    }
    let range = json!({
        "textDocument": { "uri": uri },
        "range": { "start": { "line": 5, "character": 0 }, "end": { "line": 6, "character": 0 } },
    });
    let some = server.request("textDocument/semanticTokens/range", range).unwrap();
    assert_eq!(decode_tokens(&server, &some["data"], MAIN), ["comment:// one"]);
}

#[test]
fn a_token_delta_turns_one_result_into_the_next() {
    let server = Server::start(&format!("//- /main.rs\n{MAIN}"));
    server.open_file("main.rs");
    let uri = server.uri("main.rs");
    let mut last =
        server.request("textDocument/semanticTokens/full", document_params(&uri)).unwrap();
    let mut data = last["data"].clone();
    for (old, new) in [
        ("a + 1", "a + 1 + 22"),
        ("// one", "// one two"),
        ("use std::io;\n", ""),
        ("fn add", "fn"),
    ] {
        server.replace_text("main.rs", old, new);
        let ask = json!({ "textDocument": { "uri": uri }, "previousResultId": last["resultId"] });
        let next = server.request("textDocument/semanticTokens/full/delta", ask).unwrap();
        data = patched(&data, &next["edits"]).into();
        let full =
            server.request("textDocument/semanticTokens/full", document_params(&uri)).unwrap();
        assert_eq!(data, full["data"], "{old} -> {new}");
        last = full;
    }
    // A request relative to an unknown result gets a full answer.
    let ask = json!({ "textDocument": { "uri": uri }, "previousResultId": "none" });
    let next = server.request("textDocument/semanticTokens/full/delta", ask).unwrap();
    assert_eq!(next["data"], data);
}

#[test]
fn large_documents_are_highlighted_by_range_only() {
    let setup = Server::builder(&format!("//- /main.rs\n{MAIN}"));
    let server = setup.options(json!({ "syntax": { "tokens": 20 } })).start();
    server.open_file("main.rs");
    let uri = server.uri("main.rs");
    let all = server.request("textDocument/semanticTokens/full", document_params(&uri)).unwrap();
    assert_eq!(all, Value::Null);
    let range = json!({
        "textDocument": { "uri": uri },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } },
    });
    let some = server.request("textDocument/semanticTokens/range", range).unwrap();
    assert!(decode_tokens(&server, &some["data"], MAIN).contains(&"keyword:use".to_owned()));
}

#[test]
fn bodies_comments_and_imports_fold() {
    let server = Server::start(&format!("//- /main.rs\n{MAIN}"));
    server.open_file("main.rs");
    let folds = server
        .request("textDocument/foldingRange", document_params(&server.uri("main.rs")))
        .unwrap();
    let said = folds.as_array().unwrap().iter().map(|f| {
        format!("{}-{} {}", f["startLine"], f["endLine"], f["kind"].as_str().unwrap_or("code"))
    });
    let said: Vec<_> = said.collect();
    assert!(said.contains(&"0-1 imports".to_owned()), "{said:?}");
    assert!(said.contains(&"4-8 code".to_owned()), "{said:?}");
}

#[test]
fn a_selection_grows() {
    let server = Server::start(&format!("//- /main.rs\n{MAIN}"));
    server.open_file("main.rs");
    let ask = json!({
        "textDocument": { "uri": server.uri("main.rs") },
        "positions": [{ "line": 8, "character": 4 }, { "line": 400, "character": 0 }],
    });
    let grown = server.request("textDocument/selectionRange", ask).unwrap();
    let first = &grown[0];
    assert_eq!(first["range"]["end"], json!({ "line": 8, "character": 5 }));
    assert_eq!(first["parent"]["range"]["end"], json!({ "line": 8, "character": 9 }));
    assert_eq!(grown.as_array().unwrap().len(), 2);
}

#[test]
fn tags_are_edited_together_while_they_are_the_same() {
    let server = Server::start("//- /a.html\n<p>one <b>two</b></p>\n//- /b.html\n<p></q>\n");
    for (file, expected) in [("a.html", json!([8, 15])), ("b.html", Value::Null)] {
        server.open_file(file);
        let at = json!({
            "textDocument": { "uri": server.uri(file) },
            "position": { "line": 0, "character": if file == "a.html" { 9 } else { 1 } },
        });
        let ranges = server.request("textDocument/linkedEditingRange", at).unwrap();
        let starts = ranges["ranges"]
            .as_array()
            .map(|all| all.iter().map(|r| r["start"]["character"].clone()).collect::<Vec<_>>());
        assert_eq!(starts.map_or(Value::Null, Value::from), expected, "{file}");
    }
}

#[test]
fn colours_are_found_and_rewritten() {
    let server = Server::start("//- /a.css\na { color: #ff0000; border-color: teal }\n");
    server.open_file("a.css");
    let uri = server.uri("a.css");
    let colors = server.request("textDocument/documentColor", document_params(&uri)).unwrap();
    assert_eq!(colors.as_array().unwrap().len(), 2);
    assert_eq!(colors[0]["color"], json!({ "red": 1.0, "green": 0.0, "blue": 0.0, "alpha": 1.0 }));
    let ask = json!({
        "textDocument": { "uri": uri },
        "color": colors[0]["color"],
        "range": colors[0]["range"],
    });
    let ways = server.request("textDocument/colorPresentation", ask).unwrap();
    assert_eq!(ways[0]["label"], "#ff0000");
    assert_eq!(ways[1]["textEdit"]["newText"], "rgb(255 0 0)");
}

#[test]
fn on_type_formatting_inserts_what_follows() {
    let server =
        Server::start("//- /a.py\ndef f():\n\n//- /a.html\n<div>\n//- /a.rs\n\tfn f() {\n\n\t}\n");
    let typed = |file: &str, line: u32, character: u32, ch: &str| {
        server.open_file(file);
        let ask = json!({
            "textDocument": { "uri": server.uri(file) },
            "position": { "line": line, "character": character },
            "ch": ch,
            "options": { "tabSize": 2, "insertSpaces": true },
        });
        let edits = server.request("textDocument/onTypeFormatting", ask).unwrap();
        edits.as_array().unwrap().iter().map(|e| e["newText"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(typed("a.py", 1, 0, "\n"), ["  "]);
    assert_eq!(typed("a.html", 0, 5, ">"), ["</div>"]);
    assert_eq!(typed("a.rs", 1, 0, "\n"), ["\t\t"]);
}
