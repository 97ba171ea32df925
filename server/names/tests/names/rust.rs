//! Rust: modules, `use`, `let`, impls, traits.

use crate::fixture::check;

#[test]
fn let_shadows_after_its_end() {
    check(
        "
//- /src/lib.rs
fn f(x: u8) { let x = $0x; }
     ^
",
    );
    check(
        "
//- /src/lib.rs
fn f(x: u8) { let x = 1; let x = 2; g($0x) }
                             ^
",
    );
}

#[test]
fn modules_and_reexports() {
    check(
        "
//- /src/lib.rs
mod shapes;
pub mod prelude { pub use crate::shapes::*; }
//- /src/shapes/mod.rs
mod circle;
pub use self::circle::Circle;
//- /src/shapes/circle.rs
pub struct Circle;
           ^^^^^^
//- /src/user.rs
use crate::prelude::*;
fn f(c: Cir$0cle) {}
",
    );
}

#[test]
fn a_constant_is_a_generic_argument() {
    check(
        "
//- /src/lib.rs
mod ring;
const CAPACITY: usize = 4;
      ^^^^^^^^
struct Ring<const N: usize>;
//- /src/ring.rs
use crate::*;
type Own = Ring<CAPA$0CITY>;
",
    );
}

#[test]
fn a_declared_module_is_its_file() {
    let files = crate::fixture::fixture(
        "
//- /src/lib.rs
mod circ$0le;
//- /src/circle.rs
pub struct Circle;
",
    );
    let answer = files.index.definition(names::FileId(0), files.cursor.1);
    let places: Vec<_> = answer.iter().map(|t| (t.file.0, t.span.clone())).collect();
    assert_eq!(places, [(1, 0..0)]);
}

#[test]
fn methods_of_impls_and_traits() {
    check(
        "
//- /src/lib.rs
struct A;
impl A { fn new() -> Self { A } fn go(&self) {} }
                                   ^^
fn f() { A::new().g$0o() }
",
    );
    check(
        "
//- /src/lib.rs
trait Area { fn area(&self) -> u8; }
                ^^^^
fn f<T: Area>(t: &T) { t.ar$0ea(); }
",
    );
}

#[test]
fn fields_and_methods_of_one_name() {
    check(
        "
//- /src/lib.rs
struct A { len: u8 }
           ^^^
impl A { fn len(&self) -> u8 { self.l$0en } }
",
    );
}

#[test]
fn variants_and_patterns() {
    check(
        "
//- /src/lib.rs
struct P { x: u8 }
           ^
enum E { One(P), Two }
impl E { fn f(&self) { match self { Self::One(p) => p.$0x, E::Two => 0 }; } }
",
    );
}

#[test]
fn code_in_macros() {
    check(
        "
//- /src/lib.rs
struct A { x: u8 }
           ^
fn f(a: A) { println!(\"{}\", a.$0x); }
",
    );
}

#[test]
fn a_variant_with_fields_is_named_like_a_type() {
    check(
        "
//- /src/lib.rs
enum Frame { Outer, Unwind { n: u8 } }
                    ^^^^^^
fn f() -> Frame { Frame::Unw$0ind { n: 1 } }
",
    );
}

#[test]
fn an_associated_type_is_that_of_the_impl() {
    check(
        "
//- /src/lib.rs
trait Graph { type Id; }
struct Index;
impl Index { fn number(&self) {} }
                ^^^^^^
struct List;
impl Graph for List { type Id = Index; }
trait Find: Graph { fn find(&self, id: Self::Id); }
impl Find for List { fn find(&self, id: Self::Id) { id.num$0ber() } }
",
    );
}

#[test]
fn a_bound_resolves_to_trait_members() {
    check(
        "
//- /src/lib.rs
trait Parser { type Value; }
                    ^^^^^
fn f(p: impl Parser<Val$0ue = u8>) {}
",
    );
}

#[test]
fn a_trait_made_by_a_macro_has_supertraits() {
    check(
        "
//- /src/lib.rs
trait Above { fn high(&self); }
                 ^^^^
template! { pub trait Low : Above { fn low(&self); } }
fn f<G>(g: G) where G: Low { g.hi$0gh() }
",
    );
}
