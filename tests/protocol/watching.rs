//! Changes of files that no client reports are seen all the same.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "
//- /old.c
int area(int r) { return 3 * r; }
//- /main.c
int main(void) { return ar$0ea(1); }
";

/// The files in which the name at the cursor is defined.
fn definition_files(server: &Server) -> Vec<String> {
    let (path, offset) = server.fixture().cursor.clone().unwrap();
    let text = server.fixture().text(&path).to_owned();
    let found = match server.request_at("textDocument/definition", &path, offset, &text) {
        Value::Null => Vec::new(),
        Value::Array(links) => links,
        link => vec![link],
    };
    let root = format!("{}/", server.uri("").trim_end_matches('/'));
    let uri = |link: &Value| link["uri"].as_str().unwrap().trim_start_matches(&root).to_owned();
    found.iter().map(uri).collect()
}

/// Waits until the name at the cursor is defined in these files.
fn wait_for(server: &Server, files: &[&str]) {
    let started = Instant::now();
    while definition_files(server) != files {
        assert!(
            started.elapsed() < RESPONSE_TIMEOUT,
            "{:?}, not {files:?}",
            definition_files(server)
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The names of the server's threads.
fn threads(server: &Server) -> Vec<String> {
    let tasks = format!("/proc/{}/task", server.process().unwrap().id());
    let tasks = std::fs::read_dir(tasks).unwrap().flatten();
    let name = |task: &Path| std::fs::read_to_string(task.join("comm")).unwrap_or_default();
    tasks.map(|task| name(&task.path()).trim().to_owned()).collect()
}

fn is_watching(server: &Server) -> bool {
    threads(server).iter().any(|name| name == "watcher")
}

#[test]
fn external_creates_changes_renames_and_deletes_are_noticed() {
    let server = Server::start(FIXTURE);
    server.open_file("main.c");
    wait_for(&server, &["old.c"]);
    server.write("sub/deep/new.c", "int area(int r) { return 2 * r; }\n");
    wait_for(&server, &[]);
    std::fs::remove_file(server.path("old.c")).unwrap();
    wait_for(&server, &["sub/deep/new.c"]);
    std::fs::rename(server.path("sub/deep/new.c"), server.path("sub/deep/other.c")).unwrap();
    wait_for(&server, &["sub/deep/other.c"]);
    std::fs::rename(server.path("sub"), server.path("moved")).unwrap();
    wait_for(&server, &["moved/deep/other.c"]);
    server.write("moved/deep/other.c", "int volume(int r) { return 3 * r; }\n");
    wait_for(&server, &[]);
    server.write("moved/deep/other.c", "int area(int r) { return 4 * r; }\n");
    wait_for(&server, &["moved/deep/other.c"]);
    std::fs::remove_dir_all(server.path("moved")).unwrap();
    wait_for(&server, &[]);
}

#[test]
fn ignored_and_outside_files_are_not_watched() {
    let outside = tempfile::tempdir().unwrap();
    let setup = Server::builder(FIXTURE).prepare(|root| {
        std::fs::write(root.join(".gitignore"), "build/\n*.gen.c\n").unwrap();
        std::fs::create_dir(root.join("build")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        std::os::unix::fs::symlink(".", root.join("loop")).unwrap();
    });
    let server = setup.start();
    server.open_file("main.c");
    wait_for(&server, &["old.c"]);
    let text = "int area(int r) { return 2 * r; }\n";
    server.write("build/x.c", text);
    server.write("build/deep/x.c", text);
    server.write("x.gen.c", text);
    std::fs::write(outside.path().join("x.c"), text).unwrap();
    std::fs::create_dir(outside.path().join("deep")).unwrap();
    // What comes later is seen, and none of that.
    std::fs::rename(server.path("old.c"), server.path("new.c")).unwrap();
    wait_for(&server, &["new.c"]);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(definition_files(&server), ["new.c"]);
    // Other rules, other files.
    server.write(".gitignore", "/new.c\n*.gen.c\n/build/deep\n");
    std::fs::remove_file(server.path("new.c")).unwrap();
    wait_for(&server, &["build/x.c"]);
}

#[test]
fn after_a_branch_switch_of_thousands_of_files_answers_are_right() {
    const FILES: usize = 5_000;
    let write = |root: &Path, name: &str| {
        for n in 0..FILES {
            let folder = root.join(format!("d{}", n % 50));
            std::fs::create_dir_all(&folder).unwrap();
            let text = format!("def {name}{n}():\n    pass\n");
            std::fs::write(folder.join(format!("m{n}.py")), text).unwrap();
        }
    };
    let server = Server::builder(FIXTURE).prepare(|root| write(root, "before")).start();
    let symbols = |name: &str| {
        let found = server.request("workspace/symbol", json!({ "query": name })).unwrap();
        let found = found.as_array().cloned().unwrap_or_default();
        found.iter().filter(|symbol| symbol["name"] == name).count()
    };
    let started = Instant::now();
    while symbols("before4999") != 1 {
        assert!(started.elapsed() < 3 * RESPONSE_TIMEOUT, "the workspace is not read");
        std::thread::sleep(Duration::from_millis(50));
    }
    write(&server.root(), "after");
    std::fs::rename(server.path("d7"), server.path("e7")).unwrap();
    let started = Instant::now();
    while symbols("after4999") + symbols("after7") + symbols("after0") < 3 {
        assert!(started.elapsed() < 3 * RESPONSE_TIMEOUT, "the switch is not seen");
        std::thread::sleep(Duration::from_millis(50));
    }
    for n in (0..FILES).step_by(97) {
        assert_eq!(symbols(&format!("after{n}")), 1, "{n}");
        assert_eq!(symbols(&format!("before{n}")), 0, "{n}");
    }
}

#[test]
fn the_server_does_not_watch_if_the_client_does() {
    let server = Server::start(FIXTURE);
    server.open_file("main.c");
    wait_for(&server, &["old.c"]);
    assert!(is_watching(&server), "{:?}", threads(&server));
    let client = json!({ "dynamicRegistration": true });
    let setup = Server::builder(FIXTURE).capability("workspace/didChangeWatchedFiles", client);
    let server = setup.start();
    server.open_file("main.c");
    wait_for(&server, &["old.c"]);
    assert!(!is_watching(&server), "{:?}", threads(&server));
}

#[test]
fn other_folders_are_watched_instead() {
    let server = Server::start(FIXTURE);
    server.open_file("main.c");
    wait_for(&server, &["old.c"]);
    let other = tempfile::tempdir().unwrap();
    let path = other.path().canonicalize().unwrap();
    let folder = json!({ "uri": client::file_uri(&path), "name": "other" });
    let event = json!({ "event": { "added": [folder], "removed": [] } });
    server.notify("workspace/didChangeWorkspaceFolders", event).unwrap();
    wait_for(&server, &["old.c"]);
    std::fs::remove_file(server.path("old.c")).unwrap();
    wait_for(&server, &[]);
    std::fs::write(path.join("there.c"), "int area(int r) { return 2 * r; }\n").unwrap();
    let there = client::file_uri(&path.join("there.c"));
    wait_for(&server, &[&there]);
    let watchers = || threads(&server).iter().filter(|name| *name == "watcher").count();
    let started = Instant::now();
    while watchers() != 1 {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{:?}", threads(&server));
        std::thread::sleep(Duration::from_millis(10));
    }
}
