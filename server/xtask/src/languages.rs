//! `cargo xtask test --languages`: every language on real files, beside universal-ctags, with more
//! edits than there is time for in every run. It writes docs/outline.md.

use crate::Failure;
use crate::setup::{self, ComponentStatus};
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};
use std::process::Command;

/// The variable that names the list of real files.
pub(crate) const SAMPLES: &str = "TANDEM_SAMPLES";
/// How often each file is edited.
const EDITS: &str = "1000";

/// Parts that are missing are an error: the table is worth nothing without them.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut parts = setup::run("setup")?;
    parts.retain(|part| part.variable == SAMPLES);
    parts.extend(setup::run("languages")?);
    if let Some(reason) = setup::missing(&parts) {
        return Err(reason);
    }
    let command = |words: &[&str]| {
        let mut command = cargo(&workspace.root);
        command.args(words).env("TANDEM_BIN", workspace.server("debug"));
        with(command, &parts)
    };
    let mut edits = command(&["test", "--package", "syntax", "--test", "syntax", "real"]);
    edits.args(["--", "--nocapture"]).env("TANDEM_SYNTAX_CASES", EDITS);
    let outlines = ["run", "--package", "syntax", "--example", "outlines", "--", "docs/outline.md"];
    let server = ["test", "--package", "tests", "--test", "protocol", "real_files"];
    steps::run(vec![
        Step::command("build", command(&["build", "--package", "tandem", "--all-features"])),
        Step::command("outlines beside universal-ctags", command(&outlines)),
        Step::command("the server on every file", command(&server)),
        Step::command("edits", edits),
    ])
}

fn with(mut command: Command, parts: &[ComponentStatus]) -> Command {
    for part in parts {
        command.envs(part.program.iter().map(|program| (&part.variable, program)));
    }
    command
}
