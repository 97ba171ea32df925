//! Creates commits.

use git2::{Index, Oid, RepositoryState, Signature};

use workspace::CallBudget;

use crate::limits::MAX_MESSAGE_LENGTH;
use crate::status::StatusOptions;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

/// The commit to create.
#[derive(Debug, Clone, Default)]
pub struct CommitOptions {
    /// The message; `None` keeps the amended commit's.
    pub message: Option<String>,
    /// Only these files and folders, with their current content; `None` commits what is staged.
    pub files: Option<Vec<RepoPath>>,
    /// Whether to replace the last commit.
    pub amend: bool,
    /// Whether to allow a commit without changes.
    pub allow_empty: bool,
}

/// The created commit.
#[derive(Debug, Clone)]
pub struct CreatedCommit {
    /// Object id.
    pub id: Oid,
    /// The amended commit.
    pub amended: Option<Oid>,
}

/// The unstaged changes in some files and folders.
#[derive(Debug, Clone, Default)]
pub struct UnstagedChanges {
    /// All changed files, untracked ones included.
    pub changed: Vec<RepoPath>,
    /// The untracked ones.
    pub untracked: Vec<RepoPath>,
    /// Whether one of them needs a `filter` program.
    pub has_filter: bool,
}

impl Repo {
    /// Creates a commit. Runs no hooks.
    ///
    /// # Errors
    /// When there is nothing to commit, conflicts are unresolved, or no author is configured.
    /// Nothing has changed then.
    pub fn commit(
        &self,
        order: &CommitOptions,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<CreatedCommit, GitError> {
        let state = self.git.state();
        let conflict = |what: &str| Err(GitError::Conflict { what: what.to_owned() });
        let head = self.head()?;
        let last = head.commit.map(|id| self.git.find_commit(id)).transpose()?;
        if order.amend && last.is_none() {
            return conflict("there is no commit to amend yet");
        }
        if order.amend && state == RepositoryState::Merge {
            return conflict("a merge is in progress; the last commit cannot be amended");
        }
        let signature = self.signature()?;
        let message = match (&order.message, &last) {
            (Some(message), _) => self.clean_message(message)?,
            (None, Some(last)) if order.amend => {
                String::from_utf8_lossy(last.message_bytes()).into_owned()
            }
            _ => return Err(GitError::Invalid { what: "a message is required".to_owned() }),
        };
        let mut index = self.fresh_index()?;
        let mut own = None;
        let tree = match &order.files {
            None => {
                if index.has_conflicts() {
                    return conflict(
                        "there are unresolved conflicts: resolve and stage them first",
                    );
                }
                index.write_tree()?
            }
            Some(files) => {
                if state != RepositoryState::Clean {
                    return conflict(
                        "an operation in progress is committed as a whole: leave out `files`",
                    );
                }
                let tree = self.tree_with(files, &mut index, unsaved, budget)?;
                own = Some(&mut index);
                tree
            }
        };
        let is_same = match (&last, order.amend) {
            (Some(last), false) => last.tree_id() == tree,
            (None, _) => self.git.find_tree(tree)?.is_empty(),
            (Some(_), true) => false,
        };
        if is_same && !order.allow_empty && state != RepositoryState::Merge {
            return conflict(
                "nothing differs from the last commit: stage something, or name `files`",
            );
        }
        let tree = self.git.find_tree(tree)?;
        budget.check()?;
        // libgit2 fails if the branch has moved meanwhile: it must still point to the first parent.
        let made = if let (Some(last), true) = (&last, order.amend) {
            let id = last.amend(
                Some("HEAD"),
                None,
                Some(&signature),
                None,
                Some(&message),
                Some(&tree),
            )?;
            CreatedCommit { id, amended: Some(last.id()) }
        } else {
            let mut parents: Vec<_> = last.into_iter().collect();
            if state == RepositoryState::Merge {
                for id in self.merge_heads()? {
                    parents.push(self.git.find_commit(id)?);
                }
            }
            let parents: Vec<_> = parents.iter().collect();
            let id =
                self.git.commit(Some("HEAD"), &signature, &signature, &message, &tree, &parents)?;
            CreatedCommit { id, amended: None }
        };
        if let Some(index) = own {
            self.write_index(index)?;
        }
        if matches!(
            state,
            RepositoryState::Merge | RepositoryState::CherryPick | RepositoryState::Revert
        ) {
            self.git.cleanup_state()?;
        }
        Ok(made)
    }

    /// The last commit's tree with the current content of these files, which are staged into
    /// `index` too.
    fn tree_with(
        &self,
        files: &[RepoPath],
        index: &mut Index,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Oid, GitError> {
        let mut changed = self.changed_files_in(files, unsaved)?;
        // A staged file may be unchanged against the index, and still differ from the last commit.
        changed.extend(
            index
                .iter()
                .map(|entry| RepoPath::new(&entry.path))
                .filter(|path| files.iter().any(|folder| path.is_in(folder))),
        );
        let head = self.head_tree()?;
        self.check_tree(head.as_ref(), budget)?;
        if let Some(head) = &head {
            changed.extend(self.paths_below(head, files)?);
        }
        changed.sort();
        changed.dedup();
        let mut only = Index::new()?;
        if let Some(head) = &head {
            only.read_tree(head)?;
        }
        for path in &changed {
            budget.check()?;
            self.add_file(index, path, unsaved)?;
            match index.get_path(path.as_path(), 0) {
                Some(entry) => only.add(&entry)?,
                None => only.remove_path(path.as_path())?,
            }
        }
        Ok(only.write_tree_to(&self.git)?)
    }

    /// The paths of a tree in some files and folders.
    fn paths_below(
        &self,
        tree: &git2::Tree<'_>,
        files: &[RepoPath],
    ) -> Result<Vec<RepoPath>, GitError> {
        let mut whole = Index::new()?;
        whole.read_tree(tree)?;
        let paths = whole.iter().map(|entry| RepoPath::new(&entry.path));
        Ok(paths.filter(|path| files.iter().any(|folder| path.is_in(folder))).collect())
    }

    /// The unstaged changes in some files and folders.
    ///
    /// # Errors
    /// When the work tree cannot be read.
    pub fn unstaged_changes(&self, files: &[RepoPath]) -> Result<UnstagedChanges, GitError> {
        let options = StatusOptions { paths: files.to_vec(), all_untracked: true };
        let status = self.status(&options, &UnsavedFiles::default())?;
        let changed = status.unstaged.iter().map(|changed| changed.path.clone());
        let changed: Vec<_> = changed.chain(status.untracked.iter().cloned()).collect();
        let mut converts = false;
        for path in &changed {
            converts |= self.conversion(path)?.has_filter;
        }
        Ok(UnstagedChanges { changed, untracked: status.untracked, has_filter: converts })
    }

    pub(crate) fn signature(&self) -> Result<Signature<'static>, GitError> {
        self.git.signature().map_err(|_| GitError::NoIdentity)
    }

    fn merge_heads(&self) -> Result<Vec<Oid>, GitError> {
        // `mergehead_foreach` takes `&mut Repository`: use a second handle.
        let mut other = git2::Repository::open_ext(
            self.layout().work_tree.absolute(),
            git2::RepositoryOpenFlags::NO_SEARCH,
            std::iter::empty::<&std::path::Path>(),
        )?;
        let mut heads = Vec::new();
        other.mergehead_foreach(|id| {
            heads.push(*id);
            true
        })?;
        Ok(heads)
    }

    fn clean_message(&self, message: &str) -> Result<String, GitError> {
        if message.len() > MAX_MESSAGE_LENGTH {
            let what =
                format!("the message has {} bytes, more than {MAX_MESSAGE_LENGTH}", message.len());
            return Err(GitError::TooLarge { what });
        }
        if message.contains('\0') {
            return Err(GitError::Invalid { what: "the message contains a NUL".to_owned() });
        }
        let message = git2::message_prettify(message, None)?;
        if message.is_empty() {
            return Err(GitError::Invalid { what: "the message is empty".to_owned() });
        }
        Ok(message)
    }
}
