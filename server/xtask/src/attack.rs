//! `cargo xtask attack`: the attacks on the workspace's border, and kills at any moment, for longer than a
//! test takes; and the same escapes in the sandboxes of others, where they are installed.

use crate::Failure;
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};

/// The variable with the duration of the races, for the tests.
const SECONDS: &str = "TANDEM_ATTACK_SECONDS";

/// Builds the server as it is shipped, and attacks it: every hostile path once, every line that
/// starts a foreign program, every escape from a sandbox, kills during every change of files, and races for
/// `seconds`. The figures are printed as tables.
///
/// # Errors
/// When something got out, or could not be built.
pub(crate) fn run(workspace: &Workspace, seconds: u32) -> Result<(), Failure> {
    let build = {
        let mut command = cargo(&workspace.root);
        command.args(["build", "--release", "--package", "tandem", "--all-features"]);
        command
    };
    let attack = || {
        let mut command = cargo(&workspace.root);
        command
            .args(["test", "--quiet", "--package", "tests", "--test", "protocol"])
            .args(["--", "attacks::", "crash::", "--nocapture", "--test-threads", "1"])
            .env("TANDEM_BIN", workspace.server("release"))
            .env(SECONDS, seconds.to_string());
        let status = command.status().map_err(|error| format!("cargo test: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("something got out ({status})")) }
    };
    steps::run(vec![Step::command("build", build), Step::call("attacks", attack)])
}
