//! PHP namespaces, by the name that files declare.

use super::{Module, Project};
use crate::dependency_tracking::record_package;

impl Project {
    /// The namespace of a name without a `\\` before it, if a file or one of Composer's packages declares it or one
    /// below it. O(packages).
    pub(crate) fn php_namespace(&self, name: &str) -> Option<Module> {
        if name.is_empty() {
            return Some(Module::Namespace(name.into()));
        }
        let is_it = |declared: &str| {
            declared
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
        };
        let known = self.packages.contains_key(name)
            || self.packages.keys().any(|p| is_it(p))
            || self.composer.has_namespace(name);
        if !known {
            record_package(|| format!("namespace {name}"));
        }
        known.then(|| Module::Namespace(name.into()))
    }
}
