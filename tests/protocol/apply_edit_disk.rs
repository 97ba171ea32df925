//! The tool `apply_edit` on files that no editor has open.

use std::os::unix::fs::MetadataExt;

use serde_json::{Value, json};
use tests::Server;

/// The text `same` in two places.
const TWO_PLACES: &str = "//- /a.txt\nsame\nx\ny\nz\nsame\n";

pub(crate) fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "old_text": old, "new_text": new })
}

fn patch(old: &str, new: &str) -> Value {
    json!({ "old_text": old, "new_text": new })
}

/// Everything below a folder: paths, modes and contents.
pub(crate) fn snapshot(server: &Server) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![server.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            if metadata.is_dir() {
                folders.push(path.clone());
            } else {
                let bytes = std::fs::read(&path).unwrap();
                found.push((path.display().to_string(), metadata.mode(), bytes));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_single_patch_changes_only_its_match() {
    let server = Server::start("//- /src/a.rs\nfn one() {}\nfn two() {}\nfn three() {}\n");
    let result = server.must("apply_edit", edit("src/a.rs", "fn two() {}", "fn second() {}"));
    assert_eq!(server.disk_text("src/a.rs"), "fn one() {}\nfn second() {}\nfn three() {}\n");

    assert_eq!(result["changed"], true, "{result}");
    let [file] = &result["files"].as_array().unwrap()[..] else { panic!("{result}") };
    assert_eq!(file["path"], "src/a.rs");
    assert_eq!(file["changed"], true);
    assert_eq!(file["new_syntax_errors"], json!([]));
    let diff = file["diff"].as_str().unwrap();
    assert!(diff.contains("\n-fn two() {}\n") && diff.contains("\n+fn second() {}\n"), "{diff}");
    assert!(diff.contains("@@ "), "a unified diff: {diff}");
    let [patch] = &file["patches"].as_array().unwrap()[..] else { panic!("{file}") };
    assert_eq!(patch["outcome"], "applied");
    assert_eq!((&patch["start_line"], &patch["end_line"]), (&json!(2), &json!(2)));
    assert!(patch["strategy"].is_string(), "{patch}");
    let hash = server.must("read_file", json!({ "path": "src/a.rs" }))["hash"].clone();
    assert_eq!(file["hash"], hash, "the hash is of the new content");
}

#[test]
fn many_patches_are_matched_against_one_snapshot() {
    let server = Server::start("//- /a.txt\none\ntwo\nthree\n");
    // In any order, and swapping: no patch sees what another has made.
    let patches = [patch("three", "one"), patch("one", "three"), patch("two", "2")];
    let result = server.must("apply_edit", json!({ "path": "a.txt", "patches": patches }));
    assert_eq!(server.disk_text("a.txt"), "three\n2\none\n");
    assert_eq!(result["files"][0]["patches"].as_array().unwrap().len(), 3);
    let lines: Vec<_> =
        (0..3).map(|n| result["files"][0]["patches"][n]["start_line"].clone()).collect();
    assert_eq!(lines, [3, 1, 2], "reported in the order they were given");
}

#[test]
fn text_that_only_another_patch_creates_is_no_match() {
    let server = Server::start("//- /a.txt\none\n");
    let patches = [patch("one", "two"), patch("two", "three")];
    server.must_fail("apply_edit", json!({ "path": "a.txt", "patches": patches }), "E_NO_MATCH");
    assert_eq!(server.disk_text("a.txt"), "one\n");
}

#[test]
fn patches_that_overlap_are_refused() {
    let server = Server::start("//- /a.txt\none two three\n");
    let patches = [patch("one two", "1 2"), patch("two three", "2 3")];
    server.must_fail("apply_edit", json!({ "path": "a.txt", "patches": patches }), "E_OVERLAP");
    assert_eq!(server.disk_text("a.txt"), "one two three\n");
}

#[test]
fn many_files_change_together() {
    let server = Server::start("//- /a.txt\na\n//- /dir/b.txt\nb\n//- /c.txt\nc\n");
    let edits = json!([
        { "path": "a.txt", "patches": [patch("a", "A")] },
        { "path": "dir/b.txt", "patches": [patch("b", "B")] },
    ]);
    let result = server.must("apply_edit", json!({ "edits": edits }));
    assert_eq!(result["files"].as_array().unwrap().len(), 2);
    assert_eq!(server.disk_text("a.txt"), "A\n");
    assert_eq!(server.disk_text("dir/b.txt"), "B\n");
    assert_eq!(server.disk_text("c.txt"), "c\n");
}

#[test]
fn one_failure_anywhere_changes_nothing() {
    let server = Server::start(
        "\
//- /a.txt
a
x
//- /b.txt
b
//- /c.txt
c
c
",
    );
    let before = snapshot(&server);
    let mtime = server.path("a.txt").metadata().unwrap().modified().unwrap();
    let edits = json!([
        { "path": "a.txt", "patches": [patch("a", "A"), patch("absent-1", "")] },
        { "path": "b.txt", "patches": [patch("absent-2", "")] },
        { "path": "c.txt", "patches": [patch("c", "C")] },
    ]);
    let error = server.tool("apply_edit", json!({ "edits": edits })).unwrap_err();
    assert!(["E_NO_MATCH", "E_AMBIGUOUS"].contains(&error.code.as_str()), "{}", error.data);
    assert_eq!(snapshot(&server), before);
    assert_eq!(server.path("a.txt").metadata().unwrap().modified().unwrap(), mtime);

    let failures = error.data["details"]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 3, "every failing patch at once: {failures:?}");
    let text = Value::from(failures.clone()).to_string();
    for path in ["a.txt", "b.txt", "c.txt"] {
        assert!(text.contains(path), "{path} is not named in {text}");
    }
}

#[test]
fn a_file_that_is_missing_fails_the_whole_call() {
    let server = Server::start("//- /a.txt\na\n");
    let edits = json!([
        { "path": "a.txt", "patches": [patch("a", "A")] },
        { "path": "missing.txt", "patches": [patch("a", "A")] },
    ]);
    server.must_fail("apply_edit", json!({ "edits": edits }), "E_FILE_NOT_FOUND");
    assert_eq!(server.disk_text("a.txt"), "a\n");
    assert!(!server.path("missing.txt").exists());
}

#[test]
fn one_file_named_twice_is_edited_once_or_refused() {
    let server = Server::start("//- /a.txt\none\ntwo\n");
    let edits = json!([
        { "path": "a.txt", "patches": [patch("one", "1")] },
        { "path": "./a.txt", "patches": [patch("two", "2")] },
    ]);
    match server.tool("apply_edit", json!({ "edits": edits })) {
        Ok(_) => assert_eq!(server.disk_text("a.txt"), "1\n2\n", "one edit was lost"),
        Err(error) => {
            assert_eq!(error.code, "E_INVALID_PARAMS", "{}", error.data);
            assert_eq!(server.disk_text("a.txt"), "one\ntwo\n");
        }
    }
}

#[test]
fn missing_text_is_no_match_and_the_nearest_is_shown() {
    let server = Server::start("//- /a.py\ndef total(prices):\n    return sum(prices)\n");
    let error = server.must_fail(
        "apply_edit",
        edit("a.py", "def totals(price):\n    return sum(price, 0)\n", "x"),
        "E_NO_MATCH",
    );
    assert!(error.recoverable, "another text may match");
    assert_eq!(error.data["details"]["failures"].as_array().unwrap().len(), 1);
}

#[test]
fn text_in_two_places_is_ambiguous_and_both_are_named() {
    let server = Server::start(TWO_PLACES);
    let error = server.must_fail("apply_edit", edit("a.txt", "same", "other"), "E_AMBIGUOUS");
    let lines = error.detail_numbers("start_line");
    assert_eq!(lines, [1, 5], "{}", error.data);
    assert_eq!(server.disk_text("a.txt"), "same\nx\ny\nz\nsame\n");
}

#[test]
fn a_line_hint_resolves_an_ambiguity() {
    let server = Server::start(TWO_PLACES);
    let hinted = json!({ "old_text": "same", "new_text": "other", "start_line": 5 });
    let result = server.must("apply_edit", json!({ "path": "a.txt", "patches": [hinted] }));
    assert_eq!(server.disk_text("a.txt"), "same\nx\ny\nz\nother\n");
    assert_eq!(result["files"][0]["patches"][0]["start_line"], 5);
}

#[test]
fn a_line_hint_equally_near_to_two_matches_is_ambiguous() {
    let server = Server::start(TWO_PLACES);
    let hinted = json!({ "old_text": "same", "new_text": "other", "start_line": 3 });
    let patches = json!({ "path": "a.txt", "patches": [hinted] });
    server.must_fail("apply_edit", patches, "E_AMBIGUOUS");
    assert_eq!(server.disk_text("a.txt"), "same\nx\ny\nz\nsame\n");
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let server = Server::start("//- /a.txt\nold\n");
    let before = snapshot(&server);
    let mut arguments = edit("a.txt", "old", "new");
    arguments["dry_run"] = true.into();
    let result = server.must("apply_edit", arguments.clone());
    assert!(result["files"][0]["diff"].as_str().unwrap().contains("+new"), "{result}");
    assert_eq!(snapshot(&server), before);
    arguments["old_text"] = "absent".into();
    server.must_fail("apply_edit", arguments, "E_NO_MATCH");
}

#[test]
fn an_expected_hash_is_enforced() {
    let server = Server::start("//- /a.txt\nold\n");
    let hash =
        |server: &Server| server.must("read_file", json!({ "path": "a.txt" }))["hash"].clone();
    let seen = hash(&server);
    server.write("a.txt", "old but different\n");
    let mut arguments = edit("a.txt", "old", "new");
    arguments["expected_hash"] = seen;
    let error = server.must_fail("apply_edit", arguments.clone(), "E_CONFLICT");
    let current = hash(&server);
    assert!(error.data.to_string().contains(current.as_str().unwrap()), "{}", error.data);
    assert_eq!(server.disk_text("a.txt"), "old but different\n");

    arguments["expected_hash"] = current;
    server.must("apply_edit", arguments);
    assert_eq!(server.disk_text("a.txt"), "new but different\n");
}

#[test]
fn applying_it_again_changes_nothing() {
    let server = Server::start("//- /a.txt\nthe old text\n");
    let arguments = edit("a.txt", "the old text\n", "the new text\n");
    assert_eq!(server.must("apply_edit", arguments.clone())["changed"], true);
    let mtime = server.path("a.txt").metadata().unwrap().modified().unwrap();
    let again = server.must("apply_edit", arguments);
    assert_eq!(again["changed"], false, "{again}");
    assert_eq!(again["files"][0]["patches"][0]["outcome"], "already_applied");
    assert_eq!(server.path("a.txt").metadata().unwrap().modified().unwrap(), mtime);
}

#[test]
fn a_patch_that_changes_nothing_is_unchanged() {
    let server = Server::start("//- /a.txt\nsame\n");
    let result = server.must("apply_edit", edit("a.txt", "same", "same"));
    assert_eq!(result["changed"], false);
    assert_eq!(result["files"][0]["patches"][0]["outcome"], "unchanged");
}

#[test]
fn new_syntax_errors_are_reported() {
    let server = Server::start("//- /a.rs\nfn a() {\n    b();\n}\n");
    let result = server.must("apply_edit", edit("a.rs", "    b();\n", "    b(;\n"));
    let errors = result["files"][0]["new_syntax_errors"].as_array().unwrap();
    assert!(!errors.is_empty(), "{result}");
}

#[test]
fn an_empty_old_text_matches_nothing() {
    let server = Server::start("//- /a.txt\nx\n");
    let error = server.tool("apply_edit", edit("a.txt", "", "new")).unwrap_err();
    assert!(["E_INVALID_PARAMS", "E_GUARD"].contains(&error.code.as_str()), "{}", error.data);
    assert_eq!(server.disk_text("a.txt"), "x\n");
}

#[test]
fn edit_calls_without_a_target_are_refused() {
    let server = Server::start("//- /a.txt\nx\n");
    for arguments in [
        json!({}),
        json!({ "path": "a.txt" }),
        json!({ "path": "a.txt", "old_text": "x" }),
        json!({ "old_text": "x", "new_text": "y" }),
        json!({ "path": "a.txt", "patches": [] }),
        json!({ "edits": [] }),
        json!({ "edits": [{ "path": "a.txt" }] }),
        json!({ "path": "a.txt", "patches": [{ "old_text": "x" }] }),
        json!({ "path": "a.txt", "old_text": "x", "new_text": "y", "patches": [patch("x", "z")] }),
        json!({ "path": 5, "old_text": "x", "new_text": "y" }),
        json!({ "path": "a.txt", "old_text": "x", "new_text": "y", "dry_run": "maybe" }),
    ] {
        server.must_fail("apply_edit", arguments, "E_INVALID_PARAMS");
    }
    assert_eq!(server.disk_text("a.txt"), "x\n");
}

#[test]
fn a_folder_or_a_pipe_cannot_be_edited() {
    let server = Server::builder("//- /dir/a.txt\nx\n")
        .prepare(|root| {
            assert!(
                std::process::Command::new("mkfifo")
                    .arg(root.join("pipe"))
                    .status()
                    .unwrap()
                    .success()
            );
        })
        .start();
    server.tool("apply_edit", edit("dir", "x", "y")).unwrap_err();
    server.must_fail("apply_edit", edit("pipe", "x", "y"), "E_UNSUPPORTED");
}

#[test]
fn concurrent_edits_all_apply_or_report_a_conflict() {
    let server = Server::start("");
    let text: String = (0..100).map(|n| format!("line {n:03}\n")).collect();
    server.write("a.txt", &text);
    let calls: Vec<_> = (0..100)
        .map(|n| {
            let (old, new) = (format!("line {n:03}"), format!("done {n:03}"));
            let call = server.start_tool("apply_edit", edit("a.txt", &old, &new));
            (old, new, call)
        })
        .collect();
    let mut expected = text;
    for (old, new, call) in calls {
        match call.wait(tests::RESPONSE_TIMEOUT) {
            Ok(_) => expected = expected.replace(&old, &new),
            Err(error) => {
                let error = tests::ToolError::from_client(&error);
                assert_eq!(error.code, "E_CONFLICT", "{}", error.data);
            }
        }
    }
    assert_eq!(server.disk_text("a.txt"), expected, "what was reported is not what happened");
    assert!(expected.contains("done"), "none landed");
}

#[test]
fn a_bad_path_does_not_hide_other_failures() {
    let server = Server::start("//- /a.txt\none\n//- /b.txt\ntwo\n");
    let edits = json!({ "edits": [
        { "path": "a.txt", "patches": [{ "old_text": "absent", "new_text": "x" }] },
        { "path": "../out.txt", "patches": [{ "old_text": "y", "new_text": "x" }] },
        { "path": "b.txt", "patches": [{ "old_text": "two", "new_text": "2" }] },
    ] });
    let error = server.must_fail("apply_edit", edits, "E_PATH_FORBIDDEN");
    let failures = error.data["details"]["failures"].as_array().unwrap();
    let codes: Vec<_> = failures.iter().map(|f| (&f["path"], &f["code"])).collect();
    assert_eq!(
        codes,
        [
            (&json!("../out.txt"), &json!("E_PATH_FORBIDDEN")),
            (&json!("a.txt"), &json!("E_NO_MATCH"))
        ]
    );
    assert_eq!(server.disk_text("b.txt"), "two\n");
}
