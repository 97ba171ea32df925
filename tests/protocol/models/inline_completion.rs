//! `textDocument/inlineCompletion`, from a model of the tests.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{Server, user_config};

use super::model_server::ModelServer;

const FILES: &str = "
//- /area.py
def area(width, height):
    return round()
//- /.env
TOKEN=
";

/// A server with these settings and a document that is open.
fn start(settings: &str, path: &str) -> Server {
    let builder = Server::builder(FILES);
    user_config(builder.home(), settings);
    let server = builder.start();
    server.open_file(path);
    server
}

const METHOD: &str = "textDocument/inlineCompletion";

fn params(server: &Server, path: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": server.uri(path) }, "context": { "triggerKind": 2 },
        "position": { "line": line, "character": character } })
}

fn complete(server: &Server, path: &str, line: u32, character: u32) -> Value {
    server.request(METHOD, params(server, path, line, character)).unwrap()
}

#[test]
fn the_model_of_the_settings_completes_at_the_cursor() {
    for backend in ["open", "local"] {
        let models = ModelServer::start();
        let settings = models.settings_with(&format!("inline_completion = \"{backend}\"\n"));
        let server = start(&settings, "area.py");
        let capabilities = &server.initialized()["capabilities"];
        assert_eq!(capabilities["inlineCompletionProvider"], true, "{capabilities}");
        // Typed text that is not on disk is sent.
        server.replace_text("area.py", "round()", "round(2 * )");
        let found = complete(&server, "area.py", 1, 21);
        assert_eq!(found, json!({ "items": [{ "insertText": "width * height" }] }));
        let sent = models.requests().pop().unwrap();
        let (before, after) = ("def area(width, height):\n    return round(2 * ", ")\n");
        assert_eq!((&sent.body["prompt"], &sent.body["suffix"]), (&json!(before), &json!(after)));
    }
}

#[test]
fn nothing_is_sent_where_nobody_wants_it() {
    let models = ModelServer::start();
    let off = start(&models.settings(), "area.py");
    assert!(off.initialized()["capabilities"].get("inlineCompletionProvider").is_none());
    assert_eq!(complete(&off, "area.py", 1, 17), Value::Null);
    let on = models.settings_with("inline_completion = \"open\"\n");
    let hidden = start(&format!("{on}[policy.deny]\nread = [\".env\"]\n"), ".env");
    assert_eq!(complete(&hidden, ".env", 0, 6), Value::Null);
    let denied = start(&format!("{on}[policy.deny]\nnetwork = [\"127.0.0.1\"]\n"), "area.py");
    assert_eq!(complete(&denied, "area.py", 1, 17), Value::Null);
    assert_eq!(models.requests().len(), 0);
    let gone = on.replace("model = \"plain\"", "model = \"plain\"\ncompletion_model = \"gone\"");
    assert_eq!(complete(&start(&gone, "area.py"), "area.py", 1, 17), Value::Null);
    assert_eq!(models.requests().len(), 1);
}

#[test]
fn a_cancelled_completion_ends_its_request() {
    let models = ModelServer::start();
    let settings = models.settings_with("inline_completion = \"open\"\n");
    let settings =
        settings.replace("model = \"plain\"", "model = \"plain\"\ncompletion_model = \"slow\"");
    let server = start(&settings, "area.py");
    let pending = server.start_request(METHOD, params(&server, "area.py", 1, 17)).unwrap();
    tests::wait_for("the request", || (!models.requests().is_empty()).then_some(()));
    server.cancel(pending.id).unwrap();
    let error = pending.wait(Duration::from_secs(10)).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800, "{error:?}");
    models.wait_until_abandoned();
}
