//! The attacked workspace, and the files outside it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT, ToolError};

/// What no answer may hold and no file inside may come to hold.
pub(super) const SECRET: &str = "the-secret-6e1f0c";
/// What a file outside says that has a second name inside: reading that one is allowed.
pub(super) const SHARED: &str = "shared by two names\n";
/// Time limit for a call. Most take milliseconds; one that starts an interpreter takes 2.5 s while the other
/// tests keep all cores busy.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// A server on a workspace full of traps, with secrets around it.
pub(super) struct Stage {
    home: Home,
    client: Client,
    shown: Arc<Mutex<Vec<Value>>>,
    outside: BTreeMap<PathBuf, Vec<u8>>,
}

/// The outcome of a call.
pub(super) type Outcome = Result<Value, ToolError>;

impl Stage {
    /// A server whose client approves everything, or never answers: the guarantees hold even with
    /// all approvals.
    pub(super) fn new(person_allows: bool) -> Self {
        let home = Home::new();
        let outside = home.outside();
        for folder in ["secret", "secret/deep", "workspace-evil"] {
            fs::create_dir(outside.join(folder)).unwrap();
            fs::write(outside.join(folder).join("s.txt"), format!("{SECRET} secret\n")).unwrap();
        }
        fs::write(outside.join("shared.txt"), SHARED).unwrap();
        fill(&home.root());
        let mut client = Client::spawn(home.command().arg("lsp")).unwrap();
        client.set_timeout(RESPONSE_TIMEOUT);
        let shown = Arc::new(Mutex::new(Vec::new()));
        let showing = shown.clone();
        client.on_request(move |request, _| match request.method.as_str() {
            "window/showMessageRequest" if person_allows => {
                Answer::Result(request.params["actions"][0].clone())
            }
            "window/showDocument" => {
                showing.lock().unwrap().push(request.params.clone());
                Answer::Result(json!({ "success": true }))
            }
            _ => Answer::Default,
        });
        let capabilities = json!({
            "workspace": { "applyEdit": true },
            "window": { "showMessage": {}, "showDocument": { "support": true } },
        });
        client.initialize(&home.root(), capabilities).unwrap();
        let mut stage = Self { home, client, shown, outside: BTreeMap::new() };
        stage.outside = stage.snapshot_outside();
        stage
    }

    pub(super) fn root(&self) -> PathBuf {
        self.home.root()
    }

    pub(super) fn around(&self) -> PathBuf {
        self.home.outside()
    }

    /// Calls a tool; panics where the answer is late, leaks, or is none of the contract's.
    pub(super) fn call(&self, tool: &str, params: &Value) -> Outcome {
        let started = Instant::now();
        let request = json!({ "command": format!("tandem.{tool}"), "arguments": [params] });
        let pending = self.client.start_request("workspace/executeCommand", request).unwrap();
        let answer = pending.wait(RESPONSE_TIMEOUT);
        let took = started.elapsed();
        assert!(took < CALL_TIMEOUT, "{tool} {params}: took {took:?}");
        let outcome = match answer {
            Ok(value) => Ok(value),
            Err(error) => {
                assert!(error.response().is_some(), "{tool} {params}: {error}");
                Err(ToolError::from_client(&error))
            }
        };
        let said = match &outcome {
            Ok(value) => value.to_string(),
            Err(error) => error.data.to_string(),
        };
        assert!(!said.contains(SECRET), "{tool} {params} tells the secret: {said}");
        outcome
    }

    /// Panics unless everything outside is as it was and nothing of it has come in.
    pub(super) fn check_outside(&self, after: &str) {
        assert_eq!(self.snapshot_outside(), self.outside, "outside has changed after {after}");
        for shown in self.shown.lock().unwrap().drain(..) {
            let uri = shown["uri"].as_str().unwrap_or_default();
            let inside = client::file_uri(&self.root());
            assert!(uri.starts_with(&format!("{inside}/")), "{after}: shows {shown}");
        }
    }

    /// Panics where a file inside has come to hold the secret.
    pub(super) fn check_inside(&self, after: &str) {
        for (path, content) in files_below(&self.root()) {
            let held = content.windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes());
            assert!(!held, "{after}: {} holds the secret", path.display());
        }
    }

    /// Panics unless the server still works.
    pub(super) fn check_alive(&self, after: &str) {
        let read = self.call("read_file", &json!({ "path": "kept/alive.txt" }));
        assert!(read.is_ok(), "{after}: the server does not go on: {read:?}");
    }

    /// Makes the workspace as it was.
    pub(super) fn reset(&self) {
        for entry in fs::read_dir(self.root()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                fs::remove_dir_all(entry.path()).unwrap();
            } else {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        fill(&self.root());
    }

    /// All that is outside but for what the server may keep there: paths, modes and contents.
    fn snapshot_outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let around = self.home.outside();
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(&around).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if ["workspace", "state", "cache", "config", "run"].contains(&name.as_str()) {
                continue;
            }
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
            found.insert(path.clone(), mode.to_le_bytes().to_vec());
            if path.is_dir() {
                found.extend(files_below(&path));
            } else {
                found.insert(path.join("content"), fs::read(&path).unwrap());
            }
        }
        found
    }
}

/// Every entry below a folder, links not followed, with its content.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let Ok(entry) = entry else { continue };
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            found.extend(files_below(&path));
            found.insert(path, Vec::new());
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            found.insert(path, target.as_os_str().as_bytes().to_vec());
        } else if kind.is_file() {
            let content = fs::read(&path).unwrap_or_default();
            found.insert(path, content);
        } else {
            found.insert(path, b"special".to_vec());
        }
    }
    found
}

/// The files, links and other things that the paths of [`super::paths`] name.
fn fill(root: &Path) {
    let outside = root.parent().unwrap();
    for folder in ["dir/deep", "kept", "tree/.git", ".vscode", "sub"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (file, text) in [
        ("a.txt", "inside\n"),
        ("dir/b.txt", "inside\n"),
        ("dir/deep/c.txt", "inside\n"),
        ("kept/alive.txt", "inside\n"),
        (".vscode/tasks.json", "inside\n"),
        ("tree/.git/config", "inside\n"),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
    fs::write(root.join(OsStr::from_bytes(b"sub/\xff\xfe.txt")), "inside\n").unwrap();
    fs::hard_link(outside.join("shared.txt"), root.join("hard.txt")).unwrap();
    let link = |to: &str, at: &str| symlink(to, root.join(at)).unwrap();
    link("../secret/s.txt", "out");
    link(outside.join("secret/s.txt").to_str().unwrap(), "out-absolute");
    link("../secret", "out-dir");
    link(outside.join("secret").to_str().unwrap(), "out-dir-absolute");
    link("..", "up");
    link("/", "slash");
    link("chain-2", "chain-1");
    link("dir/../chain-3", "chain-2");
    link("out-absolute", "chain-3");
    link("../../workspace/../secret/s.txt", "dir/back-and-out");
    link("../no-such", "out-dangling");
    link("../secret/new.txt", "out-new");
    link("/proc/self/root", "magic-root");
    link("/proc/self/cwd", "magic-cwd");
    link("/dev/fd/0", "magic-fd");
    link("/dev/zero", "zero");
    link("/dev/tty", "tty");
    link("loop-b", "loop-a");
    link("loop-a", "loop-b");
    link("self", "self");
    link("../workspace-evil", "evil");
    mkfifoat(CWD, root.join("fifo"), Mode::from_raw_mode(0o600)).unwrap();
    drop(UnixListener::bind(root.join("socket")).unwrap());
}
