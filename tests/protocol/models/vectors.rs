//! Embeddings.

use serde_json::{Value, json};

use super::model_server::ModelServer;
use super::{allowed, must};
use crate::network::Session;

#[test]
fn texts_are_embedded_by_either_api() {
    let server = ModelServer::start();
    let session = allowed(&server, "");
    let wanted = json!({ "embedding": [0.25, -0.5, 1.0], "dimensions": 3, "model": "embed" });
    for params in [json!({ "text": "a" }), json!({ "text": "a", "backend": "local" })] {
        assert_eq!(must(&session, "embed", params), wanted);
    }
    let sent: Vec<_> = server.requests().into_iter().map(|request| request.line).collect();
    assert_eq!(sent, ["POST /v1/embeddings", "POST /api/embed"]);
}

#[test]
fn wrong_vectors_are_refused() {
    let server = ModelServer::start();
    let session = allowed(&server, "");
    for backend in ["open", "local"] {
        for (model, wanted) in [
            ("empty", "0 dimensions"),
            ("null", "no finite number"),
            ("zeros", "all its numbers are 0"),
            ("words", "no list of numbers"),
            ("huge", "20000 dimensions"),
            ("infinite", "its answer is no JSON"),
            ("nan", "its answer is no JSON"),
            ("two", "2 vectors for one text"),
        ] {
            let params = json!({ "text": "a", "backend": backend, "model": model });
            let message = session.refused("embed", params, "E_UNSUPPORTED");
            assert!(message.contains(wanted), "{backend} {model}: {message}");
        }
    }
    must(&session, "embed", json!({ "text": "a", "model": "changing" }));
    let message =
        session.refused("embed", json!({ "text": "a", "model": "changing" }), "E_CONFLICT");
    assert!(message.contains("dimensions, but"), "{message}");
    session.refused("embed", json!({ "text": "a", "model": "gone" }), "E_UNAVAILABLE");
}

#[test]
fn the_built_in_model_needs_no_backend() {
    let session = Session::start("", |_| "Deny");
    let embed = |text: &str| must(&session, "embed", json!({ "text": text }));
    let [retry, again, fish] =
        ["retry a failed request", "try the failed requests again", "a big fish"].map(embed);
    let length = retry["dimensions"].as_u64().unwrap();
    let numbers = |found: &Value| -> Vec<f64> {
        found["embedding"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect()
    };
    assert_eq!((numbers(&retry).len() as u64, &retry["model"]), (length, &fish["model"]));
    let cosine = |one: &Value, other: &Value| -> f64 {
        numbers(one).iter().zip(numbers(other)).map(|(a, b)| a * b).sum()
    };
    assert!(cosine(&retry, &again) > cosine(&retry, &fish) + 0.2, "{}", cosine(&retry, &again));
    must(&session, "embed", json!({ "text": "a", "model": "built-in" }));
    session.refused("embed", json!({ "text": "\u{4f60}\u{1f600}" }), "E_UNSUPPORTED");
    session.refused("embed", json!({ "text": "a", "model": "other" }), "E_UNAVAILABLE");
    assert_eq!(session.questions().len(), 0);
}
