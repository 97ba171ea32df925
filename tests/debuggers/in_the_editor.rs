//! Notifications to an editor about the programs that an agent debugs.

use std::time::Duration;

use client::Client;
use serde_json::{Value, json};
use tests::component;

use crate::debuggee::{Debuggee, line_of};
use crate::python::PROGRAM;

const DEBUGGER_TIMEOUT: Duration = Duration::from_secs(60);

/// A server whose client shows what is debugged.
fn start_watched(test: &str) -> Option<Debuggee> {
    if component("debugpy").is_none() {
        tests::skip(test, "debugpy");
        return None;
    }
    let capabilities = json!({
        "experimental": { "debug": true, "commands": { "commands": ["tandem.debug"] } },
        "window": { "showDocument": { "support": true } },
        "workspace": { "inlineValue": { "refreshSupport": true } },
    });
    Some(Debuggee::start_with_client(PROGRAM, capabilities, |_, _| {}))
}

fn wait_for_notification(client: &Client, method: &str) -> Value {
    client
        .wait_for_notification(method, DEBUGGER_TIMEOUT, |_| true)
        .unwrap_or_else(|e| panic!("{method}: {e}"))
}

fn uri(it: &Debuggee, path: &str) -> String {
    format!("file://{}", it.home.root().join(path).display())
}

fn inline_values(it: &Debuggee, path: &str, line: u64, frame: &Value) -> Vec<Value> {
    let start = json!({ "line": line, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri(it, path) },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } },
        "context": { "frameId": frame, "stoppedLocation": { "start": start, "end": start } },
    });
    let answer = it.client.request("textDocument/inlineValue", params).unwrap();
    answer.as_array().cloned().unwrap_or_default()
}

#[test]
fn stops_output_and_exit_are_reported() {
    let Some(it) = start_watched("stops_output_and_exit_are_reported") else { return };
    it.call("debug_breakpoint", json!({ "action": "set", "symbol": "Ledger.add" }));
    it.call("debug_launch", json!({ "program": "app.py", "wait_ms": 60_000 }));
    let stop = wait_for_notification(&it.client, "tandem/didStop");
    let before = line_of(&it.home.root().join("books/ledger.py"), "before = ") - 1;
    assert_eq!(
        (&stop["reason"], &stop["function"]),
        (&json!("breakpoint"), &json!("add")),
        "{stop}"
    );
    assert_eq!(stop["uri"], uri(&it, "books/ledger.py"), "{stop}");
    assert_eq!(stop["range"]["start"], json!({ "line": before, "character": 0 }), "{stop}");
    assert!(stop["range"]["end"]["character"].as_u64().unwrap() > 10, "{stop}");

    let ledger = line_of(&it.home.root().join("books/ledger.py"), "self.total = before") - 1;
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    it.step("over");
    wait_for_notification(&it.client, "tandem/didContinue");
    let stop = wait_for_notification(&it.client, "tandem/didStop");
    assert_eq!(
        (&stop["reason"], &stop["range"]["start"]["line"]),
        (&json!("step"), &json!(ledger))
    );
    let values = inline_values(&it, "books/ledger.py", ledger, &stop["frame"]);
    let texts: Vec<_> = values.iter().filter_map(|v| v["text"].as_str()).collect();
    assert!(
        texts.contains(&"amount = 0") && texts.iter().any(|text| text.starts_with("before = ")),
        "{texts:?}"
    );
    assert!(!texts.iter().any(|text| text.contains("hunter2")), "{texts:?}");
    // Of another debugger's frame, only the names are known.
    let values = inline_values(&it, "books/ledger.py", ledger, &json!(987_654));
    assert!(values.iter().all(|v| v["text"].is_null() && v["caseSensitiveLookup"] == true));
    assert!(values.iter().any(|v| v["variableName"] == "amount"), "{values:?}");

    it.step("continue");
    let mut written = String::new();
    while !written.contains("total 6") {
        let output = wait_for_notification(&it.client, "tandem/didOutput");
        assert_eq!(output["session"], 1, "{output}");
        // Pieces of two streams may come in any order.
        if output["category"] == "stdout" {
            written.push_str(output["text"].as_str().unwrap());
        }
    }
    let exit = wait_for_notification(&it.client, "tandem/didExit");
    assert_eq!((&exit["session"], &exit["exitCode"]), (&json!(1), &json!(3)), "{exit}");
}

#[test]
fn the_line_of_a_stop_is_shown_if_enabled() {
    let Some(it) = start_watched("the_line_of_a_stop_is_shown_if_enabled") else { return };
    let line = |text| line_of(&it.home.root().join("books/ledger.py"), text) - 1;
    let stopped = || wait_for_notification(&it.client, "tandem/didStop");
    // The first of two threads, and the second stays where it is.
    let once = json!({ "action": "set", "symbol": "Ledger.add", "condition": "amount == 1" });
    it.call("debug_breakpoint", once);
    it.call("debug_launch", json!({ "program": "app.py", "wait_ms": 60_000 }));
    stopped();
    assert_eq!(it.show_requests(), Vec::<Value>::new(), "nobody has asked for it");
    let settings = |shows: bool| {
        let settings = json!({ "settings": { "tandem": { "debug": { "showStops": shows } } } });
        it.client.notify("workspace/didChangeConfiguration", settings).unwrap();
    };
    settings(true);
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    it.step("over");
    stopped();
    let begun = std::time::Instant::now();
    let shown = loop {
        if let Some(shown) = it.show_requests().pop() {
            break shown;
        }
        assert!(begun.elapsed() < DEBUGGER_TIMEOUT, "nothing is shown");
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(shown["uri"], uri(&it, "books/ledger.py"), "{shown}");
    assert_eq!(shown["selection"]["start"]["line"], line("self.total = before"), "{shown}");
    assert_eq!((&shown["takeFocus"], &shown["external"]), (&json!(false), &json!(false)));
    settings(false);
    it.step("over");
    stopped();
    it.call("debug_stop", json!({}));
    assert_eq!(it.show_requests(), Vec::<Value>::new());
}

#[test]
fn tests_and_programs_have_a_lens_that_starts_them() {
    let fixture = "
//- /test_a.py
class TestBooks:
    def test_add(self):
        assert 1 + 1 == 2
//- /app.py
if __name__ == '__main__':
    print(1)
";
    let capabilities = json!({ "experimental": { "commands": { "commands": ["tandem.debug"] } } });
    let it = Debuggee::start_with_client(fixture, capabilities, |_, _| {});
    let lenses = |path: &str| {
        let params = json!({ "textDocument": { "uri": uri(&it, path) } });
        let found = it.client.request("textDocument/codeLens", params).unwrap();
        let all = found.as_array().cloned().unwrap_or_default();
        let ours = all.into_iter().filter(|lens| lens["command"]["command"] == "tandem.debug");
        ours.collect::<Vec<_>>()
    };
    let test = lenses("test_a.py");
    assert_eq!((test.len(), &test[0]["command"]["title"]), (1, &json!("Debug test")), "{test:?}");
    assert_eq!(test[0]["range"]["start"], json!({ "line": 1, "character": 8 }));
    let told = &test[0]["command"]["arguments"][0];
    assert_eq!(told["launch"], json!({ "test": "test_a.py::TestBooks::test_add" }), "{told}");
    let main = lenses("app.py");
    assert_eq!(main[0]["command"]["arguments"][0]["launch"], json!({ "program": "app.py" }));
}
