//! Runs a program in a temporary home folder, with a time limit.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A temporary folder with a home and a workspace, removed at the end.
pub(crate) struct Isolated {
    folder: TempDir,
}

/// How a program ended.
pub(crate) struct ProcessOutcome {
    /// Nothing where it was killed for taking too long.
    pub(crate) status: Option<ExitStatus>,
    /// What it wrote, both streams in the order of writing.
    pub(crate) output: String,
}

impl Isolated {
    pub(crate) fn new() -> io::Result<Self> {
        let isolated = Self { folder: TempDir::with_prefix("tandem-editor-")? };
        fs::create_dir(isolated.workspace())?;
        for (_, path) in isolated.homes() {
            fs::create_dir_all(path)?;
        }
        Ok(isolated)
    }

    /// The folder that the editor opens files of.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// A file outside the workspace.
    pub(crate) fn file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// What programs wrote under a path of the state folder; empty where they did not.
    pub(crate) fn state(&self, path: &str) -> String {
        let bytes = fs::read(self.folder.path().join("state").join(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Runs a command in the workspace with nothing of this machine's settings, for `limit` at
    /// most; then it and all that it started are killed.
    pub(crate) fn run(&self, command: &mut Command, limit: Duration) -> io::Result<ProcessOutcome> {
        let log = self.folder.path().join("output.log");
        let file = File::create(&log)?;
        let own: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        let child = command
            .current_dir(self.workspace())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LANG", "C.UTF-8")
            .envs(self.homes())
            .envs(own)
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .process_group(0)
            .spawn()?;
        let status = wait(child, limit)?;
        let output = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        Ok(ProcessOutcome { status, output })
    }

    /// The folders that programs keep their own in.
    pub(crate) fn homes(&self) -> [(&'static str, PathBuf); 7] {
        let folder = |name: &str| self.folder.path().join(name);
        [
            ("HOME", folder("home")),
            ("TMPDIR", folder("tmp")),
            ("XDG_CACHE_HOME", folder("cache")),
            ("XDG_CONFIG_HOME", folder("config")),
            ("XDG_DATA_HOME", folder("data")),
            ("XDG_RUNTIME_DIR", folder("run")),
            ("XDG_STATE_HOME", folder("state")),
        ]
    }
}

fn wait(mut child: Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    kill_group(child.id());
    child.wait()?;
    Ok(None)
}

/// The servers that an editor started end with it.
fn kill_group(leader: u32) {
    let group = format!("-{leader}");
    // If this fails, the processes have already ended.
    let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
}

/// Whether a path is a program that can be started.
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
