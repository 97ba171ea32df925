//! Occurrences in a document, and where else a name leads.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /a.ts
export interface Shape { area(): number }
export class Disc implements Shape {
  area() { return 1 }
}
let count = 0;
count += 1;
console.log(count);
//- /b.ts
import { Shape } from './a';
export function measure(shape: Shape) {
  return shape.area();
}
";

fn request_lines(
    server: &Server,
    method: &str,
    path: &str,
    line: u32,
    character: u32,
) -> Vec<String> {
    let place = json!({
        "textDocument": { "uri": server.uri(path) },
        "position": { "line": line, "character": character },
    });
    let answer = server.request(method, place).unwrap();
    let shown = |place: &Value| {
        let file = place["uri"].as_str().unwrap_or("").rsplit('/').next().unwrap().to_owned();
        let start = &place["range"]["start"];
        let kind = place["kind"].as_u64().map_or(String::new(), |k| format!(" {k}"));
        format!("{file}:{}:{}{kind}", start["line"], start["character"])
    };
    answer.as_array().map(|all| all.iter().map(shown).collect()).unwrap_or_default()
}

#[test]
fn occurrences_mark_writes() {
    let server = Server::start(FIXTURE);
    server.open_file("a.ts");
    let all = request_lines(&server, "textDocument/documentHighlight", "a.ts", 4, 5);
    assert_eq!(all, [":4:4 3", ":5:0 3", ":6:12 2"]);
}

#[test]
fn types_declarations_and_implementations() {
    let server = Server::start(FIXTURE);
    server.open_file("b.ts");
    let at =
        |method: &str, line, character| request_lines(&server, method, "b.ts", line, character);
    assert_eq!(at("textDocument/typeDefinition", 2, 10), ["a.ts:0:17"]);
    assert_eq!(at("textDocument/implementation", 1, 33), ["a.ts:1:13"]);
    assert_eq!(at("textDocument/implementation", 2, 16), ["a.ts:2:2"]);
    server.open_file("a.ts");
    assert_eq!(request_lines(&server, "textDocument/declaration", "a.ts", 2, 3), ["a.ts:0:25"]);
}
