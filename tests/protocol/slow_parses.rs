//! Texts that take minutes to parse: each parse ends after 10 s, and the result says so.

use std::time::{Duration, Instant};

use serde_json::json;
use tests::Server;

/// The 10 s of one parse, on a loaded machine.
const PARSE_TIMEOUT: Duration = Duration::from_secs(30);

/// Tags that are never closed: each one that comes has the parser look at all before it.
fn slow() -> String {
    "<div>".repeat(100_000)
}

#[test]
fn outlines_report_an_unparsed_text() {
    let server = Server::start("//- /b.txt\nb\n");
    server.write("a.html", slow());
    let outline = server.must("lsp_document_symbols", json!({ "uri": "a.html" }));
    assert_eq!(outline["not_parsed"], true, "{outline}");
    let overview = server.must("symbols_overview", json!({ "path": "a.html" }));
    assert_eq!(overview["files"][0]["not_parsed"], true, "{overview}");
    server.must_fail("find_symbol", json!({ "path": "a.html", "name_path": "x" }), "E_TIMEOUT");
}

#[test]
fn highlight_falls_back_to_plain_text() {
    let home = tests::Home::new();
    let file = home.root().join("a.html");
    std::fs::write(&file, slow()).unwrap();
    let begun = Instant::now();
    let output = home.command().arg("highlight").arg(&file).output().unwrap();
    assert!(begun.elapsed() < PARSE_TIMEOUT, "{:?}", begun.elapsed());
    assert_eq!(String::from_utf8_lossy(&output.stdout), slow());
    assert!(String::from_utf8_lossy(&output.stderr).contains("parsing timed out"));
}
