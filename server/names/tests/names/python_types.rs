//! Python: static type inference.

use crate::fixture::{check, check_references};

#[test]
fn a_comment_may_give_the_type() {
    check(
        "
//- /a.py
from typing import Dict
class Stream:
    def close(self): pass
        ^^^^^
class Holder:
    def __init__(self):
        self.streams = {}  # type: Dict[str, Stream]
    def stop(self):
        for stream in self.streams.values():
            stream.$0close()
class Other:
    def close(self): pass
",
    );
    // A comment about something else gives no type.
    check(
        "
//- /a.py
class C:
    def run_all(self): pass
        ^^^^^^^
c = C()  # type: ignore
c.$0run_all()
",
    );
}

#[test]
fn a_call_may_make_a_record() {
    check(
        r#"
//- /a.py
from collections import namedtuple
StartLine = namedtuple("StartLine", ["method", "path"])
                                                ^^^^
def f(line: StartLine):
    return line.$0path
"#,
    );
    check(
        r#"
//- /a.py
import collections
class Point(collections.namedtuple("Point", "x_axis y_axis")):
                                                    ^^^^^^
    def f(self):
        return self.$0y_axis
"#,
    );
    check(
        r#"
//- /a.py
from typing import NamedTuple
Point = NamedTuple("Point", [("x_axis", int), ("y_axis", "float")])
                               ^^^^^^
print(Point(1, 2).$0x_axis)
"#,
    );
}

#[test]
fn unknown_keywords_belong_to_kwargs() {
    check(
        "
//- /a.py
def dump(value, **options):
    ^^^^
    pass
dump(1, $0indent=2)
",
    );
    check(
        "
//- /a.py
class Client:
    def __new__(cls, force=False):
                     ^^^^^
        return object.__new__(cls)
    def __getattr__(self, name): pass
Client($0force=True)
",
    );
}

#[test]
fn declarations_come_before_assignments() {
    check(
        "
//- /base.py
class Group: pass
class Scaffold:
    cli: Group
    ^^^
//- /a.py
from base import Scaffold, Group
class App(Scaffold):
    def __init__(self):
        self.cli = Group()
    def run(self):
        return self.$0cli
",
    );
    check(
        "
//- /b.py
class Attribute: pass
      ^^^^^^^^^
Attribute = decorated(Attribute)
//- /a.py
from b import $0Attribute
",
    );
}

#[test]
fn several_bases_are_searched_in_order() {
    check(
        "
//- /a.py
class A:
    def m(self): pass
class B(A): pass
class C(A):
    def m(self): pass
        ^
class D(B, C): pass
D().$0m()
",
    );
}

#[test]
fn a_package_imports_its_own_parts() {
    check(
        "
//- /p/__init__.py
from . import parts
from p import other
//- /p/parts.py
def f(): pass
    ^
//- /p/other.py
//- /a.py
import p
p.parts.$0f()
",
    );
}

#[test]
fn dunder_all_limits_exports() {
    check(
        r#"
//- /m.py
__all__ = ["_shown"]
__all__ += ["shown"]
def _shown(): pass
    ^^^^^^
def shown(): pass
def hidden(): pass
//- /a.py
from m import *
$0_shown()
"#,
    );
    check(
        r#"
//- /m.py
__all__ = ["shown"]
def shown(): pass
def hidden(): pass
//- /a.py
from m import *
$0hidden()
"#,
    );
}

#[test]
fn definitions_in_except_clauses_come_last() {
    check(
        "
//- /compat.py
try:
    FAST = True
    ^^^^
except ImportError:
    FAST = False
//- /a.py
from compat import FAST
print($0FAST)
",
    );
}

#[test]
fn branches_hidden_from_type_checkers_are_ignored() {
    check(
        "
//- /compat.py
import sys
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    def read(): pass
        ^^^^
else:
    def read(): pass
if sys.version_info < (3, 8):
    def read(): pass
//- /a.py
from compat import read
$0read()
",
    );
}

#[test]
fn final_infers_its_type() {
    check(
        "
//- /a.py
from typing import Final
class Symbols:
    atom: int
    ^^^^
syms: Final = Symbols()
print(syms.$0atom)
",
    );
}

#[test]
fn subclasses_assign_inherited_attributes() {
    check_references(
        "
//- /a.py
class Base:
    name: str
    ^^^^
class Sub(Base):
    def __init__(self):
        self.name = ''
             ^^^^
    def f(self):
        return self.$0name
                    ^^^^
",
    );
}

#[test]
fn a_test_holds_for_the_rest_of_the_condition() {
    check(
        "
//- /a.py
class Pattern:
    def __init__(self):
        self.text = ''
             ^^^^
    def __eq__(self, other):
        return isinstance(other, Pattern) and other.$0text
class Other:
    text = ''
",
    );
    check(
        "
//- /a.py
class Leaf:
    def prefix_of(self): pass
        ^^^^^^^^^
class Node:
    def prefix_of(self): pass
def f(all):
    return [x.$0prefix_of() for x in all if isinstance(x, Leaf)]
",
    );
    check(
        "
//- /a.py
class Leaf:
    def prefix_of(self): pass
        ^^^^^^^^^
class Node:
    def prefix_of(self): pass
def f(x):
    return x.$0prefix_of() if isinstance(x, Leaf) else None
",
    );
}

#[test]
fn operators_choose_and_unite() {
    check(
        "
//- /a.py
class Transport:
    def close_all(self): pass
        ^^^^^^^^^
class Other:
    def close_all(self): pass
def f(all: dict[str, Transport | None]):
    for one in all.values():
        one.$0close_all()
",
    );
    check(
        "
//- /a.py
class Context:
    def enter_it(self): pass
        ^^^^^^^^
class Other:
    def enter_it(self): pass
def f(given=None):
    context = given or Context()
    context.$0enter_it()
",
    );
}

#[test]
fn a_type_may_be_given_a_name_by_a_value() {
    check(
        r#"
//- /a.py
from typing import Union
LN = Union["Leaf", "Node"]
class Leaf:
    def prefix_of(self): pass
        ^^^^^^^^^
class Node: pass
class Other:
    def prefix_of(self): pass
def f(x: LN):
    return x.$0prefix_of()
"#,
    );
    // A value is not mistaken for a type.
    check(
        r#"
//- /a.py
from typing import Literal
def mode(): pass
def f(x: Literal["mo$0de"]): pass
"#,
    );
}

#[test]
fn iterating_a_generator_gives_its_yield_type() {
    check(
        "
//- /a.py
class Frame:
    def show_it(self): pass
        ^^^^^^^
class Other:
    def show_it(self): pass
def frames():
    yield Frame()
for frame in frames():
    frame.$0show_it()
",
    );
}

#[test]
fn type_variables_are_inferred() {
    check(
        r#"
//- /a.py
from typing import TypeVar, Generic
T = TypeVar("T")
S = TypeVar("S", bound="Base")
class Base:
    def enter_it(self: S) -> S:
        return self
    def own_part(self): pass
        ^^^^^^^^
class Sub(Base):
    def sub_part(self): pass
class Other:
    def own_part(self): pass
def same(x: T) -> T:
    return x
same(Base()).$0own_part()
"#,
    );
    check(
        r#"
//- /a.py
from typing import TypeVar
S = TypeVar("S", bound="Base")
class Base:
    def enter_it(self: S) -> S:
        return self
class Sub(Base):
    def sub_part(self): pass
        ^^^^^^^^
class Other:
    def sub_part(self): pass
Sub().enter_it().$0sub_part()
"#,
    );
    check_references(
        r#"
//- /a.py
from typing import TypeVar
S = TypeVar("S", bound="Ba$0se")
                        ^^^^
class Base: pass
      ^^^^
"#,
    );
}

#[test]
fn builtin_functions_propagate_types() {
    check(
        "
//- /a.py
from typing import cast
class Item:
    def show_it(self): pass
        ^^^^^^^
class Other:
    def show_it(self): pass
items = [Item()]
for n, item in enumerate(sorted(items)):
    item.$0show_it()
",
    );
    check(
        "
//- /a.py
from typing import cast
class Item:
    def show_it(self): pass
        ^^^^^^^
class Other:
    def show_it(self): pass
def f(x):
    cast(Item, x).$0show_it()
",
    );
}

#[test]
fn an_attribute_is_the_union_of_its_assignments() {
    check(
        "
//- /a.py
class Stream:
    def close_it(self): pass
        ^^^^^^^^
class Other:
    def close_it(self): pass
class C:
    def __init__(self):
        self.stream = None
    def open(self):
        self.stream = Stream()
    def stop(self):
        self.stream.$0close_it()
",
    );
    check(
        "
//- /a.py
from enum import Enum
class Color(Enum):
    RED = 1
    def mixed_with(self): pass
        ^^^^^^^^^^
class Other:
    def mixed_with(self): pass
Color.RED.$0mixed_with()
",
    );
}
