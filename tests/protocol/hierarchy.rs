//! Hierarchies of calls and types, lenses, and links of imports.

use serde_json::{Value, json};
use tests::Server;

const SHAPES: &str = "
//- /shapes.py
class Shape:
    def area(self): return helper()
class Box(Shape):
    def area(self): return helper() + helper()
def helper(): return 1
//- /main.py
from shapes import Box, helper
class Lid(Box): pass
def run():
    helper()
helper()
//- /shape.ts
interface Solid { area(): number }
class Ball implements Solid { area() { return 1; } }
";

fn position_params(server: &Server, path: &str, mark: &str) -> Value {
    let text = server.fixture().text(path);
    let at = text.find(mark).unwrap();
    let line = text[..at].matches('\n').count();
    let character = at - text[..at].rfind('\n').map_or(0, |n| n + 1);
    json!({
        "textDocument": { "uri": server.uri(path) },
        "position": { "line": line, "character": character },
    })
}

fn list(answer: &Value) -> Vec<Value> {
    answer.as_array().cloned().unwrap_or_default()
}

fn names(items: &[Value], of: &str) -> Vec<(String, usize)> {
    let shown = |item: &Value| {
        let name = item[of]["name"].as_str().unwrap().to_owned();
        (name, item["fromRanges"].as_array().unwrap().len())
    };
    items.iter().map(shown).collect()
}

fn pairs(all: &[(&str, usize)]) -> Vec<(String, usize)> {
    all.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn incoming_and_outgoing_calls_are_listed() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    let at = position_params(&server, "main.py", "helper()");
    let items = list(&server.request("textDocument/prepareCallHierarchy", at).unwrap());
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(items[0]["name"], "helper");
    assert!(items[0]["uri"].as_str().unwrap().ends_with("/shapes.py"));
    let asked = json!({ "item": items[0] });
    let found = list(&server.request("callHierarchy/incomingCalls", asked).unwrap());
    let mut shown = names(&found, "from");
    shown.sort();
    assert_eq!(shown, pairs(&[("area", 1), ("area", 2), ("main.py", 1), ("run", 1)]));
    let area = found.iter().find(|c| c["fromRanges"].as_array().unwrap().len() == 2).unwrap();
    let asked = json!({ "item": area["from"] });
    let found = list(&server.request("callHierarchy/outgoingCalls", asked).unwrap());
    assert_eq!(names(&found, "to"), pairs(&[("helper", 2)]));
    let data = area["from"]["data"].to_string();
    assert!(data.len() < 100, "{data}");
}

#[test]
fn an_item_stays_valid_after_a_change_of_its_file() {
    let server = Server::builder(SHAPES).start();
    server.open_file("shapes.py");
    let at = position_params(&server, "shapes.py", "helper(): return 1");
    let items = list(&server.request("textDocument/prepareCallHierarchy", at).unwrap());
    server.replace_text("shapes.py", "class Shape:", "# more above\n\nclass Shape:");
    let asked = json!({ "item": items[0] });
    let found = list(&server.request("callHierarchy/incomingCalls", asked).unwrap());
    assert_eq!(found.len(), 4, "{found:?}");
    server.replace_text("shapes.py", "def helper(): return 1", "");
    let asked = json!({ "item": items[0] });
    let found = server.request("callHierarchy/incomingCalls", asked).unwrap();
    assert!(list(&found).is_empty(), "{found}");
    let wild = json!({ "item": {
        "name": "x", "kind": 12, "uri": server.uri("shapes.py"),
        "range": items[0]["range"], "selectionRange": items[0]["range"],
        "data": { "start": 99_999_999, "name": [1] },
    } });
    let found = server.request("callHierarchy/outgoingCalls", wild).unwrap();
    assert!(list(&found).is_empty(), "{found}");
}

#[test]
fn types_have_supertypes_and_subtypes() {
    let server = Server::builder(SHAPES).start();
    assert_eq!(server.initialized()["capabilities"]["typeHierarchyProvider"], true);
    server.open_file("main.py");
    let at = position_params(&server, "main.py", "Box): pass");
    let items = list(&server.request("textDocument/prepareTypeHierarchy", at).unwrap());
    assert_eq!(items.len(), 1, "{items:?}");
    let asked = json!({ "item": items[0] });
    let above = list(&server.request("typeHierarchy/supertypes", asked.clone()).unwrap());
    assert_eq!(above.len(), 1, "{above:?}");
    assert_eq!(above[0]["name"], "Shape");
    let below = list(&server.request("typeHierarchy/subtypes", asked).unwrap());
    assert_eq!(below.len(), 1, "{below:?}");
    assert_eq!(below[0]["name"], "Lid");
    assert!(below[0]["uri"].as_str().unwrap().ends_with("/main.py"));
}

fn lenses(server: &Server, path: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": server.uri(path) } });
    let lenses = list(&server.request("textDocument/codeLens", params).unwrap());
    assert!(lenses.iter().all(|lens| lens["command"].is_null()), "{lenses:?}");
    lenses.into_iter().map(|lens| server.request("codeLens/resolve", lens).unwrap()).collect()
}

#[test]
fn lenses_count_references_when_resolved() {
    let server = Server::builder(SHAPES).options(json!({ "lens": { "unused": true } })).start();
    server.open_file("shapes.py");
    let found = lenses(&server, "shapes.py");
    let titles = |found: &[Value]| -> Vec<String> {
        let title = |lens: &Value| lens["command"]["title"].as_str().unwrap().to_owned();
        found.iter().map(title).collect()
    };
    assert_eq!(
        titles(&found),
        ["1 reference", "0 references", "2 references", "0 references", "6 references"]
    );
    // Nobody knows how this client shows places.
    assert!(found.iter().all(|lens| lens["command"]["command"] == ""), "{found:?}");
    // An unused symbol has no lens unless enabled; a name that occurs nowhere has none.
    let server = Server::start("//- /a.py\ndef used(): pass\ndef alone(): pass\nused()\n");
    server.open_file("a.py");
    server.wait_until_read();
    assert_eq!(titles(&lenses(&server, "a.py")), ["1 reference"]);
    let server = Server::start(SHAPES);
    server.open_file("shapes.py");
    server.wait_until_read();
    let shown = titles(&lenses(&server, "shapes.py"));
    assert!(!shown.contains(&"0 references".to_owned()), "{shown:?}");
    assert!(shown.contains(&"6 references".to_owned()), "{shown:?}");
}

#[test]
fn lenses_use_the_command_that_the_client_has() {
    let commands = json!({ "commands": ["rust-analyzer.showReferences"] });
    let server = Server::builder(SHAPES).capability("experimental/commands", commands).start();
    server.open_file("shape.ts");
    let found = lenses(&server, "shape.ts");
    let shown: Vec<_> = found
        .iter()
        .map(|lens| {
            let command = &lens["command"];
            let places = command["arguments"][2].as_array().map_or(0, Vec::len);
            (command["title"].as_str().unwrap(), command["command"].as_str().unwrap(), places)
        })
        .collect();
    let show = "rust-analyzer.showReferences";
    assert!(shown.contains(&("1 implementation", show, 1)), "{shown:?}");
    assert_eq!(shown[0], ("1 reference", show, 1));
}

#[test]
fn urls_and_paths_in_comments_and_strings_are_links() {
    let server = Server::start(
        "
//- /src/a.rs
// See https://a.b/c(d), or ../docs/b.md:3. Not ../../out.md, nor docs/none.md.
fn f() { docs/b.md; g(\"docs/b.md\") }
//- /docs/b.md
[a](../src/a.rs) and [b](https://a.b).
",
    );
    server.open_file("src/a.rs");
    let links = |path: &str| -> Vec<(u64, u64, String)> {
        let params = json!({ "textDocument": { "uri": server.uri(path) } });
        let found = list(&server.request("textDocument/documentLink", params).unwrap());
        let told = |l: &Value| {
            let start = &l["range"]["start"];
            let target = l["target"].as_str().unwrap().replace(&server.uri(""), "");
            (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap(), target)
        };
        found.iter().map(told).collect()
    };
    let wanted = [
        (0, 7, "https://a.b/c(d)".to_owned()),
        (0, 28, "docs/b.md#L3".to_owned()),
        (1, 23, "docs/b.md".to_owned()),
    ];
    assert_eq!(links("src/a.rs"), wanted);
    let wanted = [(0, 4, "src/a.rs".to_owned()), (0, 25, "https://a.b".to_owned())];
    assert_eq!(links("docs/b.md"), wanted);
}

#[test]
fn imports_are_links_if_enabled() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    let params = json!({ "textDocument": { "uri": server.uri("main.py") } });
    assert_eq!(server.request("textDocument/documentLink", params.clone()).unwrap(), json!([]));
    let server = Server::builder(SHAPES).options(json!({ "links": { "imports": true } })).start();
    server.open_file("main.py");
    // Everything has been read from here on.
    lenses(&server, "main.py");
    let params = json!({ "textDocument": { "uri": server.uri("main.py") } });
    let found = list(&server.request("textDocument/documentLink", params).unwrap());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 0, "character": 5 }));
    assert!(found[0]["target"].is_null());
    let link = server.request("documentLink/resolve", found[0].clone()).unwrap();
    assert!(link["target"].as_str().unwrap().ends_with("/shapes.py"), "{link}");
}
