//! go.mod, gradle.lockfile, Gemfile.lock.

use super::{LockError, LockedPackage, package};
use crate::Ecosystem;

/// The modules that go.mod requires. It names all that are needed since Go 1.17.
pub(super) fn go_mod(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut packages = Vec::new();
    let mut block = None;
    let mut has_module = false;
    for (at, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        let words = match (words.as_slice(), block) {
            (["module", ..], None) => {
                has_module = true;
                continue;
            }
            ([name, "("], None) => {
                block = Some(*name);
                continue;
            }
            ([")"], Some(_)) => {
                block = None;
                continue;
            }
            (["require", rest @ ..], None) => rest.to_vec(),
            (words, Some("require")) => words.to_vec(),
            _ => continue,
        };
        if let [module, version] = words.as_slice() {
            let module = module.trim_matches(['"', '`']);
            packages.push(package(Ecosystem::Go, module, version, at + 1));
        }
    }
    if !has_module {
        return Err(LockError::Malformed("it has no `module`".to_owned()));
    }
    Ok(packages)
}

/// `group:artifact:version=configurations`
pub(super) fn gradle(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut packages = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("empty=") {
            continue;
        }
        let (coordinates, configurations) = line.split_once('=').unwrap_or((line, ""));
        let [group, artifact, version] = coordinates.split(':').collect::<Vec<_>>()[..] else {
            return Err(LockError::Malformed(format!(
                "line {}: no group:artifact:version",
                at + 1
            )));
        };
        let is_dev = !configurations.is_empty()
            && configurations.split(',').all(|name| name.to_lowercase().contains("test"));
        let name = format!("{group}:{artifact}");
        packages
            .push(LockedPackage { is_dev, ..package(Ecosystem::Maven, &name, version, at + 1) });
    }
    Ok(packages)
}

/// The `specs` of the section GEM.
pub(super) fn bundler(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut packages = Vec::new();
    let mut section = "";
    for (at, line) in text.lines().enumerate() {
        if !line.starts_with(' ') {
            section = line.trim_end();
            continue;
        }
        // Four blanks: a gem; six: what it needs.
        let Some(gem) = line.strip_prefix("    ").filter(|gem| !gem.starts_with(' ')) else {
            continue;
        };
        if let ("GEM", Some((name, version))) = (section, gem.split_once(" (")) {
            // `1.2.3-x86_64-linux`: the platform is no part of the version.
            let version = version.trim_end_matches(')');
            let version = version.split_once('-').map_or(version, |(version, _)| version);
            packages.push(package(Ecosystem::RubyGems, name, version, at + 1));
        }
    }
    if !text.lines().any(|line| line == "GEM" || line == "PATH" || line == "DEPENDENCIES") {
        return Err(LockError::Malformed("it has no section GEM".to_owned()));
    }
    Ok(packages)
}
