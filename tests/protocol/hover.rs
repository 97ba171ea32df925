//! `textDocument/hover`.

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
    let server = Server::builder(FIXTURE)
        .capability("textDocument/hover/contentFormat", json!(["markdown", "plaintext"]))
        .start();
    server.open_file("main.py");
    let answer = hover(&server, "main.py", 3, 11);
    assert_eq!(answer["contents"]["kind"], "markdown");
    let text = answer["contents"]["value"].as_str().unwrap();
    assert_eq!(
        text,
        "\
```python
def area(self, unit: str = 'm') -> float
```

method of `Box` in shapes.py

---

How large it is."
    );
    let range =
        json!({ "start": { "line": 3, "character": 10 }, "end": { "line": 3, "character": 14 } });
    assert_eq!(answer["range"], range);
}

#[test]
fn clients_without_markdown_get_plain_text() {
    let server = Server::builder(FIXTURE)
        .capability("textDocument/hover/contentFormat", json!(["plaintext"]))
        .start();
    server.open_file("main.py");
    let answer = hover(&server, "main.py", 3, 6);
    assert_eq!(answer["contents"]["kind"], "plaintext");
    assert_eq!(answer["contents"]["value"], "box = Box()\n\nvariable");
}

#[test]
fn non_identifiers_have_no_hover() {
    let server = Server::start(FIXTURE);
    server.open_file("main.py");
    assert_eq!(hover(&server, "main.py", 1, 0), Value::Null);
}

#[test]
fn documentation_is_markdown_if_the_client_supports_it() {
    let fixture = "
//- /a.py
def scale(x):
    '''Scales by :attr:`factor`.

    :param int x: what is ``scaled``
    '''

scale(1)
//- /A.java
class A {
    /** Closes {@code this}. @see A
     * @param x what <b>it</b> is
     */
    void close(int x) {}
    void use() { close(1); }
}
";
    for (markdown, wanted) in [
        (true, "Scales by `factor`.\n\n**Parameters**\n\n- `x` (`int`): what is `scaled`"),
        (false, "Scales by :attr:`factor`.\n\n:param int x: what is ``scaled``"),
    ] {
        let format = if markdown { "markdown" } else { "plaintext" };
        let server = Server::builder(fixture)
            .capability("textDocument/hover/contentFormat", json!([format]))
            .capability(
                "textDocument/signatureHelp/signatureInformation/documentationFormat",
                json!([format]),
            )
            .start();
        server.open_file("a.py");
        let answer = hover(&server, "a.py", 6, 2);
        let text = answer["contents"]["value"].as_str().unwrap();
        assert!(text.ends_with(wanted), "{text}");
        let place = json!({
            "textDocument": { "uri": server.uri("a.py") },
            "position": { "line": 6, "character": 6 },
        });
        let help = server.request("textDocument/signatureHelp", place).unwrap();
        let documentation = &help["signatures"][0]["documentation"];
        let text = documentation["value"].as_str().or_else(|| documentation.as_str());
        assert_eq!(text, Some(wanted), "{help}");
        if markdown {
            server.open_file("A.java");
            let answer = hover(&server, "A.java", 5, 18);
            let text = answer["contents"]["value"].as_str().unwrap();
            assert!(text.contains("Closes `this`.") && text.contains("- `x`: what **it** is"));
        }
    }
}

#[test]
fn builtins_are_known() {
    let server = Server::builder(
        "
//- /a.py
class A(dict):
    list = 1
print(list(x), f(list=1), A().list)
//- /a.rs
fn f(v: Vec<u8>, v: &str) {}
//- /a.ts
const a: Array<string> = []
",
    )
    .capability("textDocument/hover/contentFormat", json!(["markdown"]))
    .start();
    let shown = |path: &str, line, character, begin: &str, text: &str| {
        server.open_file(path);
        let answer = hover(&server, path, line, character);
        let value = answer["contents"]["value"].as_str().unwrap_or_default();
        assert!(value.contains(begin) && value.contains(text), "{path}:{line}: {answer}");
    };
    shown("a.py", 0, 9, "dict(", "mapping");
    shown("a.py", 2, 7, "list(iterable=(), /)", "class, built in");
    shown("a.rs", 0, 8, "pub struct Vec<T", "growable");
    shown("a.rs", 0, 13, "u8", "8 bits");
    shown("a.rs", 0, 22, "str", "UTF-8");
    shown("a.ts", 0, 10, "interface Array<T>", "list");
    shown("a.ts", 0, 17, "string", "Text.");
    // The name of an argument of something unknown, and a member of one's own.
    assert_eq!(hover(&server, "a.py", 2, 19), Value::Null);
    let own = hover(&server, "a.py", 2, 31);
    assert!(!own.to_string().contains("built in"), "{own}");
}
