//! Rust: crates, their dependencies and targets, conditions, files named by attributes.

use crate::fixture::check;

#[test]
fn dependencies_by_path_are_crates() {
    let manifests = "
//- /Cargo.toml
[workspace]
members = [\"parts/*\"]
[workspace.dependencies]
shared-parts = { path = \"parts/shared\" }
//- /parts/shared/Cargo.toml
[package]
name = \"shared-parts\"
[lib]
path = \"lib.rs\"
//- /parts/shared/lib.rs
pub struct Gear;
           ^^^^
//- /parts/app/Cargo.toml
[package]
name = \"app\"
[dependencies]
shared-parts.workspace = true
renamed = { package = \"shared-parts\", path = \"../shared\" }
//- /parts/other/Cargo.toml
[package]
name = \"other\"
//- /parts/app/src/lib.rs
";
    check(&format!("{manifests}use shared_parts::Ge$0ar;\n"));
    check(&format!("{manifests}use renamed::Ge$0ar;\n"));
    check(&format!("{manifests}pub use renamed as r;\nfn f(g: r::Ge$0ar) {{}}\n"));
    // A crate that the manifest does not list is not a dependency.
    let stranger = manifests.replace("           ^^^^\n", "").replace("app/src", "other/src");
    check(&format!("{stranger}use shared_parts::Ge$0ar;\n"));
}

#[test]
fn a_test_names_its_own_crate() {
    check(
        "
//- /Cargo.toml
[package]
name = \"my-tool\"
//- /src/lib.rs
pub struct Gear;
           ^^^^
//- /src/main.rs
mod cli;
//- /tests/it.rs
use my_tool::Ge$0ar;
",
    );
}

#[test]
fn a_module_belongs_to_the_target_that_declares_it() {
    check(
        "
//- /Cargo.toml
[package]
name = \"my-tool\"
//- /src/lib.rs
pub struct Gear;
//- /src/main.rs
mod cli;
struct Options;
       ^^^^^^^
//- /src/cli.rs
use crate::Opt$0ions;
",
    );
}

#[test]
fn conditions_say_which_definition_is_read() {
    check(
        "
//- /src/lib.rs
#[cfg(windows)]
fn is_hidden() {}
#[cfg(unix)]
fn is_hidden() {}
   ^^^^^^^^^
fn f() { is_hid$0den() }
",
    );
    check(
        "
//- /src/lib.rs
struct S;
#[cfg(unix)]
impl S { fn go(&self) {} }
            ^^
#[cfg(not(any(unix, windows)))]
impl S { fn go(&self) {} }
fn after(s: S) { s.g$0o() }
",
    );
    // A condition on an impl does not apply to the code after it.
    check(
        "
//- /src/lib.rs
struct S;
#[cfg(windows)]
impl S { fn go(&self) {} }
fn after() {}
   ^^^^^
fn f() { aft$0er() }
",
    );
}

#[test]
fn an_attribute_names_a_modules_file() {
    check(
        "
//- /src/lib.rs
#[cfg(unix)]
#[path = \"on_unix.rs\"]
mod system;
struct Outer;
fn f() { system::op$0en() }
//- /src/on_unix.rs
pub fn open() -> super::Outer { todo!() }
       ^^^^
",
    );
}

#[test]
fn fields_of_variants() {
    check(
        "
//- /src/lib.rs
enum Error { Loop { ancestor: u8, child: u8 }, Other }
                    ^^^^^^^^
fn f() -> Error { Error::Loop { ances$0tor: 1, child: 2 } }
",
    );
    check(
        "
//- /src/lib.rs
struct Gear;
impl Gear { fn turn(&self) {} }
               ^^^^
struct Other;
impl Other { fn turn(&self) {} }
enum Event { Started { gear: Gear } }
fn f(e: Event) { match e { Event::Started { gear } => gear.tu$0rn() } }
",
    );
}

#[test]
fn tuple_fields_resolve_by_index() {
    check(
        "
//- /src/lib.rs
struct Gear;
impl Gear { fn turn(&self) {} }
               ^^^^
struct Other;
impl Other { fn turn(&self) {} }
enum Event { Both(Other, Gear) }
fn f(e: Event) { if let Event::Both(_, g) = e { g.tu$0rn() } }
",
    );
}
