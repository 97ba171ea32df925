//! The files that rules deny, so that a sandbox can hide them from any command.

use std::path::{Path, PathBuf};

use workspace::Snapshot;

use super::Policy;
use super::command::matches_wildcard;
use super::rules::{Rules, Verdict};
use crate::{Code, EffectKind, ToolError};

/// Limit for the entries visited outside the workspace, for all rules together.
const MAX_ENTRIES_OUTSIDE: usize = 200_000;

/// Folders with programs, in addition to `PATH`.
const STANDARD_BIN_FOLDERS: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/// Multi-call binaries: hiding one would hide all of its programs.
const MULTI_CALL_BINARIES: &[&str] = &["busybox", "toybox", "coreutils", "rustup"];

impl Policy {
    /// All paths that may not be read or run, absolute: Tandem's secrets, and what rules deny in the
    /// workspace and (for absolute patterns) outside it, with all hard links that a file has in the
    /// workspace.
    ///
    /// # Errors
    /// `E_TOO_LARGE` if there is too much to search: nothing may run if some file cannot be hidden.
    pub fn hidden(&self, tool: &str, snapshot: &Snapshot) -> Result<Vec<PathBuf>, ToolError> {
        let rules = self.sources.latest();
        let mut hidden = denied_programs(&rules);
        // With them, and with network access, a program could approve its own calls.
        hidden.extend(workspace::all_secrets());
        if !rules.hides_files() {
            return Ok(hidden);
        }
        let is_denied =
            |path: &Path| rules.path_ruling(EffectKind::Read, path, false).verdict == Verdict::Deny;
        let too_much = || {
            let message = format!(
                "{tool}: some files may not be read, and there are too many to find and hide them all"
            );
            ToolError::new(Code::TooLarge, message)
                .hint("the person can name fewer places in policy.deny.read")
        };
        hidden.extend(snapshot.paths_with_aliases(&is_denied).ok_or_else(too_much)?);
        let roots = snapshot.roots();
        let mut left = MAX_ENTRIES_OUTSIDE;
        for top in rules.denied_absolute_paths() {
            let mut todo = vec![top];
            while let Some(path) = todo.pop() {
                left = left.checked_sub(1).ok_or_else(too_much)?;
                // The workspace has been searched already.
                if roots.iter().any(|root| path == root.path()) {
                    continue;
                }
                if is_denied(&path) {
                    hidden.extend(std::fs::canonicalize(&path).ok());
                    continue;
                }
                let is_folder = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
                if is_folder {
                    let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
                    todo.extend(entries.map(|entry| entry.path()));
                }
            }
        }
        hidden.sort_unstable();
        hidden.dedup();
        Ok(hidden)
    }
}

/// The executables that rules deny with any arguments. A hidden file cannot be executed or copied, so
/// another program cannot start it either.
fn denied_programs(rules: &Rules) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let environment = process::clean_environment();
    let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_str());
    let searched = std::env::split_paths(path.unwrap_or_default());
    let folders: Vec<PathBuf> =
        searched.chain(STANDARD_BIN_FOLDERS.iter().map(PathBuf::from)).collect();
    // The shell itself runs every line, so it stays visible.
    let shell = std::fs::canonicalize("/bin/sh").ok();
    let mut add = |place: PathBuf| {
        let real = std::fs::canonicalize(place).ok();
        let real = real.filter(|real| real.is_file() && Some(real) != shell.as_ref());
        let name =
            |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_many = |path: &PathBuf| {
            name(path).is_some_and(|name| MULTI_CALL_BINARIES.contains(&name.as_str()))
        };
        found.extend(real.filter(|path| !is_many(path)));
    };
    for program in rules.denied_programs() {
        if program.starts_with('/') {
            add(PathBuf::from(program));
        } else if program.contains('*') {
            for folder in &folders {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let like = entries.filter(|entry| {
                    entry.file_name().to_str().is_some_and(|name| matches_wildcard(program, name))
                });
                like.for_each(|entry| add(entry.path()));
            }
        } else if !program.contains('/') {
            folders.iter().for_each(|folder| add(folder.join(program)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
