//! What a rule says of a link's own place, it says of whatever is reached through the link.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tests::Home;

fn home(rules: &str) -> Home {
    let home = Home::new();
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), rules).unwrap();
    std::fs::create_dir_all(home.root().join("real/deep")).unwrap();
    std::fs::write(home.root().join("real/deep/a.txt"), "one\n").unwrap();
    symlink("real", home.root().join("vendored")).unwrap();
    symlink("vendored/deep", home.root().join("short")).unwrap();
    home
}

fn code(home: &Home, tool: &str, params: &Value) -> Value {
    let mut command = home.command();
    command.args(["call", tool, &params.to_string(), "--workspace"]).arg(home.root());
    let output = command.output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["code"].clone()
}

/// Every way to change the file that is reached by `path`.
fn changes(path: &str) -> Vec<(&'static str, Value)> {
    let patch =
        format!("*** Begin Patch\n*** Update File: {path}\n@@\n-one\n+two\n*** End Patch\n");
    let unified = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-one\n+two\n");
    let edit = json!({ "path": path, "patches": [{ "old_text": "one", "new_text": "two" }] });
    vec![
        ("apply_edit", json!({ "patch": patch })),
        ("apply_edit", json!({ "patch": unified })),
        ("apply_edit", json!({ "edits": [edit] })),
        ("write_file", json!({ "path": path, "content": "two\n" })),
        ("edit_file", json!({ "path": path, "old_text": "one", "new_text": "two" })),
        ("delete_file", json!({ "path": path })),
        ("copy_file", json!({ "source": path, "destination": format!("{path}.copy") })),
        ("create_directory", json!({ "path": format!("{path}.folder/x") })),
        ("move_file", json!({ "source": path, "destination": "moved.txt" })),
    ]
}

#[test]
fn a_rule_for_a_link_path_holds_for_every_tool_and_along_chains() {
    for (rule, is_denied) in [("vend*", true), ("vendored", true), ("short", true), ("none", false)]
    {
        // `vendored` is only met on the way of `short`, and never written by the caller.
        for (tool, params) in changes("short/a.txt") {
            let home = home(&format!("[policy.deny]\nwrite = [\"{rule}\"]\n"));
            let code = code(&home, tool, &params);
            let wanted = if is_denied { json!("E_DENIED") } else { Value::Null };
            assert_eq!(code, wanted, "{rule}: {tool} {params}");
        }
    }
}

#[test]
fn reading_through_a_link_is_denied_with_the_link() {
    let home = home("[policy.deny]\nread = [\"vend*\"]\n");
    assert_eq!(code(&home, "read_file", &json!({ "path": "short/a.txt" })), "E_DENIED");
    assert_eq!(code(&home, "read_file", &json!({ "path": "real/deep/a.txt" })), Value::Null);
}
