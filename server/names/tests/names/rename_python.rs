//! Rename in Python, checked against type checkers.

use crate::fixture::fixture;
use crate::fixture::rename::{check, plan, renamed};
use names::{RenameError, RenameReason};

#[test]
fn slots_name_members() {
    check(
        "
//- /a.py
class A:
    __slots__ = ('x', 'old')
    def __init__(self):
        self.ol$0d = []
class B(A):
    __match_args__ = ('old',)
class C:
    __slots__ = 'old~'
",
    );
}

const STUBBED: &str = "
//- /m/__init__.py
from ._impl import C, old
//- /m/__init__.pyi
from typing import overload
@overload
def old(a: int) -> int: ...
@overload
def old(a: str) -> str: ...
class C:
    def old~(self) -> None: ...
//- /m/_impl.py
def old(a): return a
class C:
    def old~(self): pass
//- /use.py
import m
m.old(1)
m.C().old~()
";

#[test]
fn stubs_are_renamed_with_their_module() {
    for line in ["def old(a)", "def old(a: str)", "m.old("] {
        let at = STUBBED.find(line).unwrap();
        let at = at + line.find("old").unwrap() + 1;
        check(&format!("{}$0{}", &STUBBED[..at], &STUBBED[at..]));
    }
}

#[test]
fn members_and_parameters_are_declared_in_stubs_too() {
    check(
        "
//- /a.py
class C:
    def ol$0d(self, x): return x
//- /a.pyi
class C:
    def old(self, x: int) -> int: ...
//- /use.py
from a import C
C().old(1)
",
    );
    check(
        "
//- /a.py
def f(ol$0d): return old
//- /a.pyi
def f(old: int) -> int: ...
//- /use.py
from a import f
f(old=1)
",
    );
}

#[test]
fn uses_on_a_type_parameter_need_confirmation() {
    let f = fixture(
        "
//- /a.py
from typing import TypeVar
T = TypeVar('T')
class Element:
    def on_o$0ld(self): pass
def go(first: T) -> T:
    first.on_old()
    return first
",
    );
    let asked = match plan(&f, "fresh") {
        Ok(plan) => plan.edits.iter().any(|e| e.reason == RenameReason::Unsure),
        Err(_) => true,
    };
    assert!(asked);
}

#[test]
fn names_that_repeat_their_variable_are_renamed() {
    let after = renamed(
        "
//- /a.py
from typing import TypeVar, NewType
$0T = TypeVar('T', bound=int)
Other = NewType('T', int)
def f(x: T) -> T: ...
",
    );
    assert!(after.contains("fresh = TypeVar('fresh', bound=int)"), "{after}");
    assert!(after.contains("Other = NewType('T', int)"), "{after}");
}

#[test]
fn members_of_builtin_bases_are_refused() {
    let text = |name: &str| {
        format!(
            "
//- /a.py
class Foo(dict):
    def {name}(self):
        return super().copy()
    def use(self):
        return self.{name}()
f = Foo()
f.{name}()
"
        )
    };
    // It overrides a method of `dict`.
    let fixed = text("keys").replace("def keys", "def ke$0ys");
    let error = plan(&fixture(&fixed), "other").unwrap_err();
    assert!(
        matches!(&error, RenameError::NotRenamable { why, .. } if why.contains("`dict`")),
        "{error}"
    );
    check(&text("old").replace("def old", "def ol$0d"));
}
