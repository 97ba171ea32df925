//! Finds Neovim and the server, and runs one scenario.

use crate::isolated::{Isolated, is_program};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time for one scenario; they take a second or two.
const LIMIT: Duration = Duration::from_secs(90);
/// The scenario that debugs a program.
const DEBUGS: &str = "plugin_debug";
/// The scenario that runs a linter.
const CHECKS: &str = "plugin_checks";
/// The last thing a scenario says, so that one which ends early has not passed.
pub(crate) const PASSED: &str = "SCENARIO PASSED";
/// What Neovim says of an error in a callback, which ends nothing.
const ERROR: &str = "Error executing";

/// Runs `neovim/<scenario>.lua` in a real Neovim with `settings` as its `init.lua`, if any.
pub(crate) fn neovim(scenario: &str, settings: Option<&str>) {
    let Some(program) = program() else { return tests::skip(scenario, "Neovim 0.11") };
    let server = server();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/neovim");
    let isolated = Isolated::new().expect("a temporary folder");
    let init = settings.map(|text| isolated.file("init.lua", text).expect("the settings' file"));
    let script = scripts.join(scenario).with_extension("lua");
    let mut command = Command::new(&program);
    command
        .args(["-n", "-i", "NONE", "-u"])
        .arg(init.as_deref().unwrap_or(Path::new("NONE")))
        .arg("-l")
        .arg(&script)
        .env("SCENARIO_LIBRARY", scripts.join("lib"))
        .env("SCENARIO_WORKSPACE", isolated.workspace())
        .env("PATH", path_with(server.parent()))
        .env("TANDEM_NVIM", &program)
        .env("TANDEM_BIN", &server);
    match tests::component("debugpy") {
        Some(debugpy) => _ = command.env("TANDEM_DEBUGPY", debugpy),
        None if scenario == DEBUGS => return tests::skip(scenario, "debugpy"),
        None => {}
    }
    match tests::component("ruff") {
        Some(ruff) => _ = command.env("TANDEM_RUFF", ruff),
        None if scenario == CHECKS => return tests::skip(scenario, "ruff"),
        None => {}
    }
    let ended = isolated.run(&mut command, LIMIT).expect("Neovim starts");
    let told = match ended.status {
        Some(_) if ended.output.contains(ERROR) => "failed in a callback".to_owned(),
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
    tests::component("neovim").filter(|program| is_program(program))
}

/// The server from `$TANDEM_BIN`, else the one that Cargo built beside this test.
pub(crate) fn server() -> PathBuf {
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

pub(crate) fn path_with(folder: Option<&Path>) -> std::ffi::OsString {
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = folder.into_iter().map(Path::to_path_buf).chain(env::split_paths(&rest));
    env::join_paths(folders).expect("folders of PATH have no colon")
}

/// The end of a long text, where failures are reported, with long lines cut.
fn last(text: &str) -> String {
    const LINES: usize = 60;
    const COLUMNS: usize = 600;
    let lines: Vec<String> =
        text.lines().map(|line| line.chars().take(COLUMNS).collect()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
