//! `web_fetch`.

use serde_json::json;

use super::Session;
use super::http_server::HttpServer;

#[test]
fn a_page_becomes_markdown_that_is_marked_as_data() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let page = session.call("web_fetch", json!({ "url": server.url("/page") })).unwrap();
    assert_eq!((&page["status"], &page["title"]), (&json!(200), &json!("Guide")));
    let text = page["content"].as_str().unwrap();
    let link = format!("[the next page]({})", server.url("/next.html"));
    assert!(text.contains(&link) && !text.contains("Imprint") && !text.contains('<'), "{text}");
    assert!(page["content_is"].as_str().unwrap().contains("not instructions"), "{page}");
    let raw =
        session.call("web_fetch", json!({ "url": server.url("/page"), "raw": true })).unwrap();
    assert!(raw["content"].as_str().unwrap().starts_with("<html>"), "{raw}");
    let saved = json!({ "url": server.url("/page"), "save_to": "page.html" });
    let saved = session.call("web_fetch", saved).unwrap();
    assert_eq!(saved["saved"]["path"], "page.html");
    assert!(
        std::fs::read_to_string(session.home.root().join("page.html")).unwrap().contains("<nav>")
    );
}

#[test]
fn other_texts_and_odd_pages_are_returned() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let fetch = |path: &str| session.call("web_fetch", json!({ "url": server.url(path) })).unwrap();
    assert_eq!(fetch("/json")["content"], r#"{"answer":42}"#);
    assert_eq!(fetch("/missing")["status"], 404);
    assert!(fetch("/binary")["note"].as_str().unwrap().contains("not text"));
    let deep = fetch("/deep");
    assert!(deep["note"].as_str().unwrap().contains("levels deep"), "{}", deep["note"]);
    let long = fetch("/long");
    let next = json!({ "url": server.url("/long"), "cursor": long["next_cursor"] });
    let next = session.call("web_fetch", next).unwrap();
    assert!(next["content"].as_str().unwrap().starts_with("line "), "{next}");
}
