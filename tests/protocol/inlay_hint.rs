//! `textDocument/inlayHint` and `inlayHint/resolve`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use client::Answer;
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const SHAPES: &str = "
//- /shapes.py
class Box:
    '''A box.'''
    def __init__(self, width, height): pass
//- /main.py
from shapes import Box
one = Box(1, 2)
two = Box(3, 4)
#😀
tre = Box('😀', 6)
";

fn hints(server: &Server, path: &str, from: u32, to: u32) -> Vec<Value> {
    let params = json!({
        "textDocument": { "uri": server.uri(path) },
        "range": {
            "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 },
        },
    });
    let answer = server.request("textDocument/inlayHint", params).unwrap();
    answer.as_array().cloned().unwrap_or_default()
}

fn hint_summary(hint: &Value) -> (u64, u64, &str) {
    let place = &hint["position"];
    let label = hint["label"][0]["value"].as_str().unwrap();
    (place["line"].as_u64().unwrap(), place["character"].as_u64().unwrap(), label)
}

#[test]
fn hints_cover_the_requested_lines() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let found = hints(&server, "main.py", 1, 2);
    let found: Vec<_> = found.iter().map(hint_summary).collect();
    assert_eq!(found, [(1, 10, "width="), (1, 13, "height=")]);
    let found = hints(&server, "main.py", 4, 5);
    let found: Vec<_> = found.iter().map(hint_summary).collect();
    assert_eq!(found, [(4, 10, "width="), (4, 16, "height=")]);
    assert_eq!(hints(&server, "main.py", 0, 100).len(), 6);
}

#[test]
fn an_inlay_hint_resolves_to_a_location() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    for hint in hints(&server, "main.py", 1, 2) {
        assert!(hint["tooltip"].is_null() && hint["label"][0]["location"].is_null(), "{hint}");
        let resolved = server.request("inlayHint/resolve", hint).unwrap();
        let place = &resolved["label"][0]["location"];
        assert!(place["uri"].as_str().unwrap().ends_with("/shapes.py"), "{resolved}");
        assert!(resolved["tooltip"].is_string() || resolved["tooltip"].is_object(), "{resolved}");
    }
    // What is not there any more is left out.
    let mut hint = hints(&server, "main.py", 1, 2).remove(0);
    hint["data"]["start"] = json!(100_000);
    hint["data"]["end"] = json!(200_000);
    let resolved = server.request("inlayHint/resolve", hint).unwrap();
    assert!(resolved["label"][0]["location"].is_null(), "{resolved}");
}

#[test]
fn a_client_with_refresh_support_is_asked_to_refresh() {
    let server = Server::builder(SHAPES)
        .capability("workspace/inlayHint", json!({ "refreshSupport": true }))
        .start();
    let seen = Arc::new(AtomicBool::new(false));
    let asked = seen.clone();
    server.answer_requests(move |request, _| {
        if request.method == "workspace/inlayHint/refresh" {
            asked.store(true, Ordering::Relaxed);
        }
        Answer::Default
    });
    server.open_file("main.py");
    server.wait_until_read();
    let started = Instant::now();
    while !seen.load(Ordering::Relaxed) && started.elapsed() < RESPONSE_TIMEOUT {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // It may have been asked before anybody watched.
    assert!(hints(&server, "main.py", 0, 9).len() == 6);
}
