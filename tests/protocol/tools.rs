//! Tools as commands: how they are called, and how they fail.

use serde_json::{Value, json};
use tests::{Server, ToolError};

const FIXTURE: &str = "//- /a.txt\nhere\n";

fn execute(server: &Server, params: Value) -> Result<Value, ToolError> {
    server
        .request("workspace/executeCommand", params)
        .map_err(|error| ToolError::from_client(&error))
}

#[test]
fn every_command_that_is_listed_can_be_called() {
    let server = Server::start(FIXTURE);
    let commands =
        server.initialized()["capabilities"]["executeCommandProvider"]["commands"].clone();
    for command in commands.as_array().unwrap() {
        assert!(command.as_str().unwrap().starts_with("tandem."), "{command}");
        let answer = execute(
            &server,
            json!({ "command": command, "arguments": [{ "no such parameter": 1 }] }),
        );
        let error = answer.unwrap_err();
        assert_eq!(error.code, "E_INVALID_PARAMS", "{command}: {}", error.data);
    }
}

#[test]
fn arguments_of_every_empty_form_are_no_arguments() {
    let server = Server::start(FIXTURE);
    for arguments in [json!([]), json!([[]]), json!([null]), json!([{}]), Value::Null] {
        // read_file needs a path: that it says so shows that it was reached.
        for command in ["tandem.read_file", "tandem.call"] {
            let error = execute(&server, json!({ "command": command, "arguments": arguments }))
                .unwrap_err();
            assert_eq!(error.code, "E_INVALID_PARAMS", "{command} {arguments}");
        }
    }
    let error = execute(&server, json!({ "command": "tandem.read_file" })).unwrap_err();
    assert_eq!(error.code, "E_INVALID_PARAMS");
    assert!(error.message.contains("path"), "{}", error.message);
}

#[test]
fn arguments_of_other_forms_are_refused() {
    let server = Server::start(FIXTURE);
    for arguments in
        [json!([1]), json!(["a.txt"]), json!([["a.txt"]]), json!([{ "path": "a.txt" }, {}])]
    {
        let error =
            execute(&server, json!({ "command": "tandem.read_file", "arguments": arguments }))
                .unwrap_err();
        assert_eq!(error.code, "E_INVALID_PARAMS", "{arguments}");
    }
}

#[test]
fn call_takes_the_tool_by_name() {
    let server = Server::start(FIXTURE);
    let call = |arguments: Value| {
        execute(&server, json!({ "command": "tandem.call", "arguments": [arguments] }))
    };
    let direct = server.must("read_file", json!({ "path": "a.txt" }));
    assert_eq!(
        call(json!({ "tool": "read_file", "arguments": { "path": "a.txt" } })).unwrap(),
        direct
    );
    for arguments in [json!({}), json!([]), Value::Null] {
        let error = call(json!({ "tool": "read_file", "arguments": arguments })).unwrap_err();
        assert_eq!(error.code, "E_INVALID_PARAMS", "{arguments}");
    }
    for (arguments, code) in [
        (json!({ "tool": "no_such_tool", "arguments": {} }), "E_TOOL_NOT_FOUND"),
        (json!({ "tool": "call", "arguments": {} }), "E_TOOL_NOT_FOUND"),
        (json!({ "arguments": {} }), "E_INVALID_PARAMS"),
        (json!({ "tool": 5 }), "E_INVALID_PARAMS"),
        (json!({ "tool": "read_file", "arguments": "a.txt" }), "E_INVALID_PARAMS"),
    ] {
        assert_eq!(call(arguments.clone()).unwrap_err().code, code, "{arguments}");
    }
}

#[test]
fn an_unknown_tool_is_not_found_and_the_nearest_named() {
    let server = Server::start(FIXTURE);
    for command in ["tandem.no_such", "tandem.", "read_file", "other.command", ""] {
        let error = execute(&server, json!({ "command": command, "arguments": [] })).unwrap_err();
        assert_eq!(error.code, "E_TOOL_NOT_FOUND", "{command}");
    }
    let error = server.must_fail("raed_file", json!({ "path": "a.txt" }), "E_TOOL_NOT_FOUND");
    assert!(error.data.to_string().contains("read_file"), "{}", error.data);
}

#[test]
fn an_unknown_parameter_is_refused_and_the_nearest_named() {
    let server = Server::start(FIXTURE);
    let error = server.must_fail("read_file", json!({ "paht": "a.txt" }), "E_INVALID_PARAMS");
    let said = error.data.to_string();
    assert!(said.contains("paht") && said.contains("path"), "{said}");
    let error = server.must_fail(
        "apply_edit",
        json!({ "path": "a.txt", "old_txt": "here", "new_text": "there" }),
        "E_INVALID_PARAMS",
    );
    let said = error.data.to_string();
    assert!(said.contains("old_txt") && said.contains("old_text"), "{said}");
    let nested = json!({ "path": "a.txt", "patches": [{ "old_text": "here", "new_text": "x", "startline": 1 }] });
    let error = server.must_fail("apply_edit", nested, "E_INVALID_PARAMS");
    assert!(error.data.to_string().contains("start_line"), "{}", error.data);
    assert_eq!(server.disk_text("a.txt"), "here\n");
}

#[test]
fn parameters_of_a_wrong_type_are_refused_by_name() {
    let server = Server::start(FIXTURE);
    for path in [json!(5), json!(["a.txt"]), json!({}), json!(true), Value::Null] {
        let error = server.must_fail("read_file", json!({ "path": path }), "E_INVALID_PARAMS");
        assert!(error.message.contains("path"), "{path}: {}", error.message);
    }
}

#[test]
fn errors_give_message_and_location() {
    let server = Server::start(FIXTURE);
    for (name, arguments, code, place) in [
        ("read_file", json!({ "path": "b.txt" }), "E_FILE_NOT_FOUND", "b.txt"),
        ("read_file", json!({}), "E_INVALID_PARAMS", "path"),
        (
            "apply_edit",
            json!({ "path": "b.txt", "old_text": "x", "new_text": "" }),
            "E_FILE_NOT_FOUND",
            "b.txt",
        ),
        (
            "apply_edit",
            json!({ "path": "a.txt", "old_text": "absent", "new_text": "" }),
            "E_NO_MATCH",
            "a.txt",
        ),
    ] {
        let error = server.must_fail(name, arguments, code);
        assert!(error.message.contains(place), "{}", error.message);
    }
}

#[test]
fn a_huge_argument_is_handled() {
    let server = Server::start(FIXTURE);
    let huge = "x".repeat(10_000_000);
    let error = server.tool("read_file", json!({ "path": huge })).unwrap_err();
    assert!(error.data.to_string().len() < 100_000, "the argument came back whole");
    let edit = json!({ "path": "a.txt", "old_text": huge, "new_text": huge });
    let error = server.tool("apply_edit", edit).unwrap_err();
    assert!(error.data.to_string().len() < 200_000, "the argument came back whole");
    assert_eq!(server.read("a.txt"), "here\n");
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let server = Server::start(FIXTURE);
    let calls: Vec<_> =
        (0..500).map(|_| server.start_tool("read_file", json!({ "path": "a.txt" }))).collect();
    for call in calls {
        assert_eq!(call.wait(tests::RESPONSE_TIMEOUT).unwrap()["content"], "here\n");
    }
}
