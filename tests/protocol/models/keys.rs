//! Keys reach the backend that they are for, and nothing else.

use std::path::Path;

use serde_json::json;
use tests::Home;

use super::model_server::ModelServer;
use crate::network::{ALLOW_LOOPBACK, Session};

const KEY: &str = "sk-test-0123456789abcdef";

/// All files below a folder, with their content.
pub(super) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&path));
        } else if kind.is_file() {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found
}

#[test]
fn a_key_is_in_no_result_record_or_error() {
    let server = ModelServer::start();
    let url = format!("http://{}", server.address);
    let backend = |name: &str, variable: &str| {
        format!(
            "[models.backends.{name}]\nkind = \"openai\"\nurl = \"{url}\"\nkey_env = \"{variable}\"\n"
        )
    };
    let influx = format!("[models.influx]\nurl = \"{url}\"\nkey_env = \"MODEL_KEY\"\n");
    let settings = [
        backend("open", "MODEL_KEY"),
        backend("keyless", "NO_SUCH_KEY"),
        backend("odd", "ODD_KEY"),
        influx,
        ALLOW_LOOPBACK.to_owned(),
    ];
    let environment = [("MODEL_KEY", KEY), ("ODD_KEY", "line\nend")];
    let session =
        Session::start_in(Home::new(), &settings.concat(), &environment, |_| "Allow once");
    let call = |tool: &str, backend: &str, model: &str| {
        let params = match tool {
            "ml_generate" => json!({ "prompt": "x", "backend": backend, "model": model }),
            "embed" => json!({ "text": "x", "backend": backend, "model": model }),
            _ => json!({ "backend": backend, "model": model, "categories": "honesty" }),
        };
        session.call(tool, params)
    };
    let leaked = call("ml_generate", "open", "leaking").unwrap();
    assert_eq!(leaked["response"], "the key is [key].");
    assert_eq!(server.requests()[0].key, format!("Bearer {KEY}"));
    let mut errors = Vec::new();
    for model in ["refusing", "reporting", "gone"] {
        errors.push(call("ml_generate", "open", model).unwrap_err());
    }
    assert_eq!(errors[0].code, "E_PERMISSION");
    assert!(errors[0].message.contains("the key Bearer [key] is not valid"), "{errors:?}");
    let probed = call("ml_probe", "open", "refusing").unwrap();
    assert!(probed["results"][0]["response"].as_str().unwrap().starts_with("error: "), "{probed}");
    errors.push(call("embed", "open", "gone").unwrap_err());
    session.call("ml_status", json!({})).unwrap();
    let to_influx = server.requests().into_iter().find(|request| request.line.contains("/query"));
    assert_eq!(to_influx.unwrap().key, format!("Token {KEY}"));
    // Another server than that of the settings does not get the token.
    let other = ModelServer::start();
    let params = json!({ "influx_url": format!("http://{}", other.address) });
    session.call("ml_status", params).unwrap();
    assert!(
        other.requests().iter().all(|request| request.key.is_empty()),
        "{:?}",
        other.requests()
    );

    let sent = server.requests().len();
    let missing = call("ml_generate", "keyless", "plain").unwrap_err();
    assert_eq!(missing.code, "E_UNAVAILABLE");
    assert!(missing.message.contains("NO_SUCH_KEY is not set"), "{missing:?}");
    errors.push(missing);
    errors.push(call("ml_generate", "odd", "plain").unwrap_err());
    assert_eq!(server.requests().len(), sent);

    let listed = session.call("ml_backends", json!({})).unwrap();
    let audit = session.call("get_audit_log", json!({ "limit": 50 })).unwrap();
    let texts = format!("{leaked}{probed}{listed}{audit}{errors:?}{:?}", session.questions());
    assert!(!texts.contains(KEY) && !texts.contains("line\\nend"), "{texts}");
    let stored = files(&session.home.outside());
    assert!(stored.iter().any(|(path, _)| path.contains("model_runs")));
    for (path, bytes) in stored {
        let holds = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!holds, "{path}");
    }
}
