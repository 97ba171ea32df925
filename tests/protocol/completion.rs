//! `textDocument/completion`: what is offered where, and what an item resolves to.

use serde_json::{Value, json};
use tests::Server;

fn complete(server: &Server, path: &str, line: u32, character: u32) -> Value {
    let place = json!({
        "textDocument": { "uri": server.uri(path) },
        "position": { "line": line, "character": character },
    });
    server.request("textDocument/completion", place).unwrap()
}

fn labels(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().map_or(&[][..], |a| a);
    items.iter().map(|i| i["label"].as_str().unwrap()).collect()
}

const SHAPES: &str = "
//- /shapes.py
class Shape:
    def area(self): pass

class Box(Shape):
    '''A box.'''
    def __init__(self, width, height):
        self.width = width
    def around(self, unit: str) -> float:
        '''How far around.'''
//- /main.py
from shapes import Box

def measure(box: Box, bold):
    return box.ar
    bo
    Box(wi)
    box.
";

#[test]
fn members_of_a_known_receiver_are_offered_inherited_ones_too() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 3, 17);
    let mut found = labels(&answer);
    found.sort_unstable();
    assert_eq!(found, ["area", "around"]);
    assert_eq!(answer["isIncomplete"], false);
    let edit = &answer["items"][0]["textEdit"]["range"];
    assert_eq!(edit["start"], json!({ "line": 3, "character": 15 }));
}

#[test]
fn members_are_offered_before_the_first_letter() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 6, 8);
    let mut found = labels(&answer);
    found.retain(|l| !l.starts_with('_'));
    found.sort_unstable();
    assert_eq!(found, ["area", "around", "width"]);
}

#[test]
fn only_names_in_scope_are_offered() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 4, 6);
    let found = labels(&answer);
    assert!(
        found.contains(&"bold") && found.contains(&"box") && found.contains(&"Box"),
        "{found:?}"
    );
    assert!(!found.contains(&"around") && !found.contains(&"Shape"), "{found:?}");
}

#[test]
fn an_item_resolves_to_its_signature_and_documentation() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 3, 17);
    let item = answer["items"].as_array().unwrap().iter().find(|i| i["label"] == "around");
    let item = server.request("completionItem/resolve", item.unwrap().clone()).unwrap();
    assert_eq!(item["detail"], "def around(self, unit: str) -> float");
    assert!(item["documentation"].to_string().contains("How far around."), "{item}");
}

#[test]
fn missing_arguments_are_offered_by_name() {
    let server = Server::builder(SHAPES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 5, 10);
    assert!(labels(&answer).contains(&"width="), "{answer}");
}

#[test]
fn comments_and_strings_offer_nothing() {
    let server = Server::builder("//- /a.py\nvalue = 1\n# va\nx = 'va'\n").start();
    server.open_file("a.py");
    for line in [1, 2] {
        let answer = complete(&server, "a.py", line, 4 + 3 * (line - 1));
        assert_eq!(labels(&answer), [""; 0], "{answer}");
    }
}

#[test]
fn modules_are_offered_in_imports() {
    let text = "
//- /main.py
from pkg.sh import number
from pkg import sh
//- /pkg/__init__.py
x = 1
//- /pkg/shapes.py
number = 1
";
    let server = Server::builder(text).start();
    server.open_file("main.py");
    server.wait_until_read();
    for (line, character) in [(0, 11), (1, 18)] {
        let answer = complete(&server, "main.py", line, character);
        assert_eq!(labels(&answer), ["shapes"], "{answer}");
    }
}

#[test]
fn a_prefix_completes_to_keywords() {
    let text = "//- /a.py\ndef f(incomplete):\n    return g(in)\n";
    let server = Server::builder(text).start();
    server.open_file("a.py");
    let answer = complete(&server, "a.py", 1, 15);
    assert!(labels(&answer).contains(&"incomplete"), "{answer}");
}

#[test]
fn word_matches_are_the_last_resort_and_marked() {
    let text = "//- /a.py\ndef f(a):\n    a.thing(1)\n    f(thi)\n";
    let server = Server::builder(text).start();
    server.open_file("a.py");
    let answer = complete(&server, "a.py", 2, 9);
    assert_eq!(labels(&answer), ["thing"], "{answer}");
    assert_eq!(answer["items"][0]["detail"], "word");
    assert_eq!(answer["isIncomplete"], true);
}

const UNIMPORTED: &str = "
//- /app/__init__.py
//- /app/shapes.py
class Boxer:
    '''A box.'''
//- /main.py
import os

boxes = Bo
";

fn item<'a>(answer: &'a Value, label: &str) -> Option<&'a Value> {
    answer["items"].as_array()?.iter().find(|i| i["label"] == label)
}

#[test]
fn unimported_names_come_with_their_import() {
    let server = Server::builder(UNIMPORTED).start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 2, 10);
    let boxer = item(&answer, "Boxer").expect("a candidate");
    assert_eq!(boxer["additionalTextEdits"][0]["newText"], "\nfrom app.shapes import Boxer\n");
    assert_eq!(boxer["detail"], "import from app.shapes");
}

#[test]
fn the_import_is_added_on_resolve_if_the_client_supports_it() {
    let server = Server::builder(UNIMPORTED)
        .capability(
            "textDocument/completion/completionItem/resolveSupport/properties",
            json!(["documentation", "additionalTextEdits"]),
        )
        .capability("textDocument/completion/completionItem/labelDetailsSupport", json!(true))
        .start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 2, 10);
    let boxer = item(&answer, "Boxer").expect("a candidate");
    assert_eq!(boxer["additionalTextEdits"], Value::Null);
    assert_eq!(boxer["labelDetails"]["description"], "app.shapes");
    let boxer = server.request("completionItem/resolve", boxer.clone()).unwrap();
    assert_eq!(boxer["additionalTextEdits"][0]["newText"], "\nfrom app.shapes import Boxer\n");
    assert!(boxer["documentation"].to_string().contains("A box."), "{boxer}");
}

#[test]
fn the_import_is_made_from_the_module_that_the_list_shows() {
    // Other files take it from the package, which a file of the package may not.
    let server = Server::start(
        "
//- /app/__init__.py
from .shared import requested as requested
from .one import a
//- /app/shared.py
requested = 1
//- /app/one.py
from . import requested
a = requested
//- /app/two.py
from . import requested
b = requested
//- /app/three.py
from .one import a

reques
",
    );
    server.open_file("app/three.py");
    // Until all files have been read it is not known.
    let started = std::time::Instant::now();
    let answer = loop {
        let answer = complete(&server, "app/three.py", 2, 6);
        if item(&answer, "requested").is_some() || started.elapsed().as_secs() > 10 {
            break answer;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let found = item(&answer, "requested").expect("a candidate");
    let edit = found["additionalTextEdits"][0]["newText"].as_str().unwrap();
    let module = found["detail"].as_str().unwrap().strip_prefix("import from ").unwrap();
    assert_eq!(module, ".shared", "{found}");
    assert!(edit.contains(&format!("from {module} import requested")), "{found}");
}

#[test]
fn text_after_the_cursor_may_be_replaced() {
    let server = Server::builder(SHAPES)
        .capability("textDocument/completion/completionItem/insertReplaceSupport", json!(true))
        .start();
    server.open_file("main.py");
    server.wait_until_read();
    let answer = complete(&server, "main.py", 3, 13);
    let edit = &item(&answer, "box").expect("a candidate")["textEdit"];
    assert_eq!(edit["insert"]["end"]["character"], 13, "{edit}");
    assert_eq!(edit["replace"]["end"]["character"], 14, "{edit}");
}

#[test]
fn keywords_and_snippets_fit_their_context() {
    let text = "//- /a.py\nvalue = 1\nfo\n";
    let plain = Server::builder(text).start();
    plain.open_file("a.py");
    assert_eq!(labels(&complete(&plain, "a.py", 1, 2)), ["for"]);
    let server = Server::builder(text)
        .capability("textDocument/completion/completionItem/snippetSupport", json!(true))
        .start();
    server.open_file("a.py");
    let answer = complete(&server, "a.py", 1, 2);
    let found = answer["items"].as_array().unwrap();
    let snippet = found.iter().find(|i| i["insertTextFormat"] == 2).expect("a text");
    assert!(snippet["textEdit"]["newText"].as_str().unwrap().starts_with("for ${1:item} in"));
}

#[test]
fn every_position_of_a_file_can_be_queried() {
    let text = "import os\n\nclass A:\n    def f(self, n: int):\n        return os.path.join(self.f(n=1), [x for x in 'ab'])\n\nA().f(";
    let server = Server::builder("//- /a.py\n\n//- /b.py\nclass Other: pass\n").start();
    server.open_file("a.py");
    let (mut line, mut character) = (0_u32, 0_u32);
    for letter in text.chars() {
        let here = json!({ "line": line, "character": character });
        server.type_in(
            "a.py",
            &[json!({ "range": { "start": here, "end": here }, "text": letter.to_string() })],
        );
        (line, character) = if letter == '\n' { (line + 1, 0) } else { (line, character + 1) };
        let place = json!({
            "textDocument": { "uri": server.uri("a.py") },
            "position": { "line": line, "character": character },
        });
        for method in ["completion", "hover", "signatureHelp"] {
            let answer = server.request(&format!("textDocument/{method}"), place.clone());
            assert!(answer.is_ok(), "{method} at {line}:{character}: {answer:?}");
        }
    }
}

#[test]
fn deprecation_is_marked_in_the_form_the_client_supports() {
    let text = "
//- /main.ts
/** @deprecated */
export function oldName() {}
function forms(a: string): void;
/** @deprecated */
function forms(a: number): void;
oldN
form
";
    let tags = "textDocument/completion/completionItem/tagSupport/valueSet";
    let marks = "textDocument/completion/completionItem/deprecatedSupport";
    let outline = "textDocument/documentSymbol/tagSupport/valueSet";
    for (pointer, value, expected) in [
        (tags, json!([1]), (json!([1]), Value::Null)),
        (marks, json!(true), (Value::Null, json!(true))),
        (outline, json!([1]), (Value::Null, Value::Null)),
    ] {
        let server = Server::builder(text).capability(pointer, value).start();
        server.open_file("main.ts");
        let answer = complete(&server, "main.ts", 5, 4);
        let old = item(&answer, "oldName").expect("a candidate");
        assert_eq!((old["tags"].clone(), old["deprecated"].clone()), expected, "{pointer}");
        // One of its forms is not.
        let answer = complete(&server, "main.ts", 6, 4);
        let forms = item(&answer, "forms").expect("a candidate");
        assert_eq!((&forms["tags"], &forms["deprecated"]), (&Value::Null, &Value::Null));
        let symbols = server.symbols("main.ts");
        let marked = if pointer == outline { json!([1]) } else { Value::Null };
        assert_eq!(symbols[0]["tags"], marked, "{symbols}");
    }
}
