//! Edits in the formats of other tools, and the hints for wrong guesses.

use serde_json::{Value, json};
use tests::Server;

#[test]
fn parameters_of_other_editors() {
    let server = Server::start("//- /a.txt\none\ntwo\nthree\n//- /b.txt\none\n");
    let both = json!({ "file_path": "a.txt", "old_string": "one", "new_string": "1" });
    server.must("apply_edit", both);
    // A list of edits in one file.
    server.must(
        "apply_edit",
        json!({ "file_path": "a.txt", "edits": [
            { "old_string": "two", "new_string": "2" },
            { "old_string": "three", "new_string": "3", "replace_all": true },
        ]}),
    );
    assert_eq!(server.disk_text("a.txt"), "1\n2\n3\n");
    // Lists and numbers as strings.
    server.must(
        "apply_edit",
        json!({ "path": "a.txt", "patches": "[{\"old_text\": \"2\", \"new_text\": \"zwei\"}]" }),
    );
    server.must(
        "apply_edit",
        json!({ "path": "a.txt", "old_text": "3", "new_text": "drei", "start_line": "3", "dry_run": "false" }),
    );
    assert_eq!(server.disk_text("a.txt"), "1\nzwei\ndrei\n");
    // Nothing is quoted of a file that is to come.
    server.must("apply_edit", json!({ "path": "new/c.txt", "old_text": "", "new_text": "c\n" }));
    server
        .must("edit_file", json!({ "file_path": "d.txt", "old_string": "", "new_string": "d\n" }));
    assert_eq!(
        (server.disk_text("new/c.txt"), server.disk_text("d.txt")),
        ("c\n".into(), "d\n".into())
    );
    let params = json!({ "edits": [{ "old_string": "1", "new_string": "2" }] });
    server.must_fail("apply_edit", params, "E_INVALID_PARAMS");
}

#[test]
fn the_sides_of_a_diff_in_an_envelope() {
    let server = Server::start("//- /src/a.txt\none\n");
    let patch = "*** Begin Patch\n*** Update File: a/src/a.txt\n@@\n-one\n+two\n*** End Patch\n";
    server.must("apply_edit", json!({ "patch": patch }));
    assert_eq!(server.disk_text("src/a.txt"), "two\n");
}

#[test]
fn patches_may_share_context_lines() {
    let server = Server::start("//- /a.txt\none\ntwo\nthree\nfour\nfive\n");
    let patches = json!([
        { "old_text": "one\ntwo\nthree\n", "new_text": "one\n2\nthree\n" },
        { "old_text": "three\nfour\nfive\n", "new_text": "three\n4\nfive\n" },
    ]);
    server.must("apply_edit", json!({ "path": "a.txt", "patches": patches }));
    assert_eq!(server.disk_text("a.txt"), "one\n2\nthree\n4\nfive\n");
    let patches = json!([
        { "old_text": "one\n2\n", "new_text": "one\nzwei\n" },
        { "old_text": "2\nthree\n", "new_text": "deux\nthree\n" },
    ]);
    let error =
        server.must_fail("apply_edit", json!({ "path": "a.txt", "patches": patches }), "E_OVERLAP");
    // Counted from 1, as in the message.
    let failures = error.data["details"]["failures"].as_array().unwrap().clone();
    let told: Vec<_> = failures.iter().map(|f| (f["patch"].clone(), f["with"].clone())).collect();
    assert_eq!(told, [(json!(1), json!([2])), (json!(2), json!([1]))]);
}

fn hint(server: &Server, params: Value, code: &str) -> String {
    let error = server.must_fail("apply_edit", params, code);
    error.data["hint"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_missing_file_hints_at_similar_paths() {
    let server = Server::start(
        "//- /src/models/account.py\nclass Account:\n    balance = compute_balance()\n//- /src/other.py\nx = 1\n",
    );
    server.wait_until_read();
    for path in ["models/account.py", "src/models/acount.py"] {
        let params = json!({ "path": path, "old_text": "x", "new_text": "y" });
        let hint = hint(&server, params, "E_FILE_NOT_FOUND");
        assert!(hint.contains("src/models/account.py"), "{hint}");
    }
    let params = json!({
        "path": "src/other.py",
        "old_text": "    balance = compute_balance()\n", "new_text": "    balance = 0\n",
    });
    let hint_of_text = hint(&server, params, "E_NO_MATCH");
    assert!(hint_of_text.contains("src/models/account.py, line 2"), "{hint_of_text}");
    let params = json!({
        "path": "src/models/account.py",
        "old_text": "class Account:\n    # ... existing code ...\n    balance = 1\n",
        "new_text": "class Account:\n    balance = 2\n",
    });
    let error = server.must_fail("apply_edit", params, "E_NO_MATCH");
    assert!(error.message.contains("left out"), "{}", error.message);
}

#[test]
fn an_ambiguous_text_returns_corrected_calls() {
    let server = Server::start(
        "\
//- /a.py
def a():
    x = 1
    return x

def b():
    x = 1
    return x
",
    );
    let params = json!({ "path": "a.py", "old_text": "    x = 1\n", "new_text": "    x = 2\n" });
    let error = server.must_fail("apply_edit", params, "E_AMBIGUOUS");
    let failure = &error.data["details"]["failures"][0];
    let ready = failure["candidates"][1]["old_text"].as_str().unwrap();
    assert_eq!(ready, "def b():\n    x = 1\n");
    let new = ready.replace("x = 1", "x = 2");
    server.must("apply_edit", json!({ "path": "a.py", "old_text": ready, "new_text": new }));
    assert_eq!(
        server.disk_text("a.py"),
        "\
def a():
    x = 1
    return x

def b():
    x = 2
    return x
"
    );
}
