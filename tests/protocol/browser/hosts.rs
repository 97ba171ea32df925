//! Hosts: every connection of the browser is decided on by policy.

use serde_json::json;

use super::has_browser;
use super::site::Site;
use crate::network::Session;

#[test]
fn a_page_reaches_no_host_that_was_not_approved() {
    if !has_browser("a_page_reaches_no_host_that_was_not_approved") {
        return;
    }
    let other = Site::start_at("127.0.0.2", None);
    let site = Site::start_at("127.0.0.1", Some(other.address));
    let session = Session::on_loopback();
    let opened = session.open(&site.url("/others"));
    let blocked = opened["blocked"].to_string();
    assert!(blocked.contains("127.0.0.2"), "{opened}");
    // The person was asked about the host once, not for each request.
    let asked = session.questions();
    assert_eq!(
        asked.iter().filter(|question| question.contains("127.0.0.2")).count(),
        1,
        "{asked:?}"
    );
    // Scripts of the agent are no way around it, nor are the worker's.
    let script =
        format!("fetch('{}').then(() => 'reached', () => 'refused')", other.url("/script"));
    assert_eq!(session.evaluate_after_approval(&script), "refused");
    std::thread::sleep(std::time::Duration::from_millis(500));
    session.call("browser_snapshot", json!({})).unwrap();
    assert_eq!(other.requests(), Vec::<String>::new());
    assert!(site.requests().contains(&"/worker.js".to_owned()), "{:?}", site.requests());
}

#[test]
fn an_approved_host_is_reached_by_everything() {
    if !has_browser("an_approved_host_is_reached_by_everything") {
        return;
    }
    let other = Site::start_at("127.0.0.2", None);
    let site = Site::start_at("127.0.0.1", Some(other.address));
    let session = Session::start("", |_| "Allow once");
    session.open(&site.url("/others"));
    for _ in 0..100 {
        if other.requests().len() >= 5 {
            break;
        }
        session.call("browser_wait", json!({ "text": "nothing", "gone": true })).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let seen = other.requests();
    for path in ["/picture", "/script", "/fetch", "/socket", "/worker"] {
        assert!(seen.iter().any(|seen| seen == path), "{path}: {seen:?}");
    }
}

#[test]
fn a_redirect_to_another_host_needs_its_own_approval() {
    if !has_browser("a_redirect_to_another_host_needs_its_own_approval") {
        return;
    }
    let other = Site::start_at("127.0.0.2", None);
    let site = Site::start_at("127.0.0.1", Some(other.address));
    let session = Session::on_loopback();
    let message = session.refused("navigate", json!({ "url": site.url("/away") }), "E_DENIED");
    assert!(message.contains("127.0.0.2"), "{message}");
    assert_eq!(other.requests(), Vec::<String>::new());
    for url in [
        "file:///etc/passwd",
        "chrome://version",
        "view-source:http://127.0.0.1/",
        "javascript:alert(1)",
    ] {
        session.refused("navigate", json!({ "url": url }), "E_INVALID_PARAMS");
    }
    session.refused("navigate", json!({ "url": "http://169.254.169.254/latest" }), "E_DENIED");
    session.refused("navigate", json!({ "url": other.url("/") }), "E_DENIED");
}

impl Session {
    /// Runs a script whose host the rules allow.
    fn evaluate_after_approval(&self, script: &str) -> serde_json::Value {
        let result = self.call("browser_evaluate", json!({ "expression": script })).unwrap();
        result["value"].clone()
    }
}
