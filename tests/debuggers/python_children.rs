//! debugpy on programs that start other Python programs: a session each, beneath the first.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::debuggee::{Debuggee, line_of, value};

const PROGRAM: &str = r#"
//- /pool.py
import multiprocessing
import subprocess
import sys

from work import double

def main():
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(1) as pool:
        print("pool", pool.map(double, [3]), flush=True)
    done = subprocess.run([sys.executable, "other.py", "7"], capture_output=True, text=True)
    print("other", done.stdout.strip(), flush=True)

if __name__ == "__main__":
    main()
//- /work.py
def double(number):
    result = 2 * number
    return result
//- /other.py
import sys
from work import double
print(double(int(sys.argv[1])))
//- /bomb.py
import os, subprocess, sys, time
depth = int(sys.argv[1])
for _ in range(6 if depth else 0):
    subprocess.Popen([sys.executable, "bomb.py", str(depth - 1)])
open(f"ran-{os.getpid()}", "w").close()
while not os.path.exists("enough"):
    time.sleep(0.1)
//- /stays.py
import subprocess, sys, time
if len(sys.argv) == 1:
    subprocess.Popen([sys.executable, "stays.py", "child"])
    time.sleep(0.1)
while True:
    time.sleep(0.1)
"#;

fn program(test: &str) -> Option<Debuggee> {
    if tests::component("debugpy").is_none() {
        tests::skip(test, "debugpy");
        return None;
    }
    Some(Debuggee::new(PROGRAM))
}

fn sessions(it: &Debuggee) -> Vec<Value> {
    it.call("debug_sessions", json!({}))["sessions"].as_array().unwrap().clone()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn breakpoints_hold_in_child_processes() {
    let Some(it) = program("breakpoints_hold_in_child_processes") else { return };
    for how in ["fork", "spawn"] {
        let set = it.call(
            "debug_breakpoint",
            json!({ "action": "set", "file": "work.py", "statement": "result = 2 * number" }),
        );
        let line = line_of(&it.home.root().join("work.py"), "result =");
        let stop = it.call(
            "debug_launch",
            json!({ "program": "pool.py", "args": [how], "wait_ms": 60_000 }),
        );
        assert_eq!(
            (&stop["state"], &stop["reason"]),
            (&json!("stopped"), &json!("breakpoint")),
            "{how}: {stop}"
        );
        assert_eq!((&stop["file"], &stop["line"]), (&json!("work.py"), &json!(line)), "{stop}");
        assert_eq!(
            (value(&stop["locals"], "number"), &stop["breakpoints"]),
            (Some("3"), &json!([set["id"]]))
        );
        let root = stop["parent"].as_u64().unwrap();
        let all = sessions(&it);
        let one = all.iter().find(|one| one["session"] == stop["session"]).unwrap();
        assert_eq!((&one["parent"], &one["state"]), (&json!(root), &json!("stopped")), "{all:?}");
        let parent = all.iter().find(|one| one["session"] == root).unwrap();
        assert!(parent["state"] == "running" && parent["parent"].is_null(), "{parent}");

        // The one that is stopped is meant.
        let looked = it.call("debug_evaluate", json!({ "expression": "number" }));
        assert_eq!(looked["result"], "3");
        let next = it.step("over");
        assert_eq!(
            (&next["line"], &next["session"]),
            (&json!(line + 1), &stop["session"]),
            "{next}"
        );
        let message =
            it.refused("debug_restart", json!({ "session": stop["session"] }), "E_UNSUPPORTED");
        assert!(message.contains(&format!("session {root}")), "{message}");

        // It goes on; the next that stops is another process.
        let mut other = it.step("continue");
        if other["state"] == "exited" {
            other = it.call(
                "debug_step",
                json!({ "action": "wait", "session": root, "wait_ms": 60_000 }),
            );
        }
        assert_eq!(
            (value(&other["locals"], "number"), &other["parent"]),
            (Some("7"), &json!(root)),
            "{other}"
        );
        assert_ne!(other["session"], stop["session"]);
        it.call("debug_breakpoint", json!({ "action": "remove", "id": set["id"] }));
        it.call(
            "debug_step",
            json!({ "action": "continue", "session": other["session"], "wait_ms": 60_000 }),
        );
        let end =
            it.call("debug_step", json!({ "action": "wait", "session": root, "wait_ms": 60_000 }));
        assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(0)), "{end}");
        let output = it.call("debug_output", json!({ "session": root }))["output"].to_string();
        assert!(output.contains("pool [6]") && output.contains("other 14"), "{output}");
        assert!(
            sessions(&it).iter().all(|one| one["state"] == "exited" && one["error"].is_null()),
            "{:?}",
            sessions(&it)
        );
        it.wait_for_no_processes();
    }
}

#[test]
fn children_end_with_their_parent_and_can_be_ended_alone() {
    let Some(it) = program("children_end_with_their_parent_and_can_be_ended_alone") else { return };
    let running = |it: &Debuggee| {
        sessions(it).into_iter().filter(|one| one["state"] == "running").collect::<Vec<_>>()
    };
    for is_alone in [true, false] {
        let first = it.call("debug_launch", json!({ "program": "stays.py", "wait_ms": 100 }));
        wait_until("a child", || running(&it).len() == 2);
        let child = running(&it).into_iter().find(|one| !one["parent"].is_null()).unwrap();
        assert_eq!(child["parent"], first["session"]);
        if is_alone {
            let ended = it.call("debug_stop", json!({ "session": child["session"] }));
            assert_eq!((&ended["state"], &ended["parent"]), (&json!("exited"), &first["session"]));
            assert_eq!(running(&it).len(), 1);
        }
        it.call("debug_stop", json!({ "session": first["session"] }));
        assert!(running(&it).is_empty());
        it.wait_for_no_processes();
    }
}

#[test]
fn a_fork_bomb_is_limited_and_ended() {
    let Some(it) = program("a_fork_bomb_is_limited_and_ended") else { return };
    let launch = json!({ "program": "bomb.py", "args": ["2"], "wait_ms": 100 });
    let first = it.call("debug_launch", launch);
    // 42 processes, of which 32 are debugged; the others just run.
    let ran = || {
        let names = std::fs::read_dir(it.home.root()).unwrap().flatten();
        names.filter(|name| name.file_name().to_string_lossy().starts_with("ran-")).count()
    };
    wait_until("all of them", || {
        let all = sessions(&it);
        let children = all.iter().filter(|one| !one["parent"].is_null()).count();
        assert!(children <= 32 && all.iter().all(|one| one["error"].is_null()), "{all:?}");
        ran() == 43 && children == 32
    });
    it.call("debug_stop", json!({ "session": first["session"] }));
    it.wait_for_no_processes();
}
