//! The environment variables that tell where the user's tools keep dependencies.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// A copy of the relevant environment variables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment(HashMap<&'static str, OsString>);

const VARIABLES: &[&str] = &[
    "CARGO_HOME",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "PATH",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
];

impl Environment {
    /// The environment of this process.
    pub(crate) fn from_process() -> Self {
        Self(VARIABLES.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect())
    }

    #[cfg(test)]
    pub(crate) fn from_variables<'v>(
        variables: impl IntoIterator<Item = (&'static str, &'v std::path::Path)>,
    ) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name, value.into())).collect())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.to_str().filter(|text| !text.is_empty())
    }

    /// The first absolute path in a variable.
    pub(super) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.folders(name).next()
    }

    /// The absolute paths in a variable.
    pub(super) fn folders(&self, name: &str) -> impl Iterator<Item = PathBuf> + '_ {
        let value = self.0.get(name);
        let all = value.into_iter().flat_map(|value| std::env::split_paths(value));
        all.filter(|path| path.is_absolute())
    }

    pub(super) fn home(&self) -> Option<PathBuf> {
        self.folder("HOME")
    }

    /// Our cache folder.
    pub(super) fn cache(&self) -> Option<PathBuf> {
        let above = self.folder("XDG_CACHE_HOME").or_else(|| Some(self.home()?.join(".cache")))?;
        Some(above.join("tandem"))
    }
}
