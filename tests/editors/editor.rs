//! Finds Neovim and the server, and runs one scenario.

use crate::isolated::{Isolated, is_program};
use serde_json::Value;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time for one scenario; they take a second or two.
const LIMIT: Duration = Duration::from_secs(90);
/// The last thing a scenario says, so that one which ends early has not passed.
const PASSED: &str = "SCENARIO PASSED";

/// Runs `neovim/<scenario>.lua` in a real Neovim with `settings` as its `init.lua`, if any.
pub(crate) fn neovim(scenario: &str, settings: Option<&str>) {
    let Some(program) = program() else { return skip(scenario) };
    let server = server();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/neovim");
    let isolated = Isolated::new().expect("a temporary folder");
    let init = settings.map(|text| isolated.file("init.lua", text).expect("the settings' file"));
    let script = scripts.join(scenario).with_extension("lua");
    let mut command = Command::new(program);
    command
        .args(["-n", "-i", "NONE", "-u"])
        .arg(init.as_deref().unwrap_or(Path::new("NONE")))
        .arg("-l")
        .arg(&script)
        .env("SCENARIO_LIBRARY", scripts.join("lib"))
        .env("SCENARIO_WORKSPACE", isolated.workspace())
        .env("PATH", path_with(server.parent()))
        .env("TANDEM_BIN", &server);
    let ended = isolated.run(&mut command, LIMIT).expect("Neovim starts");
    let told = match ended.status {
        Some(status) if status.success() && ended.output.contains(PASSED) => return,
        Some(status) => format!("ended with {status}"),
        None => format!("was still running after {} s", LIMIT.as_secs()),
    };
    panic!(
        "{scenario}: Neovim {told}\n--- Neovim said\n{}\n--- its log of the server\n{}",
        last(&ended.output),
        last(&isolated.state("nvim/lsp.log")),
    );
}

/// Neovim from `$TANDEM_NVIM`, else from where `cargo xtask setup` puts it.
fn program() -> Option<PathBuf> {
    let own = env::var_os("TANDEM_NVIM").filter(|value| !value.is_empty()).map(PathBuf::from);
    own.or_else(in_cache).filter(|program| is_program(program))
}

/// The cache's place for the version that setup's table pins.
fn in_cache() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = variable("TANDEM_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("tandem-dev")))
        .or_else(|| Some(variable("HOME")?.join(".cache/tandem-dev")))?;
    let table: Value =
        serde_json::from_str(include_str!("../../server/xtask/components.json")).ok()?;
    let row = table.as_array()?.iter().find(|row| row["name"] == "neovim")?;
    let folder = format!("neovim-{}", row["version"].as_str()?);
    Some(cache.join("components").join(folder).join("files").join(row["program"].as_str()?))
}

/// The server from `$TANDEM_BIN`, else the one that Cargo built beside this test.
fn server() -> PathBuf {
    let own = env::var_os("TANDEM_BIN").filter(|value| !value.is_empty()).map(PathBuf::from);
    let server = own.unwrap_or_else(|| {
        let test = env::current_exe().expect("this test's own path");
        let profile = test.ancestors().nth(2).expect("target/<profile>/deps/<test>");
        profile.join("tandem")
    });
    assert!(
        is_program(&server),
        "{} is not there: build it with `cargo build -p tandem`, or set TANDEM_BIN",
        server.display()
    );
    server
}

/// Tells it past the test runner, which hides what a passing test prints.
fn skip(scenario: &str) {
    let reason = "Neovim 0.11 is not here: `cargo xtask setup` brings it, or set TANDEM_NVIM";
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true" || value == "1");
    assert!(!in_ci, "{reason}; CI skips nothing");
    let _ = writeln!(std::io::stderr(), "SKIPPED {scenario}: {reason}");
}

fn path_with(folder: Option<&Path>) -> std::ffi::OsString {
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = folder.into_iter().map(Path::to_path_buf).chain(env::split_paths(&rest));
    env::join_paths(folders).expect("folders of PATH have no colon")
}

/// The end of a long text, where failures are told, with endless lines cut.
fn last(text: &str) -> String {
    const LINES: usize = 60;
    const COLUMNS: usize = 600;
    let lines: Vec<String> =
        text.lines().map(|line| line.chars().take(COLUMNS).collect()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
