//! Hunks of documents: queried, published, staged, unstaged and reverted at the cursor.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server, ServerBuilder};

use super::{git, repository};

const FIXTURE: &str = "//- /a.txt\none\ntwo\nthree\nfour\nfive\n//- /src/b.rs\nfn b() {}\n";
const HUNKS_NOTIFICATION: &str = "tandem/didChangeHunks";

fn start() -> Server {
    let setup = Server::builder(FIXTURE).capability("experimental/hunks", json!(true));
    with_literals(setup).prepare(repository).start()
}

fn with_literals(setup: ServerBuilder) -> ServerBuilder {
    setup.capability(
        "textDocument/codeAction/codeActionLiteralSupport",
        json!({ "codeActionKind": { "valueSet": [] } }),
    )
}

fn hunks(server: &Server, path: &str) -> Value {
    let params = json!({ "textDocument": { "uri": server.uri(path) } });
    server.request("tandem/hunks", params).unwrap()
}

/// Each hunk as its kind and lines of the document, from 0.
fn hunk_lines(hunks: &Value) -> Vec<(String, u64, u64)> {
    let place = |hunk: &Value| {
        let line = |end: &str| hunk["range"][end]["line"].as_u64().unwrap();
        (hunk["kind"].as_str().unwrap().to_owned(), line("start"), line("end"))
    };
    hunks.as_array().unwrap_or_else(|| panic!("{hunks}")).iter().map(place).collect()
}

fn hunk_line(kind: &str, start: u64, end: u64) -> (String, u64, u64) {
    (kind.to_owned(), start, end)
}

fn actions(server: &Server, path: &str, line: u64) -> Vec<Value> {
    let at = json!({ "line": line, "character": 0 });
    let params = json!({
        "textDocument": { "uri": server.uri(path) },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": ["git"] },
    });
    let found = server.request("textDocument/codeAction", params).unwrap();
    found.as_array().unwrap().clone()
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|action| action["title"].as_str().unwrap()).collect()
}

/// Does what an action's command says.
fn execute(server: &Server, action: &Value) -> Value {
    let command = if action["command"].is_object() { &action["command"] } else { action };
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    server.request("workspace/executeCommand", params).unwrap()
}

#[test]
fn unsaved_text_is_compared_with_the_index_and_the_last_commit() {
    let server = start();
    server.open_file("a.txt");
    let found = hunks(&server, "a.txt");
    assert_eq!((&found["hunks"], &found["staged"]), (&json!([]), &json!([])));
    assert_eq!((&found["tracked"], &found["version"]), (&json!(true), &json!(1)));
    server.replace_text("a.txt", "two\n", "");
    server.replace_text("a.txt", "four", "4");
    server.replace_text("a.txt", "five\n", "five\nsix\n");
    let found = hunks(&server, "a.txt");
    let expected =
        [hunk_line("removed", 1, 1), hunk_line("changed", 2, 3), hunk_line("added", 4, 5)];
    assert_eq!(hunk_lines(&found["hunks"]), expected);
    let removed = &found["hunks"][0];
    assert_eq!((&removed["old_start"], &removed["old_lines"]), (&json!(2), &json!(1)));
    assert_eq!((&removed["new_start"], &removed["new_lines"]), (&json!(1), &json!(0)));
    // Staged hunks are reported at their current lines.
    server.write("a.txt", "zero\none\ntwo\nthree\nfour\nfive\n");
    git(&server.root(), &["add", "a.txt"]);
    server.replace_text("a.txt", "one\n", "zero\none\n");
    let found = hunks(&server, "a.txt");
    assert_eq!(hunk_lines(&found["staged"]), [hunk_line("added", 0, 1)]);
    assert_eq!(hunk_lines(&found["hunks"]).len(), 3);
}

#[test]
fn files_outside_repositories_have_no_hunks() {
    let server = Server::start(FIXTURE);
    server.open_file("a.txt");
    assert_eq!(hunks(&server, "a.txt"), Value::Null);
    let server = start();
    server.write("new.txt", "x\n");
    server.open_file("new.txt");
    let found = hunks(&server, "new.txt");
    assert_eq!((&found["tracked"], &found["hunks"]), (&json!(false), &json!([])));
    // An answer is no reason for another error: closed, on disk.
    server.write("a.txt", "one\n");
    assert_eq!(hunk_lines(&hunks(&server, "a.txt")["hunks"]), [hunk_line("removed", 1, 1)]);
}

#[test]
fn line_endings_are_compared_as_git_does() {
    let server = with_literals(Server::builder(FIXTURE))
        .prepare(|root| {
            std::fs::write(root.join(".gitattributes"), "*.txt text eol=crlf\n").unwrap();
            std::fs::write(root.join("a.txt"), "one\r\ntwo\r\nthree\r\n").unwrap();
            repository(root);
        })
        .start();
    server.open_file("a.txt");
    assert_eq!(hunks(&server, "a.txt")["hunks"], json!([]));
    server.replace_text("a.txt", "two", "2");
    assert_eq!(hunk_lines(&hunks(&server, "a.txt")["hunks"]), [hunk_line("changed", 1, 2)]);
    let found = actions(&server, "a.txt", 1);
    assert_eq!(titles(&found), ["Stage hunk", "Revert hunk"]);
    apply(&server, "a.txt", &found[1]);
    assert_eq!(server.buffer("a.txt"), "one\r\ntwo\r\nthree\r\n");
    // Without an end, the last line is another.
    server.replace_text("a.txt", "three\r\n", "three");
    let found = hunks(&server, "a.txt");
    assert_eq!(hunk_lines(&found["hunks"]), [hunk_line("changed", 2, 3)]);
    apply(&server, "a.txt", &actions(&server, "a.txt", 2)[1]);
    assert_eq!(server.buffer("a.txt"), "one\r\ntwo\r\nthree\r\n");
}

/// Has the editor make the edit of an action.
fn apply(server: &Server, path: &str, action: &Value) {
    let edits = action["edit"]["documentChanges"][0]["edits"]
        .as_array()
        .or(action["edit"]["changes"][server.uri(path)].as_array());
    let edits = edits.unwrap_or_else(|| panic!("no edits: {action}"));
    let changes: Vec<_> = edits
        .iter()
        .map(|edit| json!({ "range": edit["range"], "text": edit["newText"] }))
        .collect();
    server.type_in(path, &changes);
}

#[test]
fn a_hunk_is_staged_unstaged_and_reverted_at_the_cursor() {
    let server = start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "one", "1");
    server.replace_text("a.txt", "five", "5");
    assert!(actions(&server, "a.txt", 2).is_empty());
    let here = actions(&server, "a.txt", 4);
    assert_eq!(titles(&here), ["Stage hunk", "Revert hunk"]);
    execute(&server, &here[0]);
    // Nothing was saved; only the one hunk is staged.
    assert_eq!(git(&server.root(), &["show", ":a.txt"]), "one\ntwo\nthree\nfour\n5");
    assert_eq!(hunk_lines(&hunks(&server, "a.txt")["hunks"]), [hunk_line("changed", 0, 1)]);
    let here = actions(&server, "a.txt", 4);
    assert_eq!(titles(&here), ["Unstage hunk"]);
    execute(&server, &here[0]);
    assert_eq!(git(&server.root(), &["show", ":a.txt"]), "one\ntwo\nthree\nfour\nfive");
    apply(&server, "a.txt", &actions(&server, "a.txt", 0)[1]);
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\n5\n");
    // What went is reverted from the line before it or the one behind.
    server.replace_text("a.txt", "two\nthree\n", "");
    for line in [0, 1] {
        assert_eq!(titles(&actions(&server, "a.txt", line)), ["Stage hunk", "Revert hunk"]);
    }
    apply(&server, "a.txt", &actions(&server, "a.txt", 1)[1]);
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\n5\n");
    // At the end as well.
    server.replace_text("a.txt", "four\n5\n", "");
    apply(&server, "a.txt", &actions(&server, "a.txt", 2)[1]);
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    // A request for other kinds gets none.
    let at = json!({ "line": 4, "character": 0 });
    let params = json!({
        "textDocument": { "uri": server.uri("a.txt") },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": ["quickfix"] },
    });
    assert_eq!(server.request("textDocument/codeAction", params).unwrap(), json!([]));
}

#[test]
fn selected_lines_are_staged_unstaged_and_reverted_alone() {
    let server = start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "two\nthree\nfour\n", "2\n3\n4\nand more\n");
    let selected = |from: (u32, u32), to: (u32, u32)| {
        let at = |(line, character)| json!({ "line": line, "character": character });
        let params = json!({
            "textDocument": { "uri": server.uri("a.txt") },
            "range": { "start": at(from), "end": at(to) },
            "context": { "diagnostics": [], "only": ["git"] },
        });
        let found = server.request("textDocument/codeAction", params).unwrap();
        found.as_array().unwrap().clone()
    };
    let staged = || git(&server.root(), &["show", ":a.txt"]);
    // A cursor, or all of it, means the hunk.
    assert_eq!(titles(&selected((2, 0), (2, 0))), ["Stage hunk", "Revert hunk"]);
    assert_eq!(titles(&selected((0, 0), (6, 0))), ["Stage hunk", "Revert hunk"]);
    // The line that a selection ends before is not in it.
    let here = selected((2, 0), (3, 0));
    let both = ["Stage selected lines", "Stage hunk", "Revert selected lines", "Revert hunk"];
    assert_eq!(titles(&here), both);
    execute(&server, &here[0]);
    assert_eq!(staged(), "one\ntwo\n3\nfour\nfive");
    // The rest, of which the end has no counterpart.
    execute(&server, &selected((4, 0), (4, 3))[0]);
    assert_eq!(staged(), "one\ntwo\n3\nfour\nand more\nfive");
    server.must("git_stage", json!({ "files": ["a.txt"] }));
    assert_eq!(staged(), "one\n2\n3\n4\nand more\nfive");
    let here = selected((1, 0), (3, 0));
    assert_eq!(titles(&here), ["Unstage selected lines", "Unstage hunk"]);
    execute(&server, &here[0]);
    assert_eq!(staged(), "one\ntwo\nthree\n4\nand more\nfive");
    let here = selected((2, 0), (2, 1));
    assert_eq!(titles(&here), both);
    apply(&server, "a.txt", &here[2]);
    assert_eq!(server.buffer("a.txt"), "one\n2\nthree\n4\nand more\nfive\n");
}

#[test]
fn hunks_are_published_after_edits_and_external_changes() {
    let server = start();
    let told = |what: &str, wanted: &dyn Fn(&Value) -> bool| {
        let found = server
            .wait_for_notification(HUNKS_NOTIFICATION, RESPONSE_TIMEOUT, |params| wanted(params));
        found.unwrap_or_else(|error| panic!("{what}: {error}"))
    };
    let unstaged = |params: &Value| params["hunks"].as_array().unwrap().len();
    let staged = |params: &Value| params["staged"].as_array().unwrap().len();
    server.open_file("a.txt");
    told("opened", &|params| params["version"] == 1);
    server.replace_text("a.txt", "three", "3");
    let found = told("typed", &|params| params["version"] == 2);
    assert_eq!(hunk_lines(&found["hunks"]), [hunk_line("changed", 2, 3)]);
    server.write("a.txt", "one\ntwo\n3\nfour\nfive\n");
    let root = server.root();
    let quick = |what: &str, args: &[&str], wanted: &dyn Fn(&Value) -> bool| {
        git(&root, args);
        let done = Instant::now();
        told(what, wanted);
        let took = done.elapsed();
        assert!(took < Duration::from_millis(300), "{what}: after {took:?}");
    };
    quick("staged", &["add", "a.txt"], &|p| (unstaged(p), staged(p)) == (0, 1));
    quick("committed", &["commit", "-qm", "3"], &|p| (unstaged(p), staged(p)) == (0, 0));
    quick("reset", &["reset", "-q", "--soft", "HEAD~1"], &|p| staged(p) == 1);
    git(&root, &["checkout", "-q", "-b", "nested/other"]);
    // Seen, though nothing differs by it: the branch's own folder is watched by then.
    std::thread::sleep(Duration::from_millis(300));
    quick("committed there", &["commit", "-qm", "3"], &|p| staged(p) == 0);
    std::fs::remove_dir_all(root.join(".git")).unwrap();
    told("gone", &|params| params["tracked"] == false);
}

#[test]
fn a_new_repository_is_noticed() {
    let setup = Server::builder(FIXTURE).capability("experimental/hunks", json!(true));
    let server = setup.start();
    let root = server.root();
    server.open_file("a.txt");
    server.open_file("src/b.rs");
    assert_eq!(hunks(&server, "src/b.rs"), Value::Null);
    assert_eq!(hunks(&server, "a.txt"), Value::Null);
    let told = |what: &str, path: &str, wanted: &dyn Fn(&Value) -> bool| {
        let uri = server.uri(path);
        let is_it = |params: &Value| params["uri"] == uri.as_str() && wanted(params);
        let done = Instant::now();
        server
            .wait_for_notification(HUNKS_NOTIFICATION, RESPONSE_TIMEOUT, is_it)
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        let took = done.elapsed();
        assert!(took < Duration::from_millis(300), "{what}: after {took:?}");
    };
    // One that is made in steps, as slow as may be.
    std::fs::create_dir(root.join(".git")).unwrap();
    std::thread::sleep(Duration::from_millis(150));
    git(&root, &["init", "-q"]);
    told("made", "src/b.rs", &|params| params["tracked"] == false);
    git(&root, &["add", "-A"]);
    told("added", "src/b.rs", &|params| params["tracked"] == true);
    server.replace_text("a.txt", "two", "2");
    told("typed", "a.txt", &|params| params["hunks"].as_array().unwrap().len() == 1);
}

#[test]
fn an_outdated_code_action_is_not_applied() {
    let server = start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "three", "3");
    let before = actions(&server, "a.txt", 2);
    let refused = |action: &Value| {
        let mut arguments = action["command"]["arguments"][0].clone();
        let tool = action["command"]["command"].as_str().unwrap().strip_prefix("tandem.").unwrap();
        server.must_fail(tool, arguments.take(), "E_CONFLICT");
    };
    server.replace_text("a.txt", "one\n", "");
    refused(&before[0]);
    assert_eq!(git(&server.root(), &["diff", "--cached"]), "");
    // The index counts as well.
    let before = actions(&server, "a.txt", 1);
    execute(&server, &before[0]);
    refused(&before[0]);
    let staged = actions(&server, "a.txt", 1);
    assert_eq!(titles(&staged), ["Unstage hunk"]);
    git(&server.root(), &["add", "-A"]);
    refused(&staged[0]);
}

#[test]
fn a_client_without_code_action_literals_gets_commands() {
    let server = Server::builder(FIXTURE).prepare(repository).start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "three", "3");
    let here = actions(&server, "a.txt", 2);
    assert_eq!(titles(&here), ["Stage hunk", "Revert hunk"]);
    execute(&server, &here[1]);
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn clients_without_opt_in_get_no_notifications() {
    let server = Server::builder(FIXTURE).prepare(repository).start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "three", "3");
    let quiet =
        server.wait_for_notification(HUNKS_NOTIFICATION, Duration::from_millis(300), |_| true);
    assert!(quiet.is_err(), "{quiet:?}");
    hunks(&server, "a.txt");
    server.replace_text("a.txt", "four", "4");
    server
        .wait_for_notification(HUNKS_NOTIFICATION, RESPONSE_TIMEOUT, |params| {
            params["version"] == 3
        })
        .unwrap();
}

#[test]
fn a_hostile_repository_runs_nothing_for_hunks() {
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            let run = format!("touch {}", root.join("ran").display());
            for (name, value) in [
                ("core.fsmonitor", run.as_str()),
                ("filter.x.clean", run.as_str()),
                ("filter.x.smudge", run.as_str()),
                ("diff.external", run.as_str()),
                ("diff.x.textconv", run.as_str()),
            ] {
                git(root, &["config", name, value]);
            }
            std::fs::write(root.join(".gitattributes"), "* filter=x diff=x\n").unwrap();
        })
        .start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "three", "3");
    assert_eq!(hunk_lines(&hunks(&server, "a.txt")["hunks"]), [hunk_line("changed", 2, 3)]);
    assert!(!server.path("ran").exists());
}

#[test]
fn repositories_of_every_kind_have_hunks() {
    // Before the first commit.
    let setup = Server::builder(FIXTURE).prepare(|root| {
        git(root, &["init", "-q"]);
        git(root, &["add", "a.txt"]);
    });
    let server = setup.start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "five\n", "");
    let found = hunks(&server, "a.txt");
    assert_eq!(hunk_lines(&found["hunks"]), [hunk_line("removed", 4, 4)]);
    assert_eq!(hunk_lines(&found["staged"]), [hunk_line("added", 0, 4)]);
    // A linked work tree, whose git folder lies outside: read, and not written to.
    let setup = with_literals(Server::builder("//- /x\n"));
    let main = setup.home().outside().join("main");
    let setup = setup.prepare(|root| {
        std::fs::create_dir_all(&main).unwrap();
        std::fs::write(main.join("a.txt"), "one\ntwo\n").unwrap();
        repository(&main);
        std::fs::remove_dir_all(root).unwrap();
        git(&main, &["worktree", "add", "-q", root.to_str().unwrap()]);
    });
    let server = setup.start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "two", "2");
    assert_eq!(hunk_lines(&hunks(&server, "a.txt")["hunks"]), [hunk_line("changed", 1, 2)]);
    assert_eq!(titles(&actions(&server, "a.txt", 1)), ["Revert hunk"]);
    // A workspace that is a part of one, on a commit by itself.
    let setup = Server::builder("//- /a.txt\none\n");
    let setup = setup.prepare(|root| {
        repository(root.parent().unwrap());
        git(root.parent().unwrap(), &["checkout", "-q", "--detach"]);
    });
    let server = setup.start();
    server.open_file("a.txt");
    server.replace_text("a.txt", "one", "1");
    assert_eq!(hunk_lines(&hunks(&server, "a.txt")["hunks"]), [hunk_line("changed", 0, 1)]);
}

#[test]
fn a_repository_that_cannot_be_read_says_why() {
    let setup = Server::builder(FIXTURE).prepare(|root| {
        repository(root);
        std::fs::write(root.join(".git/index"), b"DIRCgarbage").unwrap();
    });
    let server = setup.start();
    server.open_file("a.txt");
    let params = json!({ "textDocument": { "uri": server.uri("a.txt") } });
    let error = server.request("tandem/hunks", params).unwrap_err();
    let response = error.response().unwrap_or_else(|| panic!("{error}"));
    assert_eq!(response.data["code"], "E_IO");
    // The rest is answered as ever.
    assert!(actions(&server, "a.txt", 0).is_empty());
}
