//! lldb-dap on programs of C and Rust that the test builds.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::debuggee::{Debuggee, line_of, value};

/// A program that books amounts, and does what its argument says then.
pub(crate) const C: &str = concat!(
    "//- /ledger.c\n",
    include_str!("ledger.c"),
    "//- /quick.c\nint main(void) { return 9; }\n"
);

const RUST: &str = r#"
//- /ledger.rs
struct Ledger {
    total: i64,
    entries: Vec<i64>,
}

impl Ledger {
    fn add(&mut self, amount: i64) -> i64 {
        self.entries.push(amount);
        self.total += amount;
        self.total
    }
}

fn main() {
    let mut ledger = Ledger { total: 0, entries: (0..100_000).collect() };
    for amount in 1..=3 {
        ledger.add(amount);
    }
    println!("total {}", ledger.total);
    if std::env::args().count() > 1 {
        let none: Option<i64> = None;
        none.expect("nothing is there");
    }
    std::process::exit(6);
}
"#;

/// A server on a fixture, where lldb-dap and the compiler are; programs are built by `commands`.
pub(crate) fn built(test: &str, fixture: &str, commands: &[&[&str]]) -> Option<Debuggee> {
    let Some(adapter) = tests::component("lldb-dap") else {
        tests::skip(test, "lldb-dap");
        return None;
    };
    let it = Debuggee::start_with(fixture, |command, _| {
        command.env("TANDEM_LLDB_DAP", adapter);
        command.envs(tests::rust_formatters().map(|file| ("TANDEM_RUST_FORMATTERS", file)));
    });
    for words in commands {
        build(&it.home.root(), words);
    }
    Some(it)
}

fn build(folder: &Path, words: &[&str]) {
    let status = Command::new(words[0]).args(&words[1..]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{words:?}");
}

fn c(test: &str) -> Option<Debuggee> {
    built(test, C, &[&["cc", "-g", "-O0", "-o", "ledger", "ledger.c"]])
}

fn set(it: &Debuggee, mut params: Value) -> Value {
    params["action"] = "set".into();
    it.call("debug_breakpoint", params)
}

fn launch(it: &Debuggee, args: &[&str]) -> Value {
    it.call("debug_launch", json!({ "program": "ledger", "args": args, "wait_ms": 60_000 }))
}

#[test]
fn a_c_program_stops_at_breakpoints_and_is_stepped() {
    let Some(it) = c("a_c_program_stops_at_breakpoints_and_is_stepped") else { return };
    let source = it.home.root().join("ledger.c");
    let comment = line_of(&source, "// the sum");
    set(&it, json!({ "symbol": "add", "condition": "amount == 2" }));
    let stop = launch(&it, &[]);
    assert_eq!((&stop["reason"], &stop["function"]), (&json!("breakpoint"), &json!("add")));
    assert_eq!(value(&stop["locals"], "amount"), Some("2"), "{stop}");
    assert_eq!(stop["file"], "ledger.c");
    let moved = set(&it, json!({ "file": "ledger.c", "line": comment }));
    assert_eq!((&moved["verified"], &moved["line"]), (&json!(true), &json!(comment + 1)));
    assert!(moved["message"].as_str().unwrap().contains("bound to"), "{moved}");
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));

    let total = |expression| it.call("debug_evaluate", json!({ "expression": expression }));
    assert_eq!(total("book->total + amount")["result"], "3");
    let stack = it.call("debug_stack", json!({}));
    assert_eq!(stack["frames"][1]["function"], "main", "{stack}");
    let set_value = it.call("debug_set_variable", json!({ "name": "amount", "value": "40" }));
    assert_eq!(set_value["value"], "40", "{set_value}");
    let next = it.step("over");
    assert_eq!((&next["reason"], &next["line"]), (&json!("step"), &json!(comment + 1)), "{next}");
    let out = it.step("out");
    assert_eq!((&out["function"], &out["state"]), (&json!("main"), &json!("stopped")), "{out}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(5)), "{end}");
    assert!(end["output"].as_str().unwrap().contains("total 48\n"), "{end}");
    it.wait_for_no_processes();
}

#[test]
fn hit_counts_log_points_and_step_in_work() {
    let Some(it) = c("hit_counts_log_points_and_step_in_work") else { return };
    let call = "add(&book, i);";
    set(&it, json!({ "file": "ledger.c", "statement": call, "hit_condition": "3" }));
    set(
        &it,
        json!({ "file": "ledger.c", "statement": "return book->total;",
        "log_message": "now {book->total}" }),
    );
    let stop = launch(&it, &[]);
    assert_eq!(value(&stop["locals"], "i"), Some("2"), "{stop}");
    let into = it.step("into");
    assert_eq!(into["function"], "add", "{into}");
    let again = it.call("debug_restart", json!({ "wait_ms": 60_000 }));
    assert_eq!((&again["session"], &again["state"]), (&json!(2), &json!("stopped")), "{again}");
    assert_eq!(value(&again["locals"], "i"), Some("2"), "{again}");
    // This one counts from the third on.
    assert_eq!(value(&it.step("continue")["locals"], "i"), Some("3"));
    it.call("debug_breakpoint", json!({ "action": "remove", "id": 1 }));
    let end = it.step("continue");
    assert_eq!(end["exit_code"], 4, "{end}");
    let written = it.call("debug_output", json!({}));
    assert!(written["output"].as_str().unwrap().contains("now 10"), "{written}");
    it.wait_for_no_processes();
}

#[test]
fn crashes_forks_and_execs_are_reported() {
    let Some(it) = c("crashes_forks_and_execs_are_reported") else { return };
    let crash = launch(&it, &["crash"]);
    assert_eq!((&crash["state"], &crash["function"]), (&json!("stopped"), &json!("crash")));
    assert_eq!(crash["reason"], "exception", "{crash}");
    assert!(crash["description"].as_str().unwrap().contains("SIGSEGV"), "{crash}");
    let end = it.step("continue");
    assert_eq!(end["state"], "exited", "{end}");
    let forked = launch(&it, &["fork"]);
    assert_eq!((&forked["state"], &forked["exit_code"]), (&json!("exited"), &json!(7)), "{forked}");
    let mut replaced = launch(&it, &["exec"]);
    // Some stop where the program became another.
    while replaced["state"] == "stopped" {
        assert_eq!(replaced["description"], "exec", "{replaced}");
        replaced = it.step("continue");
    }
    assert_eq!(replaced["exit_code"], 0, "{replaced}");
    assert!(replaced["output"].as_str().unwrap().contains("replaced"), "{replaced}");
    build(&it.home.root(), &["cc", "-g", "-o", "quick", "quick.c"]);
    let quick = it.call("debug_launch", json!({ "program": "quick", "wait_ms": 60_000 }));
    assert_eq!((&quick["state"], &quick["exit_code"]), (&json!("exited"), &json!(9)), "{quick}");
    it.wait_for_no_processes();
}

#[test]
fn without_debug_information_no_values_are_invented() {
    let command: &[&str] = &["cc", "-O2", "-g", "-o", "ledger", "ledger.c"];
    let bare: &[&str] = &["cc", "-O0", "-s", "-o", "bare", "ledger.c"];
    let Some(it) = built("without_debug_information_no_values_are_invented", C, &[command, bare])
    else {
        return;
    };
    set(&it, json!({ "file": "ledger.c", "statement": "printf(\"total" }));
    let stop = launch(&it, &[]);
    assert_eq!((&stop["state"], &stop["function"]), (&json!("stopped"), &json!("main")), "{stop}");
    it.call("debug_stop", json!({}));
    let end = it.call("debug_launch", json!({ "program": "bare", "wait_ms": 60_000 }));
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(4)), "{end}");
    it.call("debug_attach", json!({ "command": ["./bare"] }));
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    let one = &listed["breakpoints"][0];
    assert_eq!(one["verified"], false, "{one}");
    assert!(one["message"].as_str().is_some_and(|told| !told.is_empty()), "{one}");
    it.call("debug_stop", json!({}));
    it.wait_for_no_processes();
}

#[test]
fn a_rust_program_is_inspected() {
    let command: &[&str] = &["rustc", "-g", "-o", "ledger", "ledger.rs"];
    let Some(it) = built("a_rust_program_is_inspected", RUST, &[command]) else { return };
    set(&it, json!({ "symbol": "Ledger.add" }));
    let stop = launch(&it, &[]);
    assert_eq!(stop["line"], line_of(&it.home.root().join("ledger.rs"), "entries.push"), "{stop}");
    assert_eq!(value(&stop["locals"], "amount"), Some("1"), "{stop}");
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    it.step("over");
    it.step("over");
    let total = it.call("debug_evaluate", json!({ "expression": "self->total" }));
    assert_eq!(total["result"], "1", "{total}");
    let out = it.step("out");
    assert!(out["function"].as_str().unwrap().contains("main"), "{out}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(6)), "{end}");
    it.wait_for_no_processes();
}

const TYPES: &str = r#"
//- /types.rs
use std::collections::HashMap;

enum Kind {
    Sized(i32),
    Unit,
}

fn main() {
    let name: &str = "anna";
    let owned = String::from("bert");
    let some = Some(5);
    let kind = Kind::Sized(3);
    let unit = Kind::Unit;
    let none: Option<String> = None;
    let mut map = HashMap::new();
    map.insert("key".to_owned(), 7);
    let long: HashMap<u32, u32> = (0..6_000).map(|n| (n, n)).collect();
    let is_unit = matches!(unit, Kind::Unit) && matches!(kind, Kind::Sized(3));
    println!("{name} {owned} {some:?} {none:?} {map:?} {} {is_unit}", long.len());
}
"#;

#[test]
fn rust_values_are_displayed_by_the_toolchains_formatters() {
    let command: &[&str] = &["rustc", "-g", "-o", "types", "types.rs"];
    let Some(it) =
        built("rust_values_are_displayed_by_the_toolchains_formatters", TYPES, &[command])
    else {
        return;
    };
    set(&it, json!({ "file": "types.rs", "statement": "println!" }));
    let stop = it.call("debug_launch", json!({ "program": "types", "wait_ms": 60_000 }));
    assert!(!stop["output"].as_str().unwrap().contains("command script"), "{stop}");
    let locals = it.call("debug_variables", json!({}));
    let locals = &locals["variables"];
    for (name, shown) in [
        ("name", "\"anna\""),
        ("owned", "\"bert\""),
        ("some", "Some(5)"),
        ("kind", "Sized(3)"),
        ("none", "None"),
        ("map", "size=1"),
        ("long", "size=6000"),
    ] {
        assert_eq!(value(locals, name), Some(shown), "{locals}");
    }
    let held = |name: &str| {
        let mut all = locals.as_array().unwrap().iter();
        json!({ "reference": all.find(|one| one["name"] == name).unwrap()["reference"] })
    };
    let map = it.call("debug_variables", held("map"));
    assert_eq!(value(&map["variables"], "[0]"), Some("(\"key\", 7)"), "{map}");
    // It would take lldb long, and other questions with it.
    let told = it.refused("debug_variables", held("long"), "E_UNSUPPORTED");
    assert!(told.contains("6000 elements"), "{told}");
    // The line is at several places of the program.
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    let end = it.step("continue");
    assert_eq!(end["exit_code"], 0, "{end}");
    it.wait_for_no_processes();
}

#[test]
fn function_breakpoints_watchpoints_disassembly_and_memory_work() {
    let Some(it) = c("function_breakpoints_watchpoints_disassembly_and_memory_work") else {
        return;
    };
    let set = it.call("debug_breakpoint", json!({ "action": "set", "function_name": "add" }));
    assert_eq!(set["functions"][0]["verified"], false, "{set}");
    let stop = launch(&it, &[]);
    assert_eq!((&stop["state"], &stop["function"]), (&json!("stopped"), &json!("add")), "{stop}");
    let numbers = it.call("debug_evaluate", json!({ "expression": "numbers" }));
    let page = |cursor: &str| {
        let started = std::time::Instant::now();
        let params = json!({ "reference": numbers["reference"], "cursor": cursor });
        (it.call("debug_variables", params), started.elapsed())
    };
    let (far, took) = page("99900");
    assert_eq!(far["variables"].as_array().unwrap().len(), 100, "{far}");
    assert_eq!(value(&far["variables"], "[99950]"), Some("99950"), "{far}");
    println!("a page of 100,000 elements: {took:?}");

    let code = it.call("debug_disassemble", json!({ "count": 5 }));
    let all = code["instructions"].as_array().unwrap();
    assert!(all.len() == 5 && all[0]["address"].as_str().unwrap().starts_with("0x"), "{code}");
    it.approval_requests();
    let address = it.call("debug_evaluate", json!({ "expression": "numbers[1]" }));
    let dump = it.call("debug_memory", json!({ "address": address["memory"], "count": 8 }));
    assert_eq!(dump["count"], 8, "{dump}");
    assert!(dump["dump"].as_str().unwrap().contains("01 00 00 00 02 00 00 00"), "{dump}");
    assert!(it.approval_requests()[0].contains("read memory"));
    it.refused("debug_memory", json!({ "address": "" }), "E_INVALID_PARAMS");

    it.call("debug_breakpoint", json!({ "action": "remove", "function_name": "add" }));
    let book = it.call("debug_evaluate", json!({ "expression": "*book" }));
    let data = json!({ "name": "total", "reference": book["reference"] });
    let data = json!({ "action": "set", "data": data });
    let set = it.call("debug_breakpoint", data);
    assert_eq!(set["data"][0]["access"], "write", "{set}");
    it.call("debug_set_variable", json!({ "name": "amount", "value": "5" }));
    let stop = it.step("continue");
    assert_eq!((&stop["state"], &stop["function"]), (&json!("stopped"), &json!("add")), "{stop}");
    assert!(stop["source"].as_str().unwrap().contains("book->total = before"), "{stop}");
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    let end = it.step("continue");
    assert_eq!(end["state"], "exited", "{end}");
    it.wait_for_no_processes();
}
