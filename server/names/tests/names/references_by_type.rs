//! References through values with unusual types.

use crate::fixture::check_references;

#[test]
fn the_class_of_an_object_in_python() {
    check_references(
        "
//- /a.py
from typing import Type
class C:
    def $0m(self):
        ^
        self.__class__().m()
                         ^
        type(self)().m()
                     ^
        type(self).m(self)
                   ^
        self.__class__.m(self)
                       ^
def f(t: type[C], u: Type[C], v: 'type[C]'):
    t().m()
        ^
    u().m()
        ^
    v.m()
      ^
    a = type(C())
    a().m()
        ^
",
    );
}

#[test]
fn a_type_variable_in_type() {
    check_references(
        "
//- /a.py
from typing import TypeVar
class C:
    def $0m(self): pass
        ^
V = TypeVar('V', bound=C)
def f(t: type[V]) -> V:
    t().m()
        ^
    return t()
f(C).m()
     ^
def g[T: C](t: type[T]) -> T: return t()
g(C).m()
     ^
class Box:
    def make(self, cls: type[V]) -> V: ...
Box().make(C).m()
              ^
",
    );
}

#[test]
fn unions_in_python() {
    check_references(
        "
//- /a.py
from typing import Optional, Union
import typing as t
class C:
    def $0m(self): pass
        ^
def f(a: C | dict, b: Optional[C], c: Union[C, dict], d: 'C | None', e: t.Optional[C]):
    a.m()
      ^
    b.m()
      ^
    c.m()
      ^
    d.m()
      ^
    e.m()
      ^
def g(a: dict[str, int] | C = None, *more: C | None):
    a.m()
      ^
    for one in more:
        one.m()
            ^
def made() -> C | dict: ...
made().m()
       ^
",
    );
}

#[test]
fn names_that_a_module_lists() {
    check_references(
        "
//- /a.py
__all__ = ['f', \"g\"]
            ^
__all__ += ['h']
def $0f(): pass
    ^
def g(): 'f'
x = ['f']
",
    );
    check_references(
        "
//- /pkg/__init__.py
from .a import f
               ^
__all__ = (
    'f',
     ^
)
//- /pkg/a.py
def $0f(): pass
    ^
",
    );
}

#[test]
fn a_namespace_object_that_is_spread() {
    check_references(
        "
//- /a.ts
export function $0f() {}
                ^
//- /b.ts
import * as ns from './a';
export const all = { ...ns, other: 1 };
all.f();
    ^
const { f } = all;
        ^
//- /c.ts
import { all } from './b';
all.f();
    ^
",
    );
    check_references(
        "
//- /a.ts
const base = { $0f() {} };
               ^
const more = { ...base, g: 1 };
more.f();
     ^
",
    );
}

#[test]
fn overloads_are_one_symbol() {
    let python = "
//- /a.py
from typing import overload
@overload
def f(a: int) -> int: ...
    ^
@overload
def f(a: str) -> str: ...
    ^
def f(a): return a
    ^
class C:
    @overload
    def m(self, a: int): ...
    @overload
    def m(self, a: str): ...
    def m(self, a): return a
f(1)
^
//- /b.py
import a
from a import f
              ^
f('')
^
a.f(2)
  ^
";
    for at in ["def f(a: int)", "def f(a: str)", "def f(a):", "f('')"] {
        let cursor = at.replace("def f", "def $0f").replace("f('')", "$0f('')");
        check_references(&python.replacen(at, &cursor, 1));
    }
    let typescript = "
//- /a.ts
export function f(a: number): number;
                ^
export function f(a: string): string;
                ^
export function f(a: any): any { return a; }
                ^
f(1);
^
//- /b.ts
import { f } from './a';
         ^
f('');
^
";
    for at in ["f(a: number)", "f(a: string)", "f(a: any)", "f('')"] {
        check_references(&typescript.replacen(at, &format!("$0{at}"), 1));
    }
    let methods = "
//- /a.ts
class C {
  f(a: number): number;
  ^
  f(a: string): string;
  ^
  f(a: any): any { return a; }
  ^
}
interface I {
  f(a: number): number;
}
new C().f(1);
        ^
new C().f('');
        ^
";
    for at in ["f(a: number)", "f(a: string)", "f(a: any)", "f('')"] {
        check_references(&methods.replacen(at, &format!("$0{at}"), 1));
    }
    let interfaces = "
//- /a.ts
interface I {
  f(a: number): number;
  ^
  f(a: string): string;
  ^
}
function g(i: I) { i.f(1); i.f(''); }
                     ^       ^
";
    for at in ["f(a: number)", "f(a: string)", "f(1)"] {
        check_references(&interfaces.replacen(at, &format!("$0{at}"), 1));
    }
    let rust = "
//- /Cargo.toml
[package]
name = \"it\"
//- /src/lib.rs
#[cfg(unix)]
pub fn f() {}
       ^
#[cfg(windows)]
pub fn f() {}
       ^
struct S;
impl S {
    #[cfg(unix)]
    fn m(&self) {}
    #[cfg(not(unix))]
    fn m(&self) {}
}
fn g() { f() }
         ^
//- /src/main.rs
fn main() { it::f() }
                ^
";
    check_references(&rust.replacen("fn f() {}", "fn $0f() {}", 1));
    check_references(&rust.replacen("{ f() }", "{ $0f() }", 1));
    let windows = "#[cfg(windows)]\npub fn ";
    check_references(&rust.replacen(windows, &format!("{windows}$0"), 1));
}

#[test]
fn overloads_are_renamed_together() {
    use crate::fixture::rename::check;
    check(
        "
//- /a.ts
export function ol$0d(a: number): number;
export function old(a: string): string;
export function old(a: any): any { return a; }
class C {
  old~(a: number): number;
  old~(a: any): any { return a; }
}
//- /b.ts
import { old } from './a';
old(''); old(1);
",
    );
    check(
        "
//- /a.ts
class C {
  old(a: number): number;
  ol$0d(a: string): string;
  old(a: any): any { return a; }
}
new C().old(1);
",
    );
    check(
        "
//- /Cargo.toml
[package]
name = \"it\"
//- /src/lib.rs
#[cfg(unix)]
pub fn old() {}
#[cfg(windows)]
pub fn ol$0d() {}
fn g() { old() }
",
    );
    check(
        "
//- /a.ts
export interface Old~ { a: number }
export interface ol$0d { a: number }
export namespace old { export const b = 1; }
export function f(a: old) { return old.b; }
",
    );
}

#[test]
fn an_interface_and_a_namespace_are_one_symbol() {
    let text = "
//- /a.ts
export interface One { a: number }
                 ^^^
export namespace One { export const b = 1; }
                 ^^^
export function f(a: One) { return One.b; }
                     ^^^           ^^^
";
    for at in ["interface One", "namespace One", "a: One", "return One"] {
        check_references(&text.replacen(at, &at.replace("One", "$0One"), 1));
    }
    let class =
        text.replace("namespace One { export const b = 1; }", "class One { static b = 1; }");
    let class = class.replace(
        "                 ^^^
export function",
        "             ^^^
export function",
    );
    for at in ["interface One", "class One", "a: One", "return One"] {
        check_references(&class.replacen(at, &at.replace("One", "$0One"), 1));
    }
}

#[test]
fn a_path_of_types_names_a_type_wherever_it_stands() {
    check_references(
        "
//- /a.ts
export interface $0Part<T = any> { v: T }
                 ^^^^
export const Part = 1;
//- /b.ts
import * as z from './a';
declare const x: any;
x satisfies z.Part;
              ^^^^
x.extend<z.Part>();
           ^^^^
type Same<T> = T extends z.Part ? 1 : 2;
                           ^^^^
let part: z.Part<string> = z.Part;
            ^^^^
",
    );
}
