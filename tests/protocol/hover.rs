//! What is told of a name.

use serde_json::{Value, json};
use tests::Server;

const FIXTURE: &str = "
//- /shapes.py
class Box:
    '''A box.'''
    def area(self, unit: str = 'm') -> float:
        '''How large it is.'''
        return 1.0
//- /main.py
from shapes import Box

box = Box()
print(box.area())
";

fn hover(server: &Server, path: &str, line: u32, character: u32) -> Value {
    let place = json!({
        "textDocument": { "uri": server.uri(path) },
        "position": { "line": line, "character": character },
    });
    server.request("textDocument/hover", place).unwrap()
}

#[test]
fn a_method_has_signature_documentation_and_origin() {
    let server = Server::with(FIXTURE)
        .capability("textDocument/hover/contentFormat", json!(["markdown", "plaintext"]))
        .start();
    server.open_file("main.py");
    let answer = hover(&server, "main.py", 3, 11);
    assert_eq!(answer["contents"]["kind"], "markdown");
    let text = answer["contents"]["value"].as_str().unwrap();
    assert_eq!(
        text,
        "```python\ndef area(self, unit: str = 'm') -> float\n```\n\n\
         method of `Box` in shapes.py\n\n---\n\nHow large it is."
    );
    let range =
        json!({ "start": { "line": 3, "character": 10 }, "end": { "line": 3, "character": 14 } });
    assert_eq!(answer["range"], range);
}

#[test]
fn clients_without_markdown_get_plain_text() {
    let server = Server::with(FIXTURE)
        .capability("textDocument/hover/contentFormat", json!(["plaintext"]))
        .start();
    server.open_file("main.py");
    let answer = hover(&server, "main.py", 3, 6);
    assert_eq!(answer["contents"]["kind"], "plaintext");
    assert_eq!(answer["contents"]["value"], "box = Box()\n\nvariable");
}

#[test]
fn nothing_is_told_of_what_is_no_name() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    assert_eq!(hover(&server, "main.py", 1, 0), Value::Null);
}
