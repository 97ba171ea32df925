//! Changes of a repository: staging, commits, branches, discarding and stashing.

use serde_json::{Value, json};
use tests::Server;

use super::{git, repository, run, start, texts};

const FIXTURE: &str = "//- /a.txt\none\ntwo\nthree\n//- /b.txt\nb\n";

fn staged(server: &Server, path: &str) -> String {
    git(&server.root(), &["show", &format!(":{path}")])
}

#[test]
fn files_hunks_and_lines_are_staged_and_unstaged() {
    let server = start(FIXTURE);
    server.write("a.txt", "ONE\ntwo\nthree\nfour\n");
    server.write("new.txt", "new\n");
    let hunk = json!([{ "new_start": 4, "new_lines": 1 }]);
    server.must("git_stage", json!({ "files": ["a.txt"], "hunks": hunk }));
    assert_eq!(staged(&server, "a.txt"), "one\ntwo\nthree\nfour");
    server.must("git_unstage", json!({ "files": ["a.txt"] }));
    assert_eq!(staged(&server, "a.txt"), "one\ntwo\nthree");
    let done = server.must("git_stage", json!({ "files": ["."] }));
    assert_eq!(done["files"], json!(["a.txt", "new.txt"]));
    let first = json!([{ "old_start": 1, "old_lines": 1, "new_start": 1, "new_lines": 1 }]);
    server.must("git_unstage", json!({ "files": ["a.txt"], "hunks": first }));
    assert_eq!(staged(&server, "a.txt"), "one\ntwo\nthree\nfour");
    std::fs::remove_file(server.path("b.txt")).unwrap();
    server.must("git_stage", json!({ "files": ["b.txt"] }));
    let status = server.must("git_status", json!({}));
    assert_eq!(texts(&status["staged"], "status"), ["modified", "deleted", "added"]);
    server.must_fail("git_stage", json!({ "files": ["nowhere"] }), "E_NO_MATCH");
    // Taken literally, not as a pattern or an option.
    server.must_fail("git_stage", json!({ "files": ["*.txt"] }), "E_NO_MATCH");
    server.must_fail("git_stage", json!({ "files": ["--all"] }), "E_NO_MATCH");
    assert_eq!(server.disk_text("a.txt"), "ONE\ntwo\nthree\nfour\n");
}

#[test]
fn unsaved_text_is_staged() {
    let server = start(FIXTURE);
    server.open_file("a.txt");
    server.replace_text("a.txt", "two", "2");
    let done = server.must("git_stage", json!({ "files": ["a.txt"] }));
    assert_eq!(done["unsaved"], json!(["a.txt"]));
    assert_eq!(staged(&server, "a.txt"), "one\n2\nthree");
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn commits_contain_what_is_staged_or_listed() {
    let server = start(FIXTURE);
    let root = server.root();
    server.write("a.txt", "changed\n");
    server.write("b.txt", "staged\n");
    server.must_fail("git_commit", json!({ "message": "x" }), "E_CONFLICT");
    server.must("git_stage", json!({ "files": ["b.txt"] }));
    let made = server.must("git_commit", json!({ "message": "only a", "files": ["a.txt"] }));
    assert_eq!((&made["branch"], &made["author"]), (&json!("main"), &json!("Ann Author")));
    assert_eq!(
        git(&root, &["show", "--stat", "--format=%s", "HEAD"]).lines().next(),
        Some("only a")
    );
    assert_eq!(git(&root, &["status", "--porcelain"]), "M  b.txt");
    let made = server.must("git_commit", json!({ "message": "then b\n\n  why  \n\n" }));
    assert_eq!(made["message"], "then b\n\n  why");
    assert_eq!(git(&root, &["status", "--porcelain"]), "");
    let amended = server.must("git_commit", json!({ "message": "better", "amend": true }));
    assert_eq!(amended["amended"], made["commit"]);
    assert_eq!(git(&root, &["log", "--format=%s"]), "better\nonly a\nfirst");
    assert_eq!(git(&root, &["fsck", "--strict"]), "");
    for message in ["", " \n", "a\0b"] {
        server.must_fail("git_commit", json!({ "message": message }), "E_INVALID_PARAMS");
    }
    server.must_fail("git_commit", json!({ "message": "x", "files": ["--all"] }), "E_NO_MATCH");
}

#[test]
fn a_commit_without_an_author_is_refused() {
    let server = Server::builder("//- /a.txt\na\n")
        .prepare(|root| {
            git(root, &["init", "-q"]);
            git(root, &["add", "-A"]);
        })
        .start();
    let error = server.must_fail("git_commit", json!({ "message": "x" }), "E_UNAVAILABLE");
    assert!(error.message.contains("user.name"), "{}", error.message);
    // The author comes from the user's git settings; included files count, programs do not.
    let home = server.outside();
    std::fs::write(home.join("who"), "[user]\nemail = me@example.com\n").unwrap();
    let settings = "[user]\nname = Me\n[include]\npath = who\n[core]\nhooksPath = /tmp\n";
    std::fs::write(home.join(".gitconfig"), settings).unwrap();
    let made = server.must("git_commit", json!({ "message": "x" }));
    assert_eq!((&made["author"], &made["email"]), (&json!("Me"), &json!("me@example.com")));
}

#[test]
fn branches_are_made_switched_and_deleted_without_loss() {
    let server = start(FIXTURE);
    let root = server.root();
    let branch = |params: Value| server.must("git_branch", params);
    let refused = |params: Value, code: &str| server.must_fail("git_branch", params, code);
    branch(json!({ "action": "create", "name": "topic" }));
    refused(json!({ "action": "create", "name": "topic" }), "E_EXISTS");
    for name in ["-x", "a..b", "HEAD", "x.lock", "a b", ""] {
        refused(json!({ "action": "create", "name": name }), "E_INVALID_PARAMS");
    }
    branch(json!({ "action": "switch", "name": "topic" }));
    server.write("a.txt", "topic\n");
    git(&root, &["commit", "-qam", "on topic"]);
    let back = branch(json!({ "action": "switch", "name": "main" }));
    assert_eq!((&back["current"], &back["files"]), (&json!("main"), &json!(["a.txt"])));
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\n");
    // What is changed elsewhere comes along; what would be overwritten holds it up.
    server.write("b.txt", "mine\n");
    branch(json!({ "action": "switch", "name": "topic" }));
    assert_eq!(server.disk_text("b.txt"), "mine\n");
    server.write("a.txt", "mine\n");
    refused(json!({ "action": "switch", "name": "main" }), "E_CONFLICT");
    assert_eq!(server.disk_text("a.txt"), "mine\n");
    server.write("a.txt", "topic\n");
    server.open_file("a.txt");
    server.replace_text("a.txt", "topic", "unsaved");
    let error = refused(json!({ "action": "switch", "name": "main" }), "E_CONFLICT");
    assert!(error.message.contains("a.txt"), "{}", error.message);
    server.close_file("a.txt");
    branch(json!({ "action": "switch", "name": "main" }));
    refused(json!({ "action": "delete", "name": "topic" }), "E_CONFLICT");
    refused(json!({ "action": "delete", "name": "main" }), "E_CONFLICT");
    branch(json!({ "action": "delete", "name": "topic", "force": true }));
    let list = branch(json!({ "action": "list" }));
    assert_eq!(texts(&list["branches"], "name"), ["main"]);
    branch(json!({ "action": "switch", "name": "fresh", "from": "main" }));
    assert_eq!(git(&root, &["symbolic-ref", "HEAD"]), "refs/heads/fresh");
}

#[test]
fn an_untracked_file_survives_a_branch_switch() {
    let server = start(FIXTURE);
    let root = server.root();
    git(&root, &["checkout", "-q", "-b", "topic"]);
    server.write("new.txt", "tracked\n");
    git(&root, &["add", "-A"]);
    git(&root, &["commit", "-qm", "new"]);
    git(&root, &["checkout", "-q", "main"]);
    server.write("new.txt", "mine\n");
    let switch = json!({ "action": "switch", "name": "topic" });
    server.must_fail("git_branch", switch.clone(), "E_CONFLICT");
    assert_eq!(server.disk_text("new.txt"), "mine\n");
    // Ignored or not.
    server.write(".git/info/exclude", "new.txt\n");
    let _ = server.must_fail("git_branch", switch, "E_CONFLICT");
    assert_eq!(server.disk_text("new.txt"), "mine\n");
    assert_eq!(git(&root, &["symbolic-ref", "--short", "HEAD"]), "main");
}

#[test]
fn discarded_changes_can_be_restored() {
    let server = start(FIXTURE);
    server.write("a.txt", "ONE\ntwo\nthree\nfour\n");
    std::fs::remove_file(server.path("b.txt")).unwrap();
    server.write("dir/new.txt", "new\n");
    let lines = json!([{ "old_start": 1, "old_lines": 1, "new_start": 1, "new_lines": 1 }]);
    server.must("git_discard", json!({ "files": ["a.txt"], "hunks": lines }));
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\nfour\n");
    let done = server.must("git_discard", json!({ "files": ["."], "untracked": true }));
    assert_eq!(done["files"], json!(["a.txt", "b.txt", "dir/new.txt"]));
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(server.disk_text("b.txt"), "b\n");
    assert!(!server.path("dir/new.txt").exists());
    server.must("undo_action", json!({ "id": done["action"] }));
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\nfour\n");
    assert!(!server.path("b.txt").exists());
    assert_eq!(server.disk_text("dir/new.txt"), "new\n");
    server.must_fail("git_discard", json!({ "files": ["dir"] }), "E_NO_MATCH");
}

#[test]
fn open_documents_are_discarded_in_the_editor() {
    let server = start(FIXTURE);
    server.open_file("a.txt");
    server.replace_text("a.txt", "two", "2");
    let done = server.must("git_discard", json!({ "files": ["a.txt"] }));
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\n");
    server.must("undo_action", json!({ "id": done["action"] }));
    assert_eq!(server.buffer("a.txt"), "one\n2\nthree\n");
}

#[test]
fn changes_are_stashed_and_restored() {
    let server = start(FIXTURE);
    let stash = |params: Value| server.must("git_stash", params);
    server.must_fail("git_stash", json!({ "action": "push" }), "E_NO_MATCH");
    server.write("a.txt", "aside\n");
    server.write("new.txt", "new\n");
    let pushed = stash(json!({ "action": "push", "message": "work", "include_untracked": true }));
    assert!(pushed["stash"]["message"].as_str().unwrap().contains("work"), "{pushed}");
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\n");
    assert!(!server.path("new.txt").exists());
    server.write("a.txt", "other\n");
    server.must_fail("git_stash", json!({ "action": "pop" }), "E_CONFLICT");
    assert_eq!(server.disk_text("a.txt"), "other\n");
    server.must("git_discard", json!({ "files": ["a.txt"] }));
    let popped = stash(json!({ "action": "pop" }));
    assert_eq!(popped["stashes"], json!([]));
    assert_eq!(server.disk_text("a.txt"), "aside\n");
    assert_eq!(server.disk_text("new.txt"), "new\n");
    server.open_file("a.txt");
    server.replace_text("a.txt", "aside", "unsaved");
    server.must_fail("git_stash", json!({ "action": "push" }), "E_CONFLICT");
}

fn conflicting(fixture: &str) -> Server {
    Server::builder(fixture)
        .prepare(|root| {
            repository(root);
            git(root, &["checkout", "-q", "-b", "topic"]);
            std::fs::write(root.join("a.txt"), "one\ntheirs\nthree\n").unwrap();
            git(root, &["rm", "-q", "b.txt"]);
            git(root, &["commit", "-qam", "theirs"]);
            git(root, &["checkout", "-q", "main"]);
            std::fs::write(root.join("a.txt"), "one\nours\nthree\n").unwrap();
            std::fs::write(root.join("b.txt"), "ours\n").unwrap();
            git(root, &["commit", "-qam", "ours"]);
            assert!(!run(root, &["merge", "-q", "topic"]).status.success());
        })
        .start()
}

#[test]
fn conflicts_are_resolved_by_side_or_text() {
    let server = conflicting(FIXTURE);
    let status = server.must("git_status", json!({}));
    assert_eq!(status["operation"], "merge");
    assert_eq!(texts(&status["conflicts"], "path"), ["a.txt", "b.txt"]);
    let found = server.must("git_conflicts", json!({}));
    let place = &found["files"][0]["conflicts"][0];
    assert_eq!((&place["start_line"], &place["end_line"]), (&json!(2), &json!(6)));
    assert_eq!(
        (&place["ours"]["text"], &place["theirs"]["text"]),
        (&json!("ours\n"), &json!("theirs\n"))
    );
    assert_eq!(found["files"][1]["sides"], json!(["base", "ours"]));
    server.must_fail("git_commit", json!({ "message": "x" }), "E_CONFLICT");
    let resolve = |path: &str, with: Value| {
        let mut params = json!({ "action": "resolve", "path": path });
        params.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        server.must("git_conflicts", params)
    };
    let done = resolve("a.txt", json!({ "side": "both", "conflict": 1 }));
    assert_eq!(done["resolved"], true);
    assert_eq!(server.disk_text("a.txt"), "one\nours\ntheirs\nthree\n");
    let done = resolve("b.txt", json!({ "side": "theirs" }));
    assert_eq!((&done["resolved"], &done["files"]), (&json!(true), &json!([])));
    assert!(!server.path("b.txt").exists());
    let made = server.must("git_commit", json!({ "message": "merged" }));
    assert_eq!(made["parents"].as_array().unwrap().len(), 2);
    assert_eq!(server.must("git_status", json!({}))["operation"], Value::Null);
}

#[test]
fn approval_is_requested_where_rules_require_it() {
    let rules = "[policy.deny]\nwrite = [\"a.txt\"]\n[policy.ask]\ntools = [\"git_commit\"]\n";
    let server = Server::builder(FIXTURE)
        .prepare(|root| {
            repository(root);
            let config = root.parent().unwrap().join("config/tandem");
            std::fs::create_dir_all(&config).unwrap();
            std::fs::write(config.join("config.toml"), rules).unwrap();
            std::fs::write(root.join("a.txt"), "x\n").unwrap();
            std::fs::write(root.join("b.txt"), "x\n").unwrap();
        })
        .start();
    server.must_fail("git_discard", json!({ "files": ["."] }), "E_DENIED");
    assert_eq!(server.disk_text("b.txt"), "x\n");
    server.must("git_discard", json!({ "files": ["b.txt"] }));
    server.must_fail("git_stash", json!({ "action": "push" }), "E_DENIED");
    server.must("git_stage", json!({ "files": ["a.txt"] }));
    server.must_fail("git_commit", json!({ "message": "x" }), "E_DENIED");
}
