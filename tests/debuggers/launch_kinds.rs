//! Launching Cargo packages, their tests, and configurations of launch.json.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use crate::debuggee::{Debuggee, value};
use crate::python;

const PACKAGE: &str = r#"
//- /Cargo.toml
[package]
name = "ledger"
version = "0.1.0"
edition = "2021"
//- /src/lib.rs
pub mod book;
//- /src/book.rs
pub fn add(total: i64, amount: i64) -> i64 {
    let sum = total + amount;
    sum
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(40, 2), 42);
    }
    #[test]
    fn never_run() {
        panic!("only the one that is named");
    }
}
//- /src/main.rs
fn main() {
    let words: Vec<String> = std::env::args().collect();
    println!("sum {}", ledger::book::add(1, words.len() as i64));
}
//- /src/bin/other.rs
fn main() {}
"#;

#[test]
fn a_package_and_a_test_of_it_are_built_and_launched() {
    let Some(adapter) = tests::component("lldb-dap") else {
        return tests::skip("a_package_and_a_test", "lldb-dap");
    };
    // The toolchain itself: rustup would look for it in this test's home.
    let told = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let toolchain = PathBuf::from(String::from_utf8(told.stdout).unwrap().trim()).join("bin");
    let it = Debuggee::start_with(PACKAGE, |command, _| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all: Vec<_> = [toolchain].into_iter().chain(std::env::split_paths(&path)).collect();
        command.env("TANDEM_LLDB_DAP", adapter).env("PATH", std::env::join_paths(all).unwrap());
    });
    it.call("debug_breakpoint", json!({ "action": "set", "symbol": "add" }));
    let stop =
        it.call("debug_launch", json!({ "test": "src/book.rs::tests::adds", "wait_ms": 60_000 }));
    assert_eq!(
        (&stop["state"], &stop["file"]),
        (&json!("stopped"), &json!("src/book.rs")),
        "{stop}"
    );
    assert_eq!(value(&stop["locals"], "amount"), Some("2"), "{stop}");
    let asked = it.approval_requests().join("\n");
    assert!(
        asked.contains("cargo test --no-run") && asked.contains("book::tests::adds"),
        "{asked}"
    );
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(0)), "{end}");
    assert!(end["output"].as_str().unwrap().contains("1 passed"), "{end}");

    let stop = it.call(
        "debug_launch",
        json!({ "program": "src/main.rs", "args": ["a", "b"], "wait_ms": 60_000 }),
    );
    assert_eq!(value(&stop["locals"], "amount"), Some("3"), "{stop}");
    assert!(it.approval_requests().join("\n").contains("cargo build"));
    it.call("debug_stop", json!({}));
    it.refused("debug_launch", json!({ "program": "." }), "E_AMBIGUOUS");
    it.refused("debug_launch", json!({ "test": "src/book.rs" }), "E_INVALID_PARAMS");

    std::fs::write(it.home.root().join("src/main.rs"), "fn main() { oops }\n").unwrap();
    let error = it.try_call("debug_launch", json!({ "program": "src/main.rs" })).unwrap_err();
    assert_eq!(error.code, "E_IO", "{}", error.data);
    assert!(error.data.to_string().contains("cannot find value `oops`"), "{}", error.data);
    it.wait_for_no_processes();
}

const LAUNCHES: &str = r#"{
    // What an editor has.
    "version": "0.2.0",
    "configurations": [
        {
            "name": "crash", "type": "debugpy", "request": "launch",
            "program": "${workspaceFolder}/crash.py", "console": "integratedTerminal",
            "preLaunchTask": "make",
        },
        { "name": "page", "type": "chrome", "request": "launch", "url": "http://localhost" },
        { "name": "this", "type": "debugpy", "request": "launch", "program": "${file}" },
        { "name": "out", "type": "debugpy", "request": "launch", "program": "/etc/passwd" },
    ],
    "compounds": [{ "name": "both", "configurations": ["crash", "this"] }],
}"#;

#[test]
fn launch_json_configurations_are_listed_and_launched_with_approval() {
    let Some(it) =
        python::program("launch_json_configurations_are_listed_and_launched_with_approval")
    else {
        return;
    };
    let none = it.call("debug_configurations", json!({}));
    assert_eq!(none["configurations"], json!([]));
    std::fs::create_dir(it.home.root().join(".vscode")).unwrap();
    std::fs::write(it.home.root().join(".vscode/launch.json"), LAUNCHES).unwrap();

    let listed = it.call("debug_configurations", json!({ "file": "crash.py" }));
    let all = listed["configurations"].as_array().unwrap();
    let problem = |index: usize| all[index]["problem"].as_str().unwrap_or_default();
    assert_eq!((all.len(), problem(0), problem(2)), (4, "", ""), "{listed}");
    assert!(problem(1).contains("chrome"), "{listed}");
    assert!(all[0]["left_out"].to_string().contains("tasks are not run"), "{listed}");
    assert_eq!(listed["compounds"][0]["name"], "both");
    assert!(it.approval_requests().is_empty(), "looking runs nothing");

    let stop = it.call("debug_launch", json!({ "configuration": "crash", "wait_ms": 60_000 }));
    assert_eq!((&stop["state"], &stop["reason"]), (&json!("stopped"), &json!("exception")));
    assert!(stop["left_out"].to_string().contains("preLaunchTask"), "{stop}");
    assert!(it.approval_requests()[0].contains("crash.py"));
    it.call("debug_stop", json!({}));

    let both = json!({ "configuration": "both", "file": "crash.py", "wait_ms": 60_000 });
    let both = it.call("debug_launch", both);
    assert_eq!(both["others"].as_array().unwrap().len(), 1, "{both}");
    for session in [&both["session"], &both["others"][0]["session"]] {
        it.call("debug_stop", json!({ "session": session }));
    }
    let launch = |params, code| it.refused("debug_launch", params, code);
    launch(json!({ "configuration": "page" }), "E_UNSUPPORTED");
    launch(json!({ "configuration": "none" }), "E_NO_MATCH");
    launch(json!({ "configuration": "out" }), "E_PATH_FORBIDDEN");
    let told = launch(json!({ "configuration": "this" }), "E_UNSUPPORTED");
    assert!(told.contains("give `file`"), "{told}");
    std::fs::write(it.home.root().join(".vscode/launch.json"), "{ nonsense").unwrap();
    launch(json!({ "configuration": "crash" }), "E_INVALID_PARAMS");
    it.wait_for_no_processes();
}
