//! Material for completing a commit message: staged paths and recent authors.

use git2::Sort;

use workspace::CallBudget;

use crate::commits::Person;
use crate::patch::diff_options;
use crate::{GitError, Repo, RepoPath};

impl Repo {
    /// The first `limit` paths that the next commit changes, sorted.
    ///
    /// # Errors
    /// When the index or a commit cannot be read, or the budget is used up.
    pub fn staged_paths(
        &self,
        limit: usize,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        let head = self.head_tree()?;
        let index = self.fresh_index()?;
        self.check_tree(head.as_ref(), budget)?;
        let mut git_options = diff_options(0);
        git_options.skip_binary_check(true);
        let diff =
            self.git.diff_tree_to_index(head.as_ref(), Some(&index), Some(&mut git_options))?;
        let paths = diff.deltas().filter_map(|delta| {
            delta.new_file().path_bytes().or(delta.old_file().path_bytes()).map(RepoPath::new)
        });
        Ok(paths.take(limit).collect())
    }

    /// The committer's name and address; `None` if they are not set.
    #[must_use]
    pub fn identity(&self) -> Option<Person> {
        self.signature().ok().map(|signature| Person::from_signature(&signature))
    }

    /// The authors of the last `commits` commits, newest first, without duplicates.
    ///
    /// # Errors
    /// When history cannot be read.
    pub fn recent_authors(&self, commits: usize) -> Result<Vec<Person>, GitError> {
        let mut authors: Vec<Person> = Vec::new();
        let Some(head) = self.head()?.commit else { return Ok(authors) };
        let mut walk = self.git.revwalk()?;
        walk.set_sorting(Sort::TIME)?;
        walk.push(head)?;
        for id in walk.take(commits) {
            // The parents of a shallow clone's oldest commits are missing.
            let Ok(commit) = self.git.find_commit(id?) else { break };
            let author = Person::from_signature(&commit.author());
            if !authors.iter().any(|known| known.email == author.email) {
                authors.push(author);
            }
        }
        Ok(authors)
    }
}
