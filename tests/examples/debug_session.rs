//! Has an agent's calls made on a real project, and prints them with their results as Markdown:
//! `cargo run -p tests --example debug_session -- FOLDER < CALLS`, a call a line, `tool {"…": …}`. What
//! needs leave is allowed. docs/example-debugging.md was made so, of the calls in `debug_session`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a failed run ends it")]

use std::io::BufRead;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};

/// Longest text of a result that is printed whole, in characters.
const MAX_PRINTED_CHARS: usize = 700;
/// Fields that tell a reader nothing here.
const DULL: [&str; 9] = [
    "session",
    "output_cursor",
    "thread",
    "frame",
    "breakpoints",
    "reference",
    "id",
    "output_truncated",
    "locals_truncated",
];

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: debug_session FOLDER < CALLS");
        return ExitCode::from(2);
    };
    let root = Path::new(&folder).canonicalize().unwrap();
    let home = tests::Home::new();
    let mut command = Command::new(tests::binary());
    command.arg("lsp").env("XDG_STATE_HOME", home.outside());
    let mut client = Client::spawn(&mut command).unwrap();
    client.set_timeout(Duration::from_secs(300));
    client.on_request(|request, _| match request.method.as_str() {
        "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
        _ => Answer::Default,
    });
    client.initialize(&root, json!({ "window": { "showMessage": {} } })).unwrap();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let Some((tool, params)) = line.trim().split_once(' ') else { continue };
        let params: Value = serde_json::from_str(params).unwrap();
        let begun = Instant::now();
        let result = client.execute_command(&format!("tandem.{tool}"), json!([params]));
        let took = begun.elapsed().as_millis();
        println!("```\n{tool} {params}");
        match result {
            Ok(result) => println!("{}", printed_result(&result)),
            Err(error) => println!("error: {error}"),
        }
        println!("```\n<!-- {took} ms -->\n");
    }
    ExitCode::SUCCESS
}

fn printed_result(result: &Value) -> String {
    let mut result = result.clone();
    if let Some(fields) = result.as_object_mut() {
        fields.retain(|name, value| !DULL.contains(&name.as_str()) && !value.is_null());
    }
    let mut text = String::new();
    for (name, value) in result.as_object().into_iter().flatten() {
        let shown = match value {
            Value::String(text) if text.contains('\n') => format!("\n{}", text.trim_end()),
            Value::String(text) => text.clone(),
            Value::Array(all) if all.iter().all(|one| one["name"].is_string()) => {
                let each = all.iter().map(|one| {
                    let word = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
                    format!("\n    {}: {} = {}", word("name"), word("type"), word("value"))
                });
                each.collect()
            }
            Value::Array(all) => all.iter().map(|one| format!("\n    {one}")).collect(),
            other => other.to_string(),
        };
        let cut: String = shown.chars().take(MAX_PRINTED_CHARS).collect();
        let more = if cut.len() < shown.len() { "\n    …" } else { "" };
        text.push_str(&format!("  {name}: {cut}{more}\n"));
    }
    text.trim_end().to_owned()
}
