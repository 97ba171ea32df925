//! The tool `structural_replace`.

use serde_json::{Value, json};
use tests::{Behaviour, Server};

const FIXTURE: &str = "//- /a.py\nimport logging\n\n\ndef run(x):\n    logging.warn('a', x)\n    return x\n\
    //- /sub/b.py\nlogging.warn(\n    'b',\n    [1,\n     2],\n)\n\
    //- /c.ts\nlogging.warn('c', 1);\n\
    //- /notes.md\nlogging.warn('d')\n";

fn call(more: &Value) -> Value {
    let mut params = json!({ "pattern": "logging.warn($$$ARGS)",
        "rewrite": "logging.warning($$$ARGS)", "language": "python" });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

#[test]
fn one_action_rewrites_open_and_closed_files_and_is_undone_whole() {
    let server = Server::start(FIXTURE);
    server.open_file("a.py");
    // The text that the person sees counts, not the file's.
    server.replace_text("a.py", "return x", "return logging.warn(x)");
    let result = server.must("structural_replace", call(&json!({})));
    assert_eq!((&result["changed"], &result["count"]), (&json!(true), &json!(3)), "{result}");
    assert_eq!(result["files"][0]["path"], "a.py");
    assert_eq!(result["files"][0]["lines"], json!([5, 6]));
    let place = json!({ "path": "a.py", "line": 5, "old": "logging.warn('a', x)",
        "new": "logging.warning('a', x)" });
    assert_eq!(result["places"][0], place, "{result}");
    assert!(
        server.buffer("a.py").contains("logging.warning('a', x)\n    return logging.warning(x)")
    );
    assert!(server.disk_text("a.py").contains("logging.warn('a'"), "the editor saves");
    // As ast-grep writes it: lines of what moves keep their indentation relative to its first.
    let b = "logging.warning('b',\n[1,\n 2],)\n";
    assert_eq!(server.disk_text("sub/b.py"), b);
    assert!(server.disk_text("c.ts").contains("warn('c'"), "another language");
    server.must("undo_action", json!({ "action": result["action"] }));
    assert!(server.buffer("a.py").contains("return logging.warn(x)"));
    assert!(server.disk_text("sub/b.py").contains("logging.warn("));
}

#[test]
fn a_pattern_without_language_holds_where_it_parses() {
    let server = Server::start(FIXTURE);
    let mut params = call(&json!({ "dry_run": true }));
    params.as_object_mut().unwrap().remove("language");
    let result = server.must("structural_replace", params);
    assert_eq!(result["count"], 3, "{result}");
    assert!(result["action"].is_null() && server.disk_text("c.ts").contains("warn('c'"));
}

#[test]
fn rules_are_yaml_or_objects() {
    let server = Server::start(FIXTURE);
    let yaml = "\
rule:
  pattern: logging.warn($MSG, $$$REST)
  inside: { kind: function_definition, stopBy: end }
constraints:
  MSG: { kind: string }
fix: log.warning($MSG, $$$REST)
";
    let result = server.must("structural_replace", json!({ "rule": yaml, "language": "python" }));
    assert_eq!((&result["count"], &result["files"][0]["path"]), (&json!(1), &json!("a.py")));
    assert!(server.disk_text("a.py").contains("    log.warning('a', x)\n"));
    let rule = json!({ "language": "ts", "rule": { "any": [{ "pattern": "logging.warn($A, $B)" }] },
        "fix": "log($B, $A)", "ignores": ["sub/**"] });
    server.must("structural_replace", json!({ "rule": rule }));
    assert_eq!(server.disk_text("c.ts"), "log(1, 'c');\n");
}

#[test]
fn what_would_break_code_is_refused_in_all_files() {
    let server = Server::start(FIXTURE);
    let broken = json!({ "pattern": "logging.warn($$$A)", "rewrite": "logging.warning($$$A", "language": "python" });
    let error = server.must_fail("structural_replace", broken, "E_GUARD").data;
    let failures = error["details"]["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &failures[0]["path"]), (2, &json!("a.py")), "{error}");
    assert_eq!(failures[0]["line"], 5, "{error}");
    let overlapping = json!({ "language": "python", "rule": [
        { "pattern": "logging.warn($$$A)", "fix": "f($$$A)" },
        { "pattern": "x", "fix": "y" },
    ] });
    let error = server.must_fail("structural_replace", overlapping, "E_OVERLAP").data;
    assert_eq!(error["details"]["failures"][0]["line"], 5, "{error}");
    assert!(server.disk_text("a.py").contains("logging.warn('a', x)"));
    assert!(server.disk_text("sub/b.py").starts_with("logging.warn("));
}

#[test]
fn mistakes_are_explained() {
    let server = Server::start(
        "//- /a.go\npackage p\n\nfunc f() {\n\tfmt.Println(1)\n}\n//- /b.py\nf(f(1))\n",
    );
    let go = json!({ "pattern": "fmt.Println($A)", "rewrite": "log.Print($A)", "language": "go" });
    let error = server.must_fail("structural_replace", go, "E_NO_MATCH").data;
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("type_conversion_expression"), "{hint}");
    let pattern: Value = serde_json::from_str(&hint[hint.find('{').unwrap()..]).unwrap();
    let params =
        json!({ "pattern": pattern["pattern"], "rewrite": "log.Print($A)", "language": "go" });
    assert_eq!(server.must("structural_replace", params)["count"], 1);
    assert!(server.disk_text("a.go").contains("\tlog.Print(1)\n"));

    let nested = json!({ "pattern": "f($A)", "rewrite": "g($A)", "language": "python" });
    let result = server.must("structural_replace", nested.clone());
    assert_eq!((&result["count"], &result["nested"]), (&json!(1), &json!(1)), "{result}");
    let result = server.must("structural_replace", nested);
    assert!(result["nested"].is_null());
    assert_eq!(server.disk_text("b.py"), "g(g(1))\n");

    let counted = json!({ "pattern": "g($A)", "rewrite": "h($A)", "language": "python", "expected_count": 2 });
    let error = server.must_fail("structural_replace", counted, "E_CONFLICT").data;
    assert_eq!(error["details"]["count"], 1, "{error}");
    let two_fixes = json!({ "language": "python", "rule": { "rule": { "pattern": "g($A)" },
        "fix": [{ "title": "one", "template": "a" }, { "title": "two", "template": "b" }] } });
    server.must_fail("structural_replace", two_fixes, "E_AMBIGUOUS");
    for bad in [
        json!({}),
        json!({ "pattern": "f($A)" }),
        json!({ "pattern": "f(", "rewrite": "g()", "language": "python" }),
        json!({ "pattern": "$A", "rewrite": "g($A)", "language": "python" }),
        json!({ "pattern": "f($A)", "rewrite": "g($B)", "language": "python" }),
        json!({ "pattern": "f($A)", "rewrite": "g($A)", "language": "klingon" }),
        json!({ "pattern": "f($A)", "rewrite": "g($A)", "rule": "rule: { pattern: a }" }),
        json!({ "rule": "rule: [" }),
        json!({ "rule": { "pattern": "f($A)" }, "language": "python" }),
        json!({ "rule": { "pattern": "f($A)", "fix": "g($A)" } }),
        json!({ "rule": { "no_such_rule": 1, "fix": "g($A)" }, "language": "python" }),
    ] {
        server.must_fail("structural_replace", bad, "E_INVALID_PARAMS");
    }
}

#[test]
fn nothing_changes_if_an_editor_refuses() {
    let server = Server::builder(FIXTURE).editor(Behaviour::Refuse).start();
    server.open_file("a.py");
    server.must_fail("structural_replace", call(&json!({})), "E_CONFLICT");
    assert!(server.disk_text("sub/b.py").starts_with("logging.warn("));
}

#[test]
fn an_edit_by_another_program_between_two_calls_counts() {
    let server = Server::start(FIXTURE);
    let dry = server.must("structural_replace", call(&json!({ "dry_run": true })));
    assert_eq!(dry["count"], 2, "{dry}");
    server.write("sub/b.py", "logging.warn(1)\nlogging.warn(2)\n");
    let result = server.must("structural_replace", call(&json!({})));
    assert_eq!(result["count"], 3, "{result}");
    assert_eq!(server.disk_text("sub/b.py"), "logging.warning(1)\nlogging.warning(2)\n");
}
