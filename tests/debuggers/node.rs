//! `tandem node-dap` on real programs of JavaScript and TypeScript.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::debuggee::{Debuggee, line_of, value};

/// `dist/` is what tsc 5.9 and esbuild 0.28 make of `src/`.
const PROGRAM: &str = r#"
//- /ledger.js
const { tax } = require('./tax.js');
let calls = 0;
function add(total, price) {
  calls += 1;
  const sum = total + tax(price);
  return sum;
}
const prices = [3, 5, 8];
let total = 0;
for (const price of prices) {
  total = add(total, price);
}
console.log('total', total);
console.error('last words');
process.exitCode = 4;
//- /tax.js
exports.tax = (price) => {
  const api_token = 'hunter' + 2;
  return price * 2;
};
//- /typed.ts
interface Item {
  price: number;
}
const long: number[] = Array.from({ length: 100_000 }, (_, i) => i * 2);
const names = new Map<string, Item>([['tea', { price: 3 }]]);
export async function total(items: Item[]): Promise<number> {
  await null;
  const sum: number = items.reduce((sum, item) => sum + item.price, 0);
  return sum + long.length + names.size;
}
console.log(await total([...names.values()]));
//- /steps.js
const before = 1;
const ledger = require('./dist/tsc/ledger.js');
const after = typeof ledger.total;
//- /throws.js
try {
  throw new TypeError('caught');
} catch {}
function fails(what) {
  throw new RangeError('no ' + what);
}
fails('money');
//- /children.js
const { spawnSync } = require('child_process');
const done = spawnSync(process.execPath, ['child.js', '7'], { encoding: 'utf8' });
console.log('child', done.stdout.trim());
//- /child.js
const number = Number(process.argv[2]);
const doubled = number * 2;
console.log(doubled);
//- /workers.js
const { Worker } = require('worker_threads');
new Worker('./work.js', { workerData: 4 }).on('message', (it) => console.log('worker', it));
//- /work.js
const { parentPort, workerData } = require('worker_threads');
const squared = workerData * workerData;
parentPort.postMessage(squared);
//- /waits.js
let beats = 0;
setInterval(() => {
  beats += 1;
}, 20);
//- /adds.test.js
const test = require('node:test');
test('adds', () => {
  const sum = 1 + 2;
  console.log('sum', sum);
});
test('never run', () => {
  throw new Error('only the one that is named');
});
//- /src/ledger.ts
import { tax } from "./tax";

interface Item {
  name: string;
  price: number;
}

export async function total(items: Item[]): Promise<number> {
  let sum = 0;
  for (const item of items) {
    sum += tax(item.price);
  }
  await null;
  return sum;
}

total([{ name: "tea", price: 10 }, { name: "milk", price: 20 }]).then((sum) => {
  console.log("total", sum);
});
//- /src/tax.ts
enum Rate {
  Low = 1,
  High = 2,
}

export function tax(price: number): number {
  const rate: Rate = price > 10 ? Rate.High : Rate.Low;
  return price * rate;
}
//- /dist/tsc/ledger.js
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.total = total;
const tax_1 = require("./tax");
async function total(items) {
    let sum = 0;
    for (const item of items) {
        sum += (0, tax_1.tax)(item.price);
    }
    await null;
    return sum;
}
total([{ name: "tea", price: 10 }, { name: "milk", price: 20 }]).then((sum) => {
    console.log("total", sum);
});
//# sourceMappingURL=ledger.js.map
//- /dist/tsc/ledger.js.map
{"version":3,"file":"ledger.js","sourceRoot":"","sources":["../../src/ledger.ts"],"names":[],"mappings":";;AAOA,sBAOC;AAdD,+BAA4B;AAOrB,KAAK,UAAU,KAAK,CAAC,KAAa;IACvC,IAAI,GAAG,GAAG,CAAC,CAAC;IACZ,KAAK,MAAM,IAAI,IAAI,KAAK,EAAE,CAAC;QACzB,GAAG,IAAI,IAAA,SAAG,EAAC,IAAI,CAAC,KAAK,CAAC,CAAC;IACzB,CAAC;IACD,MAAM,IAAI,CAAC;IACX,OAAO,GAAG,CAAC;AACb,CAAC;AAED,KAAK,CAAC,CAAC,EAAE,IAAI,EAAE,KAAK,EAAE,KAAK,EAAE,EAAE,EAAE,EAAE,EAAE,IAAI,EAAE,MAAM,EAAE,KAAK,EAAE,EAAE,EAAE,CAAC,CAAC,CAAC,IAAI,CAAC,CAAC,GAAG,EAAE,EAAE;IAC5E,OAAO,CAAC,GAAG,CAAC,OAAO,EAAE,GAAG,CAAC,CAAC;AAC5B,CAAC,CAAC,CAAC"}
//- /dist/tsc/tax.js
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.tax = tax;
var Rate;
(function (Rate) {
    Rate[Rate["Low"] = 1] = "Low";
    Rate[Rate["High"] = 2] = "High";
})(Rate || (Rate = {}));
function tax(price) {
    const rate = price > 10 ? Rate.High : Rate.Low;
    return price * rate;
}
//# sourceMappingURL=tax.js.map
//- /dist/tsc/tax.js.map
{"version":3,"file":"tax.js","sourceRoot":"","sources":["../../src/tax.ts"],"names":[],"mappings":";;AAKA,kBAGC;AARD,IAAK,IAGJ;AAHD,WAAK,IAAI;IACP,6BAAO,CAAA;IACP,+BAAQ,CAAA;AACV,CAAC,EAHI,IAAI,KAAJ,IAAI,QAGR;AAED,SAAgB,GAAG,CAAC,KAAa;IAC/B,MAAM,IAAI,GAAS,KAAK,GAAG,EAAE,CAAC,CAAC,CAAC,IAAI,CAAC,IAAI,CAAC,CAAC,CAAC,IAAI,CAAC,GAAG,CAAC;IACrD,OAAO,KAAK,GAAG,IAAI,CAAC;AACtB,CAAC"}
//- /dist/bundle.mjs
// src/tax.ts
function tax(price) {
  const rate = price > 10 ? 2 /* High */ : 1 /* Low */;
  return price * rate;
}

// src/ledger.ts
async function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += tax(item.price);
  }
  await null;
  return sum;
}
total([{ name: "tea", price: 10 }, { name: "milk", price: 20 }]).then((sum) => {
  console.log("total", sum);
});
export {
  total
};
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiLi4vc3JjL3RheC50cyIsICIuLi9zcmMvbGVkZ2VyLnRzIl0sCiAgIm1hcHBpbmdzIjogIjtBQUtPLFNBQVMsSUFBSSxPQUF1QjtBQUN6QyxRQUFNLE9BQWEsUUFBUSxLQUFLLGVBQVk7QUFDNUMsU0FBTyxRQUFRO0FBQ2pCOzs7QUNEQSxlQUFzQixNQUFNLE9BQWdDO0FBQzFELE1BQUksTUFBTTtBQUNWLGFBQVcsUUFBUSxPQUFPO0FBQ3hCLFdBQU8sSUFBSSxLQUFLLEtBQUs7QUFBQSxFQUN2QjtBQUNBLFFBQU07QUFDTixTQUFPO0FBQ1Q7QUFFQSxNQUFNLENBQUMsRUFBRSxNQUFNLE9BQU8sT0FBTyxHQUFHLEdBQUcsRUFBRSxNQUFNLFFBQVEsT0FBTyxHQUFHLENBQUMsQ0FBQyxFQUFFLEtBQUssQ0FBQyxRQUFRO0FBQzdFLFVBQVEsSUFBSSxTQUFTLEdBQUc7QUFDMUIsQ0FBQzsiLAogICJuYW1lcyI6IFtdCn0K
//- /dist/hostile.js
console.log('runs');
//# sourceMappingURL=../../../../../../etc/passwd
"#;

fn programs(test: &str) -> Option<Debuggee> {
    let Some(node) = tests::component("node") else {
        tests::skip(test, "node");
        return None;
    };
    Some(Debuggee::start_with(PROGRAM, |command, _| {
        command.env("TANDEM_NODE", node);
    }))
}

fn set(it: &Debuggee, mut params: Value) -> Value {
    params["action"] = "set".into();
    it.call("debug_breakpoint", params)
}

fn launch(it: &Debuggee, params: Value) -> Value {
    let mut params = params;
    params["wait_ms"] = 60_000.into();
    it.call("debug_launch", params)
}

fn place(stop: &Value) -> (&str, u64) {
    (stop["file"].as_str().unwrap_or_default(), stop["line"].as_u64().unwrap_or(0))
}

#[test]
fn a_script_stops_is_stepped_inspected_and_changed() {
    let Some(it) = programs("a_script_stops_is_stepped_inspected_and_changed") else { return };
    let ledger = it.home.root().join("ledger.js");
    let sum = line_of(&ledger, "const sum");
    let point = set(&it, json!({ "file": "ledger.js", "statement": "const sum" }));
    assert_eq!((&point["asked"], &point["verified"]), (&json!(sum), &json!(false)), "{point}");
    let stop = launch(&it, json!({ "program": "ledger.js" }));
    assert_eq!(
        (&stop["reason"], place(&stop)),
        (&json!("breakpoint"), ("ledger.js", sum)),
        "{stop}"
    );
    assert_eq!(stop["function"], "add", "{stop}");
    assert_eq!(value(&stop["locals"], "price"), Some("3"), "{stop}");
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    assert_eq!(listed["breakpoints"][0]["verified"], true, "{listed}");

    let stack = it.call("debug_stack", json!({}));
    let outer = line_of(&ledger, "total = add(");
    assert_eq!(
        (&stack["frames"][1]["file"], &stack["frames"][1]["line"]),
        (&json!("ledger.js"), &json!(outer))
    );
    it.call("debug_set_variable", json!({ "name": "total", "value": "90 + 4" }));
    let total = it.call("debug_evaluate", json!({ "expression": "total" }));
    assert_eq!(total["result"], "94", "{total}");
    let into = it.step("into");
    assert_eq!(place(&into).0, "tax.js", "{into}");
    let past = it.step("over");
    assert_eq!(value(&past["locals"], "price"), Some("3"), "{past}");
    assert!(!past.to_string().contains("hunter2"), "{past}");
    let out = it.step("out");
    assert_eq!((&out["reason"], place(&out)), (&json!("step"), ("ledger.js", sum + 1)), "{out}");
    assert_eq!(value(&out["locals"], "sum"), Some("100"), "{out}");

    let error = it.try_call("debug_evaluate", json!({ "expression": "nobody" })).unwrap_err();
    assert!(error.message.contains("nobody is not defined"), "{}", error.message);
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(4)), "{end}");
    let written = it.call("debug_output", json!({}));
    let written = written["output"].as_str().unwrap();
    assert!(written.contains("total 126\n") && written.contains("last words\n"), "{written}");
    assert!(!written.contains("ebugger"), "{written}");
    it.wait_for_no_processes();
}

#[test]
fn conditions_hits_and_log_messages_hold() {
    let Some(it) = programs("conditions_hits_and_log_messages_hold") else { return };
    let file = "ledger.js";
    set(&it, json!({ "file": file, "statement": "calls +=", "log_message": "price {price}" }));
    let counted =
        set(&it, json!({ "file": file, "statement": "const sum", "hit_condition": ">= 2" }));
    set(&it, json!({ "file": file, "statement": "return sum", "condition": "price == 8" }));
    let stop = launch(&it, json!({ "program": file }));
    assert_eq!(value(&stop["locals"], "price"), Some("5"), "{stop}");
    it.call("debug_breakpoint", json!({ "action": "remove", "id": counted["id"] }));
    let stop = it.step("continue");
    assert_eq!(value(&stop["locals"], "price"), Some("8"), "{stop}");
    assert_eq!(value(&stop["locals"], "sum"), Some("32"), "{stop}");
    assert_eq!(it.step("continue")["state"], "exited");
    let written = it.call("debug_output", json!({}));
    assert!(written["output"].as_str().unwrap().contains("price 3\n"), "{written}");
}

#[test]
fn typescript_runs_as_it_is_with_asynchronous_frames_and_long_values() {
    let Some(it) = programs("typescript_runs_as_it_is") else { return };
    set(&it, json!({ "file": "typed.ts", "statement": "return sum" }));
    let stop = launch(&it, json!({ "program": "typed.ts" }));
    let typed = it.home.root().join("typed.ts");
    assert_eq!(place(&stop), ("typed.ts", line_of(&typed, "return sum")), "{stop}");
    assert_eq!(value(&stop["locals"], "sum"), Some("3"), "{stop}");
    let stack = it.call("debug_stack", json!({}));
    let frames = stack["frames"].to_string();
    assert!(frames.contains("await") && frames.contains("typed.ts"), "{stack}");
    let long = it.call("debug_evaluate", json!({ "expression": "long" }));
    assert_eq!(long["type"], "Array", "{long}");
    let started = Instant::now();
    let page = it.call("debug_variables", json!({ "reference": long["reference"] }));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(value(&page["variables"], "1"), Some("2"), "{page}");
    let names = it.call("debug_evaluate", json!({ "expression": "names" }));
    assert_eq!(names["result"], r#"Map(1) {"tea" => Object}"#, "{names}");
    assert_eq!(it.step("continue")["exit_code"], 0);
}

#[test]
fn a_held_program_starts_at_its_first_line() {
    let Some(it) = programs("a_held_program_starts_at_its_first_line") else { return };
    for (file, line) in [("ledger.js", 1), ("typed.ts", 1)] {
        let held = it.call("debug_attach", json!({ "command": ["node", file] }));
        assert_eq!((&held["reason"], place(&held)), (&json!("entry"), (file, line)), "{held}");
        let next = it.step("over");
        assert!(place(&next).0 == file && place(&next).1 > line, "{next}");
        it.call("debug_stop", json!({}));
    }
    it.wait_for_no_processes();
}

#[test]
fn sources_of_compiled_programs_have_breakpoints_steps_and_frames() {
    let Some(it) = programs("sources_of_compiled_programs") else { return };
    let tax = it.home.root().join("src/tax.ts");
    let ledger = it.home.root().join("src/ledger.ts");
    for program in ["dist/tsc/ledger.js", "dist/bundle.mjs"] {
        let first = set(&it, json!({ "file": "src/tax.ts", "statement": "const rate" }));
        set(&it, json!({ "file": "src/ledger.ts", "statement": "console.log" }));
        let stop = launch(&it, json!({ "program": program }));
        assert_eq!(
            (&stop["reason"], place(&stop)),
            (&json!("breakpoint"), ("src/tax.ts", line_of(&tax, "const rate"))),
            "{program}: {stop}"
        );
        assert_eq!(value(&stop["locals"], "price"), Some("10"), "{stop}");
        let stack = it.call("debug_stack", json!({}));
        assert_eq!(stack["frames"][1]["file"], "src/ledger.ts", "{stack}");
        assert_eq!(stack["frames"][1]["line"], line_of(&ledger, "sum += tax"), "{stack}");
        let out = it.step("out");
        assert_eq!((place(&out).0, &out["function"]), ("src/ledger.ts", &json!("total")), "{out}");
        let into = loop {
            // To the second item, into the function by its helper.
            let stop = it.step("into");
            if place(&stop).0 == "src/tax.ts" {
                break stop;
            }
            assert_eq!(place(&stop).0, "src/ledger.ts", "{stop}");
        };
        assert_eq!(value(&into["locals"], "price"), Some("20"), "{into}");
        it.call("debug_breakpoint", json!({ "action": "remove", "id": first["id"] }));
        let last = it.step("continue");
        assert_eq!(place(&last), ("src/ledger.ts", line_of(&ledger, "console.log")), "{last}");
        assert_eq!(value(&last["locals"], "sum"), Some("50"), "{last}");
        let end = it.step("continue");
        assert_eq!((&end["exit_code"], &end["output"]), (&json!(0), &json!("total 50\n")), "{end}");
        it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    }
}

#[test]
fn a_step_goes_over_a_module_whose_source_map_is_read_first() {
    let Some(it) = programs("a_step_goes_over_a_module") else { return };
    it.call("debug_attach", json!({ "command": ["node", "steps.js"] }));
    for line in [2, 3] {
        let next = it.step("over");
        assert_eq!((&next["reason"], place(&next)), (&json!("step"), ("steps.js", line)), "{next}");
    }
    assert_eq!(it.step("continue")["exit_code"], 0);
}

#[test]
fn a_source_map_outside_of_the_project_is_not_read() {
    let Some(it) = programs("a_source_map_outside_of_the_project_is_not_read") else { return };
    let end = launch(&it, json!({ "program": "dist/hostile.js" }));
    assert_eq!(end["exit_code"], 0, "{end}");
    let written = it.call("debug_output", json!({}));
    let written = written["output"].as_str().unwrap();
    assert!(written.contains("runs\n") && written.contains("is not used"), "{written}");
    assert!(!written.contains("root:"), "{written}");
}

#[test]
fn exceptions_stop_when_they_are_chosen() {
    let Some(it) = programs("exceptions_stop_when_they_are_chosen") else { return };
    let stop = launch(&it, json!({ "program": "throws.js" }));
    assert_eq!(
        (&stop["reason"], &stop["function"]),
        (&json!("exception"), &json!("fails")),
        "{stop}"
    );
    assert!(stop.to_string().contains("RangeError: no money"), "{stop}");
    assert_eq!(it.step("continue")["exit_code"], 1);
    it.call("debug_breakpoint", json!({ "action": "set", "exceptions": [{ "filter": "all" }] }));
    let stop = launch(&it, json!({ "program": "throws.js" }));
    assert!(stop.to_string().contains("TypeError: caught"), "{stop}");
    it.call("debug_stop", json!({}));
    it.call("debug_breakpoint", json!({ "action": "set", "exceptions": [] }));
    let end = launch(&it, json!({ "program": "throws.js" }));
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(1)), "{end}");
}

#[test]
fn breakpoints_hold_in_child_processes_and_workers() {
    let Some(it) = programs("breakpoints_hold_in_child_processes_and_workers") else { return };
    set(&it, json!({ "file": "child.js", "statement": "const doubled" }));
    set(&it, json!({ "file": "work.js", "statement": "const squared" }));
    let stop = launch(&it, json!({ "program": "children.js" }));
    assert_eq!((&stop["reason"], place(&stop)), (&json!("breakpoint"), ("child.js", 2)), "{stop}");
    let sessions = it.call("debug_sessions", json!({}));
    let children = sessions["sessions"].as_array().unwrap().iter();
    assert_eq!(children.filter(|one| one["parent"].is_number()).count(), 1, "{sessions}");
    let number =
        it.call("debug_evaluate", json!({ "expression": "number", "session": stop["session"] }));
    assert_eq!(number["result"], "7", "{number}");
    let child = json!({ "action": "continue", "session": stop["session"], "wait_ms": 60_000 });
    it.call("debug_step", child);
    wait_until("the program ends", || {
        let all = it.call("debug_sessions", json!({}));
        !all.to_string().contains("\"running\"")
    });
    let stop = launch(&it, json!({ "program": "workers.js" }));
    assert_eq!((&stop["reason"], place(&stop)), (&json!("breakpoint"), ("work.js", 2)), "{stop}");
    assert_eq!(value(&stop["locals"], "workerData"), Some("4"), "{stop}");
    let threads = it.call("debug_threads", json!({}));
    assert_eq!(threads["threads"].as_array().unwrap().len(), 2, "{threads}");
    let end = it.step("continue");
    assert_eq!((&end["exit_code"], &end["output"]), (&json!(0), &json!("worker 16\n")), "{end}");
    it.wait_for_no_processes();
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn one_test_is_run_by_its_name() {
    let Some(it) = programs("one_test_is_run_by_its_name") else { return };
    set(&it, json!({ "file": "adds.test.js", "statement": "console.log" }));
    let stop = launch(&it, json!({ "test": "adds.test.js::adds" }));
    assert_eq!(value(&stop["locals"], "sum"), Some("3"), "{stop}");
    assert_eq!(it.step("continue")["exit_code"], 0);
}

/// A program outside of any debugger; it ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_running_process_is_paused_and_left_as_it_was() {
    let Some(it) = programs("a_running_process_is_paused_and_left_as_it_was") else { return };
    let node = tests::component("node").unwrap();
    let waits = it.home.root().join("waits.js");
    let child = Command::new(node).arg(&waits).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut running = Running(child.unwrap());
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..2 {
        let held = it.call("debug_attach", json!({ "pid": running.0.id() }));
        assert_eq!(held["state"], "stopped", "{held}");
        set(&it, json!({ "file": "waits.js", "statement": "beats += 1" }));
        let stop = it.step("continue");
        assert_eq!(place(&stop), ("waits.js", 3), "{stop}");
        let beats = it.call("debug_evaluate", json!({ "expression": "beats" }));
        assert!(beats["result"].as_str().unwrap().parse::<u64>().unwrap() > 0, "{beats}");
        it.call("debug_stop", json!({}));
        it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
        assert!(running.0.try_wait().unwrap().is_none(), "it goes on");
    }
}

#[test]
fn nothing_is_left_when_the_adapter_is_killed() {
    let Some(node) = tests::component("node") else {
        return tests::skip("nothing_is_left_when_the_adapter_is_killed", "node");
    };
    let it = Debuggee::new(PROGRAM);
    let program = it.home.root().join("waits.js");
    let mut adapter = it.home.command();
    adapter.args(["node-dap", "--node"]).arg(node);
    let mut adapter =
        adapter.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = adapter.stdin.take().unwrap();
    let requests = [
        json!({ "seq": 1, "type": "request", "command": "initialize", "arguments": {} }),
        json!({
            "seq": 2, "type": "request", "command": "launch", "arguments": { "program": program },
        }),
        json!({ "seq": 3, "type": "request", "command": "configurationDone" }),
    ];
    for request in requests {
        let body = request.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        std::io::Write::write_all(&mut input, frame.as_bytes()).unwrap();
    }
    let mut output = std::io::BufReader::new(adapter.stdout.take().unwrap());
    loop {
        let message = framing::read(&mut output).unwrap().unwrap();
        let message: Value = serde_json::from_slice(&message).unwrap();
        if message["request_seq"] == 3 {
            assert_eq!(message["success"], true, "{message}");
            break;
        }
    }
    adapter.kill().unwrap();
    adapter.wait().unwrap();
    it.wait_for_no_processes();
}
