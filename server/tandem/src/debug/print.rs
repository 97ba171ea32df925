//! Prints results of the debug tools on a terminal.

use serde_json::Value;

use crate::stdout::print_line;

/// Prints why and where the program stopped, with source lines; or how it ended.
pub(super) fn stop_or_exit(report: &Value) {
    let text = |name: &str| report[name].as_str().unwrap_or_default();
    match text("state") {
        "stopped" => {
            let place = match (report["file"].as_str(), report["line"].as_i64()) {
                (Some(file), Some(line)) => format!(" at {file}:{line}"),
                _ => String::new(),
            };
            let function = match text("function") {
                "" => String::new(),
                function => format!(" in {function}"),
            };
            print_line!("{}{function}{place}", text("reason"));
            if let Some(description) = report["description"].as_str() {
                print_line!("{description}");
            }
            if let Some(source) = report["source"].as_str() {
                print_line!("{source}");
            }
        }
        "exited" => match (report["exit_code"].as_i64(), report["error"].as_str()) {
            (_, Some(error)) => print_line!("the debugger failed: {error}"),
            (Some(code), None) => print_line!("exited with {code}"),
            (None, None) => print_line!("ended"),
        },
        _ => {}
    }
}

pub(super) fn variables(variables: &Value) {
    let all = variables.as_array().map(Vec::as_slice).unwrap_or_default();
    if all.is_empty() {
        print_line!("no variables here");
    }
    for one in all {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        match text("type") {
            "" => print_line!("{} = {}", text("name"), text("value")),
            kind => print_line!("{}: {kind} = {}", text("name"), text("value")),
        }
    }
}

pub(super) fn frames(frames: &Value, current: usize) {
    for (number, frame) in frames.as_array().into_iter().flatten().enumerate() {
        let mark = if number == current { '>' } else { ' ' };
        let place = match (frame["file"].as_str(), frame["line"].as_i64()) {
            (Some(file), Some(line)) => format!(" at {file}:{line}"),
            _ => String::new(),
        };
        print_line!("{mark}{number:2} {}{place}", frame["function"].as_str().unwrap_or_default());
    }
}

pub(super) fn breakpoint(one: &Value) {
    let (file, line) = (one["file"].as_str().unwrap_or_default(), &one["line"]);
    let condition = match one["condition"].as_str() {
        Some(condition) => format!(" if {condition}"),
        None => String::new(),
    };
    // Before the program runs, an unbound breakpoint is normal.
    let note = match (one["session"].is_null(), one["message"].as_str()) {
        (false, Some(message)) => format!(" ({message})"),
        _ => String::new(),
    };
    print_line!("breakpoint {} at {file}:{line}{condition}{note}", one["id"]);
}

pub(super) fn threads(threads: &Value) {
    for one in threads.as_array().into_iter().flatten() {
        let name = one["name"].as_str().unwrap_or_default();
        print_line!(
            "{:>6} {name}",
            one["thread"].as_i64().or(one["id"].as_i64()).unwrap_or_default()
        );
    }
}
