//! Workflows: one approval, one undo, steps side by side, retries, and mistakes with their lines.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::Answer;
use serde_json::{Value, json};
use tests::Server;

/// A person who answers every question with `title`, and the questions.
fn asked(server: &Server, title: &'static str) -> Arc<Mutex<Vec<String>>> {
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    server.answer_requests(move |request, _| match request.method.as_str() {
        "window/showMessageRequest" => {
            let text = request.params["message"].as_str().unwrap().to_owned();
            seen.lock().unwrap().push(text);
            Answer::Result(json!({ "title": title }))
        }
        _ => Answer::Default,
    });
    questions
}

fn start(workflow: &str) -> Server {
    start_with(workflow, "")
}

fn start_with(workflow: &str, more: &str) -> Server {
    let fixture = format!(
        "//- /app.py\nprint(1)\n//- /a.txt\none\n//- /b.txt\ntwo\n{more}//- /.tandem/workflows/w.toml\n{workflow}"
    );
    Server::builder(&fixture).capability("window/showMessage", json!({})).start()
}

fn run(server: &Server, inputs: Value) -> Value {
    server.must("workflow", json!({ "workflow": "w", "inputs": inputs }))
}

fn states(result: &Value) -> Vec<(&str, &str)> {
    let steps = result["steps"].as_array().unwrap_or_else(|| panic!("{result}"));
    steps.iter().map(|s| (s["id"].as_str().unwrap(), s["state"].as_str().unwrap())).collect()
}

const SEVERAL: &str = r#"
output = '{said: $say.stdout, made: ($made | map(.files[0].path))}'
[inputs.name]
default = "world"
[inputs.extra]
type = "boolean"
default = false
[[steps]]
id = "edit"
tool = "apply_edit"
arguments = { path = "a.txt", old_text = "one", new_text = { jq = '$name' } }
[[steps]]
id = "say"
tool = "run_command"
arguments = { command = { jq = '@sh "echo \($name)"' } }
[[steps]]
id = "made"
tool = "write_file"
for_each = ["x", "y"]
arguments = { path = { jq = '"\($item)\($index).txt"' }, content = { jq = '$say.stdout' } }
[[steps]]
id = "moved"
tool = "move_file"
arguments = { source = "b.txt", destination = "c.txt" }
[[steps]]
id = "more"
tool = "write_file"
if = '$extra'
arguments = { path = "more.txt", content = "" }
[[steps]]
id = "again"
tool = "apply_edit"
arguments = { path = "a.txt", old_text = { jq = '$name' }, new_text = "last" }
"#;

#[test]
fn a_run_asks_once_and_is_undone_at_once() {
    let server = start(SEVERAL);
    let questions = asked(&server, "Allow once");
    let result = run(&server, json!({ "name": "it's" }));
    assert_eq!(result["state"], "done", "{result}");
    assert_eq!(result["output"], json!({ "said": "it's\n", "made": ["x0.txt", "y1.txt"] }));
    assert_eq!(states(&result)[4], ("more", "skipped"));
    let questions = questions.lock().unwrap().clone();
    assert_eq!(questions.len(), 1, "{questions:?}");
    assert!(questions[0].contains("| echo 'it'\\''s'"), "{}", questions[0]);
    assert!(
        questions[0].contains("step `made`, 1 of 2: write_file, depends on the result of `say`")
    );
    assert_eq!(server.disk_text("a.txt"), "last\n");
    assert_eq!(server.disk_text("c.txt"), "two\n");

    let run = result["run"].as_str().unwrap();
    let history = server.must("get_action_history", json!({}));
    let of_run = |a: &&Value| a["group"] == run;
    assert_eq!(history["actions"].as_array().unwrap().iter().filter(of_run).count(), 5);
    let dry = server.must("undo_action", json!({ "dry_run": true }));
    assert_eq!((&dry["undone"], server.disk_text("a.txt").as_str()), (&json!(run), "last\n"));
    let undone = server.must("undo_action", json!({}));
    assert_eq!(undone["undone"], run);
    assert_eq!(server.disk_text("a.txt"), "one\n");
    assert_eq!(server.disk_text("b.txt"), "two\n");
    for gone in ["c.txt", "x0.txt", "y1.txt"] {
        assert!(!server.path(gone).exists(), "{gone}");
    }
    server.must("undo_action", json!({ "action": undone["action"] }));
    assert_eq!(server.disk_text("a.txt"), "last\n");
    assert_eq!(server.disk_text("c.txt"), "two\n");
}

#[test]
fn a_run_is_undone_only_if_nothing_changed_since() {
    let server = start(SEVERAL);
    asked(&server, "Allow once");
    let result = run(&server, json!({}));
    server.write("x0.txt", "by hand\n");
    let error = server.must_fail("undo_action", json!({ "action": result["run"] }), "E_CONFLICT");
    assert!(error.message.contains("x0.txt"), "{}", error.message);
    assert_eq!(server.disk_text("a.txt"), "last\n");
    assert_eq!(server.disk_text("c.txt"), "two\n");
}

#[test]
fn an_open_document_changes_in_the_editor() {
    let server = start(SEVERAL);
    asked(&server, "Allow once");
    server.open_text("a.txt", "one more\n");
    run(&server, json!({}));
    assert_eq!(server.buffer("a.txt"), "last more\n");
    server.must("undo_action", json!({}));
    assert_eq!(server.buffer("a.txt"), "one more\n");
}

#[test]
fn a_dry_run_shows_every_call_and_makes_none() {
    let server = start(SEVERAL);
    let questions = asked(&server, "Allow once");
    let plan = server.must("workflow", json!({ "workflow": "w", "dry_run": true }));
    let calls: Vec<_> = plan["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["step"].as_str().unwrap(), c["decision"].as_str().unwrap()))
        .collect();
    let expected = [
        ("edit", "allowed"),
        ("say", "asks"),
        ("made", "later"),
        ("made", "later"),
        ("moved", "allowed"),
        ("again", "allowed"),
    ];
    assert_eq!(calls, expected, "{plan}");
    assert_eq!(plan["calls"][1]["arguments"]["command"], "echo 'world'");
    assert_eq!(plan["calls"][1]["effects"][0], "run echo 'world'");
    assert_eq!(plan["calls"][2]["arguments"]["content"], json!({ "jq": "$say.stdout" }));
    assert!(questions.lock().unwrap().is_empty());
    assert_eq!(server.disk_text("a.txt"), "one\n");
    assert_eq!(server.must("workflow", json!({ "action": "status" }))["runs"], json!([]));
}

#[test]
fn a_refusal_stops_before_the_first_step() {
    let server = start(SEVERAL);
    asked(&server, "Deny");
    let error = server.must_fail("workflow", json!({ "workflow": "w" }), "E_DENIED");
    assert!(error.message.contains("step `say`"), "{}", error.message);
    assert_eq!(server.disk_text("a.txt"), "one\n");
}

#[test]
fn what_depends_on_results_is_asked_at_its_step() {
    let server = start(
        r#"
[[steps]]
id = "first"
tool = "run_command"
arguments = { command = "echo two" }
[[steps]]
id = "second"
tool = "run_command"
arguments = { command = { jq = '"echo \($first.stdout)"' } }
"#,
    );
    let questions = asked(&server, "Allow once");
    assert_eq!(run(&server, json!({}))["output"]["stdout"], "two\n");
    let questions = questions.lock().unwrap().clone();
    assert_eq!(questions.len(), 2, "{questions:?}");
    assert!(questions[0].contains("`second`: run_command, depends on the result of `first`"));
    assert!(questions[1].contains("| echo two"), "{}", questions[1]);
}

#[test]
fn rules_apply_to_every_step() {
    let rules =
        "//- /.tandem/config.toml\n[policy.deny]\nwrite = [\"b.txt\"]\ntools = [\"delete_file\"]\n";
    let step = |tool: &str, arguments: &str| {
        format!(
            "[[steps]]\nid = \"first\"\ntool = \"write_file\"\narguments = {{ path = \"new.txt\", content = \"\" }}\n\
             [[steps]]\nid = \"second\"\ntool = \"{tool}\"\narguments = {arguments}\n"
        )
    };
    for (tool, arguments) in [
        ("write_file", r#"{ path = "b.txt", content = "x", overwrite = true }"#),
        ("delete_file", r#"{ path = "a.txt" }"#),
    ] {
        let server = start_with(&step(tool, arguments), rules);
        asked(&server, "Allow once");
        let error = server.must_fail("workflow", json!({ "workflow": "w" }), "E_DENIED");
        assert!(error.message.contains("step `second`"), "{}", error.message);
        assert!(!server.path("new.txt").exists());
    }
    // What is known late is denied late.
    let late =
        r#"{ path = { jq = '$first.files[0].path | "b.txt"' }, content = "x", overwrite = true }"#;
    let server = start_with(&step("write_file", late), rules);
    asked(&server, "Allow once");
    let result = run(&server, json!({}));
    assert_eq!(result["failed"]["error"]["code"], "E_DENIED", "{result}");
    assert_eq!(server.disk_text("b.txt"), "two\n");
}

#[test]
fn steps_that_do_not_touch_run_together() {
    let server = start(
        r#"
output = '[$a, $b, $c] | map(.matches | length)'
[[steps]]
id = "a"
tool = "grep_search"
arguments = { pattern = "one" }
[[steps]]
id = "b"
tool = "grep_search"
arguments = { pattern = "two" }
[[steps]]
id = "w"
tool = "write_file"
arguments = { path = "c.txt", content = "one\n" }
[[steps]]
id = "c"
tool = "grep_search"
arguments = { pattern = "one" }
"#,
    );
    let result = run(&server, json!({}));
    // The last search sees the file that is written before it.
    assert_eq!(result["output"][0].as_u64().unwrap() + 1, result["output"][2].as_u64().unwrap());
    assert_eq!(result["output"][1], 1, "{result}");
    assert_eq!(
        journal(&server),
        ["begun a", "begun b", "ended", "ended", "begun w", "ended", "begun c", "ended"]
    );

    // Writes to different files run together, a write and what reads or writes the same file do not.
    let write = |id: &str, path: &str| {
        format!(
            "[[steps]]\nid = \"{id}\"\ntool = \"write_file\"\narguments = {{ path = \"{path}\", content = \"\", overwrite = true }}\n"
        )
    };
    let read = "[[steps]]\nid = \"r\"\ntool = \"read_file\"\narguments = { path = \"y\" }\n";
    let steps = write("a", "x") + &write("b", "y") + read + &write("c", "z") + &write("d", "z");
    let server = start(&steps);
    assert_eq!(run(&server, json!({}))["state"], "done");
    let expected = [
        "begun a", "begun b", "ended", "ended", "begun r", "begun c", "ended", "ended", "begun d",
        "ended",
    ];
    assert_eq!(journal(&server), expected);
}

/// The calls in the journal of the only run, in order.
fn journal(server: &Server) -> Vec<String> {
    let state = std::fs::read_dir(server.outside().join("state/tandem")).unwrap().flatten();
    let folders =
        state.filter_map(|folder| std::fs::read_dir(folder.path().join("workflows")).ok());
    let path = folders.flatten().flatten().next().unwrap().path();
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines
        .filter_map(|event| match event["event"].as_str()? {
            "begun" => Some(format!("begun {}", event["step"].as_str()?)),
            "ended" => Some("ended".to_owned()),
            _ => None,
        })
        .collect()
}

#[test]
fn retries_limits_and_failures() {
    let server = start(
        r#"
[[steps]]
id = "third"
tool = "run_command"
arguments = { command = "echo x >> tries; test $(wc -l < tries) -ge 3" }
retries = 2
retry_delay = 0.01
[[steps]]
id = "slow"
tool = "run_command"
arguments = { command = "sleep 60" }
timeout = 0.3
on_error = "continue"
[[steps]]
id = "each"
tool = "read_file"
for_each = ["a.txt", "gone.txt"]
arguments = { path = { jq = '$item' } }
expect = '.content != $item'
on_error = "continue"
[[steps]]
id = "strict"
tool = "read_file"
arguments = { path = { jq = '$each[1].error.code | if . == "E_FILE_NOT_FOUND" then "a.txt" else . end' } }
expect = '.content == "two\n"'
[[steps]]
id = "never"
tool = "read_file"
arguments = { path = "a.txt" }
if = '$strict.content'
"#,
    );
    asked(&server, "Allow once");
    let started = Instant::now();
    let result = run(&server, json!({}));
    assert!(started.elapsed() < Duration::from_secs(30));
    let expected = [
        ("third", "done"),
        ("slow", "failed"),
        ("each", "failed"),
        ("strict", "failed"),
        ("never", "pending"),
    ];
    assert_eq!(states(&result), expected, "{result}");
    assert_eq!(server.disk_text("tries"), "x\nx\nx\n");
    assert!(result["steps"][1]["error"].as_str().unwrap().contains("0.3 s"), "{result}");
    assert_eq!(
        (&result["steps"][2]["calls"], &result["steps"][2]["failed"]),
        (&json!(2), &json!(1))
    );
    assert_eq!((&result["state"], &result["failed"]["step"]), (&json!("failed"), &json!("strict")));
    assert_eq!(result["failed"]["line"], 22, "{result}");
    assert_eq!(result["failed"]["error"]["code"], "E_GUARD");

    // Resuming makes the failed step again, and what comes after it.
    server.write("a.txt", "two\n");
    let again = server.must("workflow", json!({ "action": "resume", "run": result["run"] }));
    assert_eq!(again["state"], "done", "{again}");
    assert_eq!(server.disk_text("tries"), "x\nx\nx\n");
    let status = server
        .must("workflow", json!({ "action": "status", "run": result["run"], "step": "strict" }));
    assert_eq!(status["output"]["result"]["content"], "two\n", "{status}");
}

#[test]
fn a_cancelled_run_stops_and_resumes() {
    let server = start(
        r#"
[[steps]]
id = "first"
tool = "write_file"
arguments = { path = "first.txt", content = "x" }
[[steps]]
id = "slow"
tool = "run_command"
arguments = { command = "test -e go || { touch started; sleep 60; }" }
rerun = true
[[steps]]
id = "last"
tool = "write_file"
arguments = { path = "last.txt", content = "x" }
"#,
    );
    asked(&server, "Allow once");
    let call = server.start_tool("workflow", json!({ "workflow": "w" }));
    let started = Instant::now();
    while !server.path("started").exists() {
        assert!(started.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    server.cancel(call.id).unwrap();
    assert!(call.wait(Duration::from_secs(20)).is_err());
    let runs = || server.must("workflow", json!({ "action": "status" }))["runs"].clone();
    while runs()[0]["state"] == "running" {
        assert!(started.elapsed() < Duration::from_secs(40));
    }
    assert_eq!(runs()[0]["state"], "cancelled");
    assert!(server.path("first.txt").exists() && !server.path("last.txt").exists());
    server.write("go", "");
    let again = server.must("workflow", json!({ "action": "resume", "run": runs()[0]["run"] }));
    assert_eq!(again["state"], "done", "{again}");
    assert!(server.path("last.txt").exists());
}

/// The mistakes of a workflow, as `LINE: MESSAGE`.
fn mistakes(server: &Server) -> Vec<String> {
    let error = server.must_fail("workflow", json!({ "workflow": "w" }), "E_INVALID_PARAMS");
    let found = error.data["details"]["mistakes"].as_array().unwrap();
    found.iter().map(|m| format!("{}: {}", m["line"], m["message"].as_str().unwrap())).collect()
}

#[test]
fn all_mistakes_are_reported_with_their_lines() {
    let server = start(
        r#"policy = { allow = ["*"] }
[inputs.count]
type = "integer"
default = "one"
[[steps]]
id = "read"
tool = "reed_file"
[[steps]]
id = "write"
tool = "write_file"
arguments = { path = "x", contnt = "y" }
[[steps]]
id = "loop"
tool = "read_file"
arguments = { path = { jq = '$later.content' } }
[[steps]]
id = "later"
tool = "read_file_range"
arguments = { path = "a", start_line = "first" }
if = '$nothing'
[[steps]]
id = "filter"
tool = "read_file"
arguments.path = { jq = '''
.a |
nothing''' }
[[steps]]
id = "self"
tool = "workflow"
arguments = { workflow = "w" }
[[steps]]
id = "later"
tool = "read_file"
for_each = 3
retries = 100
colour = "red"
"#,
    );
    let found = mistakes(&server);
    let expected = [
        "1: the workflow: unknown key `policy`; a workflow cannot change the rules",
        "4: input `count`: the default is not of type integer",
        "7: step `read`: unknown tool `reed_file`; did you mean `read_file`?",
        "11: step `write`: write_file: unknown parameter `contnt`",
        "15: step `loop`: `path`: there is no variable `$later`: that step comes later",
        "19: step `later`: read_file_range: start_line",
        "20: step `later`: `if`: there is no variable `$nothing`",
        "26: step `filter`: `path`: there is no filter `nothing`",
        "29: step `self`: `workflow` cannot be a step: it makes calls itself",
        "32: step `later`: another step or input has this name",
        "33: step `later`",
        "34: step `later`: `for_each` must be an array or a jq filter, not integer",
        "35: step `later`: `retries` must be a whole number from 0 to 10",
        "36: step `later`: unknown key `colour`",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    let listed = server.must("workflow", json!({}));
    let own = listed["workflows"].as_array().unwrap().iter().find(|w| w["name"] == "w").unwrap();
    assert_eq!(own["mistakes"].as_array().unwrap().len(), expected.len());
}

#[test]
fn bad_files_are_refused() {
    let huge = format!("#{}\n", "x".repeat(300 << 10));
    for (workflow, line) in [
        ("[[steps]]\nid = \"a\ntool = 1\n", 2),
        ("steps = 3\n", 1),
        ("title = \"none\"\n", 1),
        ("[[steps]]\ntool = \"read_file\"\n", 1),
        ("[[steps]]\nid = \"item\"\ntool = \"git_status\"\n", 2),
    ] {
        let server = start(workflow);
        assert!(
            mistakes(&server)[0].starts_with(&format!("{line}: ")),
            "{workflow}: {:?}",
            mistakes(&server)
        );
    }
    let server = start(&huge);
    server.must_fail("workflow", json!({ "workflow": "w" }), "E_FILE_NOT_FOUND");
    let deep = format!("a = {}1{}\n", "[".repeat(5_000), "]".repeat(5_000));
    let server = start(&deep);
    assert!(!mistakes(&server).is_empty());
}

#[test]
fn bad_inputs_are_refused() {
    let server = start(
        "[inputs.level]\nchoices = [\"low\", \"high\"]\nrequired = true\n[inputs.count]\ntype = \"integer\"\n\
         [[steps]]\nid = \"a\"\ntool = \"read_file\"\narguments = { path = \"a.txt\", start_line = { jq = '$count // 1' } }\n",
    );
    for (inputs, message) in [
        (json!({}), "`level` is required"),
        (json!({ "level": "no" }), "`level` must be one of \"low\", \"high\""),
        (json!({ "level": "low", "count": 1.5 }), "`count` must be of type integer"),
        (json!({ "level": "low", "cnt": 1 }), "there is no input `cnt`"),
    ] {
        let call = json!({ "workflow": "w", "inputs": inputs });
        let error = server.must_fail("workflow", call, "E_INVALID_PARAMS");
        assert!(error.message.contains(message), "{}", error.message);
        assert!(error.data["hint"].as_str().unwrap().contains("level: string, count?: integer"));
    }
    assert_eq!(run(&server, json!({ "level": "low", "count": "1" }))["state"], "done");
    for name in ["../../etc/passwd", "../workflows/w.toml/..", "/etc/passwd", "", "w\0"] {
        server.must_fail("workflow", json!({ "workflow": name }), "E_FILE_NOT_FOUND");
        let status = json!({ "action": "status", "run": name });
        server.must_fail("workflow", status, "E_INVALID_PARAMS");
    }
}

#[test]
fn filters_without_end_fail_their_step() {
    let server = start(
        r#"
[[steps]]
id = "first"
tool = "read_file"
arguments = { path = "a.txt" }
[[steps]]
id = "endless"
tool = "read_file"
arguments = { path = { jq = 'def f: f; $first | f' } }
"#,
    );
    let result = run(&server, json!({}));
    assert_eq!(
        (&result["state"], &result["failed"]["step"]),
        (&json!("failed"), &json!("endless"))
    );
    let message = result["failed"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("line 9") && message.contains("did not end"), "{message}");
}

#[test]
fn the_catalog_lists_workflows() {
    let server = start("title = \"Mine\"\n[[steps]]\nid = \"a\"\ntool = \"git_status\"\n");
    let listed = server.must("catalog", json!({ "category": "workflows" }));
    let names: Vec<_> =
        listed["entries"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    let expected = [
        "bisect",
        "dependency-bump",
        "release-checks",
        "rename-across-packages",
        "w",
        "worktree-per-task",
    ];
    assert_eq!(names, expected);
}
