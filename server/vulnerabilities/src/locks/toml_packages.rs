//! `[[package]]` tables: Cargo.lock, poetry.lock, uv.lock, pdm.lock.

use serde::Deserialize;
use toml::Spanned;

use super::{LockError, LockedPackage, package};
use crate::Ecosystem;

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: Spanned<String>,
    /// Packages of the workspace itself may have none.
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    source: Option<toml::Value>,
    /// Poetry's, before it had groups.
    #[serde(default)]
    category: Option<String>,
    #[serde(default)]
    groups: Vec<String>,
}

pub(super) fn cargo(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    // Only registries have advisories: packages of the workspace have no source.
    read(text, Ecosystem::CratesIo, |source| {
        source
            .and_then(toml::Value::as_str)
            .is_some_and(|source| source.starts_with("registry+") || source.starts_with("sparse+"))
    })
}

pub(super) fn python(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    read(text, Ecosystem::PyPI, |source| {
        let Some(table) = source.and_then(toml::Value::as_table) else { return true };
        // uv's packages of the project itself, and all that come from folders and repositories.
        let is_local = ["virtual", "editable", "directory", "path", "git"];
        let kind = table.get("type").and_then(toml::Value::as_str).unwrap_or_default();
        !is_local.iter().any(|local| table.contains_key(*local) || kind == *local)
    })
}

fn read(
    text: &str,
    ecosystem: Ecosystem,
    is_published: impl Fn(Option<&toml::Value>) -> bool,
) -> Result<Vec<LockedPackage>, LockError> {
    let lock: Lock =
        toml::from_str(text).map_err(|error| LockError::Malformed(error.message().to_owned()))?;
    let (mut line, mut at) = (1, 0);
    let mut packages = Vec::new();
    for found in lock.package {
        // The tables are in order, so each line is counted once.
        let start = found.name.span().start.clamp(at, text.len());
        line += text.as_bytes()[at..start].iter().filter(|byte| **byte == b'\n').count();
        at = start;
        let Some(version) = &found.version else { continue };
        if is_published(found.source.as_ref()) {
            let is_dev = found.category.as_deref() == Some("dev")
                || (!found.groups.is_empty()
                    && !found.groups.iter().any(|group| group == "main" || group == "default"));
            let locked = package(ecosystem, found.name.get_ref(), version, line);
            packages.push(LockedPackage { is_dev, ..locked });
        }
    }
    Ok(packages)
}
