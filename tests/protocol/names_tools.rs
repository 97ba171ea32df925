//! The tools that answer questions of names, and the one that renames.

use serde_json::{Value, json};
use tests::{Encoding, Server};

const FIXTURE: &str = "
//- /shapes.py
# area is a word here
def area(r):
    \"\"\"How much it covers.\"\"\"
    return r * r
//- /main.py
from shapes import area

print(area(2), 'area')
//- /unrelated.py
def area():
    pass
";

/// `path:line origin` of each place, in order.
fn locations(result: &Value) -> Vec<String> {
    let places = result["locations"].as_array().unwrap().iter();
    places
        .map(|place| {
            let line = place["line"].as_u64().unwrap();
            assert_eq!(place["range"]["start"]["line"], line - 1, "{place}");
            assert!(place["uri"].as_str().unwrap().starts_with("file://"), "{place}");
            let sure = place["confidence"].as_f64().unwrap();
            assert!(sure > 0.5 && sure <= 1.0, "{place}");
            format!(
                "{}:{line} {}",
                place["path"].as_str().unwrap(),
                place["origin"].as_str().unwrap()
            )
        })
        .collect()
}

fn position_params(server: &Server, path: &str, line: u32, character: u32) -> Value {
    json!({
        "uri": server.uri(path),
        "position": { "line": line, "character": character },
        "verbose": true,
    })
}

#[test]
fn a_definition_is_found_across_files_with_its_origin() {
    let server = Server::start(FIXTURE);
    let found = server.must("lsp_definition", position_params(&server, "main.py", 2, 7));
    assert_eq!(locations(&found), ["shapes.py:2 import"]);
    let place = &found["locations"][0];
    assert_eq!(place["range"]["start"]["character"], 4);
    assert_eq!(place["range"]["end"]["character"], 8);
    assert_eq!(place["text"], "def area(r):");
    assert_eq!(place["uri"], server.uri("shapes.py"));
}

#[test]
fn a_position_can_be_a_line_and_a_name() {
    let server = Server::start(FIXTURE);
    let by_name = |line: usize, name: &str| json!({ "path": "main.py", "line": line, "name": name, "verbose": true });
    let found = server.must("lsp_definition", by_name(1, "area"));
    assert_eq!(locations(&found), ["shapes.py:2 import"]);
    server.must_fail("lsp_definition", by_name(3, "area"), "E_AMBIGUOUS");
    server.must_fail("lsp_definition", by_name(2, "area"), "E_NO_MATCH");
    server.must_fail("lsp_definition", by_name(99, "area"), "E_INVALID_PARAMS");
    let mut both = by_name(1, "area");
    both["position"] = json!({ "line": 0, "character": 0 });
    server.must_fail("lsp_definition", both, "E_INVALID_PARAMS");
    server.must_fail("lsp_definition", json!({ "uri": "main.py" }), "E_INVALID_PARAMS");
    server.must_fail(
        "lsp_definition",
        json!({ "uri": "nope.py", "line": 1, "name": "x" }),
        "E_FILE_NOT_FOUND",
    );
}

#[test]
fn without_certain_results_the_answer_is_empty_and_the_reason_is_given() {
    let server = Server::start("//- /a.py\nx.nowhere()\n\n# plain\n//- /a.txt\nword\n");
    let nothing = |line, character| {
        let found =
            server.must("lsp_definition", position_params(&server, "a.py", line, character));
        assert_eq!(found["locations"], json!([]));
        found["note"].as_str().unwrap().to_owned()
    };
    assert!(nothing(0, 4).contains("not known"));
    assert!(nothing(2, 4).contains("no name"));
    let error = server.must_fail(
        "lsp_definition",
        position_params(&server, "a.txt", 0, 1),
        "E_UNSUPPORTED",
    );
    assert!(error.message.contains("a.txt"), "{error:?}");
}

#[test]
fn references_are_uses_of_the_same_definition() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    let mut asked = position_params(&server, "shapes.py", 1, 5);
    let all = locations(&server.must("lsp_references", asked.clone()));
    let lines: Vec<_> = all.iter().map(|p| p.split(' ').next().unwrap()).collect();
    assert_eq!(lines, ["main.py:1", "main.py:3", "shapes.py:2"]);
    asked["include_declaration"] = json!(false);
    assert_eq!(locations(&server.must("lsp_references", asked.clone())).len(), 2);
    server.replace_text("main.py", "print(area(2), 'area')", "pass");
    assert_eq!(locations(&server.must("lsp_references", asked)).len(), 1, "unsaved text counts");
}

#[test]
fn long_results_come_in_pages() {
    let uses = "x\n".repeat(450);
    let server = Server::start(&format!("//- /a.py\nx = 1\n{uses}"));
    let mut asked = json!({ "path": "a.py", "line": 1, "name": "x" });
    let mut lines = Vec::new();
    loop {
        let page = server.must("lsp_references", asked.clone());
        let here: Vec<_> = page["locations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|l| l["line"].as_u64().unwrap())
            .collect();
        assert!(here.len() <= 200);
        lines.extend(here);
        assert_eq!(page["truncated"].as_bool().unwrap_or(false), page["next_cursor"].is_string());
        match page["next_cursor"].as_str() {
            Some(cursor) => asked["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert_eq!(lines, (1..=451).collect::<Vec<_>>());
    asked["cursor"] = json!("x");
    server.must_fail("lsp_references", asked, "E_INVALID_PARAMS");
}

#[test]
fn positions_are_in_the_negotiated_encoding() {
    let text = "//- /a.py\n'\u{1f600}\u{e9}'; area = 1\n'\u{1f600}\u{e9}'; area\n";
    for (encoding, character) in [(Encoding::Utf8, 10), (Encoding::Utf16, 7), (Encoding::Utf32, 6)]
    {
        let server = Server::builder(text).encodings(&[encoding]).start();
        let found = server.must("lsp_definition", position_params(&server, "a.py", 1, character));
        assert_eq!(found["locations"][0]["range"]["start"]["character"], character, "{encoding:?}");
    }
}

#[test]
fn other_lsp_queries_have_tools_too() {
    let server = Server::start(
        "
//- /a.py
class Base:
    def area(self):
        \"\"\"How much it covers.\"\"\"
        return 1

class Square(Base):
    def area(self):
        return 2

shape = Square()
shape.area()
(
",
    );
    let lines = |tool: &str, line: usize, name: &str| {
        let found = server.must(tool, json!({ "path": "a.py", "line": line, "name": name }));
        let all = found["locations"].as_array().unwrap();
        all.iter().map(|p| p["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(lines("lsp_type_definition", 11, "shape"), [6]);
    assert_eq!(lines("lsp_implementation", 2, "area"), [7]);
    assert!(!lines("lsp_declaration", 11, "area").is_empty());
    let hover = server.must("lsp_hover", json!({ "path": "a.py", "line": 2, "name": "area" }));
    assert_eq!(hover["symbol"]["documentation"], "How much it covers.");
    assert_eq!(hover["symbol"]["container"], "Base");
    assert_eq!(hover["symbol"]["line"], 2);
    let nothing = server.must("lsp_hover", position_params(&server, "a.py", 4, 0));
    assert_eq!(nothing["symbol"], Value::Null);
    let symbols = server.must("lsp_document_symbols", json!({ "path": "a.py" }));
    let names: Vec<_> = symbols["symbols"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert!(names.starts_with(&["Base", "area", "Square", "area"]), "{names:?}");
    assert_eq!(symbols["symbols"][3]["container"], "Square");
    let found = server.must("lsp_workspace_symbols", json!({ "query": "squ" }));
    assert_eq!(found["symbols"][0]["name"], "Square");
    assert_eq!(found["symbols"][0]["line"], 6);
    let wrong = server.must("lsp_diagnostics", json!({ "path": "a.py" }));
    assert_eq!(wrong["diagnostics"][0]["severity"], "error", "{wrong}");
}

#[test]
fn a_rename_is_one_action_that_can_be_undone() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    let before = (server.disk_text("shapes.py"), server.buffer("main.py"));
    let mut asked = position_params(&server, "main.py", 2, 7);
    asked["new_name"] = json!("surface");
    asked["dry_run"] = json!(true);
    let dry = server.must("lsp_rename", asked.clone());
    assert_eq!(dry["changed"], true);
    assert_eq!((server.disk_text("shapes.py"), server.buffer("main.py")), before);
    asked["dry_run"] = json!(false);
    let done = server.must("lsp_rename", asked);
    assert_eq!(done["changes"], dry["changes"]);
    assert_eq!(done["changes"][server.uri("shapes.py")][0]["new_text"], "surface");
    assert_eq!(server.disk_text("shapes.py").lines().nth(1), Some("def surface(r):"));
    assert_eq!(
        server.buffer("main.py"),
        "from shapes import surface\n\nprint(surface(2), 'area')\n"
    );
    let reasons: Vec<_> = done["needs_confirmation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            format!(
                "{}:{} {}",
                p["path"].as_str().unwrap(),
                p["line"],
                p["reason"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(reasons, ["main.py:3 string", "shapes.py:1 comment"]);
    assert!(done["files"][1]["diff"].as_str().unwrap().contains("+def surface"), "{done}");
    server.must("undo_action", json!({ "id": done["action"] }));
    assert_eq!((server.disk_text("shapes.py"), server.buffer("main.py")), before);
}

#[test]
fn word_matches_change_if_confirmed() {
    let server = Server::start(FIXTURE);
    let asked = json!({
        "path": "shapes.py", "line": 2, "name": "area", "new_name": "surface",
        "confirm": ["comment", "string"],
    });
    let done = server.must("lsp_rename", asked);
    assert_eq!(done["needs_confirmation"], json!([]));
    assert!(server.disk_text("shapes.py").starts_with("# surface is a word here\n"));
    assert!(server.disk_text("main.py").ends_with("print(surface(2), 'surface')\n"));
}

#[test]
fn an_uncertain_or_conflicting_rename_is_refused_with_its_locations() {
    let server = Server::start("//- /a.py\ndef one():\n    pass\n\ndef two():\n    one()\n");
    let rename = |name: &str, new: &str, code: &str| {
        let line = if name == "one" { 1 } else { 4 };
        server.must_fail(
            "lsp_rename",
            json!({ "path": "a.py", "line": line, "name": name, "new_name": new }),
            code,
        )
    };
    let mixed = rename("one", "two", "E_CONFLICT");
    assert!(mixed.data["details"]["places"][0]["line"].is_u64(), "{mixed:?}");
    rename("one", "1x", "E_INVALID_PARAMS");
    rename("one", "class", "E_INVALID_PARAMS");
    server.must_fail(
        "lsp_rename",
        json!({ "path": "a.py", "line": 2, "name": "pass", "new_name": "x" }),
        "E_NO_MATCH",
    );
    assert_eq!(server.disk_text("a.py"), "def one():\n    pass\n\ndef two():\n    one()\n");
}

#[test]
fn nothing_changes_if_an_open_document_cannot_be_changed() {
    let server = Server::builder(FIXTURE).without_apply_edit().start();
    server.open_file("main.py");
    let before = server.disk_text("shapes.py");
    let asked = json!({ "path": "shapes.py", "line": 2, "name": "area", "new_name": "surface" });
    server.must_fail("lsp_rename", asked, "E_UNSUPPORTED");
    assert_eq!(server.disk_text("shapes.py"), before);
}

#[test]
fn a_rename_into_a_guarded_file_needs_approval() {
    let server = Server::start(
        "//- /lib.py\ndef area():\n    pass\n//- /.vscode/x.py\nfrom lib import area\n",
    );
    server.open_file(".vscode/x.py");
    let asked = json!({ "path": "lib.py", "line": 1, "name": "area", "new_name": "surface" });
    server.must_fail("lsp_rename", asked, "E_DENIED");
    assert_eq!(server.disk_text("lib.py"), "def area():\n    pass\n");
}
