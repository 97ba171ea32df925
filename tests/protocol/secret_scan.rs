//! `secret_scan`, and commits that would add secrets.
//!
//! The keys are made from pieces when the tests run: no file of this repository has one.

use std::sync::{Arc, Mutex};

use client::Answer;
use serde_json::{Value, json};
use tests::Server;

use crate::dialects::call;
use crate::git::{git, repository};

/// A key in the format of a provider.
fn key() -> String {
    ["AK", "IA", "QZ7M2XKV4TNW3RBH"].concat()
}

fn random_password() -> String {
    ["kX9vQ2mZ", "7pLw4RtY"].concat()
}

const FIXTURE: &str = "//- /src/app.py\nprint(1)\n//- /.gitignore\nignored/\n";

fn start() -> Server {
    Server::builder(FIXTURE).prepare(repository).start()
}

/// `path:line:rule` of each finding.
fn places(result: &Value) -> Vec<String> {
    let findings = result["findings"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings
        .iter()
        .map(|found| format!("{}:{}:{}", text(&found["path"]), found["line"], text(&found["rule"])))
        .collect()
}

#[test]
fn files_and_unsaved_text_are_scanned_and_findings_are_redacted() {
    let server = start();
    let (key, password) = (key(), random_password());
    server.write(".env", format!("DB_PASSWORD={password}\n"));
    std::fs::create_dir_all(server.path("ignored")).unwrap();
    server.write("ignored/a.py", format!("key = '{key}'\n"));
    server.write("binary.bin", format!("\0\0{key}"));
    let utf16: Vec<u8> =
        format!("\u{feff}key = '{key}'\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    server.write("wide.txt", utf16);
    server.open_file("src/app.py");
    server.replace_text("src/app.py", "print(1)", &format!("\u{1f600} = '{key}'"));
    let result = server.must("secret_scan", json!({}));
    let expected = [
        ".env:1:generic-setting",
        "src/app.py:1:aws-access-key-id",
        "wide.txt:1:aws-access-key-id",
    ];
    assert_eq!(places(&result), expected, "{result}");
    let found = &result["findings"][1];
    assert_eq!((&found["column"], &found["confidence"]), (&json!(7), &json!("high")));
    assert_eq!(found["redacted"], "AKIA\u{2026} (20 characters)");
    assert!(result["files_scanned"].as_u64().unwrap() >= 4, "{result}");
    let all = server.must("secret_scan", json!({ "no_ignore": true, "file_pattern": "*.py" }));
    assert_eq!(places(&all).len(), 2, "{all}");
    let sure = server.must("secret_scan", json!({ "min_confidence": "high", "path": ".env" }));
    assert_eq!((places(&sure).len(), &sure["below"]), (0, &json!(1)));
    // Nothing that anyone can read afterwards has the secret.
    let sarif = server.must("secret_scan", json!({ "sarif": true }));
    assert_eq!(sarif["sarif"]["runs"][0]["results"].as_array().unwrap().len(), 3);
    let log = server.must("get_audit_log", json!({ "limit": 200 }));
    for text in [&result, &all, &sarif, &log] {
        let text = text.to_string();
        assert!(!text.contains(&key[5..]) && !text.contains(&password[4..]), "{text}");
    }
    let zap = call(&server, "zap", "secret_scan", &json!({ "path": "src" })).unwrap();
    let found = &zap["findings"][0];
    assert_eq!((&found["file"], &found["line"]), (&json!("src/app.py"), &json!(1)));
    assert_eq!((&found["type"], &found["severity"]), (&json!("api_key"), &json!("high")));
}

#[test]
fn comments_and_baselines_allow_findings() {
    let server = start();
    let key = key();
    server.write("allowed.py", format!("key = '{key}'  # tandem:allow-secret\n"));
    server.write("known.py", format!("key = '{key}'\n"));
    let result = server.must("secret_scan", json!({}));
    assert_eq!(places(&result), ["known.py:1:aws-access-key-id"]);
    let fingerprint = result["findings"][0]["fingerprint"].as_str().unwrap();
    server.write("known.txt", format!("# known\n{fingerprint} the old key\n"));
    server.write("known.py", format!("\n\nkey = '{key}'\n"));
    let baseline = json!({ "baseline": "known.txt" });
    let result = server.must("secret_scan", baseline);
    assert_eq!((places(&result).len(), &result["known"]), (0, &json!(1)));
    server.must_fail("secret_scan", json!({ "baseline": "nowhere" }), "E_FILE_NOT_FOUND");
    server.must_fail("secret_scan", json!({ "patterns": ["("] }), "E_INVALID_PARAMS");
    server.must_fail("secret_scan", json!({ "path": "nowhere" }), "E_PATH_NOT_FOUND");
    let both = json!({ "staged": true, "commits": "HEAD" });
    server.must_fail("secret_scan", both, "E_INVALID_PARAMS");
}

#[test]
fn staged_changes_and_commits_are_scanned() {
    let server = start();
    let (root, key) = (server.root(), key());
    server.write("src/app.py", format!("print(1)\n\nkey = '{key}'\n"));
    let staged = || server.must("secret_scan", json!({ "staged": true }));
    assert_eq!(places(&staged()).len(), 0);
    git(&root, &["add", "-A"]);
    assert_eq!(places(&staged()), ["src/app.py:3:aws-access-key-id"]);
    git(&root, &["commit", "-qm", "adds it"]);
    let commit = git(&root, &["rev-parse", "HEAD"]);
    server.write("src/app.py", "print(1)\n");
    git(&root, &["commit", "-qam", "removes it"]);
    assert_eq!(places(&server.must("secret_scan", json!({}))).len(), 0);
    for commits in ["all", "HEAD~2..HEAD", "HEAD~1"] {
        let result = server.must("secret_scan", json!({ "commits": commits }));
        assert_eq!(places(&result), ["src/app.py:3:aws-access-key-id"], "{commits}");
        assert_eq!(result["findings"][0]["commit"], commit.as_str());
        assert!(!result.to_string().contains(&key), "{result}");
    }
    let newest = server.must("secret_scan", json!({ "commits": "all", "max_commits": 1 }));
    assert_eq!((places(&newest).len(), &newest["incomplete"]), (0, &json!(true)));
    server.must_fail("secret_scan", json!({ "commits": "nowhere" }), "E_NO_MATCH");
}

#[test]
fn a_commit_that_adds_a_secret_needs_approval() {
    let server = Server::builder(FIXTURE)
        .capability("window/showMessage", json!({}))
        .prepare(repository)
        .start();
    let answer = Arc::new(Mutex::new("Deny"));
    let questions = Arc::new(Mutex::new(Vec::new()));
    let (title, seen) = (answer.clone(), questions.clone());
    server.answer_requests(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
        Answer::Result(json!({ "title": *title.lock().unwrap() }))
    });
    let key = key();
    server.write("plain.py", "x = 1\n");
    server.must("git_commit", json!({ "message": "plain", "files": ["plain.py"] }));
    assert_eq!(questions.lock().unwrap().len(), 0);
    // An untracked file, then the same staged.
    server.write("new.py", format!("key = '{key}'\n"));
    let files = json!({ "message": "key", "files": ["new.py"] });
    let denied = server.must_fail("git_commit", files, "E_DENIED");
    git(&server.root(), &["add", "-A"]);
    server.must_fail("git_commit", json!({ "message": "key" }), "E_DENIED");
    {
        let questions = questions.lock().unwrap();
        assert_eq!(questions.len(), 2, "{questions:?}");
        for question in &*questions {
            let listed = "new.py:1: AWS access key ID: AKIA\u{2026} (20 characters)";
            assert!(question.contains(listed), "{question}");
            assert!(!question.contains(&key), "{question}");
        }
    }
    let log = server.must("get_audit_log", json!({ "limit": 200 }));
    assert!(!format!("{log} {}", denied.data).contains(&key));
    *answer.lock().unwrap() = "Allow once";
    server.must("git_commit", json!({ "message": "key" }));
}
