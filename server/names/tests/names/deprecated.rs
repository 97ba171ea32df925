//! Deprecated definitions: attributes, annotations, decorators and comments.

use std::sync::atomic::AtomicBool;

use names::Facts;
use syntax::{Language, Syntax};
use text::Text;

/// The deprecated names of a text.
fn deprecated(language: &str, source: &str) -> Vec<String> {
    let text = Text::new(source);
    let (language, go) = (Language::by_id(language).expect("a language"), AtomicBool::new(false));
    let syntax = Syntax::parse(language, &text, None, &go).expect("a tree");
    let facts = Facts::lower(&syntax, &go).expect("facts");
    let name = |at: usize| {
        let rest = &source[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest[..end].to_owned()
    };
    facts.deprecated().map(name).collect()
}

#[test]
fn a_parameter_list_is_no_decorator() {
    let source = "
class C:
    @deprecated(
        'no',
    )
    def f(self): pass
    def g(
        self, x
    ) -> int:
        y = x
";
    assert_eq!(deprecated("python", source), ["f"]);
}

#[test]
fn rust() {
    let source = "
#[deprecated]
pub fn old() {}
pub fn new() {}
/// Says deprecated, and `#[deprecated]`.
#[deprecated(
    since = \"1.0\",
    note = \"x\"
)]
#[inline]
pub struct Gone { pub field: u8 }
#[deprecated = \"no\"] pub const OLD: u8 = 1;
#[deprecatedness]
pub fn other() {}
pub enum E {
    #[deprecated]
    A,
    B,
}
";
    assert_eq!(deprecated("rust", source), ["old", "Gone", "OLD", "A"]);
}

#[test]
fn java() {
    let source = "
class A {
    @Deprecated int field; int other;
    /** @deprecated use it not */
    void said() {}
    /** Not @deprecated at all. */
    void kept() {}
    /* @deprecated */
    void plain() {}
    @Deprecated(since = \"1\")
    @Override
    public void old(int n) {}
    void new_() {}
}
@Deprecated class B {
    int field;
}
";
    assert_eq!(deprecated("java", source), ["field", "said", "old", "B"]);
}

#[test]
fn python() {
    let source = "
import warnings
from typing_extensions import deprecated

@deprecated('use it not')
def old(n): pass

@warnings.deprecated(
    'use it not',
)
@other
class Old:
    def method(self): pass

@deprecated_thing
def new(): pass

def deprecated_name(): pass
";
    assert_eq!(deprecated("python", source), ["old", "Old"]);
}

#[test]
fn javascript_and_typescript() {
    let source = "
/**
 * It was of use.
 * @deprecated since long
 */
export function old(a) {}
/** @deprecatedness */
export function kept() {}
// @deprecated
function plain() {}
export class A {
    /** @deprecated */
    old() {}
    next() {}
}
/** @deprecated */ export const inline = 1, beside = 2;
export const next = 1; /* a */
export const after = 1;
/** @deprecated */
export const value = { inner: 1 };
";
    for language in ["javascript", "typescript", "tsx"] {
        assert_eq!(deprecated(language, source), ["old", "old", "inline", "value"], "{language}");
    }
}

#[test]
fn go() {
    let source = "package a

// Old does it.
//
// Deprecated: use New.
func Old() {}

// New replaces what was
// Deprecated: not a paragraph.
func New() {}

type T struct {
\t// Deprecated: not read.
\tField int
\tOther int
}
";
    assert_eq!(deprecated("go", source), ["Old", "Field"]);
}

#[test]
fn c_and_cpp() {
    let source = "
[[deprecated]] int old(int a);
int fresh(int a);
__attribute__((deprecated(\"x\"))) int older(void);
/**
 * \\deprecated use it not
 */
int said(void);
struct [[deprecated(\"no\")]] S { int field; };
enum E { A [[deprecated]], B };
int a; [[deprecated]] int b; int c;
";
    assert_eq!(deprecated("cpp", source), ["old", "older", "said", "S", "A", "b"]);
}
