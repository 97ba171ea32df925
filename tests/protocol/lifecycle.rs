//! From spawn to exit.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Encoding, RESPONSE_TIMEOUT, Server};

#[test]
fn initialize_returns_server_info_and_capabilities() {
    let server = Server::start("");
    let answer = server.initialized();
    assert_eq!(answer["serverInfo"]["name"], "tandem");
    let version = answer["serverInfo"]["version"].as_str().unwrap();
    assert!(!version.is_empty(), "{answer}");

    let capabilities = &answer["capabilities"];
    let sync = &capabilities["textDocumentSync"];
    let change = if sync.is_object() { &sync["change"] } else { sync };
    assert_eq!(change, 2, "incremental sync: {sync}");
    if sync.is_object() {
        assert_eq!(sync["openClose"], true, "{sync}");
    }
    for provider in ["documentSymbolProvider", "definitionProvider"] {
        let offered = &capabilities[provider];
        assert!(*offered == true || offered.is_object(), "{provider}: {offered}");
    }
    let commands = capabilities["executeCommandProvider"]["commands"].as_array().unwrap();
    for command in ["tandem.read_file", "tandem.apply_edit", "tandem.call"] {
        assert!(commands.contains(&command.into()), "{command} in {commands:?}");
    }
}

#[test]
fn the_position_encoding_is_the_best_common_one() {
    use Encoding::{Utf8, Utf16, Utf32};
    for (offered, expected) in [
        (&[][..], Utf16),
        (&[Utf16][..], Utf16),
        (&[Utf8][..], Utf8),
        (&[Utf32][..], Utf32),
        (&[Utf8, Utf16, Utf32][..], Utf8),
    ] {
        let server = Server::builder("").encodings(offered).start();
        let chosen = &server.initialized()["capabilities"]["positionEncoding"];
        match chosen.as_str() {
            Some(name) => assert_eq!(name, expected.name(), "offered {offered:?}"),
            // The default is UTF-16.
            None => assert_eq!(expected, Utf16, "offered {offered:?}"),
        }
    }
}

#[test]
fn an_unknown_position_encoding_is_ignored() {
    let server = Server::builder("").spawn();
    let capabilities = json!({ "general": { "positionEncodings": ["utf-7"] } });
    let root = server.root();
    let answer = (*server).initialize(&root, capabilities).unwrap();
    let chosen = &answer["capabilities"]["positionEncoding"];
    assert!(chosen.is_null() || chosen == "utf-16", "{chosen}");
}

#[test]
fn nothing_is_served_before_initialize() {
    let server = Server::builder("//- /a.rs\nfn a() {}\n").spawn();
    let document = json!({ "textDocument": { "uri": server.uri("a.rs") } });
    for (method, params) in [
        ("textDocument/documentSymbol", document),
        ("workspace/executeCommand", json!({ "command": "tandem.read_file", "arguments": [] })),
        ("no/such/method", json!({})),
    ] {
        let error = server.request(method, params).unwrap_err();
        assert_eq!(error.response().unwrap().code, -32002, "{method}: {error}");
    }
    // Notifications are dropped, and none of it stops the real start.
    server.open_text("a.rs", "fn dropped() {}\n");
    let server = server.initialize();
    assert_eq!(server.read("a.rs"), "fn a() {}\n");
}

#[test]
fn a_second_initialize_is_refused() {
    let server = Server::start("");
    let error = server.request("initialize", json!({ "capabilities": {} })).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32600, "{error}");
}

#[test]
fn a_workspace_may_be_given_in_every_form_of_lsp() {
    let fixture = "//- /a.txt\nhere\n";
    for by in ["workspaceFolders", "rootUri", "rootPath"] {
        let server = Server::builder(fixture).spawn();
        let params = match by {
            "workspaceFolders" => {
                json!({ "capabilities": {}, "workspaceFolders": [{ "uri": server.uri(""), "name": "w" }] })
            }
            "rootUri" => json!({ "capabilities": {}, "rootUri": server.uri("") }),
            _ => json!({ "capabilities": {}, "rootPath": server.root() }),
        };
        server.request("initialize", params).unwrap();
        server.notify("initialized", json!({})).unwrap();
        assert_eq!(server.read("a.txt"), "here\n", "by {by}");
    }
}

#[test]
fn several_workspace_folders_are_roots_all() {
    let server = Server::builder("//- /one/a.txt\none\n//- /two/b.txt\ntwo\n").spawn();
    let folders = ["one", "two"].map(|name| json!({ "uri": server.uri(name), "name": name }));
    let params = json!({ "capabilities": {}, "workspaceFolders": folders });
    server.request("initialize", params).unwrap();
    server.notify("initialized", json!({})).unwrap();
    assert_eq!(server.read(server.path("one/a.txt").to_str().unwrap()), "one\n");
    assert_eq!(server.read(server.path("two/b.txt").to_str().unwrap()), "two\n");
}

#[test]
fn after_shutdown_only_exit_is_handled_and_the_code_is_zero() {
    let server = Server::start("//- /a.rs\nfn a() {}\n");
    assert_eq!(server.request("shutdown", Value::Null).unwrap(), Value::Null);
    let document = json!({ "textDocument": { "uri": server.uri("a.rs") } });
    let error = server.request("textDocument/documentSymbol", document).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32600, "{error}");
    server.notify("exit", Value::Null).unwrap();
    let status = server.process().unwrap().wait_exit(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(status.code(), Some(0), "stderr: {}", server.process().unwrap().stderr());
}

#[test]
fn exit_without_shutdown_gives_code_one() {
    let server = Server::start("");
    server.notify("exit", Value::Null).unwrap();
    assert_eq!(server.process().unwrap().wait_exit(RESPONSE_TIMEOUT).unwrap().code(), Some(1));
}

#[test]
fn exit_before_initialize_gives_code_one() {
    let server = Server::builder("").spawn();
    server.notify("exit", Value::Null).unwrap();
    assert_eq!(server.process().unwrap().wait_exit(RESPONSE_TIMEOUT).unwrap().code(), Some(1));
}

#[test]
fn the_server_ends_when_its_client_is_gone() {
    let server = Server::start("");
    server.close_input();
    let status = server.process().unwrap().wait_exit(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(status.code(), Some(1), "no shutdown was asked for");
}

#[test]
fn a_normal_session_writes_nothing_to_stderr() {
    let server = Server::start("//- /a.py\nx = 1\n");
    server.open_file("a.py");
    server.symbols("a.py");
    let status = server.shutdown(RESPONSE_TIMEOUT).unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(server.process().unwrap().stderr(), "");
}

#[test]
fn the_first_answer_comes_at_once() {
    // The best of three: what is measured is the server, not its neighbours on the machine.
    let best = (0..3).map(|_| {
        let started = Instant::now();
        let server = Server::start("");
        assert!(server.initialized().is_object());
        started.elapsed()
    });
    let best = best.min().unwrap();
    assert!(best < Duration::from_millis(500), "spawn to initialize answer took {best:?}");
}

#[test]
fn folders_come_and_go() {
    let server = Server::start("//- /a.txt\na\n");
    let other = server.outside().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("b.txt"), "b\n").unwrap();
    let folder = json!([{ "uri": client::file_uri(&other), "name": "other" }]);
    let path = other.join("b.txt").display().to_string();
    let change = |added: &Value, removed: &Value| {
        let event = json!({ "event": { "added": added, "removed": removed } });
        server.notify("workspace/didChangeWorkspaceFolders", event).unwrap();
    };
    server.must_fail("read_file", json!({ "path": path }), "E_PATH_FORBIDDEN");
    change(&folder, &json!([]));
    assert_eq!(server.read(&path), "b\n");
    assert_eq!(server.read("a.txt"), "a\n", "relative to the first folder, as before");
    change(&json!([]), &folder);
    server.must_fail("read_file", json!({ "path": path }), "E_PATH_FORBIDDEN");
}
