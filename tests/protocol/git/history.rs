//! History for editors: files at a revision, blame, commit messages.

use std::sync::mpsc::channel;

use client::Answer;
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server, ServerBuilder};

use super::{git, repository};

const FIXTURE: &str = "
//- /src/main.py
def size(a):
    return a


def other(b):
    return b
";

/// With a second commit, by somebody else.
fn prepared(setup: ServerBuilder) -> ServerBuilder {
    setup.prepare(|root| {
        repository(root);
        std::fs::write(
            root.join("src/main.py"),
            "def size(a):\n    return a + 1\n\n\ndef other(b):\n    return b\n",
        )
        .unwrap();
        let author = "--author=Bob `x` <bob@example.com>";
        git(root, &["commit", "-qam", "Count from one\n\nBecause.", author]);
    })
}

fn content(server: &Server, method: &str, uri: &str) -> Result<String, String> {
    match server.request(method, json!({ "uri": uri })) {
        Ok(found) => Ok(found["text"].as_str().unwrap().to_owned()),
        Err(error) => {
            let response = error.response().unwrap_or_else(|| panic!("{uri}: {error}"));
            Err(response.data["code"].as_str().unwrap().to_owned())
        }
    }
}

#[test]
fn files_are_returned_at_a_revision() {
    let server = prepared(Server::builder(FIXTURE)).start();
    let provider = &server.initialized()["capabilities"]["workspace"]["textDocumentContent"];
    assert_eq!(provider["schemes"], json!(["tandem-git"]));
    server.write("src/main.py", "staged\n");
    git(&server.root(), &["add", "-A"]);
    server.write("src/main.py", "now\n");
    let text = |uri: &str| content(&server, "workspace/textDocumentContent", uri);
    assert!(text("tandem-git:/HEAD/src/main.py").unwrap().contains("a + 1"));
    assert!(!text("tandem-git:/HEAD~1/src/main.py").unwrap().contains("a + 1"));
    assert!(text("tandem-git:/main/src/main.py").unwrap().contains("a + 1"));
    assert_eq!(text("tandem-git:/:0/src/main.py").unwrap(), "staged\n");
    let absolute = server.path("src/main.py");
    let absolute = format!("tandem-git:/HEAD/{}", absolute.display());
    assert!(content(&server, "tandem/textDocumentContent", &absolute).unwrap().contains("a + 1"));
}

#[test]
fn only_commits_and_files_of_the_workspace_are_returned() {
    let server = prepared(Server::builder(FIXTURE)).start();
    for (uri, code) in [
        ("tandem-git:/--output=x/src/main.py", "E_NO_MATCH"),
        ("tandem-git:/HEAD:%2F/src/main.py", "E_NO_MATCH"),
        ("tandem-git:/%3A%2Ffirst/src/main.py", "E_NO_MATCH"),
        ("tandem-git:/nothing/src/main.py", "E_NO_MATCH"),
        ("tandem-git:/:2/src/main.py", "E_NO_MATCH"),
        ("tandem-git:/HEAD/src/none.py", "E_NO_MATCH"),
        ("tandem-git:/HEAD/src", "E_NO_MATCH"),
        ("tandem-git:/HEAD/../../etc/passwd", "E_PATH_FORBIDDEN"),
        ("tandem-git:/HEAD//etc/passwd", "E_PATH_FORBIDDEN"),
        ("tandem-git:/HEAD/%00", "E_INVALID_PARAMS"),
        ("tandem-git:/HEAD", "E_INVALID_PARAMS"),
        ("file:///etc/passwd", "E_INVALID_PARAMS"),
    ] {
        let found = content(&server, "tandem/textDocumentContent", uri);
        assert_eq!(found, Err(code.to_owned()), "{uri}");
    }
}

fn lenses(server: &Server) -> Vec<String> {
    let params = json!({ "textDocument": { "uri": server.uri("src/main.py") } });
    let found = server.request("textDocument/codeLens", params).unwrap();
    let title = |lens: &Value| lens["command"]["title"].as_str().map(str::to_owned);
    found.as_array().unwrap().iter().filter_map(title).collect()
}

/// Each hint's line and label.
fn hints(server: &Server) -> Vec<(u64, String)> {
    let range = json!({
        "start": { "line": 0, "character": 0 }, "end": { "line": 100, "character": 0 },
    });
    let params = json!({ "textDocument": { "uri": server.uri("src/main.py") }, "range": range });
    let found = server.request("textDocument/inlayHint", params).unwrap();
    let hint = |hint: &Value| {
        let line = hint["position"]["line"].as_u64().unwrap();
        Some((line, hint["label"].as_str()?.to_owned()))
    };
    found.as_array().unwrap().iter().filter_map(hint).collect()
}

fn hover(server: &Server, line: u64, character: u64) -> Value {
    let params = json!({
        "textDocument": { "uri": server.uri("src/main.py") },
        "position": { "line": line, "character": character },
    });
    server.request("textDocument/hover", params).unwrap()["contents"]["value"].take()
}

#[test]
fn blame_is_returned_on_request() {
    let server = prepared(Server::builder(FIXTURE)).start();
    server.open_file("src/main.py");
    assert!(lenses(&server).is_empty() && hints(&server).is_empty());
    assert_eq!(hover(&server, 2, 0), Value::Null);
    let ask = |blame: Value| {
        let settings = json!({ "settings": { "tandem": { "git": { "blame": blame } } } });
        server.notify("workspace/didChangeConfiguration", settings).unwrap();
    };
    ask(json!({ "lens": true }));
    let newest = "Bob `x`, 2023-11-14: Count from one";
    assert_eq!(
        lenses(&server),
        [format!("{newest} (2 authors)"), "Ann Author, 2023-11-14: first".to_owned()]
    );
    assert!(hints(&server).is_empty());
    ask(json!({ "inlay": true, "hover": true }));
    assert!(lenses(&server).is_empty());
    let ann = || "Ann Author, 2023-11-14".to_owned();
    let bob = || "Bob `x`, 2023-11-14".to_owned();
    assert_eq!(hints(&server), [(0, ann()), (1, bob()), (2, ann())]);
    // Unsaved lines have no author, and they shift the others.
    server.replace_text("src/main.py", "def other", "# new\ndef other");
    assert_eq!(hints(&server), [(0, ann()), (1, bob()), (2, ann()), (5, ann())]);
    let said = hover(&server, 1, 4);
    let said = said.as_str().unwrap();
    assert!(said.contains("Bob `x`, 2023-11-14\n\nCount from one\n\nBecause."), "{said}");
    assert_eq!(hover(&server, 4, 0), Value::Null);
    let both = hover(&server, 0, 5);
    let both = both.as_str().unwrap();
    assert!(both.contains("def size(a)") && both.contains("first"), "{both}");
    ask(json!(false));
    assert!(hints(&server).is_empty());
}

#[test]
fn a_commit_message_is_completed_with_staged_names() {
    let server = prepared(Server::builder(FIXTURE)).start();
    let text = server.disk_text("src/main.py").replace("return b", "return b * 2");
    server.write("src/main.py", text);
    server.write("new file.txt", "x\n");
    git(&server.root(), &["add", "-A"]);
    server.write("src/main.py", format!("# first\n{}", server.disk_text("src/main.py")));
    let message = "Change o\n\nSee src/\n\n# comment\n";
    server.open_text(".git/COMMIT_EDITMSG", message);
    let labels = |line: u64, character: u64| {
        let params = json!({
            "textDocument": { "uri": server.uri(".git/COMMIT_EDITMSG") },
            "position": { "line": line, "character": character },
        });
        let found = server.request("textDocument/completion", params).unwrap();
        let items = found["items"].as_array().cloned().unwrap_or_default();
        let label = |item: &Value| {
            let start = item["textEdit"]["range"]["start"]["character"].as_u64().unwrap();
            (item["label"].as_str().unwrap().to_owned(), start)
        };
        items.iter().map(label).collect::<Vec<_>>()
    };
    let of = |names: &[(&str, u64)]| {
        names.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect::<Vec<_>>()
    };
    assert_eq!(labels(0, 8), of(&[("other", 7), ("new file.txt", 7), ("src/main.py", 7)]));
    let signed = "Signed-off-by: Ann Author <ann@example.com>";
    let other = "Co-authored-by: Bob `x` <bob@example.com>";
    let all = labels(3, 0);
    assert_eq!(all[..2], of(&[(signed, 0), (other, 0)]));
    assert_eq!(labels(2, 8).first(), Some(&("other".to_owned(), 4)));
    assert!(labels(4, 4).is_empty());
}

#[test]
fn a_diagnostic_of_a_language_has_one_message_at_every_position() {
    let server = prepared(Server::builder(FIXTURE)).start();
    server.open("untitled:message", "git-commit", 1, "\n\n").unwrap();
    let params = json!({
        "textDocument": { "uri": "untitled:message" }, "position": { "line": 1, "character": 0 },
    });
    let found = server.request("textDocument/completion", params).unwrap();
    let first = &found["items"][0]["label"];
    assert_eq!(first, "Signed-off-by: Ann Author <ann@example.com>");
}

#[test]
fn a_commit_message_uses_the_repository_it_lies_in() {
    let setup = Server::builder("//- /x\n");
    let main = setup.home().outside().join("main");
    let setup = setup.prepare(|root| {
        std::fs::create_dir_all(&main).unwrap();
        repository(&main);
        std::fs::remove_dir_all(root).unwrap();
        git(&main, &["worktree", "add", "-q", "-b", "linked", root.to_str().unwrap()]);
        std::fs::write(root.join("here.txt"), "x\n").unwrap();
        git(root, &["add", "-A"]);
        std::fs::write(main.join("there.txt"), "x\n").unwrap();
        git(&main, &["add", "-A"]);
    });
    let server = setup.start();
    let own = git(&server.root(), &["rev-parse", "--absolute-git-dir"]);
    for (folder, expected) in
        [(own, vec!["here.txt"]), (main.join(".git").display().to_string(), vec![])]
    {
        let uri = format!("file://{folder}/COMMIT_EDITMSG");
        server.open(&uri, "git-commit", 1, "\n").unwrap();
        let params = json!({
            "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 },
        });
        let found = server.request("textDocument/completion", params).unwrap();
        let items = found["items"].as_array().cloned().unwrap_or_default();
        let labels: Vec<_> = items.iter().map(|item| item["label"].as_str().unwrap()).collect();
        assert_eq!(labels, expected, "{uri}");
    }
}

#[test]
fn clients_are_asked_to_refresh_history() {
    let setup = Server::builder(FIXTURE).capability("experimental/hunks", json!(true));
    let server = prepared(setup).start();
    let (sender, refreshed) = channel();
    server.answer_requests(move |request, _| {
        if request.method == "workspace/textDocumentContent/refresh" {
            let _ = sender.send(request.params["uri"].as_str().unwrap().to_owned());
        }
        Answer::Result(Value::Null)
    });
    server.open_file("src/main.py");
    server.wait_for_notification("tandem/didChangeHunks", RESPONSE_TIMEOUT, |_| true).unwrap();
    content(&server, "workspace/textDocumentContent", "tandem-git:/HEAD/src/main.py").unwrap();
    git(&server.root(), &["commit", "-q", "--allow-empty", "-m", "third"]);
    assert_eq!(refreshed.recv_timeout(RESPONSE_TIMEOUT).unwrap(), "tandem-git:/HEAD/src/main.py");
}
