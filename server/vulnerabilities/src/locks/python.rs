//! requirements.txt, as far as it names versions.

use super::{LockError, LockedPackage, package};
use crate::Ecosystem;

/// Requirements with one version (`==`). Others do not say what is installed.
pub(super) fn requirements(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut packages = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let requirement = line.split(" #").next().unwrap_or_default();
        let requirement = requirement.split(';').next().unwrap_or_default().trim();
        if requirement.starts_with(['#', '-']) {
            continue;
        }
        let Some((name, version)) = requirement.split_once("==") else { continue };
        // Options such as hashes follow the version.
        let version = version.trim_start_matches('=').trim();
        let version = version.split([' ', '\t', '\\', ',']).next().unwrap_or_default();
        let name = name.split('[').next().unwrap_or_default().trim();
        if !name.is_empty() && !version.is_empty() && !version.contains('*') {
            packages.push(package(Ecosystem::PyPI, name, version, at + 1));
        }
    }
    Ok(packages)
}
