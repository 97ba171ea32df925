//! Tool results if some uses of a name are uncertain, or if a name no longer exists.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
class Shape:
    def area(self):
        return 0


class Other:
    def area(self):
        return 1
//- /main.py
from shapes import Shape

Shape().area()


def total(one):
    # the area of it
    return one.area()
//- /README.md
Call `area` of a shape.
Areas are not meant.
";

fn symbol() -> Value {
    json!({ "name_path": "Shape/area", "path": "shapes.py" })
}

fn merged(mut value: Value, more: &[(&str, Value)]) -> Value {
    for (key, field) in more {
        value[*key] = field.clone();
    }
    value
}

#[test]
fn uncertain_uses_are_counted_and_listed_on_request() {
    let server = Server::start(FIXTURE);
    let found = server.must("find_referencing_symbols", symbol());
    assert_eq!(found["places"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["unsure"], 1, "{found}");
    assert_eq!(found["unsure_places"], Value::Null, "{found}");
    let asked = merged(symbol(), &[("include_unsure", json!(true))]);
    let found = server.must("find_referencing_symbols", asked);
    let expected = json!([{
        "path": "main.py", "line": 8, "text": "return one.area()",
        "why": "is used on a value of unknown type",
    }]);
    assert_eq!(found["unsure_places"], expected);
    let asked = json!({ "path": "shapes.py", "line": 2, "name": "area", "include_unsure": true });
    let found = server.must("lsp_references", asked);
    assert_eq!(found["locations"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!((&found["unsure"], &found["unsure_places"]), (&json!(1), &expected));
    // What is sure says nothing of it.
    let found =
        server.must("lsp_references", json!({ "path": "shapes.py", "line": 1, "name": "Shape" }));
    assert_eq!(found.get("unsure"), None, "{found}");
}

#[test]
fn possible_implementations_are_counted() {
    let server = Server::start(
        "\
//- /a.py
class Base:
    def go(self): pass
class Sure(Base):
    def go(self): pass
//- /b.py
def make(shapes):
    class May(shapes.Base):
        def go(self): pass
",
    );
    let asked = json!({ "name_path": "Base", "path": "a.py", "include_unsure": true });
    let found = server.must("find_implementations", asked);
    assert_eq!(found["places"][0]["symbol"], "Sure", "{found}");
    assert_eq!(found["unsure"], 1, "{found}");
    assert_eq!(found["unsure_places"][0]["text"], "class May(shapes.Base):");
    let asked = json!({ "path": "a.py", "line": 2, "name": "go", "include_unsure": true });
    let found = server.must("lsp_implementation", asked);
    assert_eq!(found["locations"][0]["line"], 4, "{found}");
    assert_eq!(found["unsure_places"][0]["line"], 3, "{found}");
}

#[test]
fn editors_get_certain_references_only() {
    let server = Server::start(FIXTURE);
    server.open_file("shapes.py");
    let params = json!({
        "textDocument": { "uri": server.uri("shapes.py") },
        "position": { "line": 1, "character": 9 },
        "context": { "includeDeclaration": false },
    });
    let found = server.request("textDocument/references", params).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn the_certain_part_of_a_refused_rename_can_be_applied() {
    let server = Server::start(FIXTURE);
    let rename = merged(symbol(), &[("new_name", json!("surface"))]);
    let error = server.must_fail("rename_symbol", rename.clone(), "E_AMBIGUOUS");
    assert!(error.data["hint"].as_str().unwrap().contains("allow_unsure"), "{error:?}");
    assert_eq!(error.data["details"]["places"][0]["line"], 8, "{error:?}");
    let done = server.must("rename_symbol", merged(rename, &[("allow_unsure", json!(true))]));
    assert_eq!(done["left_out_count"], 1, "{done}");
    assert_eq!(done["left_out"][0]["path"], "main.py", "{done}");
    assert_eq!(done["left_out"][0]["line"], 8, "{done}");
    // The comment, and the line of the page.
    assert_eq!(done["mentions"]["count"], 2, "{done}");
    let page = json!([{ "path": "README.md", "line": 1, "text": "Call `area` of a shape." }]);
    assert_eq!(done["mentions"]["places"], page);
    let main = server.disk_text("main.py");
    assert!(main.contains("Shape().surface()") && main.contains("one.area()"), "{main}");
    let shapes = server.disk_text("shapes.py");
    assert!(shapes.contains("def surface") && shapes.contains("def area"), "{shapes}");
    server.must("undo_action", json!({ "action_id": done["action"] }));
    assert!(server.disk_text("main.py").contains("Shape().area()"));
}

#[test]
fn a_possibly_used_symbol_is_deleted_only_with_force() {
    let server = Server::start(
        "\
//- /a.py
class A:
    def one(self): pass
    def two(self): pass

def f(x):
    return x.one()
",
    );
    let delete = json!({ "name_path": "A/one", "path": "a.py" });
    let error = server.must_fail("safe_delete_symbol", delete.clone(), "E_GUARD");
    assert!(error.data["hint"].as_str().unwrap().contains("allow_unsure"), "{error:?}");
    assert_eq!(error.data["details"]["references"][0]["line"], 6, "{error:?}");
    let done = server.must("safe_delete_symbol", merged(delete, &[("allow_unsure", json!(true))]));
    assert_eq!(done["left_out"][0]["line"], 6, "{done}");
    assert!(!server.disk_text("a.py").contains("one(self)"));
    // What is surely used stays.
    let used = json!({ "name_path": "Shape", "path": "shapes.py", "allow_unsure": true });
    let server = Server::start(FIXTURE);
    server.must_fail("safe_delete_symbol", used, "E_GUARD");
}

#[test]
fn a_vanished_name_is_reported_with_its_successor() {
    let server = Server::start(FIXTURE);
    let rename = json!({ "name_path": "total", "path": "main.py", "new_name": "whole" });
    let done = server.must("rename_symbol", rename);
    let find = |name: &str| json!({ "name_path": name });
    let error = server.must_fail("find_symbol", find("total"), "E_NO_MATCH");
    let words = format!("renamed to `whole` by action {} of", done["action"].as_str().unwrap());
    assert!(error.message.contains(&words), "{error:?}");
    assert_eq!(error.data["details"]["vanished"]["renamed_to"], "whole");
    let edit = json!({ "name_path": "total", "path": "main.py", "body": "x" });
    let error = server.must_fail("replace_symbol_body", edit, "E_NO_MATCH");
    assert!(error.message.contains("renamed to `whole`"), "{error:?}");
    server.must("undo_action", json!({}));
    server.must("find_symbol", find("total"));
    // What an edit has taken away.
    let cut = "class Other:\n    def area(self):\n        return 1\n";
    server.must("apply_edit", json!({ "path": "shapes.py", "old_text": cut, "new_text": "" }));
    let error = server.must_fail("find_symbol", find("Other"), "E_NO_MATCH");
    assert!(error.message.contains("`Other` was last seen in shapes.py:6, before"), "{error:?}");
    // A name that somebody has deleted.
    server.open_file("main.py");
    server.replace_text("main.py", "def total", "def tally");
    let error = server.must_fail("find_symbol", find("total"), "E_NO_MATCH");
    assert!(error.message.contains("`total` was last seen in main.py"), "{error:?}");
}

#[test]
fn similar_names_come_with_their_locations() {
    let server = Server::start(FIXTURE);
    let error = server.must_fail("find_symbol", json!({ "name_path": "Shap" }), "E_NO_MATCH");
    let nearest = &error.data["details"]["nearest"];
    assert_eq!(nearest[0], json!({ "name_path": "Shape", "path": "shapes.py", "line": 1 }));
    // The name itself, where another file has it.
    let asked = json!({ "name_path": "total", "path": "shapes.py" });
    let error = server.must_fail("find_referencing_symbols", asked, "E_NO_MATCH");
    assert!(error.data["hint"].as_str().unwrap().contains("total (main.py:6)"), "{error:?}");
}

#[test]
fn strings_that_name_a_symbol_count_as_uncertain_uses() {
    let server = Server::start(
        r#"//- /pkg/__init__.py
//- /pkg/shapes.py
def total():
    return 1
//- /check.py
from unittest.mock import patch

with patch("pkg.shapes.total"):
    pass
"#,
    );
    let asked = json!({ "name_path": "total", "path": "pkg/shapes.py", "include_unsure": true });
    let found = server.must("find_referencing_symbols", asked);
    let expected = json!([{
        "path": "check.py", "line": 3, "text": "with patch(\"pkg.shapes.total\"):",
        "why": "is named in a string",
    }]);
    assert_eq!(found["unsure_places"], expected, "{found}");
}
