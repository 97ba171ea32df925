//! Kotlin packages, by the name that files declare. Java's files declare the same ones.

use super::{Module, Project};

impl Project {
    /// The package of a name; `\\` is the root of all.
    pub(super) fn kotlin_package(&self, name: &str) -> Option<Module> {
        match name.trim_start_matches('\\') {
            "" => Some(Module::Package("".into())),
            name => self.java(name),
        }
    }

    /// A package below another one, or below the root.
    pub(super) fn package_below(&self, package: &str, name: &str) -> Option<Module> {
        if package.is_empty() { self.java(name) } else { self.java(&format!("{package}.{name}")) }
    }
}
