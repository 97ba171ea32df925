//! The git tools.

mod changes;
mod checkpoints;
mod conflict_actions;
mod git_program;
mod history;
mod hostile;
mod hunks;
mod index_names;
mod malformed;
mod outer_repository;
mod queries;
mod worktrees;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tests::Server;

/// Runs the `git` program in a folder, with nothing of anybody's settings.
fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new("git")
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .env("GIT_EDITOR", ":")
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .args(args)
        .output()
        .unwrap()
}

/// Runs git, which must succeed; what it prints.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let out = run(folder, args);
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
}

/// Makes a repository of all that is in a folder.
pub(crate) fn repository(root: &Path) {
    git(root, &["init", "-q"]);
    git(root, &["config", "user.name", "Ann Author"]);
    git(root, &["config", "user.email", "ann@example.com"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", "first"]);
}

/// A server on a repository of the fixture.
fn start(fixture: &str) -> Server {
    Server::builder(fixture).prepare(repository).start()
}

/// The strings in a list, or of a field of its objects.
fn texts(list: &Value, field: &str) -> Vec<String> {
    let text = |value: &Value| {
        let value = if field.is_empty() { value } else { &value[field] };
        value.as_str().unwrap_or_else(|| panic!("{list}: {field}")).to_owned()
    };
    list.as_array().unwrap_or_else(|| panic!("{list} is no list")).iter().map(text).collect()
}
