//! `delegate` with an agent that is written with the official SDK of the Agent Client Protocol: the SDK
//! validates what we send it.

use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::Answer;
use serde_json::{Value, json};
use tests::{Server, component, define_agent, skip};

use crate::workspace::git;

/// A server whose person answers all questions with the title in it.
pub(crate) struct Delegating {
    pub(crate) server: Server,
    pub(crate) questions: Arc<Mutex<Vec<String>>>,
    pub(crate) answer: Arc<Mutex<&'static str>>,
}

fn start(test: &str) -> Option<Delegating> {
    start_with(test, &[])
}

/// Starts a server that knows the agent `tester`, which gets more arguments.
pub(crate) fn start_with(test: &str, more: &[&str]) -> Option<Delegating> {
    let (Some(node), Some(package)) = (component("node"), component("acp-typescript")) else {
        skip(test, "acp-typescript");
        return None;
    };
    let server = Server::builder("//- /app.py\nfirst = 1\nsecond = 2\n")
        .capability("window/showMessage", json!({}))
        .prepare(|root| {
            let outside = root.parent().unwrap();
            std::fs::write(outside.join("beside.txt"), "secret\n").unwrap();
            symlink(outside, root.join("out")).unwrap();
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/sdk/agent.mjs");
            let folder = package.parent().unwrap().to_str().unwrap();
            let mark = outside.to_str().unwrap();
            let mut command = vec![node.to_str().unwrap(), script, folder, mark];
            command.extend(more);
            define_agent(outside, "tester", &command);
            assert!(git(root, &["init", "-q", "-b", "main"]));
            git(root, &["config", "user.name", "Ann Author"]);
            git(root, &["config", "user.email", "ann@example.com"]);
            git(root, &["add", "-A"]);
            assert!(git(root, &["commit", "-q", "-m", "first"]));
        })
        .start();
    Some(Delegating::new(server))
}

impl Delegating {
    /// Has a person answer.
    fn new(server: Server) -> Self {
        let questions = Arc::<Mutex<Vec<String>>>::default();
        let answer = Arc::new(Mutex::new("Allow once"));
        let (asked, given) = (questions.clone(), answer.clone());
        server.answer_requests(move |request, _| {
            if request.method != "window/showMessageRequest" {
                return Answer::Default;
            }
            let text = request.params["message"].as_str().unwrap();
            asked.lock().unwrap().push(text.to_owned());
            // The agent itself may always be started.
            let is_start = text.contains("agent.mjs");
            let title = if is_start { "Allow once" } else { *given.lock().unwrap() };
            Answer::Result(json!({ "title": title }))
        });
        Self { server, questions, answer }
    }

    /// Another server of the same workspace, after this one.
    pub(crate) fn restart(self) -> Self {
        let home = self.server.quit();
        let builder = Server::builder_in(home).capability("window/showMessage", json!({}));
        Self::new(builder.start())
    }

    fn run(&self, task: &str) -> Value {
        self.server.must("delegate", json!({ "agent": "tester", "task": task }))
    }
}

fn report(result: &Value) -> Value {
    let text = result["report"].as_str().unwrap();
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{result}"))
}

/// Whether a process with this text in its command line runs.
pub(crate) fn runs(text: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(text)
    })
}

pub(crate) fn ends(text: &str) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        if !runs(text) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn an_agent_reads_unsaved_text_and_edits_through_the_editor() {
    let Some(d) = start("an_agent_reads") else { return };
    d.server.open_file("app.py");
    d.server.replace_text("app.py", "second", "unsaved");
    let done = d.run("read");
    assert_eq!(report(&done), json!(["first = 1\nunsaved = 2\n", "unsaved = 2\n"]));
    assert_eq!((&done["stop_reason"], &done["turns"]), (&json!("end_turn"), &json!(1)));
    assert_eq!(
        done["tool_calls"],
        json!([{ "title": "Read app.py", "kind": "read", "status": "completed" }])
    );
    assert_eq!(d.questions.lock().unwrap().len(), 1, "only the start");
    let done = d.run("edit");
    assert_eq!(done["report"], "I have edited it.", "its last message");
    assert_eq!(d.server.buffer("app.py"), "first = 10\nunsaved = 2\n");
    let files = done["files"].as_array().unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["app.py", "new.py"]);
    let diff = done["diff"].as_str().unwrap();
    assert!(diff.contains("-first = 1\n+first = 10\n") && diff.contains("+new = 1"), "{diff}");
    assert!(!diff.contains("second"), "what was unsaved before is not the agent's: {diff}");
    // Its calls are in the record, under its name.
    let log = d.server.must("get_audit_log", json!({}));
    let text = log.to_string();
    assert!(text.contains("write_file") && text.contains("tester"), "{text}");
}

#[test]
fn an_agent_works_in_a_worktree() {
    let Some(d) = start("an_agent_works") else { return };
    let order = json!({ "agent": "tester", "task": "edit", "worktree": true, "branch": "task" });
    let done = d.server.must("delegate", order);
    assert_eq!(done["worktree"]["branch"], "task");
    assert_eq!(d.server.disk_text("app.py"), "first = 1\nsecond = 2\n");
    assert!(done["diff"].as_str().unwrap().contains("+first = 10"), "{done}");
    let name = done["worktree"]["name"].clone();
    let merged = d.server.must("worktree_merge", json!({ "worktree": name, "commit": "the task" }));
    assert_eq!(merged["result"], "fast_forward");
    assert_eq!(d.server.disk_text("app.py"), "first = 10\nsecond = 2\n");
    assert_eq!(d.server.disk_text("new.py"), "new = 1\n");
    d.server.must("worktree_remove", json!({ "worktree": name, "delete_branch": true }));
}

#[test]
fn a_worktree_is_not_removed_while_an_agent_works_in_it() {
    let Some(d) = start("a_worktree_is_not_removed") else { return };
    let order = json!({ "agent": "tester", "task": "hang", "worktree": true, "branch": "task",
        "background": true });
    let id = d.server.must("delegate", order)["id"].clone();
    let begun = Instant::now();
    let child = format!("sleep 1000 # {}", d.server.outside().display());
    while !runs(&child) && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let remove = json!({ "worktree": "task", "delete_branch": true, "force": true });
    let error = d.server.must_fail("worktree_remove", remove.clone(), "E_CONFLICT");
    assert!(error.data["message"].as_str().unwrap().contains("an agent works in it"), "{error:?}");
    d.server.must("delegate_status", json!({ "id": id, "stop": true, "wait_ms": 20_000 }));
    d.server.must("worktree_remove", remove);
}

#[test]
fn permissions_are_decided_as_everywhere() {
    let Some(d) = start("permissions") else { return };
    let done = d.run("ask");
    // The edit in the workspace needs no question; the one outside is not even asked about.
    assert_eq!(done["report"], "yes yes no");
    let asked = d.questions.lock().unwrap().clone();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[1].contains("Run make"), "{asked:?}");
    assert!(done["refused"][0].as_str().unwrap().contains("E_PATH_FORBIDDEN"), "{done}");
    *d.answer.lock().unwrap() = "Deny";
    let done = d.run("ask");
    assert_eq!(done["report"], "no yes no");
    assert!(done["refused"][0].as_str().unwrap().contains("E_DENIED"), "{done}");
}

#[test]
fn files_outside_and_other_sessions_are_refused() {
    let Some(d) = start("files_outside") else { return };
    let done = d.run("outside");
    let answers = report(&done);
    for answer in &answers.as_array().unwrap()[..4] {
        assert!(answer["failed"].as_str().unwrap().contains("E_PATH_FORBIDDEN"), "{answers}");
    }
    assert_eq!(answers[4]["code"], -32_601);
    assert_eq!(done["refused"].as_array().unwrap().len(), 5);
    let beside = d.server.outside().join("beside.txt");
    assert_eq!(std::fs::read_to_string(beside).unwrap(), "secret\n");
    assert!(!d.server.outside().join("x.txt").exists());
    let done = d.run("session");
    assert_eq!(report(&done)["code"], -32_602, "{done}");
    let servers = report(&d.run("servers"));
    assert_eq!(servers[0]["args"][3], json!(d.server.root()));
}

#[test]
fn a_flood_is_bounded() {
    let Some(d) = start("a_flood") else { return };
    let order = json!({ "agent": "tester", "task": "flood" });
    let flood = d.server.start_tool("delegate", order);
    // Others are served meanwhile.
    d.server.must("read_file", json!({ "path": "app.py" }));
    let done = flood.wait(Duration::from_secs(240)).unwrap();
    assert_eq!((&done["stop_reason"], &done["truncated"]), (&json!("end_turn"), &json!(true)));
    assert!(done["report"].as_str().unwrap().len() <= 32 << 10);
}

#[test]
fn turns_and_time_are_limited() {
    let Some(d) = start("turns_and_time") else { return };
    let order = json!({ "agent": "tester", "task": "turns", "max_turns": 3 });
    let done = d.server.must("delegate", order);
    assert_eq!(done["stop_reason"], "max_turns");
    let turns = done["turns"].as_u64().unwrap();
    assert!((4..20).contains(&turns), "{done}");
    let order = json!({ "agent": "tester", "task": "hang", "timeout_ms": 3_000 });
    let done = d.server.must("delegate", order);
    assert_eq!(done["stop_reason"], "timeout");
    assert!(ends(d.server.outside().to_str().unwrap()), "a process was left");
}

#[test]
fn a_crash_is_an_error_with_its_reason() {
    let Some(d) = start("a_crash") else { return };
    let order = json!({ "agent": "tester", "task": "crash" });
    let error = d.server.must_fail("delegate", order, "E_UNAVAILABLE");
    assert!(error.data["details"]["stderr"].as_str().unwrap().contains("the agent has a bug"));
}

#[test]
fn the_end_of_the_server_ends_the_agent() {
    let Some(d) = start("the_end_of_the_server") else { return };
    let pending = d.server.start_tool("delegate", json!({ "agent": "tester", "task": "hang" }));
    let begun = Instant::now();
    let outside = d.server.outside();
    let child = format!("sleep 1000 # {}", outside.display());
    while !runs(&child) && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(runs(&child), "the agent did not start");
    drop(pending);
    drop(d);
    assert!(ends(outside.to_str().unwrap()), "a process was left");
}
