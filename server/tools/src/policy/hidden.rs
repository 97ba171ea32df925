//! What rules forbid to read, as files: a sandbox hides them, whatever a command is.

use std::path::{Path, PathBuf};

use workspace::Snapshot;

use super::Policy;
use super::rules::Verdict;
use crate::{Code, EffectKind, ToolError};

/// Most entries that are looked at outside of the workspace, for all rules together.
const MOST_OUTSIDE: usize = 200_000;

impl Policy {
    /// Everything that may not be read, in the workspace and, where rules name absolute paths, out of
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
        if !rules.hides_files() {
            return Ok(Vec::new());
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
        let mut hidden = snapshot.all_names(&is_denied).ok_or_else(too_much)?;
        let roots = snapshot.roots();
        let mut left = MOST_OUTSIDE;
        for top in rules.denied_outside() {
            let mut todo = vec![top];
            while let Some(path) = todo.pop() {
                left = left.checked_sub(1).ok_or_else(too_much)?;
                // Those of the workspace have been found.
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
