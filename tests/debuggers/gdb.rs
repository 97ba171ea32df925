//! gdb's own adapter on a program of C that the test builds.

use std::process::Command;

use serde_json::json;

use crate::debuggee::{Debuggee, line_of, value};
use crate::hostile::ForeignProcess;
use crate::native::C;

fn built(test: &str) -> Option<Debuggee> {
    let Some(adapter) = tests::component("gdb") else {
        tests::skip(test, "gdb");
        return None;
    };
    let it = Debuggee::start_with(C, |command, _| {
        command.env("TANDEM_GDB", adapter);
    });
    let words = ["-g", "-O0", "ledger.c", "-o", "ledger"];
    let status = Command::new("gcc").args(words).current_dir(it.home.root()).status().unwrap();
    assert!(status.success());
    Some(it)
}

fn launch(it: &Debuggee, args: &[&str]) -> serde_json::Value {
    let params = json!({ "program": "ledger", "debugger": "gdb", "args": args, "wait_ms": 60_000 });
    it.call("debug_launch", params)
}

#[test]
fn gdb_stops_steps_and_inspects() {
    let Some(it) = built("gdb_stops_steps_and_inspects") else { return };
    let line = line_of(&it.home.root().join("ledger.c"), "int before");
    let set = json!({ "action": "set", "symbol": "add", "condition": "amount == 2" });
    let set = it.call("debug_breakpoint", set);
    assert_eq!(set["asked"], json!(line), "{set}");
    let stop = launch(&it, &[]);
    assert_eq!((&stop["state"], &stop["reason"]), (&json!("stopped"), &json!("breakpoint")));
    assert_eq!((&stop["file"], &stop["line"]), (&json!("ledger.c"), &json!(line)), "{stop}");
    assert_eq!((&stop["function"], &stop["breakpoints"]), (&json!("add"), &json!([set["id"]])));
    assert_eq!(value(&stop["locals"], "amount"), Some("2"), "{stop}");
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    assert_eq!(listed["breakpoints"][0]["verified"], true, "{listed}");
    it.approval_requests();
    let total = it.call("debug_evaluate", json!({ "expression": "book->total" }));
    assert_eq!((&total["result"], &total["type"]), (&json!("1"), &json!("int")), "{total}");
    assert!(it.approval_requests().is_empty());
    let command = json!({ "expression": "info line", "context": "repl" });
    assert!(it.call("debug_evaluate", command)["result"].as_str().unwrap().contains("ledger.c"));
    assert_eq!(it.approval_requests().len(), 1);
    let next = it.step("over");
    assert_eq!((&next["reason"], &next["line"]), (&json!("step"), &json!(line + 2)), "{next}");
    assert_eq!(value(&next["locals"], "before"), Some("1"), "{next}");
    it.call("debug_set_variable", json!({ "name": "before", "value": "100" }));
    it.call("debug_breakpoint", json!({ "action": "remove", "id": set["id"] }));
    let out = it.step("out");
    assert_eq!(out["function"], "main", "{out}");
    let globals = it.call("debug_evaluate", json!({ "expression": "numbers" }));
    let page = json!({ "reference": globals["reference"], "cursor": "99990" });
    let page = it.call("debug_variables", page);
    assert!(page.to_string().contains("99992"), "{page}");
    let code = it.call("debug_disassemble", json!({ "count": 3 }));
    assert_eq!(code["instructions"].as_array().map(Vec::len), Some(3), "{code}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(5)), "{end}");
    assert!(end["output"].as_str().unwrap().contains("total 109\n"), "{end}");
    it.wait_for_no_processes();
}

#[test]
fn gdb_reports_a_crash_and_its_limits() {
    let Some(it) = built("gdb_reports_a_crash_and_its_limits") else { return };
    let stop = launch(&it, &["crash"]);
    assert_eq!((&stop["state"], &stop["function"]), (&json!("stopped"), &json!("crash")), "{stop}");
    assert_eq!(stop["reason"], "signal", "{stop}");
    let data = json!({ "action": "set", "data": { "name": "book.total" } });
    it.refused("debug_breakpoint", data, "E_UNSUPPORTED");
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}

#[test]
fn gdb_attaches_to_a_process_and_detaches() {
    let Some(it) = built("gdb_attaches_to_a_process_and_detaches") else { return };
    let other = ForeignProcess::start(Command::new(it.home.root().join("ledger")).arg("stay"));
    let attach = json!({ "pid": other.id(), "debugger": "gdb" });
    let held = it.call("debug_attach", attach.clone());
    assert_eq!(held["state"], "stopped", "{held}");
    let stack = it.call("debug_stack", json!({})).to_string();
    assert!(stack.contains("main"), "{stack}");
    let going = it.call("debug_step", json!({ "action": "continue", "wait_ms": 200 }));
    assert_eq!(going["state"], "running", "{going}");
    it.call("debug_stop", json!({}));
    other.assert_running();
    other.assert_detached(&it, &attach);
}
