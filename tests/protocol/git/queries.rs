//! Queries of a repository. `server/git` compares the answers with those of the `git` program; these
//! tests check the tools' results.

use serde_json::json;
use tests::Server;

use super::{git, repository, start, texts};

const FIXTURE: &str = "//- /a.txt\none\ntwo\nthree\n//- /src/b.rs\nfn b() {}\n";

#[test]
fn the_status_has_its_documented_shape() {
    let server = start(FIXTURE);
    server.write("a.txt", "one\nTWO\nthree\n");
    server.write("new.txt", "x\n");
    server.write("src/c.rs", "fn c() {}\n");
    git(&server.root(), &["add", "src/c.rs"]);
    let status = server.must("git_status", json!({}));
    assert_eq!(status["branch"], "main");
    assert_eq!((&status["ahead"], &status["behind"]), (&json!(0), &json!(0)));
    assert_eq!(status["staged"], json!([{ "path": "src/c.rs", "status": "added" }]));
    assert_eq!(status["unstaged"], json!([{ "path": "a.txt", "status": "modified" }]));
    assert_eq!(status["untracked"], json!(["new.txt"]));
    assert_eq!(status["conflicts"], json!([]));
    let below = server.must("git_status", json!({ "path": "src" }));
    assert_eq!(below["unstaged"], json!([]));
    assert_eq!(texts(&below["staged"], "path"), ["src/c.rs"]);
}

#[test]
fn unsaved_text_counts_as_the_work_tree() {
    let server = start(FIXTURE);
    server.open_file("a.txt");
    assert_eq!(server.must("git_status", json!({}))["unstaged"], json!([]));
    server.replace_text("a.txt", "two", "2");
    let status = server.must("git_status", json!({}));
    assert_eq!(texts(&status["unstaged"], "path"), ["a.txt"]);
    let diff = server.must("git_diff", json!({ "lines": true }));
    let text = diff["diff"].as_str().unwrap();
    assert!(text.contains("diff --git a/a.txt b/a.txt") && text.contains("\n-two\n+2\n"), "{text}");
    let hunk = &diff["files"][0]["hunks"][0];
    assert_eq!((&hunk["old_start"], &hunk["new_lines"]), (&json!(1), &json!(3)));
    assert_eq!(hunk["lines"][1]["text"], "two");
    let blame = server.must("git_blame", json!({ "path": "a.txt" }));
    let commits: Vec<_> =
        blame["lines"].as_array().unwrap().iter().map(|l| l["commit"].is_string()).collect();
    assert_eq!(commits, [true, false, true]);
    assert_eq!(blame["lines"][0]["author"], "Ann Author");
    assert_eq!(blame["lines"][0]["timestamp"], "2023-11-14T22:13:20Z");
    // Typed back, nothing differs, whatever is on disk.
    server.replace_text("a.txt", "2", "two");
    server.write("a.txt", "other\n");
    assert_eq!(server.must("git_status", json!({}))["unstaged"], json!([]));
    assert_eq!(server.must("git_diff", json!({}))["diff"], "");
}

#[test]
fn history_is_paged_and_follows_renames() {
    let server = start(FIXTURE);
    let root = server.root();
    git(&root, &["mv", "a.txt", "moved.txt"]);
    git(&root, &["commit", "-q", "-m", "second\n\nbody"]);
    server.write("moved.txt", "one\ntwo\nthree\nfour\n");
    git(&root, &["commit", "-qam", "third"]);
    git(&root, &["tag", "-a", "v1", "-m", "tagged"]);
    let first = server.must("git_log", json!({ "limit": 2 }));
    assert_eq!(texts(&first["commits"], "subject"), ["third", "second"]);
    assert_eq!(first["commits"][0]["refs"], json!(["main", "tag: v1"]));
    let row = &first["commits"][1];
    assert_eq!(row["message"], "second\n\nbody");
    assert_eq!((&row["author"], &row["email"]), (&json!("Ann Author"), &json!("ann@example.com")));
    let rest = server.must("git_log", json!({ "limit": 2, "cursor": first["next_cursor"] }));
    assert_eq!(texts(&rest["commits"], "subject"), ["first"]);
    assert!(rest["next_cursor"].is_null());
    let of_path = server.must("git_log", json!({ "path": "moved.txt" }));
    assert_eq!(texts(&of_path["commits"], "subject"), ["third", "second", "first"]);
    assert_eq!(of_path["commits"][1]["renamed_from"], "a.txt");
    assert_eq!(server.must("git_log", json!({ "since": "2024-01-01" }))["commits"], json!([]));
    server.must_fail("git_log", json!({ "since": "--output=x" }), "E_INVALID_PARAMS");
    let shown = server.must("git_show", json!({ "commit": "v1" }));
    assert_eq!(texts(&shown["files"], "path"), ["moved.txt"]);
    let file = server.must("git_show", json!({ "commit": "HEAD~2", "path": "a.txt" }));
    assert_eq!(file["content"], "one\ntwo\nthree\n");
    let renamed = server.must("git_diff", json!({ "commit": "HEAD~2..HEAD~1" }));
    assert_eq!(renamed["files"][0]["status"], "renamed");
    assert_eq!(renamed["files"][0]["from"], "a.txt");
    assert_eq!(server.must("git_tags", json!({}))["tags"][0]["message"], "tagged");
    let base = server.must("git_merge_base", json!({ "commits": ["HEAD~1", "main"] }));
    assert_eq!(base["bases"][0]["subject"], "second");
}

#[test]
fn a_long_diff_comes_in_pages() {
    let server = start("//- /x.txt\nx\n");
    for n in 0..40 {
        let text: String = (0..200).map(|line| format!("line {line} of {n}\n")).collect();
        server.write(&format!("f{n:02}.txt"), text);
    }
    git(&server.root(), &["add", "-A"]);
    let mut files = Vec::new();
    let mut params = json!({ "staged": true });
    loop {
        let page = server.must("git_diff", params.clone());
        assert!(page["diff"].as_str().unwrap().len() <= 50_000);
        files.extend(texts(&page["files"], "path"));
        if page["next_cursor"].is_null() {
            break;
        }
        params["cursor"] = page["next_cursor"].clone();
    }
    assert_eq!(files.len(), 40);
    assert!(files.is_sorted());
}

#[test]
fn a_repository_below_the_root_is_found_by_path() {
    let fixture = "//- /lib/inner/a.txt\nold\n//- /top.txt\nx\n";
    let server = Server::builder(fixture).prepare(|root| repository(&root.join("lib"))).start();
    server.must_fail("git_status", json!({}), "E_PATH_NOT_FOUND");
    server.write("lib/inner/a.txt", "new\n");
    for params in [json!({ "path": "lib/inner/a.txt" }), json!({ "repository": "lib" })] {
        let status = server.must("git_status", params);
        assert_eq!(status["repository"], "lib");
        assert_eq!(texts(&status["unstaged"], "path"), ["lib/inner/a.txt"]);
    }
    for file in ["lib/inner/a.txt", "inner/a.txt"] {
        let params = json!({ "repository": "lib", "files": [file] });
        assert_eq!(server.must("git_stage", params.clone())["files"], json!(["lib/inner/a.txt"]));
        server.must("git_unstage", params);
    }
}

#[test]
fn a_file_name_that_is_not_utf8_is_quoted() {
    use std::os::unix::ffi::OsStrExt;
    let server = start(FIXTURE);
    let name = std::ffi::OsStr::from_bytes(b"n\xff.txt");
    std::fs::write(server.root().join(name), "x\n").unwrap();
    let status = server.must("git_status", json!({}));
    assert_eq!(status["untracked"], json!(["\"n\\377.txt\""]));
    let staged = server.must("git_stage", json!({ "files": ["\"n\\377.txt\""] }));
    assert_eq!(staged["files"].as_array().unwrap().len(), 1);
    let status = server.must("git_status", json!({}));
    assert_eq!(status["staged"][0]["raw"], "\"n\\377.txt\"");
    server.must_fail("git_stage", json!({ "files": ["\"../n\\377\""] }), "E_PATH_FORBIDDEN");
}

#[test]
fn files_hidden_by_rules_are_not_listed() {
    let server = Server::builder("//- /.env\nSECRET=1\n//- /a.txt\na\n")
        .prepare(|root| {
            repository(root);
            std::fs::write(root.join(".env"), "SECRET=2\n").unwrap();
            std::fs::write(root.join("a.txt"), "b\n").unwrap();
            let config = root.parent().unwrap().join("config/tandem");
            std::fs::create_dir_all(&config).unwrap();
            std::fs::write(config.join("config.toml"), "[policy.deny]\nread = [\".env\"]\n")
                .unwrap();
        })
        .start();
    for params in [json!({}), json!({ "commit": "HEAD" })] {
        let diff = server.must("git_diff", params);
        assert_eq!(
            (texts(&diff["files"], "path"), &diff["hidden"]),
            (vec!["a.txt".into()], &json!(1))
        );
        assert!(!diff.to_string().contains("SECRET"));
    }
    server.must_fail("git_diff", json!({ "path": ".env" }), "E_DENIED");
    server.must_fail("git_show", json!({ "commit": "HEAD:.env" }), "E_DENIED");
    server.must_fail("git_blame", json!({ "path": ".env" }), "E_DENIED");
    assert!(!server.must("git_show", json!({})).to_string().contains("SECRET"));
}

/// A rule that hides a file hides its name as well, also where a file that may be read was called so.
#[test]
fn names_of_hidden_files_are_not_revealed() {
    let lines: String = (0..20).map(|n| format!("line {n}\n")).collect();
    let server =
        Server::builder(&format!("//- /hush.env\n{lines}//- /sub/hush.env\nx\n//- /a.txt\na\n"))
            .prepare(|root| {
                repository(root);
                git(root, &["mv", "hush.env", "plain.txt"]);
                std::fs::write(root.join("plain.txt"), lines.replace("line 3\n", "line three\n"))
                    .unwrap();
                git(root, &["commit", "-qam", "rename"]);
                git(root, &["mv", "plain.txt", "hush.env"]);
                std::fs::write(root.join("sub/hush.env"), "y\n").unwrap();
                git(root, &["commit", "-qam", "back"]);
                git(root, &["mv", "hush.env", "plain.txt"]);
                std::fs::write(root.join("other.hush.env"), "z\n").unwrap();
                git(root, &["tag", "before", "HEAD~1"]);
                let config = root.parent().unwrap().join("config/tandem");
                std::fs::create_dir_all(&config).unwrap();
                std::fs::write(
                    config.join("config.toml"),
                    "[policy.deny]\nread = [\"*hush.env\"]\n",
                )
                .unwrap();
            })
            .start();
    for (tool, params) in [
        ("git_show", json!({})),
        ("git_show", json!({ "commit": "HEAD~1" })),
        ("git_show", json!({ "commit": "HEAD~2" })),
        ("git_show", json!({ "commit": "HEAD~2", "path": "sub", "changes": true })),
        ("git_show", json!({ "commit": "HEAD~2", "path": "sub" })),
        ("git_show", json!({ "commit": "HEAD~1", "path": "plain.txt", "changes": true })),
        ("git_show", json!({ "commit": "HEAD~2:sub" })),
        ("git_diff", json!({})),
        ("git_diff", json!({ "staged": true })),
        ("git_diff", json!({ "commit": "HEAD~2" })),
        ("git_status", json!({})),
        ("git_log", json!({})),
        ("git_log", json!({ "path": "plain.txt", "follow": true })),
        ("git_log", json!({ "path": "plain.txt", "follow": true, "commit": "HEAD~1" })),
        ("git_blame", json!({ "path": "plain.txt" })),
        ("git_blame", json!({ "path": "plain.txt", "commit": "HEAD~1" })),
        ("git_checkpoint", json!({ "action": "create" })),
        ("git_checkpoint", json!({ "action": "list" })),
        ("list_directory", json!({ "path": "." })),
        ("find_files", json!({ "pattern": "*" })),
    ] {
        let told = match server.tool(tool, params.clone()) {
            Ok(result) => result.to_string(),
            Err(error) => error.data.to_string(),
        };
        assert!(!told.contains("hush"), "{tool} {params}: {told}");
    }
}

#[test]
fn blame_skips_ignored_revisions() {
    let server = start("//- /f.c\nif(a){b();}\nelse{c();}\n");
    let root = server.root();
    server.write("f.c", "if (a) { b(); }\nelse { c(); }\n");
    git(&root, &["commit", "-qam", "format"]);
    let id = git(&root, &["rev-parse", "HEAD"]);
    let first = git(&root, &["rev-parse", "HEAD~1"]);
    let commits = |params| texts(&server.must("git_blame", params)["lines"], "commit");
    assert_eq!(commits(json!({ "path": "f.c" })), [id.clone(), id.clone()]);
    server.write(".git-blame-ignore-revs", format!("# formatting\n{id}\n"));
    assert_eq!(commits(json!({ "path": "f.c" })), [first.clone(), first]);
    assert_eq!(commits(json!({ "path": "f.c", "ignore_revs": false, "start_line": 2 })), [id]);
}
