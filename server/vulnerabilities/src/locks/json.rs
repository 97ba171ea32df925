//! package-lock.json, composer.lock, Pipfile.lock.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{LockError, LockedPackage, package};
use crate::Ecosystem;

/// Nesting of `dependencies` in a lock file of npm 6.
const MAX_DEPTH: usize = 64;

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, LockError> {
    serde_json::from_str(text).map_err(|error| LockError::Malformed(error.to_string()))
}

/// The lines of keys, which are found in the order in which they are asked for.
struct Keys<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Keys<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line of the next place of `written`; the last line that was found, if there is none.
    fn line_of(&mut self, written: &str) -> usize {
        if let Some(found) = self.text[self.at..].find(written) {
            let between = &self.text.as_bytes()[self.at..self.at + found];
            self.line += between.iter().filter(|byte| **byte == b'\n').count();
            self.at += found;
        }
        self.line
    }
}

#[derive(Deserialize)]
struct NpmLock {
    #[serde(default)]
    packages: Option<Map<String, Value>>,
    #[serde(default)]
    dependencies: Option<Map<String, Value>>,
}

pub(super) fn npm(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let lock: NpmLock = parse(text)?;
    let mut keys = Keys::new(text);
    let mut found = Vec::new();
    match (lock.packages, lock.dependencies) {
        (Some(packages), _) => {
            for (path, entry) in &packages {
                let Some((_, folder)) = path.rsplit_once("node_modules/") else { continue };
                // An alias has the name of what it stands for.
                let name = entry["name"].as_str().unwrap_or(folder);
                let is_link = entry["link"].as_bool() == Some(true);
                if let (Some(version), false) = (entry["version"].as_str(), is_link) {
                    let line = keys.line_of(&format!("{}:", Value::from(path.as_str())));
                    found.push(npm_package(name, version, line, entry));
                }
            }
        }
        (None, Some(dependencies)) => npm_tree(&dependencies, &mut keys, 0, &mut found)?,
        (None, None) => {
            return Err(LockError::Malformed("it has no `packages`".to_owned()));
        }
    }
    Ok(found)
}

/// The packages of npm 6 and before, each below the one that needs it.
fn npm_tree(
    dependencies: &Map<String, Value>,
    keys: &mut Keys<'_>,
    depth: usize,
    found: &mut Vec<LockedPackage>,
) -> Result<(), LockError> {
    if depth > MAX_DEPTH {
        return Err(LockError::Malformed("its dependencies are nested too deeply".to_owned()));
    }
    for (name, entry) in dependencies {
        if let Some(version) = entry["version"].as_str() {
            let line = keys.line_of(&format!("{}:", Value::from(name.as_str())));
            let (name, version) = match version.strip_prefix("npm:") {
                Some(alias) => alias.rsplit_once('@').unwrap_or((name, version)),
                None => (name.as_str(), version),
            };
            // Anything else is a folder or a repository.
            if version.starts_with(|c: char| c.is_ascii_digit()) {
                found.push(npm_package(name, version, line, entry));
            }
        }
        if let Some(below) = entry["dependencies"].as_object() {
            npm_tree(below, keys, depth + 1, found)?;
        }
    }
    Ok(())
}

fn npm_package(name: &str, version: &str, line: usize, entry: &Value) -> LockedPackage {
    let is_dev = entry["dev"].as_bool() == Some(true);
    LockedPackage { is_dev, ..package(Ecosystem::Npm, name, version, line) }
}

#[derive(Deserialize)]
struct ComposerLock {
    packages: Vec<ComposerPackage>,
    #[serde(default, rename = "packages-dev")]
    packages_dev: Vec<ComposerPackage>,
}

#[derive(Deserialize)]
struct ComposerPackage {
    name: String,
    version: String,
}

pub(super) fn composer(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let lock: ComposerLock = parse(text)?;
    let mut keys = Keys::new(text);
    let all = lock.packages.iter().map(|found| (found, false));
    let all = all.chain(lock.packages_dev.iter().map(|found| (found, true)));
    Ok(all
        .map(|(found, is_dev)| {
            let line = keys.line_of(&format!("\"name\": \"{}\"", found.name));
            let locked = package(Ecosystem::Packagist, &found.name, &found.version, line);
            LockedPackage { is_dev, ..locked }
        })
        .collect())
}

#[derive(Deserialize)]
struct Pipfile {
    default: Map<String, Value>,
    #[serde(default)]
    develop: Map<String, Value>,
}

pub(super) fn pipfile(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let lock: Pipfile = parse(text)?;
    let mut keys = Keys::new(text);
    let all = lock.default.iter().map(|found| (found, false));
    let all = all.chain(lock.develop.iter().map(|found| (found, true)));
    Ok(all
        .filter_map(|((name, entry), is_dev)| {
            let version = entry["version"].as_str()?.strip_prefix("==")?;
            let line = keys.line_of(&format!("{}:", Value::from(name.as_str())));
            Some(LockedPackage { is_dev, ..package(Ecosystem::PyPI, name, version, line) })
        })
        .collect())
}
