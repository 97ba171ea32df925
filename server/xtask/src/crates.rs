//! Files that crates carry, taken out of the packages of the registry; nothing of theirs is built.

use crate::{Failure, process};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A crate's package, to the byte.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pinned {
    name: String,
    version: String,
    /// Of the package, SHA-256 in hexadecimal digits.
    hash: String,
}

impl Pinned {
    /// `name=version#hash`.
    pub(crate) fn parse(written: &str) -> Option<Self> {
        let (name, rest) = written.split_once('=')?;
        let (version, hash) = rest.split_once('#')?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        let [name, version, hash] = [name, version, hash].map(str::to_owned);
        is_hash.then_some(Self { name, version, hash })
    }
}

/// Puts the `folder` of each package into `files`, under the package's name.
///
/// # Errors
/// The step that failed; a package that is another than the pinned one.
pub(crate) fn unpack(
    packages: &[Pinned],
    folder: &str,
    staging: &Path,
    files: &Path,
    limit: Duration,
) -> Result<(), Failure> {
    let own = staging.join("crates");
    let failed = |error: std::io::Error| format!("{}: {error}", own.display());
    fs::create_dir_all(own.join("src")).map_err(failed)?;
    fs::write(own.join("src/lib.rs"), "").map_err(failed)?;
    fs::write(own.join("Cargo.toml"), manifest(packages)).map_err(failed)?;
    process::run(
        Command::new(env!("CARGO"))
            .args(["vendor", "--quiet", "--versioned-dirs", "packages"])
            .current_dir(&own),
        limit,
        &staging.join("cargo.log"),
    )?;
    for Pinned { name, version, hash } in packages {
        let package = own.join("packages").join(format!("{name}-{version}"));
        let sums = fs::read_to_string(package.join(".cargo-checksum.json")).map_err(failed)?;
        let sums: Value = serde_json::from_str(&sums).map_err(|e| format!("{name}: {e}"))?;
        if sums["package"].as_str() != Some(hash) {
            let found = &sums["package"];
            return Err(format!("{name} {version} is another package: its hash is {found}"));
        }
        fs::rename(package.join(folder), files.join(name)).map_err(failed)?;
    }
    fs::remove_dir_all(&own).map_err(failed)
}

/// A package that is nothing but what it depends on, whatever workspace it lies in.
fn manifest(packages: &[Pinned]) -> String {
    let head = "[package]\nname = \"files\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n";
    packages.iter().fold(head.to_owned(), |mut manifest, Pinned { name, version, .. }| {
        let its = format!("{{ version = \"={version}\", default-features = false }}");
        let _ = writeln!(manifest, "{name} = {its}");
        manifest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_pinned_by_version_and_hash() {
        let hash = "0123456789abcdef".repeat(4);
        let pinned = Pinned::parse(&format!("a-b=1.2.3#{hash}")).unwrap();
        assert!(manifest(&[pinned]).contains("\na-b = { version = \"=1.2.3\", "));
        for wrong in ["a", "a=1.2.3", "a=1.2.3#12", &format!("a=1#{}", "x".repeat(64))] {
            assert_eq!(Pinned::parse(wrong), None, "{wrong}");
        }
    }
}
