//! History, of the repository or of one file through its renames.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use git2::{Commit, Oid, Sort};
use rustc_hash::{FxHashMap, FxHashSet};

use workspace::CallBudget;

use crate::commits::CommitInfo;
use crate::diff::rename_options;
use crate::patch::diff_options;
use crate::{GitError, Repo, RepoPath};

/// Which commits to list.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// The commits to start from.
    pub start: Vec<Oid>,
    /// Commits to exclude together with their ancestors.
    pub exclude: Vec<Oid>,
    /// Only commits that change this file or folder.
    pub path: Option<RepoPath>,
    /// Whether to follow a file through renames.
    pub follow: bool,
    /// Only commits at or after this time, in seconds since 1970.
    pub since: Option<i64>,
    /// Only commits at or before this time.
    pub until: Option<i64>,
    /// Only commits whose author's name or address contains this text, ignoring case.
    pub author: Option<String>,
    /// Only commits whose message contains this text, ignoring case.
    pub message: Option<String>,
    /// How many matches to skip.
    pub skip: usize,
    /// How many to list.
    pub limit: usize,
}

/// One listed commit.
#[derive(Debug, Clone)]
pub struct LogEntry {
    /// Its metadata.
    pub info: CommitInfo,
    /// The branches and tags that point to it.
    pub refs: Vec<String>,
    /// The followed file's path in it.
    pub path: Option<RepoPath>,
    /// The file's previous path, if this commit renamed it.
    pub old_path: Option<RepoPath>,
}

/// A list of commits.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The commits, newest first.
    pub commits: Vec<LogEntry>,
    /// Whether there are more.
    pub has_more: bool,
}

/// Receives a commit, the followed path in it, and its previous path; returns whether to continue.
type Visit<'t> = &'t mut dyn FnMut(&Commit<'_>, Option<RepoPath>, Option<RepoPath>) -> bool;

impl Repo {
    /// Lists commits in git's order. O(commits visited).
    ///
    /// # Errors
    /// When a commit cannot be read.
    pub fn log(&self, options: &LogOptions, budget: &CallBudget<'_>) -> Result<Log, GitError> {
        let names = self.ref_names()?;
        let mut log = Log::default();
        let mut skip = options.skip;
        let mut visit = |commit: &Commit<'_>, path: Option<RepoPath>, from: Option<RepoPath>| {
            if !options.matches(commit) {
                return true;
            }
            if skip > 0 {
                skip -= 1;
                return true;
            }
            if log.commits.len() == options.limit {
                log.has_more = true;
                return false;
            }
            let info = CommitInfo::from_commit(commit);
            let refs = names.get(&info.id).cloned().unwrap_or_default();
            log.commits.push(LogEntry { info, refs, path, old_path: from });
            true
        };
        match &options.path {
            Some(path) if !path.as_bytes().is_empty() => {
                self.walk_path(options, path, budget, &mut visit)?;
            }
            _ => self.walk(options, budget, &mut visit)?,
        }
        Ok(log)
    }

    fn walk(
        &self,
        options: &LogOptions,
        budget: &CallBudget<'_>,
        visit: Visit<'_>,
    ) -> Result<(), GitError> {
        let mut walk = self.git.revwalk()?;
        walk.set_sorting(Sort::NONE)?;
        for id in &options.start {
            walk.push(*id)?;
        }
        for id in &options.exclude {
            walk.hide(*id)?;
        }
        for id in walk {
            budget.check()?;
            let commit = self.git.find_commit(id?)?;
            if !visit(&commit, None, None) {
                break;
            }
        }
        Ok(())
    }

    /// Walks the commits that change a path, with git's history simplification: if a merge leaves
    /// the path as one parent has it, only that parent is followed.
    fn walk_path(
        &self,
        options: &LogOptions,
        path: &RepoPath,
        budget: &CallBudget<'_>,
        visit: Visit<'_>,
    ) -> Result<(), GitError> {
        let hidden = self.hidden(options, budget)?;
        // Newest first; commits of the same second in the order in which they were queued.
        let mut queue: BinaryHeap<(i64, Reverse<usize>, Oid)> = BinaryHeap::new();
        let mut paths: FxHashMap<Oid, RepoPath> = FxHashMap::default();
        // A parent's entry at its path is looked up when its child is compared: kept for its own
        // turn.
        let mut entries: FxHashMap<Oid, Option<(Oid, i32)>> = FxHashMap::default();
        let mut order = 0;
        for id in &options.start {
            let commit = self.git.find_commit(*id)?;
            if paths.insert(*id, path.clone()).is_none() {
                queue.push((commit.time().seconds(), Reverse(order), *id));
                order += 1;
            }
        }
        while let Some((_, _, id)) = queue.pop() {
            budget.check()?;
            if hidden.contains(&id) {
                continue;
            }
            let commit = self.git.find_commit(id)?;
            let path = paths.get(&id).cloned().unwrap_or_default();
            if options.since.is_some_and(|since| commit.time().seconds() < since) {
                continue;
            }
            let own_entry = match entries.remove(&id) {
                Some(known) => known,
                None => self.entry(&commit, &path)?,
            };
            let mut next: Vec<(Commit<'_>, RepoPath)> = Vec::new();
            let mut from = None;
            let mut is_listed = true;
            for parent in commit.parents() {
                let parent_entry = self.entry(&parent, &path)?;
                if !paths.contains_key(&parent.id()) {
                    entries.insert(parent.id(), parent_entry);
                }
                // Unchanged against this parent: history simplification drops the other ones.
                if parent_entry == own_entry {
                    next = vec![(parent, path.clone())];
                    is_listed = false;
                    break;
                }
                let previous = match (parent_entry, own_entry) {
                    (None, Some((_, mode))) if options.follow && mode != 0o040_000 => {
                        self.renamed_from(&parent, &commit, &path, budget)?
                    }
                    _ => None,
                };
                if previous.is_some() {
                    entries.remove(&parent.id());
                }
                from = from.or(previous.clone());
                next.push((parent, previous.unwrap_or_else(|| path.clone())));
            }
            if commit.parent_count() == 0 {
                is_listed = own_entry.is_some();
            }
            if is_listed && !visit(&commit, Some(path), from) {
                return Ok(());
            }
            for (parent, path) in next {
                let id = parent.id();
                if let std::collections::hash_map::Entry::Vacant(vacant) = paths.entry(id) {
                    vacant.insert(path);
                    queue.push((parent.time().seconds(), Reverse(order), id));
                    order += 1;
                }
            }
        }
        Ok(())
    }

    /// The excluded commits with all their ancestors.
    fn hidden(
        &self,
        options: &LogOptions,
        budget: &CallBudget<'_>,
    ) -> Result<FxHashSet<Oid>, GitError> {
        let mut hidden = FxHashSet::default();
        if options.exclude.is_empty() {
            return Ok(hidden);
        }
        let mut walk = self.git.revwalk()?;
        for id in &options.exclude {
            walk.push(*id)?;
        }
        for id in walk {
            budget.check()?;
            hidden.insert(id?);
        }
        Ok(hidden)
    }

    /// The object id and mode of a path in a commit.
    pub(crate) fn entry(
        &self,
        commit: &Commit<'_>,
        path: &RepoPath,
    ) -> Result<Option<(Oid, i32)>, GitError> {
        match commit.tree()?.get_path(path.as_path()) {
            Ok(entry) => Ok(Some((entry.id(), entry.filemode()))),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The path in `parent` of a file that `commit` added by a rename.
    pub(crate) fn renamed_from(
        &self,
        parent: &Commit<'_>,
        commit: &Commit<'_>,
        path: &RepoPath,
        budget: &CallBudget<'_>,
    ) -> Result<Option<RepoPath>, GitError> {
        let (before, after) = (parent.tree()?, commit.tree()?);
        let mut git_options = diff_options(0);
        git_options.skip_binary_check(true);
        self.check_trees(Some(&before), Some(&after), budget)?;
        let mut diff =
            self.git.diff_tree_to_tree(Some(&before), Some(&after), Some(&mut git_options))?;
        diff.find_similar(Some(&mut rename_options()))?;
        let found = diff.deltas().find(|delta| {
            delta.status() == git2::Delta::Renamed
                && delta.new_file().path_bytes() == Some(path.as_bytes())
        });
        Ok(found.and_then(|delta| delta.old_file().path_bytes().map(RepoPath::new)))
    }
}

impl LogOptions {
    fn matches(&self, commit: &Commit<'_>) -> bool {
        let seconds = commit.time().seconds();
        let contains = |bytes: &[u8], text: &str| {
            String::from_utf8_lossy(bytes).to_lowercase().contains(&text.to_lowercase())
        };
        let author = commit.author();
        self.since.is_none_or(|since| seconds >= since)
            && self.until.is_none_or(|until| seconds <= until)
            && self.author.as_ref().is_none_or(|text| {
                contains(author.name_bytes(), text) || contains(author.email_bytes(), text)
            })
            && self.message.as_ref().is_none_or(|text| contains(commit.message_bytes(), text))
    }
}
