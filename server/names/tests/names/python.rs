//! Python: scopes, imports, members, types.

use crate::fixture::{check, check_references};

#[test]
fn a_parameter_shadows_the_module() {
    check(
        "
//- /a.py
name = 1
def f(name):
      ^^^^
    return na$0me
",
    );
}

#[test]
fn a_method_does_not_see_its_class_body() {
    check(
        "
//- /a.py
x = 1
^
class C:
    x = 2
    def m(self):
        return $0x
",
    );
}

#[test]
fn a_class_body_sees_itself() {
    check(
        "
//- /a.py
x = 1
class C:
    x = 2
    ^
    y = $0x
",
    );
}

#[test]
fn a_comprehension_has_a_scope_of_its_own() {
    check(
        "
//- /a.py
n = 0
def f(items):
    return [n for n in items if $0n]
                  ^
",
    );
    check(
        "
//- /a.py
n = 0
^
r = [n for n in []]
print($0n)
",
    );
}

#[test]
fn global_binds_in_the_module() {
    check(
        "
//- /a.py
count = 0
^^^^^
def f():
    global count
    coun$0t += 1
",
    );
}

#[test]
fn the_bounds_of_a_slice_are_names() {
    check("\n//- /a.py\ndef f(xs, end):\n          ^^^\n    return xs[1 : e$0nd]\n");
    check(
        "
//- /a.py
class T:
    def go(self): pass
        ^^
def f(xs: list[T]):
    for x in xs[1:]: x.g$0o()
",
    );
}

#[test]
fn the_last_assignment_before_the_use_is_the_definition() {
    check(
        "
//- /a.py
def f():
    x = 1
    x = 2
    ^
    print($0x)
    x = 3
",
    );
}

#[test]
fn imports_resolve_through_reexports() {
    check(
        "
//- /src/pkg/__init__.py
from .core import Engine as Engine
//- /src/pkg/core.py
class Engine:
      ^^^^^^
    pass
//- /src/main.py
from pkg import Engine
Eng$0ine()
",
    );
}

#[test]
fn a_star_import_finds_public_names_only() {
    check(
        "
//- /a.py
from b import *
shown$0()
//- /b.py
def shown(): pass
    ^^^^^
",
    );
    check(
        "
//- /a.py
from b import *
_hidden$0()
//- /b.py
def _hidden(): pass
",
    );
}

#[test]
fn attributes_of_self_are_inherited() {
    check(
        "
//- /base.py
class Base:
    def __init__(self):
        self.items = []
             ^^^^^
//- /a.py
from base import Base
class C(Base):
    def m(self):
        return self.ite$0ms
",
    );
}

#[test]
fn members_resolve_through_types() {
    let types = "
//- /t.py
class T:
    def go(self) -> 'T': return self
        ^^
def make() -> T: ...
";
    for use_ in [
        "def f(x: t.T): x.g$0o()",
        "t.T().g$0o()",
        "x = t.make()\nx.g$0o()",
        "def f(xs: list[t.T]):\n    for x in xs: x.g$0o()",
        "def f(x: 'Optional[t.T]'): x.go().g$0o()",
        "with t.T() as x: x.g$0o()",
        "def f(**kw): return [x.g$0o() for x in [t.T()]]",
    ] {
        check(&format!("{types}//- /a.py\nimport t\n{use_}\n"));
    }
}

#[test]
fn keyword_arguments_resolve_to_parameters() {
    check(
        "
//- /a.py
def f(first, second=1): pass
             ^^^^^^
f(1, sec$0ond=2)
",
    );
}

#[test]
fn external_names_are_not_guessed() {
    check(
        "
//- /a.py
import os
os.path.jo$0in('a')
//- /b.py
def join(a): pass
class C:
    def join(self): pass
",
    );
}

#[test]
fn references_cross_files_and_skip_homonyms() {
    check_references(
        "
//- /a.py
def run$0(): pass
    ^^^
//- /b.py
from a import run
              ^^^
run()
^^^
//- /c.py
def run(): pass
run()
",
    );
}

#[test]
fn import_cycles_end() {
    check(
        "
//- /a.py
from b import thing
thin$0g
//- /b.py
from a import thing
              ^^^^^
",
    );
}

#[test]
fn conditions_narrow_types_where_they_hold() {
    let types = "
//- /t.py
class A:
    pass
class B(A):
    def only_b(self): pass
        ^^^^^^
";
    for use_ in [
        "def f(x: t.A):\n    if isinstance(x, t.B) and x: x.only$0_b()",
        "def f(x: t.A):\n    assert isinstance(x, t.B)\n    x.only$0_b()",
        "def f(x: t.A):\n    if not isinstance(x, t.B): return\n    x.only$0_b()",
    ] {
        check(&format!("{types}//- /a.py\nimport t\n{use_}\n"));
    }
    let types = types.replace("        ^^^^^^\n", "");
    for use_ in [
        "def f(x: t.A):\n    if isinstance(x, t.B): return\n    x.only$0_b()",
        "def f(x: t.A):\n    if isinstance(x, t.B) or x: x.only$0_b()",
    ] {
        check(&format!("{types}//- /a.py\nimport t\n{use_}\n"));
    }
}
