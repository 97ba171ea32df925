//! Names and shapes of other agents' tools.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tools::{named_parameters, resolve};

/// The parameters that `tool` gets, and the names that it does not know.
fn named(tool: &str, given: Value) -> (Value, Vec<String>) {
    let entry = tools::find(tool).unwrap();
    let given = given.as_object().unwrap().clone();
    let named = named_parameters(&entry.input_schema, entry.parameter_aliases, given);
    assert!(named.conflict.is_none(), "{:?}", named.conflict);
    let unknown = named.unknown.into_iter().map(|(name, _)| name).collect();
    (named.parameters.into(), unknown)
}

#[test]
fn shapes_of_other_tools_become_ours() {
    crate::add_families();
    for (tool, given, ours) in [
        (
            "read_file_range",
            json!({ "file_path": "a", "offset": 10, "limit": 5 }),
            json!({ "path": "a", "start_line": 10, "end_line": 14 }),
        ),
        (
            "read_file_range",
            json!({ "path": "a", "limit": "3" }),
            json!({ "path": "a", "end_line": 3 }),
        ),
        (
            "read_file_range",
            json!({ "path": "a", "view_range": [5, -1] }),
            json!({ "path": "a", "start_line": 5 }),
        ),
        (
            "read_file_range",
            json!({ "target_file": "a", "start_line_one_indexed": 2,
                "end_line_one_indexed_inclusive": 3, "explanation": "why" }),
            json!({ "path": "a", "start_line": 2, "end_line": 3 }),
        ),
        (
            "grep_search",
            json!({ "pattern": "x", "-i": true, "-n": true, "-A": 1, "-B": 3, "type": "rust",
                "output_mode": "content", "head_limit": 7 }),
            json!({ "pattern": "x", "case_sensitive": false, "context_lines": 3,
                "file_pattern": "*.rs", "max_results": 7 }),
        ),
        (
            "grep_search",
            json!({ "query": "x", "isRegexp": false, "includePattern": "src/**",
                "excludePattern": "*.lock" }),
            json!({ "pattern": "x", "literal": true, "file_pattern": "src/**,!*.lock" }),
        ),
        (
            "lsp_hover",
            json!({ "file_path": "a", "line": 3, "column": 7 }),
            json!({ "uri": "a", "position": { "line": 2, "character": 6 } }),
        ),
        (
            "lsp_hover",
            json!({ "filePath": "a", "line": 3, "character": 7 }),
            json!({ "uri": "a", "position": { "line": 2, "character": 7 } }),
        ),
        (
            "run_command",
            json!({ "command": ["bash", "-lc", "ls | wc"], "workdir": "src", "timeout": 30 }),
            json!({ "command": "ls | wc", "cwd": "src", "timeout_ms": 30_000 }),
        ),
        (
            "run_command",
            json!({ "cmd": ["grep", "a b", "c"], "timeout": 60_000 }),
            json!({ "command": "grep 'a b' c", "timeout_ms": 60_000 }),
        ),
        (
            "apply_edit",
            json!({ "file_path": "a", "edits": [{ "old_string": "x", "newText": "y",
                "explanation": "z" }] }),
            json!({ "path": "a", "edits": [{ "old_text": "x", "new_text": "y" }] }),
        ),
        ("git_log", json!({ "max_count": 3 }), json!({ "limit": 3 })),
        ("git_log", json!({ "-n": 3 }), json!({ "limit": 3 })),
        ("git_stage", json!({ "paths": "a" }), json!({ "files": ["a"] })),
        (
            "list_directory",
            json!({ "path": ".", "recursive": true, "ignore": [] }),
            json!({ "path": ".", "max_depth": 200 }),
        ),
        ("get_diagnostics", json!({ "filePaths": ["a"] }), json!({ "path": "a" })),
    ] {
        assert_eq!(named(tool, given.clone()), (ours, vec![]), "{tool} {given}");
    }
}

#[test]
fn what_has_no_single_meaning_is_left() {
    crate::add_families();
    for (tool, given, unknown) in [
        ("read_file_range", json!({ "path": "a", "start_line": 2, "offset": 3 }), "offset"),
        ("read_file_range", json!({ "path": "a", "offset": -3 }), "offset"),
        ("grep_search", json!({ "pattern": "x", "type": "py", "glob": "*.rs" }), "type"),
        ("grep_search", json!({ "pattern": "x", "type": "nonsense" }), "type"),
        ("run_command", json!({ "command": "x", "run_in_background": true }), "run_in_background"),
        ("lsp_hover", json!({ "uri": "a", "line": 0, "character": 1 }), "character"),
    ] {
        assert_eq!(named(tool, given.clone()).1, [unknown], "{tool} {given}");
    }
    // Several paths are not one.
    let (given, _) = named("get_diagnostics", json!({ "paths": ["a", "b"] }));
    assert_eq!(given, json!({ "path": ["a", "b"] }));
}

#[test]
fn tools_of_other_agents_are_ours() {
    crate::add_families();
    for (name, arguments, ours) in [
        ("Read", json!({ "file_path": "a" }), "read_file"),
        ("ReadFile", json!({}), "read_file"),
        ("MultiEdit", json!({}), "apply_edit"),
        ("shell", json!({ "command": ["ls"] }), "run_command"),
        ("LSP", json!({ "operation": "findReferences" }), "lsp_references"),
        ("edit_file", json!({ "path": "a", "edits": [] }), "apply_edit"),
        ("file_search", json!({ "query": "conf" }), "find_files"),
        ("file_search", json!({ "query": "*.py" }), "find_files_glob"),
        ("read_file", json!({ "path": "a" }), "read_file"),
        ("nonsense", json!({}), "nonsense"),
        ("LSP", json!({ "operation": "nonsense" }), "LSP"),
    ] {
        assert_eq!(resolve(name.to_owned(), arguments.clone()).0, ours, "{name} {arguments}");
    }
}

#[test]
fn the_table_names_what_exists() {
    crate::add_families();
    let table: toml::Table = toml::from_str(include_str!("../../src/guesses/names.toml")).unwrap();
    let known: BTreeSet<&str> = tools::registry()
        .iter()
        .flat_map(|tool| tool.input_schema["properties"].as_object().into_iter().flatten())
        .map(|(name, _)| name.as_str())
        .collect();
    // Options such as `-F` are names as they are.
    let is_snake_case = |name: &str| {
        name.starts_with('-') || !name.contains(|c: char| c.is_ascii_uppercase() || c == '-')
    };
    for (name, others) in table["parameters"].as_table().unwrap() {
        // `column` is part of a position.
        assert!(known.contains(name.as_str()) || name == "column", "no tool has `{name}`");
        for other in others.as_array().unwrap() {
            assert!(is_snake_case(other.as_str().unwrap()), "{name}: {other:?}");
        }
    }
    let mut names = BTreeSet::new();
    for tool in table["tools"].as_array().unwrap() {
        let cases = tool.get("cases").and_then(|cases| cases.as_table());
        let ours = tool.get("is").into_iter().chain(cases.into_iter().flat_map(|all| all.values()));
        for ours in ours.map(|ours| ours.as_str().unwrap()) {
            assert!(tools::find(ours).is_some(), "{ours}");
        }
        assert!(tool.get("is").is_some() != tool.get("by").is_some(), "{tool:?}");
        for name in tool["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
            assert!(names.insert(name), "{name} is listed twice");
            assert!(is_snake_case(name), "{name}");
        }
    }
}
