//! Checkpoints: snapshots of the work tree, unsaved text included, that can be restored.
//!
//! Each is a commit under `refs/tandem/checkpoints/` with the last commit as parent, holding all
//! files that are tracked or untracked but not ignored. The index, `HEAD`, branches and the stash
//! stay untouched. If git's conversions would not restore a file's exact bytes, they are stored
//! unconverted under `refs/tandem/raw/`.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use git2::{Index, ObjectType, Oid, Signature};
use workspace::{CallBudget, FileKind};

use crate::limits::{MAX_CHECKPOINT_BYTES, MAX_CHECKPOINT_FILE_SIZE, MAX_CHECKPOINT_FILES};
use crate::stage::entry;
use crate::status::StatusOptions;
use crate::unsaved::UnsavedFiles;
use crate::{ChangeKind, FileChange, GitError, Repo, RepoPath};

/// Reference prefixes of the commits and of the unconverted files.
const CHECKPOINT_REFS: &str = "refs/tandem/checkpoints/";
const RAW_REFS: &str = "refs/tandem/raw/";

/// A checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its name.
    pub id: String,
    /// Its commit.
    pub commit: Oid,
    /// When it was made, in seconds since 1970.
    pub seconds: i64,
    /// Its message.
    pub message: String,
    /// The last commit when it was made.
    pub head: Option<Oid>,
}

/// A new checkpoint.
#[derive(Debug, Clone)]
pub struct NewCheckpoint {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Number of files in it that differ from the last commit.
    pub changed: usize,
    /// Files that were too large to store.
    pub left_out: Vec<RepoPath>,
}

/// The content to give a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTarget {
    /// Its path.
    pub path: RepoPath,
    /// Its bytes and whether it is executable; `None` to delete it.
    pub content: Option<(Vec<u8>, bool)>,
    /// Whether it is or becomes a link or submodule, which is not written.
    pub is_link: bool,
}

/// The stored state of the work tree.
struct StoredState {
    tree: Oid,
    raw: Option<Oid>,
    left_out: Vec<RepoPath>,
}

impl Repo {
    /// Creates a checkpoint.
    ///
    /// # Errors
    /// When the work tree cannot be read, or the repository not be written to.
    pub fn checkpoint(
        &self,
        message: &str,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<NewCheckpoint, GitError> {
        let snapshot = self.snapshot(unsaved, budget)?;
        let tree = self.git.find_tree(snapshot.tree)?;
        let head = self.head()?.commit.map(|id| self.git.find_commit(id)).transpose()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let signature = match self.git.signature() {
            Ok(signature) => signature,
            Err(_) => Signature::now("Tandem", "tandem@localhost")?,
        };
        let text = git2::message_prettify(message, None)?;
        let parents: Vec<_> = head.iter().collect();
        let commit = self.git.commit(None, &signature, &signature, &text, &tree, &parents)?;
        let mut number = 0;
        let id = loop {
            let id = format!("{now}-{number}");
            match self.git.reference(&format!("{CHECKPOINT_REFS}{id}"), commit, false, "checkpoint")
            {
                Ok(_) => break id,
                Err(error) if error.code() == git2::ErrorCode::Exists && number < 1_000 => {
                    number += 1;
                }
                Err(error) => return Err(error.into()),
            }
        };
        if let Some(raw) = snapshot.raw {
            self.git.reference(&format!("{RAW_REFS}{id}"), raw, true, "checkpoint")?;
        }
        let before = self.head_tree()?;
        self.check_trees(before.as_ref(), Some(&tree), budget)?;
        let changed = self.git.diff_tree_to_tree(before.as_ref(), Some(&tree), None)?;
        Ok(NewCheckpoint {
            changed: changed.deltas().len(),
            checkpoint: self.read_checkpoint(id, commit)?,
            left_out: snapshot.left_out,
        })
    }

    /// Stores the current state of the work tree.
    fn snapshot(
        &self,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<StoredState, GitError> {
        let options = StatusOptions { paths: Vec::new(), all_untracked: true };
        let status = self.status_with_budget(&options, unsaved, budget)?;
        let index = self.index()?;
        let mut files = Index::new()?;
        let mut raw = Index::new()?;
        let conflicted: BTreeSet<&RepoPath> =
            status.conflicts.iter().map(|conflict| &conflict.path).collect();
        for one in index.iter() {
            let is_regular = (one.flags >> 12) & 3 == 0 && !one.id.is_zero();
            if is_regular {
                files.add(&entry(&RepoPath::new(&one.path), one.id, one.mode))?;
            }
        }
        let changed: BTreeSet<&RepoPath> = status
            .unstaged
            .iter()
            .map(|changed| &changed.path)
            .chain(&status.untracked)
            .chain(conflicted)
            .chain(unsaved.iter().map(|(path, _)| path))
            .collect();
        if changed.len() > MAX_CHECKPOINT_FILES {
            let what = format!("{} files differ, more than {MAX_CHECKPOINT_FILES}", changed.len());
            return Err(GitError::TooLarge { what });
        }
        let mut snapshot = StoredState { tree: Oid::ZERO_SHA1, raw: None, left_out: Vec::new() };
        let mut remaining = MAX_CHECKPOINT_BYTES;
        for path in changed {
            budget.check()?;
            let before = index.get_path(path.as_path(), 0);
            let Some((bytes, mode)) = self.current_content(path, unsaved)? else {
                // A submodule keeps the commit in the index.
                if self.kind_in_work_tree(path)? != Some(FileKind::Directory) {
                    files.remove_path(path.as_path())?;
                }
                continue;
            };
            if bytes.len() > MAX_CHECKPOINT_FILE_SIZE || bytes.len() > remaining {
                snapshot.left_out.push(path.clone());
                continue;
            }
            remaining -= bytes.len();
            let content = if mode == 0o120_000 {
                bytes.clone()
            } else {
                let (content, id) = self.to_git_blob(path, &bytes, before.map(|entry| entry.id))?;
                let conversion = self.conversion(path)?;
                if conversion.has_filter || conversion.to_work_tree(&content, id) != bytes {
                    raw.add(&entry(path, self.git.blob(&bytes)?, mode))?;
                }
                content
            };
            files.add(&entry(path, self.git.blob(&content)?, mode))?;
        }
        snapshot.tree = files.write_tree_to(&self.git)?;
        if !raw.is_empty() {
            snapshot.raw = Some(raw.write_tree_to(&self.git)?);
        }
        Ok(snapshot)
    }

    /// A file's current bytes and mode; `None` if it is no file.
    fn current_content(
        &self,
        path: &RepoPath,
        unsaved: &UnsavedFiles,
    ) -> Result<Option<(Vec<u8>, u32)>, GitError> {
        let Some(file) = self.layout().file(path) else { return Ok(None) };
        let io = |error: workspace::FileError| GitError::Io { what: error.to_string() };
        let (root, below) = (file.root(), file.relative());
        let mode = if root.is_executable_below(below).map_err(io)? { 0o100_755 } else { 0o100_644 };
        if let Some(bytes) = unsaved.get(path) {
            return Ok(Some((bytes.to_vec(), mode)));
        }
        match root.kind_below(below).map_err(io)? {
            Some(FileKind::File) => {
                // One byte over the limit makes the caller leave the file out.
                match root.read_below(below, MAX_CHECKPOINT_FILE_SIZE as u64) {
                    Ok(bytes) => Ok(bytes.map(|bytes| (bytes, mode))),
                    Err(workspace::FileError::TooLarge { .. }) => {
                        Ok(Some((vec![0; MAX_CHECKPOINT_FILE_SIZE + 1], mode)))
                    }
                    Err(error) => Err(io(error)),
                }
            }
            Some(FileKind::Link) => {
                Ok(root.link_below(below).map_err(io)?.map(|target| (target, 0o120_000)))
            }
            _ => Ok(None),
        }
    }

    fn read_checkpoint(&self, id: String, commit: Oid) -> Result<Checkpoint, GitError> {
        let info = self.commit_info(commit)?;
        Ok(Checkpoint {
            id,
            commit,
            seconds: info.committer.seconds,
            message: info.message.trim_end().to_owned(),
            head: info.parents.first().copied(),
        })
    }

    /// The checkpoints, newest first.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, GitError> {
        let mut found = Vec::new();
        for reference in self.git.references_glob(&format!("{CHECKPOINT_REFS}*"))? {
            let reference = reference?;
            let Ok(name) = reference.name() else { continue };
            let (Some(id), Some(commit)) = (name.strip_prefix(CHECKPOINT_REFS), reference.target())
            else {
                continue;
            };
            if let Ok(checkpoint) = self.read_checkpoint(id.to_owned(), commit) {
                found.push(checkpoint);
            }
        }
        let order = |id: &str| {
            let (time, number) = id.split_once('-').unwrap_or((id, "0"));
            (time.parse::<u64>().unwrap_or_default(), number.parse::<u64>().unwrap_or_default())
        };
        found.sort_by_key(|checkpoint| std::cmp::Reverse(order(&checkpoint.id)));
        Ok(found)
    }

    /// The checkpoint `id`; the newest without an id.
    ///
    /// # Errors
    /// When there is none.
    pub fn find_checkpoint(&self, id: Option<&str>) -> Result<Checkpoint, GitError> {
        let found = self.checkpoints()?.into_iter().find(|c| id.is_none_or(|id| c.id == id));
        found.ok_or_else(|| GitError::NotFound {
            what: match id {
                Some(id) => format!("there is no checkpoint `{id:.60}`"),
                None => "there is no checkpoint yet".to_owned(),
            },
        })
    }

    /// A tree of the current work tree, to compare with a checkpoint's.
    ///
    /// # Errors
    /// As [`Repo::checkpoint`].
    pub fn current_tree(
        &self,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Oid, GitError> {
        Ok(self.snapshot(unsaved, budget)?.tree)
    }

    /// The files to write in order to restore a checkpoint; limited to `within` unless that is
    /// empty. Files too large for a checkpoint are left alone.
    ///
    /// # Errors
    /// When the checkpoint, or the work tree, cannot be read.
    pub fn restore_targets(
        &self,
        checkpoint: &Checkpoint,
        within: &[RepoPath],
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<FileTarget>, GitError> {
        let now = self.snapshot(unsaved, budget)?;
        let old = self.tree(checkpoint.commit)?;
        let new = self.git.find_tree(now.tree)?;
        let raw_of = |tree: Option<Oid>| tree.and_then(|tree| self.git.find_tree(tree).ok());
        let raw_then = self.git.refname_to_id(&format!("{RAW_REFS}{}", checkpoint.id)).ok();
        let (raw_then, raw_now) = (raw_of(raw_then), raw_of(now.raw));
        let mut paths: BTreeSet<RepoPath> = BTreeSet::new();
        for (before, after) in [(Some(&old), Some(&new)), (raw_then.as_ref(), raw_now.as_ref())] {
            self.check_trees(before, after, budget)?;
            let diff = self.git.diff_tree_to_tree(before, after, None)?;
            for delta in diff.deltas() {
                let Some(kind) = ChangeKind::from_delta(delta.status()) else { continue };
                let FileChange { path, .. } = crate::status::changed_file(&delta, kind);
                paths.insert(path);
            }
        }
        let mut targets = Vec::new();
        for path in paths {
            let is_wanted = self.layout().contains(&path)
                && (within.is_empty() || within.iter().any(|folder| path.is_in(folder)));
            if !is_wanted || now.left_out.contains(&path) {
                continue;
            }
            budget.check()?;
            targets.push(self.target(&old, raw_then.as_ref(), path)?);
        }
        Ok(targets)
    }

    fn target(
        &self,
        tree: &git2::Tree<'_>,
        raw: Option<&git2::Tree<'_>>,
        path: RepoPath,
    ) -> Result<FileTarget, GitError> {
        let now_link = self.kind_in_work_tree(&path)? == Some(FileKind::Link);
        let found = match tree.get_path(path.as_path()) {
            Ok(found) => found,
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                return Ok(FileTarget { path, content: None, is_link: false });
            }
            Err(error) => return Err(error.into()),
        };
        let mode = found.filemode();
        let is_link = now_link || mode == 0o120_000 || found.kind() != Some(ObjectType::Blob);
        let raw = raw.and_then(|raw| raw.get_path(path.as_path()).ok());
        let bytes = match raw {
            Some(raw) => self.blob(raw.id())?,
            None if is_link => Vec::new(),
            None => self.to_work_tree_bytes(&path, found.id())?,
        };
        Ok(FileTarget { path, content: Some((bytes, mode == 0o100_755)), is_link })
    }

    /// The bytes of a blob as checked out to `path`.
    ///
    /// # Errors
    /// When there is no such object.
    pub fn to_work_tree_bytes(&self, path: &RepoPath, id: Oid) -> Result<Vec<u8>, GitError> {
        let content = self.blob(id)?;
        Ok(self.conversion(path)?.to_work_tree(&content, id))
    }

    /// Deletes checkpoints: the one called `id`, or all older than `older_than` seconds except the
    /// newest `keep`. Returns their ids.
    ///
    /// # Errors
    /// When there is none with that id, or a reference cannot be deleted.
    /// When there is none of that name, or a reference cannot be deleted.
    pub fn prune_checkpoints(
        &self,
        id: Option<&str>,
        older_than: u64,
        keep: usize,
    ) -> Result<Vec<String>, GitError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let limit = i64::try_from(now.saturating_sub(older_than)).unwrap_or(i64::MAX);
        let removed: Vec<Checkpoint> = match id {
            Some(id) => vec![self.find_checkpoint(Some(id))?],
            None => {
                let old = self.checkpoints()?.into_iter().skip(keep);
                old.filter(|checkpoint| checkpoint.seconds <= limit).collect()
            }
        };
        for checkpoint in &removed {
            self.git.find_reference(&format!("{CHECKPOINT_REFS}{}", checkpoint.id))?.delete()?;
            if let Ok(mut raw) = self.git.find_reference(&format!("{RAW_REFS}{}", checkpoint.id)) {
                raw.delete()?;
            }
        }
        Ok(removed.into_iter().map(|checkpoint| checkpoint.id).collect())
    }
}
