//! `textDocument/documentSymbol` in every language.

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server, offset_at};

const MODULE: &[u64] = &[2, 3, 4];
const CLASS: &[u64] = &[5];
const METHOD: &[u64] = &[6, 12];
const FIELD: &[u64] = &[7, 8, 13];
const CONSTRUCTOR: &[u64] = &[9, 6];
const ENUM: &[u64] = &[10];
const INTERFACE: &[u64] = &[11];
const FUNCTION: &[u64] = &[12];
const CONSTANT: &[u64] = &[13, 14];
const MEMBER: &[u64] = &[22, 8, 14];
const STRUCT: &[u64] = &[23, 5];

/// Asserts that a text has these symbols: names from the outermost in, and the kinds they may be.
fn check(path: &str, text: &str, expected: &[(&str, &[u64])]) {
    let server = Server::start("");
    server.open_text(path, text);
    let symbols = server.symbols(path);
    let symbols = symbols.as_array().unwrap_or_else(|| panic!("{path}: {symbols}"));
    check_symbols(&server, text, symbols, None);
    for (names, kinds) in expected {
        let mut level = symbols;
        let mut found = &Value::Null;
        for name in names.split('/') {
            found = level
                .iter()
                .find(|symbol| is_named(symbol, name))
                .unwrap_or_else(|| panic!("{path}: no {name} of {names} in {}", outline(level)));
            level = found["children"].as_array().unwrap_or(&NO_CHILDREN);
        }
        let kind = found["kind"].as_u64().unwrap();
        assert!(kinds.contains(&kind), "{path}: {names} is of kind {kind}, not of {kinds:?}");
    }
}

static NO_CHILDREN: Vec<Value> = Vec::new();

/// A symbol may be called by more than its name: `impl Shape for Circle` is found as `Circle`.
fn is_named(symbol: &Value, name: &str) -> bool {
    let full = symbol["name"].as_str().unwrap();
    full == name || full.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn outline(symbols: &[Value]) -> String {
    let line = |symbol: &Value| {
        let children = symbol["children"].as_array().map_or(&[][..], Vec::as_slice);
        format!("{}:{} [{}]", symbol["name"], symbol["kind"], outline(children))
    };
    symbols.iter().map(line).collect::<Vec<_>>().join(", ")
}

/// Checks what LSP requires of symbols: names that are not empty, ranges inside each other.
fn check_symbols(server: &Server, text: &str, symbols: &[Value], around: Option<(usize, usize)>) {
    for symbol in symbols {
        let name = symbol["name"].as_str().unwrap();
        assert!(!name.trim().is_empty(), "{symbol}");
        let span = |range: &Value| {
            let place = |end: &str| {
                offset_at(text, &range[end], server.encoding())
                    .unwrap_or_else(|| panic!("no such place: {symbol}"))
            };
            (place("start"), place("end"))
        };
        let (range, selection) = (span(&symbol["range"]), span(&symbol["selectionRange"]));
        assert!(
            range.0 <= selection.0 && selection.1 <= range.1,
            "selection outside of range: {symbol}"
        );
        let selected = &text[selection.0..selection.1];
        assert!(
            name.contains(selected) || selected.contains(name),
            "{name:?} selects {selected:?}"
        );
        if let Some(around) = around {
            assert!(
                around.0 <= range.0 && range.1 <= around.1,
                "a child outside of its parent: {symbol}"
            );
        }
        if let Some(children) = symbol["children"].as_array() {
            check_symbols(server, text, children, Some(range));
        }
    }
}

#[test]
fn python() {
    check(
        "a.py",
        "\
LIMIT = 3

class Circle(Shape):
    sides = 0

    def __init__(self, r):
        self.r = r

    @property
    def area(self):
        def inner():
            pass
        return 3

async def main():
    pass
",
        &[
            ("LIMIT", CONSTANT),
            ("Circle", CLASS),
            ("Circle/sides", FIELD),
            ("Circle/__init__", CONSTRUCTOR),
            ("Circle/area", &[6, 7, 12]),
            ("Circle/area/inner", FUNCTION),
            ("main", FUNCTION),
        ],
    );
}

#[test]
fn typescript() {
    check(
        "a.ts",
        "\
export interface Shape { area(): number; name: string }
export enum Colour { Red, Green = 2 }
type Id = string;
namespace N { export function inside() {} }
export class Circle implements Shape {
  name = 'c';
  constructor(private r: number) {}
  area(): number { return 3 * this.r; }
}
abstract class Base { abstract run(): void }
export const make = (r: number) => new Circle(r);
function* generate() {}
const LIMIT = 3;
",
        &[
            ("Shape", INTERFACE),
            ("Shape/area", METHOD),
            ("Shape/name", FIELD),
            ("Colour", ENUM),
            ("Colour/Red", MEMBER),
            ("Colour/Green", MEMBER),
            ("Id", &[5, 11, 13, 26]),
            ("N", MODULE),
            ("N/inside", FUNCTION),
            ("Circle", CLASS),
            ("Circle/name", FIELD),
            ("Circle/constructor", CONSTRUCTOR),
            ("Circle/area", METHOD),
            ("Base/run", METHOD),
            ("make", FUNCTION),
            ("generate", FUNCTION),
            ("LIMIT", CONSTANT),
        ],
    );
}

#[test]
fn tsx() {
    check(
        "a.tsx",
        "interface Props { title: string }\nexport function Page({ title }: Props) {\n  return <h1 className=\"x\">{title}</h1>;\n}\nexport const Small = (p: Props) => <b>{p.title}</b>;\nclass Old extends React.Component<Props> { render() { return <i/>; } }\n",
        &[
            ("Props", INTERFACE),
            ("Page", FUNCTION),
            ("Small", FUNCTION),
            ("Old", CLASS),
            ("Old/render", METHOD),
        ],
    );
}

#[test]
fn javascript() {
    check(
        "a.js",
        "\
class Circle extends Shape {
  #r = 1;
  static of(r) { return new Circle(r); }
  get area() { return 3; }
}
function main() {}
const make = r => new Circle(r);
const LIMIT = 3;
",
        &[
            ("Circle", CLASS),
            ("Circle/of", METHOD),
            ("Circle/area", &[6, 7, 12]),
            ("main", FUNCTION),
            ("make", FUNCTION),
            ("LIMIT", CONSTANT),
        ],
    );
}

#[test]
fn rust() {
    check(
        "a.rs",
        "\
pub const LIMIT: u8 = 3;
mod shapes {
    pub struct Circle { r: f64 }
    pub trait Shape { fn area(&self) -> f64; }
    impl Shape for Circle {
        fn area(&self) -> f64 { 3.0 }
    }
}
enum Colour { Red, Rgb(u8, u8, u8) }
union Bits { a: u8 }
type Id = u64;
macro_rules! say { () => {} }
fn main() {}
",
        &[
            ("LIMIT", CONSTANT),
            ("shapes", MODULE),
            ("shapes/Circle", STRUCT),
            ("shapes/Circle/r", FIELD),
            ("shapes/Shape", INTERFACE),
            ("shapes/Shape/area", METHOD),
            ("Colour", ENUM),
            ("Colour/Rgb", MEMBER),
            ("Bits", STRUCT),
            ("Id", &[5, 11, 13, 23, 26]),
            ("say", FUNCTION),
            ("main", FUNCTION),
        ],
    );
}

#[test]
fn rust_methods_belong_to_their_impl() {
    let server = Server::start("");
    let text = "struct A;\nimpl A {\n    fn new() -> A { A }\n    fn run(&self) {}\n}\n";
    server.open_text("a.rs", text);
    let symbols = server.symbols("a.rs");
    let block =
        symbols.as_array().unwrap().iter().find(|symbol| symbol["range"]["start"]["line"] == 1);
    let names: Vec<_> =
        block.unwrap()["children"].as_array().unwrap().iter().map(|child| &child["name"]).collect();
    assert_eq!(names, ["new", "run"]);
}

#[test]
fn go() {
    check(
        "a.go",
        "package shapes\n\nconst Limit = 3\n\ntype Shape interface {\n\tArea() float64\n}\n\ntype Circle struct {\n\tR float64\n}\n\nfunc (c *Circle) Area() float64 { return 3 }\n\nfunc main() {}\n\nvar Count int\n",
        &[
            ("Limit", CONSTANT),
            ("Shape", INTERFACE),
            ("Shape/Area", METHOD),
            ("Circle", STRUCT),
            ("Circle/R", FIELD),
            ("Area", METHOD),
            ("main", FUNCTION),
            ("Count", CONSTANT),
        ],
    );
}

#[test]
fn c() {
    check(
        "a.c",
        "\
#include <stdio.h>
#define LIMIT 3
struct point { int x, y; };
enum colour { RED, GREEN };
typedef unsigned long id_t;
static int count = 0;
int *find(int key);
int main(void)
{
    return 0;
}
",
        &[
            ("LIMIT", CONSTANT),
            ("point", STRUCT),
            ("point/x", FIELD),
            ("colour", ENUM),
            ("colour/RED", MEMBER),
            ("id_t", &[5, 11, 13, 23, 26]),
            ("count", CONSTANT),
            ("find", FUNCTION),
            ("main", FUNCTION),
        ],
    );
}

#[test]
fn cpp() {
    check(
        "a.cpp",
        "\
namespace shapes {
class Circle : public Shape {
 public:
  explicit Circle(double r) : r_(r) {}
  double area() const { return 3; }
  void later();
 private:
  double r_;
};
template <typename T> T twice(T x) { return x + x; }
enum class Colour { Red };
}
void shapes::Circle::later() {}
int main() { return 0; }
",
        &[
            ("shapes", MODULE),
            ("shapes/Circle", CLASS),
            ("shapes/Circle/area", METHOD),
            ("shapes/Circle/later", METHOD),
            ("shapes/Circle/r_", FIELD),
            ("shapes/twice", FUNCTION),
            ("shapes/Colour", ENUM),
            ("shapes/Colour/Red", MEMBER),
            ("later", METHOD),
            ("main", FUNCTION),
        ],
    );
}

#[test]
fn java() {
    check(
        "Circle.java",
        "\
package shapes;

interface Shape { double area(); }

public class Circle implements Shape {
    static final int LIMIT = 3;
    private double r;
    public Circle(double r) { this.r = r; }
    public double area() { return 3; }
    enum Colour { RED, GREEN }
    static class Inner { void run() {} }
}

record Pair(int a, int b) {}
",
        &[
            ("Shape", INTERFACE),
            ("Shape/area", METHOD),
            ("Circle", CLASS),
            ("Circle/LIMIT", &[7, 8, 13, 14]),
            ("Circle/r", FIELD),
            ("Circle/Circle", CONSTRUCTOR),
            ("Circle/area", METHOD),
            ("Circle/Colour", ENUM),
            ("Circle/Colour/RED", MEMBER),
            ("Circle/Inner/run", METHOD),
            ("Pair", &[5, 23]),
        ],
    );
}

#[test]
fn a_file_that_is_not_open_has_symbols_too() {
    let server = Server::start("//- /a.py\ndef on_disk():\n    pass\n");
    assert_eq!(server.symbols("a.py")[0]["name"], "on_disk");
}

#[test]
fn symbols_follow_every_change() {
    let server = Server::start("");
    server.open_text("a.py", "def first():\n    pass\n");
    for (old, new) in [("first", "second"), ("second", "third"), ("third", "\u{e9}t\u{e9}")] {
        server.replace_text("a.py", old, new);
        // Sent right after the change, answered for the changed text.
        assert_eq!(server.symbols("a.py")[0]["name"], new);
    }
}

#[test]
fn broken_text_still_has_symbols() {
    let server = Server::start("");
    server.open_text("a.rs", "fn good() {}\nfn bad( {\nstruct S { x: i32 }\n");
    let symbols = server.symbols("a.rs");
    assert!(is_named(&symbols[0], "good"), "{symbols}");
}

#[test]
fn positions_are_in_the_negotiated_encoding() {
    use tests::Encoding::{Utf8, Utf16, Utf32};
    let text = "/* \u{1f600}\u{e9} */ fn \u{e9}t\u{e9}() {}\n";
    for encoding in [Utf8, Utf16, Utf32] {
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.rs", text);
        let symbols = server.symbols("a.rs");
        let expected = tests::range_of(text, "\u{e9}t\u{e9}", encoding);
        assert_eq!(symbols[0]["selectionRange"], expected, "{encoding:?}");
    }
}

#[test]
fn a_client_without_hierarchy_support_gets_a_flat_list() {
    let server = Server::builder("//- /a.py\nclass A:\n    def b(self):\n        pass\n").spawn();
    let root = server.root();
    (*server).initialize(&root, json!({})).unwrap();
    let symbols = server.symbols("a.py");
    for symbol in symbols.as_array().unwrap() {
        assert_eq!(symbol["location"]["uri"], server.uri("a.py"), "SymbolInformation: {symbol}");
    }
    assert_eq!(symbols.as_array().unwrap().len(), 2, "{symbols}");
}

#[test]
fn text_without_a_grammar_has_no_errors() {
    let server = Server::start("//- /a.txt\nplain\n");
    let symbols = server.symbols("a.txt");
    assert!(symbols.is_null() || symbols == json!([]), "{symbols}");
}

#[test]
fn deeply_nested_text_is_handled() {
    let server = Server::start("//- /ok.py\ndef ok():\n    pass\n");
    let asked: Vec<_> = [
        ("a.py", "(".repeat(200_000)),
        ("a.js", "{".repeat(200_000)),
        ("a.rs", "mod m {".repeat(20_000)),
        ("a.c", "int f(){{".repeat(20_000)),
        ("b.py", (0..2_000).map(|n| format!("{}class C{n}:\n", " ".repeat(n))).collect()),
    ]
    .into_iter()
    .map(|(path, text)| {
        server.open_text(path, &text);
        let document = json!({ "textDocument": { "uri": server.uri(path) } });
        (path, server.start_request("textDocument/documentSymbol", document).unwrap())
    })
    .collect();
    // Requests for other files do not wait, and each of these ends in time.
    assert_eq!(server.symbols("ok.py")[0]["name"], "ok");
    for (path, symbols) in asked {
        if let Err(error) = symbols.wait(RESPONSE_TIMEOUT) {
            assert!(error.response().is_some(), "{path}: {error}");
        }
    }
    assert_eq!(server.symbols("ok.py")[0]["name"], "ok");
}
