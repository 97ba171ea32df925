//! `cargo xtask truth`: the patch engine beside its peers, in rightness and in speed, as the two
//! tables of `docs/patching.md`.

mod speed;

use crate::fresh;
use crate::setup::{self, ComponentStatus};
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};
use crate::{Failure, process};
use serde_json::Value;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// The options that generate the cases of the table in the documentation.
const CORPUS: &[&str] = &["--seed", "1", "--cases", "100", "--slow", "40"];

/// Installs the peers, creates both tables and prints them, the first even if it shows a wrong answer.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let start = SystemTime::now();
    let parts: OnceCell<Vec<ComponentStatus>> = OnceCell::new();
    let table = OnceCell::new();
    let sources = Sources::ask(&workspace.root)?;
    let with_peers = |mut command: Command| {
        for part in parts.get().map_or(&[][..], Vec::as_slice) {
            command.envs(part.program.iter().map(|program| (&part.variable, program)));
        }
        command
    };
    let command = |words: &[&str]| {
        let mut command = cargo(&workspace.root);
        command.args(words);
        command
    };
    let done = steps::run(vec![
        Step::call("peers", || {
            let _ = parts.set(setup::run("truth")?);
            Ok(())
        }),
        Step::command(
            "build",
            command(&["build", "--release", "--package", "patch", "--example", "truth"]),
        ),
        Step::call("truth", || {
            let words = ["run", "--quiet", "--release", "--package", "patch", "--example", "truth"];
            let mut truth = with_peers(command(&words));
            truth.arg("--").args(CORPUS).args(&sources.folders);
            let (text, done) = output(truth)?;
            let _ = table.set(text);
            done
        }),
        Step::decide("speed", || {
            let bench = ["bench", "--package", "patch", "--bench", "patch"];
            Step::command("speed", with_peers(command(&bench)))
        }),
    ]);
    if let Some(table) = table.get() {
        println!("\n## Truth\n\nOver {}: {table}", sources.told);
    }
    if done.is_ok() {
        println!("## Speed\n\n{}", speed::tables(&workspace.target.join("criterion"), start));
    }
    if let Some(parts) = parts.get() {
        println!("Peers: {}.", peers(&sources.mpatch, parts));
    }
    done
}

/// What a command prints, and whether it succeeded.
fn output(mut command: Command) -> Result<(String, Result<(), Failure>), Failure> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{} could not be started: {error}", process::show(&command)))?;
    let done = if output.status.success() { Ok(()) } else { Err(output.status.to_string()) };
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), done))
}

/// Versions of the peers; of the absent ones the reason.
fn peers(mpatch: &str, parts: &[ComponentStatus]) -> String {
    let patch = match output(command_of("patch", &["--version"])) {
        Ok((text, Ok(()))) if text.starts_with("GNU patch") => {
            text.lines().next().unwrap_or_default().to_owned()
        }
        _ => "GNU patch ABSENT: no such program on the path".to_owned(),
    };
    let parts = parts.iter().map(|part| match &part.program {
        Ok(_) => format!("{} {}", part.name, part.version),
        Err(reason) => {
            let reason = reason.lines().next().unwrap_or_default();
            format!("{} {} ABSENT: {reason}", part.name, part.version)
        }
    });
    let all = std::iter::once(format!("mpatch {mpatch}")).chain(parts).chain([patch]);
    all.collect::<Vec<_>>().join(", ")
}

/// Real code to make cases from.
struct Sources {
    folders: Vec<PathBuf>,
    /// What the folders are.
    told: String,
    /// The locked version of the peer that is a crate.
    mpatch: String,
}

/// Projects in the languages of the table, of those that `cargo xtask fresh` knows.
const PROJECTS: [&str; 20] = [
    "django",
    "pandas",
    "express",
    "fastify",
    "hono",
    "effect",
    "axum",
    "bevy_ecs",
    "prometheus",
    "junit5",
    "okhttp",
    "libuv",
    "lua",
    "fmtlib",
    "catch2",
    "jekyll",
    "rake",
    "laravel",
    "monolog",
    "keepass2",
];

impl Sources {
    /// Real projects, the same bytes everywhere.
    fn ask(root: &Path) -> Result<Self, Failure> {
        let mut metadata = cargo(root);
        metadata.args(["metadata", "--locked", "--format-version", "1"]);
        let (text, done) = output(metadata)?;
        done.map_err(|status| format!("cargo metadata failed: {status}"))?;
        let metadata: Value =
            serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
        let folders = fresh::folders_of(&PROJECTS)?;
        let told = format!("{} projects of `server/xtask/fresh.json`", folders.len());
        Ok(Self { folders, told, mpatch: version_of(&metadata, "mpatch") })
    }
}

/// The locked version of a crate.
fn version_of(metadata: &Value, name: &str) -> String {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut crates = packages.filter(|package| !package["source"].is_null());
    let found = crates.find(|package| package["name"] == name);
    found.and_then(|package| package["version"].as_str()).unwrap_or_default().to_owned()
}

fn command_of(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_locked_version_of_a_peer() {
        let metadata = json!({ "packages": [
            {"name": "mpatch", "version": "0.0.0", "source": null},
            {"name": "mpatch", "version": "1.2.3", "source": "registry+x"},
        ]});
        assert_eq!(version_of(&metadata, "mpatch"), "1.2.3");
    }

    #[test]
    fn missing_peer_dependencies_are_reported_with_the_reason() {
        let part = |name: &str, program| ComponentStatus {
            name: name.into(),
            version: "1".into(),
            purpose: String::new(),
            variable: String::new(),
            program,
        };
        let told = peers("2", &[part("a", Ok("/a".into())), part("b", Err("no net\nmore".into()))]);
        assert!(told.starts_with("mpatch 2, a 1, b 1 ABSENT: no net, GNU patch"), "{told}");
    }
}
