//! Rust: types of values through closures, bounds, the standard library and macros.

use crate::fixture::check;

#[test]
fn items_of_a_macro_are_items() {
    check(
        "
//- /src/lib.rs
cfg_net! {
    pub mod codec;
}
pin_project! {
    #[derive(Debug)]
    pub struct Framed<T> {
        #[pin]
        inner: T,
        ^^^^^
    }
}
impl<T> Framed<T> {
    fn f(&self) -> &T { &self.inn$0er }
}
//- /src/codec.rs
pub struct Codec;
",
    );
    check(
        "
//- /src/lib.rs
cfg_net! {
    pub mod codec;
}
//- /src/codec.rs
pub struct Codec;
           ^^^^^
//- /src/user.rs
use crate::codec::Cod$0ec;
",
    );
}

#[test]
fn arguments_of_a_macro_are_expressions() {
    check(
        "
//- /src/lib.rs
struct Unit { port: u16 }
impl Unit {
    fn header(&self, name: &str) -> Header { todo!() }
}
struct Other;
impl Other { fn value(&self) {} }
struct Header;
impl Header { fn value(&self) -> u8 { 0 } }
                 ^^^^^
fn f(unit: Unit) {
    assert_eq!(unit.header(\"a\").val$0ue(), 1);
}
",
    );
    // A name that only the macro knows is not a variable.
    check(
        "
//- /src/lib.rs
fn f() { let name = 1; format!(\"{name}\", n$0ame = 2); }
",
    );
}

#[test]
fn a_module_and_a_function_of_one_name() {
    check(
        "
//- /src/lib.rs
mod agent;
pub use crate::agent::Agent;
pub fn agent() -> Agent { todo!() }
//- /src/agent.rs
pub struct Agent;
           ^^^^^
//- /src/user.rs
use crate::Age$0nt;
",
    );
}

#[test]
fn an_inner_module_sees_all_of_those_around_it() {
    check(
        "
//- /src/lib.rs
mod agent;
use agent::Agent;
mod test;
//- /src/agent.rs
pub struct Agent;
           ^^^^^
//- /src/test/mod.rs
mod simple;
struct Recorder;
//- /src/test/simple.rs
use super::{super::*, Recorder};
fn f(a: Age$0nt) {}
",
    );
}

#[test]
fn closure_parameters_are_typed_by_the_bound() {
    check(
        "
//- /src/lib.rs
struct Unit;
impl Unit { fn all(&self) {} }
               ^^^
struct Other;
impl Other { fn all(&self) {} }
fn handle<F>(path: &str, f: F) where F: Fn(&Unit) -> u8 + Send + 'static {}
fn f() { handle(\"/\", |unit| unit.a$0ll()) }
",
    );
    check(
        "
//- /src/lib.rs
struct Unit;
impl Unit { fn all(&self) {} }
               ^^^
struct Other;
impl Other { fn all(&self) {} }
fn make<R>(f: impl Fn() -> R) -> R { f() }
fn given<T, F: Fn() -> T>(f: F) -> T { f() }
fn f() { given(|| Unit).a$0ll() }
",
    );
}

#[test]
fn methods_of_the_library_keep_types() {
    #[track_caller]
    fn with(body: &str) {
        check(&format!(
            "
//- /src/lib.rs
use std::collections::HashMap;
struct Key {{ id: u32 }}
struct Item {{ name: String }}
impl Item {{ fn show(&self) -> Key {{ todo!() }} }}
               ^^^^
struct Other;
impl Other {{ fn show(&self) {{}} }}
fn f(list: Vec<Item>, map: HashMap<Key, Item>, maybe: Option<Item>, tried: Result<Key, Item>) {{
    {body}
}}
"
        ));
    }
    with("list.iter().filter(|i| i.s$0how())");
    with("list.iter().enumerate().map(|(n, i)| i.s$0how())");
    with("list.iter().map(|i| (1, i)).for_each(|(_, i)| i.s$0how())");
    with("map.values().next().unwrap().s$0how()");
    with("map.iter().for_each(|(k, v)| v.s$0how())");
    with("if let Some(i) = map.get(&k) { i.s$0how() }");
    with("maybe.as_ref().map(|i| i.s$0how())");
    with("tried.map_err(|e| e.s$0how())");
    with("list.iter().zip(list.iter()).for_each(|(a, b)| b.s$0how())");
    with("maybe.map(|i| i).ok_or(1)?.s$0how()");
    with("list.iter().fold(maybe, |best, i| { i.s$0how(); best })");
}

#[test]
fn members_resolve_through_deref() {
    check(
        "
//- /src/lib.rs
use std::ops::Deref;
struct Inner;
impl Inner { fn go(&self) {} }
                ^^
struct Other;
impl Other { fn go(&self) {} }
struct Outer(Inner);
impl Deref for Outer {
    type Target = Inner;
    fn deref(&self) -> &Inner { &self.0 }
}
fn f(o: Outer) { o.g$0o() }
",
    );
}

#[test]
fn library_methods_do_not_resolve_to_ours() {
    // The receiver is unknown, and slices have this method.
    check(
        "
//- /src/lib.rs
struct Table;
impl Table { fn is_empty(&self) -> bool { true } }
fn f() { outside::thing().is_em$0pty(); }
",
    );
    check(
        "
//- /src/lib.rs
struct Table;
impl Table { fn despan(&self) {} }
                ^^^^^^
fn f() { let x = some!(1); x.des$0pan(); }
",
    );
}

#[test]
fn impls_for_external_types() {
    check(
        "
//- /src/lib.rs
trait Shape { fn area(&self) -> u8; }
impl Shape for u8 { fn area(&self) -> u8 { 1 } }
impl Shape for str { fn area(&self) -> u8 { 2 } }
                        ^^^^
fn f(s: &str) { s.ar$0ea(); }
",
    );
    check(
        "
//- /src/lib.rs
trait Mantissa { const HALF: u8; }
                       ^^^^
impl Mantissa for u64 { const HALF: u8 = 1; }
fn f() -> u8 { u64::HA$0LF }
",
    );
    check(
        "
//- /src/lib.rs
trait Listen { type Addr; fn addr(&self) -> Self::Addr; }
                    ^^^^
impl Listen for std::net::TcpListener {
    type Addr = u8;
    fn addr(&self) -> Self::Ad$0dr { 1 }
}
",
    );
}

#[test]
fn references_of_a_trait_member_include_impls() {
    let files = crate::fixture::fixture(
        "
//- /src/lib.rs
trait Shape { fn ar$0ea(&self); }
struct A;
impl Shape for A { fn area(&self) {} }
fn f(a: A) { a.area(); }
",
    );
    let uses = files.index.references(names::FileId(0), files.cursor.1, true);
    assert_eq!(uses.len(), 3, "{uses:?}");
}
