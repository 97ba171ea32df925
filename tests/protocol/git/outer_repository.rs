//! A workspace inside a repository whose root lies above it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tests::Server;

use super::{git, texts};

const SECRET: &str = "what stands beside the workspace";

/// Makes the folder above the workspace a repository, with a file beside the workspace.
fn init_outer_repository(root: &Path) {
    let top = root.parent().unwrap();
    let name = root.file_name().unwrap().to_str().unwrap();
    fs::write(top.join("beside.txt"), SECRET).unwrap();
    fs::write(top.join(".gitignore"), "*.o\n").unwrap();
    fs::write(top.join(".gitattributes"), "crlf.txt text eol=crlf\n").unwrap();
    git(top, &["init", "-q"]);
    git(top, &["config", "user.name", "Ann Author"]);
    git(top, &["config", "user.email", "ann@example.com"]);
    git(top, &["add", name, "beside.txt", ".gitignore", ".gitattributes"]);
    git(top, &["commit", "-q", "-m", "first"]);
    fs::write(top.join("beside.txt"), format!("{SECRET}, changed")).unwrap();
    fs::write(root.join("a.txt"), "one\nTWO\n").unwrap();
    fs::write(root.join("new.txt"), "new\n").unwrap();
    fs::create_dir(root.join("folder")).unwrap();
    fs::write(root.join("folder/b.txt"), "b\n").unwrap();
    fs::write(root.join("ignored.o"), "o\n").unwrap();
}

fn start() -> Server {
    let server = Server::builder("//- /a.txt\none\ntwo\n//- /src/b.txt\nb\n//- /crlf.txt\nx\n");
    server.prepare(init_outer_repository).start()
}

fn trust(server: &Server) {
    let settings = server.outside().join("config/tandem");
    fs::create_dir_all(&settings).unwrap();
    let trust = format!("[git]\ntrusted = [{:?}]\n", server.root());
    fs::write(settings.join("config.toml"), trust).unwrap();
}

#[test]
fn only_the_workspace_part_of_an_outer_repository_is_read() {
    let server = start();
    let status = server.must("git_status", json!({}));
    assert_eq!((&status["repository"], &status["branch"]), (&json!(".."), &json!("main")));
    assert_eq!(texts(&status["unstaged"], "path"), ["a.txt"]);
    assert_eq!(texts(&status["untracked"], ""), ["folder/", "new.txt"]);
    let status = server.must("git_status", json!({ "path": "src" }));
    assert_eq!(status["unstaged"], json!([]));
    for (tool, params) in [
        ("git_diff", json!({})),
        ("git_diff", json!({ "commit": "HEAD" })),
        ("git_diff", json!({ "path": "." })),
    ] {
        let diff = server.must(tool, params);
        assert_eq!(texts(&diff["files"], "path"), ["a.txt"]);
        assert!(diff["diff"].as_str().unwrap().contains("+TWO"), "{diff}");
    }
    let shown = server.must("git_show", json!({ "commit": "HEAD" }));
    assert_eq!(texts(&shown["files"], "path"), ["a.txt", "crlf.txt", "src/b.txt"]);
    let shown = server.must("git_show", json!({ "commit": "HEAD", "path": "a.txt" }));
    assert_eq!(shown["content"], "one\ntwo\n");
    let log = server.must("git_log", json!({ "path": "src/b.txt" }));
    assert_eq!(texts(&log["commits"], "subject"), ["first"]);
    let blame = server.must("git_blame", json!({ "path": "a.txt" }));
    assert_eq!(blame["lines"][1]["commit"], Value::Null);
    for params in [
        json!({ "commit": "HEAD:beside.txt" }),
        json!({ "commit": "HEAD", "path": "../beside.txt" }),
    ] {
        let error = server.must_fail("git_show", params, "E_PATH_FORBIDDEN");
        assert!(!error.data.to_string().contains(SECRET), "{}", error.data);
    }
    server.must_fail("git_blame", json!({ "path": "../beside.txt" }), "E_PATH_FORBIDDEN");
}

#[test]
fn an_outer_repository_is_written_with_trust_and_only_inside_the_workspace() {
    let server = start();
    let writes = [
        ("git_stage", json!({ "files": ["."] })),
        ("git_commit", json!({ "message": "x", "files": ["a.txt"] })),
        ("git_checkpoint", json!({ "action": "create" })),
        ("git_branch", json!({ "action": "create", "name": "topic" })),
    ];
    for (tool, params) in writes.clone() {
        server.must_fail(tool, params, "E_DENIED");
    }
    // Files of the workspace are changed without writing to the repository.
    server.must("git_discard", json!({ "files": ["a.txt"] }));
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\n");
    server.write("a.txt", "one\nTWO\n");
    trust(&server);
    let top = server.outside();
    for (tool, params) in writes {
        server.must(tool, params);
    }
    let name = server.root().file_name().unwrap().to_str().unwrap().to_owned();
    let committed = git(&top, &["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(committed, format!("{name}/a.txt"));
    let staged = git(&top, &["diff", "--cached", "--name-only"]);
    assert_eq!(staged, format!("{name}/folder/b.txt\n{name}/new.txt"));
    // The checkpoint has the workspace's files as on disk, and the others as committed.
    let kept = git(&top, &["for-each-ref", "--format=%(objectname)", "refs/tandem/checkpoints"]);
    assert_eq!(git(&top, &["show", &format!("{kept}:beside.txt")]), SECRET);
    assert_eq!(git(&top, &["show", &format!("{kept}:{name}/new.txt")]), "new");
    server.write("new.txt", "spoiled\n");
    server.must("git_checkpoint", json!({ "action": "restore" }));
    assert_eq!(server.disk_text("new.txt"), "new\n");
    for (tool, params) in [
        ("git_branch", json!({ "action": "switch", "name": "topic" })),
        ("git_stash", json!({ "action": "push" })),
    ] {
        server.must_fail(tool, params, "E_PATH_FORBIDDEN");
    }
    let beside = fs::read_to_string(top.join("beside.txt")).unwrap();
    assert_eq!(beside, format!("{SECRET}, changed"));
}

#[test]
fn a_linked_folder_above_is_refused() {
    let server = Server::builder("//- /a.txt\na\n")
        .prepare(|root| {
            let top = root.parent().unwrap();
            let other = top.join("other");
            fs::create_dir(&other).unwrap();
            git(&other, &["init", "-q"]);
            std::os::unix::fs::symlink(other.join(".git"), top.join(".git")).unwrap();
        })
        .start();
    server.must_fail("git_status", json!({}), "E_PATH_FORBIDDEN");
}
