//! The `git` program, isolated from the user's settings.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use git::{Repo, RepoLayout, Trust};
use workspace::{FilePath, Root, Snapshot, Workspace};

/// A workspace with a repository.
pub(crate) struct TestRepo {
    /// The workspace's folder.
    pub(crate) root: PathBuf,
    clock: i64,
}

impl TestRepo {
    pub(crate) fn new(root: PathBuf) -> Self {
        std::fs::create_dir_all(&root).unwrap();
        Self { root, clock: 1_600_000_000 }
    }

    /// Runs git in the folder. Its clock advances by a minute per call.
    pub(crate) fn run<S: AsRef<OsStr>>(&mut self, args: &[S]) -> Output {
        self.clock += 60;
        run_in(&self.root, self.clock, args)
    }

    /// Runs git, asserts success, and returns its output.
    pub(crate) fn git<S: AsRef<OsStr>>(&mut self, args: &[S]) -> Vec<u8> {
        let out = self.run(args);
        let args_text: Vec<_> = args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect();
        assert!(
            out.status.success(),
            "git {}: {}",
            args_text.join(" "),
            String::from_utf8_lossy(&out.stderr)
        );
        out.stdout
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// The current state of the workspace.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Workspace::with_index_cache(None, vec![Root::open(&self.root).unwrap()]).snapshot()
    }

    /// The repository as [`Layout::find`] sees it.
    pub(crate) fn find(&self, trust: Trust) -> Result<RepoLayout, git::GitError> {
        let snapshot = self.snapshot();
        let root = FilePath::from_root(&snapshot.roots()[0]);
        RepoLayout::find(&snapshot, &root, trust)
    }

    pub(crate) fn open(&self) -> Repo {
        Repo::open(self.find(Trust::Untrusted).unwrap()).unwrap()
    }
}

pub(crate) fn run_in<S: AsRef<OsStr>>(folder: &Path, clock: i64, args: &[S]) -> Output {
    let date = format!("{clock} +0000");
    let settings: Vec<OsString> = [
        "-c",
        "protocol.file.allow=always",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "core.fsync=none",
        "-c",
        "gc.auto=0",
        "-c",
        "maintenance.auto=false",
        "-c",
        "advice.detachedHead=false",
    ]
    .into_iter()
    .map(OsString::from)
    .collect();
    Command::new("git")
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "A U Thor")
        .env("GIT_AUTHOR_EMAIL", "author@example.com")
        .env("GIT_COMMITTER_NAME", "C O Mitter")
        .env("GIT_COMMITTER_EMAIL", "committer@example.com")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", ":")
        .args(settings)
        .args(args)
        .output()
        .unwrap()
}
