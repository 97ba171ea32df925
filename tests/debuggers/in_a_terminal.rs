//! Adapters that use `runInTerminal`: the program runs in the adapter's sandbox.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::debuggee::Debuggee;

const PROGRAM: &str = r#"
//- /app.py
import os, sys
print("in", os.environ["MARK"], os.getcwd() == os.environ["PWD_TOLD"], flush=True)
print("é to stderr", file=sys.stderr)
try:
    open(os.environ["OUT"], "w")
    print("got out")
except OSError as error:
    print("walled in")
print("read", repr(sys.stdin.read()))
number = 41
print(number + 1)
//- /sleeps.py
import time
while True:
    time.sleep(0.1)
"#;

/// A server whose person has debugpy use a terminal.
fn program(test: &str) -> Option<Debuggee> {
    if tests::component("debugpy").is_none() {
        tests::skip(test, "debugpy");
        return None;
    }
    let debugpy = tests::component("debugpy").unwrap();
    Some(Debuggee::start_with(PROGRAM, |_, home| {
        let folder = home.outside().join("config/tandem");
        std::fs::create_dir_all(&folder).unwrap();
        let table = format!(
            "[[adapter]]\nname = \"terminal\"\nlanguages = [\"python\"]\ntransport = \"stdio\"\n\
             install = \"none\"\ncommand = [\"python3\", \"{}\"]\n[adapter.launch.file]\n\
             program = \"{{program}}\"\nargs = \"{{args}}\"\ncwd = \"{{cwd}}\"\n\
             env = \"{{env}}\"\nconsole = \"integratedTerminal\"\n",
            debugpy.display()
        );
        let file = folder.join("adapters.toml");
        std::fs::write(&file, table).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    }))
}

#[test]
fn a_program_runs_in_the_terminal_that_its_adapter_requests() {
    let Some(it) = program("a_program_runs_in_the_terminal_that_its_adapter_requests") else {
        return;
    };
    let root = it.home.root();
    it.call(
        "debug_breakpoint",
        json!({ "action": "set", "file": "app.py", "statement": "print(number + 1)" }),
    );
    let out = it.home.outside().join("escaped");
    let env = json!({ "MARK": "here", "PWD_TOLD": root, "OUT": out });
    let launch = json!({
        "program": "app.py", "debugger": "terminal", "env": env, "wait_ms": 60_000,
    });
    let stop = it.call("debug_launch", launch);
    assert_eq!((&stop["state"], &stop["line"]), (&json!("stopped"), &json!(11)), "{stop}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(0)), "{end}");
    let all = it.call("debug_output", json!({ "category": "stdout" }))["output"].clone();
    assert_eq!(all, "in here True\nwalled in\nread ''\n42\n");
    let errors = it.call("debug_output", json!({ "category": "stderr" }))["output"].clone();
    assert_eq!(errors, "é to stderr\n");
    assert!(!out.exists());
    it.wait_for_no_processes();
}

#[test]
fn a_terminal_program_ends_with_its_session() {
    let Some(it) = program("a_terminal_program_ends_with_its_session") else { return };
    let launch = json!({ "program": "sleeps.py", "debugger": "terminal", "wait_ms": 2_000 });
    assert_eq!(it.call("debug_launch", launch)["state"], "running");
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}
