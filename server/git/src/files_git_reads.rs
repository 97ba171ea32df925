//! Files that git reads in every folder of a work tree, checked before libgit2 opens them.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use workspace::FileKind;

use crate::index_file::{IndexFile, folders};
use crate::special_files::{READ_ANYWHERE, special_file_error};
use crate::{GitError, Repo, RepoPath};

impl Repo {
    /// Checks the files that git reads in the folders above `path` and in the folders below it that
    /// hold tracked files.
    pub(crate) fn check_around(&self, path: &RepoPath, table: &IndexFile) -> Result<(), GitError> {
        self.check_above(path, &mut FxHashSet::default())?;
        let below = folders(table, path.as_bytes());
        below
            .into_keys()
            .try_for_each(|folder| self.check_files_read_in(RepoPath::new(folder).as_path()))
    }

    /// Checks the files that git reads in the folders above `path`, except folders in `checked`,
    /// and adds them to it.
    pub(crate) fn check_above(
        &self,
        path: &RepoPath,
        checked: &mut FxHashSet<PathBuf>,
    ) -> Result<(), GitError> {
        let above = path.as_path().ancestors().skip(1);
        let mut new = above.take_while(|folder| checked.insert(folder.to_path_buf()));
        new.try_for_each(|folder| self.check_files_read_in(folder))
    }

    fn check_files_read_in(&self, folder: &Path) -> Result<(), GitError> {
        for name in READ_ANYWHERE {
            let path = RepoPath::from_path(&folder.join(name));
            if self.kind_in_work_tree(&path)? == Some(FileKind::Special) {
                return Err(special_file_error(
                    &self.layout().work_tree.absolute().join(path.as_path()),
                ));
            }
        }
        Ok(())
    }
}
