//! delve on a Go program, from its source and built before.

use std::path::PathBuf;

use serde_json::json;

use crate::debuggee::{Debuggee, line_of, value};

const PROGRAM: &str = r#"
//- /go.mod
module ledger

go 1.21
//- /main.go
package main

import (
	"fmt"
	"os"
)

type Ledger struct {
	Total int
	Names []string
}

// Add books an amount.
func (l *Ledger) Add(amount int) int {
	before := l.Total
	l.Total = before + amount
	return l.Total
}

func forever(turns int) int {
	for turns > 0 {
		turns = turns%7 + 1
	}
	return turns
}

func main() {
	if len(os.Args) > 100 {
		forever(1)
	}
	ledger := &Ledger{Names: make([]string, 1000)}
	done := make(chan bool)
	go func() {
		for i := 0; i < 4; i++ {
			ledger.Add(i)
		}
		done <- true
	}()
	<-done
	fmt.Println("total", ledger.Total)
	if len(os.Args) > 1 {
		var none *Ledger
		none.Add(1)
	}
	os.Exit(3)
}
//- /main_test.go
package main

import "testing"

func TestAdd(t *testing.T) {
	ledger := &Ledger{}
	if got := ledger.Add(2); got != 2 {
		t.Fatal(got)
	}
}
"#;

/// A server on the program, with delve and the toolchain that came with it first on its `PATH`.
pub(crate) fn program(test: &str) -> Option<Debuggee> {
    let Some(dlv) = tests::component("delve") else {
        tests::skip(test, "delve");
        return None;
    };
    let go = dlv.parent().unwrap().parent().unwrap().join("lib/go-1.24/bin");
    Some(Debuggee::start_with(PROGRAM, |command, _| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = [go].into_iter().chain(std::env::split_paths(&path)).collect::<Vec<PathBuf>>();
        command.env("TANDEM_DLV", dlv).env("PATH", std::env::join_paths(all).unwrap());
    }))
}

#[test]
fn a_go_program_is_stepped_and_inspected() {
    let Some(it) = program("a_go_program_is_stepped_and_inspected") else { return };
    let set = it.call(
        "debug_breakpoint",
        json!({ "action": "set", "symbol": "Ledger.Add", "condition": "amount == 2" }),
    );
    let stop = it.call("debug_launch", json!({ "program": "main.go", "wait_ms": 90_000 }));
    let before = line_of(&it.home.root().join("main.go"), "before :=");
    assert_eq!((&stop["state"], &stop["line"]), (&json!("stopped"), &json!(before)), "{stop}");
    assert_eq!(stop["breakpoints"], json!([set["id"]]), "{stop}");
    assert_eq!(value(&stop["locals"], "amount"), Some("2"), "{stop}");
    let total = it.call("debug_evaluate", json!({ "expression": "l.Total + amount" }));
    assert_eq!(total["result"], "3", "{total}");
    let next = it.step("over");
    assert_eq!(next["line"], before + 1, "{next}");
    let changed = it.call("debug_set_variable", json!({ "name": "before", "value": "40" }));
    assert_eq!(changed["value"], "40", "{changed}");
    let out = it.step("out");
    assert!(out["function"].as_str().unwrap().contains("main.main"), "{out}");
    let threads = it.call("debug_threads", json!({}));
    assert!(threads["threads"].as_array().unwrap().len() > 1, "{threads}");
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(3)), "{end}");
    assert!(end["output"].as_str().unwrap().contains("total "), "{end}");
    it.wait_for_no_processes();
}

#[test]
fn a_go_test_and_a_panic_stop() {
    let Some(it) = program("a_go_test") else { return };
    let panic =
        it.call("debug_launch", json!({ "program": "main.go", "args": ["x"], "wait_ms": 90_000 }));
    assert_eq!(panic["state"], "stopped", "{panic}");
    assert!(panic["description"].as_str().unwrap().contains("nil pointer"), "{panic}");
    it.call("debug_stop", json!({}));
    it.call(
        "debug_breakpoint",
        json!({ "action": "set", "file": "main_test.go", "statement": "if got := ledger" }),
    );
    let stop =
        it.call("debug_launch", json!({ "test": "main_test.go::TestAdd", "wait_ms": 90_000 }));
    assert_eq!((&stop["state"], &stop["file"]), (&json!("stopped"), &json!("main_test.go")));
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(0)), "{end}");
    it.wait_for_no_processes();
}
