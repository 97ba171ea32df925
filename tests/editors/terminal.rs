//! Editors of the terminal, driven by keys in tmux, set up as `docs/editors.md` says.

use crate::editor::{path_with, server};
use crate::isolated::Isolated;
use crate::snippet;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Longest wait for what is to appear.
const LIMIT: Duration = Duration::from_secs(20);
const TEXT: &str = "def f():\n    return 1\n\n\nf()\n";

/// The program that a variable names; without one, reports the test as skipped.
fn program_from_variable(variable: &str, test: &str, option: &str) -> Option<PathBuf> {
    let program = env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    if program.is_none() {
        let reason =
            format!("drives the editor only where `cargo xtask test {option}` asks for it");
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
    }
    program
}

/// A terminal with an editor in it.
struct Screen {
    isolated: Isolated,
    socket: String,
}

impl Screen {
    /// Starts `program a.py` in a repository, with `settings` at `path` in the settings' folder.
    fn start(program: &Path, path: &str, settings: &str) -> Self {
        let isolated = Isolated::new().expect("a temporary folder");
        std::fs::write(isolated.workspace().join("a.py"), TEXT).expect("a file");
        let git = Command::new("git").args(["init", "-q"]).arg(isolated.workspace()).status();
        assert!(git.is_ok_and(|status| status.success()), "git init");
        let config = isolated.file("settings", settings).expect("a file");
        let target = config.with_file_name("config").join(path);
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        std::fs::rename(config, target).expect("its place");
        let socket = isolated.workspace().with_file_name("tmux").display().to_string();
        let screen = Self { isolated, socket };
        let folder = screen.isolated.workspace();
        screen.tmux(
            &["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "30", "-c"],
            |tmux| {
                tmux.arg(folder).arg(program).arg("a.py");
            },
        );
        screen.wait_for("a.py");
        screen
    }

    fn tmux(&self, words: &[&str], more: impl FnOnce(&mut Command)) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-S", &self.socket]).args(words);
        more(&mut command);
        let path = path_with(server().parent());
        command.env_clear().envs(self.isolated.homes()).env("PATH", path);
        command.env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
        command.output().expect("tmux starts")
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&["send-keys"], |tmux| _ = tmux.args(keys));
    }

    /// Types a command line and ends it.
    fn command(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line], |_| {});
        self.keys(&["Enter"]);
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p"], |_| {}).stdout).into_owned()
    }

    fn wait_for(&self, needle: &str) {
        let start = Instant::now();
        while !self.text().contains(needle) {
            assert!(start.elapsed() < LIMIT, "waited for `{needle}`:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn wait_until_gone(&self, needle: &str) {
        let start = Instant::now();
        while self.text().contains(needle) {
            assert!(start.elapsed() < LIMIT, "`{needle}` stays:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Repeats an action until `needle` is on the screen: a server may still be indexing.
    fn repeat_until(&self, needle: &str, action: impl Fn()) {
        let start = Instant::now();
        while !self.text().contains(needle) {
            assert!(start.elapsed() < LIMIT, "waited for `{needle}`:\n{}", self.text());
            action();
            std::thread::sleep(Duration::from_millis(700));
        }
    }

    fn on_disk(&self) -> String {
        std::fs::read_to_string(self.isolated.workspace().join("a.py")).expect("a file")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.tmux(&["kill-server"], |_| {});
    }
}

#[test]
fn helix_configured_as_documented() {
    let Some(program) = program_from_variable("TANDEM_HELIX", "helix", "--helix") else { return };
    let settings = snippet::under("docs/editors.md", "## Helix", "toml");
    let screen = Screen::start(&program, "helix/languages.toml", &settings);
    screen.repeat_until(" 1:5", || {
        screen.keys(&["g", "e"]);
        screen.keys(&["g", "d"]);
    });
    screen.command(":lsp-workspace-command");
    screen.wait_for("tandem.apply_edit");
    // Keys that follow Escape at once would be one key with Alt.
    screen.keys(&["Escape"]);
    screen.wait_until_gone("tandem.apply_edit");
    screen.keys(&["Space", "r"]);
    screen.wait_for("rename-to");
    screen.command("g");
    screen.wait_for("fg():");
    screen.command(":w");
    // A call in another terminal changes what is on disk.
    let call = r#"{"path": "a.py", "old_text": "return 1", "new_text": "return 2"}"#;
    let started = Instant::now();
    while !screen.on_disk().contains("fg") {
        assert!(started.elapsed() < LIMIT, "{}", screen.on_disk());
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut tandem = Command::new(server());
    tandem.args(["call", "apply_edit", call]).current_dir(screen.isolated.workspace());
    tandem.envs(screen.isolated.homes());
    assert!(tandem.output().is_ok_and(|output| output.status.success()));
    screen.command(":reload");
    screen.wait_for("return 2");
}

#[test]
fn kakoune_configured_as_documented() {
    let Some(program) = program_from_variable("TANDEM_KAKOUNE", "kakoune", "--kakoune") else {
        return;
    };
    let settings = snippet::under("docs/editors.md", "## Kakoune", "text");
    let screen = Screen::start(&program, "kak/kakrc", &settings);
    screen.repeat_until(" 1:5 ", || {
        screen.keys(&["g", "e", "g", "h"]);
        screen.command(":lsp-definition");
    });
    screen.keys(&["g", "e", "o"]);
    screen.keys(&["# unsaved"]);
    screen.wait_for("insert");
    screen.keys(&["Escape"]);
    screen.wait_for("[+] 1 sel");
    // The editor sends changes after a pause, and a tool sees the changes that were sent.
    std::thread::sleep(Duration::from_secs(1));
    let call = snippet::under("docs/editors.md", "To call a tool with JSON arguments", "text");
    screen.command(&format!(":{}", call.trim()));
    screen.wait_for("return 2");
    screen.wait_for("# unsaved");
    assert_eq!(screen.on_disk(), TEXT, "what is open changes in the editor");
    screen.keys(&["u"]);
    screen.wait_for("return 1");
    screen.wait_for("# unsaved");
}
