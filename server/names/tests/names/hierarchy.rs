//! Call and type hierarchy, in each language.

#![allow(clippy::unwrap_used, reason = "fixtures are known to be sound")]

use std::sync::atomic::AtomicBool;

use crate::fixture::{Fixture, fixture};
use names::{CallHierarchyCall, FileId, HierarchyItem, Index};
use syntax::{Language, Syntax};
use text::Text;

static GO: AtomicBool = AtomicBool::new(false);

fn named(f: &Fixture, item: &HierarchyItem) -> String {
    let path = &f.paths[item.file.0 as usize];
    let file = path.rsplit('/').next().unwrap();
    match &item.container {
        Some(container) => format!("{file} {container}.{}", item.name),
        None => format!("{file} {}", item.name),
    }
}

/// Each item with the number of calls.
#[track_caller]
fn calls(
    text: &str,
    ask: impl Fn(&Index, FileId, usize) -> Vec<CallHierarchyCall>,
    expected: &[&str],
) {
    let f = fixture(text);
    let found = ask(&f.index, FileId(f.cursor.0), f.cursor.1);
    let shown: Vec<_> = found
        .iter()
        .map(|(item, spans)| format!("{} {}", named(&f, item).trim(), spans.len()))
        .collect();
    assert_eq!(shown, expected);
}

#[track_caller]
fn types(text: &str, above: &[&str], below: &[&str]) {
    let f = fixture(text);
    let (file, at) = (FileId(f.cursor.0), f.cursor.1);
    let shown = |all: Vec<HierarchyItem>| all.iter().map(|i| named(&f, i)).collect::<Vec<_>>();
    assert_eq!(shown(f.index.supertypes(file, at)), above);
    assert_eq!(shown(f.index.subtypes(file, at)), below);
}

#[test]
fn python_calls() {
    let text = "
//- /a.py
def use(x): pass
class Box:
    def __init__(self): use(1)
    def open(self):
        use(2)
        inner = lambda: use(3)
        def nested(): use(4)
        return Box()
use(5)
print(use)
//- /b.py
from a import use, Box
def other():
    use(6); use(7)
    Box().open()
";
    let incoming = text.replace("def use(", "def $0use(");
    calls(
        &incoming,
        Index::incoming_calls,
        &[
            "a.py Box.__init__ 1",
            "a.py Box.open 1",
            "a.py open.inner 1",
            "a.py open.nested 1",
            "a.py 1",
            "b.py other 2",
        ],
    );
    let outgoing = text.replace("def open(", "def $0open(");
    calls(&outgoing, Index::outgoing_calls, &["a.py use 1", "a.py Box 1"]);
    let outgoing = text.replace("def other(", "def $0other(");
    calls(&outgoing, Index::outgoing_calls, &["a.py use 2", "a.py Box 1", "a.py Box.open 1"]);
}

#[test]
fn ecma_calls() {
    let text = "
//- /a.ts
export function use(x: number) {}
export class Box { constructor() { use(1); } open() { [1].map(x => use(x)); } }
export const held = () => { use(2); };
//- /b.ts
import { use, Box, held } from './a';
function other() { use(3); new Box().open(); held(); }
";
    calls(
        &text.replace("function use(", "function $0use("),
        Index::incoming_calls,
        &["a.ts Box.constructor 1", "a.ts Box.open 1", "a.ts held 1", "b.ts other 1"],
    );
    calls(
        &text.replace("function other(", "function $0other("),
        Index::outgoing_calls,
        &["a.ts use 1", "a.ts Box 1", "a.ts Box.open 1", "a.ts held 1"],
    );
    calls(&text.replace("const held", "const $0held"), Index::outgoing_calls, &["a.ts use 1"]);
}

#[test]
fn rust_calls() {
    let text = "
//- /src/main.rs
fn used(x: u8) -> u8 { x }
struct Box2;
impl Box2 {
    fn new() -> Self { used(1); Box2 }
    fn open(&self) { (0..3).map(|x| used(x)); }
}
fn main() { used(2); Box2::new().open(); }
";
    calls(
        &text.replace("fn used(", "fn $0used("),
        Index::incoming_calls,
        &["main.rs new 1", "main.rs open 1", "main.rs main 1"],
    );
    calls(
        &text.replace("fn main(", "fn $0main("),
        Index::outgoing_calls,
        &["main.rs used 1", "main.rs new 1", "main.rs open 1"],
    );
}

#[test]
fn go_c_and_java_calls() {
    let text = "
//- /go.mod
module example.com/m
//- /a.go
package m

type Box struct{}

func use(x int) {}
func (b *Box) Open() { use(1); func() { use(2) }() }
func main() { use(3); b := &Box{}; b.Open() }
";
    calls(
        &text.replace("func use(", "func $0use("),
        Index::incoming_calls,
        &["a.go Open 2", "a.go main 1"],
    );
    calls(
        &text.replace("func main(", "func $0main("),
        Index::outgoing_calls,
        &["a.go use 1", "a.go Open 1"],
    );
    let text = "
//- /a.h
int use(int x);
//- /a.c
#include \"a.h\"
int use(int x) { return x; }
//- /b.c
#include \"a.h\"
int other(void) { return use(1) + use(2); }
";
    calls(
        &text.replace("int use(int x) {", "int $0use(int x) {"),
        Index::incoming_calls,
        &["b.c other 2"],
    );
    calls(&text.replace("int other", "int $0other"), Index::outgoing_calls, &["a.c use 2"]);
    let text = "
//- /p/A.java
package p;
class A {
    A(int x) { use(); }
    static void use() {}
    void open() { Runnable r = () -> use(); new A(1).open(); }
}
";
    calls(
        &text.replace("void use(", "void $0use("),
        Index::incoming_calls,
        &["A.java A.A 1", "A.java A.open 1"],
    );
    calls(
        &text.replace("void open(", "void $0open("),
        Index::outgoing_calls,
        &["A.java A.use 1", "A.java A.A 1", "A.java A.open 1"],
    );
}

#[test]
fn supertypes_and_subtypes() {
    types(
        "
//- /a.py
class Base: pass
class $0Box(Base): pass
//- /b.py
from a import Box
class Lid(Box): pass
class Small(Lid): pass
",
        &["a.py Base"],
        &["b.py Lid"],
    );
    types(
        "
//- /a.ts
interface Shape {}
class Base {}
class $0Box extends Base implements Shape {}
class Lid extends Box {}
",
        &["a.ts Base", "a.ts Shape"],
        &["a.ts Lid"],
    );
    types(
        "
//- /src/main.rs
trait Shape {}
trait $0Solid: Shape {}
struct Box2;
impl Solid for Box2 {}
",
        &["main.rs Shape"],
        &["main.rs Box2"],
    );
    types(
        "
//- /src/main.rs
trait Shape {}
struct $0Box2;
impl Shape for Box2 {}
",
        &["main.rs Shape"],
        &[],
    );
    types(
        "
//- /go.mod
module example.com/m
//- /a.go
package m

type $0Shape interface { Area() int }
type Box struct{}

func (b Box) Area() int { return 1 }
",
        &[],
        &["a.go Box"],
    );
    types(
        "
//- /a.cc
class Base {};
class $0Box : public Base {};
class Lid : public Box {};
",
        &["a.cc Base"],
        &["a.cc Lid"],
    );
    types(
        "
//- /p/A.java
package p;
interface Shape {}
class Base {}
class $0Box extends Base implements Shape {}
class Lid extends Box {}
",
        &["A.java Base", "A.java Shape"],
        &["A.java Lid"],
    );
}

/// Each import with the file that it refers to.
#[track_caller]
fn links(text: &str, expected: &[&str]) {
    let f = fixture(text);
    let path = &f.paths[f.cursor.0 as usize];
    let source = Text::new(&f.sources[f.cursor.0 as usize]);
    let language = Language::detect(path.rsplit('/').next().unwrap(), "").unwrap();
    let syntax = Syntax::parse(language, &source, None, &GO).unwrap();
    let shown = |span: std::ops::Range<usize>| {
        let to = f.index.imported_file(FileId(f.cursor.0), &span);
        let to = to.map_or("nowhere", |id| &*f.paths[id.0 as usize]);
        format!("{} -> {to}", source.slice(span))
    };
    let found: Vec<_> = syntax.links(&GO).unwrap().into_iter().map(shown).collect();
    assert_eq!(found, expected);
}

#[test]
fn document_links_of_imports() {
    links(
        "
//- /pkg/__init__.py
//- /pkg/a.py
x = 1
//- /pkg/b.py
$0import pkg.a, os
import pkg.a as c
from .a import x
from pkg import a
from . import a
",
        &[
            "pkg.a -> pkg/a.py",
            "os -> nowhere",
            "pkg.a -> pkg/a.py",
            ".a -> pkg/a.py",
            "pkg -> pkg/__init__.py",
        ],
    );
    links(
        "
//- /a.ts
export const x = 1;
//- /b.ts
$0import { x } from './a';
export * from './a';
import y = require('./a');
const z = await import('./a');
import fs from 'fs';
",
        &["./a -> a.ts", "./a -> a.ts", "./a -> a.ts", "./a -> a.ts", "fs -> nowhere"],
    );
    links(
        "
//- /a.js
exports.x = 1;
//- /b.js
$0const a = require('./a');
",
        &["./a -> a.js"],
    );
    links(
        "//- /src/main.rs\n$0mod a;\nmod b { }\n//- /src/a.rs\npub fn f() {}\n",
        &["a -> src/a.rs"],
    );
    links(
        "
//- /go.mod
module example.com/m
//- /p/p.go
package p

func F() {}
//- /a.go
package m

$0import (
	\"example.com/m/p\"
	q \"fmt\"
)
",
        &["example.com/m/p -> p/p.go", "fmt -> nowhere"],
    );
    links(
        "//- /a.h\nint f(void);\n//- /a.c\n$0#include \"a.h\"\n#include <stdio.h>\n",
        &["a.h -> a.h", "stdio.h -> nowhere"],
    );
    links(
        "
//- /p/A.java
package p;
public class A {}
//- /q/B.java
package q;
$0import p.A;
import java.util.List;
",
        &["p.A -> p/A.java", "java.util.List -> nowhere"],
    );
}
