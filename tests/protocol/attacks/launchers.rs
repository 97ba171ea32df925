//! Command lines that start another program than the one they name first: no `allow` rule for the
//! named program allows the other one, and a `deny` rule for the other holds even with approval.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, ToolError};

use super::is_attack_run;

const LAUNCHERS: &str = include_str!("launchers.txt");
const EVERYDAY_LINES: &str = include_str!("everyday.txt");
const MAKE: &str = include_str!("launchers.sh");

/// How long a line may take to start the foreign program.
const LINE_TIMEOUT: Duration = Duration::from_secs(20);
/// How long the foreign program may take after that.
const GRACE: Duration = Duration::from_millis(300);
/// The same in the sandbox, where it should not: some wait for it.
const DENIED_TIMEOUT_MS: u64 = 5_000;
/// One line of so many is run in a test that is not thorough.
const SAMPLE: usize = 12;
/// Fewer lines than this would show too little: programs are missing here.
const MIN_LINES: usize = 60;

/// A rule, and a line that it could be thought to cover.
struct Case {
    rule: &'static str,
    line: String,
}

/// The lines of `table` whose programs are installed.
fn cases(table: &'static str, root: &Path) -> Vec<Case> {
    let root = root.to_str().unwrap();
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let cases = lines.map(|line| {
        let (rule, line) = line.split_once(" :: ").unwrap_or_else(|| panic!("{line}"));
        Case { rule, line: line.replace("@W@", root) }
    });
    let mut known = std::collections::HashMap::new();
    let mut is_installed = |case: &Case| {
        let program = case.line.split(' ').next().unwrap_or_default().to_owned();
        *known.entry(program).or_insert_with_key(|program| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "command -v -- \"$1\"", "sh", program]).stdout(Stdio::null());
            shell.status().unwrap().success()
        })
    };
    let cases: Vec<Case> = cases.filter(|case| is_installed(case)).collect();
    assert!(cases.len() >= MIN_LINES, "{} lines can be tried", cases.len());
    cases
}

/// Makes the files of the lines. `program` stands behind `prog`, if there is one.
fn prepare(root: &Path, program: Option<&Path>) {
    let mut shell = Command::new("sh");
    shell.args(["-c", MAKE, "sh"]).arg(root).args(program);
    let output = shell.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A server with `policy` in its user's settings. A person approves everything, or cannot be asked.
fn server(home: &Home, policy: &str, approves: bool, path: Option<&Path>) -> Client {
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), policy).unwrap();
    let mut command = home.command();
    if let Some(folder) = path {
        let inherited = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{inherited}", folder.display()));
    }
    let mut client = Client::spawn(command.arg("lsp")).unwrap();
    client.set_timeout(LINE_TIMEOUT * 3);
    client.on_request(|request, _| match request.method.as_str() {
        "window/showMessageRequest" => Answer::Result(request.params["actions"][0].clone()),
        _ => Answer::Default,
    });
    let window = if approves { json!({ "showMessage": {} }) } else { json!({}) };
    client.initialize(&home.root(), json!({ "window": window })).unwrap();
    client
}

fn run(client: &Client, line: &str, timeout_ms: u64) -> Result<Value, ToolError> {
    let params = json!({ "command": line, "timeout_ms": timeout_ms });
    let answer = client.execute_command("tandem.run_command", json!([params]));
    answer.map_err(|error| ToolError::from_client(&error))
}

/// Settings that allow everything which the rules of `cases` seem to cover.
fn allow_rules(cases: &[Case]) -> String {
    let rules: BTreeSet<&str> = cases.iter().map(|case| case.rule).collect();
    format!("[policy.allow]\nrun = {}\n", json!(rules))
}

/// Runs a line in a shell, with no rules and no sandbox.
fn run_bare(root: &Path, line: &str) {
    let mut shell = Command::new("setsid");
    shell.args(["sh", "-c", line]).current_dir(root).env("GIT_CONFIG_GLOBAL", "/dev/null");
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = shell.spawn().unwrap();
    let started = Instant::now();
    let has_marker = || root.join("marker").exists();
    while child.try_wait().unwrap().is_none() && started.elapsed() < LINE_TIMEOUT && !has_marker() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The line may end before the program that it has started does its part.
    let ended = Instant::now();
    while ended.elapsed() < GRACE && !has_marker() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The table shows something only if its lines do what it says. A few need root, a network or a lock
/// that another program holds. `cargo xtask attack` tries all of them, a test every few.
#[test]
fn every_line_starts_the_foreign_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (root, master) = (folder.join("w"), folder.join("master"));
    std::fs::create_dir(&root).unwrap();
    prepare(&root, None);
    std::fs::rename(&root, &master).unwrap();
    let mut idle = Vec::new();
    let step = if is_attack_run() { 1 } else { SAMPLE };
    let cases: Vec<Case> = cases(LAUNCHERS, &root).into_iter().step_by(step).collect();
    for case in &cases {
        // Lines leave files behind that would disturb other lines.
        let _ = std::fs::remove_dir_all(&root);
        let copied = Command::new("cp").arg("-a").args([&master, &root]).status().unwrap();
        assert!(copied.success());
        run_bare(&root, &case.line);
        if !root.join("marker").exists() {
            idle.push(&case.line);
        }
    }
    println!("unjudged: {} of {} lines start the program", cases.len() - idle.len(), cases.len());
    assert!(idle.len() * 10 < cases.len(), "these start nothing: {idle:#?}");
}

#[test]
fn no_allow_rule_lets_a_foreign_program_through() {
    let home = Home::new();
    let root = home.root();
    prepare(&root, None);
    let cases = cases(LAUNCHERS, &root);
    let client = server(&home, &allow_rules(&cases), false, None);
    let mut through = Vec::new();
    for case in &cases {
        let outcome = run(&client, &case.line, DENIED_TIMEOUT_MS);
        let is_denied = outcome.as_ref().is_err_and(|error| error.code == "E_DENIED");
        let has_started = std::fs::remove_file(root.join("marker")).is_ok();
        if !is_denied || has_started {
            through.push(format!("{}: started: {has_started}", case.line));
        }
    }
    println!("allow rules: {} of {} lines got through", through.len(), cases.len());
    assert!(through.is_empty(), "{through:#?}");
}

#[test]
fn everyday_command_lines_need_no_approval() {
    let home = Home::new();
    let root = home.root();
    prepare(&root, None);
    let cases = cases(EVERYDAY_LINES, &root);
    let client = server(&home, &allow_rules(&cases), false, None);
    let mut denied = Vec::new();
    for case in &cases {
        let outcome = run(&client, &case.line, DENIED_TIMEOUT_MS);
        if outcome.is_err_and(|error| error.code == "E_DENIED") {
            denied.push(&case.line);
        }
    }
    println!("allow rules: {} of {} everyday lines were asked for", denied.len(), cases.len());
    assert!(denied.is_empty(), "{denied:#?}");
}

/// `prog` leads to a program that may not run; the person approves of every line.
#[test]
fn a_denied_program_is_not_started_by_an_approved_line() {
    let home = Home::new();
    let root = home.root();
    let programs: PathBuf = home.outside().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let program = programs.join("tandem-denied");
    std::fs::write(&program, format!("#!/bin/sh\n: > {}/marker\n", root.display())).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    prepare(&root, Some(&program));
    // What loads a library does not start the program.
    let starts = |case: &Case| !case.line.contains("prog.so") && !case.line.contains("specs");
    let cases: Vec<Case> = cases(LAUNCHERS, &root).into_iter().filter(starts).collect();
    let step = if is_attack_run() { 1 } else { SAMPLE };
    let cases: Vec<Case> = cases.into_iter().step_by(step).collect();
    let denying = "[policy.deny]\nrun = [\"tandem-denied\"]\n";
    let client = server(&home, denying, true, Some(&programs));
    let (mut through, mut ran) = (Vec::new(), 0);
    for case in &cases {
        let outcome = run(&client, &case.line, DENIED_TIMEOUT_MS);
        ran += usize::from(outcome.is_ok());
        if std::fs::remove_file(root.join("marker")).is_ok() {
            through.push(&case.line);
        }
    }
    println!("deny rules: {} of {} lines got through, {ran} ran", through.len(), cases.len());
    assert!(through.is_empty(), "{through:#?}");
    assert!(ran * 2 > cases.len(), "{ran} of {} lines ran at all", cases.len());
    // Without the rule it runs.
    let home_without = server(&home, "", true, Some(&programs));
    let outcome = run(&home_without, "env ./prog", DENIED_TIMEOUT_MS);
    assert!(root.join("marker").exists(), "{outcome:?}");
}
