//! bash-dap on scripts of Bash.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::debuggee::{Debuggee, line_of, value};

const SCRIPTS: &str = r#"
//- /ledger.sh
#!/bin/bash
source ./book.sh
items=(one "two words" three)
declare -A owner=([name]=anna)
api_token=hunter2
total=0
for i in 1 2 3; do
    add "$i"
done
# the sum
echo "total $total"
printf 'last words' >&2
exit 4
//- /book.sh
add() {
    local amount=$1
    local before=$total
    total=$((before + amount))
}
//- /fails.sh
set -eu
echo before
false
echo after
//- /killed.sh
echo going
kill -9 $$
//- /waits.sh
echo begun
while true; do
    sleep 0.05
done
//- /empty.sh
# nothing
"#;

fn scripts(test: &str) -> Option<Debuggee> {
    let Some(adapter) = tests::component("bash-dap") else {
        tests::skip(test, "bash-dap");
        return None;
    };
    Some(Debuggee::start_with(SCRIPTS, |command, _| {
        command.env("TANDEM_BASH_DAP", adapter);
    }))
}

fn set(it: &Debuggee, mut params: Value) -> Value {
    params["action"] = "set".into();
    it.call("debug_breakpoint", params)
}

fn launch(it: &Debuggee, program: &str) -> Value {
    it.call("debug_launch", json!({ "program": program, "wait_ms": 60_000 }))
}

#[test]
fn a_script_stops_is_stepped_and_inspected() {
    let Some(it) = scripts("a_script_stops_is_stepped_and_inspected") else { return };
    let book = it.home.root().join("book.sh");
    let before = line_of(&book, "before=");
    let point = set(&it, json!({ "file": "book.sh", "statement": "local before" }));
    assert_eq!((&point["asked"], &point["verified"]), (&json!(before), &json!(false)));
    let stop = launch(&it, "ledger.sh");
    assert_eq!((&stop["reason"], &stop["file"]), (&json!("breakpoint"), &json!("book.sh")));
    assert_eq!((&stop["line"], &stop["function"]), (&json!(before), &json!("add")), "{stop}");
    assert_eq!(value(&stop["locals"], "amount"), Some("1"), "{stop}");
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    let one = &listed["breakpoints"][0];
    assert_eq!((&one["verified"], &one["line"]), (&json!(true), &json!(before)), "{listed}");
    assert!(one["message"].as_str().unwrap().contains("takes any line"), "{listed}");
    let stack = it.call("debug_stack", json!({}));
    assert_eq!(stack["frames"][1]["file"], "ledger.sh", "{stack}");
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));

    let next = it.step("over");
    assert_eq!((&next["reason"], &next["line"]), (&json!("step"), &json!(before + 1)), "{next}");
    let out = it.step("out");
    assert_eq!((&out["file"], &out["function"]), (&json!("ledger.sh"), &json!("main")), "{out}");
    let all = it.call("debug_variables", json!({}));
    assert_eq!(value(&all["variables"], "total"), Some("1"), "{all}");
    assert!(!all.to_string().contains("hunter2"), "{all}");
    let mut held = all["variables"].as_array().unwrap().iter();
    let items = held.find(|one| one["name"] == "items").unwrap();
    let items = it.call("debug_variables", json!({ "reference": items["reference"] }));
    assert_eq!(value(&items["variables"], "[1]"), Some("two words"), "{items}");

    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(4)), "{end}");
    let written = it.call("debug_output", json!({}));
    let written = written["output"].as_str().unwrap();
    assert!(written.contains("total 6\n") && written.contains("last words"), "{written}");
    it.wait_for_no_processes();
}

#[test]
fn plain_names_are_evaluated_and_other_expressions_need_approval() {
    let Some(it) = scripts("plain_names_are_evaluated_and_other_expressions_need_approval") else {
        return;
    };
    set(&it, json!({ "file": "ledger.sh", "statement": "echo \"total" }));
    launch(&it, "ledger.sh");
    it.approval_requests();
    let evaluate = |expression: &str, context: &str| {
        it.call("debug_evaluate", json!({ "expression": expression, "context": context }))
    };
    let total = evaluate("total", "watch");
    assert_eq!(
        (&total["result"], &evaluate("$total", "hover")["result"]),
        (&json!("6"), &json!("6"))
    );
    assert_eq!(evaluate("owner", "watch")["result"], "(anna)");
    assert!(it.approval_requests().is_empty());
    let doing = [
        ("$((total + 1))", "watch", "7"),
        ("${items[@]} x", "watch", "one\ntwo\nwords\nthree\nx"),
        ("$(touch made; echo $total)", "watch", "6"),
        ("total + 1", "watch", "total\n+\n1"),
        ("total=9; echo \"$total  a\"", "repl", "9  a"),
        ("true", "repl", ""),
    ];
    for (expression, context, result) in doing {
        assert_eq!(evaluate(expression, context)["result"], result, "{expression}");
        let asked = it.approval_requests();
        assert!(asked.len() == 1 && asked[0].contains(expression), "{expression}: {asked:?}");
    }
    assert!(it.home.root().join("made").exists());
    assert_eq!(evaluate("total", "watch")["result"], "6", "it runs beside the script");
    let lines = json!({ "expression": "a\nrun", "context": "watch" });
    it.refused("debug_evaluate", lines, "E_UNSUPPORTED");
    let unknown = json!({ "expression": "nobody" });
    let error = it.try_call("debug_evaluate", unknown).unwrap_err();
    assert!(error.message.contains("not set"), "{}", error.message);
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}

#[test]
fn conditional_and_function_breakpoints_need_approval() {
    let Some(it) = scripts("conditional_and_function_breakpoints_need_approval") else { return };
    let before = "local before";
    let condition = "amount == 2";
    let point = set(&it, json!({ "file": "book.sh", "statement": before, "condition": condition }));
    let asked = it.approval_requests();
    assert!(asked.len() == 1 && asked[0].contains("amount == 2"), "{asked:?}");
    assert_eq!(point["file"], "book.sh", "{point}");
    set(&it, json!({ "file": "ledger.sh", "line": 11, "condition": "[[ $total == 6 ]]" }));
    assert_eq!(it.approval_requests().len(), 1);
    let counted = set(&it, json!({ "file": "ledger.sh", "line": 12, "hit_condition": "2" }));
    let stop = launch(&it, "ledger.sh");
    assert_eq!(value(&stop["locals"], "amount"), Some("2"), "{stop}");
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    let mut all = listed["breakpoints"].as_array().unwrap().iter();
    let counted = all.find(|one| one["id"] == counted["id"]).unwrap();
    assert_eq!(counted["verified"], false, "{listed}");
    assert!(counted["message"].as_str().unwrap().contains("cannot count hits"), "{listed}");
    let stop = it.step("continue");
    assert_eq!((&stop["line"], &stop["file"]), (&json!(11), &json!("ledger.sh")), "{stop}");
    it.call("debug_stop", json!({}));
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    it.call("debug_breakpoint", json!({ "action": "set", "function_name": "add" }));
    let stop = launch(&it, "ledger.sh");
    assert_eq!((&stop["function"], &stop["file"]), (&json!("add"), &json!("book.sh")), "{stop}");
    assert_eq!(stop["reason"], "function breakpoint", "{stop}");
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}

#[test]
fn a_condition_of_another_language_does_not_run_as_a_command() {
    let Some(it) = scripts("a_condition_of_another_language_does_not_run_as_a_command") else {
        return;
    };
    // A function breakpoint has no file, so the language of its condition is unknown.
    let named = json!({ "action": "set", "function_name": "add", "condition": "made > there" });
    it.call("debug_breakpoint", named);
    assert!(it.approval_requests().is_empty());
    let end = launch(&it, "ledger.sh");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(4)), "{end}");
    assert!(!it.home.root().join("there").exists());
    it.wait_for_no_processes();
}

#[test]
fn a_script_stops_on_entry_and_its_exit_is_reported() {
    let Some(it) = scripts("a_script_stops_on_entry_and_its_exit_is_reported") else { return };
    let held = it.call("debug_attach", json!({ "command": ["bash", "ledger.sh"] }));
    assert_eq!((&held["state"], &held["reason"]), (&json!("stopped"), &json!("entry")), "{held}");
    assert_eq!((&held["file"], &held["line"]), (&json!("ledger.sh"), &json!(2)), "{held}");
    assert_eq!(it.step("over")["line"], 3);
    it.call("debug_stop", json!({}));
    // It has no line to be held before.
    it.call("debug_attach", json!({ "command": ["empty.sh"] }));
    let empty = it.step("continue");
    assert_eq!((&empty["state"], &empty["exit_code"]), (&json!("exited"), &json!(0)), "{empty}");
    let failed = launch(&it, "fails.sh");
    assert_eq!((&failed["state"], &failed["exit_code"]), (&json!("exited"), &json!(1)), "{failed}");
    assert_eq!(failed["output"], "before\n", "{failed}");
    let killed = launch(&it, "killed.sh");
    assert_eq!((&killed["state"], &killed["exit_code"]), (&json!("exited"), &Value::Null));
    assert!(killed["output"].as_str().unwrap().contains("going\n"), "{killed}");
    it.wait_for_no_processes();
}

#[test]
fn a_running_script_is_paused_and_terminated() {
    let Some(it) = scripts("a_running_script_is_paused_and_terminated") else { return };
    let runs = it.call("debug_launch", json!({ "program": "waits.sh", "wait_ms": 1_000 }));
    assert_eq!(runs["state"], "running", "{runs}");
    let stop = it.call("debug_pause", json!({ "wait_ms": 20_000 }));
    assert_eq!((&stop["state"], &stop["file"]), (&json!("stopped"), &json!("waits.sh")), "{stop}");
    assert_eq!(it.step("over")["state"], "stopped");
    let begun = Instant::now();
    it.call("debug_stop", json!({}));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    it.wait_for_no_processes();
}
