//! The official SDKs by every transport, in every version that they negotiate.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tests::Home;

/// A server that listens, until dropped.
pub(crate) struct Listening {
    child: Child,
    pub(crate) url: String,
    pub(crate) token: String,
}

impl Listening {
    pub(crate) fn start(home: &Home) -> Self {
        let mut command = home.command();
        command.args(["mcp", "--workspace", "workspace", "--addr", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim_end().strip_prefix("tandem mcp: ").unwrap();
        let (url, token_file) = rest.split_once(", with the token in ").unwrap();
        let token = std::fs::read_to_string(token_file).unwrap().trim_end().to_owned();
        Self { child, url: url.to_owned(), token }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `program` with the script, and checks each connection that it reports.
fn every_transport(program: &Path, first: &[&str], connections: usize) {
    let home = Home::new();
    std::fs::write(home.root().join("a.py"), "x = 1\n").unwrap();
    let server = Listening::start(&home);
    let ours = home.command();
    let mut command = Command::new(program);
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(first).args([server.url.as_str(), server.token.as_str()]);
    command.arg(tests::binary()).args(["mcp", "--workspace"]).arg(home.root());
    let outcome = command.output().unwrap();
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let reports: Vec<Value> =
        stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(reports.len(), connections, "{stdout}\n{stderr}");
    for report in &reports {
        assert_eq!(report["stdout"], "it ran\n", "{report}");
        assert_eq!(report["asked"].as_array().unwrap().len(), 1, "{report}");
        assert!(report["asked"][0].as_str().unwrap().contains("echo it ran"), "{report}");
        assert!(report["wrong"].as_str().unwrap().contains("E_INVALID_PARAMS"), "{report}");
        assert!(report["resource"].as_str().unwrap().contains("actions"), "{report}");
        assert!(report["prompt"].as_str().unwrap().contains("a.py"), "{report}");
        for list in ["tools", "resources", "templates", "prompts"] {
            assert!(report[list].as_u64().unwrap() > 0, "{list}: {report}");
        }
    }
    let newest = reports.iter().filter(|report| report["version"] == "2026-07-28").count();
    let wanted = reports.iter().filter(|report| report["mode"] != "legacy").count();
    assert_eq!(newest, wanted, "{stdout}");
}

#[test]
fn the_python_sdk_works_by_every_transport() {
    let Some(python) = tests::component("mcp-python") else {
        tests::skip("the_python_sdk_works_by_every_transport", "mcp-python");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/sdk/transports.py");
    every_transport(&python, &[script], 6);
}

#[test]
fn the_typescript_sdk_works_by_every_transport() {
    let (Some(node), Some(package)) =
        (tests::component("node"), tests::component("mcp-typescript"))
    else {
        tests::skip("the_typescript_sdk_works_by_every_transport", "mcp-typescript");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/sdk/transports.mjs");
    every_transport(&node, &[script, package.parent().unwrap().to_str().unwrap()], 2);
}
