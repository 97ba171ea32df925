//! `cargo xtask suites`: the edit tool on the test cases of other projects' edit engines.

use crate::Failure;
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};
use std::path::PathBuf;

/// Which suites run, and what is printed.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder with the repositories, each in a folder `owner+name` or `name`, bare or not.
    folder: PathBuf,
    /// Print so many of the cases with another result in full.
    #[arg(long, default_value_t = 0)]
    show: usize,
    /// Only suites whose names contain this.
    #[arg(long, default_value = "")]
    only: String,
}

/// Builds the server and prints the table.
///
/// # Errors
/// When something could not be built, or a suite not be read. A case with another result is no error:
/// the suites contradict each other.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Failure> {
    let folder = options
        .folder
        .canonicalize()
        .map_err(|error| format!("{}: {error}", options.folder.display()))?;
    let build = |words: &[&str]| {
        let mut command = cargo(&workspace.root);
        command.args(words);
        command
    };
    let table = || {
        let status = cargo(&workspace.root)
            .args(["run", "--quiet", "--package", "patch", "--example", "suites", "--"])
            .arg(&folder)
            .args(["--show", &options.show.to_string(), "--only", &options.only])
            .env("TANDEM_BIN", workspace.server("debug"))
            .status()
            .map_err(|error| format!("cargo run: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("a suite could not be run ({status})")) }
    };
    steps::run(vec![
        Step::command("build", build(&["build", "--package", "tandem", "--all-features"])),
        Step::command(
            "build the cases",
            build(&["build", "--package", "patch", "--example", "suites"]),
        ),
        Step::call("suites", table),
    ])
}
