//! `textDocument/definition` across the workspace: where exactly one fits, and never a guess.

use serde_json::json;
use tests::Server;

use crate::definition::check;

#[test]
fn a_unique_match_in_the_workspace_is_offered() {
    check(
        "
//- /shapes.py
class Circle:
#     ^^^^^^ definition
    pass
//- /main.py
from shapes import Circle
c = Cir$0cle()
",
    );
    check(
        "
//- /src/shapes.rs
pub struct Circle;
//         ^^^^^^ definition
//- /src/main.rs
mod shapes;
use shapes::Circle;
fn main() { let _ = Cir$0cle; }
",
    );
    check(
        "
//- /shapes.ts
export class Circle {}
//           ^^^^^^ definition
//- /main.ts
import { Circle } from './shapes';
new Cir$0cle();
",
    );
    check(
        "
//- /shapes.js
export function makeCircle() {}
//              ^^^^^^^^^^ definition
//- /main.js
import { makeCircle } from './shapes.js';
makeCir$0cle();
",
    );
    check(
        "
//- /a/shapes.go
package a

type Circle struct{}
//   ^^^^^^ definition
//- /a/main.go
package a

var c Cir$0cle
",
    );
    check(
        "
//- /shapes.c
int circle_area(int r) { return 3 * r * r; }
//  ^^^^^^^^^^^ definition
//- /main.c
int main(void) { return circle_$0area(1); }
",
    );
    check(
        "
//- /shapes.hpp
class Circle {};
//    ^^^^^^ definition
//- /main.cpp
#include \"shapes.hpp\"
int main() { Cir$0cle c; }
",
    );
    check(
        "
//- /shapes/Circle.java
package shapes;
public class Circle {}
//           ^^^^^^ definition
//- /shapes/Main.java
package shapes;
class Main { Cir$0cle c; }
",
    );
}

#[test]
fn no_definition_is_guessed_between_two_matches() {
    check(
        "
//- /one.py
def load():
    pass
//- /two.py
def load():
    pass
//- /main.py
def main(thing):
    thing.lo$0ad()
",
    );
    check(
        "
//- /one.c
int area(int r) { return r; }
//- /two.c
int area(int r) { return 2 * r; }
//- /main.c
int main(void) { return ar$0ea(1); }
",
    );
}

#[test]
fn no_result_where_nothing_matches() {
    check(
        "
//- /a.py
print(no_such_$0thing)
",
    );
    check(
        "
//- /a.rs
fn main() { println!(\"no code he$0re\"); }
//- /b.rs
pub fn here() {}
",
    );
    check(
        "
//- /a.rs
// greet in a comm$0ent
fn comment() {}
",
    );
}

#[test]
fn a_local_name_of_another_file_is_not_offered() {
    check(
        "
//- /a.py
def f():
    hidden = 1
    return hidden
//- /b.py
print(hid$0den)
",
    );
    check(
        "
//- /a.rs
fn f() { let hidden = 1; }
//- /b.rs
fn g() { hid$0den; }
",
    );
}

#[test]
fn names_of_another_language_are_not_offered() {
    check(
        "
//- /a.py
def greet():
    pass
//- /b.rs
fn main() { gre$0et(); }
",
    );
}

#[test]
fn git_ignored_files_are_not_searched_for_names() {
    check(
        "
//- /.git/HEAD
ref: refs/heads/main
//- /.gitignore
build/
//- /build/copy.c
int area(int r) { return r; }
//- /shapes.c
int area(int r) { return r; }
//  ^^^^ definition
//- /main.c
int main(void) { return ar$0ea(1); }
",
    );
}

#[test]
fn unsaved_text_is_used() {
    let server = Server::start(
        "
//- /shapes.py
def old_name():
    pass
//- /main.py
from shapes import new_name
new_$0name()
",
    );
    server.open_cursor();
    let renamed = ("shapes.py".to_owned(), 4, 12);
    // Until then nothing, or the import that names it.
    assert!(!server.definitions_at_cursor().contains(&renamed));
    server.open_file("shapes.py");
    server.replace_text("shapes.py", "old_name", "new_name");
    assert_eq!(server.definitions_at_cursor(), std::slice::from_ref(&renamed));
    server.close_file("shapes.py");
    assert!(!server.definitions_at_cursor().contains(&renamed), "closed unsaved: the disk counts");
}

#[test]
fn a_new_unsaved_document_is_searched_too() {
    let server = Server::start("//- /main.c\nint main(void) { return ar$0ea(1); }\n");
    server.open_cursor();
    assert_eq!(server.definitions_at_cursor(), []);
    server.open_text("shapes.c", "int area(int r) { return r; }\n");
    let (path, offset) = server.fixture().cursor.clone().unwrap();
    let text = server.fixture().text(&path).to_owned();
    let found = server.request_at("textDocument/definition", &path, offset, &text);
    let found = if found.is_array() { found[0].clone() } else { found };
    assert_eq!(found["uri"], server.uri("shapes.c"), "{found}");
}

#[test]
fn a_cold_workspace_is_indexed_before_it_answers() {
    let server = Server::builder("//- /main.c\nint main(void) { return needle$0(1); }\n")
        .prepare(|root| {
            for n in 0..300 {
                let text = format!("int hay_{n}(int x) {{ return x; }}\n").repeat(30);
                std::fs::write(root.join(format!("hay_{n}.c")), text).unwrap();
            }
            std::fs::write(root.join("z.c"), "int needle(int x) { return x; }\n").unwrap();
        })
        .start();
    server.open_cursor();
    // Asked before anything could have been indexed: the answer waits, or is complete at once.
    let (path, offset) = server.fixture().cursor.clone().unwrap();
    let text = server.fixture().text(&path).to_owned();
    let found = server.request_at("textDocument/definition", &path, offset, &text);
    let found = if found.is_array() { found[0].clone() } else { found };
    assert_eq!(found["uri"], server.uri("z.c"), "{found}");
}

#[test]
fn changes_reported_by_the_client_are_used() {
    let server = Server::start(
        "
//- /main.c
int main(void) { return ar$0ea(1); }
//- /old.c
int area(int r) { return r; }
",
    );
    server.open_cursor();
    let found = |server: &Server| -> Vec<String> {
        let (path, offset) = server.fixture().cursor.clone().unwrap();
        let text = server.fixture().text(&path).to_owned();
        let found = server.request_at("textDocument/definition", &path, offset, &text);
        let found = found.as_array().cloned().unwrap_or_else(|| vec![found]);
        found.iter().filter_map(|place| place["uri"].as_str().map(str::to_owned)).collect()
    };
    let tell = |path: &str, kind: u8| {
        let changes = json!({ "changes": [{ "uri": server.uri(path), "type": kind }] });
        server.notify("workspace/didChangeWatchedFiles", changes).unwrap();
    };
    assert_eq!(found(&server), [server.uri("old.c")]);
    server.write("new.c", "int area(int r) { return 2 * r; }\n");
    tell("new.c", 1);
    assert_eq!(found(&server), [""; 0], "two fit now");
    std::fs::remove_file(server.path("old.c")).unwrap();
    tell("old.c", 3);
    assert_eq!(found(&server), [server.uri("new.c")]);
    server.write("new.c", "int volume(int r) { return 3 * r; }\n");
    tell("new.c", 2);
    assert_eq!(found(&server), [""; 0]);
}
