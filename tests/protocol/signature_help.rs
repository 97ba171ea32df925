//! `textDocument/signatureHelp`: the signature and its active parameter, while a call is typed.

use serde_json::{Value, json};
use tests::{Server, ServerBuilder};

const METHOD: &str = "textDocument/signatureHelp";

fn help(server: &Server, path: &str, mark: &str) -> Value {
    let text = server.fixture().text(path).to_owned();
    let at = text.find(mark).unwrap_or_else(|| panic!("no {mark}")) + mark.len();
    server.request_at(METHOD, path, at, &text)
}

/// The label of the active signature and the text of its active parameter.
fn active_parameter(help: &Value) -> (String, String) {
    let number = |name: &str| usize::try_from(help[name].as_u64().unwrap()).unwrap();
    let signature = &help["signatures"][number("activeSignature")];
    let label = signature["label"].as_str().unwrap();
    let parameter = &signature["parameters"][number("activeParameter")]["label"];
    let shown = match parameter {
        Value::Array(ends) => {
            let units: Vec<u16> = label.encode_utf16().collect();
            let end = |n: usize| usize::try_from(ends[n].as_u64().unwrap()).unwrap();
            String::from_utf16(&units[end(0)..end(1)]).unwrap()
        }
        Value::String(text) => text.clone(),
        _ => String::new(),
    };
    (label.to_owned(), shown)
}

fn with_offsets(setup: ServerBuilder) -> ServerBuilder {
    setup.capability(
        "textDocument/signatureHelp",
        json!({ "signatureInformation": {
            "parameterInformation": { "labelOffsetSupport": true },
            "activeParameterSupport": true,
            "documentationFormat": ["markdown"],
        } }),
    )
}

/// For every language: a call of a function in another file, not closed, with more text behind it.
const ALL_LANGUAGES: &str = "
//- /shapes.py
def draw(größe: int, label='a, b', *rest):
    '''Draws.'''
//- /main.py
from shapes import draw
draw(1, 'x',
def following(): pass
//- /shapes.ts
/** Draws. */
export function draw(größe: number, label = 'a, b', ...rest: string[]): void {}
//- /main.ts
import { draw } from './shapes';
draw(1, 'x',
function following() {}
//- /Cargo.toml
[package]
name = \"m\"
//- /src/lib.rs
mod shapes;
use shapes::draw;
fn main() {
    let x = draw(1, 'x',
    let y = 1;
}
//- /src/shapes.rs
/// Draws.
pub fn draw(größe: u32, label: char, rest: &[u8]) -> bool { true }
//- /go.mod
module example.com/m
//- /shapes.go
package m

// Draws.
func Draw(größe int, label string, rest ...string) bool { return true }
//- /main.go
package m

func run() {
	x := Draw(1, \"x\",
	y := 1
}
//- /shapes.h
/* Draws. */
int draw(int size, const char *label, ...);
//- /main.c
#include \"shapes.h\"
int main(void) {
    int x = draw(1, \"x\",
    return 1;
}
//- /p/Shapes.java
package p;
class Shapes {
    /** Draws. */
    static int draw(int größe, String label, String... rest) { return 1; }
}
//- /p/Main.java
package p;
class Main {
    void run() {
        int x = Shapes.draw(1, \"x\",
        int y = 1;
    }
}
//- /cpp/shapes.hpp
// Draws.
int draw(int size, const std::string& label, std::vector<int> rest);
//- /cpp/main.cc
#include \"shapes.hpp\"
int run() {
  auto x = draw(1, \"x\",
  return 1;
}
";

const MARKS: [(&str, &str, &str); 7] = [
    ("main.py", "draw(1, 'x',", "*rest"),
    ("main.ts", "draw(1, 'x',", "...rest: string[]"),
    ("src/lib.rs", "draw(1, 'x',", "rest: &[u8]"),
    ("main.go", "Draw(1, \"x\",", "rest ...string"),
    ("main.c", "draw(1, \"x\",", "..."),
    ("p/Main.java", "draw(1, \"x\",", "String... rest"),
    ("cpp/main.cc", "draw(1, \"x\",", "std::vector<int> rest"),
];

#[test]
fn every_language_while_the_call_is_open() {
    let server = with_offsets(Server::builder(ALL_LANGUAGES)).start();
    server.open_file("main.py");
    server.wait_until_read();
    for (path, mark, wanted) in MARKS {
        if path != "main.py" {
            server.open_file(path);
        }
        let help = help(&server, path, mark);
        let (label, parameter) = active_parameter(&help);
        assert!(label.to_lowercase().contains("draw("), "{path}: {help}");
        assert_eq!(parameter, wanted, "{path}: {help}");
        let documentation = &help["signatures"][0]["documentation"];
        assert!(documentation.to_string().contains("Draws."), "{path}: {help}");
    }
}

#[test]
fn parameter_labels_are_text_without_offset_support() {
    let server = Server::builder(ALL_LANGUAGES).start();
    server.open_file("main.py");
    server.wait_until_read();
    let help = help(&server, "main.py", "draw(1, ");
    assert_eq!(help["signatures"][0]["parameters"][0]["label"], "größe: int");
    assert_eq!(active_parameter(&help).1, "label='a, b'");
    assert!(help["signatures"][0].get("activeParameter").is_none(), "{help}");
}

#[test]
fn the_chosen_overload_stays_while_it_matches() {
    let text = "
//- /main.ts
export function over(a: number): void;
export function over(a: string, b?: number): void;
export function over(a: any, b?: any) {}
over(1);
over('', 1);
";
    let server = with_offsets(Server::builder(text)).start();
    server.open_file("main.ts");
    let first = help(&server, "main.ts", "\nover(");
    assert_eq!(first["activeSignature"], 0, "{first}");
    let mut before = first.clone();
    before["activeSignature"] = json!(1);
    let again = |line: u32, character: u32| {
        let params = json!({
            "textDocument": { "uri": server.uri("main.ts") },
            "position": { "line": line, "character": character },
            "context": {
                "triggerKind": 3, "isRetrigger": true, "activeSignatureHelp": before,
            },
        });
        server.request(METHOD, params).unwrap()
    };
    assert_eq!(again(3, 6)["activeSignature"], 1);
    before["activeSignature"] = json!(0);
    let params = json!({
        "textDocument": { "uri": server.uri("main.ts") },
        "position": { "line": 4, "character": 9 },
        "context": { "triggerKind": 3, "isRetrigger": true, "activeSignatureHelp": before },
    });
    // It takes no second argument.
    assert_eq!(server.request(METHOD, params).unwrap()["activeSignature"], 1);
}

#[test]
fn signature_help_answers_at_every_position_of_a_call() {
    let server = with_offsets(Server::builder(ALL_LANGUAGES)).start();
    server.open_file("main.py");
    server.wait_until_read();
    for (path, mark, _) in MARKS {
        if path != "main.py" {
            server.open_file(path);
        }
        let text = server.fixture().text(path).to_owned();
        let start = text.find(mark).unwrap();
        let typed = format!("{mark}other(2, [3, \"( \"], ");
        for end in (0..typed.len()).filter(|&e| typed.is_char_boundary(e)) {
            let now = format!("{}{}{}", &text[..start], &typed[..end], &text[start + mark.len()..]);
            server.type_in(path, &[json!({ "text": now })]);
            let help = server.request_at(METHOD, path, start + end, &now);
            if (mark.find('(').unwrap() + 1..mark.len()).contains(&end) {
                assert!(help.is_object(), "{path} {}", &typed[..end]);
                let (label, _) = active_parameter(&help);
                assert!(label.to_lowercase().contains("draw("), "{path} {}", &typed[..end]);
            }
        }
    }
}
