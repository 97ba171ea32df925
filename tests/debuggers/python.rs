//! debugpy on a program of several threads and modules: where it stops, and how it ends.

use serde_json::json;

use crate::debuggee::{Debuggee, line_of, value, wait_for_no_processes_in};

pub(crate) const PROGRAM: &str = r#"
//- /app.py
import sys
import threading

# what this is for

from books.ledger import Ledger

def work(ledger, count):
    for number in range(count):
        ledger.add(number)

ledger = Ledger("hunter2")
threads = [threading.Thread(target=work, args=(ledger, 3), name=f"w{k}") for k in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("total", ledger.total)
print("to stderr", file=sys.stderr)
sys.exit(3)
//- /books/__init__.py
//- /books/ledger.py
class Ledger:
    def __init__(self, password):
        self.total = 0
        self.password = password

    def add(self, amount):
        """Books an amount."""
        before = self.total
        self.total = before + amount
        return self.total
//- /crash.py
def third(number):
    return 1 // number

third(0)
//- /sleep.py
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("asleep", flush=True)
while True:
    time.sleep(0.05)
//- /guarded.py
import os
os.mkdir(".vscode")
open(".vscode/tasks.json", "w").write("{}")
"#;

/// A server on the program, where debugpy is.
pub(crate) fn program(test: &str) -> Option<Debuggee> {
    if tests::component("debugpy").is_none() {
        tests::skip(test, "debugpy");
        return None;
    }
    Some(Debuggee::new(PROGRAM))
}

/// The program, stopped in `Ledger.add`.
pub(crate) fn stopped(test: &str) -> Option<Debuggee> {
    let it = program(test)?;
    it.call("debug_breakpoint", json!({ "action": "set", "symbol": "Ledger.add" }));
    let stop = it.call("debug_launch", json!({ "program": "app.py", "wait_ms": 60_000 }));
    assert_eq!(stop["function"], "add", "{stop}");
    it.approval_requests();
    Some(it)
}

#[test]
fn a_command_under_the_debugger_stops_at_its_breakpoints() {
    let Some(it) = program("a_command_under_the_debugger_stops_at_its_breakpoints") else { return };
    let set = it.call("debug_breakpoint", json!({ "action": "set", "symbol": "Ledger.add" }));
    let before = line_of(&it.home.root().join("books/ledger.py"), "before = ");
    assert_eq!((&set["asked"], &set["verified"]), (&json!(before), &json!(false)), "{set}");
    assert_eq!(set["file"], "books/ledger.py");

    let held = it.call("debug_attach", json!({ "command": ["python3", "app.py"] }));
    assert_eq!((&held["state"], &held["reason"]), (&json!("stopped"), &json!("entry")), "{held}");
    assert_eq!((&held["file"], &held["line"]), (&json!("app.py"), &json!(1)));
    let asked = it.approval_requests();
    assert!(asked.len() == 1 && asked[0].contains("python3") && asked[0].contains("app.py"));

    let stop = it.step("continue");
    assert_eq!((&stop["state"], &stop["reason"]), (&json!("stopped"), &json!("breakpoint")));
    assert_eq!((&stop["line"], &stop["function"]), (&json!(before), &json!("add")), "{stop}");
    assert_eq!(stop["breakpoints"], json!([set["id"]]));
    assert!(stop["source"].as_str().unwrap().contains(&format!(">{before:2}         before")));
    assert_eq!(value(&stop["locals"], "amount"), Some("0"), "{stop}");

    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    assert_eq!(listed["breakpoints"][0]["verified"], true, "{listed}");
    // The other thread would stop there in the meantime.
    it.call("debug_breakpoint", json!({ "action": "remove", "id": set["id"] }));
    let next = it.step("over");
    assert_eq!((&next["reason"], &next["line"]), (&json!("step"), &json!(before + 1)), "{next}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(3)), "{end}");
    let output = end["output"].as_str().unwrap();
    assert!(output.contains("total 6\n") && output.contains("to stderr\n"), "{output}");
    let message = it.refused("debug_step", json!({ "action": "continue" }), "E_UNAVAILABLE");
    assert!(message.contains("exited with 3"), "{message}");
    let written = it.call("debug_output", json!({ "category": "stdout" }));
    assert_eq!(written["output"], "total 6\n");
    let on = it.call("debug_output", json!({ "cursor": written["next_cursor"] }));
    assert_eq!((&on["output"], &on["more"]), (&json!(""), &json!(false)));
    it.wait_for_no_processes();
}

#[test]
fn breakpoints_report_their_location() {
    let Some(it) = program("breakpoints_report_their_location") else { return };
    let app = it.home.root().join("app.py");
    let comment = line_of(&app, "# what");
    let set = |params| it.call("debug_breakpoint", params);
    set(json!({ "action": "set", "file": "app.py", "line": comment }));
    it.call("debug_launch", json!({ "program": "app.py" }));
    let listed = set(json!({ "action": "list" }));
    let one = &listed["breakpoints"][0];
    assert_ne!(one["line"], one["asked"], "a comment has no code: {one}");
    assert!(one["message"].as_str().unwrap().contains("requested line"), "{one}");

    let set_now = set(json!({
        "action": "set", "file": "app.py", "statement": "ledger.add(number)",
        "condition": "number == 2",
    }));
    assert_eq!((&set_now["verified"], &set_now["session"]), (&json!(true), &json!(1)), "{set_now}");
    let stop = it.step("continue");
    assert_eq!(value(&stop["locals"], "number"), Some("2"), "{stop}");
    set(json!({ "action": "remove", "all": true }));
    let log = set(json!({
        "action": "set", "file": "app.py", "statement": "print(\"total\"",
        "log_message": "sum is {ledger.total}",
    }));
    assert_eq!(log["verified"], true, "{log}");
    let end = it.step("continue");
    assert_eq!(end["state"], "exited", "{end}");
    assert!(end["output"].as_str().unwrap().contains("sum is 6"), "{end}");

    // Of the file's two, the one that is described goes.
    set(json!({ "action": "set", "file": "app.py", "line": comment }));
    set(json!({ "action": "remove", "file": "app.py", "statement": "print(\"total\"" }));
    let left = set(json!({ "action": "list" }));
    assert_eq!(left["breakpoints"].as_array().unwrap().len(), 1, "{left}");
    assert_eq!(left["breakpoints"][0]["asked"], comment, "{left}");

    let refused = |params, code| it.refused("debug_breakpoint", params, code);
    refused(json!({ "action": "set", "file": "app.py", "line": 1_000 }), "E_INVALID_PARAMS");
    refused(json!({ "action": "set", "symbol": "Ledger.sub" }), "E_NO_MATCH");
    refused(json!({ "action": "set", "symbol": "Ledger" }), "E_NO_MATCH");
    refused(json!({ "action": "set", "file": "app.py", "statement": "thread" }), "E_AMBIGUOUS");
    refused(json!({ "action": "set", "file": "none.py", "line": 1 }), "E_FILE_NOT_FOUND");
    refused(json!({ "action": "remove", "id": 99 }), "E_NO_MATCH");
}

#[test]
fn a_crash_is_a_stop_and_then_an_end() {
    let Some(it) = program("a_crash_is_a_stop") else { return };
    let stop = it.call("debug_launch", json!({ "program": "crash.py", "wait_ms": 60_000 }));
    assert_eq!((&stop["state"], &stop["reason"]), (&json!("stopped"), &json!("exception")));
    assert_eq!((&stop["line"], &stop["function"]), (&json!(2), &json!("third")), "{stop}");
    assert!(stop["description"].as_str().unwrap().contains("division"), "{stop}");
    let again = it.call("debug_restart", json!({ "wait_ms": 60_000 }));
    assert_eq!((&again["session"], &again["reason"]), (&json!(2), &json!("exception")), "{again}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(1)), "{end}");
}

#[test]
fn a_program_that_never_ends_is_paused_and_stopped() {
    let Some(it) = program("a_program_that_never_ends") else { return };
    let going = it.call("debug_launch", json!({ "program": "sleep.py", "wait_ms": 0 }));
    assert_eq!(going["state"], "running", "{going}");
    let error = it.refused("debug_stack", json!({}), "E_CONFLICT");
    assert!(error.contains("is running"), "{error}");
    let stop = it.call("debug_pause", json!({}));
    assert_eq!((&stop["state"], &stop["reason"]), (&json!("stopped"), &json!("pause")), "{stop}");
    let going = it.call("debug_step", json!({ "action": "continue", "wait_ms": 10 }));
    assert_eq!(going["state"], "running");
    let two = it.call("debug_launch", json!({ "program": "sleep.py", "wait_ms": 0 }));
    assert_eq!(two["session"], 2);
    it.refused("debug_pause", json!({}), "E_AMBIGUOUS");
    it.call("debug_stop", json!({ "session": 1 }));
    let sessions = it.call("debug_sessions", json!({}));
    let states: Vec<_> = sessions["sessions"].as_array().unwrap().iter().collect();
    assert_eq!((&states[0]["state"], &states[1]["state"]), (&json!("exited"), &json!("running")));
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}

#[test]
fn nothing_survives_the_server() {
    let Some(it) = program("nothing_survives_the_server") else { return };
    it.call("debug_launch", json!({ "program": "sleep.py", "wait_ms": 0 }));
    let Debuggee { client, home, .. } = it;
    drop(client);
    wait_for_no_processes_in(&home);
}

#[test]
fn guarded_files_that_a_program_creates_stay_only_with_approval() {
    let Some(it) = program("guarded_files_that_a_program_creates_stay_only_with_approval") else {
        return;
    };
    let end = it.call("debug_launch", json!({ "program": "guarded.py", "wait_ms": 60_000 }));
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(0)), "{end}");
    let asked = it.approval_requests();
    assert!(asked.iter().any(|question| question.contains(".vscode/tasks.json")), "{asked:?}");
    assert_eq!(end["created_guarded"][0]["kept"], true, "{end}");
}

#[test]
fn a_program_that_cannot_start_is_reported() {
    let Some(it) = program("a_program_that_cannot_start_is_reported") else { return };
    let launch = |params, code| it.refused("debug_launch", params, code);
    launch(json!({ "program": "none.py" }), "E_FILE_NOT_FOUND");
    launch(json!({ "program": "../x.py" }), "E_PATH_FORBIDDEN");
    launch(json!({ "program": "books" }), "E_UNSUPPORTED");
    launch(json!({}), "E_INVALID_PARAMS");
    launch(json!({ "program": "app.py", "cwd": "none" }), "E_DIR_NOT_FOUND");
    launch(json!({ "program": "app.py", "debugger": "magic" }), "E_INVALID_PARAMS");
    it.refused("debug_attach", json!({ "command": [] }), "E_INVALID_PARAMS");
    it.refused("debug_attach", json!({ "pid": 1, "command": ["x"] }), "E_INVALID_PARAMS");
    for tool in ["debug_stack", "debug_threads", "debug_variables", "debug_stop", "debug_output"] {
        it.refused(tool, json!({}), "E_UNAVAILABLE");
    }
}

#[test]
fn exceptions_are_chosen() {
    let Some(it) = program("exceptions_are_chosen") else { return };
    it.call("debug_breakpoint", json!({ "action": "set", "exceptions": [] }));
    let end = it.call("debug_launch", json!({ "program": "crash.py", "wait_ms": 60_000 }));
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(1)), "{end}");
    let held = it.call("debug_attach", json!({ "command": ["python3", "crash.py"] }));
    assert_eq!(held["state"], "stopped", "{held}");
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    let known = listed["exceptions"].as_array().unwrap();
    assert!(known.iter().any(|one| one["filter"] == "raised" && one["on"] == false), "{listed}");
    let set = json!({ "action": "set", "exceptions": [{ "filter": "magic" }] });
    let told = it.refused("debug_breakpoint", set, "E_INVALID_PARAMS");
    assert!(told.contains("magic"), "{told}");
    let set = json!({ "action": "set", "exceptions": [{ "filter": "raised" }] });
    it.call("debug_breakpoint", set);
    let stop = it.step("continue");
    assert_eq!((&stop["state"], &stop["reason"]), (&json!("stopped"), &json!("exception")));
    let data = json!({ "action": "set", "data": { "name": "number" } });
    it.refused("debug_breakpoint", data, "E_UNSUPPORTED");
    it.call("debug_stop", json!({}));
}

#[test]
fn breakpoints_move_with_edits_and_are_kept() {
    let Some(it) = program("breakpoints_move_with_edits") else { return };
    let root = it.home.root();
    let add = line_of(&root.join("app.py"), "ledger.add(number)");
    let set = json!({ "action": "set", "file": "app.py", "line": add, "condition": "number == 1" });
    it.call("debug_breakpoint", set);
    // Two lines more above it, not saved.
    let uri = client::file_uri(&root.join("app.py"));
    let text = std::fs::read_to_string(root.join("app.py")).unwrap();
    let item = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
    it.client.notify("textDocument/didOpen", json!({ "textDocument": item })).unwrap();
    let change = |version: i32, text: String| {
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": [{ "text": text }],
        });
        it.client.notify("textDocument/didChange", params).unwrap();
    };
    change(2, format!("# one\n# two\n{text}"));
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    assert_eq!(listed["breakpoints"][0]["asked"], add + 2, "{listed}");

    // The program is made of what is on disk.
    let stop = it.call("debug_launch", json!({ "program": "app.py", "wait_ms": 60_000 }));
    assert_eq!(value(&stop["locals"], "number"), Some("1"), "{stop}");
    assert_eq!(stop["line"], add + 2, "{stop}");
    assert!(stop["note"].as_str().unwrap().contains(&format!("line {add}")), "{stop}");
    assert!(stop["source"].as_str().unwrap().contains("ledger.add(number)"), "{stop}");
    change(3, format!("# one\n{text}"));
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    let one = &listed["breakpoints"][0];
    assert_eq!((&one["asked"], &one["verified"]), (&json!(add + 1), &json!(true)), "{listed}");
    let more = json!({ "action": "set", "file": "app.py", "statement": "print(\"total\"" });
    let more = it.call("debug_breakpoint", more);
    assert_eq!((&more["line"], &more["verified"]), (&more["asked"], &json!(true)), "{more}");
    it.call("debug_stop", json!({}));

    // Another server of the same workspace has them.
    let set = json!({ "action": "set", "file": "crash.py", "line": 2, "condition": "print(1)" });
    it.call("debug_breakpoint", set);
    let Debuggee { client, home, .. } = it;
    drop(client);
    let again = Debuggee::restart(home);
    let listed = again.call("debug_breakpoint", json!({ "action": "list" }));
    let all = listed["breakpoints"].as_array().unwrap();
    assert_eq!(all.len(), 2, "what needs leave is not kept: {listed}");
    assert_eq!(all[0]["condition"], "number == 1", "{listed}");
}
