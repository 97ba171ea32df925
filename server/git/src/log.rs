//! The history: of everything, or of one file through its renames.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use git2::{Commit, Oid, Sort};
use rustc_hash::{FxHashMap, FxHashSet};

use workspace::Budget;

use crate::commits::CommitInfo;
use crate::diff::find_options;
use crate::patch::options;
use crate::{GitError, Repo, RepoPath};

/// A piece of history that is asked for.
#[derive(Debug, Clone, Default)]
pub struct LogQuestion {
    /// Where it begins.
    pub from: Vec<Oid>,
    /// What is left out, with all before it.
    pub without: Vec<Oid>,
    /// Only what changed this file or folder.
    pub path: Option<RepoPath>,
    /// Whether a file is followed to the names that it had before.
    pub follow: bool,
    /// Only what was committed at this time or later, in seconds since 1970.
    pub since: Option<i64>,
    /// Only what was committed at this time or before.
    pub until: Option<i64>,
    /// Only commits whose author's name or address holds this text, in any case.
    pub author: Option<String>,
    /// Only commits whose message holds this text, in any case.
    pub message: Option<String>,
    /// How many are passed over.
    pub skip: usize,
    /// Most that are told.
    pub limit: usize,
}

/// One commit of a history.
#[derive(Debug, Clone)]
pub struct Logged {
    /// What it says.
    pub info: CommitInfo,
    /// The branches and tags that stand at it.
    pub refs: Vec<String>,
    /// The followed file's path in it.
    pub path: Option<RepoPath>,
    /// The path that the file had before, where this commit moved it.
    pub from: Option<RepoPath>,
}

/// A piece of history.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The commits, the newest first.
    pub commits: Vec<Logged>,
    /// Whether there are more.
    pub has_more: bool,
}

/// Takes a commit, the path that is followed there, and the one before; answers whether to go on.
type Take<'t> = &'t mut dyn FnMut(&Commit<'_>, Option<RepoPath>, Option<RepoPath>) -> bool;

impl Repo {
    /// A piece of the history, in git's order. O(commits looked at).
    ///
    /// # Errors
    /// When a commit cannot be read.
    pub fn log(&self, question: &LogQuestion, budget: &Budget<'_>) -> Result<Log, GitError> {
        let names = self.names_of_commits()?;
        let mut log = Log::default();
        let mut skip = question.skip;
        let mut take = |commit: &Commit<'_>, path: Option<RepoPath>, from: Option<RepoPath>| {
            if !question.speaks_of(commit) {
                return true;
            }
            if skip > 0 {
                skip -= 1;
                return true;
            }
            if log.commits.len() == question.limit {
                log.has_more = true;
                return false;
            }
            let info = CommitInfo::of(commit);
            let refs = names.get(&info.id).cloned().unwrap_or_default();
            log.commits.push(Logged { info, refs, path, from });
            true
        };
        match &question.path {
            Some(path) if !path.bytes().is_empty() => {
                self.walk_path(question, path, budget, &mut take)?;
            }
            _ => self.walk(question, budget, &mut take)?,
        }
        Ok(log)
    }

    fn walk(
        &self,
        question: &LogQuestion,
        budget: &Budget<'_>,
        take: Take<'_>,
    ) -> Result<(), GitError> {
        let mut walk = self.git.revwalk()?;
        walk.set_sorting(Sort::NONE)?;
        for id in &question.from {
            walk.push(*id)?;
        }
        for id in &question.without {
            walk.hide(*id)?;
        }
        for id in walk {
            budget.check()?;
            let commit = self.git.find_commit(id?)?;
            if !take(&commit, None, None) {
                break;
            }
        }
        Ok(())
    }

    /// As git simplifies: of a commit that left the path as one of its parents had it, only that
    /// parent's history counts.
    fn walk_path(
        &self,
        question: &LogQuestion,
        path: &RepoPath,
        budget: &Budget<'_>,
        take: Take<'_>,
    ) -> Result<(), GitError> {
        let hidden = self.hidden(question, budget)?;
        // By time, and among equals in the order in which they were met.
        let mut queue: BinaryHeap<(i64, Reverse<usize>, Oid)> = BinaryHeap::new();
        let mut paths: FxHashMap<Oid, RepoPath> = FxHashMap::default();
        // What a parent was found to have at its path is not looked up again.
        let mut entries: FxHashMap<Oid, Option<(Oid, i32)>> = FxHashMap::default();
        let mut met = 0;
        for id in &question.from {
            let commit = self.git.find_commit(*id)?;
            if paths.insert(*id, path.clone()).is_none() {
                queue.push((commit.time().seconds(), Reverse(met), *id));
                met += 1;
            }
        }
        while let Some((_, _, id)) = queue.pop() {
            budget.check()?;
            if hidden.contains(&id) {
                continue;
            }
            let commit = self.git.find_commit(id)?;
            let path = paths.get(&id).cloned().unwrap_or_default();
            if question.since.is_some_and(|since| commit.time().seconds() < since) {
                continue;
            }
            let own = match entries.remove(&id) {
                Some(known) => known,
                None => self.entry(&commit, &path)?,
            };
            let mut next: Vec<(Commit<'_>, RepoPath)> = Vec::new();
            let mut from = None;
            let mut is_told = true;
            for parent in commit.parents() {
                let before = self.entry(&parent, &path)?;
                if !paths.contains_key(&parent.id()) {
                    entries.insert(parent.id(), before);
                }
                if before == own {
                    next = vec![(parent, path.clone())];
                    is_told = false;
                    break;
                }
                let was = match (before, own) {
                    (None, Some((_, mode))) if question.follow && mode != 0o040_000 => {
                        self.name_before(&parent, &commit, &path, budget)?
                    }
                    _ => None,
                };
                if was.is_some() {
                    entries.remove(&parent.id());
                }
                from = from.or(was.clone());
                next.push((parent, was.unwrap_or_else(|| path.clone())));
            }
            if commit.parent_count() == 0 {
                is_told = own.is_some();
            }
            if is_told && !take(&commit, Some(path), from) {
                return Ok(());
            }
            for (parent, path) in next {
                let id = parent.id();
                if let std::collections::hash_map::Entry::Vacant(vacant) = paths.entry(id) {
                    vacant.insert(path);
                    queue.push((parent.time().seconds(), Reverse(met), id));
                    met += 1;
                }
            }
        }
        Ok(())
    }

    /// All that is left out.
    fn hidden(
        &self,
        question: &LogQuestion,
        budget: &Budget<'_>,
    ) -> Result<FxHashSet<Oid>, GitError> {
        let mut hidden = FxHashSet::default();
        if question.without.is_empty() {
            return Ok(hidden);
        }
        let mut walk = self.git.revwalk()?;
        for id in &question.without {
            walk.push(*id)?;
        }
        for id in walk {
            budget.check()?;
            hidden.insert(id?);
        }
        Ok(hidden)
    }

    /// What a commit has at a path: the object and its mode.
    pub(crate) fn entry(
        &self,
        commit: &Commit<'_>,
        path: &RepoPath,
    ) -> Result<Option<(Oid, i32)>, GitError> {
        match commit.tree()?.get_path(path.path()) {
            Ok(entry) => Ok(Some((entry.id(), entry.filemode()))),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The path that a file had in the parent of the commit in which it came to this one.
    pub(crate) fn name_before(
        &self,
        parent: &Commit<'_>,
        commit: &Commit<'_>,
        path: &RepoPath,
        budget: &Budget<'_>,
    ) -> Result<Option<RepoPath>, GitError> {
        let (before, after) = (parent.tree()?, commit.tree()?);
        let mut options = options(0);
        options.skip_binary_check(true);
        self.check_trees(Some(&before), Some(&after), budget)?;
        let mut diff =
            self.git.diff_tree_to_tree(Some(&before), Some(&after), Some(&mut options))?;
        diff.find_similar(Some(&mut find_options()))?;
        let found = diff.deltas().find(|delta| {
            delta.status() == git2::Delta::Renamed
                && delta.new_file().path_bytes() == Some(path.bytes())
        });
        Ok(found.and_then(|delta| delta.old_file().path_bytes().map(RepoPath::new)))
    }
}

impl LogQuestion {
    fn speaks_of(&self, commit: &Commit<'_>) -> bool {
        let seconds = commit.time().seconds();
        let holds = |text: &[u8], wanted: &str| {
            String::from_utf8_lossy(text).to_lowercase().contains(&wanted.to_lowercase())
        };
        let author = commit.author();
        self.since.is_none_or(|since| seconds >= since)
            && self.until.is_none_or(|until| seconds <= until)
            && self.author.as_ref().is_none_or(|wanted| {
                holds(author.name_bytes(), wanted) || holds(author.email_bytes(), wanted)
            })
            && self.message.as_ref().is_none_or(|wanted| holds(commit.message_bytes(), wanted))
    }
}
