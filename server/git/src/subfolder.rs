//! A workspace that is a subfolder of a repository: the top of the work tree lies above it.
//!
//! Repositories above are used only if the user owns their folders. The sandbox then shows git the
//! names in those folders and the files that decide what is ignored and converted; no other file.
//! Results and changes are limited to files of the workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use workspace::{FileKind, FilePath, Root, Snapshot};

use crate::layout::{RepoLayout, Subfolder, Trust, shown};
use crate::{GitError, RepoPath};

/// Files that git reads in each folder above the workspace.
const READ_ABOVE: &[&str] = &[".gitignore", ".gitattributes"];

impl RepoLayout {
    /// Finds the repository above the workspace's folder `folder`.
    pub(crate) fn find_above(
        snapshot: &Snapshot,
        folder: &FilePath,
        trust: Trust,
    ) -> Result<Option<Self>, GitError> {
        let below = folder.absolute();
        // A folder inside `.git` is no work tree.
        if folder.is_in_library() || below.iter().any(|name| name == ".git") {
            return Ok(None);
        }
        for top in below.ancestors().skip(1) {
            if let Ok(inside) = snapshot.locate_absolute(top) {
                match Self::with_top(snapshot, &inside, None, trust)? {
                    Some(found) => return Ok(Some(found)),
                    None => continue,
                }
            }
            let Ok(root) = Root::open(top) else { continue };
            if !matches!(root.kind_below(Path::new(".git")), Ok(Some(_))) {
                continue;
            }
            let is_owned = |below: &str| root.is_own_below(Path::new(below)).unwrap_or(false);
            if !(is_owned("") && is_owned(".git")) {
                return Err(GitError::Owner { path: top.display().to_string() });
            }
            let Ok(path) = below.strip_prefix(top) else { continue };
            let path = RepoPath::from_path(path);
            let top = FilePath::from_root(&Arc::new(root));
            let part = Subfolder { folder: folder.clone(), path };
            if let Some(found) = Self::with_top(snapshot, &top, Some(part), trust)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The folder that results and changes are limited to: the top of the work tree, or the
    /// workspace's subfolder of it.
    #[must_use]
    pub fn folder(&self) -> &FilePath {
        self.subfolder.as_ref().map_or(&self.work_tree, |part| &part.folder)
    }

    /// The path of the work tree's top for messages, relative to the workspace's folder.
    #[must_use]
    pub fn display_path(&self) -> String {
        shown(&self.work_tree, self.subfolder.as_ref())
    }

    /// Whether a path of the work tree is in the workspace.
    #[must_use]
    pub fn contains(&self, path: &RepoPath) -> bool {
        self.subfolder.as_ref().is_none_or(|part| path.is_in(&part.path))
    }

    /// Limits a query's paths to those in the workspace. An empty list means all paths.
    ///
    /// # Errors
    /// When none of the requested paths is in the workspace.
    pub(crate) fn paths_in_workspace(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, GitError> {
        let scope = self.scope();
        let is_all = paths.is_empty() || paths.iter().any(|path| scope.is_in(path));
        let Some(part) = &self.subfolder else {
            return Ok(if is_all { Vec::new() } else { paths.to_vec() });
        };
        if is_all {
            return Ok(vec![scope]);
        }
        let within: Vec<RepoPath> =
            paths.iter().filter(|path| path.is_in(&part.path)).cloned().collect();
        match within.is_empty() {
            true => Err(self.escapes_workspace("the path")),
            false => Ok(within),
        }
    }

    /// The path that all results are below; empty if the whole work tree is in the workspace.
    pub(crate) fn scope(&self) -> RepoPath {
        self.subfolder.as_ref().map(|part| part.path.clone()).unwrap_or_default()
    }

    /// Rejects operations that change files anywhere in the work tree.
    ///
    /// # Errors
    /// When the workspace is only a subfolder of the repository.
    pub fn check_whole(&self) -> Result<(), GitError> {
        match &self.subfolder {
            Some(_) => Err(GitError::SubfolderOnly { path: self.display_path() }),
            None => Ok(()),
        }
    }

    /// The files above the workspace's folder that git may read.
    pub(crate) fn read_above(&self) -> Vec<PathBuf> {
        let Some(part) = &self.subfolder else { return Vec::new() };
        let top = self.work_tree.absolute();
        let mut read = vec![PathBuf::from(".git"), PathBuf::from(".gitmodules")];
        for folder in part.path.as_path().ancestors().skip(1) {
            read.extend(READ_ABOVE.iter().map(|name| folder.join(name)));
        }
        // A folder of such a name would be opened to reading with all its content.
        let is_file = |path: &PathBuf| {
            matches!(self.work_tree.root().kind_below(path), Ok(Some(FileKind::File)))
        };
        read.into_iter().filter(is_file).map(|path| top.join(path)).collect()
    }
}
