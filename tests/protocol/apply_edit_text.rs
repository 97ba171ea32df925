//! Edits written as one text: blocks, diffs, envelopes.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /src/a.py
def one():
    return 1
//- /src/b.py
def two():
    return 2
";

fn apply(server: &Server, patch: &str) -> Value {
    server.must("apply_edit", json!({ "patch": patch }))
}

#[test]
fn search_and_replace_blocks() {
    let server = Server::start(FIXTURE);
    let patch = "src/a.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n";
    apply(&server, patch);
    assert_eq!(server.disk_text("src/a.py"), "def one():\n    return 10\n");
}

#[test]
fn a_unified_diff_of_two_files_with_wrong_numbers() {
    let server = Server::start(FIXTURE);
    let patch = "\
--- a/src/a.py
+++ b/src/a.py
@@ -7,9 +7,9 @@
 def one():
-    return 1
+    return 10
--- a/src/b.py
+++ b/src/b.py
@@ -1,2 +1,2 @@
 def two():
-    return 2
+    return 20
";
    apply(&server, patch);
    assert_eq!(server.disk_text("src/a.py"), "def one():\n    return 10\n");
    assert_eq!(server.disk_text("src/b.py"), "def two():\n    return 20\n");
}

#[test]
fn an_envelope_adds_updates_moves_and_deletes_as_one() {
    let server = Server::start(&format!("{FIXTURE}//- /src/c.py\nx = 1\n"));
    let patch = "\
*** Begin Patch
*** Add File: new/deep/d.py
+y = 2
*** Update File: src/a.py
@@
 def one():
-    return 1
+    return 10
*** Update File: src/b.py
*** Move to: src/moved.py
@@
-    return 2
+    return 20
*** Delete File: src/c.py
*** End Patch
";
    let result = apply(&server, patch);
    assert_eq!(server.disk_text("new/deep/d.py"), "y = 2\n");
    assert_eq!(server.disk_text("src/a.py"), "def one():\n    return 10\n");
    assert_eq!(server.disk_text("src/moved.py"), "def two():\n    return 20\n");
    for gone in ["src/b.py", "src/c.py"] {
        assert!(!server.root().join(gone).exists(), "{gone}");
    }
    let actions: Vec<_> =
        result["files"].as_array().unwrap().iter().map(|f| f["action"].clone()).collect();
    assert_eq!(actions, [json!("created"), Value::Null, json!("moved"), json!("deleted")]);
}

#[test]
fn if_one_part_fails_nothing_happens() {
    let server = Server::start(FIXTURE);
    let patch = "\
*** Begin Patch
*** Add File: new.py
+y = 2
*** Delete File: src/b.py
*** Update File: src/a.py
@@
-    no such line
+    at all
*** End Patch
";
    let error = server.tool("apply_edit", json!({ "patch": patch })).unwrap_err();
    assert_eq!(error.code, "E_NO_MATCH", "{}", error.data);
    assert!(!server.root().join("new.py").exists());
    assert_eq!(server.disk_text("src/b.py"), "def two():\n    return 2\n");
}

#[test]
fn a_failure_leaves_no_folders_behind() {
    let server = Server::start(FIXTURE);
    let patch = "*** Begin Patch\n*** Add File: made/deep/a.py\n+y\n*** Add File: src/a.py/b.py\n+y\n*** End Patch\n";
    server.tool("apply_edit", json!({ "patch": patch })).unwrap_err();
    assert!(!server.root().join("made").exists());
}

#[test]
fn paths_in_a_patch_do_not_escape_the_workspace() {
    let server = Server::start(FIXTURE);
    for path in ["../out.py", "/tmp/out.py", "src/../../out.py"] {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+y\n*** End Patch\n");
        let error = server.tool("apply_edit", json!({ "patch": patch })).unwrap_err();
        assert_eq!(error.code, "E_PATH_FORBIDDEN", "{path}: {}", error.data);
    }
    for path in [".git/hooks/pre-commit", ".vscode/tasks.json", "a/.VSCode/x", "p.code-workspace"] {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+y\n*** End Patch\n");
        let error = server.tool("apply_edit", json!({ "patch": patch })).unwrap_err();
        assert_eq!(error.code, "E_DENIED", "{path}: {}", error.data);
        assert!(!server.root().join(path).exists(), "{path}");
    }
}

#[test]
fn a_new_file_does_not_replace_an_existing_one() {
    let server = Server::start(FIXTURE);
    let kept = server.disk_text("src/a.py");
    for patch in [
        "*** Begin Patch\n*** Add File: src/a.py\n+x\n*** End Patch\n",
        "src/a.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
        "--- /dev/null\n+++ b/src/a.py\n@@ -0,0 +1 @@\n+x\n",
    ] {
        let error = server.tool("apply_edit", json!({ "patch": patch })).unwrap_err();
        assert_eq!(error.code, "E_EXISTS", "{patch}: {}", error.data);
        assert_eq!(server.disk_text("src/a.py"), kept);
    }
}

#[test]
fn text_in_an_unknown_patch_format_is_refused() {
    let server = Server::start(FIXTURE);
    let error = server.tool("apply_edit", json!({ "patch": "do it, please" })).unwrap_err();
    assert_eq!(error.code, "E_INVALID_PARAMS", "{}", error.data);
    let both = json!({ "patch": "x", "path": "src/a.py", "old_text": "a", "new_text": "b" });
    assert_eq!(server.tool("apply_edit", both).unwrap_err().code, "E_INVALID_PARAMS");
}

#[test]
fn edit_file_by_all_its_names() {
    let server = Server::start(FIXTURE);
    for (n, (old, new)) in
        [("old_content", "new_content"), ("old", "new"), ("from", "to")].into_iter().enumerate()
    {
        let (was, is) = (format!("return {}", 1 + n), format!("return {}", 2 + n));
        server.must("edit_file", json!({ "path": "src/a.py", old: was, new: is }));
    }
    assert_eq!(server.disk_text("src/a.py"), "def one():\n    return 4\n");
}
