//! `textDocument/definition`: by scope within a file.

use serde_json::json;
use tests::Server;

/// Checks a fixture on a server that has just started, the cursor's document open. The answer must
/// be the same a second time.
pub(crate) fn check(fixture: &str) {
    let server = Server::start(fixture);
    server.open_cursor();
    server.check_definition();
    server.check_definition();
}

#[test]
fn a_local_variable() {
    check(
        "
//- /a.py
def f():
    value = 1
#   ^^^^^ definition
    return val$0ue
",
    );
    check(
        "
//- /a.rs
fn f() -> i32 {
    let value = 1;
//      ^^^^^ definition
    val$0ue
}
",
    );
    check(
        "
//- /a.ts
function f() {
  const value = 1;
//      ^^^^^ definition
  return val$0ue;
}
",
    );
    check(
        "
//- /a.js
function f() {
  let value = 1;
//    ^^^^^ definition
  return val$0ue;
}
",
    );
    check(
        "
//- /a.go
package a

func f() int {
	value := 1
 ^^^^^ definition
	return val$0ue
}
",
    );
    check(
        "
//- /a.c
int f(void) {
    int value = 1;
//      ^^^^^ definition
    return val$0ue;
}
",
    );
    check(
        "
//- /a.cpp
int f() {
    auto value = 1;
//       ^^^^^ definition
    return val$0ue;
}
",
    );
    check(
        "
//- /A.java
class A {
    int f() {
        int value = 1;
//          ^^^^^ definition
        return val$0ue;
    }
}
",
    );
}

#[test]
fn a_parameter() {
    check(
        "
//- /a.py
def f(value, other=1):
#     ^^^^^ definition
    return val$0ue
",
    );
    check(
        "
//- /a.rs
fn f(value: i32) -> i32 { val$0ue }
//   ^^^^^ definition
",
    );
    check(
        "
//- /a.tsx
const f = ({ value }: P) => <b>{val$0ue}</b>;
//           ^^^^^ definition
",
    );
    check(
        "
//- /A.java
class A { int f(int value) { return val$0ue; } }
//                  ^^^^^ definition
",
    );
}

#[test]
fn the_innermost_shadows() {
    check(
        "
//- /a.rs
fn f() -> i32 {
    let x = 1;
    {
        let x = 2;
//          ^ definition
        x$0
    }
}
",
    );
    check(
        "
//- /a.rs
fn f() -> i32 {
    let x = 1;
//      ^ definition
    {
        let x = 2;
    }
    x$0
}
",
    );
    check(
        "
//- /a.rs
fn f() -> i32 {
    let x = 1;
//      ^ definition
    let x = x$0 + 1;
    x
}
",
    );
    check(
        "
//- /a.py
x = 1
def f(x):
#     ^ definition
    return x$0
",
    );
    check(
        "
//- /a.py
x = 1
^ definition
def f(y):
    return x$0
",
    );
    check(
        "
//- /a.ts
const x = 1;
function f() {
  const x = 2;
//      ^ definition
  return () => x$0;
}
",
    );
    check(
        "
//- /a.go
package a

func f() int {
	x := 1
	if true {
		x := 2
  ^ definition
		_ = x$0
	}
	return x
}
",
    );
    check(
        "
//- /a.c
int x;
int f(void) {
    int x = 1;
//      ^ definition
    { int y = 2; }
    return x$0;
}
",
    );
}

#[test]
fn a_function_of_the_same_file() {
    check(
        "
//- /a.py
def greet():
#   ^^^^^ definition
    pass

gre$0et()
",
    );
    check(
        "
//- /a.rs
fn main() { gre$0et(); }
fn greet() {}
// ^^^^^ definition
",
    );
    check(
        "
//- /a.go
package a

func main() { gre$0et() }
func greet()  {}
//   ^^^^^ definition
",
    );
    check(
        "
//- /a.c
static void greet(void) {}
//          ^^^^^ definition
int main(void) { gre$0et(); }
",
    );
}

#[test]
fn on_the_definition_itself() {
    check(
        "
//- /a.py
def gre$0et():
#   ^^^^^ definition
    pass
",
    );
}

#[test]
fn at_either_end_of_the_word() {
    check(
        "
//- /a.rs
fn main() { $0greet(); }
fn greet() {}
// ^^^^^ definition
",
    );
    check(
        "
//- /a.rs
fn main() { greet$0(); }
fn greet() {}
// ^^^^^ definition
",
    );
}

#[test]
fn unsaved_text_moves_the_hunks_below_it() {
    let server = Server::start("//- /a.rs\nfn main() { greet(); }\nfn greet() {}\n");
    server.open_file("a.rs");
    let start = json!({ "line": 0, "character": 0 });
    server.type_in(
        "a.rs",
        &[json!({ "range": { "start": start, "end": start }, "text": "// \u{1f600}\n\n" })],
    );
    let text = server.buffer("a.rs");
    let found =
        server.request_at("textDocument/definition", "a.rs", text.find("greet").unwrap(), &text);
    let found = if found.is_array() { found[0].clone() } else { found };
    assert_eq!(
        found["range"],
        json!({
            "start": { "line": 3, "character": 3 },
            "end": { "line": 3, "character": 8 },
        })
    );
}

#[test]
fn the_cursor_is_in_the_negotiated_encoding() {
    use tests::Encoding::{Utf8, Utf16, Utf32};
    let fixture = "
//- /a.rs
fn main() { let _ = \"\u{1f600}\u{e9}\"; gre$0et(); }
/* \u{1f600} */ fn greet() {}
           ^^^^^ definition
";
    for encoding in [Utf8, Utf16, Utf32] {
        let server = Server::builder(fixture).encodings(&[encoding]).start();
        server.open_cursor();
        server.check_definition();
    }
}

#[test]
fn a_document_need_not_be_open() {
    let server = Server::start(
        "
//- /a.rs
fn main() { gre$0et(); }
fn greet() {}
// ^^^^^ definition
",
    );
    server.check_definition();
}
