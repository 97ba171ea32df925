//! `tandem debug`, driven by what a person would type.

use std::io::Write;
use std::process::Stdio;

use tests::{Fixture, Home, component};

use crate::debuggee::wait_for_no_processes_in;
use crate::python::PROGRAM;

/// What it prints for these lines.
fn session(test: &str, program: &str, lines: &[&str]) -> Option<(Home, String)> {
    let Some(debugpy) = component("debugpy") else {
        tests::skip(test, "debugpy");
        return None;
    };
    let home = Home::new();
    for file in &Fixture::parse(PROGRAM).files {
        let path = home.root().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    let mut command = home.command();
    command.env("TANDEM_DEBUGPY", debugpy).args(["debug", program]).current_dir(home.root());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let typed = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    stdin.write_all(typed.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some((home, String::from_utf8(output.stdout).unwrap()))
}

#[test]
fn a_program_is_stepped_through() {
    let lines = [
        "print 1",
        "b Ledger.add if amount == 2",
        "watch amount",
        "run",
        "locals",
        "p self.total + 0",
        "bt",
        "f 1",
        "p count",
        "list",
        "delete",
        "n",
        "",
        "finish",
        "c",
        "next",
        "jump",
        "q",
    ];
    let Some((home, told)) = session("a_program_is_stepped_through", "app.py", &lines) else {
        return;
    };
    let has = |part: &str| assert!(told.contains(part), "{part}: {told}");
    has("no program is running");
    has("breakpoint 1 at books/ledger.py:8 if amount == 2");
    has("breakpoint in add at books/ledger.py:8");
    has("> 8         before = self.total");
    has("amount = 2");
    has("amount: int = 2");
    has("> 1 work at app.py:");
    has("\n3\n");
    has("step in add at books/ledger.py:9");
    has("step in add at books/ledger.py:10");
    has("total 6\n");
    has("exited with 3");
    has("exited with 3\ndebug_step:");
    has("`jump` is not a command");
    wait_for_no_processes_in(&home);
}

#[test]
fn an_abandoned_session_ends() {
    let lines = ["start", "threads"];
    let Some((home, told)) = session("an_abandoned_session_ends", "sleep.py", &lines) else {
        return;
    };
    assert!(told.contains("entry") && told.contains("MainThread"), "{told}");
    wait_for_no_processes_in(&home);
    let Some((_, told)) = session("an_abandoned_session_ends", "none.py", &["run"]) else { return };
    assert!(told.contains("none.py"), "{told}");
}
