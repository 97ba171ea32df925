//! The Lua of the plugin for Neovim, and of its tests.

use crate::setup::ComponentStatus;
use crate::workspace::Workspace;
use crate::{Failure, vscode};
use std::process::Command;

/// The name of the step.
pub(crate) const STYLE: &str = "Lua: StyLua's style";

/// The command that says which files are not in style.
///
/// # Errors
/// Why there is no Node, or no StyLua, to run.
pub(crate) fn style(workspace: &Workspace, parts: &[ComponentStatus]) -> Result<Command, Failure> {
    let stylua = parts.iter().find(|part| part.variable == "TANDEM_STYLUA");
    let stylua = stylua.ok_or("the component stylua is not in the table")?;
    let mut command = Command::new(vscode::node(parts)?);
    command.arg(workspace.root.join("editors/neovim/style.mjs"));
    command.arg(stylua.program.as_ref().map_err(Clone::clone)?);
    Ok(command)
}
