//! Well-framed messages with invalid contents.

use client::encode_frame;
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "//- /a.rs\nfn a() {}\n";

fn code(server: &Server, method: &str, params: Value) -> i64 {
    server.request(method, params).unwrap_err().response().unwrap().code
}

#[test]
fn unknown_requests_are_refused() {
    let server = Server::start(FIXTURE);
    for method in ["no/such/method", "$/unknown", "textDocument/nothing", "", "tandem.read_file"] {
        assert_eq!(code(&server, method, json!({})), -32601, "{method:?}");
    }
}

#[test]
fn unknown_notifications_are_ignored() {
    let server = Server::start(FIXTURE);
    for method in ["no/such/notification", "$/unknown", "tandem/whatever"] {
        server.notify(method, json!({ "x": [1, 2] })).unwrap();
    }
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
    assert!(server.take_unread().iter().all(|message| message.get("error").is_none()));
}

#[test]
fn parameters_of_a_wrong_shape_are_refused() {
    let server = Server::start(FIXTURE);
    for (method, params) in [
        ("textDocument/documentSymbol", json!({})),
        ("textDocument/documentSymbol", json!([])),
        ("textDocument/documentSymbol", json!({ "textDocument": { "uri": 5 } })),
        ("textDocument/documentSymbol", Value::Null),
        ("textDocument/definition", json!({ "textDocument": { "uri": server.uri("a.rs") } })),
        (
            "textDocument/definition",
            json!({
                "textDocument": { "uri": server.uri("a.rs") },
                "position": { "line": -1, "character": 0 },
            }),
        ),
        (
            "textDocument/definition",
            json!({
                "textDocument": { "uri": server.uri("a.rs") },
                "position": { "line": 0, "character": 5_000_000_000_u64 },
            }),
        ),
        ("workspace/executeCommand", json!({ "arguments": [] })),
        ("workspace/executeCommand", json!({ "command": ["tandem.read_file"] })),
    ] {
        assert_eq!(code(&server, method, params.clone()), -32602, "{method} {params}");
    }
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
}

#[test]
fn notifications_of_a_wrong_shape_are_ignored() {
    let server = Server::start(FIXTURE);
    server.open_file("a.rs");
    for method in ["didOpen", "didChange", "didClose", "didSave"] {
        for params in [
            Value::Null,
            json!([]),
            json!({ "textDocument": 1 }),
            json!({ "textDocument": { "uri": "::" } }),
        ] {
            server.notify(&format!("textDocument/{method}"), params).unwrap();
        }
    }
    server.notify("$/cancelRequest", json!({ "id": {} })).unwrap();
    server.notify("workspace/didChangeConfiguration", json!(3)).unwrap();
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
}

#[test]
fn messages_that_are_no_json_rpc_are_refused() {
    let server = Server::start(FIXTURE);
    for body in [
        "[]",
        "1",
        "null",
        "\"x\"",
        "{}",
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"1.0","id":900,"method":"x"}"#,
    ] {
        server.write_raw(encode_frame(body.as_bytes())).unwrap();
        let answer = server
            .wait_for("error", RESPONSE_TIMEOUT, |message| message.get("error").is_some())
            .unwrap_or_else(|error| panic!("{body}: {error}"));
        let code = answer["error"]["code"].as_i64().unwrap();
        assert!([-32600, -32700].contains(&code), "{body}: {answer}");
    }
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
}

#[test]
fn unsolicited_responses_are_ignored() {
    let server = Server::start(FIXTURE);
    for answer in [
        json!({ "jsonrpc": "2.0", "id": 12345, "result": null }),
        json!({ "jsonrpc": "2.0", "id": "x", "error": { "code": 1, "message": "m" } }),
        json!({ "jsonrpc": "2.0", "id": null, "result": {} }),
    ] {
        server.outgoing().send(&answer).unwrap();
    }
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
}

#[test]
fn request_ids_are_echoed_unchanged() {
    let server = Server::start(FIXTURE);
    for id in [json!(0), json!(-7), json!("a string"), json!(""), json!(2_147_483_647)] {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "no/such" });
        server.outgoing().send(&request).unwrap();
        server.wait_for("the id", RESPONSE_TIMEOUT, |message| message["id"] == id).unwrap();
    }
}

#[test]
fn requests_for_nonexistent_documents() {
    let server = Server::start(FIXTURE);
    for uri in [
        server.uri("missing.rs"),
        "untitled:Untitled-1".to_owned(),
        "file:///etc/passwd".to_owned(),
        "https://example.org/a.rs".to_owned(),
    ] {
        let document = json!({ "uri": uri });
        let place = json!({ "textDocument": document, "position": { "line": 0, "character": 0 } });
        // Nothing found or a clear error, and no text of files outside the workspace.
        for (method, params) in [
            ("textDocument/documentSymbol", json!({ "textDocument": document })),
            ("textDocument/definition", place),
        ] {
            match server.request(method, params) {
                Ok(found) => {
                    assert!(found.is_null() || found == json!([]), "{method} {uri}: {found}")
                }
                Err(error) => assert!(error.response().is_some(), "{method} {uri}: {error}"),
            }
        }
    }
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
}

#[test]
fn a_document_outside_the_workspace_uses_the_text_the_client_sent() {
    let server = Server::start(FIXTURE);
    for uri in ["untitled:Untitled-1", "file:///nowhere/else.py"] {
        server.open(uri, "python", 1, "def here():\n    pass\n").unwrap();
        let document = json!({ "textDocument": { "uri": uri } });
        let symbols = server.request("textDocument/documentSymbol", document).unwrap();
        assert_eq!(symbols[0]["name"], "here", "{uri}: {symbols}");
    }
    server.must_fail("read_file", json!({ "path": "/nowhere/else.py" }), "E_PATH_FORBIDDEN");
}

#[test]
fn positions_beyond_the_text_find_nothing() {
    let server = Server::start(FIXTURE);
    server.open_file("a.rs");
    for (line, character) in [(0, 100_000), (100_000, 0), (2_147_483_647, 2_147_483_647)] {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": server.uri("a.rs") }, "position": position });
        let found = server.request("textDocument/definition", params).unwrap();
        assert!(found.is_null() || found == json!([]), "{position}: {found}");
    }
}
