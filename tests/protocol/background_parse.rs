//! Highlights of a text that takes long to parse while a person types: shifted with the text at every
//! moment, and equal to those of a fresh parse once the typing has ended.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

/// So many that a quote which is not closed takes a while.
const FUNCTIONS: usize = 6_000;

fn source() -> String {
    (0..FUNCTIONS)
        .map(|n| format!("def name_{n}(a, b):\n    text = 'é {n}'\n    return a + b\n\n"))
        .collect()
}

/// A server whose client supports refresh, and a channel of the refresh requests.
fn start_with_refresh() -> (Server, Receiver<()>) {
    let (sender, refreshed) = channel();
    let server = Server::builder("")
        .capability("workspace/semanticTokens", json!({ "refreshSupport": true }))
        .start();
    server.answer_requests(move |request, _| {
        if request.method == "workspace/semanticTokens/refresh" {
            let _ = sender.send(());
        }
        client::Answer::Result(Value::Null)
    });
    (server, refreshed)
}

fn first_lines(server: &Server, path: &str, from: u32) -> Value {
    let range = json!({
        "textDocument": { "uri": server.uri(path) },
        "range": {
            "start": { "line": from, "character": 0 }, "end": { "line": from + 40, "character": 0 } },
    });
    server.request("textDocument/semanticTokens/range", range).unwrap()["data"].clone()
}

/// The keywords that tokens from the line `from` on call so.
fn keywords(server: &Server, data: &Value, from: usize, text: &str) -> Vec<String> {
    let legend = server.initialized().pointer("/capabilities/semanticTokensProvider/legend");
    let kinds = &legend.unwrap()["tokenTypes"];
    let number = |n: &Value| usize::try_from(n.as_u64().unwrap()).unwrap();
    let numbers: Vec<usize> = data.as_array().unwrap().iter().map(number).collect();
    let lines: Vec<Vec<u16>> =
        text.split('\n').take(from + 50).map(|l| l.encode_utf16().collect()).collect();
    let (mut line, mut start, mut words) = (0, 0, Vec::new());
    for token in numbers.chunks(5) {
        start = if token[0] == 0 { start + token[1] } else { token[1] };
        line += token[0];
        if kinds[token[3]] == "keyword" {
            words.push(String::from_utf16(&lines[line][start..start + token[2]]).unwrap());
        }
    }
    words
}

#[test]
fn stale_highlights_are_shifted_and_replaced_by_fresh_ones() {
    let (server, refreshed) = start_with_refresh();
    server.open_text("long.py", &source());
    let all = first_lines(&server, "long.py", 0);
    assert_eq!(keywords(&server, &all, 0, &source()).len(), 20);
    // A quote that is not closed, far above what is looked at, then words and lines before that.
    let mut slowest = Duration::ZERO;
    for (n, typed) in ["'", "\"\"\"", "x", "\n", "é", "\n\n", "(", "y"].iter().enumerate() {
        let at = json!({ "line": n, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": typed });
        server.type_in("long.py", &[change]);
        let begun = Instant::now();
        let data = first_lines(&server, "long.py", 30);
        slowest = slowest.max(begun.elapsed());
        for word in keywords(&server, &data, 30, &server.buffer("long.py")) {
            assert!(["def", "return"].contains(&word.as_str()), "{word:?} after {typed:?}");
        }
    }
    // Bounded also by a build that is not made to be fast, beside other tests.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    let fresh = |server: &Server| {
        server.open_text("again.py", &server.buffer("long.py"));
        let answers = [0, 30].map(|from| first_lines(server, "again.py", from));
        server.close_file("again.py");
        answers
    };
    // A client that got an incomplete answer is asked to refresh when it is complete.
    let expected = fresh(&server);
    let until = Instant::now() + RESPONSE_TIMEOUT;
    while [0, 30].map(|from| first_lines(&server, "long.py", from)) != expected {
        assert!(Instant::now() < until, "no fresh answer");
        refreshed.recv_timeout(RESPONSE_TIMEOUT).unwrap();
    }
    // The outline waits, and so do definitions.
    let symbols = server.symbols("long.py");
    server.open_text("again.py", &server.buffer("long.py"));
    assert_eq!(symbols, server.symbols("again.py"));
}

#[test]
fn clients_without_refresh_support_wait() {
    let server = Server::start("");
    server.open_text("long.py", &source());
    first_lines(&server, "long.py", 0);
    let at = json!({ "line": 0, "character": 0 });
    let change = json!({ "range": { "start": at, "end": at }, "text": "\"\"\"" });
    server.type_in("long.py", &[change]);
    let answered = first_lines(&server, "long.py", 0);
    server.open_text("again.py", &server.buffer("long.py"));
    assert_eq!(answered, first_lines(&server, "again.py", 0));
}

/// Code inside of code, of which a text has more than one look has time for.
#[test]
fn injected_languages_come_later_if_the_client_supports_refresh() {
    let source: String = (0..3_000)
        .map(|n| {
            format!("/// A *word* and `code` {n}.\n///\n/// - one\n/// - [two](b{n})\nfn f{n}() {{}}\n\n")
        })
        .collect();
    let all = |server: &Server| -> Value {
        let document = json!({ "textDocument": { "uri": server.uri("long.rs") } });
        server.request("textDocument/semanticTokens/full", document).unwrap()["data"].clone()
    };
    let waiting = Server::start("");
    waiting.open_text("long.rs", &source);
    let whole = all(&waiting);
    let (server, refreshed) = start_with_refresh();
    server.open_text("long.rs", &source);
    let first = all(&server);
    assert!(first.as_array().unwrap().len() < whole.as_array().unwrap().len(), "nothing is late");
    refreshed.recv_timeout(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(all(&server), whole);
}
