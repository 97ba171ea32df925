//! Inlay hints, in each language.

#![allow(clippy::unwrap_used, reason = "fixtures are known to be sound")]

use std::sync::atomic::AtomicBool;

use crate::fixture::fixture;
use names::{FileId, HintKind};
use syntax::{Language, Syntax};
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

/// The lines from `$0` on with their hints: `«name:»` and `«: type»`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let f = fixture(text);
    let (file, start) = (FileId(f.cursor.0), f.cursor.1);
    let source = &f.sources[f.cursor.0 as usize];
    let path = f.paths[f.cursor.0 as usize].rsplit('/').next().unwrap();
    let text = Text::new(source);
    let syntax = Syntax::parse(Language::detect(path, "").unwrap(), &text, None, &GO).unwrap();
    let facts = f.index.facts(file).unwrap().clone();
    let texts = |id: FileId| f.sources.get(id.0 as usize).map(|s| Text::new(s));
    let hints = f.index.inlay_hints(file, &facts, &syntax, start..source.len(), &texts);
    let mut shown = source.clone();
    for hint in hints.iter().rev() {
        let label = match hint.kind {
            HintKind::Parameter => format!("«{}:»", hint.label),
            HintKind::Type => format!("«: {}»", hint.label),
            HintKind::ClosingBrace => format!("«{}»", hint.label),
        };
        shown.insert_str(hint.offset, &label);
    }
    assert_eq!(shown[start..].trim(), expected.trim());
}

#[test]
fn python() {
    check(
        "
//- /a.py
class Box:
    def __init__(self, width, height=1): pass
    def open(self, how: str, fast=False) -> 'Lid': pass
class Lid: pass
def one(value): pass
def show(name, *rest, deep=False): pass
async def later() -> int: pass
def first(all: list[T]) -> T: pass
//- /b.py
from a import *
$0
box = Box(1, 2)
x = box.open('how', True)
one(name)
one(True)
show(name, 1, 2, deep=3)
show(self.name, 1)
show(*rest, 1)
box.open(fast=True, how='')
n = 5
s = 'text'
f = 1.5
t = later()
u = first(all)
m: int = 3
a, b = Box(1, 2)
n = 6
width = 2
Box(width, get_height())
",
        "
box = Box(«width:»1, «height:»2)
x«: Lid» = box.open(«how:»'how', «fast:»True)
one(name)
one(«value:»True)
show(name, 1, 2, deep=3)
show(self.name, 1)
show(*rest, 1)
box.open(fast=True, how='')
n = 5
s = 'text'
f = 1.5
t = later()
u = first(all)
m: int = 3
a, b = Box(«width:»1, «height:»2)
n = 6
width = 2
Box(width, get_height())
",
    );
}

#[test]
fn typescript() {
    check(
        "
//- /a.ts
export class Box { constructor(width: number, height: number) {} }
export function make(name: string, deep = false): Box { throw 0; }
export function first<T>(all: T[], index: number): T { throw 0; }
//- /b.ts
import { Box, make, first } from './a';
$0
const box = new Box(1, 2);
let other = new Box(width, this.height);
const made = make('a', true);
const n = 1;
let m = 2;
const one = first(items, 3);
const typed: Box = make(name, { deep });
",
        "
const box = new Box(«width:»1, «height:»2);
let other = new Box(width, this.height);
const made«: Box» = make(«name:»'a', «deep:»true);
const n = 1;
let m = 2;
const one = first(«all:»items, «index:»3);
const typed: Box = make(name, «deep:»{ deep });
",
    );
}

#[test]
fn rust() {
    check(
        "
//- /src/main.rs
struct Box2;
impl Box2 {
    fn new(width: u32, height: u32) -> Self { Box2 }
    fn name(&self, deep: bool) -> Option<&str> { None }
    fn width(&self, width: u32) -> u32 { 1 }
}
fn make<T>(name: &str, all: Vec<T>) -> T { loop {} }
fn main() {
    $0
    let b = Box2::new(1, height);
    let n = b.name(true);
    let w = b.width(&width);
    let t = make(name.clone(), vec![]);
    let s = \"text\";
    let i = 5;
    let v: u32 = b.width(3);
    let e = b.name(true)?;
}
",
        "
let b = Box2::new(«width:»1, height);
    let n«: Option<&str>» = b.name(«deep:»true);
    let w«: u32» = b.width(&width);
    let t = make(name.clone(), «all:»vec![]);
    let s = \"text\";
    let i = 5;
    let v: u32 = b.width(3);
    let e = b.name(«deep:»true)?;
}
",
    );
}

#[test]
fn go() {
    check(
        "
//- /go.mod
module example.com/m
//- /a.go
package m

type Box struct{}

func Make(name string, deep bool, rest ...int) *Box { return nil }
func Two(name string, deep bool) (*Box, error) { return nil, nil }
func main() {
	$0
	b := Make(\"a\", true, 1, 2)
	c, err := Two(name, deep)
	n := 5
	s := \"x\"
	d := Two(\"x\", b.Deep)
}
",
        "
b«: *Box» := Make(«name:»\"a\", «deep:»true, 1, 2)
	c, err := Two(name, deep)
	n := 5
	s := \"x\"
	d := Two(«name:»\"x\", b.Deep)
}
",
    );
}

#[test]
fn c_and_cpp() {
    check(
        "
//- /a.c
int add(int left, int right);
int one(int value);
int main(void) {
    $0
    int x = add(1, right);
    add(/*left=*/ 1, 2);
    one(1);
    one(x);
}
",
        "
int x = add(«left:»1, right);
    add(/*left=*/ 1, «right:»2);
    one(«value:»1);
    one(x);
}
",
    );
    check(
        "
//- /a.cc
class Box { public: Box(int width, int height); void Open(bool fast, int how); };
int main() {
    $0
    auto b = new Box(1, 2);
    b->Open(true, [](int a, int b) { return a; });
    auto n = 5;
}
",
        "
auto b = new Box(«width:»1, «height:»2);
    b->Open(«fast:»true, «how:»[](int a, int b) { return a; });
    auto n = 5;
}
",
    );
}

#[test]
fn java() {
    check(
        "
//- /p/A.java
package p;
class A {
    A(int width, int height) {}
    static void show(String name, boolean deep) {}
    static void over(int left, String right) {}
    static void over(String left, int right) {}
    void test() {
        $0
        var a = new A(1, height);
        show(\"x\", true);
        over(1, \"\");
        var n = 5;
    }
}
",
        "
var a = new A(«width:»1, height);
        show(«name:»\"x\", «deep:»true);
        over(1, \"\");
        var n = 5;
    }
}
",
    );
}

#[test]
fn a_type_that_the_line_names_is_not_repeated() {
    check(
        "
//- /a.py
class Flask: pass
def make() -> Flask: pass
$0
app: Flask = Flask()
app = Flask()
made = make()
",
        "
app: Flask = Flask()
app = Flask()
made«: Flask» = make()
",
    );
}

#[test]
fn long_rust_items_get_closing_labels() {
    let lines = "    x();\n".repeat(24);
    let text = format!(
        "
//- /src/main.rs
$0
impl A for B {{
    fn f() {{
{lines}    }}
    fn g() {{}}
}}
fn short() {{
}}
"
    );
    let expected = format!(
        "
impl A for B {{
    fn f() {{
{lines}    }}«fn f»
    fn g() {{}}
}}«impl A for B»
fn short() {{
}}
"
    );
    check(&text, &expected);
}

#[test]
fn tuple_fields_get_no_parameter_hints() {
    check(
        "
//- /src/main.rs
struct Scored<K>(pub K, pub std::ops::Range<u8>);
fn named(first: u8, pub_: u8) {}
fn main() {
    $0
    let a = Scored(1, 2);
    named(1, 2);
}
",
        "
let a = Scored(1, 2);
    named(«first:»1, «pub_:»2);
}
",
    );
}

/// The result of an operator is not the result of the call.
#[test]
fn only_plain_calls_get_type_hints() {
    check(
        "
//- /a.py
import typing as t
_Given = t.TypeVar('_Given')
class Prepared: pass
def count() -> int: pass
def make() -> Prepared: pass
def given(x: _Given) -> _Given: pass
def anything() -> t.Any: pass
$0
whole = count()
half = count() / 2
less = -count()
both = (count())
prepared = make()
other = make()
same = given(1)
what = anything()
",
        "
whole«: int» = count()
half = count() / 2
less = -count()
both = (count())
prepared = make()
other«: Prepared» = make()
same = given(1)
what = anything()
",
    );
    check(
        "
//- /src/main.rs
struct Time;
fn now() -> Time { Time }
fn other() -> crate::Time { Time }
fn main() {
    $0
    let a = now() - now();
    let b = now()..now();
    let c = &now();
    let d = now();
    let e = other();
    let time = now();
}
",
        "
let a = now() - now();
    let b = now()..now();
    let c = &now();
    let d«: Time» = now();
    let e«: Time» = other();
    let time = now();
}
",
    );
    check(
        "
//- /go.mod
module x
//- /a.go
package a

func at() *int { return nil }
func f() {
    $0
	a := *at()
	b := at()
	c := -*at()
}
",
        "
a := *at()
	b«: *int» := at()
	c := -*at()
}
",
    );
}
