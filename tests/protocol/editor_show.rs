//! `open_file` and `goto_line`: the `window/showDocument` requests they send.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::Answer;
use serde_json::{Value, json};
use tests::{Encoding, Server};

/// A server whose editor shows documents, and what it was asked to show.
fn showing(
    fixture: &str,
    encodings: &[Encoding],
    success: bool,
) -> (Server, Arc<Mutex<Vec<Value>>>) {
    let server = Server::builder(fixture)
        .encodings(encodings)
        .capability("window/showDocument", json!({ "support": true }))
        .start();
    let shown = Arc::new(Mutex::new(Vec::new()));
    let seen = shown.clone();
    server.answer_requests(move |request, _| {
        if request.method != "window/showDocument" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params.clone());
        Answer::Result(json!({ "success": success }))
    });
    (server, shown)
}

#[test]
fn a_file_is_shown_with_the_cursor_at_the_requested_position() {
    for (encoding, character) in [(Encoding::Utf8, 5), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
        let (server, shown) = showing("//- /src/a b.txt\none\na\u{1f600}b\n", &[encoding], true);
        let result =
            server.must("open_file", json!({ "path": "src/a b.txt", "line": 2, "column": 4 }));
        assert_eq!(result["path"], "src/a b.txt");
        assert_eq!((&result["line"], &result["column"]), (&json!(2), &json!(4)));
        server.must("open_file", json!({ "path": "src/a b.txt" }));
        server.must("open_file", json!({ "file_path": "src/a b.txt", "line": 1 }));
        let shown = shown.lock().unwrap();
        let cursor = json!({ "line": 1, "character": character });
        assert_eq!(shown[0]["uri"], server.uri("src/a b.txt"));
        assert_eq!(shown[0]["takeFocus"], true);
        assert_ne!(shown[0]["external"], true);
        assert_eq!(shown[0]["selection"], json!({ "start": cursor, "end": cursor }));
        assert!(shown[1]["selection"].is_null(), "{}", shown[1]);
        assert_eq!(shown[2]["selection"]["end"], json!({ "line": 0, "character": 0 }));
    }
}

#[test]
fn locations_refer_to_the_unsaved_text() {
    let (server, shown) = showing("//- /a.txt\none\n", &[], true);
    server.open_text("a.txt", "one\ntwo\nthree");
    server.must("open_file", json!({ "path": "a.txt", "line": 3, "column": 6 }));
    server.open_text("new.txt", "not on disk\n");
    server.must("open_file", json!({ "path": "new.txt", "line": 1 }));
    assert_eq!(shown.lock().unwrap()[0]["selection"]["end"], json!({ "line": 2, "character": 5 }));
    server.must_fail("open_file", json!({ "path": "a.txt", "line": 4 }), "E_INVALID_PARAMS");
}

#[test]
fn a_missing_file_is_not_shown() {
    let server = Server::builder("//- /a.txt\na\u{1f600}\n//- /dir/b.txt\n\n")
        .capability("window/showDocument", json!({ "support": true }))
        .prepare(|root| {
            let made =
                std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
            assert!(made.success());
            std::os::unix::fs::symlink("/etc/passwd", root.join("out")).unwrap();
        })
        .start();
    server.answer_requests(|request, _| panic!("shown: {}", request.params));
    for (arguments, code) in [
        (json!({ "path": "no.txt" }), "E_FILE_NOT_FOUND"),
        (json!({ "path": "/etc/passwd" }), "E_PATH_FORBIDDEN"),
        (json!({ "path": "out" }), "E_PATH_FORBIDDEN"),
        (json!({ "path": "https://example.org/" }), "E_INVALID_PARAMS"),
        (json!({ "path": "dir" }), "E_UNSUPPORTED"),
        (json!({ "path": "pipe" }), "E_UNSUPPORTED"),
        (json!({ "path": "pipe", "line": 1 }), "E_UNSUPPORTED"),
        (json!({ "path": "a.txt", "line": 0 }), "E_INVALID_PARAMS"),
        (json!({ "path": "a.txt", "line": 3 }), "E_INVALID_PARAMS"),
        (json!({ "path": "a.txt", "line": -1 }), "E_INVALID_PARAMS"),
        (json!({ "path": "a.txt", "line": 1, "column": 3 }), "E_INVALID_PARAMS"),
        (json!({ "path": "a.txt", "line": 1, "column": 5 }), "E_INVALID_PARAMS"),
        (json!({ "path": "a.txt", "column": 1 }), "E_INVALID_PARAMS"),
        (json!({}), "E_INVALID_PARAMS"),
    ] {
        server.must_fail("open_file", arguments, code);
    }
}

#[test]
fn an_editor_that_cannot_or_does_not_show_is_reported() {
    let server = Server::start("//- /a.txt\none\n");
    server.report(json!({ "activeUri": server.uri("a.txt") }));
    server.must_fail("open_file", json!({ "path": "a.txt" }), "E_UNSUPPORTED");
    server.must_fail("goto_line", json!({ "line": 1 }), "E_UNSUPPORTED");
    let (server, shown) = showing("//- /a.txt\none\n", &[], false);
    server.must_fail("open_file", json!({ "path": "a.txt" }), "E_CONFLICT");
    server.answer_requests(|_, _| Answer::Error(-32603, "no window".to_owned()));
    let error = server.must_fail("open_file", json!({ "path": "a.txt" }), "E_CONFLICT");
    assert!(error.message.contains("no window"), "{}", error.message);
    assert_eq!(shown.lock().unwrap().len(), 1);
}

#[test]
fn a_line_of_the_active_file_is_shown() {
    let (server, shown) = showing("//- /a.txt\none\ntwo\n//- /b.txt\n\n", &[], true);
    server.report(json!({ "activeUri": server.uri("a.txt") }));
    // The file on disk has these lines, until the editor opens it with others.
    let result = server.must("goto_line", json!({ "line": 2, "column": 3 }));
    assert_eq!((&result["path"], &result["line"]), (&json!("a.txt"), &json!(2)));
    server.must_fail("goto_line", json!({ "line": 4 }), "E_INVALID_PARAMS");
    server.open_text("a.txt", "one\ntwo\nthree\nfour\n");
    server.must("goto_line", json!({ "line": 4 }));
    let shown = shown.lock().unwrap();
    assert_eq!(shown[0]["uri"], server.uri("a.txt"));
    assert_eq!(shown[0]["selection"]["start"], json!({ "line": 1, "character": 2 }));
    assert_eq!(shown[1]["selection"]["start"], json!({ "line": 3, "character": 0 }));
    server.report(json!({ "activeUri": "file:///etc/passwd" }));
    server.must_fail("goto_line", json!({ "line": 1 }), "E_PATH_FORBIDDEN");
}

#[test]
fn a_pending_show_request_is_withdrawn_on_cancel() {
    let (server, _) = showing("//- /a.txt\none\n", &[], true);
    let asked = Arc::new(Mutex::new(None));
    let seen = asked.clone();
    server.answer_requests(move |request, _| {
        *seen.lock().unwrap() = Some(request.id.clone());
        Answer::Handled
    });
    let call = server.start_tool("open_file", json!({ "path": "a.txt" }));
    let started = Instant::now();
    let id = loop {
        if let Some(id) = asked.lock().unwrap().clone() {
            break id;
        }
        assert!(started.elapsed() < tests::RESPONSE_TIMEOUT, "nothing was asked");
        std::thread::sleep(Duration::from_millis(5));
    };
    server.cancel(call.id).unwrap();
    let cancelled =
        server.wait_for_notification("$/cancelRequest", tests::RESPONSE_TIMEOUT, |_| true).unwrap();
    assert_eq!(cancelled["id"], id);
    let error = call.wait(tests::RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
}
