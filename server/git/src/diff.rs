//! Diffs between commits, the index and the work tree, as text and in parts.

use git2::{
    AttrCheckFlags, AttrValue, Blob, Diff, DiffFindOptions, Oid, Patch, Repository,
    SubmoduleIgnore, SubmoduleStatus, Tree,
};
use rustc_hash::FxHashSet;

use workspace::CallBudget;

use crate::file_change::ChangeKind;
use crate::limits::{MAX_DIFF_TEXT_SIZE, MAX_RENAME_FILES};
use crate::patch::{
    FileDiff, diff_of_delta, diff_of_patch, diff_options, quoted_name, with_header,
};
use crate::status::changed_file;
use crate::status_cache::WorkTreeScan;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

/// The two sides of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The index and the work tree: unstaged changes.
    IndexToWorkTree,
    /// A tree and the index: staged changes. `None` is the last commit's tree.
    TreeToIndex(Option<Oid>),
    /// A commit or tree, and the work tree.
    TreeToWorkTree(Oid),
    /// Two commits or trees; `None` is the empty tree.
    TreeToTree(Option<Oid>, Option<Oid>),
}

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// The two sides.
    pub comparison: Comparison,
    /// Only paths in these files and folders; empty means everything.
    pub paths: Vec<RepoPath>,
    /// Context lines around each change.
    pub context: u32,
    /// Whether to detect renames.
    pub renames: bool,
    /// Whether to mark the changed words within lines.
    pub intraline: bool,
}

/// Mode of a submodule.
const SUBMODULE_MODE: u32 = 0o160_000;

impl Repo {
    /// Passes each changed file to `visit`, sorted by path, until it returns false. Files that
    /// `wanted` rejects are not read.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn diff(
        &self,
        options: &DiffOptions,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
        wanted: &mut dyn FnMut(&RepoPath) -> bool,
        visit: &mut dyn FnMut(FileDiff) -> bool,
    ) -> Result<(), GitError> {
        let within = self.layout().paths_in_workspace(&options.paths)?;
        let options = &DiffOptions { paths: within, ..*options };
        let scan = self.scan_for(options, budget)?;
        let index = scan.as_ref().map(|scan| &scan.index);
        let reduced = scan.as_ref().and_then(|scan| self.reduced_repository(scan));
        let diff = self.raw_diff(options, scan.as_ref(), reduced.as_ref(), budget)?;
        let involves_index =
            matches!(options.comparison, Comparison::IndexToWorkTree | Comparison::TreeToIndex(_));
        let involves_work_tree = matches!(
            options.comparison,
            Comparison::IndexToWorkTree | Comparison::TreeToWorkTree(_)
        );
        // libgit2 does not know unsaved text: its files are compared here, and merged into libgit2's
        // deltas by path. Reversed, so that `pop` returns them in order.
        let mut unsaved_files: Vec<(&RepoPath, &[u8])> = if involves_work_tree {
            unsaved.iter().filter(|(path, _)| is_within(options, path)).collect()
        } else {
            Vec::new()
        };
        unsaved_files.reverse();
        let mut checked = FxHashSet::default();
        let count = diff.as_ref().map_or(0, |diff| diff.deltas().len());
        for number in 0..count {
            budget.check()?;
            let Some(diff) = &diff else { break };
            let Some(delta) = diff.get_delta(number) else { continue };
            let Some(mut kind) = ChangeKind::from_delta(delta.status()) else { continue };
            let type_of = |file: git2::DiffFile<'_>| u32::from(file.mode()) & 0o170_000;
            // In a diff against both index and work tree, libgit2 reports a type change as a
            // modification.
            if kind == ChangeKind::Modified
                && type_of(delta.old_file()) != type_of(delta.new_file())
            {
                kind = ChangeKind::TypeChanged;
            }
            let changed = changed_file(&delta, kind);
            while let Some((path, bytes)) = unsaved_files.pop_if(|(path, _)| **path < changed.path)
            {
                let file =
                    if wanted(path) { self.diff_of_unsaved(options, path, bytes)? } else { None };
                if file.is_some_and(|file| !visit(file)) {
                    return Ok(());
                }
            }
            self.check_above(&changed.path, &mut checked)?;
            let unsaved = unsaved_files.pop_if(|(path, _)| **path == changed.path);
            if !wanted(&changed.path) || changed.old_path.as_ref().is_some_and(|from| !wanted(from))
            {
                continue;
            }
            if involves_work_tree
                && kind == ChangeKind::Deleted
                && index.is_some_and(|index| index.is_skip_worktree(&changed.path))
            {
                continue;
            }
            // An intent-to-add file has no content in the index yet: all of it is new, and
            // unstaged.
            if involves_index
                && unsaved.is_none()
                && index.is_some_and(|index| index.is_intent_to_add(&changed.path))
            {
                if matches!(options.comparison, Comparison::TreeToIndex(_)) {
                    continue;
                }
                if kind != ChangeKind::Deleted {
                    let mode = u32::from(delta.new_file().mode());
                    let content = self.work_tree_as_blob(&changed.path)?;
                    if !visit(self.diff_of_added(options, &changed.path, &content, mode)?) {
                        return Ok(());
                    }
                    continue;
                }
            }
            let file = match unsaved {
                Some((path, bytes)) => self.diff_of_unsaved(options, path, bytes)?,
                None if kind == ChangeKind::TypeChanged => {
                    Some(self.diff_of_type_change(options, changed, &delta)?)
                }
                None => {
                    let is_submodule = u32::from(delta.new_file().mode()) == SUBMODULE_MODE;
                    let is_same = delta.old_file().id() == delta.new_file().id();
                    let is_clean_submodule = involves_work_tree
                        && is_submodule
                        && !self.is_submodule_dirty(&changed.path);
                    // libgit2 reports it because of untracked files; git does not.
                    if is_clean_submodule && is_same {
                        continue;
                    }
                    let mut file = diff_of_delta(diff, number, changed, options.intraline)?;
                    if is_clean_submodule {
                        file.remove_dirty_suffix();
                    }
                    Some(file)
                }
            };
            if file.is_some_and(|file| !visit(file)) {
                return Ok(());
            }
        }
        while let Some((path, bytes)) = unsaved_files.pop() {
            let file =
                if wanted(path) { self.diff_of_unsaved(options, path, bytes)? } else { None };
            if file.is_some_and(|file| !visit(file)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Diff options for buffers, for which libgit2 does not look up the `diff` attribute itself.
    fn buffer_options(
        &self,
        options: &DiffOptions,
        path: &RepoPath,
    ) -> Result<git2::DiffOptions, GitError> {
        let mut git_options = diff_options(options.context);
        let flags = AttrCheckFlags::FILE_THEN_INDEX | AttrCheckFlags::NO_SYSTEM;
        let value = self.git.get_attr_bytes(path.as_path(), "diff", flags)?;
        match AttrValue::from_bytes(value) {
            AttrValue::False => drop(git_options.force_binary(true)),
            AttrValue::True => drop(git_options.force_text(true)),
            _ => {}
        }
        Ok(git_options)
    }

    /// Whether tracked files of a submodule have changed. As in git, untracked files do not count.
    fn is_submodule_dirty(&self, path: &RepoPath) -> bool {
        let Some(name) = path.as_path().to_str() else { return true };
        let dirty = SubmoduleStatus::WD_INDEX_MODIFIED | SubmoduleStatus::WD_WD_MODIFIED;
        let status = self.git.submodule_status(name, SubmoduleIgnore::Untracked);
        status.map_or(true, |status| status.intersects(dirty))
    }

    /// The blob content that git would store for a file of the work tree.
    pub(crate) fn work_tree_as_blob(&self, path: &RepoPath) -> Result<Vec<u8>, GitError> {
        let Some(file) = self.layout().file(path) else { return Ok(Vec::new()) };
        let io = |error: workspace::FileError| GitError::Io { what: error.to_string() };
        if let Some(target) = file.root().link_below(file.relative()).map_err(io)? {
            return Ok(target);
        }
        let bytes = file
            .root()
            .read_below(file.relative(), MAX_DIFF_TEXT_SIZE.unsigned_abs())
            .map_err(io)?;
        Ok(self.to_git_blob(path, &bytes.unwrap_or_default(), None)?.0)
    }

    /// One side of a diff: the blob's content, or the work tree file's if there is no blob.
    fn side_content(
        &self,
        path: &RepoPath,
        file: &git2::DiffFile<'_>,
    ) -> Result<Vec<u8>, GitError> {
        if u32::from(file.mode()) == SUBMODULE_MODE {
            return Ok(format!("Subproject commit {}\n", file.id()).into_bytes());
        }
        match self.find_blob(file.id()) {
            Ok(blob) => Ok(blob.content().to_vec()),
            Err(error @ GitError::TooLarge { .. }) => Err(error),
            Err(_) => self.work_tree_as_blob(path),
        }
    }

    /// A file that changed its type, for instance to a link: a deletion and an addition, as in `git
    /// diff`.
    fn diff_of_type_change(
        &self,
        options: &DiffOptions,
        changed: crate::FileChange,
        delta: &git2::DiffDelta<'_>,
    ) -> Result<FileDiff, GitError> {
        let path = &changed.path;
        let (old, new) = (delta.old_file(), delta.new_file());
        let (old_mode, new_mode) = (u32::from(old.mode()), u32::from(new.mode()));
        let mut deleted =
            self.diff_of_deleted(options, path, &self.side_content(path, &old)?, old_mode)?;
        let mut added =
            self.diff_of_added(options, path, &self.side_content(path, &new)?, new_mode)?;
        deleted.text.append(&mut added.text);
        deleted.hunks.append(&mut added.hunks);
        Ok(FileDiff {
            modes: (old_mode, new_mode),
            is_binary: deleted.is_binary || added.is_binary,
            lines: (added.lines.0, deleted.lines.1),
            hunks: deleted.hunks,
            text: deleted.text,
            changed,
        })
    }

    /// The diff of a deleted file.
    fn diff_of_deleted(
        &self,
        options: &DiffOptions,
        path: &RepoPath,
        content: &[u8],
        mode: u32,
    ) -> Result<FileDiff, GitError> {
        let changed =
            crate::FileChange { path: path.clone(), kind: ChangeKind::Deleted, old_path: None };
        let mut git_options = self.buffer_options(options, path)?;
        let empty: &[u8] = &[];
        let name = Some(path.as_path());
        let patch = Patch::from_buffers(content, name, empty, name, Some(&mut git_options))?;
        let file = diff_of_patch(patch, changed, false)?;
        let (a, b) = (quoted_name(path, "a/"), quoted_name(path, "b/"));
        let head = format!("diff --git {a} {b}\ndeleted file mode {mode:06o}\n");
        let names = (a.as_str(), "/dev/null");
        Ok(FileDiff { modes: (mode, 0), text: with_header(head, names, path, &file), ..file })
    }

    /// The diff of an added file.
    fn diff_of_added(
        &self,
        options: &DiffOptions,
        path: &RepoPath,
        content: &[u8],
        mode: u32,
    ) -> Result<FileDiff, GitError> {
        let changed =
            crate::FileChange { path: path.clone(), kind: ChangeKind::Added, old_path: None };
        let mut git_options = self.buffer_options(options, path)?;
        let empty: &[u8] = &[];
        let name = Some(path.as_path());
        let patch = Patch::from_buffers(empty, name, content, name, Some(&mut git_options))?;
        let mut file = diff_of_patch(patch, changed, options.intraline)?;
        file.modes = (0, mode);
        let (a, b) = (quoted_name(path, "a/"), quoted_name(path, "b/"));
        let head = format!("diff --git {a} {b}\nnew file mode {mode:06o}\n");
        file.text = with_header(head, ("/dev/null", &b), path, &file);
        Ok(file)
    }

    /// Reads the index if it takes part in the comparison, and finds candidates if the whole work
    /// tree does.
    fn scan_for(
        &self,
        options: &DiffOptions,
        budget: &CallBudget<'_>,
    ) -> Result<Option<WorkTreeScan>, GitError> {
        let scope = self.layout().scope();
        let is_all = options.paths.is_empty() || options.paths.contains(&scope);
        Ok(Some(match options.comparison {
            Comparison::TreeToTree(..) => return Ok(None),
            Comparison::IndexToWorkTree if is_all => self.scan_work_tree(&scope, budget)?,
            Comparison::TreeToWorkTree(tree) if is_all => {
                let scan = self.index_scan(&[RepoPath::default()])?;
                let tree = self.tree(tree)?.id();
                match scan.index.tree == Some(tree) {
                    true => self.scan_work_tree(&scope, budget)?,
                    false => scan,
                }
            }
            Comparison::TreeToIndex(_) => self.index_scan(&[])?,
            _ => self.index_scan(&options.paths)?,
        }))
    }

    /// libgit2's diff, without unsaved documents; `None` if nothing differs.
    fn raw_diff<'g>(
        &'g self,
        options: &DiffOptions,
        scan: Option<&WorkTreeScan>,
        reduced: Option<&'g Repository>,
        budget: &CallBudget<'_>,
    ) -> Result<Option<Diff<'g>>, GitError> {
        let mut git_options = diff_options(options.context);
        let candidates = scan.and_then(|scan| scan.candidates.as_deref());
        // An empty list must not reach libgit2: it would compare every file.
        if candidates.is_some_and(<[RepoPath]>::is_empty) {
            return Ok(None);
        }
        for path in candidates.unwrap_or(&options.paths) {
            git_options.pathspec(path.as_path());
        }
        let git = reduced.unwrap_or(&self.git);
        let mut diff = match options.comparison {
            Comparison::IndexToWorkTree => {
                git.diff_index_to_workdir(None, Some(&mut git_options))?
            }
            Comparison::TreeToIndex(tree) => {
                let tree = match tree {
                    Some(tree) => Some(self.tree(tree)?),
                    None => self.head_tree()?,
                };
                self.check_tree(tree.as_ref(), budget)?;
                git.diff_tree_to_index(tree.as_ref(), None, Some(&mut git_options))?
            }
            // Candidates are known only if the index is the same as the tree.
            Comparison::TreeToWorkTree(_) if candidates.is_some() => {
                git.diff_index_to_workdir(None, Some(&mut git_options))?
            }
            Comparison::TreeToWorkTree(tree) => {
                let tree = self.tree(tree)?;
                self.check_tree(Some(&tree), budget)?;
                git.diff_tree_to_workdir_with_index(Some(&tree), Some(&mut git_options))?
            }
            Comparison::TreeToTree(old, new) => {
                let old = old.map(|old| self.tree(old)).transpose()?;
                let new = new.map(|new| self.tree(new)).transpose()?;
                self.check_trees(old.as_ref(), new.as_ref(), budget)?;
                git.diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut git_options))?
            }
        };
        if options.renames {
            diff.find_similar(Some(&mut rename_options()))?;
        }
        Ok(Some(diff))
    }

    /// The tree of the last commit; `None` before the first one.
    pub(crate) fn head_tree(&self) -> Result<Option<Tree<'_>>, GitError> {
        match self.git.head() {
            Ok(head) => Ok(Some(head.peel_to_tree()?)),
            Err(error) if crate::status::is_absent(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Resolves a commit or tree to its tree.
    pub(crate) fn tree(&self, id: Oid) -> Result<Tree<'_>, GitError> {
        Ok(self.git.find_object(id, None)?.peel_to_tree()?)
    }

    fn diff_of_unsaved(
        &self,
        options: &DiffOptions,
        path: &RepoPath,
        bytes: &[u8],
    ) -> Result<Option<FileDiff>, GitError> {
        let index = self.index()?;
        let indexed = index.get_path(path.as_path(), 0);
        let before = match options.comparison {
            Comparison::TreeToWorkTree(tree) => {
                let entry = self.tree(tree)?.get_path(path.as_path());
                entry.ok().map(|entry| (entry.id(), entry.filemode().cast_unsigned()))
            }
            _ => indexed.as_ref().map(|entry| (entry.id, entry.mode)),
        };
        // An untracked file is not part of a diff, whether it is open or not.
        if indexed.is_none() && before.is_none() {
            return Ok(None);
        }
        let (content, id) = self.to_git_blob(path, bytes, before.map(|(id, _)| id))?;
        if before.is_some_and(|(before, _)| before == id) {
            return Ok(None);
        }
        let Some((before, mode)) = before else {
            return self.diff_of_added(options, path, &content, 0o100_644).map(Some);
        };
        let blob: Blob<'_> = self.find_blob(before)?;
        let mut git_options = self.buffer_options(options, path)?;
        let name = Some(path.as_path());
        let patch =
            Patch::from_blob_and_buffer(&blob, name, &content, name, Some(&mut git_options))?;
        let changed =
            crate::FileChange { path: path.clone(), kind: ChangeKind::Modified, old_path: None };
        let mut file = diff_of_patch(patch, changed, options.intraline)?;
        file.modes = (mode, mode);
        Ok(Some(file))
    }
}

fn is_within(options: &DiffOptions, path: &RepoPath) -> bool {
    options.paths.is_empty() || options.paths.iter().any(|folder| path.is_in(folder))
}

pub(crate) fn rename_options() -> DiffFindOptions {
    let mut find = DiffFindOptions::new();
    find.renames(true).rename_threshold(50).rename_limit(MAX_RENAME_FILES);
    find
}
