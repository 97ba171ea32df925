//! Runs one scenario in a real Emacs, in batch mode.

use crate::editor::{PASSED, path_with, server};
use crate::isolated::Isolated;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Longest time for one scenario; they take a few seconds.
const LIMIT: Duration = Duration::from_secs(90);

/// Runs `emacs/<scenario>.el` in the Emacs of the PATH, with the packages of the machine.
pub(crate) fn emacs(scenario: &str) {
    // Its packages are the machine's, so it is no component that CI could bring.
    if std::env::var_os("TANDEM_EMACS").is_none() {
        let reason = "drives Emacs only where `cargo xtask test --emacs` asks for it";
        let _ = writeln!(std::io::stderr(), "SKIPPED {scenario}: {reason}");
        return;
    }
    let server = server();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/emacs").join(scenario);
    let isolated = Isolated::new().expect("a temporary folder");
    let text = "def f():\n    return 1\n\n\nf()\n";
    std::fs::write(isolated.workspace().join("a.py"), text).expect("a file");
    std::fs::create_dir(isolated.workspace().join(".git")).expect("a folder");
    let git = Command::new("git").args(["init", "-q"]).arg(isolated.workspace()).status();
    assert!(git.is_ok_and(|status| status.success()), "git init");
    let mut command = Command::new("emacs");
    command
        .args(["--batch", "-l"])
        .arg(script.with_extension("el"))
        .env("PATH", path_with(server.parent()));
    let ended = isolated.run(&mut command, LIMIT).expect("Emacs starts");
    let has_passed = ended.status.is_some_and(|status| status.success());
    assert!(has_passed && ended.output.contains(PASSED), "{scenario}: {}", ended.output);
}
