//! Diagnostics about Python names.

use crate::diagnostics::check;

#[test]
fn captures_of_a_match_are_defined() {
    check(
        "
//- /a.py
from enum import Enum
class Color(Enum):
    RED = 1
def f(v):
    match v:
        case [first, *rest]:
            return first, rest
        case {'key': value, **others}:
            return value, others
        case Color(x=left, y=(up | up)) as whole if left:
            return left, up, whole
        case str(text) | bytes(text):
            return text
        case one, [two, _], *_:
            return one, two
        case Color.RED | -1 | 1 + 2j | 'a' 'b' | None:
            return missing_one
        case Colour.RED:
            return
",
        &["a.py:17 undefined-name missing_one", "a.py:18 undefined-name Colour"],
    );
}

#[test]
fn type_parameters_are_defined() {
    check(
        "
//- /a.py
from typing import Callable
def f[T: (int, str) = int, *Ts, **P](x: T, *rest: *Ts) -> Callable[P, T]: ...
class A[T, U = list[T]](list[T]):
    x: U
    def f[V](self, v: V, t: T) -> V: ...
type X[T = int] = list[T] | Missing
type Y = dict[str, Y]
",
        &["a.py:6 undefined-name Missing"],
    );
}

#[test]
fn decorators_and_defaults_see_the_enclosing_class() {
    check(
        "
//- /a.py
class A:
    limit = 1
    def f(self, n=limit, g=lambda m=limit: m): return n, g
    rows = [r for r in range(limit)]
    more = {r: c for r in rows for c in range(r)}
    class Inner: ...
    def g(self, i: Inner) -> Inner: return i
",
        &[],
    );
}

#[test]
fn module_attributes_can_be_imported() {
    check(
        "
//- /pkg/__init__.py
from .a import x
VERSION = 1
//- /pkg/a.py
from . import __file__, __name__, __path__, __doc__, gone
x = __file__, __name__, __path__, __doc__, gone
",
        &["pkg/a.py:1 unresolved-import gone"],
    );
}

#[test]
fn dynamic_access_suppresses_only_affected_names() {
    check(
        "
//- /a.py
from flask.globals import current_app
import os
TEXT = 'globals() exec locals eval'
class Model:
    def eval(self): return self.eval(), setattr(self, 'x', 1)
def f():
    unread = current_app
    return undefined_one, 'x' in globals()
//- /b.py
import json
globals()['made'] = 1
print(made, undefined_two)
//- /c.py
import json
for key in 'ab':
    globals()[key] = 1
print(may_be_made)
//- /d.py
import json
def run(code):
    exec(code, {})
    return undefined_three
def run_here(code):
    exec(code)
    return may_be_made_here
//- /e.py
import json
def look_up(name):
    return globals()[name]
//- /f.py
from .e import look_up, gone
x = look_up, gone
",
        &[
            "a.py:2 unused-import os",
            "a.py:7 unused-variable unread",
            "a.py:8 undefined-name undefined_one",
            "b.py:1 unused-import json",
            "b.py:3 undefined-name undefined_two",
            "c.py:1 unused-import json",
            "d.py:4 undefined-name undefined_three",
        ],
    );
}

#[test]
fn a_wildcard_import_leaves_imports_unused() {
    check(
        "
//- /a.py
from somewhere import *
import os
print(may_be_from_there)
",
        &["a.py:2 unused-import os"],
    );
}

#[test]
fn caught_name_errors_are_expected() {
    check(
        "
//- /a.py
try:
    one = maybe_one
except NameError:
    one = 1
try:
    two = maybe_two
except:
    two = undefined_one
try:
    three = undefined_two
except Exception:
    three = 1
def f():
    global declared_only
",
        &["a.py:8 undefined-name undefined_one", "a.py:10 undefined-name undefined_two"],
    );
}

#[test]
fn linter_comments_suppress_diagnostics() {
    check(
        "
//- /a.py
from compat import one
import os  # NOQA
from keep import (  # noqa: F401
    two,
)
def f():
    '''Uses one and re.'''
import re
",
        &["a.py:1 unused-import one", "a.py:8 unused-import re"],
    );
}

#[test]
fn a_rule_can_be_off_in_a_file() {
    check(
        "
//- /a.py
# ruff: noqa: F821, I001
import sys
import os
sys
missing_one
//- /b.py
# flake8: noqa
import os
missing_one
//- /c.py
import os
# ruff: noqa: F4
missing_one
",
        &["a.py:3 unused-import os", "c.py:3 undefined-name missing_one"],
    );
}

#[test]
fn imports_in_a_class_body_are_members() {
    check(
        "
//- /a.py
class session:
    from os import sep, linesep
print(session.sep)
",
        &[],
    );
}

#[test]
fn pytest_parameters_use_imported_fixtures() {
    check(
        "
//- /test_a.py
from fixtures import client
def test_one(client): return client
//- /b.py
from elsewhere import client
def one(client): return client
",
        &["b.py:1 unused-import client"],
    );
}

#[test]
fn a_module_elsewhere_does_not_shadow_the_standard_library() {
    check(
        "
//- /vendor_of/functools.py
x = 1
y = 2
//- /a.py
from functools import wraps
print(wraps)
",
        &[],
    );
}

#[test]
fn a_stub_defines_more_names_than_its_module() {
    check(
        "
//- /pkg/__init__.py
//- /pkg/aliases.py
Anchor = 1
//- /pkg/aliases.pyi
AnchorType = int
//- /pkg/specs.pyi
from .aliases import AnchorType as A
from .aliases import Anchors
B = A
",
        &["pkg/specs.pyi:2 unresolved-import Anchors"],
    );
}

#[test]
fn a_module_beside_may_be_the_standard_one() {
    check(
        "
//- /plugins/types.py
class TypesPlugin: pass
//- /plugins/ipfs.py
from types import SimpleNamespace
print(SimpleNamespace)
",
        &[],
    );
}

#[test]
fn a_computed_dunder_all_may_contain_any_name() {
    check(
        "
//- /blocks/__init__.py
from .field import *
from .plain import *
//- /blocks/field.py
class CharBlock: pass
all_blocks = [CharBlock]
__all__ = [cls.__name__ for cls in all_blocks]
//- /blocks/plain.py
class Listed: pass
class Hidden: pass
__all__ = ['Listed'] + ['more']
//- /a.py
from blocks import CharBlock, Listed, Hidden
print(CharBlock, Listed, Hidden)
",
        &["a.py:1 unresolved-import Hidden"],
    );
}
