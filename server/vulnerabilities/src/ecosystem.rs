//! Where packages come from.

use std::borrow::Cow;

use serde::Serialize;

/// A registry of packages, with its own rules for names and versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Ecosystem {
    /// Rust.
    #[serde(rename = "crates.io")]
    CratesIo,
    /// JavaScript.
    #[serde(rename = "npm")]
    Npm,
    /// Python.
    PyPI,
    /// Go modules.
    Go,
    /// Java and Kotlin.
    Maven,
    /// Ruby.
    RubyGems,
    /// PHP.
    Packagist,
}

impl Ecosystem {
    /// The ecosystem that an advisory names; a suffix such as `:Pro` is another distribution.
    #[must_use]
    pub fn from_osv(name: &str) -> Option<Self> {
        Some(match name {
            "crates.io" => Self::CratesIo,
            "npm" => Self::Npm,
            "PyPI" => Self::PyPI,
            "Go" => Self::Go,
            "Maven" => Self::Maven,
            "RubyGems" => Self::RubyGems,
            "Packagist" => Self::Packagist,
            _ => return None,
        })
    }

    /// Its name in advisories.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CratesIo => "crates.io",
            Self::Npm => "npm",
            Self::PyPI => "PyPI",
            Self::Go => "Go",
            Self::Maven => "Maven",
            Self::RubyGems => "RubyGems",
            Self::Packagist => "Packagist",
        }
    }

    /// The name under which packages are compared.
    #[must_use]
    pub fn normalized(self, name: &str) -> Cow<'_, str> {
        match self {
            // PEP 503: runs of `-`, `_` and `.` are one `-`.
            Self::PyPI => {
                let mut normal = String::with_capacity(name.len());
                for c in name.chars().flat_map(char::to_lowercase) {
                    match c {
                        '-' | '_' | '.' if normal.ends_with('-') => {}
                        '-' | '_' | '.' => normal.push('-'),
                        c => normal.push(c),
                    }
                }
                Cow::Owned(normal)
            }
            Self::Packagist => Cow::Owned(name.to_lowercase()),
            _ => Cow::Borrowed(name),
        }
    }

    /// The type of a package URL (<https://github.com/package-url/purl-spec>).
    #[must_use]
    pub fn purl_type(self) -> &'static str {
        match self {
            Self::CratesIo => "cargo",
            Self::Npm => "npm",
            Self::PyPI => "pypi",
            Self::Go => "golang",
            Self::Maven => "maven",
            Self::RubyGems => "gem",
            Self::Packagist => "composer",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_names_are_the_same_however_they_are_written() {
        for name in ["Foo-Bar", "foo_bar", "foo.bar", "foo--_.bar"] {
            assert_eq!(Ecosystem::PyPI.normalized(name), "foo-bar");
        }
        assert_eq!(Ecosystem::CratesIo.normalized("a_b"), "a_b");
    }
}
