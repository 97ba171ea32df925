//! What a commit's message may speak of: the paths that are staged, the people who write here.

use git2::Sort;

use workspace::Budget;

use crate::commits::Person;
use crate::patch::options;
use crate::{GitError, Repo, RepoPath};

impl Repo {
    /// The paths that the next commit changes, in order, up to `most`.
    ///
    /// # Errors
    /// When index or commit cannot be read.
    pub fn staged_paths(&self, most: usize) -> Result<Vec<RepoPath>, GitError> {
        let head = self.head_tree()?;
        let index = self.fresh_index()?;
        self.check_tree(head.as_ref(), &Budget::of_one_call())?;
        let mut options = options(0);
        options.skip_binary_check(true);
        let diff = self.git.diff_tree_to_index(head.as_ref(), Some(&index), Some(&mut options))?;
        let paths = diff.deltas().filter_map(|delta| {
            delta.new_file().path_bytes().or(delta.old_file().path_bytes()).map(RepoPath::new)
        });
        Ok(paths.take(most).collect())
    }

    /// Who commits here; `None` where nobody has said so.
    #[must_use]
    pub fn identity(&self) -> Option<Person> {
        self.signature().ok().map(|signature| Person::of(&signature))
    }

    /// The authors of the last `commits` commits, the newest first, each once.
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
            // A shallow history ends before its time.
            let Ok(commit) = self.git.find_commit(id?) else { break };
            let author = Person::of(&commit.author());
            if !authors.iter().any(|known| known.email == author.email) {
                authors.push(author);
            }
        }
        Ok(authors)
    }
}
