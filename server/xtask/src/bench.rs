//! `cargo xtask bench`: every benchmark of the workspace, the black-box one last.

use crate::Failure;
use crate::steps::{self, Step};
use crate::test;
use crate::workspace::{Workspace, cargo};

/// The benchmark that talks to the real server over stdio.
const BLACK_BOX: &str = "stdio";

/// Runs all benchmarks in the release profile and says where the figures are.
pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let mut benches = workspace.targets("bench");
    benches.sort_by_key(|(_, name)| *name == BLACK_BOX);
    let mut build = cargo(&workspace.root);
    build.args(["build", "--release", "--package", "tandem"]);
    let mut steps = vec![Step::command("build", build)];
    for (package, name) in benches {
        let mut bench = cargo(&workspace.root);
        bench
            .args(["bench", "--package", package, "--bench", name])
            .env("TANDEM_BIN", test::server(workspace, "release"));
        steps.push(Step::command(&format!("{package}: {name}"), bench));
    }
    steps::run(steps)?;
    println!(
        "figures: printed above; details of each under {}",
        workspace.target.join("criterion").display()
    );
    Ok(())
}
