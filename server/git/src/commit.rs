//! Making commits.

use git2::{Index, Oid, RepositoryState, Signature};

use workspace::Budget;

use crate::status::StatusQuestion;
use crate::unsaved::Unsaved;
use crate::{GitError, Repo, RepoPath};

/// A commit that is to be made.
#[derive(Debug, Clone, Default)]
pub struct CommitOrder {
    /// What it says; `None` keeps what the amended one says.
    pub message: Option<String>,
    /// Only these files and folders, as they are now; otherwise what is staged.
    pub files: Option<Vec<RepoPath>>,
    /// Whether it takes the place of the last commit.
    pub amend: bool,
    /// Whether it may change nothing.
    pub allow_empty: bool,
}

/// A commit that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its name.
    pub id: Oid,
    /// The commit that it took the place of.
    pub instead_of: Option<Oid>,
}

/// Longest message, in bytes.
const LONGEST: usize = 1 << 20;

/// What differs between the work tree and the index, in some files and folders.
#[derive(Debug, Clone, Default)]
pub struct Differing {
    /// The files, those that git does not know included.
    pub changed: Vec<RepoPath>,
    /// Those that git does not know.
    pub unknown: Vec<RepoPath>,
    /// Whether a program converts any of them.
    pub converts: bool,
}

impl Repo {
    /// Makes a commit. No hook is run.
    ///
    /// # Errors
    /// When there is nothing to commit, conflicts are open, or nobody is known as its author.
    /// Nothing has changed then.
    pub fn commit(
        &self,
        order: &CommitOrder,
        unsaved: &Unsaved,
        budget: &Budget<'_>,
    ) -> Result<Made, GitError> {
        let state = self.git.state();
        let conflict = |what: &str| Err(GitError::Conflict { what: what.to_owned() });
        let head = self.head()?;
        let last = head.commit.map(|id| self.git.find_commit(id)).transpose()?;
        if order.amend && last.is_none() {
            return conflict("there is no commit to amend yet");
        }
        if order.amend && state == RepositoryState::Merge {
            return conflict("a merge is under way; the last commit cannot be amended");
        }
        let signature = self.signature()?;
        let message = match (&order.message, &last) {
            (Some(message), _) => self.cleaned(message)?,
            (None, Some(last)) if order.amend => {
                String::from_utf8_lossy(last.message_bytes()).into_owned()
            }
            _ => return Err(GitError::Invalid { what: "a message is wanted".to_owned() }),
        };
        let mut index = self.fresh_index()?;
        let mut own = None;
        let tree = match &order.files {
            None => {
                if index.has_conflicts() {
                    return conflict("conflicts are open: resolve and stage them first");
                }
                index.write_tree()?
            }
            Some(files) => {
                if state != RepositoryState::Clean {
                    return conflict("what is under way is committed as a whole, without `files`");
                }
                let tree = self.tree_of(files, &mut index, unsaved, budget)?;
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
        // Whoever moved the branch meanwhile is not overtaken: libgit2 holds the first parent
        // against it.
        let made = if let (Some(last), true) = (&last, order.amend) {
            let id = last.amend(
                Some("HEAD"),
                None,
                Some(&signature),
                None,
                Some(&message),
                Some(&tree),
            )?;
            Made { id, instead_of: Some(last.id()) }
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
            Made { id, instead_of: None }
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

    /// The last commit's tree with these files as they are now, which are also taken into `index`.
    fn tree_of(
        &self,
        files: &[RepoPath],
        index: &mut Index,
        unsaved: &Unsaved,
        budget: &Budget<'_>,
    ) -> Result<Oid, GitError> {
        let mut changed = self.files_in(files, unsaved)?;
        // Of what is staged already, the index may hold what the work tree does.
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
            self.take_into(index, path, unsaved)?;
            match index.get_path(path.path(), 0) {
                Some(entry) => only.add(&entry)?,
                None => only.remove_path(path.path())?,
            }
        }
        Ok(only.write_tree_to(&self.git)?)
    }

    /// The paths of a tree that lie in some files and folders.
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

    /// What differs of some files and folders.
    ///
    /// # Errors
    /// When the work tree cannot be read.
    pub fn differing(&self, files: &[RepoPath]) -> Result<Differing, GitError> {
        let question = StatusQuestion { within: files.to_vec(), all_untracked: true };
        let status = self.status(&question, &Unsaved::default())?;
        let changed = status.unstaged.iter().map(|changed| changed.path.clone());
        let changed: Vec<_> = changed.chain(status.untracked.iter().cloned()).collect();
        let mut converts = false;
        for path in &changed {
            converts |= self.conversion(path)?.has_filter;
        }
        Ok(Differing { changed, unknown: status.untracked, converts })
    }

    pub(crate) fn signature(&self) -> Result<Signature<'static>, GitError> {
        self.git.signature().map_err(|_| GitError::NoIdentity)
    }

    fn merge_heads(&self) -> Result<Vec<Oid>, GitError> {
        // The list is asked for by exclusive reference: a second handle has it.
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

    fn cleaned(&self, message: &str) -> Result<String, GitError> {
        if message.len() > LONGEST {
            let what = format!("the message has {} bytes, more than {LONGEST}", message.len());
            return Err(GitError::TooLarge { what });
        }
        if message.contains('\0') {
            return Err(GitError::Invalid { what: "the message holds a NUL".to_owned() });
        }
        let message = git2::message_prettify(message, None)?;
        if message.is_empty() {
            return Err(GitError::Invalid { what: "the message is empty".to_owned() });
        }
        Ok(message)
    }
}
