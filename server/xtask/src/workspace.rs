//! The Cargo workspace as `cargo metadata` tells it: root, target folder, crates and their targets.

use crate::Failure;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate of the workspace.
pub(crate) struct Crate {
    pub(crate) name: String,
    /// Names of the packages it depends on, but for tests and build scripts.
    pub(crate) dependencies: Vec<String>,
    /// Kind (`lib`, `bin`, `test`, `bench`, …) and name of each target.
    pub(crate) targets: Vec<(String, String)>,
}

/// The workspace that this program was built from.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) crates: Vec<Crate>,
}

impl Workspace {
    /// Runs `cargo metadata`. Needs no network: dependencies of dependencies are not read.
    pub(crate) fn load() -> Result<Self, Failure> {
        let output = cargo(Path::new(env!("CARGO_MANIFEST_DIR")))
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .map_err(|error| format!("cargo metadata could not be started: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("cargo metadata failed: {}", said.trim()));
        }
        let value: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cargo metadata is not JSON: {error}"))?;
        Ok(Self::read(&value))
    }

    /// The server's program in the folder of a Cargo profile.
    pub(crate) fn server(&self, profile: &str) -> PathBuf {
        self.target.join(profile).join("tandem").with_extension(std::env::consts::EXE_EXTENSION)
    }

    fn read(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let crates = items(&value["packages"])
            .map(|package| Crate {
                name: text(&package["name"]),
                dependencies: items(&package["dependencies"])
                    .filter(|dependency| dependency["kind"].is_null())
                    .map(|dependency| text(&dependency["name"]))
                    .collect(),
                targets: items(&package["targets"])
                    .map(|target| (text(&target["kind"][0]), text(&target["name"])))
                    .collect(),
            })
            .collect();
        Self {
            root: text(&value["workspace_root"]).into(),
            target: text(&value["target_directory"]).into(),
            crates,
        }
    }

    /// Package and name of every target of a kind, in the order of the workspace.
    pub(crate) fn targets(&self, kind: &str) -> Vec<(&str, &str)> {
        self.crates
            .iter()
            .flat_map(|package| package.targets.iter().map(move |target| (package, target)))
            .filter(|(_, (its, _))| its == kind)
            .map(|(package, (_, name))| (package.name.as_str(), name.as_str()))
            .collect()
    }
}

/// The Cargo that runs this program, in a folder.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_is_read() {
        let workspace = Workspace::read(&json!({
            "workspace_root": "/w", "target_directory": "/t",
            "packages": [{
                "name": "a",
                "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}],
                "targets": [{"kind": ["lib"], "name": "a"}, {"kind": ["bench"], "name": "fast"}],
            }],
        }));
        assert_eq!(workspace.root, Path::new("/w"));
        assert_eq!(workspace.crates[0].dependencies, ["b"]);
        assert_eq!(workspace.targets("bench"), [("a", "fast")]);
    }
}
