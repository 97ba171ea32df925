//! `cargo xtask codegen`: what is made from the tools' schemas, written anew.

use crate::workspace::{Workspace, cargo};
use crate::{Failure, vscode};
use std::fs;

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
    for (flag, path) in GENERATED {
        let output = cargo(&workspace.root)
            .args(["run", "-q", "-p", "tandem", "--all-features", "--", "tools", flag])
            .output()
            .map_err(|error| format!("cargo run could not be started: {error}"))?;
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
