//! The tools that find, show and change symbols by their names.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
import math


class Shape:
    \"\"\"Something flat.\"\"\"

    sides = 0

    # How much it covers.
    @property
    def area(self):
        return 0

    def name(self):
        return 'shape'


def area(r):
    return r * r
//- /lib/circle.py
from shapes import Shape


class Circle(Shape):
    def area(self):
        return 3
//- /lib/deep/main.rs
struct Wheel { size: u32 }

impl Wheel {
    /// Turns it.
    #[inline]
    pub fn turn(&mut self) {
        self.size += 1;
    }
}

fn main() {}
//- /notes.txt
nothing
";

/// `path:line kind name_path` of each symbol.
fn symbol_lines(result: &Value) -> Vec<String> {
    let symbols = result["symbols"].as_array().unwrap().iter();
    symbols
        .map(|symbol| {
            assert_eq!(symbol["hash"].as_str().unwrap().len(), 64, "{symbol}");
            format!(
                "{}:{} {} {}",
                symbol["path"].as_str().unwrap(),
                symbol["line"],
                symbol["kind"].as_str().unwrap(),
                symbol["name_path"].as_str().unwrap(),
            )
        })
        .collect()
}

fn find(server: &Server, params: Value) -> Vec<String> {
    symbol_lines(&server.must("find_symbol", params))
}

#[test]
fn symbols_are_found_by_name_path() {
    let server = Server::start(FIXTURE);
    let by = |path: &str| find(&server, json!({ "name_path": path }));
    assert_eq!(
        by("area"),
        [
            "lib/circle.py:5 method Circle/area",
            "shapes.py:11 method Shape/area",
            "shapes.py:18 function area"
        ]
    );
    assert_eq!(by("Shape/area"), ["shapes.py:11 method Shape/area"]);
    assert_eq!(by("Shape.area"), by("Shape/area"));
    assert_eq!(by("/area"), ["shapes.py:18 function area"]);
    assert_eq!(by("Wheel/turn"), ["lib/deep/main.rs:6 method Wheel/turn"]);
    let asked = json!({ "name_path": "area", "path": "lib" });
    assert_eq!(find(&server, asked), ["lib/circle.py:5 method Circle/area"]);
    let asked = json!({ "name_path": "area", "kinds": ["function"], "path": "shapes.py" });
    assert_eq!(find(&server, asked), ["shapes.py:18 function area"]);
    let asked = json!({ "name_path": "ircl", "substring_matching": true });
    assert_eq!(find(&server, asked), ["lib/circle.py:4 class Circle"]);
}

#[test]
fn bodies_have_decorators_and_attributes_but_no_comments() {
    let server = Server::start(FIXTURE);
    let body = |path: &str| {
        let found = server.must("find_symbol", json!({ "name_path": path, "include_body": true }));
        let symbol = &found["symbols"][0];
        (symbol["body"].as_str().unwrap().to_owned(), symbol["body_start_line"].as_u64().unwrap())
    };
    let python = "@property\n    def area(self):\n        return 0";
    assert_eq!(body("Shape/area"), (python.to_owned(), 10));
    let rust = "#[inline]\n    pub fn turn(&mut self) {\n        self.size += 1;\n    }";
    assert_eq!(body("Wheel/turn"), (rust.to_owned(), 5));
}

#[test]
fn symbol_children_are_listed_to_the_requested_depth() {
    let server = Server::start(FIXTURE);
    let found = server.must("find_symbol", json!({ "name_path": "Shape", "depth": 1 }));
    let children: Vec<_> = found["symbols"][0]["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{} {}", c["line"], c["name_path"].as_str().unwrap()))
        .collect();
    assert_eq!(children, ["7 Shape/sides", "11 Shape/area", "14 Shape/name"]);
    assert_eq!(found["symbols"][0]["signature"], "class Shape");
}

#[test]
fn a_missing_name_is_answered_with_similar_names() {
    let server = Server::start(FIXTURE);
    let error = server.must_fail("find_symbol", json!({ "name_path": "Circel" }), "E_NO_MATCH");
    assert!(error.data["hint"].as_str().unwrap().contains("Circle"), "{error:?}");
    let edit = json!({ "name_path": "Shape/aera", "path": "shapes.py", "body": "x" });
    let error = server.must_fail("replace_symbol_body", edit, "E_NO_MATCH");
    assert!(error.data["hint"].as_str().unwrap().contains("Shape/area"), "{error:?}");
    server.must_fail("find_symbol", json!({ "name_path": "//" }), "E_INVALID_PARAMS");
    let text = json!({ "name_path": "x", "path": "notes.txt" });
    server.must_fail("find_symbol", text, "E_UNSUPPORTED");
}

#[test]
fn unsaved_text_is_used() {
    let server = Server::start(FIXTURE);
    server.open_file("shapes.py");
    server.replace_text("shapes.py", "def area(r)", "def surface(r)");
    let surface = || find(&server, json!({ "name_path": "surface" }));
    assert_eq!(surface(), ["shapes.py:18 function surface"]);
    let edit = json!({ "name_path": "surface", "path": "shapes.py", "body": "def surface(q):\n    return q" });
    server.must("replace_symbol_body", edit);
    assert!(server.buffer("shapes.py").ends_with("\n\n\ndef surface(q):\n    return q\n"));
}

#[test]
fn many_symbols_come_in_pages() {
    let mut fixture = String::new();
    for n in 0..7 {
        fixture
            .push_str(&format!("//- /m{n}.py\ndef f(): pass\nclass A:\n    def f(self): pass\n"));
    }
    let server = Server::start(&fixture);
    let mut asked = json!({ "name_path": "f", "max_results": 3 });
    let mut all = Vec::new();
    loop {
        let page = server.must("find_symbol", asked.clone());
        let here = symbol_lines(&page);
        assert!(here.len() <= 3);
        all.extend(here);
        assert_eq!(page["truncated"].as_bool().unwrap_or(false), page["next_cursor"].is_string());
        match page["next_cursor"].as_str() {
            Some(cursor) => asked["cursor"] = json!(cursor),
            None => break,
        }
    }
    let once: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), once.len()), (14, 14));
    asked["cursor"] = json!("x");
    server.must_fail("find_symbol", asked, "E_INVALID_PARAMS");
}

#[test]
fn an_overview_lists_what_a_file_or_folder_defines() {
    let server = Server::start(FIXTURE);
    let of = |params: Value| {
        let result = server.must("symbols_overview", params);
        let files = result["files"].as_array().unwrap().clone();
        files
            .iter()
            .map(|file| {
                let symbols = file["symbols"].as_array().unwrap().iter();
                let names: Vec<_> =
                    symbols.map(|s| s["name_path"].as_str().unwrap().to_owned()).collect();
                format!("{}: {}", file["path"].as_str().unwrap(), names.join(" "))
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(of(json!({ "path": "shapes.py" })), ["shapes.py: Shape area"]);
    assert_eq!(
        of(json!({ "path": "." })),
        ["lib/circle.py: Circle", "lib/deep/main.rs: Wheel main", "shapes.py: Shape area"]
    );
    assert_eq!(
        of(json!({ "path": "lib" })),
        ["lib/circle.py: Circle", "lib/deep/main.rs: Wheel main"]
    );
    let deep = server.must("symbols_overview", json!({ "path": "lib/deep/main.rs", "depth": 1 }));
    let wheel = &deep["files"][0]["symbols"][0];
    let held: Vec<_> = wheel["children"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name_path"].as_str().unwrap())
        .collect();
    assert_eq!(held, ["Wheel/size", "Wheel/turn"]);
    server.must_fail("symbols_overview", json!({ "path": "nope" }), "E_FILE_NOT_FOUND");
    server.must_fail("symbols_overview", json!({ "path": "notes.txt" }), "E_UNSUPPORTED");
}

#[test]
fn a_body_is_replaced_as_one_action_that_can_be_undone() {
    let server = Server::start(FIXTURE);
    let before = server.disk_text("shapes.py");
    let hash =
        server.must("find_symbol", json!({ "name_path": "Shape/area" }))["symbols"][0]["hash"]
            .clone();
    let edit = json!({
        "name_path": "Shape/area", "path": "shapes.py", "expected_hash": hash,
        "body": "def area(self):\n    if self.sides:\n        return 1\n    return 0\n",
    });
    let mut dry = edit.clone();
    dry["dry_run"] = json!(true);
    assert_eq!(server.must("replace_symbol_body", dry)["changed"], true);
    assert_eq!(server.disk_text("shapes.py"), before);
    let done = server.must("replace_symbol_body", edit.clone());
    assert_eq!(done["changed"], true);
    let after = server.disk_text("shapes.py");
    let wanted = "    # How much it covers.\n    def area(self):\n        if self.sides:\n            return 1\n        return 0\n\n    def name";
    assert!(after.contains(wanted), "{after}");
    server.must_fail("replace_symbol_body", edit, "E_CONFLICT");
    server.must("undo_action", json!({ "action_id": done["action"] }));
    assert_eq!(server.disk_text("shapes.py"), before);
}

#[test]
fn an_ambiguous_symbol_is_refused_with_its_locations() {
    let server = Server::start(FIXTURE);
    for tool in ["replace_symbol_body", "insert_before_symbol", "insert_after_symbol"] {
        let mut edit =
            json!({ "name_path": "area", "path": "shapes.py", "body": "def area(): pass" });
        let error = server.must_fail(tool, edit.clone(), "E_AMBIGUOUS");
        let places = error.data["details"]["symbols"].as_array().unwrap().clone();
        assert_eq!(places.len(), 2, "{error:?}");
        edit["dry_run"] = json!(true);
        edit["line"] = places[1]["line"].clone();
        assert_eq!(server.must(tool, edit)["changed"], true);
    }
}

#[test]
fn inserted_code_follows_the_spacing_of_its_neighbours() {
    let server = Server::start(FIXTURE);
    let insert = |tool: &str, path: &str, name: &str, body: &str| {
        server.must(tool, json!({ "name_path": name, "path": path, "body": body }));
        server.disk_text(path)
    };
    let text =
        insert("insert_after_symbol", "shapes.py", "Shape/area", "def edge(self):\n    return 1");
    assert!(
        text.contains("return 0\n\n    def edge(self):\n        return 1\n\n    def name"),
        "{text}"
    );
    let text = insert("insert_before_symbol", "shapes.py", "Shape/area", "color = 1\n");
    assert!(text.contains("sides = 0\n\n    color = 1\n\n    # How much"), "{text}");
    let text = insert("insert_after_symbol", "shapes.py", "/area", "def g():\n    pass\n");
    assert!(text.ends_with("    return r * r\n\n\ndef g():\n    pass\n"), "{text}");
    let rust = "lib/deep/main.rs";
    let text = insert("insert_before_symbol", rust, "Wheel/turn", "fn stop(&self) {\n}");
    assert!(
        text.contains("impl Wheel {\n    fn stop(&self) {\n    }\n\n    /// Turns it.\n"),
        "{text}"
    );
}

#[test]
fn line_endings_are_kept() {
    let server = Server::start("//- /a.py\nx = 1\n");
    server.write("b.py", "def f():\r\n    return 1\r\n\r\n\r\ndef g():\r\n    pass\r\n");
    server.must(
        "replace_symbol_body",
        json!({ "name_path": "f", "path": "b.py", "body": "def f():\n    x = 2\n    return x" }),
    );
    server.must(
        "insert_after_symbol",
        json!({ "name_path": "f", "path": "b.py", "body": "def h():\n    pass" }),
    );
    assert_eq!(
        server.disk_text("b.py"),
        "def f():\r\n    x = 2\r\n    return x\r\n\r\n\r\ndef h():\r\n    pass\r\n\r\n\r\ndef g():\r\n    pass\r\n"
    );
}
