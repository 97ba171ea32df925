//! Formatting by the project's own formatter, and by syntax where there is none.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, Server};

const SOURCE: &str = "one  \r\ntwo\r\nthree  \r\n";

/// A project whose formatter, a script of its own, is `body`; the person answers with `title`.
fn project(body: &str, title: &'static str) -> (Home, Client, Arc<Mutex<Vec<Value>>>) {
    project_in(body, title, true)
}

/// The same in an editor that has asked the person whether they trust it, or does not.
fn project_in(
    body: &str,
    title: &'static str,
    is_trusted: bool,
) -> (Home, Client, Arc<Mutex<Vec<Value>>>) {
    let home = Home::new();
    let write = |path: &str, text: &str| {
        let path = home.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    write("package.json", "{ \"prettier\": {} }\n");
    write("a.js", SOURCE);
    write("plain/a.rb", "def f\na\nend\n");
    let script = write("node_modules/.bin/prettier", &format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Without a prettier of the machine's own.
    let client = Client::spawn(home.command().arg("lsp").env("PATH", "/usr/bin:/bin")).unwrap();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params.clone());
        Answer::Result(json!({ "title": title }))
    });
    let window = json!({ "showMessage": {} });
    let experimental = json!({ "workspaceTrust": is_trusted });
    let capabilities = json!({ "window": window, "experimental": experimental });
    client.initialize(&home.root(), capabilities).unwrap();
    (home, client, questions)
}

fn uri(home: &Home, path: &str) -> String {
    format!("file://{}", home.root().join(path).display())
}

fn format(home: &Home, client: &Client, lines: Option<[u32; 2]>) -> Result<Value, Value> {
    let mut params = json!({
        "textDocument": { "uri": uri(home, "a.js") },
        "options": { "tabSize": 2, "insertSpaces": true },
    });
    let mut method = "textDocument/formatting";
    if let Some([start, end]) = lines {
        method = "textDocument/rangeFormatting";
        let place = |line: u32| json!({ "line": line, "character": 0 });
        params["range"] = json!({ "start": place(start), "end": place(end) });
    }
    client.request(method, params).map_err(|error| error.response().unwrap().data.clone())
}

const STRIP: &str = "sed 's/[ \\r]*$//'";

#[test]
fn the_projects_formatter_runs_and_returns_minimal_edits() {
    let (home, client, questions) = project(STRIP, "Deny");
    let edits = format(&home, &client, None).unwrap();
    let told = edits.as_array().unwrap().iter().map(|edit| {
        (edit["range"]["start"]["line"].as_u64().unwrap(), edit["newText"].as_str().unwrap())
    });
    assert_eq!(told.collect::<Vec<_>>(), [(0, "one\r\n"), (2, "three\r\n")]);
    assert!(questions.lock().unwrap().is_empty(), "who asks for formatting has said so");
    let some = format(&home, &client, Some([2, 3])).unwrap();
    assert_eq!(some.as_array().unwrap().len(), 1);
    assert_eq!(some[0]["range"]["start"]["line"], 2);
    assert_eq!(std::fs::read_to_string(home.root().join("a.js")).unwrap(), SOURCE);
}

/// The client applies formatting edits itself: the server sends it no `workspace/applyEdit`.
#[test]
fn clients_without_apply_edit_get_their_unsaved_text_formatted() {
    let (home, client, _) = project(STRIP, "Allow once");
    let open = json!({ "textDocument": {
        "uri": uri(&home, "a.js"), "languageId": "javascript", "version": 1,
        "text": "kept\nnot saved  \n",
    } });
    client.notify("textDocument/didOpen", open).unwrap();
    let edits = format(&home, &client, None).unwrap();
    assert_eq!(edits.as_array().map(Vec::len), Some(1), "{edits}");
    assert_eq!(
        (&edits[0]["range"]["start"]["line"], &edits[0]["newText"]),
        (&json!(1), &json!("not saved\n"))
    );
    let call = json!([{ "path": "a.js" }]);
    let error = client.execute_command("tandem.format_file", call).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_UNSUPPORTED");
}

#[test]
fn the_tool_writes_it_and_it_is_undone() {
    let (home, client, _) = project(STRIP, "Allow once");
    let done = client.execute_command("tandem.format_file", json!([{ "path": "a.js" }])).unwrap();
    assert_eq!((&done["formatter"], &done["changed"]), (&json!("prettier"), &json!(true)));
    let read = || std::fs::read_to_string(home.root().join("a.js")).unwrap();
    assert_eq!(read(), "one\r\ntwo\r\nthree\r\n");
    client.execute_command("tandem.undo_action", json!([{}])).unwrap();
    assert_eq!(read(), SOURCE);
}

#[test]
fn without_workspace_trust_a_workspace_formatter_needs_approval() {
    let (home, client, questions) = project_in("touch ran; cat", "Deny", false);
    assert_eq!(format(&home, &client, None).unwrap_err()["code"], "E_DENIED");
    let shown = questions.lock().unwrap()[0]["message"].as_str().unwrap().to_owned();
    assert!(shown.contains("node_modules/.bin/prettier --stdin-filepath"), "{shown}");
    assert!(!home.root().join("ran").exists());
    let (home, client, questions) = project_in(STRIP, "Allow once", false);
    assert_eq!(format(&home, &client, None).unwrap().as_array().unwrap().len(), 2);
    assert_eq!(questions.lock().unwrap().len(), 1);
}

#[test]
fn an_agent_needs_approval_and_the_request_begins_with_the_command() {
    let (home, client, questions) = project("touch ran; cat", "Deny");
    let call = json!([{ "path": "a.js" }]);
    let error = client.execute_command("tandem.format_file", call).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_DENIED");
    assert!(!home.root().join("ran").exists());
    let asked = questions.lock().unwrap()[0].clone();
    let summary = asked["tandem"]["summary"].as_str().unwrap();
    assert!(summary.starts_with("run `"), "{summary}");
    assert!(summary.contains("node_modules/.bin/prettier --stdin-filepath"), "{summary}");
    assert!(summary.ends_with(" · no network · also write a.js"), "{summary}");
    assert!(asked["message"].as_str().unwrap().contains("prettier --stdin-filepath"), "{asked}");
}

#[test]
fn deny_rules_hold_for_commands_started_by_a_person() {
    let (home, client, questions) = project("touch ran; cat", "Allow once");
    let settings = home.root().join(".tandem/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(settings, "[policy.deny]\ntools = [\"format_file\"]\n").unwrap();
    assert_eq!(format(&home, &client, None).unwrap_err()["code"], "E_DENIED");
    assert!(questions.lock().unwrap().is_empty());
    assert!(!home.root().join("ran").exists());
}

#[test]
fn a_missing_formatter_is_reported_before_approval_is_asked_for() {
    let (home, client, questions) = project(STRIP, "Allow once");
    std::fs::remove_file(home.root().join("node_modules/.bin/prettier")).unwrap();
    let call = json!([{ "path": "a.js" }]);
    let error = client.execute_command("tandem.format_file", call).unwrap_err();
    for data in [error.response().unwrap().data.clone(), format(&home, &client, None).unwrap_err()]
    {
        assert_eq!(data["code"], "E_UNAVAILABLE", "{data}");
        assert_eq!(data["details"]["formatter"], "prettier", "{data}");
        assert!(data["hint"].as_str().unwrap().contains("install"), "{data}");
    }
    assert!(questions.lock().unwrap().is_empty());
}

#[test]
fn a_formatter_cannot_write_and_refused_text_stays() {
    let (home, client, _) = project("touch ran; echo bad text >&2; exit 2", "Allow once");
    assert_eq!(format(&home, &client, None).unwrap(), Value::Null);
    let call = json!([{ "path": "a.js" }]);
    let error = client.execute_command("tandem.format_file", call).unwrap_err();
    let error = error.response().unwrap().data.clone();
    assert_eq!(error["code"], "E_UNSUPPORTED");
    assert!(error["message"].as_str().unwrap().contains("bad text"), "{error}");
    assert!(!home.root().join("ran").exists());
    assert_eq!(std::fs::read_to_string(home.root().join("a.js")).unwrap(), SOURCE);
}

#[test]
fn many_changes_arrive_whole() {
    let (home, client, _) = project(STRIP, "Allow once");
    let long = "a  \nb\n".repeat(5_000);
    std::fs::write(home.root().join("a.js"), &long).unwrap();
    let edits = format(&home, &client, None).unwrap();
    assert_eq!(edits.as_array().unwrap().len(), 5_000);
}

#[test]
fn without_a_formatter_lines_are_indented_by_syntax() {
    let server = Server::start(
        "\
//- /a.rs
fn f() {
if a {
    b();
        }
}
//- /a.py
if a:
  b
//- /b.rs
fn (
",
    );
    let error = server.must_fail("format_file", json!({ "path": "a.rs" }), "E_UNSUPPORTED");
    assert!(error.message.contains("Cargo.toml"), "{}", error.message);
    server.must("reindent", json!({ "path": "a.rs" }));
    assert_eq!(server.disk_text("a.rs"), "fn f() {\n    if a {\n        b();\n    }\n}\n");
    server.must_fail("reindent", json!({ "path": "a.py" }), "E_UNSUPPORTED");
    server.must_fail("reindent", json!({ "path": "b.rs" }), "E_UNSUPPORTED");
}

#[test]
fn a_formatter_that_hangs_is_killed() {
    let (home, client, _) = project("sleep 3600", "Allow once");
    let start = std::time::Instant::now();
    let error = format(&home, &client, None).unwrap_err();
    assert_eq!(error["code"], "E_TIMEOUT", "{error}");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// What a folder above the workspace says is none of the project's business; the formatter next to
/// a file is the file's.
#[test]
fn the_nearest_formatter_inside_the_project_is_used() {
    let (home, client, questions) = project("echo outer", "Allow once");
    let write = |path: &str, text: &str| {
        let path = home.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("inner/b.js", "b\n");
    write("inner/node_modules/.bin/prettier", "#!/bin/sh\necho inner\n");
    write("../pyproject.toml", "[tool.black]\n");
    write("c.py", "c\n");
    let file = |path: &str| json!([{ "path": path }]);
    client.execute_command("tandem.format_file", file("inner/b.js")).unwrap();
    assert_eq!(std::fs::read_to_string(home.root().join("inner/b.js")).unwrap(), "inner\n");
    let error = client.execute_command("tandem.format_file", file("c.py")).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_UNSUPPORTED");
    assert_eq!(questions.lock().unwrap().len(), 1);
}
