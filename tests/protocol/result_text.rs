//! What an agent's model reads of a result, and what programs get.

use serde_json::{Value, json};
use tests::{Agent, Server};

const FIXTURE: &str = "//- /a.py\ndef area(r):\n    \"\"\"The area.\"\"\"\n    return r * r\n\n\n\
    class Shape:\n    def size(self):\n        return area(2)\n\
    //- /sub/b.py\nfrom a import area\n\nprint(area(1))\n";

fn agent(server: &Server, name: &str, args: &[&str]) -> Agent {
    let args = [&["--workspace", "workspace"], args].concat();
    Agent::start_as(name, server.command(), &args, None)
}

#[test]
fn a_model_reads_lines() {
    let server = Server::start(FIXTURE);
    server.open_file("a.py");
    let mut agent = agent(&server, "claude-code", &[]);
    let mut reads = |tool: &str, arguments: Value, expected: &str| {
        let (text, is_structured) = agent.text(tool, arguments);
        assert_eq!(text, expected, "{tool}");
        assert!(!is_structured, "{tool}");
    };
    reads("read_file", json!({ "path": "sub/b.py" }), "from a import area\n\nprint(area(1))\n");
    let text = "from a import area\n\nprint(area(1))\n";
    reads("Read", json!({ "file_path": "sub/b.py" }), text);
    let call = json!({ "tool": "read_file", "arguments": { "path": "sub/b.py" } });
    reads("call_tool", call, text);
    let grep = "a.py\n  1: def area(r):\n  8:         return area(2)\n\
        sub/b.py:3: print(area(1))";
    reads("grep_search", json!({ "pattern": "area\\(" }), grep);
    let context = "a.py\n1: def area(r):\n2-     \"\"\"The area.\"\"\"\n--\n\
        7-     def size(self):\n8:         return area(2)";
    let params = json!({ "pattern": "area\\(", "context_lines": 1, "path": "a.py" });
    reads("grep_search", params, context);
    reads("grep_search", json!({ "pattern": "nothing" }), "no matches in 2 files");
    reads("find_files", json!({ "pattern": "b.py" }), "sub/b.py");
    reads("list_directory", json!({ "max_depth": 2 }), "./\n  a.py\n  sub/\n    b.py");
    let symbols = "a.py\n1-3: def area(r)\n6-8: class Shape\n  7: def size(self)";
    reads("symbols_overview", json!({ "path": "a.py", "depth": 1 }), symbols);
    let body = "a.py:7-8: Shape/size\ndef size(self):\n        return area(2)";
    reads("find_symbol", json!({ "name_path": "Shape/size", "include_body": true }), body);
    let uses = "a.py:8: return area(2) [Shape/size]\nsub/b.py\n  1: from a import area\n  3: print(area(1))";
    reads("find_referencing_symbols", json!({ "name_path": "area", "path": "a.py" }), uses);

    let edit = |old: &str, new: &str| json!({ "path": "a.py", "old_text": old, "new_text": new });
    reads("apply_edit", edit("return r * r", "return r ** 2"), "a.py: edited at 3");
    let again =
        "a.py: already applied\n  this patch was applied before, and nothing has changed since";
    reads("apply_edit", edit("return r * r", "return r ** 2"), again);
    let broken = "a.py: edited at 3\n  new syntax error, line 3: unclosed `(` that opens on line 3";
    reads("apply_edit", edit("return r ** 2", "return (r ** 2"), broken);
    reads("undo_action", json!({}), "undone: edited a.py");
    reads("write_file", json!({ "path": "c.py", "content": "x = 1\n" }), "c.py: created");
    let moved = json!({ "source": "c.py", "destination": "d.py" });
    reads("move_file", moved, "moved c.py to d.py");
    let renamed = "renamed area in 4 places of 2 files\na.py: 2 (1, 8)\nsub/b.py: 2 (1, 3)\n\
        1 mention in comments and strings kept the old name (`confirm` renames them):\n\
        a.py:2: \"\"\"The area.\"\"\"";
    let rename = json!({ "name_path": "area", "path": "a.py", "new_name": "surface" });
    reads("rename_symbol", rename, renamed);
    let replaced = "replaced 2 places in 1 file\nsub/b.py: 2\nthe first:\n\
        sub/b.py\n  1: from a import region\n  3: print(region(1))";
    let replace = json!({ "pattern": "surface", "replacement": "region", "path": "sub" });
    reads("replace_in_files", replace, replaced);
    reads(
        "get_diagnostics",
        json!({ "path": "d.py" }),
        "no problems found; the code was not compiled",
    );
}

#[test]
fn a_dry_run_and_an_inexact_match_show_the_diff() {
    let server = Server::start(FIXTURE);
    let mut agent = agent(&server, "codex-mcp-client", &[]);
    let edit = json!({ "path": "sub/b.py", "old_text": "print(area(1))", "new_text": "print(2)" });
    let mut dry = edit.clone();
    dry["dry_run"] = true.into();
    let (text, _) = agent.text("apply_edit", dry);
    assert!(text.starts_with("sub/b.py: would be edited at 3\n--- a/sub/b.py\n"), "{text}");
    assert!(text.contains("-print(area(1))\n+print(2)"), "{text}");
    let inexact = json!({ "path": "a.py", "old_text": "def size(self):\nreturn area(2)",
        "new_text": "def size(self):\nreturn area(3)" });
    let (text, _) = agent.text("apply_edit", inexact);
    assert!(text.contains("`old_text` matched by first_line"), "{text}");
}

#[test]
fn programs_get_json_too_and_can_validate_it() {
    let server = Server::start(FIXTURE);
    let has_schemas = |agent: &mut Agent| {
        let listed = agent.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        assert!(!tools.is_empty());
        tools.iter().map(|tool| !tool["outputSchema"].is_null()).collect::<Vec<_>>()
    };
    let mut program = agent(&server, "some program", &[]);
    let result = program.must("grep_search", json!({ "pattern": "print" }));
    assert_eq!(result["matches"][0]["line"], "print(area(1))", "{result}");
    let (text, is_structured) = program.text("grep_search", json!({ "pattern": "print" }));
    assert_eq!((text.as_str(), is_structured), ("sub/b.py:3: print(area(1))", true));
    let (text, _) = program.text("grep_search", json!({ "pattern": "print", "verbose": true }));
    let verbose: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(verbose["matches"], result["matches"]);
    for (name, args) in [("some program", &["--text-only"][..]), ("Visual Studio Code", &[])] {
        let mut agent = agent(&server, name, args);
        assert!(!agent.text("grep_search", json!({ "pattern": "print" })).1, "{name}");
        // A client rejects a result that lacks what its schema promises.
        assert!(has_schemas(&mut agent).iter().all(|has_schema| !has_schema), "{name}");
    }
}
