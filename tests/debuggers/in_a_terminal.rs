//! Adapters that have their client run the program: it runs where they do, behind the same walls.

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
    Some(Debuggee::with(PROGRAM, |_, home| {
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
fn a_program_runs_in_a_terminal_as_its_adapter_believes() {
    let Some(it) = program("a_program_runs_in_a_terminal") else { return };
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
    it.nothing_lives();
}

#[test]
fn what_runs_in_a_terminal_ends_with_its_session() {
    let Some(it) = program("what_runs_in_a_terminal") else { return };
    let launch = json!({ "program": "sleeps.py", "debugger": "terminal", "wait_ms": 2_000 });
    assert_eq!(it.call("debug_launch", launch)["state"], "running");
    it.call("debug_stop", json!({}));
    it.nothing_lives();
}
