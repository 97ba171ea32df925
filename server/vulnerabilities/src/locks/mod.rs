//! Lock files: which packages a project has, in which versions.
//!
//! Lock files are written by programs, so most are read line by line, which also gives the line of each
//! package. A lock file that does not follow its format is an error, and never an empty list.

mod by_lines;
mod json;
mod pom;
mod python;
mod toml_packages;
mod yarn;

use serde::Serialize;
use thiserror::Error;

use crate::Ecosystem;

/// Longest lock file. One of a large monorepo has 5 MB.
pub const MAX_LOCK_BYTES: u64 = 64 << 20;
/// Packages of a lock file, at most.
const MAX_PACKAGES: usize = 100_000;

/// A package of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LockedPackage {
    /// Where it comes from.
    pub ecosystem: Ecosystem,
    /// Its name; for Maven `group:artifact`.
    pub name: String,
    /// Its version, as written.
    pub version: String,
    /// Its line in the lock file, from 1.
    pub line: usize,
    /// Whether only development needs it.
    pub is_dev: bool,
}

/// Why a lock file cannot be read.
#[derive(Debug, Error)]
pub enum LockError {
    /// Of another kind.
    #[error("is no lock file that is known")]
    Unknown,
    /// Says what is wrong.
    #[error("is not in its format: {0}")]
    Malformed(String),
    /// Longer than any real one.
    #[error("names more than {MAX_PACKAGES} packages")]
    TooMany,
}

type Reader = fn(&str) -> Result<Vec<LockedPackage>, LockError>;

/// The readers by the names of files. `*` stands for any text.
const READERS: &[(&str, Reader)] = &[
    ("Cargo.lock", toml_packages::cargo),
    ("poetry.lock", toml_packages::python),
    ("uv.lock", toml_packages::python),
    ("pdm.lock", toml_packages::python),
    ("package-lock.json", json::npm),
    ("npm-shrinkwrap.json", json::npm),
    ("composer.lock", json::composer),
    ("Pipfile.lock", json::pipfile),
    ("pnpm-lock.yaml", yarn::pnpm),
    ("yarn.lock", yarn::yarn),
    ("go.mod", by_lines::go_mod),
    ("gradle.lockfile", by_lines::gradle),
    ("buildscript-gradle.lockfile", by_lines::gradle),
    ("Gemfile.lock", by_lines::bundler),
    ("gems.locked", by_lines::bundler),
    ("pom.xml", pom::maven),
    ("requirements*.txt", python::requirements),
];

fn reader(file_name: &str) -> Option<Reader> {
    let matches = |pattern: &str| match pattern.split_once('*') {
        Some((start, end)) => file_name.starts_with(start) && file_name.ends_with(end),
        None => file_name == pattern,
    };
    READERS.iter().find(|(pattern, _)| matches(pattern)).map(|(_, reader)| *reader)
}

/// The names of lock files, as globs.
pub fn lock_file_names() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|(pattern, _)| *pattern)
}

/// Whether a file of this name names the versions of packages.
#[must_use]
pub fn is_lock_file(file_name: &str) -> bool {
    reader(file_name).is_some()
}

/// The packages of a lock file, in its order, without those that have no version in a registry. O(text).
///
/// # Errors
/// If the file's name is not known, or it is not in its format.
pub fn read_lock(file_name: &str, text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let read = reader(file_name).ok_or(LockError::Unknown)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let packages = read(text)?;
    if packages.len() > MAX_PACKAGES {
        return Err(LockError::TooMany);
    }
    Ok(packages)
}

fn package(ecosystem: Ecosystem, name: &str, version: &str, line: usize) -> LockedPackage {
    LockedPackage {
        ecosystem,
        name: name.to_owned(),
        version: version.to_owned(),
        line,
        is_dev: false,
    }
}

#[cfg(test)]
mod tests;
