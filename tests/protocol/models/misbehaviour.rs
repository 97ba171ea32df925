//! Servers that answer wrongly, too much, or not at all.

use std::time::{Duration, Instant};

use serde_json::json;

use super::model_server::ModelServer;
use super::{allowed, generate};

#[test]
fn garbage_is_a_clear_error() {
    let server = ModelServer::start();
    let session = allowed(&server, "");
    for backend in ["open", "local"] {
        for (model, code, wanted) in [
            ("page", "E_UNSUPPORTED", "its answer makes no sense"),
            ("nothing", "E_UNSUPPORTED", "it is empty"),
            ("other-json", "E_UNSUPPORTED", "it has no text"),
            ("gigabyte", "E_UNSUPPORTED", "more than 1048576 bytes"),
            ("broken", "E_UNAVAILABLE", "its answer is not whole, after 8 bytes of text"),
            ("reporting", "E_UNAVAILABLE", "it reports:"),
            ("gone", "E_UNAVAILABLE", "status 404: no such model"),
            ("redirecting", "E_UNAVAILABLE", "it redirects to http://localhost:"),
        ] {
            let params = json!({ "prompt": "x", "backend": backend, "model": model });
            let message = session.refused("ml_generate", params, code);
            assert!(message.contains(wanted), "{backend} {model}: {message}");
            assert!(message.contains(&format!("`{backend}`")), "{message}");
        }
    }
    let is_elsewhere = |line: &str| line.contains("/api/tags");
    assert!(
        !server.requests().iter().any(|request| is_elsewhere(&request.line)),
        "a redirect was followed"
    );
    assert!(server.sent() < 64 << 20, "{} bytes were taken", server.sent());
}

#[test]
fn what_ends_early_is_marked() {
    let server = ModelServer::start();
    let session = allowed(&server, "");
    let half = generate(&session, "half");
    assert_eq!((&half["response"], &half["truncated"]), (&json!("half an "), &json!(true)));
}

#[test]
fn a_model_that_never_ends_is_stopped() {
    let server = ModelServer::start();
    let session = allowed(&server, "timeout_secs = 2\n");
    let endless = generate(&session, "endless");
    assert_eq!(endless["truncated"], true);
    assert!(endless["response"].as_str().unwrap().len() <= 48_000);
    server.wait_until_abandoned();
    let few = json!({ "prompt": "x", "model": "endless", "max_tokens": 10 });
    let few = session.call("ml_generate", few).unwrap();
    assert!(
        few["response"].as_str().unwrap().len() < 4_000,
        "the server does not heed `max_tokens`"
    );
    for (model, wanted) in
        [("silent", "after 0 bytes of text"), ("slow", "its answer is not whole")]
    {
        let started = Instant::now();
        let params = json!({ "prompt": "x", "model": model });
        let message = session.refused("ml_generate", params, "E_TIMEOUT");
        assert!(message.contains(wanted), "{message}");
        assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
    }
}

#[test]
fn an_answer_reports_progress_and_can_be_cancelled() {
    let server = ModelServer::start();
    let session = allowed(&server, "");
    let command = json!({ "command": "tandem.ml_generate", "workDoneToken": "t",
        "arguments": [{ "prompt": "x", "model": "slow" }] });
    let call = session.client.start_request("workspace/executeCommand", command).unwrap();
    let is_report = |message: &serde_json::Value| {
        let text = message["value"]["message"].as_str().unwrap_or_default();
        text.starts_with("open: ") && text.ends_with(" bytes")
    };
    session.client.wait_for_notification("$/progress", Duration::from_secs(20), is_report).unwrap();
    let started = Instant::now();
    session.client.cancel(call.id).unwrap();
    let error = call.wait(Duration::from_secs(10)).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800, "{error:?}");
    server.wait_until_abandoned();
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}
