//! `cargo xtask bench`: every benchmark of the workspace, the black-box one last.

use crate::Failure;
use crate::setup;
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};

/// The benchmark that talks to the real server over stdio.
const BLACK_BOX: &str = "stdio";

/// Runs all benchmarks in the release profile and says where the figures are.
///
/// Every step takes the whole workspace, so that features resolve the same way and nothing is
/// built twice.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    // A peer that cannot be had has been named; its columns stay empty.
    let peers = setup::run("bench")?;
    let command = |words: &[&str]| {
        let mut command = cargo(&workspace.root);
        command.args(words).env("TANDEM_BIN", workspace.server("release"));
        for peer in &peers {
            if let Ok(program) = &peer.program {
                command.env(&peer.variable, program);
            }
        }
        command
    };
    let build =
        command(&["build", "--release", "--workspace", "--all-features", "--bins", "--benches"]);
    let mut benches = workspace.targets("bench");
    benches.sort_by_key(|(_, name)| *name == BLACK_BOX);
    let benches = benches.into_iter().map(|(package, name)| {
        let bench = command(&["bench", "--workspace", "--all-features", "--bench", name]);
        Step::command(&format!("{package}: {name}"), bench)
    });
    steps::run(std::iter::once(Step::command("build", build)).chain(benches).collect())?;
    println!(
        "figures: printed above; details of each under {}",
        workspace.target.join("criterion").display()
    );
    Ok(())
}
