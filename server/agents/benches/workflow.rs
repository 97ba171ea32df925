//! What a step of a workflow costs over its tool, called by the same executor, and what `catalog` costs.
//!
//! `cargo bench -p agents`. Every figure is the median of the runs, taken in turns.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench says what it finds"
)]

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::{Caller, HeadlessWorkspace, ToolCall};
use workspace::Headless;

/// What a step may cost over its tool, and a call of `catalog`.
const STEP_GOAL: Duration = Duration::from_micros(200);
const CATALOG_GOAL: Duration = Duration::from_millis(5);
/// Steps of a workflow.
const STEPS: usize = 50;

fn main() {
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let runs = if quick { 2 } else { 100 };
    tools::add_families(vec![
        code_tools::family(),
        search_tools::family(),
        security_tools::family(),
        git_tools::family(),
        debug_tools::family(),
        records::family(),
        agents::family(),
    ]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let workflows = folder.path().join(".tandem/workflows");
    std::fs::create_dir_all(&workflows).unwrap();
    // Each step reads the result of the one before, so that they run one after the other.
    let read =
        chain("read_file", |before| format!("path = {{ jq = '${before}.path // \"a.txt\"' }}"));
    std::fs::write(workflows.join("read.toml"), read).unwrap();
    let write = chain("write_file", |before| {
        format!(
            "path = \"b.txt\", overwrite = true, content = {{ jq = '${before}.action // \"none\"' }}"
        )
    });
    std::fs::write(workflows.join("write.toml"), write).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let host = Arc::new(HeadlessWorkspace::open(folder.path(), "bench").unwrap());
    let call = |tool: &str, arguments: Value| {
        let call = ToolCall {
            tool: tool.to_owned(),
            arguments,
            caller: Caller::default(),
            gate: Arc::default(),
        };
        let editor = |_| Headless { approve_all: true };
        runtime.block_on(host.call(call, editor)).unwrap()
    };
    println!("{runs} runs of {STEPS} steps each, median in µs\n");
    println!("| tool | call | step | over its tool |");
    println!("|---|---|---|---|");
    let mut count = 0;
    type Arguments = fn(u64) -> Value;
    let arguments: [(&str, &str, Arguments); 2] = [
        ("read_file", "read", |_| json!({ "path": "a.txt" })),
        (
            "write_file",
            "write",
            |n| json!({ "path": "b.txt", "overwrite": true, "content": n.to_string() }),
        ),
    ];
    for (tool, workflow, arguments) in arguments {
        let (mut calls, mut steps) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let started = Instant::now();
            for _ in 0..STEPS {
                count += 1;
                call(tool, arguments(count));
            }
            calls.push(started.elapsed() / STEPS as u32);
            let started = Instant::now();
            let result = call("workflow", json!({ "workflow": workflow }));
            steps.push(started.elapsed() / STEPS as u32);
            assert_eq!(result["state"], "done", "{result}");
        }
        let (one, step) = (median(calls), median(steps));
        let over = step.saturating_sub(one);
        let verdict = if over <= STEP_GOAL { "" } else { " (too slow)" };
        let (one, step) = (one.as_micros(), step.as_micros());
        println!("| {tool} | {one} | {step} | {}{verdict} |", over.as_micros());
    }
    let mut times = Vec::new();
    for _ in 0..runs {
        let started = Instant::now();
        call("catalog", json!({ "query": "undo an edit" }));
        times.push(started.elapsed());
    }
    let time = median(times);
    let verdict = if time <= CATALOG_GOAL { "" } else { " (too slow)" };
    println!("\n`catalog`: {} µs{verdict}", time.as_micros());
}

/// A workflow whose steps are calls of `tool`.
fn chain(tool: &str, arguments: impl Fn(&str) -> String) -> String {
    let mut text = "[inputs.step_0]\n".to_owned();
    for number in 1..=STEPS {
        let arguments = arguments(&format!("step_{}", number - 1));
        writeln!(
            text,
            "[[steps]]\nid = \"step_{number}\"\ntool = \"{tool}\"\narguments = {{ {arguments} }}"
        )
        .unwrap();
    }
    text
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
