//! Tests of dialect files and of translated calls.

use std::sync::Arc;

use serde_json::{Value, json};

use tools::{Code, Dialect, dialect};

#[test]
fn built_in_dialects_have_no_mistakes() {
    crate::add_families();
    for name in tools::dialect_names() {
        let dialect = dialect(name).unwrap();
        dialect.check().unwrap();
        for tool in dialect.tools() {
            let examples = tool.examples();
            assert!(tool.entry().is_none() || !examples.is_empty(), "{name}: {}", tool.name());
            for example in examples {
                let params: Value = serde_json::from_str(example).unwrap();
                let checked = tool.checked(params);
                assert!(checked.is_ok(), "{name}: {}: {checked:?}", tool.name());
            }
        }
    }
}

fn own(text: &str) -> Result<Arc<Dialect>, String> {
    let dialect = Dialect::from_text("own", text, Some("/d/own.toml".into()));
    dialect.map(Arc::new).map_err(|error| error.message)
}

#[test]
fn mistakes_name_file_line_and_filter() {
    crate::add_families();
    let tool = "title = \"t\"\n[[tool]]\nname = \"a\"\nabout = \"b\"\n";
    for (more, expected) in [
        (
            "calls = \"read_file\"\nresult = '.x | nope'",
            "dialect `own`: /d/own.toml:6: a: result: there is no filter `nope`, in `.x | nope`",
        ),
        (
            "calls = \"read_file\"\nresult = '''\n.x\n| nope'''",
            "dialect `own`: /d/own.toml:8: a: result: there is no filter `nope`, in `| nope`",
        ),
        (
            "calls = \"nothing\"",
            "dialect `own`: /d/own.toml: tool `a`: `calls = \"nothing\"`: there is no such tool",
        ),
        (
            "parameters = { p = \"text Some\" }",
            "dialect `own`: /d/own.toml: tool `a`: parameter `p`: unknown type `text`",
        ),
        ("nonsense = 1", "dialect `own`: /d/own.toml:5: unknown field `nonsense`"),
        ("= 1", "dialect `own`: /d/own.toml:5: "),
        (
            "[[tool]]\nname = \"c\"\nabout = \"\"\naliases = [\"a\"]",
            "dialect `own`: /d/own.toml: there are two tools `a`",
        ),
    ] {
        let message = own(&format!("{tool}{more}\n")).err().unwrap_or_default();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn unknown_dialects_are_refused_with_the_known_ones() {
    crate::add_families();
    for name in ["nope", "", "../zap", "Zap", "a/b", &"x".repeat(100)] {
        let error = dialect(name).err().unwrap();
        assert_eq!(error.code, Code::InvalidParams);
        assert!(error.hint.unwrap().contains("blade, zap, arawn, go-ai, ai-orchestrator"));
    }
}

#[test]
fn calls_and_outcomes_are_translated() {
    crate::add_families();
    let zap = dialect("zap").unwrap();
    let call = zap.translate("exec", json!({ "command": "a b", "args": ["it's", "x y"] })).unwrap();
    assert_eq!(call.tool(), "run_command");
    let expected = json!({ "command": r"'a b' 'it'\''s' 'x y'", "verbose": true });
    assert_eq!(Value::from(call.arguments()), expected);
    let denied = json!({ "code": "E_DENIED", "message": "no", "recoverable": false });
    let expected = json!({
        "code": -32002, "message": "no",
        "data": { "name": "PermissionDenied", "code": "E_DENIED", "message": "no", "recoverable": false },
    });
    let error = call.outcome(Err(denied.clone())).unwrap_err();
    assert_eq!((error.rpc_code, error.message.as_str(), error.value), (-32002, "no", expected));
    let refused = |tool: &str, params: Value| zap.translate(tool, params).err().unwrap().rpc_code;
    assert_eq!(refused("nothing", json!({})), -32601);
    assert_eq!(refused("exec", json!({})), -32602);
    assert_eq!(refused("exec", json!({ "command": 1 })), -32602);
    assert_eq!(refused("exec", json!({ "command": "a", "more": 1 })), -32602);
    assert_eq!(refused("git_branch", json!({ "action": "explode" })), -32602);
    assert_eq!(refused("docker_build", json!({ "context": ".", "tag": "a" })), -32803);
    // A canonical name works as it is.
    let undo = zap.translate("undo_action", json!({ "dry_run": true })).unwrap();
    assert_eq!(Value::from(undo.arguments()), json!({ "dry_run": true, "verbose": true }));

    let call = dialect("ai-orchestrator")
        .unwrap()
        .translate("write_file", json!({ "path": "a", "content": "é" }))
        .unwrap();
    let written = call.outcome(Ok(json!({ "changed": true, "sandbox": {} }))).unwrap();
    assert_eq!(written["data"], json!({ "path": "a", "size": 2, "mode": "write" }));
    assert_eq!((&written["success"], &written["error"]), (&json!(true), &Value::Null));
    assert_eq!(written["meta"]["sandbox"], true);
    assert!(written["meta"]["duration_ms"].is_u64());
    let failed = call.outcome(Err(denied)).unwrap_err();
    assert_eq!(failed.rpc_code, -32803);
    let failed = failed.value;
    assert_eq!(
        failed["error"],
        json!({ "code": "E_WRITE_DISABLED", "message": "no", "recoverable": false })
    );
    assert_eq!((&failed["success"], &failed["data"]), (&json!(false), &Value::Null));

    let arawn = dialect("arawn").unwrap();
    let call = arawn.translate("shell", json!({ "command": "x", "timeout": 1.5 })).unwrap();
    let output = json!({ "exit_code": 1, "stdout": "out", "stderr": "bad", "duration_ms": 1 });
    assert_eq!(
        call.outcome(Ok(output)),
        Ok(json!({ "Error": "exit code 1\nout\n--- stderr ---\nbad" }))
    );
    let hint = json!({ "code": "E_NO_MATCH", "message": "m", "recoverable": true, "hint": "h" });
    assert_eq!(call.outcome(Err(hint)).unwrap_err().value, json!({ "Error": "E_NO_MATCH: m; h" }));
}

#[test]
fn a_result_survives_its_broken_filter() {
    crate::add_families();
    let text = "title = \"t\"\n[[tool]]\nname = \"w\"\nabout = \"\"\ncalls = \"write_file\"\nparameters = { path = \"string\" }\nresult = '.a.b'\n";
    let dialect = own(text).unwrap();
    let call = dialect.translate("w", json!({ "path": "p" })).unwrap();
    let error = call.outcome(Ok(json!({ "a": "text" }))).unwrap_err().value;
    assert_eq!(error["details"]["result"], json!({ "a": "text" }));
    assert!(
        error["message"].as_str().unwrap().contains("own.toml:7: w: result: cannot index"),
        "{error}"
    );
}

#[test]
fn an_endless_filter_fails_its_call_only() {
    crate::add_families();
    let text = "title = \"t\"\n[[tool]]\nname = \"r\"\nabout = \"\"\ncalls = \"read_file\"\narguments = 'def f: f; f'\n";
    let dialect = own(text).unwrap();
    let error = dialect.translate("r", json!({})).err().unwrap();
    assert!(error.message.contains("did not end"), "{error:?}");
}
