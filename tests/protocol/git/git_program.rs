//! Operations that run the `git` program: remotes, hooks, filters and signing, in a trusted workspace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use client::Answer;
use serde_json::{Value, json};
use tests::Server;

use super::{git, repository, run, texts};

/// A workspace that follows a bare repository beside it, in which somebody else has pushed.
fn clone_behind_remote(root: &Path) {
    let outside = root.parent().unwrap();
    let (bare, other) = (outside.join("bare.git"), outside.join("other"));
    repository(root);
    git(outside, &["clone", "-q", "--bare", root.to_str().unwrap(), bare.to_str().unwrap()]);
    git(root, &["remote", "add", "origin", bare.to_str().unwrap()]);
    git(root, &["fetch", "-q"]);
    git(root, &["branch", "-q", "--set-upstream-to=origin/main"]);
    git(outside, &["clone", "-q", bare.to_str().unwrap(), other.to_str().unwrap()]);
    git(&other, &["config", "user.name", "Bob"]);
    git(&other, &["config", "user.email", "bob@example.com"]);
    fs::write(other.join("a.txt"), "one\nTWO\n").unwrap();
    git(&other, &["commit", "-qam", "theirs"]);
    git(&other, &["tag", "-a", "-m", "v1", "v1"]);
    git(&other, &["push", "-q", "--follow-tags"]);
}

struct Person {
    server: Server,
    questions: Arc<Mutex<Vec<String>>>,
}

/// A trusted workspace whose person says `answer` to every question.
fn trusted(prepare: impl FnOnce(&Path), answer: &'static str) -> Person {
    let server = Server::builder("//- /a.txt\none\ntwo\n//- /b.txt\nb\n")
        .capability("window/showMessage", json!({}))
        .prepare(prepare)
        .start();
    let settings = server.outside().join("config/tandem");
    fs::create_dir_all(&settings).unwrap();
    let trust = format!("[git]\ntrusted = [{:?}]\n", server.root());
    fs::write(settings.join("config.toml"), trust).unwrap();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    server.answer_requests(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
        Answer::Result(json!({ "title": answer }))
    });
    Person { server, questions }
}

fn hook(root: &Path, name: &str, script: &str) {
    let path = root.join(".git/hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn bare(server: &Server) -> PathBuf {
    server.outside().join("bare.git")
}

#[test]
fn remote_commits_are_fetched_and_pulled() {
    let Person { server, questions } = trusted(clone_behind_remote, "Allow once");
    let fetched = server.must("git_fetch", json!({}));
    assert_eq!(texts(&fetched["updated"], "ref"), ["refs/remotes/origin/main", "refs/tags/v1"]);
    let theirs = git(&bare(&server), &["rev-parse", "main"]);
    assert_eq!(fetched["updated"][0]["new"], theirs);
    assert_eq!(server.must("git_status", json!({}))["behind"], 1);
    assert!(server.must("git_fetch", json!({}))["updated"].as_array().unwrap().is_empty());
    {
        let questions = questions.lock().unwrap();
        assert_eq!(questions.len(), 2);
        let line = "git fetch --no-recurse-submodules -- origin";
        assert!(questions[0].contains(line), "{}", questions[0]);
    }
    // What is not saved holds a pull up, and changes that would be lost.
    server.open_text("a.txt", "unsaved\n");
    server.must_fail("git_pull", json!({}), "E_CONFLICT");
    server.close_file("a.txt");
    server.write("a.txt", "one\nmine\n");
    server.must_fail("git_pull", json!({}), "E_CONFLICT");
    assert_eq!(server.disk_text("a.txt"), "one\nmine\n");
    server.write("a.txt", "one\ntwo\n");
    let pulled = server.must("git_pull", json!({}));
    assert_eq!(
        (&pulled["new"], texts(&pulled["files"], "")),
        (&json!(theirs), vec!["a.txt".into()])
    );
    assert_eq!(server.disk_text("a.txt"), "one\nTWO\n");
}

#[test]
fn pushes_that_would_lose_commits_are_refused() {
    let Person { server, .. } = trusted(clone_behind_remote, "Allow once");
    server.write("b.txt", "mine\n");
    git(&server.root(), &["commit", "-qam", "mine"]);
    let error = server.must_fail("git_push", json!({}), "E_CONFLICT");
    assert!(error.data["details"]["stdout"].as_str().unwrap().contains("rejected"));
    // Both have commits of their own.
    server.must_fail("git_pull", json!({}), "E_CONFLICT");
    let pulled = server.must("git_pull", json!({ "mode": "merge" }));
    assert_eq!(pulled["conflicts"], json!([]));
    let pushed = server.must("git_push", json!({}));
    assert_eq!(pushed["refs"][0]["status"], "updated");
    let head = git(&server.root(), &["rev-parse", "HEAD"]);
    assert_eq!(git(&bare(&server), &["rev-parse", "main"]), head);
    git(&server.root(), &["branch", "topic"]);
    git(&server.root(), &["tag", "v2"]);
    let params = json!({ "branch": "topic", "to": "feature/x", "tags": ["v2"] });
    let pushed = server.must("git_push", params);
    assert_eq!(texts(&pushed["refs"], "status"), ["new", "new"]);
    assert_eq!(git(&bare(&server), &["rev-parse", "feature/x", "v2"]), format!("{head}\n{head}"));
    let gone = server.must("git_push", json!({ "delete": true, "to": "feature/x" }));
    assert_eq!(gone["refs"][0]["status"], "deleted");
}

#[test]
fn a_pull_that_leaves_conflicts_names_them() {
    let Person { server, .. } = trusted(clone_behind_remote, "Allow once");
    server.write("a.txt", "one\nmine\n");
    git(&server.root(), &["commit", "-qam", "mine"]);
    let pulled = server.must("git_pull", json!({ "mode": "merge" }));
    assert_eq!((&pulled["conflicts"], &pulled["operation"]), (&json!(["a.txt"]), &json!("merge")));
    server.must_fail("git_pull", json!({ "mode": "merge" }), "E_CONFLICT");
    server.must("git_conflicts", json!({ "action": "resolve", "path": "a.txt", "side": "theirs" }));
    server.must("git_commit", json!({ "message": "merged" }));
    assert_eq!(server.disk_text("a.txt"), "one\nTWO\n");
}

#[test]
fn nothing_runs_without_trust_or_approval() {
    let untrusted = Server::builder("//- /a.txt\none\ntwo\n").prepare(clone_behind_remote).start();
    for tool in ["git_fetch", "git_push", "git_pull"] {
        let error = untrusted.must_fail(tool, json!({}), "E_DENIED");
        assert!(error.data["hint"].as_str().unwrap().contains("git.trusted"), "{}", error.data);
    }
    let Person { server, questions } = trusted(clone_behind_remote, "Deny");
    for tool in ["git_fetch", "git_push", "git_pull"] {
        server.must_fail(tool, json!({}), "E_DENIED");
    }
    assert_eq!(questions.lock().unwrap().len(), 3);
    assert_eq!(server.must("git_status", json!({}))["behind"], 0);
}

#[test]
fn no_name_is_used_as_an_option_or_a_program() {
    let Person { server, questions } = trusted(
        |root| {
            clone_behind_remote(root);
            let mark = root.join("mark");
            let url = format!("ext::sh -c 'touch {}'", mark.display());
            git(root, &["remote", "add", "evil", &url]);
            git(root, &["config", "remote.helper.url", "helper::x"]);
            git(root, &["config", "remote.--upload-pack=x.url", "/x"]);
        },
        "Allow once",
    );
    for (tool, params, code) in [
        ("git_fetch", json!({ "remote": "evil" }), "E_DENIED"),
        ("git_pull", json!({ "remote": "evil", "branch": "main" }), "E_DENIED"),
        ("git_push", json!({ "remote": "helper" }), "E_DENIED"),
        ("git_fetch", json!({ "remote": "../other" }), "E_NO_MATCH"),
        ("git_fetch", json!({ "remote": "https://example.com/x" }), "E_NO_MATCH"),
        ("git_fetch", json!({ "branches": ["--upload-pack=touch mark"] }), "E_INVALID_PARAMS"),
        ("git_fetch", json!({ "branches": ["+main:refs/heads/main"] }), "E_INVALID_PARAMS"),
        ("git_push", json!({ "to": "main:refs/heads/x" }), "E_INVALID_PARAMS"),
        ("git_push", json!({ "tags": ["-x"] }), "E_INVALID_PARAMS"),
        ("git_pull", json!({ "branch": "--rebase" }), "E_INVALID_PARAMS"),
        ("git_pull", json!({ "timeout_ms": 0 }), "E_INVALID_PARAMS"),
    ] {
        server.must_fail(tool, params, code);
    }
    assert!(questions.lock().unwrap().is_empty());
    // A remote whose name looks like an option is a remote.
    let params = json!({ "remote": "--upload-pack=x" });
    assert!(server.tool("git_fetch", params).is_err());
    assert!(!server.path("mark").exists());
}

#[test]
fn a_failing_hook_blocks_a_commit() {
    let Person { server, questions } = trusted(
        |root| {
            repository(root);
            hook(root, "pre-commit", "echo checked; test ! -e stop");
            hook(root, "commit-msg", "echo 'Signed-off-by: hook' >> \"$1\"");
        },
        "Allow once",
    );
    server.write("stop", "");
    server.write("new.txt", "new\n");
    server.write("b.txt", "staged\n");
    git(&server.root(), &["add", "b.txt"]);
    let before = git(&server.root(), &["status", "--porcelain"]);
    let files = json!({ "message": "more", "files": ["a.txt", "new.txt"] });
    server.write("a.txt", "changed\n");
    let error = server.must_fail("git_commit", files.clone(), "E_CONFLICT");
    assert!(error.data["details"]["stderr"].as_str().unwrap().contains("checked"));
    assert_eq!(git(&server.root(), &["log", "--format=%s"]), "first");
    assert_eq!(git(&server.root(), &["status", "--porcelain"]), format!(" M a.txt\n{before}"));
    fs::remove_file(server.path("stop")).unwrap();
    let made = server.must("git_commit", files);
    assert_eq!((&made["subject"], &made["author"]), (&json!("more"), &json!("Ann Author")));
    assert!(made["output"].as_str().unwrap().contains("checked"), "{made}");
    let told = git(&server.root(), &["show", "--format=%B", "--name-only", "HEAD"]);
    assert_eq!(told, "more\nSigned-off-by: hook\n\n\na.txt\nnew.txt");
    assert_eq!(git(&server.root(), &["status", "--porcelain"]), "M  b.txt");
    let made = server.must("git_commit", json!({ "message": "the rest" }));
    assert_eq!(made["branch"], "main");
    let amended = server.must("git_commit", json!({ "message": "all of it", "amend": true }));
    assert_eq!(amended["amended"], made["commit"]);
    let questions = questions.lock().unwrap();
    assert!(questions[0].contains("git add --intent-to-add -- new.txt"), "{}", questions[0]);
    assert!(questions[0].contains("--only -- a.txt new.txt"), "{}", questions[0]);
}

#[test]
fn filters_and_signing_run_through_git() {
    let Person { server, .. } = trusted(
        |root| {
            fs::write(root.join(".gitattributes"), "*.up filter=upper\n").unwrap();
            fs::write(root.join("x.up"), "x\n").unwrap();
            repository(root);
            git(root, &["config", "filter.upper.clean", "tr a-z A-Z"]);
            git(root, &["config", "filter.upper.smudge", "tr A-Z a-z"]);
        },
        "Allow once",
    );
    server.write("x.up", "changed\n");
    server.must("git_commit", json!({ "message": "converted", "files": ["x.up"] }));
    assert_eq!(git(&server.root(), &["show", "HEAD:x.up"]), "CHANGED");
    server.write("x.up", "again\n");
    let staged = server.must("git_stage", json!({ "files": ["x.up"] }));
    assert_eq!(staged["files"], json!(["x.up"]));
    assert_eq!(git(&server.root(), &["show", ":x.up"]), "AGAIN");
    // A failing signature blocks the commit.
    let signer = server.outside().join("signer");
    fs::write(&signer, "#!/bin/sh\ncat >/dev/null\necho no key >&2\nexit 2\n").unwrap();
    fs::set_permissions(&signer, fs::Permissions::from_mode(0o755)).unwrap();
    git(&server.root(), &["config", "commit.gpgsign", "true"]);
    git(&server.root(), &["config", "gpg.program", signer.to_str().unwrap()]);
    server.write("a.txt", "changed\n");
    let params = json!({ "message": "signed", "files": ["a.txt"] });
    server.must_fail("git_commit", params.clone(), "E_CONFLICT");
    assert_eq!(git(&server.root(), &["log", "-1", "--format=%s"]), "converted");
    let sign = "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n\
                echo x\necho '-----END PGP SIGNATURE-----'\n";
    fs::write(&signer, sign).unwrap();
    server.must("git_commit", params);
    assert!(git(&server.root(), &["cat-file", "-p", "HEAD"]).contains("gpgsig"));
    assert!(run(&server.root(), &["diff", "--quiet", "HEAD", "--", "a.txt"]).status.success());
}

#[test]
fn secrets_in_git_output_are_redacted() {
    let Person { server, questions } = trusted(
        |root| {
            repository(root);
            let url = "https://ann:s3cret@127.0.0.1:9/x.git";
            git(root, &["remote", "add", "origin", url]);
        },
        "Allow once",
    );
    let error: Value = *server.tool("git_fetch", json!({})).unwrap_err().data;
    assert!(error["details"]["stderr"].as_str().is_some_and(|said| !said.is_empty()), "{error}");
    assert!(!error.to_string().contains("s3cret"), "{error}");
    let question = questions.lock().unwrap()[0].clone();
    assert!(question.contains("127.0.0.1") && !question.contains("s3cret"), "{question}");
}
