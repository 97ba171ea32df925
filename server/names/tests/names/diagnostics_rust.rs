//! Undefined Rust names, and names that macros and traits generate.

use crate::diagnostics::check;

const MANIFEST: &str = "
//- /Cargo.toml
[package]
name = \"one\"
";

fn check_lib(source: &str, expected: &[&str]) {
    check(&format!("{MANIFEST}//- /src/lib.rs\n{source}"), expected);
}

#[test]
fn associated_types_have_bounds() {
    check_lib(
        "
pub trait Walk: IntoIterator<IntoIter: DoubleEndedIterator, Item = u8> {}
pub fn f<I>(i: I) -> impl Iterator<Item: Copy> where I: Walk<Inner<'static>: Copy> { i }
pub fn g<I: Iterator<Item = Missing>>(i: I) {}
",
        &["src/lib.rs:4 undefined-name Missing"],
    );
}

#[test]
fn a_known_macro_suppresses_only_names_it_may_generate() {
    check_lib(
        "
#[macro_use]
extern crate log;
thread_local! { static DEPTH: u8 = 0; }
lazy_static! { pub static ref TABLE: u8 = 1; }
macro_rules! ids { ($($name:ident),*) => { $(pub struct $name;)* pub fn made_here() {} } }
ids!(First, Second);
pub fn f(a: First) { made_here(); DEPTH; TABLE; missing_one; }
",
        &["src/lib.rs:8 undefined-name missing_one"],
    );
}

#[test]
fn an_unknown_macro_may_generate_any_name() {
    for source in [
        "include!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));\npub fn f() { missing_one; }\n",
        "other::items!(A);\npub fn f() { missing_one; }\n",
        "macro_rules! a { ($b:ident) => { paste! { fn [<$b _c>]() {} } } }\na!(d);\npub fn f() { d_c(); }\n",
        "#[component]\nfn A() {}\npub fn f() { missing_one; }\n",
    ] {
        check_lib(source, &[]);
    }
}

#[test]
fn a_derive_may_generate_names_related_to_its_type() {
    check_lib(
        "
#[derive(Debug, Builder)]
pub struct Shape;
#[derive(Clone)]
pub struct Plain;
pub fn f() { ShapeBuilder::new(); shape_parts(); f::<PlainBuilder>(); f::<ShapeFields>(); }
",
        &["src/lib.rs:6 undefined-name PlainBuilder"],
    );
}

#[test]
fn a_glob_import_of_a_glob_import_may_be_unknown() {
    check(
        &format!(
            "{MANIFEST}//- /src/lib.rs
mod a;
mod b;
mod c;
//- /src/a.rs
use crate::b::*;
pub fn f() {{ from_afar(); }}
//- /src/b.rs
pub use crate::c::*;
//- /src/c.rs
pub use elsewhere::*;
"
        ),
        &[],
    );
}

#[test]
fn a_variable_may_be_upper_case() {
    check(
        &format!(
            "{MANIFEST}//- /src/lib.rs
pub fn f() -> u8 {{
    #[allow(non_snake_case)]
    let FALSE: u8 = 0;
    FALSE + MISSING
}}
pub fn g(rows: &[u8], Missing {{ a }}: Missing) {{
    for W_t in rows {{ h(W_t); }}
    let Missing {{ b }} = a;
}}
"
        ),
        &[
            "src/lib.rs:4 undefined-name MISSING",
            "src/lib.rs:6 undefined-name Missing",
            "src/lib.rs:6 undefined-name Missing",
            "src/lib.rs:8 undefined-name Missing",
        ],
    );
}

#[test]
fn macros_and_formats_read_variables() {
    check_lib(
        "
#[relm4::component]
impl A { fn init() { let view = b(); let widgets = view_output!(); c(widgets); } }
pub fn f(d: u8) -> String {
    let width = d;
    let precision = d;
    let r#gen = d;
    let r#match = d;
    let unread = d;
    g(r#gen);
    format!(\"{:0width$x} {d:.precision$}\", d)
}
",
        &["src/lib.rs:8 unused-variable r#match", "src/lib.rs:9 unused-variable unread"],
    );
}
