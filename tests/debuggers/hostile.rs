//! Hostile and hanging programs under real adapters, and processes that may not be attached. No
//! process survives a test.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::debuggee::{Debuggee, wait_for_no_processes_in};
use crate::{go, native};

const PYTHON: &str = r#"
//- /forks.py
import os, signal, sys, time
if not os.fork():
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(0.05)
print("parent", flush=True)
sys.exit(4)
//- /execs.py
import os
print("before", flush=True)
os.execv("/bin/echo", ["echo", "replaced"])
//- /killed.py
import os
os.kill(os.getpid(), 9)
//- /empty.py
//- /closes.py
import os
os.closerange(0, 3)
raise SystemExit(5)
"#;

const C: &str = r#"
//- /stubborn.c
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int turns;

static void stay(void) {
    usleep(10000);
}

static int forever(void) {
    for (;;)
        turns++;
    return turns;
}

int main(int argc, char **argv) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (argc > 1 && !fork())
        setsid();
    puts("begun");
    fflush(stdout);
    while (argc < 1000)
        stay();
    return forever();
}
"#;

const BUILD: &[&str] = &["cc", "-g", "-O0", "-o", "stubborn", "stubborn.c"];

fn python(test: &str) -> Option<Debuggee> {
    if tests::component("debugpy").is_none() {
        tests::skip(test, "debugpy");
        return None;
    }
    Some(Debuggee::new(PYTHON))
}

fn run(it: &Debuggee, program: &str) -> Value {
    it.call("debug_launch", json!({ "program": program, "wait_ms": 60_000 }))
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// A process that the server did not start, ended with the test.
pub(crate) struct ForeignProcess(Child);

impl ForeignProcess {
    pub(crate) fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let other = Self(command.spawn().unwrap());
        // Until it has become the program.
        let line = || std::fs::read(format!("/proc/{}/cmdline", other.id())).unwrap_or_default();
        while line().is_empty() {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(100));
        other
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    /// Asserts that no debugger is attached and that it runs on.
    pub(crate) fn assert_running(&self) {
        let begun = Instant::now();
        loop {
            let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
            if status.contains("TracerPid:\t0") && status.contains("State:\tS") {
                break;
            }
            assert!(begun.elapsed() < tests::RESPONSE_TIMEOUT, "{status}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Held again and again, with a breakpoint that it runs into all the time, and let go while it
    /// runs and while it is stopped: what is left of a breakpoint would kill it.
    pub(crate) fn assert_detached(&self, it: &Debuggee, attach: &Value) {
        for turn in 0..4 {
            it.call("debug_attach", attach.clone());
            let set = json!({ "action": "set", "symbol": "stay" });
            let set = it.call("debug_breakpoint", set);
            let held = it.step("continue");
            assert_eq!(held["reason"], "breakpoint", "{turn}: {held}");
            let remove = json!({ "action": "remove", "id": set["id"] });
            if turn % 2 == 0 {
                it.call("debug_breakpoint", remove.clone());
                let going = it.call("debug_step", json!({ "action": "continue", "wait_ms": 50 }));
                assert_eq!(going["state"], "running", "{turn}: {going}");
            }
            it.call("debug_stop", json!({}));
            // Longer than a turn of its loop.
            std::thread::sleep(Duration::from_millis(100));
            self.assert_running();
            if turn % 2 == 1 {
                it.call("debug_breakpoint", remove);
            }
        }
    }
}

impl Drop for ForeignProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn python_programs_fork_exec_crash_and_exit_at_once() {
    let Some(it) = python("python_programs_fork_exec_crash_and_exit_at_once") else { return };
    // The child has the program's output open: for debugpy, that runs on.
    let forked = it.call("debug_launch", json!({ "program": "forks.py", "wait_ms": 3_000 }));
    assert!(forked["output"].as_str().unwrap().contains("parent"), "{forked}");
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
    let end = run(&it, "killed.py");
    assert_eq!(end["state"], "exited", "{end}");
    assert_ne!(end["exit_code"], 0, "{end}");
    let end = run(&it, "empty.py");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(0)), "{end}");
    let end = run(&it, "closes.py");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(5)), "{end}");
    // What it became is not debugged any more.
    let end = run(&it, "execs.py");
    assert_eq!(end["state"], "exited", "{end}");
    assert!(end["output"].as_str().unwrap().contains("before"), "{end}");
    it.wait_for_no_processes();
}

#[test]
fn a_hanging_program_ends_with_its_session_and_with_the_server() {
    let Some(it) =
        native::built("a_hanging_program_ends_with_its_session_and_with_the_server", C, &[BUILD])
    else {
        return;
    };
    let launch = |wait_ms: u64| {
        let params = json!({ "program": "stubborn", "args": ["fork"], "wait_ms": wait_ms });
        it.call("debug_launch", params)
    };
    assert_eq!(launch(500)["state"], "running");
    let begun = Instant::now();
    it.call("debug_stop", json!({}));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    it.wait_for_no_processes();
    assert_eq!(launch(200)["state"], "running");
    it.call("debug_pause", json!({}));
    let Debuggee { client, home, .. } = it;
    drop(client);
    wait_for_no_processes_in(&home);
}

/// An endless evaluation times out, is reported, and ends with its session.
fn never_ends(it: &Debuggee, expression: &str) {
    let begun = Instant::now();
    let params = json!({ "expression": expression, "context": "repl", "timeout_ms": 1_000 });
    it.refused("debug_evaluate", params, "E_TIMEOUT");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let begun = Instant::now();
    it.call("debug_stop", json!({}));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    it.wait_for_no_processes();
}

#[test]
fn an_endless_evaluation_in_lldb_times_out() {
    let Some(it) = native::built("an_endless_evaluation_in_lldb_times_out", C, &[BUILD]) else {
        return;
    };
    it.call("debug_breakpoint", json!({ "action": "set", "symbol": "main" }));
    let stop = run(&it, "stubborn");
    assert_eq!(stop["state"], "stopped", "{stop}");
    never_ends(&it, "`expression --timeout 0 -- forever()");
}

#[test]
fn an_endless_evaluation_in_delve_times_out() {
    let Some(it) = go::program("an_endless_evaluation_in_delve_times_out") else { return };
    it.call("debug_breakpoint", json!({ "action": "set", "symbol": "main" }));
    let stop = it.call("debug_launch", json!({ "program": "main.go", "wait_ms": 90_000 }));
    assert_eq!(stop["state"], "stopped", "{stop}");
    never_ends(&it, "call forever(1)");
}

#[test]
fn a_process_is_attached_and_detached() {
    let Some(it) = native::built("a_process_is_attached_and_detached", C, &[BUILD]) else { return };
    let other = ForeignProcess::start(&mut Command::new(it.home.root().join("stubborn")));
    let attach = json!({ "pid": other.id() });
    let held = it.call("debug_attach", attach.clone());
    assert_eq!(held["state"], "stopped", "{held}");
    let asked = it.approval_requests();
    assert!(asked.iter().any(|question| question.contains("stubborn")), "{asked:?}");
    // As root it has rights, which the debugger needs one of.
    let is_told = asked.iter().any(|question| question.contains("it has capabilities"));
    assert_eq!(is_told, is_root(), "{asked:?}");
    let told = it.refused("debug_attach", attach, "E_CONFLICT");
    assert!(told.contains("already has a debugger"), "{told}");
    let stack = it.call("debug_stack", json!({})).to_string();
    assert!(stack.contains("main"), "{stack}");
    let going = it.call("debug_step", json!({ "action": "continue", "wait_ms": 200 }));
    assert_eq!(going["state"], "running", "{going}");
    it.call("debug_stop", json!({}));
    other.assert_running();
    other.assert_detached(&it, &json!({ "pid": other.id() }));
}

#[test]
fn forbidden_processes_are_not_attached() {
    let it = Debuggee::new("//- /a.txt\nx\n");
    let refused = |pid: u32, code: &str, told: &str| {
        let message = it.refused("debug_attach", json!({ "pid": pid }), code);
        assert!(message.contains(told), "{pid}: {message}");
    };
    refused(4_000_000_000, "E_NO_MATCH", "is not there");
    refused(1, "E_PERMISSION", "the first one of the system and must not be stopped");
    let server = it.client.process().unwrap().id();
    refused(server, "E_PERMISSION", "is a Tandem server");
    let mut threads = std::fs::read_dir(format!("/proc/{server}/task")).unwrap().flatten();
    let thread = threads.find_map(|entry| {
        entry.file_name().to_str()?.parse().ok().filter(|id: &u32| *id != server)
    });
    refused(thread.unwrap(), "E_INVALID_PARAMS", "is a thread");
    // An ancestor of the server.
    refused(std::process::id(), "E_PERMISSION", "started this server");
    // As root, a foreign user's can be made.
    if is_root() {
        let other = ForeignProcess::start(Command::new("sleep").arg("100").uid(65_534));
        refused(other.id(), "E_PERMISSION", "another user's");
    }
    assert!(it.approval_requests().is_empty(), "nobody is asked for what cannot be");
}
