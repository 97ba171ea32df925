//! The tools that find files and list folders.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tests::Server;

fn files(server: &Server, tool: &str, arguments: Value) -> Vec<String> {
    let result = server.must(tool, arguments);
    let files = result["files"].as_array().unwrap();
    files.iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

fn tree() -> Server {
    Server::builder(
        "\
//- /src/test_a.rs

//- /src/deep/er/MyTest.java

//- /README.md

//- /.hidden/test

//- /build/test.o

//- /.gitignore
build/
//- /src/[x].rs

",
    )
    .prepare(|root| {
        symlink("src/test_a.rs", root.join("test-link")).unwrap();
        symlink("src", root.join("test-folder")).unwrap();
        symlink("/etc/passwd", root.join("test-out")).unwrap();
        symlink("..", root.join("src/up")).unwrap();
        std::fs::create_dir(root.join("node_modules")).unwrap();
        std::fs::write(root.join("node_modules/x.js"), "").unwrap();
    })
    .start()
}

#[test]
fn files_are_found_by_a_part_of_their_name() {
    let server = tree();
    let find = |arguments| files(&server, "find_files", arguments);
    let all = ["src/deep/er/MyTest.java", "src/test_a.rs", "test-link", "test-out"];
    assert_eq!(find(json!({ "pattern": "test" })), all);
    assert_eq!(find(json!({ "pattern": "Test" })), ["src/deep/er/MyTest.java"]);
    assert_eq!(find(json!({ "pattern": "test", "path": "src" })), all[..2]);
    assert_eq!(find(json!({ "pattern": "test", "path": "src", "max_depth": 1 })), all[1..2]);
    assert_eq!(find(json!({ "pattern": "er/my" })), all[..1]);
    assert_eq!(find(json!({ "pattern": "test", "hidden": true, "no_ignore": true })).len(), 6);
    assert_eq!(find(json!({ "pattern": "nothing like it" })), [""; 0]);
    server.must_fail("find_files", json!({ "pattern": "" }), "E_INVALID_PARAMS");
    server.must_fail("find_files", json!({ "pattern": "x", "path": "nowhere" }), "E_DIR_NOT_FOUND");
    server.must_fail(
        "find_files",
        json!({ "pattern": "x", "path": "README.md" }),
        "E_DIR_NOT_FOUND",
    );
    server.must_fail("find_files", json!({ "pattern": "x", "path": ".." }), "E_PATH_FORBIDDEN");
}

#[test]
fn files_are_found_by_globs() {
    let server = tree();
    let glob = |arguments| files(&server, "glob", arguments);
    assert_eq!(glob(json!({ "pattern": "**/*.rs" })), ["src/[x].rs", "src/test_a.rs"]);
    assert_eq!(glob(json!({ "pattern": "*.rs" })), [""; 0]);
    assert_eq!(glob(json!({ "pattern": "*.rs", "path": "src" })).len(), 2);
    assert_eq!(
        glob(json!({ "pattern": "**/*.{java,md}" })),
        ["README.md", "src/deep/er/MyTest.java"]
    );
    assert_eq!(glob(json!({ "pattern": "**/[[]x].rs" })), ["src/[x].rs"]);
    assert_eq!(glob(json!({ "pattern": "readme*" })), ["README.md"]);
    assert_eq!(glob(json!({ "pattern": "readme*", "case_sensitive": true })), [""; 0]);
    for bad in ["", "[", "{a", "a[z-a]", &"{a,".repeat(500), &"?".repeat(10_000)] {
        server.must_fail("find_files_glob", json!({ "pattern": bad }), "E_INVALID_PARAMS");
    }
}

#[test]
fn pages_of_files_cover_all_once() {
    let server = Server::start("");
    let mut all: Vec<_> = (0..3_000).map(|n| format!("d{}/file number {n}", n % 7)).collect();
    all.iter().for_each(|path| server.write(path, ""));
    all.sort();
    for (tool, pattern) in [("find_files", "file"), ("find_files_glob", "**")] {
        let mut arguments = json!({ "pattern": pattern, "max_results": 700 });
        let mut found = Vec::new();
        loop {
            let page = server.must(tool, arguments.clone());
            found.extend(
                page["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap().to_owned()),
            );
            if page["next_cursor"].is_null() {
                break;
            }
            assert_eq!(page["truncated"], true);
            arguments["cursor"] = page["next_cursor"].clone();
        }
        assert_eq!(found, all, "{tool}");
    }
}

#[test]
fn a_folder_is_listed_with_all_entries() {
    let server = tree();
    server.write("data.bin", vec![0; 1_234]);
    assert!(server.must("list_directory", json!({ "verbose": false }))["entries"].is_null());
    let result = server.must("list_directory", json!({}));
    let entry = |name: &str| {
        let entries = result["entries"].as_array().unwrap();
        entries.iter().find(|entry| entry["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(entry("data.bin")["size"], 1_234);
    assert_eq!(entry("src")["kind"], "directory");
    assert_eq!(entry(".hidden")["kind"], "directory");
    assert_eq!(entry("build")["kind"], "directory");
    assert_eq!(
        (&entry("test-out")["kind"], &entry("test-out")["target"]),
        (&json!("link"), &json!("/etc/passwd"))
    );
    assert_eq!(entry("test_a.rs"), Value::Null);
    let tree = result["tree"].as_str().unwrap();
    assert!(tree.contains("\n  src/\n") && tree.contains("test-out -> /etc/passwd"), "{tree}");
    let deep =
        server.must("list_dir", json!({ "directory": "src", "max_depth": 3, "verbose": true }));
    let paths: Vec<_> =
        deep["entries"].as_array().unwrap().iter().map(|e| e["path"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "src/[x].rs",
            "src/deep",
            "src/deep/er",
            "src/deep/er/MyTest.java",
            "src/test_a.rs",
            "src/up"
        ]
    );
    assert_eq!(deep["entries"][3]["depth"], 3);
    for (path, code) in [
        ("nowhere", "E_DIR_NOT_FOUND"),
        ("README.md", "E_DIR_NOT_FOUND"),
        ("/etc", "E_PATH_FORBIDDEN"),
        ("..", "E_PATH_FORBIDDEN"),
    ] {
        server.must_fail("list_directory", json!({ "path": path }), code);
    }
}

#[test]
fn long_listings_come_in_pages_and_hostile_names_in_one_line() {
    let server = Server::builder("")
        .prepare(|root| {
            for name in [&b"new\nline"[..], b"bad\xff", b"esc\x1b[31m"] {
                std::fs::write(root.join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
            }
            std::fs::create_dir(root.join("many")).unwrap();
            (0..1_500).for_each(|n| std::fs::write(root.join(format!("many/{n:04}")), "").unwrap());
        })
        .start();
    let top = server.must("list_directory", json!({}));
    assert_eq!(top["tree"].as_str().unwrap().lines().count(), 5, "{top}");
    let mut arguments = json!({ "path": ".", "max_depth": 2, "verbose": true });
    let mut found = Vec::new();
    loop {
        let page = server.must("list_directory", arguments.clone());
        assert!(page.to_string().len() < 60_000);
        found.extend(page["entries"].as_array().unwrap().iter().map(|e| e["path"].to_string()));
        if page["next_cursor"].is_null() {
            break;
        }
        arguments["cursor"] = page["next_cursor"].clone();
    }
    assert_eq!(found.len(), 1_504);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 1_504);
}

#[test]
fn the_structure_of_a_workspace_lists_its_upper_levels() {
    let server = tree();
    let result = server.must("get_workspace_structure", json!({ "verbose": true }));
    let paths: Vec<_> =
        result["entries"].as_array().unwrap().iter().map(|e| e["path"].as_str().unwrap()).collect();
    for there in ["README.md", "src", "src/deep", "src/test_a.rs"] {
        assert!(paths.contains(&there), "{there}: {paths:?}");
    }
    for absent in ["build", "node_modules", "src/deep/er"] {
        assert!(!paths.contains(&absent), "{absent}: {paths:?}");
    }
    let few =
        server.must("get_workspace_structure", json!({ "limit": 3, "depth": 3, "verbose": true }));
    assert_eq!(few["entries"].as_array().unwrap().len(), 3);
    assert_eq!(few["truncated"], true);
}
