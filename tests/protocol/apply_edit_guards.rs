//! Edits that must be refused: a truncated file, a deletion of unknown text, the same patch twice, a
//! patch that fits only a twin of its target.

use serde_json::{Value, json};
use tests::Server;

/// A file of forty functions.
fn long() -> String {
    (0..40).map(|n| format!("def f{n}(x):\n    return x + {n}\n")).collect()
}

fn start_with_long_file() -> Server {
    let server = Server::start("//- /a.py\nx\n//- /README.md\n# Title\n");
    server.write("a.py", long());
    server
}

#[test]
fn a_code_fence_is_not_a_file() {
    let server = start_with_long_file();
    for patch in [
        "```python\ndef f1(x):\n    return 0\n```\n",
        "```diff\n-    return x + 1\n+    return x + 2\n```\n",
        "```\n```\n",
        "```sh\npip install x\n```\n",
        "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n",
    ] {
        let params = json!({ "path": "a.py", "patch": patch });
        server.must_fail("apply_edit", params, "E_INVALID_PARAMS");
        assert_eq!(server.disk_text("a.py"), long(), "{patch}");
    }
}

#[test]
fn truncated_whole_file_text_is_refused() {
    let server = start_with_long_file();
    let short = "def f1(x):\n    return 0\n";
    let marked = format!("{short}# ... rest of the code ...\n");
    for tool in ["apply_edit", "write_file"] {
        for content in [short, &marked] {
            server.must_fail(tool, json!({ "path": "a.py", "content": content }), "E_GUARD");
            assert_eq!(server.disk_text("a.py"), long());
        }
    }
    // With the hash, which shows that the caller has read the file, it may be shortened.
    let hash = server.must("read_file", json!({ "path": "a.py" }))["hash"].clone();
    let params = json!({ "path": "a.py", "content": short, "expected_hash": hash });
    server.must("apply_edit", params);
    assert_eq!(server.disk_text("a.py"), short);
    server.write("a.py", long());
    server.must("write_file", json!({ "path": "a.py", "content": short, "overwrite": true }));
    assert_eq!(server.disk_text("a.py"), short);
}

#[test]
fn a_diff_deletes_only_its_removed_lines() {
    let server = start_with_long_file();
    let diff = |lines: &[&str]| {
        let removed: String = lines.iter().map(|line| format!("-{line}\n")).collect();
        format!("--- a/a.py\n+++ /dev/null\n@@ -1,{} +0,0 @@\n{removed}", lines.len())
    };
    let other = diff(&["import os", "print(os)"]);
    server.must_fail("apply_edit", json!({ "patch": other }), "E_NO_MATCH");
    let text = long();
    let lines: Vec<&str> = text.lines().collect();
    server.must_fail("apply_edit", json!({ "patch": diff(&lines[..70]) }), "E_GUARD");
    assert_eq!(server.disk_text("a.py"), long());
    server.must("apply_edit", json!({ "patch": diff(&lines) }));
    assert!(!server.root().join("a.py").exists());
}

#[test]
fn a_copy_leaves_its_source_unchanged() {
    let server = Server::start("//- /a.txt\none\ntwo\n");
    let patch = "\
diff --git a/a.txt b/b.txt
copy from a.txt
copy to b.txt
--- a/a.txt
+++ b/b.txt
@@ -1,2 +1,2 @@
 one
-two
+three
";
    server.must("apply_edit", json!({ "patch": patch }));
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\n");
    assert_eq!(server.disk_text("b.txt"), "one\nthree\n");
    server.must_fail("apply_edit", json!({ "patch": patch }), "E_EXISTS");
}

#[cfg(unix)]
#[test]
fn a_new_script_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start("//- /a.txt\none\n");
    let patch = "diff --git a/x.sh b/x.sh\nnew file mode 100755\n--- /dev/null\n+++ b/x.sh\n@@ -0,0 +1 @@\n+ls\n";
    let result = server.must("apply_edit", json!({ "patch": patch }));
    let mode = std::fs::metadata(server.path("x.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "{mode:o}");
    // The caller has just sent the text, so the result does not repeat it.
    assert_eq!(result["files"][0]["diff"], "[new file, 1 lines]");
}

#[test]
fn an_edit_that_splits_a_hard_link_says_so() {
    let server = Server::start("//- /a.txt\none\n");
    std::fs::hard_link(server.path("a.txt"), server.path("b.txt")).unwrap();
    let params = json!({ "path": "a.txt", "old_text": "one", "new_text": "two" });
    let result = server.must("apply_edit", params);
    let note = result["files"][0]["notes"][0].as_str().unwrap();
    assert!(note.contains("2 names"), "{note}");
    assert_eq!(server.disk_text("b.txt"), "one\n");
}

#[test]
fn a_patch_that_is_sent_again_is_not_applied_again() {
    let server = Server::start(
        "\
//- /a.py
a = 1
    b = 2
c = 1
//- /b.txt
x
y
 x
",
    );
    let one = json!({ "path": "a.py", "old_text": "a = 1", "new_text": "a = 2" });
    // The first deletion leaves a line that would match but for its indentation.
    let gone = json!({ "path": "b.txt", "old_text": "x\ny\n", "new_text": "" });
    for params in [one, gone] {
        let path = params["path"].as_str().unwrap().to_owned();
        server.must("apply_edit", params.clone());
        let once = server.disk_text(&path);
        let again = server.must("apply_edit", params.clone());
        assert_eq!(again["files"][0]["patches"][0]["outcome"], "already_applied", "{again}");
        assert_eq!(server.disk_text(&path), once);
    }
    // Not so once somebody has changed the file.
    server.write("a.py", "a = 1\n");
    let params = json!({ "path": "a.py", "old_text": "a = 1", "new_text": "a = 2" });
    server.must("apply_edit", params);
    assert_eq!(server.disk_text("a.py"), "a = 2\n");
}

#[test]
fn new_text_found_elsewhere_does_not_count_as_applied() {
    let server = Server::start("//- /a.py\nimport os\nvalue = compute(1)\n");
    let params = json!({
        "path": "a.py", "old_text": "invented(2)\n", "new_text": "value = compute(1)\n",
    });
    server.must_fail("apply_edit", params, "E_NO_MATCH");
}

#[test]
fn a_patch_does_not_match_the_twin_of_changed_text() {
    let text = "\
class A:
    def f(self):
        total = self.sum_all()
        self.report(total, 1)
        return total

if debug:
        total = self.sum_all()
        self.report(total)
        return total
";
    let server = Server::start("//- /a.py\nx\n");
    server.write("a.py", text);
    let old = "        total = self.sum_all()\n        self.report(total)\n        return total\n";
    let params = |more: Value| {
        let mut params =
            json!({ "path": "a.py", "old_text": old, "new_text": "        return 0\n" });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        params
    };
    // What stands at the line that is named has changed; elsewhere it has not.
    let error = server.must_fail(
        "apply_edit",
        params(json!({ "start_line": 3, "end_line": 5 })),
        "E_AMBIGUOUS",
    );
    let failure = &error.data["details"]["failures"][0];
    let lines: Vec<_> =
        failure["candidates"].as_array().unwrap().iter().map(|c| c["start_line"].clone()).collect();
    assert_eq!(lines, [json!(8), json!(3)], "{failure}");
    assert_eq!(server.disk_text("a.py"), text);
    server.must("apply_edit", params(json!({ "start_line": 8 })));
}

#[test]
fn invalid_python_indentation_is_reported() {
    let server = Server::start("//- /a.py\ndef f(x):\n    if x:\n        return 1\n    return 2\n");
    for (old, new) in [
        ("        return 1\n", "        return 1\n      y = 3\n"),
        ("    if x:\n        return 1\n", "    if x:\n    return 1\n"),
        ("    return 2\n", "        return 2\n   z = 1\n"),
    ] {
        let params = json!({ "path": "a.py", "old_text": old, "new_text": new, "dry_run": true });
        let result = server.must("apply_edit", params);
        let errors = result["files"][0]["new_syntax_errors"].as_array().unwrap();
        assert!(!errors.is_empty(), "{new}");
    }
}

#[test]
fn two_agents_in_one_file_are_no_conflict() {
    const ROUNDS: usize = 60;
    let text: String = (0..2 * ROUNDS).map(|n| format!("line {n} is old\n")).collect();
    let server = Server::start("//- /a.txt\nx\n");
    server.write("a.txt", &text);
    let other = server.second_server();
    std::thread::scope(|scope| {
        for (at, server) in [&server, &other].into_iter().enumerate() {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let n = 2 * round + at;
                    let params = json!({
                        "path": "a.txt",
                        "old_text": format!("line {n} is old\n"),
                        "new_text": format!("line {n} is new\n"),
                    });
                    server.must("apply_edit", params);
                }
            });
        }
    });
    assert_eq!(server.disk_text("a.txt"), text.replace("old", "new"));
}
