//! `cargo xtask codegen`: what is made from the tools' schemas, written anew.

use crate::workspace::{Workspace, cargo};
use crate::{Failure, vscode};
use std::fs;
use std::process::Command;

/// Options of `tandem tools` with committed output, and the files that hold it.
const GENERATED: [(&str, &str); 4] = [
    ("--markdown", "docs/tools.md"),
    ("--dialects", "docs/dialects.md"),
    ("--lua", "editors/neovim/lua/tandem/generated/tools.lua"),
    ("--typescript", "editors/vscode/src/generated/tools.ts"),
];

/// Builds the server and has it print each of them.
///
/// # Errors
/// What does not build, run or lets itself be written.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    // With the features of the whole workspace, as the tests build it: with others nearly all would be compiled again.
    let built = cargo(&workspace.root)
        .args(["build", "-q", "--workspace", "--all-features", "--bins"])
        .status()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    if !built.success() {
        return Err(format!("cargo build failed ({built})"));
    }
    for (flag, path) in GENERATED {
        let output = Command::new(workspace.server("debug"))
            .args(["tools", flag])
            .output()
            .map_err(|error| format!("tandem could not be started: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("tandem tools {flag} failed: {}", said.trim()));
        }
        let full = workspace.root.join(path);
        let written = full.parent().map_or(Ok(()), fs::create_dir_all);
        written
            .and_then(|()| fs::write(&full, output.stdout))
            .map_err(|error| format!("{path}: {error}"))?;
        println!("{path}");
    }
    vscode::write_tools(workspace)
}
