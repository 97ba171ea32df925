//! `find_tools`.

use serde_json::json;
use workspace::{Root, Workspace};

use crate::Tools;

impl Tools<'_> {
    /// The first tool that `find_tools` returns; empty if none.
    fn best(&self, query: &str) -> String {
        let found = self.call("find_tools", json!({ "query": query }));
        found["tools"][0]["name"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn tools_are_found_by_meaning() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(vec![Root::open(dir.path()).unwrap()]);
    let tools = Tools::new(&workspace);
    let mut wrong = Vec::new();
    for (query, expected) in [
        ("undo an edit", &["undo_action"] as &[_]),
        ("revert my last change", &["undo_action", "git_discard"]),
        ("who wrote this line", &["git_blame"]),
        ("commit staged changes", &["git_commit"]),
        ("show uncommitted changes", &["git_diff", "git_status"]),
        ("compiler errors in a file", &["get_diagnostics", "lsp_diagnostics"]),
        ("set a breakpoint", &["debug_breakpoint"]),
        ("remove a file", &["delete_file"]),
        ("directory tree", &["get_workspace_structure", "list_directory"]),
        ("directory_tree", &["get_workspace_structure", "list_directory"]),
        ("extract function quick fix", &["code_actions", "apply_code_action"]),
        ("current time", &["get_datetime"]),
        ("what time is it", &["get_datetime"]),
        ("callers of a function", &["find_referencing_symbols", "lsp_references"]),
        ("rename a variable", &["rename_symbol", "lsp_rename"]),
        ("subclasses", &["find_implementations", "lsp_implementation"]),
        ("stack trace", &["debug_stack"]),
        ("prettify code", &["format_file"]),
        ("duplicate a file", &["copy_file"]),
        ("what is selected in the editor", &["get_selection", "replace_selection"]),
    ] {
        if !expected.contains(&tools.best(query).as_str()) {
            wrong.push((query, tools.best(query)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(tools.best("zzz qqq"), "");
}
