//! yarn.lock (1 and later) and pnpm-lock.yaml, which are read line by line.

use std::collections::HashSet;

use super::{LockError, LockedPackage, package};
use crate::Ecosystem;

/// Each entry names what was wanted, then its version.
pub(super) fn yarn(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut packages = Vec::new();
    let mut entry: Option<(String, usize)> = None;
    let mut has_entries = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        if !line.starts_with(' ') {
            has_entries = true;
            entry = yarn_name(line).map(|name| (name, at + 1));
            continue;
        }
        let Some(written) =
            line.strip_prefix("  version").filter(|rest| rest.starts_with([' ', ':']))
        else {
            continue;
        };
        let version = written.trim_start_matches(':').trim().trim_matches('"');
        if let Some((name, line)) = entry.take()
            && version != "0.0.0-use.local"
        {
            packages.push(package(Ecosystem::Npm, &name, version, line));
        }
    }
    if !has_entries && !text.contains("yarn lockfile") && !text.trim().is_empty() {
        return Err(LockError::Malformed("it has no entries".to_owned()));
    }
    Ok(packages)
}

/// The package's name in `"name@range", "name@npm:range":`; `None` for other kinds of sources.
fn yarn_name(line: &str) -> Option<String> {
    let first = line.trim_end().trim_end_matches(':').split(", ").next()?.trim_matches('"');
    let at = first[1.min(first.len())..].find('@')? + 1;
    let (name, range) = (&first[..at], &first[at + 1..]);
    if ["workspace:", "patch:", "link:", "portal:", "file:", "git", "http"]
        .iter()
        .any(|kind| range.starts_with(kind))
    {
        return None;
    }
    // `alias@npm:real@range`
    let real = range.strip_prefix("npm:").and_then(|range| {
        let at = range.get(1..)?.rfind('@')? + 1;
        Some(&range[..at])
    });
    Some(real.unwrap_or(name).to_owned())
}

/// The keys of `packages`: `/name/1.0.0`, `/name@1.0.0` or `name@1.0.0`, with the peers of the package.
pub(super) fn pnpm(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut packages: Vec<LockedPackage> = Vec::new();
    let mut seen = HashSet::new();
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        if !line.starts_with(' ') && !line.trim().is_empty() {
            is_inside = line.trim_end() == "packages:";
            continue;
        }
        if !is_inside {
            continue;
        }
        if line.trim() == "dev: true"
            && let Some(last) = packages.last_mut()
        {
            last.is_dev = true;
        }
        let key = line.strip_prefix("  ").filter(|key| !key.starts_with(' '));
        let Some(key) = key.and_then(|key| key.trim_end().strip_suffix(':')) else { continue };
        let Some((name, version)) = pnpm_key(key.trim_matches(['\'', '"'])) else { continue };
        if seen.insert((name.to_owned(), version.to_owned())) {
            packages.push(package(Ecosystem::Npm, name, version, at + 1));
        }
    }
    if !text.lines().any(|line| line.starts_with("lockfileVersion:")) {
        return Err(LockError::Malformed("it has no `lockfileVersion`".to_owned()));
    }
    Ok(packages)
}

fn pnpm_key(key: &str) -> Option<(&str, &str)> {
    // Peers follow in brackets, or after `_`.
    let key = key.split('(').next().unwrap_or_default();
    let key = key.strip_prefix('/').unwrap_or(key);
    let is_version = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let from = usize::from(key.starts_with('@'));
    let by_slash = key.split('_').next().and_then(|key| key.rsplit_once('/'));
    let (name, version) = match (by_slash, key[from..].find('@')) {
        (Some((name, version)), _) if is_version(version) => (name, version),
        (_, Some(at)) => (&key[..from + at], &key[from + at + 1..]),
        (_, None) => return None,
    };
    let version = version.split('_').next().unwrap_or_default();
    is_version(version).then_some((name, version))
}
