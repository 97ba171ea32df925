//! Java's packages, by the name that the files state.

use super::{Module, Project};

impl Project {
    pub(super) fn java(&self, name: &str) -> Option<Module> {
        self.is_package(name).then(|| Module::Package(name.into()))
    }
}
