//! A workspace that is a part of a repository: the work tree's top lies above its folder.
//!
//! The folders above are the person's own, or nothing there is looked at. Of them git is shown their
//! names and what says which files it ignores and converts, and no other file. What is told and
//! changed are the files of the workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use workspace::{FileKind, FilePath, Root, Snapshot};

use crate::{GitError, Layout, RepoPath, Trust};

/// The files of a repository that are the workspace's.
#[derive(Debug, Clone)]
pub struct Part {
    /// The workspace's folder.
    pub folder: FilePath,
    /// Its path from the top of the work tree.
    pub path: RepoPath,
}

/// How the top of a work tree is shown.
pub(crate) fn shown(top: &FilePath, part: Option<&Part>) -> String {
    match part {
        Some(part) => vec![".."; part.path.path().components().count()].join("/"),
        None => top.shown(),
    }
}

/// What git reads of the folders above.
const READ_ABOVE: &[&str] = &[".gitignore", ".gitattributes"];

impl Layout {
    /// The repository above the workspace's folder `folder` that holds it.
    pub(crate) fn above(
        seen: &Snapshot,
        folder: &FilePath,
        trust: Trust,
    ) -> Result<Option<Self>, GitError> {
        let below = folder.absolute();
        // What lies in a git folder is no work tree.
        if folder.is_in_library() || below.iter().any(|name| name == ".git") {
            return Ok(None);
        }
        for top in below.ancestors().skip(1) {
            if let Ok(inside) = seen.locate_absolute(top) {
                match Self::at(seen, &inside, None, trust)? {
                    Some(found) => return Ok(Some(found)),
                    None => continue,
                }
            }
            let Ok(root) = Root::open(top) else { continue };
            if !matches!(root.kind_below(Path::new(".git")), Ok(Some(_))) {
                continue;
            }
            let owned = |below: &str| root.is_own_below(Path::new(below)).unwrap_or(false);
            if !(owned("") && owned(".git")) {
                return Err(GitError::Owner { path: top.display().to_string() });
            }
            let Ok(path) = below.strip_prefix(top) else { continue };
            let path = RepoPath::of(path);
            let top = FilePath::of_root(&Arc::new(root));
            let part = Part { folder: folder.clone(), path };
            if let Some(found) = Self::at(seen, &top, Some(part), trust)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The folder whose files are told and changed: the top of the work tree, or as much of it as
    /// is the workspace's.
    #[must_use]
    pub fn folder(&self) -> &FilePath {
        self.part.as_ref().map_or(&self.work_tree, |part| &part.folder)
    }

    /// How the top of the work tree is shown: relative to the workspace's folder.
    #[must_use]
    pub fn shown(&self) -> String {
        shown(&self.work_tree, self.part.as_ref())
    }

    /// Whether a path of the work tree is the workspace's.
    #[must_use]
    pub fn holds(&self, path: &RepoPath) -> bool {
        self.part.as_ref().is_none_or(|part| path.is_in(&part.path))
    }

    /// A question's paths, without what is not the workspace's; none stand for all.
    ///
    /// # Errors
    /// When nothing of what is asked for is.
    pub(crate) fn within(&self, asked: &[RepoPath]) -> Result<Vec<RepoPath>, GitError> {
        let scope = self.scope();
        let is_all = asked.is_empty() || asked.iter().any(|path| scope.is_in(path));
        let Some(part) = &self.part else {
            return Ok(if is_all { Vec::new() } else { asked.to_vec() });
        };
        if is_all {
            return Ok(vec![scope]);
        }
        let within: Vec<RepoPath> =
            asked.iter().filter(|path| path.is_in(&part.path)).cloned().collect();
        match within.is_empty() {
            true => Err(self.leads_out("what is asked for")),
            false => Ok(within),
        }
    }

    /// The path below which everything lies that may be told.
    pub(crate) fn scope(&self) -> RepoPath {
        self.part.as_ref().map(|part| part.path.clone()).unwrap_or_default()
    }

    /// # Errors
    /// When the workspace is a part of the repository only: for what changes files anywhere in it.
    pub fn check_whole(&self) -> Result<(), GitError> {
        match &self.part {
            Some(_) => Err(GitError::Part { path: self.shown() }),
            None => Ok(()),
        }
    }

    /// The files above the workspace's folder that git is to read.
    pub(crate) fn read_above(&self) -> Vec<PathBuf> {
        let Some(part) = &self.part else { return Vec::new() };
        let top = self.work_tree.absolute();
        let mut read = vec![PathBuf::from(".git"), PathBuf::from(".gitmodules")];
        for folder in part.path.path().ancestors().skip(1) {
            read.extend(READ_ABOVE.iter().map(|name| folder.join(name)));
        }
        // A folder of such a name would be read with all that is in it.
        let is_file = |path: &PathBuf| {
            matches!(self.work_tree.root().kind_below(path), Ok(Some(FileKind::File)))
        };
        read.into_iter().filter(is_file).map(|path| top.join(path)).collect()
    }
}
