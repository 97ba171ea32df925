//! What is asked before a model is reached, and where its address comes from.

use serde_json::json;
use tests::Home;

use super::model_server::ModelServer;
use super::{allowed, must};
use crate::network::{ALLOW_LOOPBACK, Session};

#[test]
fn nothing_is_sent_without_approval() {
    let server = ModelServer::start();
    let denied = Session::start(&server.settings(), |_| "Deny");
    let place = format!("127.0.0.1:{} (loopback)", server.address.port());
    for (tool, params) in [
        ("ml_generate", json!({ "prompt": "the prompt" })),
        ("ml_probe", json!({})),
        ("ml_score", json!({ "prompt": "a", "response": "b", "suites": "semantic" })),
        ("ml_backends", json!({})),
        ("list_llm_models", json!({})),
        ("embed", json!({ "text": "a", "backend": "open" })),
        ("ml_status", json!({ "influx_url": format!("http://{}", server.address) })),
    ] {
        denied.refused(tool, params, "E_DENIED");
        let question = denied.questions().pop().unwrap();
        assert!(question.contains(&place), "{tool}: {question}");
    }
    assert!(denied.questions()[0].contains("prompt: the prompt"), "{}", denied.questions()[0]);
    assert_eq!(server.requests().len(), 0);
    // Counting needs nobody.
    must(&denied, "ml_score", json!({ "prompt": "a", "response": "b" }));
    must(&denied, "ml_status", json!({}));
    assert_eq!(denied.questions().len(), 7);

    let once = Session::start(&server.settings(), |_| "Allow for this session");
    for _ in 0..2 {
        must(&once, "ml_generate", json!({ "prompt": "x" }));
    }
    assert_eq!(once.questions().len(), 1, "{:?}", once.questions());
}

#[test]
fn a_workspace_cannot_name_a_backend() {
    let server = ModelServer::start();
    let home = Home::new();
    let folder = home.root().join(".tandem");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), server.settings()).unwrap();
    let session = Session::start_in(home, ALLOW_LOOPBACK, &[], |_| "Deny");
    let error = session.call("ml_generate", json!({ "prompt": "x", "backend": "open" }));
    let error = error.unwrap_err();
    assert_eq!(error.code, "E_INVALID_PARAMS");
    assert!(error.message.contains("there is no backend `open`; there are: ollama"), "{error:?}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn without_settings_a_local_ollama_is_looked_for() {
    let session = Session::start("", |_| "Deny");
    for (tool, params) in [("ml_backends", json!({})), ("ml_generate", json!({ "prompt": "x" }))] {
        session.refused(tool, params, "E_DENIED");
        let question = session.questions().pop().unwrap();
        assert!(question.contains("localhost:11434 (loopback)"), "{question}");
    }
    let message = session.refused(
        "ml_score",
        json!({ "prompt": "a", "response": "b", "suites": "heuristic, semantic" }),
        "E_UNAVAILABLE",
    );
    assert!(message.contains("judges"), "{message}");
}

#[test]
fn a_session_spends_what_the_settings_allow() {
    let server = ModelServer::start();
    let session = allowed(&server, "session_tokens = 40\n");
    // Each run costs 11 + 5 tokens.
    for _ in 0..2 {
        must(&session, "ml_generate", json!({ "prompt": "x" }));
    }
    assert_eq!(server.requests()[1].body["max_tokens"], 23, "what is left without the prompt");
    must(&session, "ml_generate", json!({ "prompt": "x" }));
    let message = session.refused("ml_generate", json!({ "prompt": "x" }), "E_TOO_LARGE");
    assert!(message.contains("has spent 48 of its 40 tokens"), "{message}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn parameters_are_checked_before_anybody_is_asked() {
    let server = ModelServer::start();
    let session = Session::start(&server.settings(), |_| "Allow once");
    for (tool, params) in [
        ("ml_generate", json!({ "prompt": " " })),
        ("ml_generate", json!({ "prompt": "x", "temperature": 3 })),
        ("ml_generate", json!({ "prompt": "x", "max_tokens": 0 })),
        ("ml_generate", json!({ "prompt": "x", "max_tokens": 1_000_000 })),
        ("ml_generate", json!({ "prompt": "x", "backend": "other" })),
        ("ml_generate", json!({ "prompt": "x", "model": "a\nb" })),
        ("ml_generate", json!({ "prompt": "x".repeat(2 << 20) })),
        ("ml_score", json!({ "prompt": "x", "response": "" })),
        ("ml_score", json!({ "prompt": "x", "response": "y", "suites": "taste" })),
        ("ml_probe", json!({ "categories": "cooking" })),
        ("embed", json!({ "text": "" })),
        ("embed", json!({ "text": "x".repeat(1 << 20) })),
        ("ml_status", json!({ "influx_url": "ftp://x" })),
    ] {
        session.refused(tool, params, "E_INVALID_PARAMS");
    }
    let content = json!({ "prompt": "x", "response": "y", "suites": "content" });
    session.refused("ml_score", content, "E_UNSUPPORTED");
    assert_eq!((session.questions().len(), server.requests().len()), (0, 0));
}
