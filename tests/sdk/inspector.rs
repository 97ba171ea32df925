//! The MCP Inspector's command line.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tests::Home;

use crate::transports::Listening;

/// The program that runs it, and its script.
struct Inspector {
    node: PathBuf,
    script: PathBuf,
    home: Home,
}

impl Inspector {
    fn new(test: &str) -> Option<Self> {
        let (Some(node), Some(script)) =
            (tests::component("node"), tests::component("mcp-inspector"))
        else {
            tests::skip(test, "mcp-inspector");
            return None;
        };
        let home = Home::new();
        std::fs::write(home.root().join("a.txt"), "one\n").unwrap();
        Some(Self { node, script, home })
    }

    /// Its exit code, what it printed, and what it complained of.
    fn run(&self, target: &[&str], args: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(&self.node);
        for (name, value) in self.home.command().get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.arg(&self.script).arg("--cli").args(target).args(args);
        let outcome = command.current_dir(self.home.outside()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (outcome.status.code(), text(outcome.stdout), text(outcome.stderr))
    }

    fn must(&self, target: &[&str], args: &[&str]) -> Value {
        let (code, stdout, stderr) = self.run(target, args);
        assert_eq!(code, Some(0), "{args:?}: {stdout}{stderr}");
        serde_json::from_str(&stdout).unwrap()
    }

    /// Makes requests of every kind.
    fn uses(&self, target: &[&str]) {
        let tools = self.must(target, &["--method", "tools/list"]);
        assert!(tools["tools"].as_array().unwrap().len() > 8, "{tools}");
        let call = ["--method", "tools/call", "--tool-name", "read_file", "--tool-arg"];
        let read = self.must(target, &[&call[..], &["path=a.txt"]].concat());
        assert_eq!(read["structuredContent"]["content"], "one\n", "{read}");
        let (code, stdout, stderr) = self.run(target, &[&call[..], &["path=gone"]].concat());
        assert_ne!(code, Some(0), "{stdout}{stderr}");
        assert!(format!("{stdout}{stderr}").contains("E_FILE_NOT_FOUND"), "{stdout}{stderr}");
        let read = ["--method", "resources/read", "--uri", "tandem://actions"];
        let read = self.must(target, &read);
        assert!(read["contents"][0]["text"].as_str().unwrap().contains("actions"), "{read}");
        let prompts = self.must(target, &["--method", "prompts/list"]);
        assert!(prompts.to_string().contains("review_changes"), "{prompts}");
        let set = self.must(target, &["--method", "logging/setLevel", "--log-level", "debug"]);
        assert!(set.is_object(), "{set}");
    }
}

fn program(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_inspector_works_by_stdio() {
    let Some(inspector) = Inspector::new("the_inspector_works_by_stdio") else { return };
    let binary = tests::binary();
    let target = [program(&binary), "mcp", "--workspace", "workspace"];
    inspector.uses(&target);
    // Schemas that other clients cannot use are complained of.
    let (code, _, complaints) = inspector.run(&target, &["--method", "tools/list", "--strict"]);
    assert_eq!((code, complaints.contains("Issue:")), (Some(0), false), "{complaints}");
    let all = [&target[..], &["--profile", "full"]].concat();
    let (code, _, complaints) = inspector.run(&all, &["--method", "tools/list", "--strict"]);
    assert_eq!(code, Some(0), "{complaints}");
    assert!(!complaints.contains("Path: inputSchema"), "{complaints}");
}

#[test]
fn the_inspector_works_by_http() {
    let Some(inspector) = Inspector::new("the_inspector_works_by_http") else { return };
    let server = Listening::start(&inspector.home);
    let header = format!("Authorization: Bearer {}", server.token);
    inspector.uses(&[server.url.as_str(), "--transport", "http", "--header", &header]);
}
