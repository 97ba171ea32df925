//! Blame of open documents, cached until the repository changes.

use std::sync::Arc;

use git::{Blame, BlameOptions, GitError, Oid, line_before};
use parking_lot::Mutex;
use workspace::{CallBudget, FilePath};

use super::hunks::DocumentDiff;

/// Most files with a cached blame.
const MAX_CACHED: usize = 16;
/// The list of commits that blame skips.
const IGNORE_FILE: &str = ".git-blame-ignore-revs";
const MAX_IGNORE_FILE_BYTES: u64 = 1 << 20;

#[derive(PartialEq, Eq)]
struct BlameKey {
    file: FilePath,
    commit: Option<Oid>,
    index: Option<Oid>,
    ignored: String,
}

/// A cache of blames of the index's versions of files, the newest last.
#[derive(Default)]
pub(crate) struct BlameCache {
    entries: Mutex<Vec<(BlameKey, Arc<Blame>)>>,
    /// Serializes computation: a waiter may find its blame in the cache afterwards.
    computing: Mutex<()>,
}

/// The blame of a document's lines.
pub(crate) struct LineBlame {
    blame: Arc<Blame>,
}

impl BlameCache {
    /// The blame of a document's lines. `None` if the file is not in the index.
    ///
    /// # Errors
    /// If history cannot be read, or on interruption.
    pub(crate) fn line_blame(
        &self,
        diff: &DocumentDiff,
        budget: &CallBudget<'_>,
    ) -> Result<Option<LineBlame>, GitError> {
        let tracked = &diff.tracked;
        let (kept, layout) = (&tracked.kept, &tracked.layout);
        let Some(index) = &kept.index else { return Ok(None) };
        let list = layout.work_tree.descendant(IGNORE_FILE);
        let list = list.root().read_below(list.relative(), MAX_IGNORE_FILE_BYTES).ok().flatten();
        let key = BlameKey {
            file: tracked.file.clone(),
            commit: kept.commit,
            index: Some(index.id),
            ignored: String::from_utf8_lossy(&list.unwrap_or_default()).into_owned(),
        };
        let cached = || {
            let entries = self.entries.lock();
            entries
                .iter()
                .find(|(cached_key, _)| *cached_key == key)
                .map(|(_, blame)| blame.clone())
        };
        if let Some(blame) = cached() {
            return Ok(Some(LineBlame { blame }));
        }
        let _computing = self.computing.lock();
        budget.check()?;
        if let Some(blame) = cached() {
            return Ok(Some(LineBlame { blame }));
        }
        let blame = layout.run_sandboxed(false, |repo| {
            let question = BlameOptions {
                path: tracked.path.clone(),
                text: Some(&index.bytes),
                ignored: repo.ignored_commits(&key.ignored),
                ..BlameOptions::default()
            };
            repo.blame(&question, budget)
        })?;
        let blame = Arc::new(blame);
        let mut entries = self.entries.lock();
        entries.retain(|(cached_key, _)| cached_key.file != key.file);
        if entries.len() >= MAX_CACHED {
            entries.remove(0);
        }
        entries.push((key, blame.clone()));
        Ok(Some(LineBlame { blame }))
    }
}

impl LineBlame {
    /// The commit of a line of the document, counted from 0 by LF. `None` for uncommitted lines.
    pub(crate) fn commit(&self, diff: &DocumentDiff, line: usize) -> Option<&git::CommitInfo> {
        let line = line_before(&diff.unstaged, line)? + 1;
        let runs = &self.blame.hunks;
        let at = runs.partition_point(|run| run.line <= line).checked_sub(1)?;
        let run = runs.get(at).filter(|run| line < run.line + run.count)?;
        self.blame.commits.get(&run.commit?)
    }
}
