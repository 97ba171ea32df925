//! Signature help, in each language, also while typing.

#![allow(clippy::unwrap_used, reason = "fixtures are known to be sound")]

use std::sync::atomic::AtomicBool;

use crate::fixture::{Fixture, fixture};
use names::{CallAtCursor, Facts, FileId, Signatures};
use syntax::{Language, Syntax};
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

/// Queries as the workspace does: for the text as it is, then as if the call were closed.
fn asked(f: &Fixture) -> Option<Signatures> {
    let (file, offset) = (FileId(f.cursor.0), f.cursor.1);
    let path = f.paths[f.cursor.0 as usize].rsplit('/').next().unwrap();
    let language = Language::detect(path, "").unwrap();
    let mut text = Text::new(&f.sources[f.cursor.0 as usize]);
    let syntax = Syntax::parse(language, &text, None, &GO).unwrap();
    let calling = CallAtCursor::at_offset(&syntax, offset)?;
    let ask = |syntax: &Syntax| {
        let facts = Facts::lower(syntax, &GO).unwrap();
        let texts = |id: FileId| match id == file {
            true => Some(syntax.text().clone()),
            false => Some(Text::new(&f.sources[id.0 as usize])),
        };
        f.index.signatures(file, &facts, &calling, &texts)
    };
    ask(&syntax).or_else(|| {
        for (at, missing) in calling.completing_insertions() {
            text.replace(at..at, &missing);
        }
        ask(&Syntax::parse(language, &text, None, &GO).unwrap())
    })
}

/// The signatures, the active one first marked `>`, its active parameter in `[…]`.
fn shown(text: &str) -> String {
    let Some(found) = asked(&fixture(text)) else { return String::new() };
    let line = |(n, s): (usize, &names::Signature)| {
        if n != found.active_signature {
            return s.label.clone();
        }
        let mut label = s.label.clone();
        if let Some(span) = s.active_parameter.map(|a| s.parameters[a].clone()) {
            label.insert(span.end, ']');
            label.insert(span.start, '[');
        }
        let several = found.all.len() > 1;
        if several { format!("> {label}") } else { label }
    };
    found.all.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(shown(text), expected);
}

/// The callee and the signature of each call.
#[track_caller]
fn checks(before: &str, cases: &[(&str, &str)]) {
    for (call, expected) in cases {
        let text = before.replace("CALL", call);
        assert_eq!(shown(&text), *expected, "{call}");
    }
}

#[test]
fn python() {
    let before = "
//- /a.py
class Box:
    '''A box.'''
    def __init__(self, width: int, height=1):
        pass
    def open(self, how, *, fast=False) -> None: pass
    @classmethod
    def make(cls, a, b): pass
    @staticmethod
    def rate(a, b): pass
    def __call__(self, x): pass
def spread(first, *rest, key=None, **others): pass
def plain(a, b, /, c): pass
arrow = lambda x, y=2: x
//- /b.py
from a import Box, spread, plain, arrow
b = Box(1)
CALL
def following(x):
    return x
";
    checks(
        before,
        &[
            ("Box($0", "Box([width: int], height=1)"),
            ("Box(1, $0)", "Box(width: int, [height=1])"),
            ("plain(1, $0, c=2)", "plain(a, [b], /, c)"),
            ("plain(1, 2$0, c=2)", "plain(a, [b], /, c)"),
            ("Box(height=$0", "Box(width: int, [height=1])"),
            ("Box(height=2, $0)", "Box([width: int], height=1)"),
            ("b.open($0", "open([how], *, fast=False) -> None"),
            ("b.open(1, fa$0st=True)", "open(how, *, [fast=False]) -> None"),
            ("b.open(1, $0)", "open(how, *, fast=False) -> None"),
            ("Box.open(b, $0)", "open(self, [how], *, fast=False) -> None"),
            ("Box.make($0", "make([a], b)"),
            ("Box.rate(1, $0", "rate(a, [b])"),
            ("b($0", "b([x])"),
            ("spread(1, 2, 3$0)", "spread(first, [*rest], key=None, **others)"),
            ("spread(1, key=$0)", "spread(first, *rest, [key=None], **others)"),
            ("spread(1, other=$0)", "spread(first, *rest, key=None, [**others])"),
            ("plain('a, b', [1, 2], $0", "plain(a, b, /, [c])"),
            ("plain(plain(1, 2, 3), f\"{plain(1, $0)}\")", "plain(a, [b], /, c)"),
            ("plain(lambda x, y: 1, $0)", "plain(a, [b], /, c)"),
            ("plain({'a': 1, 'b': $0})", "plain([a], b, /, c)"),
            ("plain(1, # a, b\n  $0)", "plain(a, [b], /, c)"),
            ("plain(1, # a, $0", ""),
            ("arrow(1, $0)", "arrow(x, [y=2])"),
            ("plain(1, 2, 3, 4, $0)", "plain(a, b, /, c)"),
            ("plain(1)$0", ""),
            ("(1, $0)", ""),
            ("def plain($0", ""),
            ("unknown($0", ""),
            ("@plain($0)\ndef f(): pass", "plain([a], b, /, c)"),
            ("plain(\n    1,\n    $0", "plain(a, [b], /, c)"),
            ("if b.open($0", "open([how], *, fast=False) -> None"),
        ],
    );
}

#[test]
fn typescript() {
    let before = "
//- /a.ts
/** Adds. */
export function add(a: number, b?: string, ...rest: Map<string, number>[]): number { return 0; }
export function over(a: number): void;
export function over(a: string, b: number): void;
export function over(a: any, b?: any) {}
export class Box<T> {
    constructor(private width: number, readonly name: string = 'a, b') {}
    open<K extends keyof T>(this: Box<T>, key: K, how: { a: 1, b: 2 }): T[K] { throw 0; }
}
export class Lid extends Box<number> {}
export const arrow = (x: number, y: number) => x;
export const single = x => x;
export function guard(a: any): a is (b: any) => void { return true; }
export const result = (a: number): number => a;
export let cb: (event: string, code: number) => void;
//- /b.ts
import { add, over, Box, Lid, arrow, cb, single, guard, result } from './a';
const b = new Box<string>(1);
CALL
function following() { return 1; }
";
    checks(
        before,
        &[
            ("add($0", "add([a: number], b?: string, ...rest: Map<string, number>[]): number"),
            (
                "add(1, 'x', m, $0)",
                "add(a: number, b?: string, [...rest: Map<string, number>[]]): number",
            ),
            ("over($0", "> over([a: number]): void\nover(a: string, b: number): void"),
            ("over('', $0)", "over(a: number): void\n> over(a: string, [b: number]): void"),
            (
                "new Box<Map<string, number>>(1, $0",
                "Box(private width: number, [readonly name: string = 'a, b'])",
            ),
            ("new Lid($0)", "Lid([private width: number], readonly name: string = 'a, b')"),
            ("b.open('x', { a: 1, $0 })", "open(key: K, [how: { a: 1, b: 2 }]): T[K]"),
            ("b?.open($0", "open([key: K], how: { a: 1, b: 2 }): T[K]"),
            ("arrow(1, $0)", "arrow(x: number, [y: number])"),
            ("single($0)", "single([x])"),
            ("guard($0)", "guard([a: any]): a is (b: any) => void"),
            ("result($0)", "result([a: number]): number"),
            ("cb('a', $0)", "cb(event: string, [code: number])"),
            (
                "add((x, y) => x, $0)",
                "add(a: number, [b?: string], ...rest: Map<string, number>[]): number",
            ),
            (
                "add(`${add(1, $0)}`)",
                "add(a: number, [b?: string], ...rest: Map<string, number>[]): number",
            ),
            ("add(1, () => { $0 })", ""),
            (
                "if (add(1, $0",
                "add(a: number, [b?: string], ...rest: Map<string, number>[]): number",
            ),
            (
                "class X extends Box<number> { constructor() { super(1, $0) } }",
                "super(private width: number, [readonly name: string = 'a, b'])",
            ),
            ("function add($0", ""),
            (
                "const x = { y: add(1, $0",
                "add(a: number, [b?: string], ...rest: Map<string, number>[]): number",
            ),
        ],
    );
}

#[test]
fn javascript() {
    let before = "
//- /a.js
exports.add = function (a, b = 2) {};
class Box { constructor(w, h) {} static make({ a, b }, c) {} }
exports.Box = Box;
exports.tool = { run(a, b) {}, stop: (x) => 1, other: function (y) {} };
//- /b.js
const { add, Box, tool } = require('./a');
CALL
";
    checks(
        before,
        &[
            ("add(1, $0", "add(a, [b = 2])"),
            ("new Box($0)", "Box([w], h)"),
            ("Box.make({ a: 1 }, $0)", "make({ a, b }, [c])"),
            ("tool.run(1, $0)", "run(a, [b])"),
            ("tool.stop($0)", "stop([x])"),
            ("tool.other($0)", "other([y])"),
        ],
    );
}

#[test]
fn rust() {
    let before = "
//- /src/main.rs
/// Makes.
fn make<'a, T: Into<Vec<u8>>>(name: &'a str, items: HashMap<String, T>, f: impl Fn(u8, u8) -> u8) -> Option<&'a str>
where
    T: Clone,
{
    None
}
struct Pair(u32, pub String);
enum Shape { Box(u32, u32), Named { a: u8 } }
struct Box2;
impl Box2 {
    fn new(width: u32, height: u32) -> Self { Box2 }
    fn open(&mut self, how: char, fast: bool) -> bool { true }
}
fn main() {
    let b = Box2::new(1, 2);
    CALL
}
fn following(x: u32) -> u32 { x }
";
    let made = "make(name: &'a str, [items: HashMap<String, T>], f: impl Fn(u8, u8) -> u8) -> Option<&'a str>";
    checks(
        before,
        &[
            ("make(\"a, b\", $0", made),
            ("make::<Vec<u8>>('a', $0)", made),
            ("let x = make(HashMap::<String, u8>::new(), $0", made),
            ("Box2::new($0", "new([width: u32], height: u32) -> Self"),
            ("b.open('(', $0)", "open(how: char, [fast: bool]) -> bool"),
            ("Box2::open(&mut b, $0)", "open(&mut self, [how: char], fast: bool) -> bool"),
            ("Pair(1, $0", "Pair(u32, [pub String])"),
            ("Shape::Box($0", "Box([u32], u32)"),
            ("b.open(x, |a, b| a, $0)", "open(how: char, fast: bool) -> bool"),
            ("b.open(|a, $0b| a)", "open([how: char], fast: bool) -> bool"),
            ("println!(\"{}\", b.open('a', $0", "open(how: char, [fast: bool]) -> bool"),
            ("println!($0)", ""),
            ("b.open(vec![1, $0], 2)", "open([how: char], fast: bool) -> bool"),
            ("b.open({ let x = 1; $0 }, 2)", ""),
            ("fn make2($0", ""),
        ],
    );
}

#[test]
fn go() {
    let before = "
//- /go.mod
module example.com/m
//- /a.go
package m

// Add adds.
func Add(a, b int, names ...string) (int, error) { return 0, nil }

type Box struct { Handle func(w int, r string) error }

func (b *Box) Open(how string, fast bool) {}
// Shape is one.
type Shape interface {
	// Set sets.
	Set(Box)

	// Area is big.
	Area(n int) int // so it is
}
func (b *Box) Open2() {}

func Map[T any, U any](all []T, f func(T, int) U) []U { return nil }

func main() {
	b := &Box{}
	var s Shape
	CALL
}
func following() {}
";
    checks(
        before,
        &[
            ("Add($0", "Add([a], b int, names ...string) (int, error)"),
            ("Add(1, 2, \"x\", $0)", "Add(a, b int, [names ...string]) (int, error)"),
            ("b.Open(\"a, b\", $0", "Open(how string, [fast bool])"),
            ("Map[int, string](all, $0)", "Map(all []T, [f func(T, int) U]) []U"),
            ("s.Set($0)", "Set([Box])"),
            ("s.Area($0)", "Area([n int]) int"),
            ("b.Handle(1, $0)", "Handle(w int, [r string]) error"),
            ("Add(Box{Handle: $0})", "Add([a], b int, names ...string) (int, error)"),
            (
                "x := Add(func(a, b int) { a() }, $0)",
                "Add(a, [b int], names ...string) (int, error)",
            ),
            ("Add(func(a, b int) { $0 })", ""),
        ],
    );
}

#[test]
fn c() {
    let before = "
//- /a.h
#define MAX(a, b) ((a) > (b) ? (a) : (b))
int add(int a, const char *name, ...);
struct ops { int (*read)(int fd, void *buffer); };
//- /a.c
#include \"a.h\"
int none(void) { return 0; }
int main(void) {
    struct ops *o;
    CALL
}
int following(int x) { return x; }
";
    checks(
        before,
        &[
            ("add($0", "int add([int a], const char *name, ...)"),
            ("add(1, \"a, b\", 3, $0)", "int add(int a, const char *name, [...])"),
            ("MAX(1, $0)", "MAX(a, [b])"),
            ("x = MAX(add(1, \"\"), $0", "MAX(a, [b])"),
            ("o->read(1, $0", "read(int fd, [void *buffer])"),
            ("none($0)", "int none()"),
            ("add((int[]){1, 2, $0})", "int add([int a], const char *name, ...)"),
            ("if (add(1, $0", "int add(int a, [const char *name], ...)"),
        ],
    );
}

#[test]
fn cpp() {
    let before = "
//- /a.h
namespace ns {
template <typename K, typename V>
V find(const std::map<K, V>& all, K key = K(1, 2));
class Box {
 public:
  Box();
  explicit Box(int width, int height);
  virtual void Open(const std::string& how, bool fast = true) const;
  void Open(int n);
};
}
//- /a.cc
#include \"a.h\"
void ns::Box::Open(const std::string& how, bool fast) const {}
int main() {
  ns::Box b;
  CALL
}
int following(int x) { return x; }
";
    checks(
        before,
        &[
            (
                "ns::find<int, std::map<int, int>>(m, $0",
                "V find(const std::map<K, V>& all, [K key = K(1, 2)])",
            ),
            (
                "b.Open(\"\", $0)",
                "> void Open(const std::string& how, [bool fast = true])\nvoid Open(int n)",
            ),
            ("ns::Box c(1, $0);", "c()\n> c(int width, [int height])"),
            ("auto c = new ns::Box(1, $0)", "Box()\n> Box(int width, [int height])"),
            ("auto c = ns::Box($0", "Box()\n> Box([int width], int height)"),
            (
                "b.Open([&](int a, int b) { return a; }, $0)",
                "> void Open(const std::string& how, [bool fast = true])\nvoid Open(int n)",
            ),
        ],
    );
}

#[test]
fn java() {
    let before = "
//- /p/Base.java
package p;
class Base {
    void open(String how) {}
    Base(int a) {}
}
//- /p/Box.java
package p;
class Box<T> extends Base {
    Box(int width, final Map<String, T> all) { super(1); }
    Box() { CALL2 }
    /** Opens. */
    @Deprecated
    public static synchronized List<T> open(int how, boolean... fast) { return null; }
    void test(Box<String> b) {
        CALL
    }
}
";
    let both = "> List<T> open(int how, [boolean... fast])\nvoid open(String how)";
    let plain = before.replace("CALL2", "");
    checks(
        &plain,
        &[
            ("b.open(1, true, $0", both),
            ("open(1, true, $0)", both),
            ("new Box<String>(1, $0", "> Box(int width, [final Map<String, T> all])\nBox()"),
            ("b.open(new int[] {1, 2}, $0)", both),
            ("b.open((x, y) -> x, $0)", both),
            ("b.open(() -> { $0 })", ""),
            ("int x = b.open(1, \"$0", both),
        ],
    );
    let before = before.replace("CALL2", "C_2").replace("CALL", "").replace("C_2", "CALL");
    checks(
        &before,
        &[
            ("super($0)", "super([int a])"),
            ("this(1, $0", "> this(int width, [final Map<String, T> all])\nthis()"),
        ],
    );
}

#[test]
fn signatures_have_documentation() {
    let f = fixture(
        "//- /a.py\nclass Box:\n    '''A box.'''\n    def __init__(self, a): pass\nBox($0)\n",
    );
    assert_eq!(
        asked(&f).unwrap().all[0].documentation.as_ref().map(|d| d.text.as_str()),
        Some("A box.")
    );
}

#[test]
fn half_typed_code_never_panics() {
    let calls = [
        (
            "a.py",
            "def add(a, b): pass\nx = add(f(1, [2, {'k': \"v, (\"}]), lambda y, z: (y), *r, b=3)\ndef g(): pass\n",
        ),
        (
            "a.ts",
            "function add(a: number, b: string) {}\nconst x = add(f<A, B>(1, [2, {k: `v, ${y} (`}]), (y, z) => { return y; }, ...r)\nfunction g() {}\n",
        ),
        (
            "a.rs",
            "fn add(a: u8, b: u8) {}\nfn main() { let x = add(f::<A, B>(1, [2, '(' ]), |y, z| (y), vec![\"v, (\"]); }\n",
        ),
        (
            "a.go",
            "package a\nfunc add(a, b int) {}\nfunc main() { x := add(f[A, B](1, []int{2, '('}), func(y, z int) { y() }, r...) }\n",
        ),
        (
            "a.c",
            "int add(int a, int b);\nint main(void) { int x = add(f(1, (int[]){2, '('}), \"v, (\", MAX(1, 2)); }\n",
        ),
        (
            "a.cc",
            "int add(int a, int b);\nint main() { auto x = add(f<A, B>(1, {2, '('}), [&](int y, int z) { return y; }, R\"(v, ()\"); }\n",
        ),
        (
            "A.java",
            "class A { int add(int a, int b) { return add(new F<A, B>(1, new int[] {2, '('}), (y, z) -> { y(); }, \"v, (\"); } }\n",
        ),
    ];
    for (path, source) in calls {
        for end in (0..=source.len()).filter(|&e| source.is_char_boundary(e)) {
            let prefix = &source[..end];
            shown(&format!("//- /{path}\n{prefix}$0\n"));
            shown(&format!("//- /{path}\n{prefix}$0{}", &source[end..]));
        }
    }
    let open = format!("//- /a.py\ndef f(a): pass\n{}$0\n", "f(".repeat(3000));
    check(&open, "f([a])");
}
