//! The Lua of the plugin for Neovim, and of its tests.

use crate::setup::Part;
use crate::workspace::Workspace;
use crate::{Failure, vscode};
use std::process::Command;

/// What the step of every run is called.
pub(crate) const STYLE: &str = "Lua: StyLua's style";

/// The command that says which files are not in style.
///
/// # Errors
/// Why there is no Node, or no StyLua, to run.
pub(crate) fn style(workspace: &Workspace, parts: &[Part]) -> Result<Command, Failure> {
    let stylua = parts.iter().find(|part| part.variable == "TANDEM_STYLUA");
    let stylua = stylua.ok_or("the component stylua is not in the table")?;
    let mut command = Command::new(vscode::node(parts)?);
    command.arg(workspace.root.join("editors/neovim/style.mjs"));
    command.arg(stylua.program.as_ref().map_err(Clone::clone)?);
    Ok(command)
}
