//! Nothing reaches out of the workspace, by whatever means.

use std::os::unix::fs::symlink;

use serde_json::json;
use tests::{Home, Server};

const FIXTURE: &str = "//- /a.txt\ninside\n//- /dir/b.txt\ninside b\n";

/// A server whose workspace stands beside `secret/s.txt` and is full of links.
fn linked() -> Server {
    Server::builder(FIXTURE)
        .prepare(|root| {
            let secret = root.parent().unwrap().join("secret");
            std::fs::create_dir(&secret).unwrap();
            std::fs::write(secret.join("s.txt"), "secret\n").unwrap();
            let link = |to: &str, at: &str| symlink(to, root.join(at)).unwrap();
            link("../secret/s.txt", "out-relative");
            link(secret.join("s.txt").to_str().unwrap(), "out-absolute");
            link("../secret", "out-dir");
            link("chain-2", "chain-1");
            link("dir/../chain-3", "chain-2");
            link("out-absolute", "chain-3");
            link("../../workspace/../secret/s.txt", "dir/back-and-out");
            link("../no-such", "out-dangling");
            link("loop-b", "loop-a");
            link("loop-a", "loop-b");
            link("self", "self");
            link("dir/b.txt", "in-relative");
            link(root.join("dir/b.txt").to_str().unwrap(), "in-absolute");
            link("dir", "in-dir");
            link(root.join("dir").to_str().unwrap(), "in-dir-absolute");
            link("in-chain-2", "in-chain-1");
            link("in-dir/b.txt", "in-chain-2");
            link("../in-relative", "dir/up");
            link("no-such", "in-dangling");
        })
        .start()
}

/// Paths that escape the workspace, all forbidden.
fn forbidden_paths(server: &Server) -> Vec<String> {
    let outside = server.outside().join("secret/s.txt");
    let outside = outside.to_str().unwrap();
    let root = server.root();
    let root = root.to_str().unwrap();
    [
        "../secret/s.txt",
        "dir/../../secret/s.txt",
        "./../secret/s.txt",
        "dir/../../workspace/../secret/s.txt",
        "no-such/../../secret/s.txt",
        "..",
        "/etc/passwd",
        "/",
        "//etc/passwd",
        outside,
        &format!("{root}/../secret/s.txt"),
        &format!("{root}/dir/../../secret/s.txt"),
        &format!("{root}-sibling/a.txt"),
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        &format!("file://{outside}"),
        &format!("file://{root}/%2e%2e/secret/s.txt"),
        &format!("file://{root}/..%2fsecret/s.txt"),
        "out-relative",
        "out-absolute",
        "out-dir/s.txt",
        "out-dir",
        "chain-1",
        "chain-2",
        "dir/back-and-out",
        "out-dangling",
        "in-dir/../../secret/s.txt",
        "loop-a",
        "self",
        "loop-a/x",
        &format!("{}.txt", "n".repeat(256)),
        &"long/".repeat(1_000),
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/a.txt",
    ]
    .map(str::to_owned)
    .into()
}

#[test]
fn nothing_outside_is_read() {
    let server = linked();
    for path in forbidden_paths(&server) {
        let error = server.must_fail("read_file", json!({ "path": path }), "E_PATH_FORBIDDEN");
        assert!(!error.data.to_string().contains("secret\\n"), "{path}: {}", error.data);
    }
}

#[test]
fn nothing_outside_is_written() {
    let server = linked();
    for path in forbidden_paths(&server) {
        let edit = json!({ "path": path, "old_text": "secret", "new_text": "hacked" });
        server.must_fail("apply_edit", edit, "E_PATH_FORBIDDEN");
        let edits = json!({ "edits": [
            { "path": "a.txt", "patches": [{ "old_text": "inside", "new_text": "hacked" }] },
            { "path": path, "patches": [{ "old_text": "secret", "new_text": "hacked" }] },
        ]});
        server.must_fail("apply_edit", edits, "E_PATH_FORBIDDEN");
    }
    assert_eq!(std::fs::read(server.outside().join("secret/s.txt")).unwrap(), b"secret\n");
    assert_eq!(server.disk_text("a.txt"), "inside\n");
}

#[test]
fn an_invalid_path_is_a_bad_parameter() {
    let server = linked();
    let root = server.root();
    let root = root.to_str().unwrap();
    for path in [
        "a\0.txt",
        "\0",
        "",
        "http://localhost/a.txt",
        "https://example.org/a.txt",
        "ftp://host/a.txt",
        "vscode-remote://x/a.txt",
        &format!("file://otherhost{root}/a.txt"),
        "file://otherhost/etc/passwd",
        &format!("file://{root}/a%00.txt"),
        &format!("file://{root}/%ff%fe.txt"),
    ] {
        server.must_fail("read_file", json!({ "path": path }), "E_INVALID_PARAMS");
        let edit = json!({ "path": path, "old_text": "a", "new_text": "b" });
        server.must_fail("apply_edit", edit, "E_INVALID_PARAMS");
    }
}

#[test]
fn links_that_stay_inside_work() {
    let server = linked();
    for path in [
        "in-relative",
        "in-absolute",
        "in-dir/b.txt",
        "in-dir-absolute/b.txt",
        "in-chain-1",
        "dir/up",
    ] {
        assert_eq!(server.read(path), "inside b\n", "{path}");
    }
    server.must_fail("read_file", json!({ "path": "in-dangling" }), "E_FILE_NOT_FOUND");
}

#[test]
fn a_link_is_edited_through_and_stays_a_link() {
    let server = linked();
    for (path, old, new) in [
        ("in-relative", "inside b", "one"),
        ("in-absolute", "one", "two"),
        ("in-chain-1", "two", "three"),
        ("in-dir-absolute/b.txt", "three", "four"),
    ] {
        server.must("apply_edit", json!({ "path": path, "old_text": old, "new_text": new }));
        assert_eq!(server.disk_text("dir/b.txt"), format!("{new}\n"), "{path}");
    }
    for path in ["in-relative", "in-absolute", "in-chain-1", "in-dir-absolute"] {
        assert!(server.path(path).symlink_metadata().unwrap().is_symlink(), "{path}");
    }
}

#[test]
fn a_link_to_an_open_document_is_that_document() {
    let server = linked();
    server.open_text("dir/b.txt", "in the buffer\n");
    for path in ["in-relative", "in-absolute", "in-dir/b.txt"] {
        assert_eq!(server.read(path), "in the buffer\n", "{path}");
    }
    server.must(
        "apply_edit",
        json!({ "path": "in-absolute", "old_text": "buffer", "new_text": "editor" }),
    );
    assert_eq!(server.buffer("dir/b.txt"), "in the editor\n");
    assert_eq!(server.disk_text("dir/b.txt"), "inside b\n");
}

#[test]
fn a_workspace_that_is_itself_a_link_is_its_target() {
    let setup = Server::builder(FIXTURE);
    let link = setup.home().outside().join("link");
    symlink(setup.home().root(), &link).unwrap();
    let server = setup.spawn();
    (*server).initialize(&link, json!({})).unwrap();
    assert_eq!(server.read("a.txt"), "inside\n");
    assert_eq!(server.read(link.join("a.txt").to_str().unwrap()), "inside\n");
    assert_eq!(server.read(server.path("a.txt").to_str().unwrap()), "inside\n");
}

#[test]
fn without_a_workspace_no_path_is_inside() {
    let server = Server::builder(FIXTURE).spawn();
    server.request("initialize", json!({ "capabilities": {} })).unwrap();
    server.notify("initialized", json!({})).unwrap();
    for path in ["a.txt", server.path("a.txt").to_str().unwrap()] {
        server.must_fail("read_file", json!({ "path": path }), "E_PATH_FORBIDDEN");
    }
}

#[test]
fn guarded_paths_need_approval_and_are_refused_without_it() {
    let names = [
        ".git/config",
        ".vscode/tasks.json",
        ".idea/x.xml",
        ".tandem/config.toml",
        "my.code-workspace",
        "sub/.GIT/hooks/pre-commit",
        ".VsCode/settings.json",
    ];
    let server = Server::start("");
    for name in names {
        server.write(name, "old\n");
        // The model editor answers null to showMessageRequest: closed without a choice.
        let edit = json!({ "path": name, "old_text": "old", "new_text": "new" });
        server.must_fail("apply_edit", edit, "E_DENIED");
        assert_eq!(server.disk_text(name), "old\n", "{name}");
        assert_eq!(server.read(name), "old\n", "reading is allowed");
    }
}

#[test]
fn a_link_that_leaves_the_workspace_and_returns_works() {
    let server = Server::start("//- /t.txt\nhere\n//- /sub/x.txt\nx\n");
    let root = server.root();
    let name = root.file_name().unwrap().to_str().unwrap();
    let link = |target: String, link: &str| {
        std::os::unix::fs::symlink(target, root.join(link)).unwrap();
    };
    link(format!("../{name}/t.txt"), "rel");
    link(format!("../../{name}/t.txt"), "sub/rel");
    link(format!("../elsewhere/../{name}/t.txt"), "odd");
    assert_eq!(server.read("rel"), "here\n");
    assert_eq!(server.read("sub/rel"), "here\n");
    let through = format!("../{name}/t.txt");
    for path in ["odd", through.as_str()] {
        let error = server.tool("read_file", json!({ "path": path })).unwrap_err();
        assert_eq!(error.code, "E_PATH_FORBIDDEN", "{path}: {}", error.data);
    }
}

/// The names of the threads with and without a Landlock ruleset: restricting a thread by Landlock
/// requires `no_new_privs`.
fn bound_threads(process: u32) -> (Vec<String>, Vec<String>) {
    let (mut bound, mut free) = (Vec::new(), Vec::new());
    for task in std::fs::read_dir(format!("/proc/{process}/task")).unwrap() {
        // A thread may end while it is inspected.
        let Ok(status) = std::fs::read_to_string(task.unwrap().path().join("status")) else {
            continue;
        };
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_owned()
        };
        let threads = if field("NoNewPrivs:") == "1" { &mut bound } else { &mut free };
        threads.push(field("Name:"));
    }
    (bound, free)
}

#[test]
fn the_tool_threads_are_confined_by_landlock() {
    let server = linked();
    let doctor = Home::new().command().arg("doctor").output().unwrap();
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    if !doctor.contains("ok      Landlock") {
        println!("not tested, this kernel has no Landlock: {doctor}");
        return;
    }
    server.read("a.txt");
    let (bound, free) = bound_threads(server.process().unwrap().id());
    for name in ["call", "interactive-0", "background-0"] {
        assert!(bound.iter().any(|bound| bound == name), "{name}: {bound:?}, free: {free:?}");
    }
    for name in free {
        let works = ["call", "interactive", "background"].iter().any(|kind| name.starts_with(kind));
        assert!(!works, "{name} is not confined");
    }
}

#[test]
fn added_folders_are_usable_and_removed_ones_are_not() {
    let server = linked();
    server.read("a.txt");
    let other = server.outside().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("o.txt"), "other\n").unwrap();
    let path = other.join("o.txt");
    let path = path.to_str().unwrap();
    server.must_fail("read_file", json!({ "path": path }), "E_PATH_FORBIDDEN");
    let folder = json!({ "uri": client::file_uri(&other), "name": "other" });
    let change = |added: serde_json::Value, removed: serde_json::Value| {
        let event = json!({ "event": { "added": added, "removed": removed } });
        server.notify("workspace/didChangeWorkspaceFolders", event).unwrap();
    };
    change(json!([folder]), json!([]));
    assert_eq!(server.read(path), "other\n");
    server.must("apply_edit", json!({ "path": path, "old_text": "other", "new_text": "new" }));
    // Both at once: the journal is written, and both folders are.
    let edit = |path: &str, old: &str| json!({ "path": path, "patches": [{ "old_text": old, "new_text": "both" }] });
    server.must("apply_edit", json!({ "edits": [edit(path, "new"), edit("a.txt", "inside")] }));
    assert_eq!(std::fs::read_to_string(path).unwrap(), "both\n");
    assert_eq!(server.disk_text("a.txt"), "both\n");
    change(json!([]), json!([folder]));
    server.must_fail("read_file", json!({ "path": path }), "E_PATH_FORBIDDEN");
    assert_eq!(server.read("dir/b.txt"), "inside b\n");
}
