//! References and renames of import and export aliases.

use crate::fixture::rename::{check as check_rename, refused, renamed};
use crate::fixture::{check_highlights, check_references};

/// Checks that a query from each result returns the same results.
#[track_caller]
fn check_from_everywhere(text: &str) {
    let places: Vec<(usize, usize)> = marked(text);
    assert!(!places.is_empty());
    for (line, column) in places {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[line].insert_str(column, "$0");
        check_references(&lines.join("\n"));
    }
}

/// The marked lines and columns.
fn marked(text: &str) -> Vec<(usize, usize)> {
    let (mut out, mut last) = (Vec::new(), 0);
    for (n, line) in text.lines().enumerate() {
        if line.contains('^') && line.trim().chars().all(|c| c == '^' || c == ' ') {
            let mut before = ' ';
            for (column, c) in line.char_indices() {
                if c == '^' && before != '^' {
                    out.push((last, column));
                }
                before = c;
            }
        } else {
            last = n;
        }
    }
    out
}

#[test]
fn references_include_uses_of_an_alias_in_python() {
    check_from_everywhere(
        "
//- /a.py
def dup(): pass
    ^^^
//- /pkg/__init__.py
from a import dup as d3
              ^^^    ^^
//- /b.py
from a import dup as d2
              ^^^    ^^
d2()
^^
def f():
    from pkg import d3
                    ^^
    d3()
    ^^
//- /c.py
def d2(): pass
d2()
import pkg
pkg.d3()
    ^^
",
    );
}

#[test]
fn references_include_uses_of_an_alias_in_rust() {
    check_from_everywhere(
        "
//- /Cargo.toml
[package]
name = \"it\"
//- /src/lib.rs
mod a;
mod b;
pub use a::dup as d2;
           ^^^    ^^
pub fn f() { d2(); inner::g() }
             ^^
mod inner { use super::d2 as d4; pub fn g() { d4() } }
                       ^^    ^^               ^^
//- /src/a.rs
pub fn dup() {}
       ^^^
//- /src/b.rs
use crate::a::dup as d3;
              ^^^    ^^
fn g() { d3(); crate::d2(); }
         ^^           ^^
fn d2() {}
fn h() { d2() }
",
    );
}

#[test]
fn references_include_uses_of_an_alias_in_typescript() {
    check_from_everywhere(
        "
//- /a.ts
export function dup() {}
                ^^^
function other() {}
export { dup as d3, other as d2 };
         ^^^    ^^
//- /b.ts
import { dup as d2 } from './a';
         ^^^    ^^
d2();
^^
//- /c.ts
export { d3 as d4 } from './a';
         ^^    ^^
import { d2 } from './a';
d2();
//- /d.ts
import { d4 } from './c';
         ^^
d4();
^^
import * as c from './c';
c.d4();
  ^^
",
    );
}

#[test]
fn references_include_uses_of_a_default_export() {
    check_from_everywhere(
        "
//- /a.ts
export default class Dup {}
                     ^^^
//- /b.ts
import Other from './a';
       ^^^^^
new Other();
    ^^^^^
//- /c.ts
export { default as Third } from './a';
         ^^^^^^^    ^^^^^
//- /d.ts
import { Third } from './c';
         ^^^^^
new Third();
    ^^^^^
import { default as Fourth } from './a';
         ^^^^^^^    ^^^^^^
new Fourth();
    ^^^^^^
",
    );
}

#[test]
fn a_namespace_is_an_alias_of_a_module() {
    check_references(
        "
//- /a.ts
export function dup() {}
                ^^^
//- /b.ts
export * as ns from './a';
//- /c.ts
import * as a from './a';
import { ns } from './b';
a.$0dup();
  ^^^
ns.dup();
   ^^^
",
    );
}

#[test]
fn occurrences_in_a_file_include_the_alias() {
    check_highlights(
        "
//- /a.py
def dup(): pass
//- /b.py
from a import dup as d2
              ^^^    ^^
$0d2()
^^
d2
^^
",
        0,
    );
}

#[test]
fn renaming_the_original_keeps_the_alias() {
    check_rename(
        "
//- /a.py
def ol$0d(): pass
//- /b.py
from a import old as d2
d2()
",
    );
    check_rename(
        "
//- /a.ts
export function ol$0d() {}
export { old as d3 };
//- /b.ts
import { old as d2 } from './a';
import { d3 } from './a';
d2(); d3();
",
    );
    check_rename(
        "
//- /Cargo.toml
[package]
name = \"it\"
//- /src/lib.rs
mod a;
pub use a::old as d2;
pub fn f() { d2() }
//- /src/a.rs
pub fn ol$0d() {}
",
    );
}

#[test]
fn renaming_an_alias_renames_its_importers() {
    check_rename(
        "
//- /a.py
def dup(): pass
//- /pkg/__init__.py
from a import dup as ol$0d
__all__ = ['old']
old()
//- /b.py
from pkg import old
import pkg
old()
pkg.old()
def f(old~): return old~
",
    );
    check_rename(
        "
//- /a.py
def dup(): pass
//- /pkg.py
from a import dup as old
//- /b.py
from pkg import old
o$0ld()
",
    );
    check_rename(
        "
//- /a.ts
export function dup() {}
export { dup as ol$0d };
//- /b.ts
import { old } from './a';
export { old } from './a';
old();
//- /c.ts
import { old as d5 } from './b';
d5();
",
    );
    check_rename(
        "
//- /a.ts
export function dup() {}
//- /b.ts
import { dup as ol$0d } from './a';
old();
export { old };
//- /c.ts
import { old } from './b';
old();
//- /d.ts
function old~() {}
old~();
",
    );
    check_rename(
        "
//- /Cargo.toml
[package]
name = \"it\"
//- /src/lib.rs
mod a;
mod b;
pub use a::dup as ol$0d;
pub fn f() { old() }
//- /src/a.rs
pub fn dup() {}
//- /src/b.rs
use crate::old;
fn g() { old(); crate::old() }
",
    );
}

#[test]
fn renaming_a_file_local_alias_changes_one_file() {
    check_rename(
        "
//- /a.ts
export function dup() {}
//- /b.ts
import { dup as ol$0d } from './a';
old();
function f(old~: number) { return old~; }
//- /c.ts
import { dup as old~ } from './a';
old~();
",
    );
    let out = renamed(
        "
//- /a.py
from x import y as ol$0d
old()
",
    );
    assert!(out.contains("from x import y as fresh\nfresh()"), "{out}");
}

#[test]
fn the_default_export_keeps_its_name() {
    refused(
        "
//- /a.ts
function dup() {}
export { dup as defaul$0t };
",
        "fresh",
        "",
    );
}

#[test]
fn references_follow_destructured_common_js_imports() {
    check_references(
        "
//- /lib.js
function $0open() {}
         ^^^^
function close() {}
exports.shut = close;
exports.start = open;
        ^^^^^   ^^^^
//- /a.js
const { start: begin } = require('./lib');
        ^^^^^  ^^^^^
begin();
^^^^^
//- /b.js
const { start } = require('./lib');
        ^^^^^
start();
^^^^^
function other(start) { return start; }
",
    );
    // A variable is not an alias: it may hold another value later.
    check_references(
        "
//- /lib.js
exports.start = function () {};
//- /a.js
const { start: begin } = require('./lib');
               ^^^^^
$0begin();
^^^^^
//- /b.js
const { start } = require('./lib');
start();
",
    );
}

#[test]
fn constructor_references_are_calls_of_the_class() {
    check_references(
        "
//- /a.py
class Base:
    def $0__init__(self): pass
        ^^^^^^^^
class Same(Base): pass
class Own(Base):
    def __init__(self):
        super().__init__()
                ^^^^^^^^
//- /b.py
from a import Base, Same as S, Own
def f(kind: Base): pass
Base()
^^^^
S()
^
Own()
",
    );
    check_references(
        "
//- /a.ts
export class Box { $0constructor(size: number) {} }
                   ^^^^^^^^^^^
//- /b.ts
import { Box } from './a';
let box: Box = new Box(1);
                   ^^^
",
    );
}
