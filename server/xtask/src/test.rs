//! `cargo xtask test`: everything that must hold before a change lands.
//!
//! Every Cargo step takes the whole workspace with its development dependencies and every feature,
//! so that features resolve the same way each time and nothing is built twice.
//!
//! In CI, Clippy compiles: Cargo passes the workspace's crates to `clippy-driver`, which is `rustc` with more
//! lints, so that dependencies are not checked first and then built. Benches and examples are left out there.
//! On a developer's machine the lints are a step of their own, whose results other commands use again.

use crate::setup;
use crate::steps::{self, Step};
use crate::workspace::{Workspace, cargo};
use crate::{Failure, languages, lua, tidy, vscode};
use std::cell::OnceCell;

/// The test targets that drive real editors, debuggers and clients.
const REAL_PROGRAM_TARGETS: &[&str] = &["editors", "debuggers", "sdk"];
/// What `cargo clippy -- --deny warnings` passes to `clippy-driver`.
const DENY_WARNINGS: &str = "--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
/// The name of the step that runs them.
const NAME: &str = "editor and debugger tests";
/// The reason in the summary for steps that `--fast` skips.
const FAST_SKIP_REASON: &str = "--fast was given";

/// Tests with an editor installed on the machine: the one that its variable names, else `usual`.
///
/// # Errors
/// What does not build, or does not hold.
pub(crate) fn editor(workspace: &Workspace, name: &str, usual: &str) -> Result<(), Failure> {
    let mut build = cargo(&workspace.root);
    build.args(["build", "-p", "tandem", "--all-features"]);
    let mut drive = cargo(&workspace.root);
    drive.args(["test", "-p", "tests", "--test", "editors", "--", "--nocapture"]);
    drive.arg(format!("{name}_")).env("TANDEM_BIN", workspace.server("debug"));
    let variable = format!("TANDEM_{}", name.to_uppercase());
    if std::env::var_os(&variable).is_none_or(|value| value.is_empty()) {
        drive.env(variable, usual);
    }
    for mut command in [build, drive] {
        let status = command.status().map_err(|error| format!("cargo: {error}"))?;
        if !status.success() {
            return Err(format!("cargo failed ({status})"));
        }
    }
    Ok(())
}

/// Runs all steps; `fast` leaves the editors out.
pub(crate) fn run(workspace: &Workspace, fast: bool) -> Result<(), Failure> {
    let parts = OnceCell::new();
    let command = |words: &[&str]| {
        let mut command = cargo(&workspace.root);
        command.args(words).env("TANDEM_BIN", workspace.server("debug"));
        if in_ci() {
            command
                .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
                .env("CLIPPY_ARGS", DENY_WARNINGS);
        }
        command
    };
    let components = if fast {
        Step::skip("components", FAST_SKIP_REASON.to_owned())
    } else {
        Step::call("components", || {
            let found = setup::run("setup")?;
            let missing = in_ci().then(|| setup::missing(&found)).flatten();
            let _ = parts.set(found);
            missing.map_or(Ok(()), |reason| Err(format!("CI needs every component: {reason}")))
        })
    };
    let editors = Step::decide(NAME, || {
        let parts = parts.get().map_or(&[][..], Vec::as_slice);
        if let Some(reason) =
            if fast { Some(FAST_SKIP_REASON.to_owned()) } else { setup::missing(parts) }
        {
            return Step::skip(NAME, reason);
        }
        Step::tests(NAME, move || {
            let mut editors = command(&["test", "--workspace", "--all-features"]);
            for name in REAL_PROGRAM_TARGETS {
                editors.args(["--test", name]);
            }
            for part in parts {
                editors.envs(part.program.iter().map(|program| (&part.variable, program)));
            }
            editors
        })
    });
    let extension = Step::decide(vscode::CHECK, || {
        let parts = parts.get().map_or(&[][..], Vec::as_slice);
        if fast {
            return Step::skip(vscode::CHECK, FAST_SKIP_REASON.to_owned());
        }
        match vscode::check(workspace, parts) {
            Ok(check) => Step::command(vscode::CHECK, check),
            Err(reason) => Step::skip(vscode::CHECK, reason),
        }
    });
    let style = Step::decide(lua::STYLE, || {
        let parts = parts.get().map_or(&[][..], Vec::as_slice);
        if fast {
            return Step::skip(lua::STYLE, FAST_SKIP_REASON.to_owned());
        }
        match lua::style(workspace, parts) {
            Ok(style) => Step::command(lua::STYLE, style),
            Err(reason) => Step::skip(lua::STYLE, reason),
        }
    });
    let lints = Step::decide("lints", || {
        if in_ci() {
            return Step::skip("lints", "they are part of the build".to_owned());
        }
        let mut lints = command(&["clippy", "--workspace", "--all-targets", "--all-features"]);
        lints.args(["--", "--deny", "warnings"]);
        Step::command("lints", lints)
    });
    let protocol = Step::decide("protocol tests", || {
        let parts = parts.get().map_or(&[][..], Vec::as_slice);
        Step::tests("protocol tests", move || {
            let mut protocol = command(&["test", "--workspace", "--all-features"]);
            for (_, name) in workspace.targets("test") {
                if !REAL_PROGRAM_TARGETS.contains(&name) {
                    protocol.args(["--test", name]);
                }
            }
            for part in parts.iter().filter(|part| part.variable == languages::SAMPLES) {
                protocol.envs(part.program.iter().map(|list| (&part.variable, list)));
            }
            if std::env::var_os("RUST_TEST_THREADS").is_none() {
                protocol.env("RUST_TEST_THREADS", test_threads().to_string());
            }
            protocol
        })
    });
    steps::run(vec![
        Step::command("format", command(&["fmt", "--all", "--check"])),
        Step::call("tidy", || tidy::run(workspace)),
        components,
        style,
        lints,
        Step::command(
            "build",
            command(&["build", "--workspace", "--all-features", "--bins", "--tests"]),
        ),
        Step::command(
            "unit tests",
            command(&["test", "--workspace", "--all-features", "--lib", "--bins"]),
        ),
        Step::command(
            "documentation tests",
            command(&["test", "--workspace", "--all-features", "--doc"]),
        ),
        protocol,
        editors,
        extension,
    ])
}

/// Threads of the protocol tests. These tests wait for servers and timers a good part of their time: with a
/// thread more than there are cores, a run on two cores takes a fifth less. With two more it takes as long, and
/// tests that measure time fail.
fn test_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 1
}

fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}
