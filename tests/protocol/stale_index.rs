//! Names are true to the files after commands and after whole folders moved, though no editor has
//! reported a change.

use client::Answer;
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const MAIN: &str = "from shapes import Circle, Square\nc = Circle()\ns = Square()\n";

/// A server whose client approves everything.
fn server() -> Server {
    let fixture = format!(
        "\
//- /shapes.py
class Circle:
    pass
//- /old/extra.py
class Lonely:
    pass
//- /main.py
{MAIN}"
    );
    let server = Server::builder(&fixture).capability("window/showMessage", json!({})).start();
    server.answer_requests(|request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        Answer::Result(json!({ "title": "Allow once" }))
    });
    server
}

fn run(server: &Server, line: &str) {
    let result = server.must("run_command", json!({ "command": line }));
    assert_eq!(result["exit_code"], 0, "{result}");
}

/// Where the name at this place of `main.py` is defined: file and 0-based line.
fn definition(server: &Server, name: &str) -> Vec<(String, u64)> {
    let offset = MAIN.rfind(name).unwrap();
    let links = match server.request_at("textDocument/definition", "main.py", offset, MAIN) {
        Value::Null => Vec::new(),
        Value::Array(links) => links,
        link => vec![link],
    };
    let root = format!("{}/", server.uri("").trim_end_matches('/'));
    let place = |link: &Value| {
        let uri = link["uri"].as_str().or_else(|| link["targetUri"].as_str()).unwrap();
        let range = [&link["range"], &link["targetSelectionRange"]];
        let range = range.into_iter().find(|range| !range.is_null()).unwrap();
        (uri.trim_start_matches(&root).to_owned(), range["start"]["line"].as_u64().unwrap())
    };
    links.iter().map(place).collect()
}

/// The files that hold a symbol of this name.
fn symbols(server: &Server, name: &str) -> Vec<String> {
    let found = server.request("workspace/symbol", json!({ "query": name })).unwrap();
    let root = format!("{}/", server.uri("").trim_end_matches('/'));
    let found = found.as_array().cloned().unwrap_or_default();
    let uri = |symbol: &Value| symbol["location"]["uri"].as_str().unwrap().to_owned();
    let found = found.iter().filter(|symbol| symbol["name"] == name);
    found.map(|symbol| uri(symbol).trim_start_matches(&root).to_owned()).collect()
}

#[test]
fn names_that_a_command_adds_moves_and_deletes_are_known_at_once() {
    let server = server();
    server.open_file("main.py");
    let started = std::time::Instant::now();
    while definition(&server, "Circle()") != [("shapes.py".to_owned(), 0)] {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "the workspace is not read");
    }
    assert_ne!(definition(&server, "Square()"), [("shapes.py".to_owned(), 0)]);
    run(&server, "printf 'class Square:\\n    pass\\nclass Circle:\\n    pass\\n' > shapes.py");
    assert_eq!(definition(&server, "Square()"), [("shapes.py".to_owned(), 0)]);
    assert_eq!(definition(&server, "Circle()"), [("shapes.py".to_owned(), 2)]);
    assert_eq!(symbols(&server, "Lonely"), ["old/extra.py"]);
    run(&server, "mv old new; printf 'class Added:\\n    pass\\n' > new/added.py");
    assert_eq!(symbols(&server, "Lonely"), ["new/extra.py"]);
    assert_eq!(symbols(&server, "Added"), ["new/added.py"]);
    run(&server, "rm -r new");
    assert_eq!(symbols(&server, "Lonely"), [""; 0]);
}

#[test]
fn a_folder_that_a_tool_moves_takes_its_names_along() {
    let server = server();
    let started = std::time::Instant::now();
    while symbols(&server, "Lonely") != ["old/extra.py"] {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "the workspace is not read");
    }
    server.must("move_file", json!({ "source": "old", "destination": "other" }));
    assert_eq!(symbols(&server, "Lonely"), ["other/extra.py"]);
    server.must("delete_file", json!({ "path": "other", "recursive": true }));
    assert_eq!(symbols(&server, "Lonely"), [""; 0]);
    server.must("undo_action", json!({}));
    assert_eq!(symbols(&server, "Lonely"), ["other/extra.py"]);
}
