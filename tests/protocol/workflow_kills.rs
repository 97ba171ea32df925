//! `kill -9` after every step of a workflow: the run resumes, and ends as if nothing had happened.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Home;

/// Six steps: files that are created, edited twice and moved, a command that appends, a loop.
const WORKFLOW: &str = r##"
[[steps]]
id = "create"
tool = "write_file"
arguments = { path = "made.txt", content = "one\n" }
[[steps]]
id = "edit"
tool = "apply_edit"
arguments = { path = "made.txt", old_text = "one\n", new_text = "one\ntwo\n" }
[[steps]]
id = "command"
tool = "run_command"
arguments = { command = "cat made.txt > copied.txt; echo three >> copied.txt" }
rerun = true
[[steps]]
id = "each"
tool = "write_file"
for_each = ["x", "y", "z"]
arguments = { path = { jq = '"\($item).txt"' }, content = { jq = '"\($item) \($command.exit_code)\n"' } }
[[steps]]
id = "insert"
tool = "apply_edit"
arguments = { path = "base.txt", old_text = "base\n", new_text = "base\nmore\n" }
[[steps]]
id = "move"
tool = "move_file"
arguments = { source = "made.txt", destination = "folder/moved.txt" }
"##;

/// Attempts to kill a run right after a certain step.
const ATTEMPTS: usize = 40;
const STEPS: usize = 6;

fn home() -> Home {
    let home = Home::new();
    let folder = home.root().join(".tandem/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("six.toml"), WORKFLOW).unwrap();
    std::fs::write(home.root().join("base.txt"), "base\n").unwrap();
    home
}

fn tandem(home: &Home, tool: &str, params: &Value) -> Command {
    let mut command = home.command();
    command
        .args(["call", tool, &params.to_string(), "--yes", "--headless", "--workspace"])
        .arg(home.root());
    command
}

fn call(home: &Home, tool: &str, params: &Value) -> Value {
    let output = tandem(home, tool, params).output().unwrap();
    let result = serde_json::from_slice(&output.stdout);
    let result: Value =
        result.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert!(output.status.success(), "{result}");
    result
}

fn contents(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name == ".tandem" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The journal of the only run.
fn journal(home: &Home) -> Option<PathBuf> {
    let state = home.outside().join("state/tandem");
    let workspaces = std::fs::read_dir(state).ok()?.flatten();
    let journals = workspaces.flat_map(|folder| std::fs::read_dir(folder.path().join("workflows")));
    Some(journals.flatten().flatten().next()?.path())
}

/// How many steps have ended, and whether one has begun that has not.
fn progress(text: &str) -> (usize, bool) {
    let events: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let count = |event: &str, step: &str| {
        events.iter().filter(|e| e["event"] == event && e["step"] == step).count()
    };
    let needed = |step: &str| if step == "each" { 3 } else { 1 };
    let steps = ["create", "edit", "command", "each", "insert", "move"];
    let ended = steps.iter().filter(|step| count("ended", step) >= needed(step)).count();
    (ended, steps.iter().any(|step| count("begun", step) > count("ended", step)))
}

/// Kills the run once `step` steps have ended.
fn kill_after(home: &Home, child: &mut Child, step: usize) -> (usize, bool) {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        let text =
            journal(home).and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        if text.contains('\n') && progress(&text).0 >= step {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(60));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    progress(&std::fs::read_to_string(journal(home).unwrap()).unwrap())
}

#[test]
fn a_run_killed_after_any_step_ends_like_an_uninterrupted_one() {
    let whole = home();
    assert_eq!(call(&whole, "workflow", &json!({ "workflow": "six" }))["state"], "done");
    let expected = contents(&whole.root());
    let before = contents(&home().root());
    let mut table =
        String::from("| killed after | within a step | resumed | undone |\n|---|---|---|---|\n");
    for step in 0..STEPS {
        let mut caught = false;
        for _ in 0..ATTEMPTS {
            let home = home();
            let mut run = tandem(&home, "workflow", &json!({ "workflow": "six" }));
            let mut child = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let (ended, within) = kill_after(&home, &mut child, step);
            let id = journal(&home).unwrap().file_stem().unwrap().to_str().unwrap().to_owned();
            let status = call(&home, "workflow", &json!({ "action": "status", "run": id }));
            if ended < STEPS {
                assert_eq!(status["state"], "interrupted", "after {ended} steps: {status}");
            }
            let resumed = call(&home, "workflow", &json!({ "action": "resume", "run": id }));
            assert_eq!(resumed["state"], "done", "after {ended} steps: {resumed}");
            assert_eq!(contents(&home.root()), expected, "after {ended} steps");
            call(&home, "undo_action", &json!({ "action": id }));
            let undone = contents(&home.root());
            // What a command wrote is not in the history.
            let undone: Vec<_> =
                undone.into_iter().filter(|(name, _)| name != "copied.txt").collect();
            assert_eq!(undone, before, "after {ended} steps");
            if ended == step {
                let within = if within { "yes" } else { "no" };
                writeln!(table, "| {step} steps | {within} | the same files | as before the run |")
                    .unwrap();
                caught = true;
                break;
            }
        }
        assert!(caught, "no run could be killed after {step} steps");
    }
    println!("{table}");
}

#[test]
fn a_command_that_was_interrupted_is_not_made_again_unasked() {
    let home = home();
    let text = "[[steps]]\nid = \"append\"\ntool = \"run_command\"\n\
        arguments = { command = \"echo x >> appended; test -e go || sleep 60\" }\n";
    std::fs::write(home.root().join(".tandem/workflows/six.toml"), text).unwrap();
    let appended = || std::fs::read_to_string(home.root().join("appended")).unwrap_or_default();
    let mut child = tandem(&home, "workflow", &json!({ "workflow": "six" }))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while appended().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::write(home.root().join("go"), "").unwrap();
    let id = journal(&home).unwrap().file_stem().unwrap().to_str().unwrap().to_owned();
    let resume = json!({ "action": "resume", "run": id });
    let refused = tandem(&home, "workflow", &resume).output().unwrap();
    let error: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(error["code"], "E_CONFLICT", "{error}");
    assert!(error["message"].as_str().unwrap().contains("`append` (line 2)"), "{error}");
    assert_eq!(appended(), "x\n");
    let again = json!({ "action": "resume", "run": id, "interrupted": "rerun" });
    assert_eq!(call(&home, "workflow", &again)["state"], "done");
    assert_eq!(appended(), "x\nx\n");
}
