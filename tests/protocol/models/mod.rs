//! Tools that use language models, against a server of the tests that can misbehave.

pub(crate) mod model_server;

mod answers;
mod approval;
mod inline_completion;
mod keys;
mod misbehaviour;
mod scores;
mod vectors;

use serde_json::{Value, json};

use crate::network::{ALLOW_LOOPBACK, Session};
use model_server::ModelServer;

/// A session that may use the tests' own server, with further keys of the table `models`, or tables.
fn allowed(server: &ModelServer, more: &str) -> Session {
    let (keys, tables) = if more.starts_with('[') { ("", more) } else { (more, "") };
    let settings = format!("{}{tables}{ALLOW_LOOPBACK}", server.settings_with(keys));
    Session::start(&settings, |_| "Deny")
}

fn must(session: &Session, tool: &str, params: Value) -> Value {
    session.call(tool, params.clone()).unwrap_or_else(|e| panic!("{tool} {params}: {e:?}"))
}

/// Lets a model of the OpenAI backend answer.
fn generate(session: &Session, model: &str) -> Value {
    must(session, "ml_generate", json!({ "prompt": "Go on", "model": model }))
}
