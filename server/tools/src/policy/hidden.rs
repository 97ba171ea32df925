//! What rules forbid to read, as files: a sandbox hides them, whatever a command is.

use std::path::{Path, PathBuf};

use workspace::Snapshot;

use super::Policy;
use super::command::is_like;
use super::rules::{Rules, Verdict};
use crate::{Code, EffectKind, ToolError};

/// Most entries that are looked at outside of the workspace, for all rules together.
const MOST_OUTSIDE: usize = 200_000;

/// Where programs are beside `PATH`.
const USUAL: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/// Files that are many programs, by the name that they are started by: to hide one is to hide all.
const MANY: &[&str] = &["busybox", "toybox", "coreutils", "rustup"];

impl Policy {
    /// Everything that may not be read or run, in the workspace and, where rules name absolute paths, out of
    /// it: absolute paths, with every other name that a file has in the workspace.
    ///
    /// # Errors
    /// `E_TOO_LARGE` where there is too much to look at: what cannot be hidden must not run.
    pub(crate) fn hidden(
        &self,
        tool: &str,
        snapshot: &Snapshot,
    ) -> Result<Vec<PathBuf>, ToolError> {
        let rules = self.sources.latest();
        let mut hidden = denied_programs(&rules);
        if !rules.hides_files() {
            return Ok(hidden);
        }
        let is_denied =
            |path: &Path| rules.on_path(EffectKind::Read, path, false).verdict == Verdict::Deny;
        let too_much = || {
            let message = format!(
                "{tool}: some files may not be read, and there are too many to find and hide them all"
            );
            ToolError::new(Code::TooLarge, message)
                .hint("the person can name fewer places in policy.deny.read")
        };
        hidden.extend(snapshot.paths_with_aliases(&is_denied).ok_or_else(too_much)?);
        let roots = snapshot.roots();
        let mut left = MOST_OUTSIDE;
        for top in rules.denied_outside() {
            let mut todo = vec![top];
            while let Some(path) = todo.pop() {
                left = left.checked_sub(1).ok_or_else(too_much)?;
                // `all_names` has searched the workspace already.
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
    let folders: Vec<PathBuf> = searched.chain(USUAL.iter().map(PathBuf::from)).collect();
    // What runs every line is none of those that a line names.
    let shell = std::fs::canonicalize("/bin/sh").ok();
    let mut add = |place: PathBuf| {
        let real = std::fs::canonicalize(place).ok();
        let real = real.filter(|real| real.is_file() && Some(real) != shell.as_ref());
        let name =
            |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_many = |path: &PathBuf| name(path).is_some_and(|name| MANY.contains(&name.as_str()));
        found.extend(real.filter(|path| !is_many(path)));
    };
    for program in rules.denied_programs() {
        if program.starts_with('/') {
            add(PathBuf::from(program));
        } else if program.contains('*') {
            for folder in &folders {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let like = entries.filter(|entry| {
                    entry.file_name().to_str().is_some_and(|name| is_like(program, name))
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
