//! A live server on a workspace in which every tool has something to do.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use client::{Answer, Client};
use serde_json::json;
use tests::{ContainerDaemon, Desktop, Server};

use crate::model_server::ModelServer;

/// Time limit for a debugger on a loaded machine.
const DEBUGGER_TIMEOUT: Duration = Duration::from_secs(90);

const FILES: &str = concat!(
    r#"
//- /app.py
import os

class Shape:
    """A shape."""
    def area(self):
        return 0

class Square(Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side ** 2

def total(shapes):
    return sum(shape.area() for shape in shapes)

def idle():
    pass

print(total([Square(2)]), undefined_name)
//- /empty.py
//- /notes.txt
one
two
//- /conflict.txt
base
//- /rustfmt.toml
//- /shapes.rs
pub fn  spaced ( a:u32 )->u32{a}
//- /.gitignore
ledger
.vscode
//- /.vscode/launch.json
{"version": "0.2.0", "configurations": [
  {"name": "ledger", "type": "lldb", "request": "launch", "program": "${workspaceFolder}/ledger"}
]}
//- /ledger.c
"#,
    include_str!("../debuggers/ledger.c")
);

/// A search provider.
const SEARCH: &str = r#"
[network.search]
provider = "command"
command = ["sh", "-c", "echo '[{\"title\": \"found\", \"url\": \"http://found.example/\"}]'"]
"#;

pub(crate) struct LiveWorkspace {
    pub(crate) server: Server,
    pub(crate) desktop: Option<Desktop>,
    pub(crate) containers: Option<ContainerDaemon>,
}

impl LiveWorkspace {
    /// A server whose editor shows `app.py` and whose person allows everything.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let Some(adapter) = tests::component("lldb-dap") else {
            tests::skip(test, "lldb-dap");
            return None;
        };
        let models = ModelServer::start();
        let setup = Server::builder(FILES)
            .capability("window/showDocument", json!({ "support": true }))
            .capability("window/showMessage", json!({}))
            .prepare(|root| prepare(root, &models.settings()));
        let mut command = setup.home().command();
        command.env("TANDEM_LLDB_DAP", adapter);
        // Where the user's toolchain is, for the formatter.
        for name in ["RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
        for (name, folder) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
            if std::env::var_os(name).is_none() {
                command.envs(home.iter().map(|home| (name, home.join(folder))));
            }
        }
        let desktop = Desktop::start("640x480");
        if let Some(desktop) = &desktop {
            command.env("DISPLAY", &desktop.display);
            let tesseract = Desktop::tesseract(&setup.home().outside());
            command.envs(tesseract.map(|program| ("TANDEM_TESSERACT", program)));
        }
        let containers = ContainerDaemon::start();
        command.envs(containers.as_ref().map(|daemon| ("DOCKER_HOST", daemon.host())));
        let mut client = Client::spawn(command.arg("lsp")).unwrap();
        client.set_timeout(DEBUGGER_TIMEOUT);
        let server = setup.with_client(client).initialize();
        server.answer_requests(|request, _| match request.method.as_str() {
            "window/showDocument" => Answer::Result(json!({ "success": true })),
            "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
            _ => Answer::Default,
        });
        server.open_file("app.py");
        let live = Self { server, desktop, containers };
        live.select(0);
        Some(live)
    }

    /// Has the editor report that it shows `app.py`, its first word selected from `line` on.
    pub(crate) fn select(&self, line: u32) {
        let (start, end) =
            (json!({ "line": line, "character": 0 }), json!({ "line": line, "character": 6 }));
        self.server.report(json!({
            "activeUri": self.server.uri("app.py"),
            "tabs": [{ "uri": self.server.uri("app.py"), "dirty": false }],
            "activeTab": 0,
            "selections": [{ "start": start, "end": end }],
            "visible": [],
        }));
    }

    /// The command that runs a bridge; the server's command is to follow.
    pub(crate) fn bridge(&self, program: &Path) -> Command {
        let ours = self.server.command();
        let mut command = Command::new(program);
        command.current_dir(self.server.outside());
        for (name, value) in ours.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Adds the server's command to a bridge's. Its profile lists every tool with the schema of its results.
    pub(crate) fn server(&self, mut bridge: Command) -> Command {
        let command = self.server.command();
        let config = command.get_envs().find(|(name, _)| *name == "XDG_CONFIG_HOME");
        let config = Path::new(config.and_then(|(_, value)| value).unwrap()).join("tandem");
        std::fs::create_dir_all(&config).unwrap();
        let profile =
            "[mcp]\nprofile = \"all\"\n[profiles.all]\ntools = [\"*\"]\noutput_schemas = true\n";
        // What the fixture trusts stays.
        let file = config.join("config.toml");
        let settings = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::write(&file, format!("{settings}\n{profile}")).unwrap();
        bridge.arg(tests::binary()).args(["mcp", "--workspace"]).arg(self.server.root());
        bridge
    }
}

/// Makes the repository, with a remote and a merge that stopped, and the program to debug.
fn prepare(root: &Path, models: &str) {
    let status = Command::new("cc")
        .args(["-g", "-O0", "-o", "ledger", "ledger.c"])
        .current_dir(root)
        .status()
        .unwrap();
    assert!(status.success(), "cc");
    let outside = root.parent().unwrap();
    let remote = outside.join("remote.git");
    // Fetching, pulling and pushing are git's own program's, which runs in trusted workspaces only.
    let settings = outside.join("config/tandem");
    std::fs::create_dir_all(&settings).unwrap();
    let file = settings.join("config.toml");
    std::fs::write(&file, format!("[git]\ntrusted = [{root:?}]\n{SEARCH}{models}")).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    tests::define_shell_agent(outside, "shell-agent", "");
    git(outside, &["init", "-q", "--bare", "remote.git"]);
    git(root, &["init", "-q"]);
    git(root, &["config", "user.name", "Ann Author"]);
    git(root, &["config", "user.email", "ann@example.com"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "first"]);
    git(root, &["tag", "v1"]);
    git(root, &["remote", "add", "origin", remote.to_str().unwrap()]);
    git(root, &["push", "-q", "-u", "origin", "main"]);
    git(root, &["switch", "-q", "-c", "other"]);
    std::fs::write(root.join("conflict.txt"), "theirs\n").unwrap();
    git(root, &["commit", "-q", "-am", "theirs"]);
    git(root, &["switch", "-q", "main"]);
    std::fs::write(root.join("conflict.txt"), "ours\n").unwrap();
    git(root, &["commit", "-q", "-am", "ours"]);
}

/// Runs git with nothing of anybody's settings.
pub(crate) fn git(folder: &Path, args: &[&str]) -> bool {
    let output = Command::new("git")
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
        .args(args)
        .output()
        .unwrap();
    let merge = args.first() == Some(&"merge");
    assert!(merge || output.status.success(), "git {args:?}: {output:?}");
    output.status.success()
}
