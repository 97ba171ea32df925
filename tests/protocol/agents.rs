//! The catalog, and runbooks.

use client::Answer;
use serde_json::{Value, json};
use tests::{Home, Server, define_agent, define_shell_agent};

const FIXTURE: &str = "\
//- /app.py
print(1)
//- /.tandem/runbooks/release.md
---
title: Release
description: Cut a release
tags: [release]
---
# Releasing

## Check

```tandem
git_status {}
read_file {\"path\": \"app.py\"}
```

## Publish

```sh
make publish
```

```tandem
nonsense {
```
//- /.tandem/runbooks/incidents/database.md
# The database is down

Look at the connections first.
//- /.claude/skills/review/SKILL.md
---
name: review
description: How this team reviews
---
//- /.claude/agents/tester.md
---
name: tester
description: Writes tests
---
";

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn runbooks_are_listed_read_and_searched() {
    let server = Server::start(FIXTURE);
    let all = server.must("list_runbooks", json!({}));
    assert_eq!(names(&all["runbooks"]), ["database", "release"]);
    assert_eq!(all["runbooks"][1]["path"], ".tandem/runbooks/release.md");
    let tagged = server.must("list_runbooks", json!({ "tag": "Release" }));
    assert_eq!(names(&tagged["runbooks"]), ["release"]);

    let release = server.must("get_runbook", json!({ "name": "release" }));
    let steps = release["steps"].as_array().unwrap();
    let tools: Vec<_> = steps.iter().map(|step| step["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["git_status", "read_file", "run_command"]);
    assert_eq!(steps[2]["arguments"], json!({ "command": "make publish" }));
    assert_eq!(steps[2]["heading"], "Publish");
    assert_eq!(release["problems"][0]["line"], 21);
    // A step can be called as it stands.
    server.must("read_file", steps[1]["arguments"].clone());

    let found = server.must("search_runbooks", json!({ "query": "database connections" }));
    assert_eq!(names(&found["runbooks"]), ["database"]);
    assert_eq!(found["runbooks"][0]["matches"][1]["line"], "Look at the connections first.");
    let error = server.must_fail("get_runbook", json!({ "name": "relaese" }), "E_FILE_NOT_FOUND");
    assert!(error.data["hint"].as_str().unwrap().contains("release"), "{}", error.data);
}

#[test]
fn unsaved_text_of_a_runbook_is_read() {
    let server = Server::start(FIXTURE);
    server.open_text(".tandem/runbooks/release.md", "# Another way\n");
    let release = server.must("get_runbook", json!({ "name": "release" }));
    assert_eq!((&release["title"], &release["steps"]), (&json!("Another way"), &json!([])));
}

#[test]
fn the_catalog_lists_what_there_is() {
    let server = Server::start(FIXTURE);
    let of =
        |category: &str| server.must("catalog", json!({ "category": category }))["entries"].clone();
    assert!(names(&of("agents")).contains(&"tester"));
    assert_eq!(names(&of("skill")), ["review"]);
    assert_eq!(of("skill")[0]["usage"], "read .claude/skills/review/SKILL.md");
    assert!(names(&of("tools")).contains(&"read_file"));
    let found = server.must("catalog", json!({ "query": "cut a release" }));
    assert_eq!(found["entries"][0]["name"], "release");
    server.must_fail("catalog", json!({ "category": "toys" }), "E_INVALID_PARAMS");
}

#[test]
fn hidden_documents_are_not_listed() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            let rules = "[policy.deny]\nread = [\".tandem/runbooks/release.md\"]\n";
            std::fs::write(root.join(".tandem/config.toml"), rules).unwrap();
        })
        .start();
    let all = server.must("list_runbooks", json!({}));
    assert_eq!(names(&all["runbooks"]), ["database"]);
}

#[test]
fn folders_that_lead_out_are_not_read() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.md"), "# Secret\n").unwrap();
    let server = Server::builder("//- /app.py\n")
        .prepare(|root| {
            std::fs::create_dir_all(root.join(".tandem")).unwrap();
            std::os::unix::fs::symlink(outside.path(), root.join(".tandem/runbooks")).unwrap();
            std::fs::create_dir_all(root.join(".claude/agents")).unwrap();
            let link = root.join(".claude/agents/secret.md");
            std::os::unix::fs::symlink(outside.path().join("secret.md"), link).unwrap();
        })
        .start();
    assert_eq!(server.must("list_runbooks", json!({}))["runbooks"], json!([]));
    let agents = server.must("catalog", json!({ "category": "agents" }));
    assert!(!names(&agents["entries"]).contains(&"secret"), "{agents}");
}

fn approving(prepare: impl FnOnce(&std::path::Path)) -> Server {
    let server = Server::builder(FIXTURE)
        .capability("window/showMessage", json!({}))
        .prepare(prepare)
        .start();
    server.answer_requests(|request, _| match &*request.method {
        "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
        _ => Answer::Default,
    });
    server
}

#[test]
fn a_task_is_delegated_to_an_installed_or_a_defined_agent() {
    let server = approving(|root| {
        let write = r#"echo "$line" > "$PWD/prompt.json""#;
        define_shell_agent(root.parent().unwrap(), "a", write);
    });
    let listed = server.must("catalog", json!({ "category": "agents" }));
    assert!(names(&listed["entries"]).contains(&"a"), "{listed}");
    let order = json!({ "agent": "a", "task": "Do it", "context": "now" });
    let done = server.must("delegate", order);
    assert_eq!(
        (&done["report"], &done["stop_reason"]),
        (&json!("It is done."), &json!("end_turn"))
    );
    assert_eq!(done["diff"], Value::Null, "there is no repository");
    let prompt = server.disk_text("prompt.json");
    assert!(prompt.contains("Do it") && prompt.contains("now"), "{prompt}");
    // A defined agent: an installed one gets its instructions.
    server.must("delegate", json!({ "agent": "tester", "task": "Do it" }));
    assert!(server.disk_text("prompt.json").contains("Writes tests"));
    server.must_fail("delegate", json!({ "agent": "nobody", "task": "x" }), "E_UNAVAILABLE");
    server.must_fail("delegate", json!({ "agent": "aider", "task": "x" }), "E_UNAVAILABLE");
    for wrong in [
        json!({ "agent": "a", "task": " " }),
        json!({ "agent": "a", "task": "x", "max_turns": 0 }),
        json!({ "agent": "a", "task": "x", "timeout_ms": 0 }),
        json!({ "agent": "a", "task": "x".repeat(300_000) }),
    ] {
        server.must_fail("delegate", wrong, "E_INVALID_PARAMS");
    }
    let worktree = json!({ "agent": "a", "task": "x", "worktree": true });
    server.must_fail("delegate", worktree, "E_PATH_NOT_FOUND");
}

#[test]
fn an_agent_is_started_only_with_approval() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| define_shell_agent(root.parent().unwrap(), "a", "touch \"$PWD/ran\""))
        .start();
    server.must_fail("delegate", json!({ "agent": "a", "task": "x" }), "E_DENIED");
    assert!(!server.path("ran").exists());
}

#[test]
fn programs_that_are_no_agents_end_with_an_error() {
    let server = approving(|root| {
        let outside = root.parent().unwrap();
        define_agent(outside, "silent", &["sh", "-c", "exec sleep 60"]);
        define_agent(outside, "chatty", &["sh", "-c", "yes 'not a message'"]);
        define_agent(outside, "endless", &["sh", "-c", "tr '\\0' x < /dev/zero"]);
        define_agent(outside, "gone", &["no-such-program-here"]);
        define_agent(
            outside,
            "old",
            &["sh", "-c", r#"read x; echo '{"id":1,"result":{"protocolVersion":9}}'; read x"#],
        );
    });
    for (agent, code) in [
        ("silent", "E_TIMEOUT"),
        ("chatty", "E_TIMEOUT"),
        ("endless", "E_UNAVAILABLE"),
        ("gone", "E_UNAVAILABLE"),
        ("old", "E_UNSUPPORTED"),
    ] {
        let order = json!({ "agent": agent, "task": "x", "timeout_ms": 3_000 });
        server.must_fail("delegate", order, code);
    }
}

#[test]
fn a_cancelled_delegation_ends_its_agent() {
    let server = approving(|root| {
        let script = r#"touch "$PWD/started"; sleep 2; touch "$PWD/survived""#;
        define_shell_agent(root.parent().unwrap(), "a", script);
    });
    let pending = server.start_tool("delegate", json!({ "agent": "a", "task": "x" }));
    while !server.path("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    server.cancel(pending.id).unwrap();
    let error = pending.wait(tests::RESPONSE_TIMEOUT).unwrap_err();
    assert!(error.to_string().contains("E_CANCELLED"), "{error}");
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    assert!(!server.path("survived").exists());
}

#[test]
fn an_agent_works_in_the_background() {
    let server = approving(|root| {
        let outside = root.parent().unwrap();
        let wait = r#"while ! test -e "$PWD/go"; do sleep 0.05; done"#;
        define_shell_agent(outside, "a", wait);
        define_agent(outside, "gone", &["no-such-program-here"]);
    });
    let order = json!({ "agent": "a", "task": "Wait for it", "background": true });
    let started = server.must("delegate", order.clone());
    assert_eq!(
        (&started["id"], &started["stop_reason"], &started["report"]),
        (&json!("d1"), &json!("running"), &json!(""))
    );
    // The server serves other calls meanwhile.
    let one =
        |arguments: Value| server.must("delegate_status", arguments)["delegations"][0].clone();
    let running = one(json!({ "id": "d1", "wait_ms": 200 }));
    assert_eq!((&running["state"], &running["task"]), (&json!("running"), &json!("Wait for it")));
    server.must("create_file", json!({ "path": "go", "content": "" }));
    let done = one(json!({ "id": "d1", "wait_ms": 30_000 }));
    assert_eq!(
        (&done["state"], &done["result"]["report"]),
        (&json!("done"), &json!("It is done."))
    );
    assert_eq!(one(json!({}))["result"], Value::Null, "a list has no reports");
    // One that is ended, and one that fails.
    server.must("delete_file", json!({ "path": "go" }));
    server.must("delegate", order);
    let stopped = one(json!({ "id": "d2", "stop": true, "wait_ms": 30_000 }));
    assert_eq!(stopped["state"], "stopped");
    server.must("delegate", json!({ "agent": "a", "task": "x", "background": true }));
    let failed = json!({ "agent": "a", "task": "x", "background": true, "worktree": true });
    server.must("delegate", failed);
    let failed = one(json!({ "id": "d4", "wait_ms": 30_000 }));
    assert_eq!(
        (&failed["state"], &failed["error"]["code"]),
        (&json!("failed"), &json!("E_PATH_NOT_FOUND"))
    );
    server.must_fail("delegate_status", json!({ "id": "d9" }), "E_PATH_NOT_FOUND");
    server.must_fail("delegate_status", json!({ "stop": true }), "E_INVALID_PARAMS");
}

#[test]
fn agents_in_the_background_are_few_and_end_with_the_server() {
    let server = approving(|root| {
        let mark = root.parent().unwrap().display().to_string();
        define_shell_agent(root.parent().unwrap(), "a", &format!("exec sleep 987 # {mark}"));
    });
    let order = json!({ "agent": "a", "task": "x", "background": true });
    for _ in 0..8 {
        server.must("delegate", order.clone());
    }
    server.must_fail("delegate", order, "E_UNAVAILABLE");
    let runs = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let root = server.root().to_path_buf();
        processes
            .filter(|entry| {
                std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == root)
            })
            .filter(|entry| {
                let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                line.starts_with(b"sleep\x00987")
            })
            .count()
    };
    let wait_for = |count: usize| {
        let begun = std::time::Instant::now();
        while runs() != count && begun.elapsed() < tests::RESPONSE_TIMEOUT {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert_eq!(runs(), count);
    };
    wait_for(8);
    server.process().unwrap().kill();
    wait_for(0);
}

#[test]
fn a_call_without_a_server_starts_no_agent_in_the_background() {
    let home = Home::new();
    define_shell_agent(&home.outside(), "a", "touch \"$PWD/ran\"");
    let order = r#"{"agent": "a", "task": "x", "background": true}"#;
    let mut command = home.command();
    command.args(["call", "--yes", "delegate", order, "--workspace"]).arg(home.root());
    let output = command.output().unwrap();
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(error["code"], "E_UNSUPPORTED", "{error}");
    assert!(!home.root().join("ran").exists());
}

#[test]
fn a_session_needs_approval_for_each_message() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| define_shell_agent(root.parent().unwrap(), "a", "touch \"$PWD/ran\""))
        .start();
    let made = server.must("session_create", json!({ "name": "Work" }));
    assert_eq!(
        (&made["session"]["agent"], &made["session"]["status"]),
        (&json!("a"), &json!("idle"))
    );
    let message = json!({ "session": "s1", "message": "Do it", "wait_ms": 60_000 });
    server.must_fail("session_send", message, "E_DENIED");
    assert!(!server.path("ran").exists());
    let history = server.must("session_history", json!({ "session": "s1" }));
    assert_eq!(history["messages"], json!([]), "what was denied was not sent");
}

#[test]
fn mistakes_with_sessions_say_what_to_do() {
    let server = approving(|root| {
        let outside = root.parent().unwrap();
        define_shell_agent(outside, "a", r#"echo "$line" > "$PWD/prompt.json""#);
        define_agent(outside, "gone", &["no-such-program-here"]);
    });
    server.must_fail("session_create", json!({ "name": " \u{1b}[0m" }), "E_INVALID_PARAMS");
    server.must_fail("session_create", json!({ "name": "x", "agent": "nobody" }), "E_UNAVAILABLE");
    server.must_fail("session_create", json!({ "name": "x", "agent": "gone" }), "E_UNAVAILABLE");
    server.must("session_create", json!({ "name": "Team\n\u{1b}[31m red", "agent": "tester" }));
    assert_eq!(server.must("session_list", json!({}))["sessions"][0]["name"], "Team red");
    for wrong in [
        json!({ "session": "s1" }),
        json!({ "session": "s1", "message": " " }),
        json!({ "session": "s1", "message": "x", "stop": true }),
        json!({ "session": "s1", "message": "x", "wait_ms": 300_001 }),
        json!({ "session": "s1", "message": "x".repeat(70_000) }),
    ] {
        server.must_fail("session_send", wrong, "E_INVALID_PARAMS");
    }
    for wrong in [json!({ "session": "s1", "limit": 0 }), json!({ "session": "s1", "cursor": "x" })]
    {
        server.must_fail("session_history", wrong, "E_INVALID_PARAMS");
    }
    for unknown in ["s2", "1", "", "s-1", "s99999999999999999999"] {
        server.must_fail("session_history", json!({ "session": unknown }), "E_NO_MATCH");
        let message = json!({ "session": unknown, "message": "x" });
        server.must_fail("session_send", message, "E_NO_MATCH");
    }
    // A defined agent: the installed one gets its instructions with the first message.
    let message = json!({ "session": "s1", "message": "Do it", "wait_ms": 60_000 });
    let done = server.must("session_send", message);
    assert_eq!(done["messages"][0]["content"], "It is done.");
    let prompt = server.disk_text("prompt.json");
    assert!(prompt.contains("Writes tests") && prompt.contains("Do it"), "{prompt}");
}

#[test]
fn a_call_without_a_server_has_the_whole_turn() {
    let home = Home::new();
    define_shell_agent(&home.outside(), "a", "touch \"$PWD/ran\"");
    let call = |tool: &str, arguments: Value| -> Value {
        let mut command = home.command();
        command.args(["call", "--yes", tool, &arguments.to_string(), "--workspace"]);
        let output = command.arg(home.root()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    call("session_create", json!({ "name": "Work" }));
    let done = call("session_send", json!({ "session": "s1", "message": "Do it" }));
    assert_eq!(done["messages"][0]["content"], "It is done.", "{done}");
    assert!(home.root().join("ran").exists());
    let overview = call("workspace_overview", json!({ "period": "1h" }));
    let counts =
        ["repositories", "active_sessions", "sessions", "messages"].map(|name| &overview[name]);
    assert_eq!(counts, [&json!(0), &json!(0), &json!(1), &json!(2)], "{overview}");
}
