//! `textDocument/references`.

use serde_json::json;
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
def area(r):
    return r * r

area(1)
//- /main.py
from shapes import area

def other():
    area = 3
    return area

print(area(2))
//- /unrelated.py
def area():
    pass
";

fn lines(server: &Server, path: &str, line: u32, character: u32, declaration: bool) -> Vec<String> {
    let answer = server
        .request(
            "textDocument/references",
            json!({
                "textDocument": { "uri": server.uri(path) },
                "position": { "line": line, "character": character },
                "context": { "includeDeclaration": declaration },
            }),
        )
        .unwrap();
    let mut lines: Vec<_> = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|place| {
            let file = place["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{file}:{}", place["range"]["start"]["line"].as_u64().unwrap() + 1)
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn only_occurrences_of_the_same_definition() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    let all = ["main.py:1", "main.py:7", "shapes.py:1", "shapes.py:4"];
    assert_eq!(lines(&server, "main.py", 6, 7, true), all);
    assert_eq!(lines(&server, "shapes.py", 0, 5, true), all);
    assert_eq!(lines(&server, "shapes.py", 0, 5, false), ["main.py:1", "main.py:7", "shapes.py:4"]);
    assert_eq!(lines(&server, "main.py", 4, 12, true), ["main.py:4", "main.py:5"]);
}

#[test]
fn unsaved_text_is_used() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    server.replace_text("main.py", "print(area(2))", "pass");
    assert_eq!(
        lines(&server, "shapes.py", 0, 5, true),
        ["main.py:1", "shapes.py:1", "shapes.py:4"]
    );
}
