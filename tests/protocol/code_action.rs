//! `textDocument/codeAction` and its tools: what is offered, resolved, refused and done.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /main.py
def size(a):
    return f(1, a.size * 2)


def odd(a):
    return a and f(a.size)
";

fn server(resolve: bool, disabled: bool) -> Server {
    let mut setup = Server::builder(FIXTURE)
        .capability("workspace/workspaceEdit/documentChanges", json!(true))
        .capability(
            "textDocument/codeAction/codeActionLiteralSupport",
            json!({ "codeActionKind": { "valueSet": [] } }),
        )
        .capability("textDocument/codeAction/disabledSupport", json!(disabled));
    if resolve {
        setup = setup.capability("textDocument/codeAction/dataSupport", json!(true)).capability(
            "textDocument/codeAction/resolveSupport",
            json!({ "properties": ["edit"] }),
        );
    }
    setup.start()
}

fn code_actions(server: &Server, line: u32, from: u32, to: u32, only: &Value) -> Vec<Value> {
    let range = json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
    let mut context = json!({ "diagnostics": [] });
    if !only.is_null() {
        context["only"] = only.clone();
    }
    let uri = server.uri("main.py");
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": context });
    let found = server.request("textDocument/codeAction", params).unwrap();
    found.as_array().unwrap().clone()
}

fn titled<'a>(all: &'a [Value], title: &str) -> Option<&'a Value> {
    all.iter().find(|a| a["title"] == title)
}

const TITLE: &str = "Extract into variable";

#[test]
fn edits_are_included_or_resolved_on_demand() {
    let server = server(false, false);
    let all = code_actions(&server, 1, 16, 26, &Value::Null);
    let edits = &titled(&all, TITLE).unwrap()["edit"]["documentChanges"][0]["edits"];
    assert_eq!(edits[0]["newText"], "value = a.size * 2\n    ");
    let server = self::server(true, false);
    let all = code_actions(&server, 1, 16, 26, &Value::Null);
    let action = titled(&all, TITLE).unwrap();
    assert!(action.get("edit").is_none());
    assert_eq!(action["kind"], "refactor.extract.variable");
    let resolved = server.request("codeAction/resolve", action.clone()).unwrap();
    assert_eq!(resolved["edit"]["documentChanges"][0]["edits"], *edits);
}

#[test]
fn code_actions_filter_by_kind_and_report_disabled_ones() {
    let server = server(true, true);
    assert!(titled(&code_actions(&server, 1, 16, 26, &json!(["refactor"])), TITLE).is_some());
    assert!(code_actions(&server, 1, 16, 26, &json!(["refactor.ext"])).is_empty());
    assert!(code_actions(&server, 1, 16, 26, &json!(["quickfix"])).is_empty());
    let all = code_actions(&server, 5, 19, 25, &Value::Null);
    let refused = titled(&all, TITLE).unwrap();
    assert!(refused["disabled"]["reason"].as_str().unwrap().contains("once"));
    let server = self::server(true, false);
    assert!(titled(&code_actions(&server, 5, 19, 25, &Value::Null), TITLE).is_none());
}

#[test]
fn an_outdated_item_is_not_resolved() {
    let server = server(true, false);
    server.open_file("main.py");
    let all = code_actions(&server, 1, 16, 26, &Value::Null);
    let action = titled(&all, TITLE).unwrap().clone();
    server.replace_text("main.py", "def odd", "def even");
    let error = server.request("codeAction/resolve", action).unwrap_err();
    assert!(error.to_string().contains("-32801"), "{error}");
}

#[test]
fn a_client_without_actions_gets_commands() {
    let server = Server::start(FIXTURE);
    let all = code_actions(&server, 1, 16, 26, &Value::Null);
    let command = titled(&all, TITLE).unwrap();
    assert_eq!(command["command"], "tandem.apply_code_action");
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let done = server.request("workspace/executeCommand", params).unwrap();
    assert_eq!(done["changed"], true);
    assert!(server.read("main.py").contains("    value = a.size * 2\n    return f(1, value)\n"));
}

#[test]
fn agents_list_and_apply() {
    let server = Server::start(FIXTURE);
    let place = json!({ "path": "main.py", "start_line": 2, "code": "a.size * 2" });
    let listed = server.must("code_actions", place);
    assert_eq!(listed["actions"][0]["action"], "extract_variable");
    let mut params = json!({
        "path": "main.py", "start_line": 2, "code": "a.size * 2", "action": "extract_variable",
        "name": "twice", "dry_run": true, "expected_hash": listed["hash"],
    });
    let dry = server.must("apply_code_action", params.clone());
    assert!(dry["files"][0]["diff"].as_str().unwrap().contains("+    twice = a.size * 2"));
    assert!(!server.read("main.py").contains("twice"));
    params["dry_run"] = json!(false);
    let done = server.must("apply_code_action", params.clone());
    assert!(server.read("main.py").contains("return f(1, twice)"));
    server.must("undo_action", json!({ "action": done["action"] }));
    assert!(!server.read("main.py").contains("twice"));
    params["expected_hash"] = json!("00");
    server.must_fail("apply_code_action", params, "E_CONFLICT");
    let lazy = json!({ "path": "main.py", "start_line": 6, "code": "a.size", "action": "extract_variable" });
    server.must_fail("apply_code_action", lazy, "E_UNSUPPORTED");
    let none = json!({ "path": "main.py", "start_line": 6, "action": "make_coffee" });
    server.must_fail("apply_code_action", none, "E_NO_MATCH");
}

#[test]
fn syntax_queries_work_without_name_resolution() {
    let server = Server::start(
        r#"
//- /a.html
<script>
  f([1, 2]);
</script>
//- /b.json
{ "b": 1, "a": 2 }
"#,
    );
    let place = json!({ "path": "a.html", "start_line": 2, "code": "[1, 2]" });
    let listed = server.must("code_actions", place.clone());
    let all: Vec<&str> = listed["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["action"].as_str().unwrap())
        .collect();
    assert_eq!(all, ["expand_list", "toggle_comment", "toggle_block_comment"]);
    let mut params = place;
    params["action"] = json!("expand_list");
    let done = server.must("apply_code_action", params.clone());
    assert!(server.read("a.html").contains("  f([\n    1,\n    2\n  ]);\n"));
    server.must("undo_action", json!({ "action": done["action"] }));
    params["action"] = json!("flip_comparison");
    server.must_fail("apply_code_action", params, "E_NO_MATCH");
    let keys = json!({ "path": "b.json", "start_line": 1, "action": "sort_items" });
    server.must("apply_code_action", keys);
    assert_eq!(server.read("b.json"), "{ \"a\": 2, \"b\": 1 }\n");
}

#[test]
fn a_missing_bracket_is_a_quick_fix() {
    let server = server(false, false);
    server.open_file("main.py");
    server.replace_text("main.py", "f(1, a.size * 2)", "f(1, a.size * 2");
    let all = code_actions(&server, 1, 16, 16, &json!(["quickfix"]));
    let edit = &titled(&all, "Add missing `)`").unwrap()["edit"]["documentChanges"][0]["edits"];
    assert_eq!(
        edit,
        &json!([{ "range": {
        "start": { "line": 1, "character": 26 }, "end": { "line": 1, "character": 26 } }, "newText": ")" }])
    );
}

#[test]
fn a_quick_fix_lists_its_diagnostic() {
    let server = server(false, false);
    server.open_file("main.py");
    server.replace_text("main.py", "def size(a):", "import os\ndef size(a):");
    server.replace_text("main.py", "f(1, a.size * 2)", "f(1, a.size * 2");
    let uri = server.uri("main.py");
    let document = json!({ "textDocument": { "uri": uri } });
    let known = server.request("textDocument/diagnostic", document).unwrap()["items"].clone();
    let error = known.as_array().unwrap().iter().find(|d| d["severity"] == 1).unwrap().clone();
    let other = json!({ "range": error["range"], "message": "no", "source": "another" });
    let fixes = |diagnostics: &Value| {
        let params = json!({
            "textDocument": { "uri": uri }, "range": error["range"],
            "context": { "diagnostics": diagnostics, "only": ["quickfix"] },
        });
        let all = server.request("textDocument/codeAction", params).unwrap();
        titled(all.as_array().unwrap(), "Add missing `)`").unwrap().clone()
    };
    assert_eq!(fixes(&json!([other, error]))["diagnostics"], json!([error]));
    // What the client does not know is not named.
    assert_eq!(fixes(&json!([])).get("diagnostics"), None);
}

#[test]
fn a_quick_fix_of_a_name_lists_its_diagnostic() {
    let server = server(false, false);
    server.open_file("main.py");
    server.replace_text("main.py", "def size(a):", "import os\ndef size(a):");
    let uri = server.uri("main.py");
    let place = json!({ "line": 0, "character": 7 });
    let range = json!({ "start": place, "end": place });
    let is_unused = |found: &&Value| found["code"] == "unused-import";
    let known = server.diagnostics("main.py", |all| all.iter().any(|d| is_unused(&d)));
    let found = known.iter().find(is_unused).unwrap();
    let params = json!({
        "textDocument": { "uri": uri }, "range": range,
        "context": { "diagnostics": [found], "only": ["quickfix"] },
    });
    let all = server.request("textDocument/codeAction", params).unwrap();
    let fix = titled(all.as_array().unwrap(), "Remove the unused import of `os`").unwrap();
    assert_eq!(fix["diagnostics"], json!([found]));
}

const CLASSES: &str = "
//- /main.py
from abc import ABC, abstractmethod


class Base(ABC):
    @abstractmethod
    def area(self): ...


class Whole(Base):
    def area(self):
        return 1


class Part(Base):
    def other(self):
        return 1
//- /whole.py
x = 1
";

/// What would be refused when chosen is not offered, or shown with the reason.
#[test]
fn actions_that_would_be_refused_are_not_offered() {
    const ADD: &str = "Add the missing members";
    const MOVE: &str = "Move `Whole` to a file of its own";
    for disabled in [true, false] {
        let server = Server::builder(CLASSES)
            .capability("workspace/workspaceEdit/documentChanges", json!(true))
            .capability("workspace/workspaceEdit/resourceOperations", json!(["create"]))
            .capability(
                "textDocument/codeAction/codeActionLiteralSupport",
                json!({ "codeActionKind": { "valueSet": [] } }),
            )
            .capability("textDocument/codeAction/dataSupport", json!(true))
            .capability("textDocument/codeAction/resolveSupport", json!({ "properties": ["edit"] }))
            .capability("textDocument/codeAction/disabledSupport", json!(disabled))
            .start();
        server.open_file("main.py");
        server.wait_until_read();
        let part = code_actions(&server, 13, 6, 6, &Value::Null);
        assert!(titled(&part, ADD).is_some(), "{part:?}");
        let whole = code_actions(&server, 8, 6, 6, &Value::Null);
        assert!(titled(&whole, ADD).is_none(), "{whole:?}");
        // `whole.py` is there already.
        match (disabled, titled(&whole, MOVE)) {
            (true, Some(shown)) => {
                let reason = shown["disabled"]["reason"].as_str().unwrap();
                assert!(reason.contains("is there already"), "{reason}");
            }
            (false, None) => {}
            other => panic!("{other:?}"),
        }
        // All that is offered can be had.
        for line in 0..17 {
            for action in code_actions(&server, line, 0, 12, &Value::Null) {
                if action["disabled"].is_null() {
                    server.request("codeAction/resolve", action.clone()).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_generated_name_is_renamed_if_the_client_supports_it() {
    let server = Server::builder(FIXTURE)
        .capability("workspace/workspaceEdit/documentChanges", json!(true))
        .capability(
            "textDocument/codeAction/codeActionLiteralSupport",
            json!({ "codeActionKind": { "valueSet": [] } }),
        )
        .capability("experimental/commands", json!({ "commands": ["tandem.rename"] }))
        .start();
    let all = code_actions(&server, 1, 16, 26, &Value::Null);
    let command = &titled(&all, TITLE).unwrap()["command"];
    assert_eq!(command["command"], "tandem.rename", "{command}");
    // `    value = a.size * 2` and, below, `    return f(1, value)`.
    let place = json!({ "line": 2, "character": 16 });
    assert_eq!(command["arguments"], json!([server.uri("main.py"), place]));
    let server = self::server(false, false);
    let all = code_actions(&server, 1, 16, 26, &Value::Null);
    assert!(titled(&all, TITLE).unwrap()["command"].is_null());
}

/// In a project where finding out takes longer than a menu has, what is offered can be had all the same.
#[test]
fn actions_not_checked_in_time_are_not_offered() {
    let mut files = String::from(
        "\
//- /main.py
SIZE = 1


def contains(a):
    return SIZE + a


def plain(a):
    return a
",
    );
    for n in 0..400 {
        files.push_str(&format!("//- /user{n}.py\nimport main\n\n"));
        for line in 0..150 {
            files.push_str(&format!("x{line} = [main.contains({line}), {{'a': ({line}, 'b')}}]\n"));
        }
    }
    let server = Server::builder(&files)
        .capability("workspace/workspaceEdit/documentChanges", json!(true))
        .capability("workspace/workspaceEdit/resourceOperations", json!(["create"]))
        .capability(
            "textDocument/codeAction/codeActionLiteralSupport",
            json!({ "codeActionKind": { "valueSet": [] } }),
        )
        .capability("textDocument/codeAction/dataSupport", json!(true))
        .capability("textDocument/codeAction/resolveSupport", json!({ "properties": ["edit"] }))
        .capability("textDocument/codeAction/disabledSupport", json!(true))
        .start();
    server.open_file("main.py");
    server.wait_until_read();
    for line in [0, 3, 7] {
        for action in code_actions(&server, line, 5, 5, &Value::Null) {
            if action["disabled"].is_null() {
                server.request("codeAction/resolve", action.clone()).unwrap();
            }
        }
    }
    // It is listed with the reason, whatever time there was.
    let all = code_actions(&server, 3, 5, 5, &json!(["refactor.move"]));
    let shown = titled(&all, "Move `contains` to a file of its own").unwrap();
    assert!(shown["disabled"]["reason"].is_string(), "{shown}");
}
