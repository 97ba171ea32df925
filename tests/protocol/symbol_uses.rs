//! The tools that tell how symbols hang together, and those that go by it.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
class Shape:
    def area(self):
        return 0


class Square(Shape):
    def area(self):
        return 4


def total(shapes):
    return sum(one.area() for one in shapes)


# Nobody wants it.
def unused(n):
    return unused(n - 1)


def last():
    pass
//- /main.py
from shapes import Square, total


def main():
    print(total([Square()]))
";

fn locations(result: &Value) -> Vec<String> {
    let places = result["places"].as_array().unwrap().iter();
    places
        .map(|place| {
            assert!(place["hash"].is_null(), "left out: {place}");
            assert!(place["confidence"].as_f64().unwrap() > 0.5, "{place}");
            format!(
                "{}:{} in {}",
                place["path"].as_str().unwrap(),
                place["line"],
                place["symbol"].as_str().unwrap_or("the file"),
            )
        })
        .collect()
}

#[test]
fn uses_come_with_the_symbol_around_them() {
    let server = Server::start(FIXTURE);
    let asked = json!({ "name_path": "total", "path": "shapes.py", "verbose": false });
    let found = server.must("find_referencing_symbols", asked.clone());
    assert_eq!(locations(&found), ["main.py:1 in the file", "main.py:5 in main"]);
    assert_eq!(found["places"][1]["text"], "print(total([Square()]))");
    server.open_file("main.py");
    server.replace_text("main.py", "def main", "def start");
    let found = server.must("find_referencing_symbols", asked);
    assert_eq!(locations(&found), ["main.py:1 in the file", "main.py:5 in start"]);
    let nothing = json!({ "name_path": "totl", "path": "shapes.py" });
    let error = server.must_fail("find_referencing_symbols", nothing, "E_NO_MATCH");
    assert!(error.data["hint"].as_str().unwrap().contains("total"), "{error:?}");
    let several = json!({ "name_path": "area", "path": "shapes.py" });
    server.must_fail("find_referencing_symbols", several, "E_AMBIGUOUS");
}

#[test]
fn implementations_are_found_by_name() {
    let server = Server::start(FIXTURE);
    let asked = json!({ "name_path": "Shape", "path": "shapes.py", "verbose": false });
    let found = locations(&server.must("find_implementations", asked));
    assert!(found.contains(&"shapes.py:6 in Square".to_owned()), "{found:?}");
}

#[test]
fn a_used_symbol_is_not_deleted_and_its_uses_are_reported() {
    let server = Server::start(FIXTURE);
    let before = server.disk_text("shapes.py");
    let delete = |name: &str| json!({ "name_path": name, "path": "shapes.py" });
    let error = server.must_fail("safe_delete_symbol", delete("total"), "E_GUARD");
    let references = error.data["details"]["references"].as_array().unwrap();
    assert_eq!(references.len(), 2, "{error:?}");
    assert_eq!(references[1]["line"], 5);
    assert_eq!(server.disk_text("shapes.py"), before);
    let done = server.must("safe_delete_symbol", delete("unused"));
    let after = server.disk_text("shapes.py");
    assert!(
        after.ends_with("for one in shapes)\n\n\ndef last():\n    pass\n"),
        "its comment goes with it: {after}"
    );
    let mut stale = delete("last");
    stale["expected_hash"] = json!("0".repeat(64));
    server.must_fail("safe_delete_symbol", stale, "E_CONFLICT");
    server.must("undo_action", json!({ "action_id": done["action"] }));
    assert_eq!(server.disk_text("shapes.py"), before);
}

#[test]
fn a_deletion_that_would_break_code_is_refused() {
    let server = Server::start(
        "\
//- /a.py
class A:
    def only(self):
        pass


A()
",
    );
    let delete = json!({ "name_path": "A/only", "path": "a.py" });
    let before = server.disk_text("a.py");
    server.must_fail("safe_delete_symbol", delete, "E_GUARD");
    assert_eq!(server.disk_text("a.py"), before);
}

#[test]
fn a_symbol_is_renamed_by_its_name() {
    let server = Server::start(FIXTURE);
    let rename = json!({ "name_path": "total", "path": "shapes.py", "new_name": "whole" });
    let mut dry = rename.clone();
    dry["dry_run"] = json!(true);
    assert_eq!(server.must("rename_symbol", dry)["changed"], true);
    assert!(server.disk_text("main.py").contains("total"));
    let done = server.must("rename_symbol", rename);
    assert_eq!(done["old_name"], "total");
    let after = server.disk_text("main.py");
    assert!(after.contains("import Square, whole") && after.contains("whole(["), "{after}");
    server.must("undo_action", json!({ "action_id": done["action"] }));
    assert!(server.disk_text("main.py").contains("total(["));
}

#[test]
fn a_map_shows_the_most_important_symbols_within_its_budget() {
    let mut fixture = String::from("//- /core.py\ndef central_function(x):\n    return x\n");
    for n in 0..30 {
        fixture.push_str(&format!(
            "//- /part{n}.py\nfrom core import central_function\n\ndef part_number_{n}():\n    return central_function({n})\n"
        ));
    }
    let server = Server::start(&fixture);
    let map = server.must("repository_map", json!({}));
    let text = map["map"].as_str().unwrap();
    assert!(text.starts_with("core.py:\n  1: def central_function(x)\n"), "{text}");
    let small = server.must("repository_map", json!({ "max_tokens": 64 }));
    assert!(small["map"].as_str().unwrap().len() <= 256);
    assert_eq!(small["truncated"], true);
    let of = |mut params: Value| {
        params["verbose"] = true.into();
        let map = server.must("repository_map", params);
        let files = map["files"].as_array().unwrap().iter();
        files.map(|f| f["path"].as_str().unwrap().to_owned()).take(2).collect::<Vec<_>>()
    };
    assert!(of(json!({ "paths": ["part7.py"] })).contains(&"part7.py".to_owned()));
    assert!(of(json!({ "words": ["part_number_9"] })).contains(&"part9.py".to_owned()));
    server.must_fail("repository_map", json!({ "paths": ["nope.py"] }), "E_FILE_NOT_FOUND");
}

#[test]
fn partial_names_are_completed() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    server.replace_text("main.py", "print(total([Square()]))", "tot");
    let asked = json!({ "path": "main.py", "position": { "line": 4, "character": 7 } });
    let found = server.must("lsp_completion", asked);
    assert_eq!(found["items"][0]["name"], "total", "{found}");
    assert_eq!(found["range"]["start"], json!({ "line": 4, "character": 4 }));
    let beyond = json!({ "path": "main.py", "position": { "line": 99, "character": 0 } });
    server.must_fail("lsp_completion", beyond, "E_INVALID_PARAMS");
}

#[test]
fn diagnostics_are_of_a_file_or_of_all_that_is_open() {
    let server = Server::start(FIXTURE);
    let of_file = server.must("get_diagnostics", json!({ "path": "main.py" }));
    assert_eq!(of_file["files"][0]["diagnostics"], json!([]));
    assert_eq!(server.must("get_diagnostics", json!({}))["files"], json!([]));
    server.open_file("main.py");
    server.replace_text("main.py", "def main():", "def main(:");
    let open = server.must("get_diagnostics", json!({}));
    assert_eq!(open["files"][0]["path"], "main.py");
    assert_eq!(open["files"][0]["diagnostics"][0]["line"], 4, "{open}");
    server.must_fail("get_diagnostics", json!({ "path": "no.py" }), "E_FILE_NOT_FOUND");
}

#[test]
fn a_symbol_of_several_definitions_is_one() {
    let server = Server::start(
        "
//- /a.ts
export enum Kind { One = 'one', Two = 'two' }
export interface One { a: number }
export namespace One { export const b = 1; }
export function f(a: number): number;
export function f(a: any): any { return a; }
//- /b.ts
import { One, f as g } from './a';
const one: One = { a: One.b };
g(one.a);
",
    );
    let uses = |name: &str| {
        let found = json!({ "name_path": name, "path": "a.ts" });
        let found = server.must("find_referencing_symbols", found);
        let lines = found["places"].as_array().unwrap().iter();
        lines.map(|p| format!("{}:{}", p["path"].as_str().unwrap(), p["line"])).collect::<Vec<_>>()
    };
    assert_eq!(uses("One"), ["b.ts:1", "b.ts:2", "b.ts:2"]);
    assert_eq!(uses("f"), ["b.ts:1", "b.ts:1", "b.ts:3"]);
    let rename = json!({ "name_path": "f", "path": "a.ts", "new_name": "h" });
    server.must("rename_symbol", rename);
    assert!(server.disk_text("b.ts").contains("import { One, h as g }"));
    let deleted = json!({ "name_path": "Kind", "path": "a.ts" });
    server.must("safe_delete_symbol", deleted);
    server.must_fail(
        "replace_symbol_body",
        json!({ "name_path": "h", "path": "a.ts", "body": "" }),
        "E_AMBIGUOUS",
    );
}
