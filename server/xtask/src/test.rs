//! `cargo xtask test`: everything that must hold before a change lands.
//!
//! Every Cargo step takes the whole workspace with its development dependencies, so that features
//! resolve the same way each time and nothing is built twice.

use crate::setup::{self, Part};
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};
use crate::{Failure, tidy};
use std::path::PathBuf;
use std::process::Command;

/// The test target that drives real editors.
const EDITORS: &str = "editors";

/// Runs all steps; `fast` leaves the editors out.
pub(crate) fn run(workspace: &Workspace, fast: bool) -> Result<(), Failure> {
    let parts = if fast { Vec::new() } else { setup::run()? };
    for part in parts.iter().filter(|_| in_ci()) {
        if let Err(reason) = &part.program {
            return Err(format!("CI needs every part, and {} is missing: {reason}", part.name));
        }
    }
    let cargo = |words: &[&str]| command(workspace, &parts, words);

    let mut clippy = cargo(&["clippy", "--workspace", "--all-targets"]);
    clippy.args(["--", "--deny", "warnings"]);
    let mut protocol = cargo(&["test", "--workspace"]);
    for (_, name) in workspace.targets("test") {
        if name != EDITORS {
            protocol.args(["--test", name]);
        }
    }
    let editors = match parts.iter().find(|part| part.program.is_err()) {
        _ if fast => Step::skip("editor tests", "--fast was given".to_owned()),
        Some(part) => Step::skip("editor tests", format!("{} cannot be had", part.name)),
        None => Step::command("editor tests", cargo(&["test", "--workspace", "--test", EDITORS])),
    };
    steps::run(vec![
        Step::command("format", cargo(&["fmt", "--all", "--check"])),
        Step::call("tidy", || tidy::run(workspace)),
        Step::command("lints", clippy),
        Step::command("build", cargo(&["build", "--workspace", "--bins", "--tests"])),
        Step::command("unit tests", cargo(&["test", "--workspace", "--lib", "--bins"])),
        Step::command("documentation tests", cargo(&["test", "--workspace", "--doc"])),
        Step::command("protocol tests", protocol),
        editors,
    ])
}

/// A Cargo command whose tests find the server and the components.
fn command(workspace: &Workspace, parts: &[Part], words: &[&str]) -> Command {
    let mut command = cargo(&workspace.root);
    command.args(words).env("TANDEM_BIN", server(workspace, "debug"));
    for part in parts {
        if let Ok(program) = &part.program {
            command.env(&part.variable, program);
        }
    }
    command
}

/// The server that a Cargo profile's folder holds.
pub(crate) fn server(workspace: &Workspace, profile: &str) -> PathBuf {
    workspace.target.join(profile).join("tandem").with_extension(std::env::consts::EXE_EXTENSION)
}

fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}
