//! Large and unusual documents: features they lose, that the client is notified once, and that they
//! block no other request.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

/// Time limit for a response on a slow machine, in a debug build.
const SLOW_RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

fn document_params(server: &Server, path: &str) -> Value {
    json!({ "textDocument": { "uri": server.uri(path) } })
}

fn lines(server: &Server, path: &str, from: u32, to: u32) -> Value {
    json!({ "textDocument": { "uri": server.uri(path) }, "range": {
        "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } } })
}

fn shown_message(server: &Server) -> String {
    let params =
        server.wait_for_notification("window/showMessage", RESPONSE_TIMEOUT, |_| true).unwrap();
    params["message"].as_str().unwrap().to_owned()
}

fn has_shown_message(server: &Server) -> bool {
    server.take_unread().iter().any(|message| message["method"] == "window/showMessage")
}

#[test]
fn truncation_is_gradual_and_reported_once() {
    let limits = json!({ "syntax": { "injections": 20, "tokens": 60, "parse": 100 } });
    let server =
        Server::builder("//- /a.html\n\n//- /b.rs\n\n//- /c.html\n\n").options(limits).start();
    let tokens = |path: &str| {
        server.request("textDocument/semanticTokens/full", document_params(&server, path))
    };
    server.open_text("a.html", "<script>let a = 1;</script>\n");
    assert!(shown_message(&server).contains("a.html is larger than 20 bytes: embedded languages"));
    assert!(!tokens("a.html").unwrap().is_null());
    // A document without embedded languages loses nothing.
    server.open_text("c.html", "<p>one and two and three</p>\n");
    assert!(!tokens("c.html").unwrap().is_null());
    assert!(!has_shown_message(&server), "nothing is missing");
    let text = |lines: usize| "fn f() { 1 }\n".repeat(lines);
    server.open_text("b.rs", &text(5));
    assert!(shown_message(&server).contains("`syntax.tokens`"));
    assert!(tokens("b.rs").unwrap().is_null());
    let range = lines(&server, "b.rs", 0, 1);
    let some = server.request("textDocument/semanticTokens/range", range.clone()).unwrap();
    assert!(!some["data"].as_array().unwrap().is_empty());
    assert!(!has_shown_message(&server), "once");
    server.close_file("b.rs");
    server.open_text("b.rs", &text(9));
    assert!(shown_message(&server).contains("it is treated as plain text (`syntax.parse`"));
    for method in ["semanticTokens/range", "documentSymbol", "foldingRange", "documentLink"] {
        let found = server.request(&format!("textDocument/{method}"), range.clone()).unwrap();
        let none = found.is_null() || found == json!([]) || found["data"] == json!([]);
        assert!(none, "{method}: {found}");
    }
    // It is a document all the same.
    server.replace_text("b.rs", "fn f() { 1 }\n", "fn g( {\n");
    assert!(server.read("b.rs").starts_with("fn g( {\n"));
    assert_eq!(server.diagnostics("b.rs", |_| true), [Value::Null; 0]);
    assert!(!has_shown_message(&server), "once");
    let settings =
        json!({ "settings": { "tandem": { "syntax": { "parse": 1000, "tokens": 1000 } } } });
    server.notify("workspace/didChangeConfiguration", settings).unwrap();
    assert!(!tokens("b.rs").unwrap().is_null());
}

#[test]
fn binary_files_are_kept_and_not_parsed() {
    let server = Server::start("//- /a.rs\n\n//- /b.rs\nfn f() {}\n");
    let binary = "\0\u{1}fn f( {\n\0\0".repeat(1_000);
    server.open_text("a.rs", &binary);
    assert!(shown_message(&server).contains("a.rs has NUL bytes"));
    assert_eq!(server.diagnostics("a.rs", |_| true), [Value::Null; 0]);
    for method in ["semanticTokens/full", "documentSymbol", "foldingRange", "documentLink"] {
        server
            .request(&format!("textDocument/{method}"), document_params(&server, "a.rs"))
            .unwrap();
    }
    server.replace_text("a.rs", "fn f( {", "fn g( {");
    assert!(server.read("a.rs").contains("fn g( {"));
    assert!(!has_shown_message(&server), "once");
}

/// Everything that an editor asks when a document is opened and typed in.
fn ask_all(server: &Server, path: &str, line: u32, character: u32) {
    let here = json!({ "line": line, "character": character });
    let mut at = document_params(server, path);
    at["position"] = here.clone();
    at["positions"] = json!([here]);
    at["range"] = json!({ "start": here, "end": { "line": line, "character": character + 40 } });
    at["context"] = json!({ "diagnostics": [] });
    at["options"] = json!({ "tabSize": 4, "insertSpaces": true });
    at["ch"] = json!("\n");
    for method in [
        "semanticTokens/range",
        "documentSymbol",
        "foldingRange",
        "selectionRange",
        "documentHighlight",
        "documentLink",
        "codeAction",
        "onTypeFormatting",
        "inlayHint",
    ] {
        let started = Instant::now();
        server.request(&format!("textDocument/{method}"), at.clone()).unwrap();
        assert!(
            started.elapsed() < SLOW_RESPONSE_TIMEOUT,
            "{path} {method}: {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn minified_lines_are_answered() {
    let server = Server::start("//- /a.js\n\n//- /b.json\n\n");
    let script: String =
        (0..8_000).map(|n| format!("function f{n}(a,b){{return a<b?[1,2]:f(a)}};")).collect();
    server.open_text("a.js", &script);
    ask_all(&server, "a.js", 0, 150_000);
    let data = format!("[{}1]", "{\"a\":[1,2,{\"b\":\"http://a.b/c\"}]},".repeat(3_000));
    server.open_text("b.json", &data);
    ask_all(&server, "b.json", 0, 50_000);
    server.replace_text("a.js", "function f5000(a,b)", "function g(");
    ask_all(&server, "a.js", 0, 150_000);
}

#[test]
fn a_hundred_thousand_lines_are_answered() {
    let server = Server::start("//- /a.rs\n\n//- /b.py\n\n");
    let lines = |n: usize| {
        format!("/// See https://a.b/c and src/a.rs.\nfn f{n}(a: u8) -> u8 {{\n    a + {n}\n}}\n")
    };
    let source: String = (0..25_000).map(lines).collect();
    server.open_text("a.rs", &source);
    ask_all(&server, "a.rs", 50_000, 4);
    server.replace_text("a.rs", "a + 12000\n", "a + (\n");
    ask_all(&server, "a.rs", 48_002, 8);
    let links = "# http://a.b/c(d) in a/b.py:1\n".repeat(100_000);
    server.open_text("b.py", &links);
    let found =
        server.request("textDocument/documentLink", document_params(&server, "b.py")).unwrap();
    let count = found.as_array().unwrap().len();
    assert!((1_000..=5_000).contains(&count), "{count}");
}

/// Diagnostics of a long document take a while and are obsolete at the next key: other requests do not
/// wait for them.
#[test]
fn queries_do_not_wait_for_diagnostics() {
    let function =
        |n: usize| format!("func f{n}(a int) int {{\n\tb := a + {n}\n\treturn f{n}(b)\n}}\n");
    let text = "package p\n".to_owned() + &(0..8_000).map(function).collect::<String>();
    let server = Server::start("//- /a.go\n\n");
    server.open_text("a.go", &text);
    server.diagnostics("a.go", |_| true);
    let place = json!({ "line": 3, "character": 9 });
    let asked = json!({ "textDocument": { "uri": server.uri("a.go") }, "positions": [place] });
    let key = |typed: &str| {
        let range = json!({ "start": { "line": 2, "character": 1 },
                            "end": { "line": 2, "character": 2 } });
        server.type_in("a.go", &[json!({ "range": range, "text": typed })]);
    };
    server.take_unread();
    let begun = Instant::now();
    key("c");
    server.diagnostics("a.go", |_| true);
    let all = begun.elapsed();
    // So that they begin, and another key comes before they are done.
    for typed in ["d", "e", "g", "h", "i", "b"] {
        key(typed);
        std::thread::sleep(Duration::from_millis(250));
    }
    key("c");
    let begun = Instant::now();
    server.request("textDocument/selectionRange", asked).unwrap();
    let waited = begun.elapsed();
    assert!(waited < all / 2, "{waited:?} of {all:?}");
}

/// Pulled diagnostics do not block other requests either, and those for an outdated version are
/// cancelled.
#[test]
fn queries_do_not_wait_for_pulled_diagnostics() {
    let function =
        |n: usize| format!("func f{n}(a int) int {{\n\tb := a + {n}\n\treturn f{n}(b)\n}}\n");
    let text = "package p\n".to_owned() + &(0..8_000).map(function).collect::<String>();
    let server = Server::builder("//- /a.go\n\n//- /small.rs\nfn f() {}\n")
        .capability("textDocument/diagnostic", json!({}))
        .start();
    server.open_file("small.rs");
    let files: Vec<String> = (0..4).map(|n| format!("a{n}.go")).collect();
    let begun = Instant::now();
    let asked: Vec<_> = files
        .iter()
        .map(|file| {
            server.open_text(file, &text);
            server.start_request("textDocument/diagnostic", document_params(&server, file)).unwrap()
        })
        .collect();
    let mut place = document_params(&server, "small.rs");
    place["positions"] = json!([{ "line": 0, "character": 3 }]);
    let started = Instant::now();
    server.request("textDocument/selectionRange", place).unwrap();
    let waited = started.elapsed();
    let mut type_in_last = true;
    for (file, asked) in files.iter().zip(asked).rev() {
        if std::mem::take(&mut type_in_last) {
            // The last of them cannot have been processed yet.
            server.replace_text(file, "package p", "package q");
            // A fast machine is done with all four within the second that they have.
            let Err(refused) = asked.wait(SLOW_RESPONSE_TIMEOUT) else { continue };
            let refused = refused.response().unwrap();
            let again = &refused.data["retriggerRequest"];
            assert_eq!((refused.code, again), (-32802, &json!(false)), "{refused}");
            continue;
        }
        let answer = asked.wait(SLOW_RESPONSE_TIMEOUT).unwrap();
        assert_eq!(answer["kind"], "full", "{answer}");
    }
    let all = begun.elapsed();
    assert!(waited < all / 4, "{waited:?} of {all:?}");
}

/// JSON parsers and serializers limit the depth of nesting.
#[test]
fn a_deeply_nested_sum_is_answered() {
    let server = Server::start("//- /a.js\n\n");
    server.open_text("a.js", &format!("x = {};\n", vec!["'a'"; 5_000].join(" + ")));
    ask_all(&server, "a.js", 0, 10);
    let mut asked = document_params(&server, "a.js");
    let place = json!({ "line": 0, "character": 5 });
    asked["positions"] = json!(vec![place; 1_100]);
    let grown = server.request("textDocument/selectionRange", asked).unwrap();
    assert_eq!(grown.as_array().unwrap().len(), 1_100, "one a place");
    let mut depth = 0;
    let mut at = &grown[0];
    while !at.is_null() {
        (at, depth) = (&at["parent"], depth + 1);
    }
    assert_eq!(depth, 100);
}

#[test]
fn too_many_symbols_are_truncated_to_the_outermost_and_reported_once() {
    let server = Server::start("//- /a.json\n\n");
    let data = format!("[{}1]", "{\"a\":{\"b\":1}},".repeat(15_000));
    server.open_text("a.json", &data);
    let symbols = server.symbols("a.json");
    let symbols = symbols.as_array().unwrap();
    let inside = symbols.iter().filter(|s| !s["children"].is_null()).count();
    assert_eq!((symbols.len(), inside), (15_000, 5_000));
    let told = shown_message(&server);
    assert!(told.contains("a.json has more than 20000 symbols"), "{told}");
    server.symbols("a.json");
    assert!(!has_shown_message(&server), "once");
    let found = server.tool("lsp_document_symbols", json!({ "path": "a.json" })).unwrap();
    assert_eq!(found["truncated"], true);
}

#[test]
fn too_many_folds_are_truncated_and_reported_once() {
    let server = Server::start("//- /a.json\n\n");
    server.open_text("a.json", &format!("[{}1]", "[\n1\n],\n".repeat(60_000)));
    let folds =
        server.request("textDocument/foldingRange", document_params(&server, "a.json")).unwrap();
    let lines: Vec<_> = folds.as_array().unwrap().iter().map(|f| f["startLine"].clone()).collect();
    assert!((40_000..=50_001).contains(&lines.len()), "{}", lines.len());
    let told = shown_message(&server);
    assert!(told.contains("a.json has more than 50000 folding ranges"), "{told}");
    server.request("textDocument/foldingRange", document_params(&server, "a.json")).unwrap();
    assert!(!has_shown_message(&server), "once");
}

/// A client may know an id from before the document was closed, or the server started anew.
#[test]
fn semantic_token_result_ids_are_unique() {
    let server = Server::start("//- /a.rs\nfn f() {}\n");
    let id = || {
        server.open_file("a.rs");
        let all =
            server.request("textDocument/semanticTokens/full", document_params(&server, "a.rs"));
        server.close_file("a.rs");
        all.unwrap()["resultId"].as_str().unwrap().to_owned()
    };
    let ids = [id(), id()];
    assert_ne!(ids[0], ids[1]);
    server.open_text("a.rs", "struct S;\n");
    let mut asked = document_params(&server, "a.rs");
    let all = server.request("textDocument/semanticTokens/full", asked.clone()).unwrap();
    asked["previousResultId"] = json!(ids[0]);
    let again = server.request("textDocument/semanticTokens/full/delta", asked).unwrap();
    assert_eq!(again["data"], all["data"]);
}

/// What parsing a long document again and again leaves behind goes back to the system once it rests.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_released_when_a_long_document_is_idle() {
    let mut text = String::new();
    for n in 0..8_000 {
        text.push_str(&format!("def f{n}(a, b={n}):\n    return [a, {{'k': b}}, f'{{a}}']\n\n\n"));
    }
    let server = Server::start("//- /a.py\n\n");
    let pid = server.process().unwrap().id();
    let held = || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let held = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        held.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    server.open_text("a.py", &text);
    let ask =
        || server.request("textDocument/semanticTokens/full", document_params(&server, "a.py"));
    for version in 2..8 {
        let at = json!({ "line": 9_000 + version, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": "x = 1\n" });
        let document = json!({ "uri": server.uri("a.py"), "version": version });
        server
            .notify(
                "textDocument/didChange",
                json!({ "textDocument": document, "contentChanges": [change] }),
            )
            .unwrap();
        assert!(!ask().unwrap().is_null());
    }
    let before = held();
    let begun = Instant::now();
    // A tenth at least, which stays nowhere near what is held while it works.
    while held() > before - before / 10 {
        assert!(begun.elapsed() < SLOW_RESPONSE_TIMEOUT, "{before} kB, and still {} kB", held());
        std::thread::sleep(Duration::from_millis(100));
    }
}
