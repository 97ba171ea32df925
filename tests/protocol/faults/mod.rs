//! Faults around the server: full disks, lost permissions, editors and programs that die or
//! interfere, kills at any moment. Nothing is lost and nothing is half done.

mod cancelled;
mod disk_full;
mod faulty_editor;
mod interference;
mod killed;
mod killed_merge;
mod large;
mod leaks;
mod permission;

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use client::Client;
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT, ToolError};

/// Every path below a folder, with the content of files: `None` for what is none.
type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Everything below `root`, our own hidden files too; only what lies on its file system.
fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_folder = path.symlink_metadata().unwrap().is_dir();
            let content = (!is_folder).then(|| std::fs::read(&path).unwrap());
            found.insert(path.strip_prefix(root).unwrap().to_owned(), content);
            if is_folder {
                folders.push(path);
            }
        }
    }
    found
}

/// Fails with the paths that differ, not with all of their content.
#[track_caller]
fn same(found: &Tree, expected: &Tree, when: &str) {
    let told = |path: &&PathBuf| found.get(*path) != expected.get(*path);
    let differ: Vec<_> = found.keys().chain(expected.keys()).filter(told).collect();
    assert!(differ.is_empty(), "{when}: these differ: {differ:?}");
}

/// A tool call in a separate process.
fn call(home: &Home, tool: &str, params: &Value) -> Command {
    let mut command = home.command();
    command.args(["call", tool, &params.to_string(), "--workspace"]).arg(home.root());
    command.stdin(Stdio::null());
    command
}

/// The result of such a call.
fn called(home: &Home, tool: &str, params: &Value) -> Result<Value, ToolError> {
    let output = call(home, tool, params).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{tool}: {error}: {}", String::from_utf8_lossy(&output.stderr))
    });
    if output.status.success() { Ok(value) } else { Err(ToolError::from_data(&value)) }
}

/// A server on a workspace that outlives it.
struct LiveServer {
    client: Client,
}

impl LiveServer {
    fn start(home: &Home) -> Self {
        Self::of(home.command().arg("lsp"), &home.root())
    }

    fn of(command: &mut Command, root: &Path) -> Self {
        let mut client = Client::spawn(command).unwrap();
        client.set_timeout(RESPONSE_TIMEOUT);
        client.initialize(root, json!({ "workspace": { "applyEdit": true } })).unwrap();
        Self { client }
    }

    fn send(&self, tool: &str, params: &Value) -> client::PendingResponse {
        let params = json!({ "command": format!("tandem.{tool}"), "arguments": [params] });
        self.client.start_request("workspace/executeCommand", params).unwrap()
    }

    fn call(&self, tool: &str, params: &Value) -> Result<Value, ToolError> {
        self.send(tool, params).wait(RESPONSE_TIMEOUT).map_err(|error| {
            let said = || self.client.process().map(client::Process::stderr);
            assert!(error.response().is_some(), "{tool}: {error}; said: {:?}", said());
            ToolError::from_client(&error)
        })
    }

    #[track_caller]
    fn must(&self, tool: &str, params: &Value) -> Value {
        self.call(tool, params).unwrap_or_else(|error| panic!("{tool}: {}", error.data))
    }

    #[track_caller]
    fn refused(&self, tool: &str, params: &Value, code: &str) -> ToolError {
        match self.call(tool, params) {
            Ok(result) => panic!("{tool} {params} should be {code}, but: {result}"),
            Err(error) => {
                assert_eq!(error.code, code, "{tool} {params}: {}", error.data);
                error
            }
        }
    }

    fn process(&self) -> u32 {
        self.client.process().unwrap().id()
    }

    fn kill(self) {
        self.client.process().unwrap().kill();
    }
}

/// Edits one text in many files.
fn edit_all(paths: impl Iterator<Item = String>, old: &str, new: &str) -> Value {
    let patches = json!([{ "old_text": old, "new_text": new }]);
    let edits: Vec<_> =
        paths.map(|path| json!({ "path": path, "patches": patches.clone() })).collect();
    json!({ "edits": edits })
}

/// Says that something is not tested here, past what catches the output of tests that pass.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

const INSIDE: &str = "TANDEM_TEST_OWN_MOUNTS";

/// Runs the test `name` once more in a user and mount namespace of its own, where it may mount
/// what it likes: true there, false outside, where there is nothing left to do.
fn is_in_separate_mount_namespace(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let is_possible = |flags: &str| {
        let mount = [flags, "mount", "-t", "tmpfs", "none", "/mnt"];
        let tried = Command::new("unshare").args(mount).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let Some(flags) = ["-Urm", "-m"].into_iter().find(|flags| is_possible(flags)) else {
        skipped(&format!("{name}: neither user namespaces nor root: no file system to fill"));
        return false;
    };
    let output = Command::new("unshare")
        .args([flags, "--propagation", "private"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (said(&output.stdout), said(&output.stderr));
    assert!(output.status.success(), "in its own namespace:\n{out}\n{err}");
    assert!(out.contains("1 passed"), "{name} was not run:\n{out}");
    false
}

/// A small file system in a separate mount namespace.
struct SmallFileSystem {
    at: PathBuf,
}

impl SmallFileSystem {
    fn mount(at: &Path, size: &str) -> Self {
        std::fs::create_dir_all(at).unwrap();
        let options = format!("size={size},mode=0700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "none"])
            .arg(at)
            .status()
            .unwrap();
        assert!(mounted.success());
        Self { at: at.to_owned() }
    }

    /// Takes all space that is left.
    fn fill(&self) {
        let mut filler = std::fs::File::create(self.filler()).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while filler.write_all(&vec![b'x'; size]).is_ok() {}
        }
    }

    /// Takes all space but this many pages.
    fn fill_but(&self, pages: u64) {
        self.fill();
        let filler = std::fs::OpenOptions::new().write(true).open(self.filler()).unwrap();
        let size = filler.metadata().unwrap().len();
        filler.set_len(size - (pages << 12)).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.at.join("filler")
    }

    fn free(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }

    fn is_mounted(&self) -> bool {
        let above = self.at.parent().unwrap();
        self.at.metadata().unwrap().dev() != above.metadata().unwrap().dev()
    }
}
