//! Files that responses are stored in.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::Session;
use super::http_server::HttpServer;

#[test]
fn a_body_is_stored_and_the_action_can_be_undone() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let file = session.home.root().join("down/load.bin");
    let params = json!({ "url": server.url("/binary"), "save_to": "down/load.bin" });
    let result = session.request(params.clone());
    assert!(result["body"].is_null() && result["saved"]["path"] == "down/load.bin", "{result}");
    assert_eq!(
        (std::fs::read(&file).unwrap().len(), &result["saved"]["size"]),
        (70_000, &json!(70_000))
    );
    session.refused("http_request", params, "E_EXISTS");
    let over = json!({ "url": server.url("/json"), "save_to": "down/load.bin", "overwrite": true });
    let result = session.request(over);
    assert_eq!(result["saved"]["overwritten"], true);
    assert_eq!(std::fs::read(&file).unwrap(), br#"{"answer":42}"#);
    session.call("undo_action", json!({ "id": result["action"] })).unwrap();
    assert_eq!(std::fs::read(&file).unwrap().len(), 70_000);
}

#[test]
fn nothing_is_stored_unless_the_body_is_whole_and_wanted() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let save = |path: &str| json!({ "url": server.url(path), "save_to": "out", "timeout_ms": 500 });
    let missing = session.request(save("/missing"));
    assert_eq!(
        (&missing["status"], &missing["body"]),
        (&json!(404), &json!("there is no such thing"))
    );
    session.refused("http_request", save("/broken"), "E_UNAVAILABLE");
    session.refused("http_request", save("/slow"), "E_TIMEOUT");
    let bomb = json!({ "url": server.url("/bomb"), "save_to": "out" });
    session.refused("http_request", bomb, "E_TOO_LARGE");
    assert!(!session.home.root().join("out").exists());
}

#[test]
fn files_stay_inside_the_workspace() {
    let (server, session) = (HttpServer::start(), Session::start("", |_| "Allow once"));
    let root = session.home.root();
    symlink("/tmp", root.join("out")).unwrap();
    std::fs::create_dir(root.join("folder")).unwrap();
    for (path, code) in [
        ("../out.txt", "E_PATH_FORBIDDEN"),
        ("/tmp/tandem-test-out", "E_PATH_FORBIDDEN"),
        ("out/x", "E_PATH_FORBIDDEN"),
        ("folder", "E_UNSUPPORTED"),
        (".git/config", "E_DENIED"),
        (".vscode/tasks.json", "E_DENIED"),
        (".", "E_PATH_FORBIDDEN"),
    ] {
        session.refused(
            "http_request",
            json!({ "url": server.url("/json"), "save_to": path }),
            code,
        );
        session.refused("web_fetch", json!({ "url": server.url("/page"), "save_to": path }), code);
    }
    for path in ["../up", "/etc/hostname", "out/x"] {
        let upload = json!({ "method": "POST", "url": server.url("/echo"), "body_path": path });
        session.refused("http_request", upload, "E_PATH_FORBIDDEN");
        let parts = json!([{ "name": "a", "path": path }]);
        let upload = json!({ "method": "POST", "url": server.url("/echo"), "multipart": parts });
        session.refused("http_request", upload, "E_PATH_FORBIDDEN");
    }
    assert_eq!(server.connections(), 0);
}
