//! Which binary is tested, and the private folders it runs in.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

/// The server's binary: `$TANDEM_BIN`, else the one built beside the running test.
///
/// # Panics
/// When there is none, saying how to build it.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("TANDEM_BIN") {
        let path = PathBuf::from(path);
        assert!(path.is_file(), "TANDEM_BIN is {}, which is no file", path.display());
        return path;
    }
    let test = std::env::current_exe().unwrap();
    // target/<profile>/deps/<test> or target/<profile>/examples/<example>
    let path = test.parent().and_then(Path::parent).unwrap().join("tandem");
    assert!(
        path.is_file(),
        "{} is missing: build it first with `cargo build` in the profile of the tests, \
         or set TANDEM_BIN",
        path.display()
    );
    path
}

/// A temporary folder with a workspace and, beside it, all other places that the server may write
/// to: its state, cache and settings. Deleted when dropped.
pub struct Home {
    dir: Arc<TempDir>,
}

impl Home {
    /// Makes the folder, the workspace empty.
    #[allow(clippy::new_without_default, reason = "it makes a folder: no mere default")]
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("tandem-test-").tempdir().unwrap();
        std::fs::create_dir(dir.path().join("workspace")).unwrap();
        Self { dir: Arc::new(dir) }
    }

    /// The same folder for another server; it stays until the last one lets go of it.
    pub fn shared(&self) -> Self {
        Self { dir: self.dir.clone() }
    }

    /// The workspace's folder, free of symlinks.
    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("workspace")
    }

    /// The folder that holds the workspace, for what must lie outside it.
    pub fn outside(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// The binary as a command that keeps to this folder.
    pub fn command(&self) -> Command {
        let mut command = Command::new(binary());
        let outside = self.outside();
        command
            .current_dir(&outside)
            .env("HOME", &outside)
            .env("XDG_STATE_HOME", outside.join("state"))
            .env("XDG_CACHE_HOME", outside.join("cache"))
            .env("XDG_CONFIG_HOME", outside.join("config"))
            .env("XDG_DATA_HOME", outside.join("data"))
            .env("XDG_RUNTIME_DIR", outside.join("run"))
            .env_remove("CARGO_HOME")
            .env_remove("GOMODCACHE")
            .env_remove("GOPATH")
            .env_remove("GOROOT")
            .env_remove("KUBECONFIG")
            .env_remove("RUSTUP_HOME")
            .env_remove("VIRTUAL_ENV")
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY")
            .env_remove("RUST_LOG")
            .env_remove("RUST_BACKTRACE")
            .envs(crate::component("chromium").map(|program| ("TANDEM_CHROMIUM", program)));
        command
    }
}
