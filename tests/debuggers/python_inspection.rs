//! debugpy: inspecting a stopped program and changing its variables.

use serde_json::{Value, json};

use crate::debuggee::value;
use crate::python::{program, stopped};

#[test]
fn stack_threads_and_variables_are_returned_without_secrets() {
    let Some(it) = stopped("stack_threads_and_variables_are_returned_without_secrets") else {
        return;
    };
    let stack = it.call("debug_stack", json!({}));
    let functions: Vec<_> =
        stack["frames"].as_array().unwrap().iter().map(|f| f["function"].clone()).collect();
    assert_eq!(functions[..2], [json!("add"), json!("work")], "{stack}");
    let first = it.call("debug_stack", json!({ "max_results": 1 }));
    assert_eq!(first["frames"].as_array().unwrap().len(), 1);
    let next = it.call("debug_stack", json!({ "max_results": 1, "cursor": first["next_cursor"] }));
    assert_eq!(next["frames"][0]["function"], "work", "{next}");
    let threads = it.call("debug_threads", json!({}));
    let names = threads["threads"].to_string();
    assert!(names.contains("MainThread") && names.contains("\"w0\""), "{names}");

    let locals = it.call("debug_variables", json!({}));
    assert_eq!(value(&locals["variables"], "amount"), Some("0"), "{locals}");
    let all = locals["variables"].as_array().unwrap();
    let own = all.iter().find(|variable| variable["name"] == "self").unwrap();
    let held = it.call("debug_variables", json!({ "reference": own["reference"] }));
    assert_eq!(value(&held["variables"], "total"), Some("0"), "{held}");
    assert_eq!(value(&held["variables"], "password"), Some("[redacted]"), "{held}");
    let names = it.call("debug_variables", json!({ "values": false }));
    assert!(names["variables"].as_array().unwrap().iter().all(|v| v["value"] == Value::Null));
    let work = it.call("debug_variables", json!({ "frame": stack["frames"][1]["frame"] }));
    assert_eq!(value(&work["variables"], "count"), Some("3"), "{work}");
    it.refused("debug_variables", json!({ "scope": "Nowhere" }), "E_NO_MATCH");
    assert!(it.approval_requests().is_empty(), "looking needs no leave");
}

#[test]
fn expressions_with_side_effects_need_approval() {
    let Some(it) = stopped("expressions_with_side_effects_need_approval") else { return };
    let evaluate = |expression| it.call("debug_evaluate", json!({ "expression": expression }));
    assert_eq!(evaluate("self.total + amount")["result"], "0");
    assert_eq!(evaluate("self.password")["result"], "[redacted]");
    assert!(it.approval_requests().is_empty());
    assert_eq!(evaluate("str(amount) * 3")["result"], "'000'");
    assert!(it.approval_requests()[0].contains("str(amount) * 3"));
    it.refused("debug_evaluate", json!({ "expression": "nothing" }), "E_INVALID_PARAMS");
    it.refused("debug_evaluate", json!({ "expression": "" }), "E_INVALID_PARAMS");

    let set = it.call("debug_set_variable", json!({ "name": "amount", "value": "40 + 2" }));
    assert_eq!((&set["value"], &set["type"]), (&json!("42"), &json!("int")), "{set}");
    assert!(it.approval_requests()[0].contains("amount = 40 + 2"));
    assert_eq!(evaluate("amount")["result"], "42");
    it.refused("debug_set_variable", json!({ "name": "none", "value": "1" }), "E_NO_MATCH");
}

#[test]
fn an_endless_evaluation_times_out() {
    let Some(it) = stopped("an_endless_evaluation_times_out") else { return };
    let params =
        json!({ "expression": "[0 for _ in iter(int, 1)]", "context": "repl", "timeout_ms": 500 });
    it.refused("debug_evaluate", params, "E_TIMEOUT");
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}

#[test]
fn a_thousand_breakpoints_are_set_in_one_call() {
    let Some(it) = program("a_thousand_breakpoints") else { return };
    let lines: String = (0..1_000).map(|n| format!("x{n} = {n}\n")).collect();
    std::fs::write(it.home.root().join("long.py"), lines).unwrap();
    let wanted: Vec<_> = (1..=1_000).map(|n| json!({ "file": "long.py", "line": n })).collect();
    it.call("debug_attach", json!({ "command": ["python3", "long.py"] }));
    let set = it.call("debug_breakpoint", json!({ "action": "set", "breakpoints": wanted }));
    let all = set["breakpoints"].as_array().unwrap();
    assert_eq!(all.len(), 1_000);
    assert!(all.iter().all(|one| one["verified"] == true && one["line"] == one["asked"]));
    let stop = it.step("continue");
    assert_eq!(stop["reason"], "breakpoint", "{stop}");
}

#[test]
fn long_dictionaries_and_sets_are_paged() {
    let Some(it) = program("long_dictionaries") else { return };
    let text = "big = {f\"k{n}\": n for n in range(100_000)}\nseen = set(range(1_000))\nprint(1)\n";
    std::fs::write(it.home.root().join("long.py"), text).unwrap();
    it.call("debug_breakpoint", json!({ "action": "set", "file": "long.py", "line": 3 }));
    it.call("debug_launch", json!({ "program": "long.py", "wait_ms": 60_000 }));
    it.approval_requests();
    let page = |name: &str, cursor: &str| {
        let value = it.call("debug_evaluate", json!({ "expression": name }));
        let page = json!({ "reference": value["reference"], "cursor": cursor });
        it.call("debug_variables", page)
    };
    let far = page("big", "99950");
    assert_eq!(far["variables"].as_array().unwrap().len(), 50, "{far}");
    assert_eq!(value(&far["variables"], "99999"), Some("('k99999', 99999)"), "{far}");
    assert_eq!(far["next_cursor"], Value::Null, "{far}");
    let first = page("big", "0");
    assert_eq!(first["next_cursor"], "100", "{first}");
    let seen = page("seen", "900");
    assert_eq!(seen["variables"].as_array().unwrap().len(), 100, "{seen}");
    assert!(it.approval_requests().is_empty());
}

#[test]
fn adapters_do_not_import_modules_of_the_workspace() {
    let Some(it) = program("own_modules") else { return };
    for name in ["socket.py", "os.py", "json.py", "threading.py"] {
        std::fs::write(it.home.root().join(name), "raise SystemExit('not for the adapter')\n")
            .unwrap();
    }
    std::fs::create_dir(it.home.root().join("inner")).unwrap();
    std::fs::write(it.home.root().join("inner/main.py"), "print('it ran')\n").unwrap();
    it.call("debug_launch", json!({ "program": "inner/main.py", "wait_ms": 60_000 }));
    let output = it.call("debug_output", json!({}));
    assert!(output["output"].to_string().contains("it ran"), "{output}");
}
