//! Texts, schemas and types of all tools.

use serde_json::json;

/// Results may be cut, or come from a server of another version.
#[test]
fn lines_are_made_of_any_json() {
    crate::add_families();
    let odd = json!([1, null, "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", {}, { "path": 3, "lines": [{}], "line": "x",
        "children": [{ "name_path": "//" }], "context_before": ["a"], "line_number": 1, "hunks": [1],
        "timestamp": "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", "commit": "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}" }]);
    let lists = [
        "actions",
        "commits",
        "conflicts",
        "diagnostics",
        "entries",
        "files",
        "frames",
        "left_out",
        "lines",
        "locals",
        "locations",
        "matches",
        "needs_confirmation",
        "patches",
        "places",
        "skipped",
        "staged",
        "symbols",
        "unstaged",
        "variables",
    ];
    let mut whole = serde_json::Map::new();
    for list in lists {
        whole.insert(list.to_owned(), odd.clone());
    }
    whole.insert("changed".to_owned(), true.into());
    for result in [json!(null), json!([]), json!({}), json!("x"), whole.into()] {
        for tool in tools::registry() {
            let _ = tool.text(false, &result);
        }
    }
}

#[test]
fn verbose_text_is_json_and_a_cut_is_said() {
    crate::add_families();
    let tool = tools::find("find_files").unwrap();
    let result = json!({ "files": ["a", "b"], "result_cut": "too long" });
    assert_eq!(tool.text(false, &result), "a\nb\n[too long]");
    assert_eq!(tool.text(true, &result), result.to_string());
}

/// A path that names nothing would silently keep its field.
#[test]
fn every_path_names_a_field_of_the_result() {
    crate::add_families();
    let mut with_fields = 0;
    for tool in tools::registry() {
        for path in tool.verbose_fields {
            let mut parents: Vec<&str> = path.split("[].").collect();
            let field = parents.pop().unwrap();
            let mut at = &tool.output_schema;
            for parent in parents {
                at = &at["properties"][parent]["items"];
            }
            assert!(at["properties"][field].is_object(), "{}: {path}", tool.name);
            let required = at["required"].as_array().map(Vec::as_slice).unwrap_or_default();
            assert!(!required.contains(&json!(field)), "{}: {path}", tool.name);
            assert_eq!(tool.input_schema["properties"]["verbose"]["type"], "boolean");
            with_fields += 1;
        }
    }
    assert!(with_fields > 10, "{with_fields}");
}

#[test]
fn every_tool_has_its_types() {
    crate::add_families();
    let (lua, typescript) = (tools::lua(), tools::typescript());
    for tool in tools::registry() {
        let (name, class) = (tool.name, pascal_case(tool.name));
        assert!(lua.contains(&format!("---@class tandem.{class}.Params\n")), "{name}");
        assert!(lua.contains(&format!("\nfunction M.{name}(params, opts)\n")), "{name}");
        // A tool without parameters has no members to list.
        let takes = ["interface {}Params {", "type {}Params = "];
        let has =
            |form: &str| typescript.contains(&format!("export {}", form.replace("{}", &class)));
        assert!(takes.into_iter().any(has), "{name}");
        let row = format!("  {name}: {{ params: {class}Params; result: {class}Result }};\n");
        assert!(typescript.contains(&row), "{name}");
    }
    for text in [lua, typescript] {
        assert!(!text.lines().any(|line| line.ends_with(' ')));
    }
}

/// `apply_edit` as a class: `ApplyEdit`.
fn pascal_case(name: &str) -> String {
    let words = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    words.collect()
}
