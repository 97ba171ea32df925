//! Syntax errors: published after a pause, removed when they are fixed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Fixture, Server, offset_at};

/// Asserts that the files' errors are where the fixture marks `error`, by line, and no others.
fn check(fixture: &str) {
    let server = Server::start(fixture);
    let parsed = Fixture::parse(fixture);
    for file in &parsed.files {
        server.open_file(&file.path);
        let line = |offset: usize| file.text[..offset].matches('\n').count() as u64;
        let marks = parsed.marked("error").filter(|mark| mark.path == file.path);
        let mut expected: Vec<_> = marks.map(|mark| line(mark.start)).collect();
        let found = server.diagnostics(&file.path, |_| true);
        let mut lines = Vec::new();
        for diagnostic in &found {
            check_diagnostic(&server, &file.text, diagnostic);
            lines.push(diagnostic["range"]["start"]["line"].as_u64().unwrap());
        }
        expected.dedup();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, expected, "{}: {found:?}", file.path);
    }
}

/// Checks what every diagnostic of a syntax error must satisfy.
fn check_diagnostic(server: &Server, text: &str, diagnostic: &Value) {
    assert_eq!(diagnostic["severity"], 1, "an error: {diagnostic}");
    assert_eq!(diagnostic["source"], "tandem", "{diagnostic}");
    assert!(
        diagnostic["message"].as_str().is_some_and(|message| !message.is_empty()),
        "{diagnostic}"
    );
    for end in ["start", "end"] {
        let place = offset_at(text, &diagnostic["range"][end], server.encoding());
        assert!(place.is_some(), "no such {end}: {diagnostic}");
    }
}

#[test]
fn every_language_reports_errors_at_their_location() {
    check(
        "
//- /a.py
def good():
    return 1

x = = 2
#   ^ error
//- /a.ts
const good: number = 1;
const bad: = 2;
//       ^ error
//- /a.tsx
const good = <b>ok</b>;
const bad: = <b>not ok</b>;
//       ^ error
//- /a.js
const good = 1;
const bad = = 2;
//          ^ error
//- /a.rs
fn good() {}
fn bad(x: ) {}
//        ^ error
//- /a.go
package a

func good() {}

var x = = 2
//      ^ error
//- /a.c
int good(void) { return 0; }
int bad[2 = { 0 };
//        ^ error
//- /a.cpp
int good() { return 0; }
int bad[2 = { 0 };
//        ^ error
//- /A.java
class A {
    int good = 1;
    int bad = = 2;
//            ^ error
}
",
    );
}

#[test]
fn valid_text_reports_no_errors() {
    let server = Server::start("//- /a.rs\nfn good() {}\n");
    server.open_file("a.rs");
    assert_eq!(server.diagnostics("a.rs", |_| true), [Value::Null; 0]);
}

#[test]
fn diagnostics_carry_their_version_and_disappear_when_fixed() {
    let server = Server::start("");
    server.open_text("a.rs", "fn main() {}\n");
    server.replace_text("a.rs", "}", "");
    let uri = server.uri("a.rs");
    let bad = server
        .wait_for_notification(
            "textDocument/publishDiagnostics",
            tests::RESPONSE_TIMEOUT,
            |params| params["uri"] == *uri && params["diagnostics"] != json!([]),
        )
        .unwrap();
    assert_eq!(bad["version"], 2, "{bad}");
    server.replace_text("a.rs", "{", "{}");
    let good = server
        .wait_for_notification(
            "textDocument/publishDiagnostics",
            tests::RESPONSE_TIMEOUT,
            |params| params["uri"] == *uri && params["diagnostics"] == json!([]),
        )
        .unwrap();
    assert_eq!(good["version"], 3, "{good}");
}

#[test]
fn diagnostics_are_cleared_when_the_document_closes() {
    let server = Server::start("");
    server.open_text("a.rs", "fn main( {}\n");
    assert!(!server.diagnostics("a.rs", |found| !found.is_empty()).is_empty());
    server.close_file("a.rs");
    server.diagnostics("a.rs", <[Value]>::is_empty);
}

#[test]
fn a_document_closed_at_once_leaves_no_diagnostics() {
    let server = Server::start("");
    for _ in 0..10 {
        server.open_text("a.rs", "fn main( {}\n");
        server.close_file("a.rs");
    }
    std::thread::sleep(Duration::from_millis(500));
    let published = server.take_unread();
    let last =
        published.iter().rfind(|message| message["method"] == "textDocument/publishDiagnostics");
    if let Some(last) = last {
        assert_eq!(last["params"]["diagnostics"], json!([]), "errors of a closed document");
    }
}

#[test]
fn several_keystrokes_lead_to_one_publication() {
    let server = Server::start("");
    server.open_text("a.py", "x = (1\n");
    server.diagnostics("a.py", |found| !found.is_empty());
    for n in 0..40 {
        server.replace_text("a.py", "x", &format!("x{n}"));
        std::thread::sleep(Duration::from_millis(5));
    }
    server.replace_text("a.py", "1", "1)");
    let started = Instant::now();
    let mut published = 1;
    let uri = server.uri("a.py");
    server
        .wait_for_notification(
            "textDocument/publishDiagnostics",
            tests::RESPONSE_TIMEOUT,
            |params| {
                let last = params["uri"] == *uri && params["version"] == 42;
                published += usize::from(!last);
                last
            },
        )
        .unwrap();
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let earlier = server.take_unread().len();
    assert!(earlier < 10, "{earlier} publications while typing");
}

#[test]
fn error_ranges_stay_inside_the_text() {
    let server = Server::start("");
    // Far more errors than anyone reads, and characters of every width around them.
    let text = "\u{1f600}\u{e9} ) = = (\n".repeat(20_000);
    server.open_text("a.py", &text);
    let found = server.diagnostics("a.py", |found| !found.is_empty());
    assert!(found.len() <= 1_000, "{} errors", found.len());
    for diagnostic in found.iter().take(20) {
        check_diagnostic(&server, &text, diagnostic);
    }
}

#[test]
fn unopened_files_get_no_diagnostics() {
    let server = Server::start("//- /bad.rs\nfn (\n//- /good.rs\nfn good() {}\n");
    server.open_file("good.rs");
    server.diagnostics("good.rs", |_| true);
    std::thread::sleep(Duration::from_millis(300));
    let about_bad = |message: &Value| message["params"]["uri"] == *server.uri("bad.rs");
    assert!(!server.take_unread().iter().any(about_bad));
}

/// Line, code and severity of each diagnostic.
fn summary(diagnostics: &[Value]) -> Vec<(u64, String, u64)> {
    let mut all: Vec<_> = diagnostics
        .iter()
        .map(|d| {
            let code = d["code"].as_str().unwrap_or("").to_owned();
            (d["range"]["start"]["line"].as_u64().unwrap(), code, d["severity"].as_u64().unwrap())
        })
        .collect();
    all.sort();
    all
}

const NAMES: &str = "
//- /a.py
import os
from .b import here, gone
def f(n):
    unread = n
    return here, gone, nowhere
//- /b.py
here = 1
there = 2
";

#[test]
fn name_diagnostics_are_published_after_indexing() {
    let server = Server::start(NAMES);
    server.open_file("a.py");
    let found = server.diagnostics("a.py", |d| d.len() == 4);
    let wanted = [
        (0, "unused-import".to_owned(), 4),
        (1, "unresolved-import".to_owned(), 1),
        (3, "unused-variable".to_owned(), 4),
        (4, "undefined-name".to_owned(), 1),
    ];
    assert_eq!(summary(&found), wanted);
    let unused = found.iter().find(|d| d["code"] == "unused-import").unwrap();
    assert_eq!(unused["tags"], json!([1]), "{unused}");
    assert_eq!(unused["data"]["name"], "os", "{unused}");
}

#[test]
fn uses_of_deprecated_names_are_marked() {
    let files = "
//- /a.ts
import { old } from './b';
old();
//- /b.ts
/** @deprecated */
export function old() {}
";
    let server = Server::start(files);
    server.open_file("a.ts");
    let found = server.diagnostics("a.ts", |d| d.len() == 1);
    assert_eq!(summary(&found), [(1, "deprecated".to_owned(), 4)]);
    assert_eq!(found[0]["tags"], json!([2]), "{}", found[0]);
    let pulled = loop {
        let params = json!({ "textDocument": { "uri": server.uri("a.ts") } });
        let pulled = server.request("textDocument/diagnostic", params).unwrap();
        if !pulled["items"].as_array().unwrap().is_empty() {
            break pulled;
        }
    };
    assert_eq!(pulled["items"][0]["tags"], json!([2]), "{pulled}");
    let called = server.tool("get_diagnostics", json!({ "path": "a.ts" })).unwrap();
    let said = &called["files"][0]["diagnostics"][0];
    assert_eq!((&said["code"], &said["severity"]), (&json!("deprecated"), &json!("hint")));
    // The diagnostic goes when it is no longer deprecated.
    server.open_file("b.ts");
    server.replace_text("b.ts", "/** @deprecated */", "/** Said otherwise. */");
    server.diagnostics("a.ts", <[Value]>::is_empty);
}

#[test]
fn a_diagnostic_goes_when_another_file_defines_the_name() {
    let server = Server::start(NAMES);
    server.open_file("a.py");
    server.diagnostics("a.py", |d| d.iter().any(|d| d["code"] == "unresolved-import"));
    server.open_file("b.py");
    server.replace_text("b.py", "there = 2", "gone = 2");
    server.diagnostics("a.py", |d| {
        !d.is_empty() && d.iter().all(|d| d["code"] != "unresolved-import")
    });
}

#[test]
fn pulling_clients_get_no_push_and_cheap_repeats() {
    let server = Server::builder(NAMES)
        .capability("textDocument/diagnostic", json!({}))
        .capability("workspace/diagnostics", json!({ "refreshSupport": true }))
        .start();
    server.open_file("a.py");
    let params = |before: Option<&Value>| {
        let mut params = json!({ "textDocument": { "uri": server.uri("a.py") } });
        if let Some(before) = before {
            params["previousResultId"] = before.clone();
        }
        params
    };
    let started = Instant::now();
    let full = loop {
        let full = server.request("textDocument/diagnostic", params(None)).unwrap();
        if full["items"].as_array().unwrap().len() == 4 {
            break full;
        }
        assert!(started.elapsed() < tests::RESPONSE_TIMEOUT, "{full}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(full["kind"], "full");
    let id = &full["resultId"];
    let same = server.request("textDocument/diagnostic", params(Some(id))).unwrap();
    assert_eq!((&same["kind"], &same["resultId"]), (&json!("unchanged"), id), "{same}");
}

/// All reports of one request, those that came in pieces included; by the ends of their URIs.
fn workspace_reports(server: &Server, params: Value) -> Vec<(String, Value)> {
    let token = params["partialResultToken"].clone();
    let answer = server.request("workspace/diagnostic", params).unwrap();
    let mut all = answer["items"].as_array().unwrap().clone();
    if !token.is_null() {
        assert!(all.is_empty(), "{all:?}");
        for message in server.take_unread() {
            if message["params"]["token"] == token {
                all.extend(message["params"]["value"]["items"].as_array().unwrap().clone());
            }
        }
    }
    let name = |r: &Value| r["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let mut all: Vec<_> = all.into_iter().map(|r| (name(&r), r)).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn workspace_diagnostics_come_whole_and_in_parts() {
    let server = Server::builder(
        "
//- /a.py
import nothing.such
//- /b.py
x = (
//- /good.py
x = 1
//- /c.rs
fn f( {}
",
    )
    .capability("textDocument/diagnostic", json!({}))
    .capability("workspace/diagnostics", json!({ "refreshSupport": true }))
    .start();
    server.open_text("a.py", "def f(:\n");
    let none = json!({ "previousResultIds": [] });
    let first = workspace_reports(&server, none.clone());
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a.py", "b.py", "c.rs"]);
    assert!(first.iter().all(|(_, r)| r["kind"] == "full"), "{first:?}");
    // The same as pulled for the single document.
    let params = json!({ "textDocument": { "uri": server.uri("a.py") } });
    let one = server.request("textDocument/diagnostic", params).unwrap();
    assert_eq!((&one["items"], &one["resultId"]), (&first[0].1["items"], &first[0].1["resultId"]));
    let ids: Vec<Value> =
        first.iter().map(|(_, r)| json!({ "uri": r["uri"], "value": r["resultId"] })).collect();
    let known = json!({ "previousResultIds": ids, "partialResultToken": "pieces" });
    let same = workspace_reports(&server, known);
    assert_eq!(same.len(), 3);
    assert!(same.iter().all(|(_, r)| r["kind"] == "unchanged"), "{same:?}");
    // Clients that had the diagnostics learn which are fixed and which files are gone.
    server.replace_text("a.py", "def f(:", "def f(): pass");
    let mut ids = ids;
    ids.push(json!({ "uri": server.uri("gone.py"), "value": "1" }));
    let mended = workspace_reports(&server, json!({ "previousResultIds": ids }));
    let kinds: Vec<_> =
        mended.iter().map(|(n, r)| (n.as_str(), r["kind"].as_str().unwrap())).collect();
    let wanted =
        [("a.py", "full"), ("b.py", "unchanged"), ("c.rs", "unchanged"), ("gone.py", "full")];
    assert_eq!(kinds, wanted);
    assert_eq!(mended[0].1["items"], json!([]));
    assert_eq!(mended[3].1["items"], json!([]));
}

#[test]
fn settings_turn_notifications_off() {
    let server = Server::start(&format!(
        "{NAMES}//- /.tandem/config.toml\n[diagnostics]\noff = [\"unused-import\", \"unused-variable\"]\n"
    ));
    server.open_file("a.py");
    let found = server.diagnostics("a.py", |d| !d.is_empty());
    let codes: Vec<_> = summary(&found).into_iter().map(|d| d.1).collect();
    assert_eq!(codes, ["unresolved-import", "undefined-name"]);
}

#[test]
fn a_folder_gets_diagnostics_of_all_its_files() {
    let server = Server::start(NAMES);
    let all = server.must("get_diagnostics", json!({ "path": "." }));
    let files = all["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{all}");
    assert_eq!(files[0]["diagnostics"].as_array().unwrap().len(), 4, "{all}");
    let errors = server.must("get_diagnostics", json!({ "path": ".", "severity": "error" }));
    let errors = errors["files"][0]["diagnostics"].as_array().unwrap();
    let codes: Vec<_> = errors.iter().map(|d| d["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["unresolved-import", "undefined-name"]);
    assert!(errors[0]["confidence"].as_f64().unwrap() > 0.9);
}

#[test]
fn json_is_checked_by_the_dialect_of_its_file_name() {
    let server = Server::start("//- /tsconfig.json\n\n//- /a.json\n\n//- /b.jsonl\n\n");
    server.open_text("tsconfig.json", "{ \"a\": [1, 2,], }\n");
    assert_eq!(server.diagnostics("tsconfig.json", |_| true), [Value::Null; 0]);
    server.open_text("a.json", "{ \"a\": [1, 2,], \"b\": 0.5e+1 }\n");
    let found = server.diagnostics("a.json", |d| d.len() == 1);
    assert_eq!(found[0]["message"], "unexpected `,` before `]`");
    server.open_text("b.jsonl", "{}\n[1\n");
    let found = server.diagnostics("b.jsonl", |d| !d.is_empty());
    assert_eq!(found[0]["message"], "unclosed `[` that opens on line 2");
}

#[test]
fn pushed_and_pulled_diagnostics_are_the_same() {
    const TEXTS: [(&str, &str, &str); 2] = [
        ("a.py", "if a:\n\tb()\n        c()\n", "mixed indentation"),
        (
            "b.rs",
            "fn f() {\n<<<<<<< ours\n    g(\n=======\n    h(\n>>>>>>> theirs\n}\n",
            "merge conflict",
        ),
    ];
    let fixture = "//- /a.py\n\n//- /b.rs\n\n";
    let told = Server::start(fixture);
    let asking = Server::builder(fixture)
        .capability("textDocument/diagnostic", json!({}))
        .capability("workspace/diagnostics", json!({ "refreshSupport": true }))
        .start();
    for (path, text, message) in TEXTS {
        told.open_text(path, text);
        asking.open_text(path, text);
        let pushed = told.diagnostics(path, |d| d.iter().any(|d| d["severity"] == 1));
        assert!(pushed[0]["message"].as_str().unwrap().contains(message), "{pushed:?}");
        let params = json!({ "textDocument": { "uri": asking.uri(path) } });
        let pulled = asking.request("textDocument/diagnostic", params).unwrap();
        let errors = |all: &[Value]| {
            all.iter()
                .filter(|d| d["severity"] == 1 && d["code"] != "undefined-name")
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(pulled["items"].as_array().unwrap()), errors(&pushed), "{path}");
    }
}

#[test]
fn tools_list_the_warnings_of_json_as_the_editor_does() {
    let server = Server::start("//- /a.json\n{ \"a\": 1,\n  \"a\": 2 }\n");
    let message = "duplicate name `\"a\"`, first on line 1";
    let found = server.must("lsp_diagnostics", json!({ "uri": "a.json" }));
    let found = &found["diagnostics"][0];
    let shown = (&found["line"], &found["severity"], &found["message"]);
    assert_eq!(shown, (&json!(2), &json!("warning"), &json!(message)), "{found}");
    let all = server.must("get_diagnostics", json!({ "path": "a.json" }));
    let found = &all["files"][0]["diagnostics"][0];
    let shown = (&found["line"], &found["severity"], &found["code"], &found["message"]);
    let expected = (&json!(2), &json!("warning"), &json!("duplicate-name"), &json!(message));
    assert_eq!(shown, expected, "{all}");
}
