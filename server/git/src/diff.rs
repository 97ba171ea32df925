//! Differences: between commits, the index and the work tree, as text and in parts.

use git2::{
    AttrCheckFlags, AttrValue, Blob, Diff, DiffFindOptions, DiffOptions, Oid, Patch, Repository,
    SubmoduleIgnore, SubmoduleStatus, Tree,
};
use rustc_hash::FxHashSet;

use workspace::Budget;

use crate::look::Look;
use crate::patch::{FileDiff, LARGEST, of_delta, of_patch, options, prefixed, rewritten};
use crate::status::{Kind, changed};
use crate::unsaved::Unsaved;
use crate::{GitError, Repo, RepoPath};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// The index and the work tree: what is not staged.
    IndexAndWork,
    /// A tree and the index; by default the last commit's: what is staged.
    TreeAndIndex(Option<Oid>),
    /// A commit or tree, and the work tree.
    TreeAndWork(Oid),
    /// Two commits or trees; `None` is the empty one.
    Trees(Option<Oid>, Option<Oid>),
}

/// A difference that is asked for.
#[derive(Debug, Clone)]
pub struct DiffQuestion {
    /// What is compared.
    pub between: Between,
    /// Only what lies in one of these; everything without any.
    pub within: Vec<RepoPath>,
    /// Unchanged lines around each change.
    pub context: u32,
    /// Whether files that moved are told as such.
    pub renames: bool,
    /// Whether the words that changed within lines are told.
    pub words: bool,
}

/// The index's own mark of such files, git's `GIT_INDEX_ENTRY_INTENT_TO_ADD`.
pub(crate) const ANNOUNCED: u16 = 1 << 13;
/// And of files that a sparse work tree leaves out, `GIT_INDEX_ENTRY_SKIP_WORKTREE`.
pub(crate) const LEFT_OUT: u16 = 1 << 14;
/// The mode of a submodule.
const MODULE: u32 = 0o160_000;
/// Most files among which moved ones are looked for.
const MOST_RENAMES: usize = 1_000;

impl Repo {
    /// The files that differ, in order of paths, each given to `take` until it answers false.
    /// `wanted` says of which files: nothing is read of the others.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn diff(
        &self,
        question: &DiffQuestion,
        unsaved: &Unsaved,
        budget: &Budget<'_>,
        wanted: &mut dyn FnMut(&RepoPath) -> bool,
        take: &mut dyn FnMut(FileDiff) -> bool,
    ) -> Result<(), GitError> {
        let within = self.layout().within(&question.within)?;
        let question = &DiffQuestion { within, ..*question };
        let look = self.look_for(question, budget)?;
        let table = look.as_ref().map(|look| &look.table);
        let small = look.as_ref().and_then(|look| self.small(look));
        let diff = self.compare(question, look.as_ref(), small.as_ref(), budget)?;
        let announces =
            matches!(question.between, Between::IndexAndWork | Between::TreeAndIndex(_));
        let with_work = matches!(question.between, Between::IndexAndWork | Between::TreeAndWork(_));
        let mut open: Vec<(&RepoPath, &[u8])> = if with_work {
            unsaved.iter().filter(|(path, _)| is_within(question, path)).collect()
        } else {
            Vec::new()
        };
        open.reverse();
        let mut checked = FxHashSet::default();
        let count = diff.as_ref().map_or(0, |diff| diff.deltas().len());
        for number in 0..count {
            budget.check()?;
            let Some(diff) = &diff else { break };
            let Some(delta) = diff.get_delta(number) else { continue };
            let Some(mut kind) = Kind::of(delta.status()) else { continue };
            let type_of = |file: git2::DiffFile<'_>| u32::from(file.mode()) & 0o170_000;
            // Of what is staged and not staged together, libgit2 does not say so.
            if kind == Kind::Modified && type_of(delta.old_file()) != type_of(delta.new_file()) {
                kind = Kind::TypeChanged;
            }
            let changed = changed(&delta, kind);
            while let Some((path, bytes)) = open.pop_if(|(path, _)| **path < changed.path) {
                let file =
                    if wanted(path) { self.of_unsaved(question, path, bytes)? } else { None };
                if file.is_some_and(|file| !take(file)) {
                    return Ok(());
                }
            }
            self.check_above(&changed.path, &mut checked)?;
            let unsaved = open.pop_if(|(path, _)| **path == changed.path);
            if !wanted(&changed.path) || changed.from.as_ref().is_some_and(|from| !wanted(from)) {
                continue;
            }
            if with_work
                && kind == Kind::Deleted
                && table.is_some_and(|table| table.is_left_out(&changed.path))
            {
                continue;
            }
            // A file that is only announced has no content yet: all of it is new, and not staged.
            if announces
                && unsaved.is_none()
                && table.is_some_and(|table| table.is_announced(&changed.path))
            {
                if matches!(question.between, Between::TreeAndIndex(_)) {
                    continue;
                }
                if kind != Kind::Deleted {
                    let mode = u32::from(delta.new_file().mode());
                    let kept = self.kept_in_work_tree(&changed.path)?;
                    if !take(self.of_new(question, &changed.path, &kept, mode)?) {
                        return Ok(());
                    }
                    continue;
                }
            }
            let file = match unsaved {
                Some((path, bytes)) => self.of_unsaved(question, path, bytes)?,
                None if kind == Kind::TypeChanged => {
                    Some(self.of_other_kind(question, changed, &delta)?)
                }
                None => {
                    let is_module = u32::from(delta.new_file().mode()) == MODULE;
                    let is_same = delta.old_file().id() == delta.new_file().id();
                    let is_bare = with_work && is_module && !self.is_module_dirty(&changed.path);
                    if is_bare && is_same {
                        continue;
                    }
                    let mut file = of_delta(diff, number, changed, question.words)?;
                    if is_bare {
                        file.forget_dirt();
                    }
                    Some(file)
                }
            };
            if file.is_some_and(|file| !take(file)) {
                return Ok(());
            }
        }
        while let Some((path, bytes)) = open.pop() {
            let file = if wanted(path) { self.of_unsaved(question, path, bytes)? } else { None };
            if file.is_some_and(|file| !take(file)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The options for texts that libgit2 does not know the file of: what its attributes say.
    fn options_of(
        &self,
        question: &DiffQuestion,
        path: &RepoPath,
    ) -> Result<DiffOptions, GitError> {
        let mut options = options(question.context);
        let flags = AttrCheckFlags::FILE_THEN_INDEX | AttrCheckFlags::NO_SYSTEM;
        let value = self.git.get_attr_bytes(path.path(), "diff", flags)?;
        match AttrValue::from_bytes(value) {
            AttrValue::False => drop(options.force_binary(true)),
            AttrValue::True => drop(options.force_text(true)),
            _ => {}
        }
        Ok(options)
    }

    /// Whether files that a repository within knows have changed: as git, what it does not know is
    /// no difference.
    fn is_module_dirty(&self, path: &RepoPath) -> bool {
        let Some(name) = path.path().to_str() else { return true };
        let dirty = SubmoduleStatus::WD_INDEX_MODIFIED | SubmoduleStatus::WD_WD_MODIFIED;
        let status = self.git.submodule_status(name, SubmoduleIgnore::Untracked);
        status.map_or(true, |status| status.intersects(dirty))
    }

    /// What a file of the work tree holds, as git would keep it.
    pub(crate) fn kept_in_work_tree(&self, path: &RepoPath) -> Result<Vec<u8>, GitError> {
        let Some(file) = self.layout().file(path) else { return Ok(Vec::new()) };
        let io = |error: workspace::FileError| GitError::Io { what: error.to_string() };
        if let Some(target) = file.root().link_below(file.relative()).map_err(io)? {
            return Ok(target);
        }
        let bytes = file.root().read_below(file.relative(), LARGEST.unsigned_abs()).map_err(io)?;
        Ok(self.kept_of(path, &bytes.unwrap_or_default(), None)?.0)
    }

    /// One side of a file: the object's bytes, or the work tree's where it has none.
    fn side(&self, path: &RepoPath, file: &git2::DiffFile<'_>) -> Result<Vec<u8>, GitError> {
        if u32::from(file.mode()) == MODULE {
            return Ok(format!("Subproject commit {}\n", file.id()).into_bytes());
        }
        match self.find_blob(file.id()) {
            Ok(blob) => Ok(blob.content().to_vec()),
            Err(error @ GitError::TooLarge { .. }) => Err(error),
            Err(_) => self.kept_in_work_tree(path),
        }
    }

    /// A file that became a link, or the like: as git tells it, one that went and one that came.
    fn of_other_kind(
        &self,
        question: &DiffQuestion,
        changed: crate::Changed,
        delta: &git2::DiffDelta<'_>,
    ) -> Result<FileDiff, GitError> {
        let path = &changed.path;
        let (old, new) = (delta.old_file(), delta.new_file());
        let (old_mode, new_mode) = (u32::from(old.mode()), u32::from(new.mode()));
        let mut gone = self.of_gone(question, path, &self.side(path, &old)?, old_mode)?;
        let mut come = self.of_new(question, path, &self.side(path, &new)?, new_mode)?;
        gone.text.append(&mut come.text);
        gone.hunks.append(&mut come.hunks);
        Ok(FileDiff {
            modes: (old_mode, new_mode),
            is_binary: gone.is_binary || come.is_binary,
            lines: (come.lines.0, gone.lines.1),
            hunks: gone.hunks,
            text: gone.text,
            changed,
        })
    }

    /// A file of which nothing is left.
    fn of_gone(
        &self,
        question: &DiffQuestion,
        path: &RepoPath,
        kept: &[u8],
        mode: u32,
    ) -> Result<FileDiff, GitError> {
        let changed = crate::Changed { path: path.clone(), kind: Kind::Deleted, from: None };
        let mut options = self.options_of(question, path)?;
        let empty: &[u8] = &[];
        let place = Some(path.path());
        let patch = Patch::from_buffers(kept, place, empty, place, Some(&mut options))?;
        let file = of_patch(patch, changed, false)?;
        let (a, b) = (prefixed(path, "a/"), prefixed(path, "b/"));
        let head = format!("diff --git {a} {b}\ndeleted file mode {mode:06o}\n");
        let names = (a.as_str(), "/dev/null");
        Ok(FileDiff { modes: (mode, 0), text: rewritten(head, names, path, &file), ..file })
    }

    /// A file of which there was nothing.
    fn of_new(
        &self,
        question: &DiffQuestion,
        path: &RepoPath,
        kept: &[u8],
        mode: u32,
    ) -> Result<FileDiff, GitError> {
        let changed = crate::Changed { path: path.clone(), kind: Kind::Added, from: None };
        let mut options = self.options_of(question, path)?;
        let empty: &[u8] = &[];
        let place = Some(path.path());
        let patch = Patch::from_buffers(empty, place, kept, place, Some(&mut options))?;
        let mut file = of_patch(patch, changed, question.words)?;
        file.modes = (0, mode);
        let (a, b) = (prefixed(path, "a/"), prefixed(path, "b/"));
        let head = format!("diff --git {a} {b}\nnew file mode {mode:06o}\n");
        file.text = rewritten(head, ("/dev/null", &b), path, &file);
        Ok(file)
    }

    /// A look at the index, where it takes part; and at what may differ from it, where all of the
    /// work tree does.
    fn look_for(
        &self,
        question: &DiffQuestion,
        budget: &Budget<'_>,
    ) -> Result<Option<Look>, GitError> {
        let scope = self.layout().scope();
        let is_all = question.within.is_empty() || question.within.contains(&scope);
        Ok(Some(match question.between {
            Between::Trees(..) => return Ok(None),
            Between::IndexAndWork if is_all => self.look(&scope, budget)?,
            Between::TreeAndWork(tree) if is_all => {
                let look = self.look_at_index(&[RepoPath::default()])?;
                let tree = self.tree(tree)?.id();
                match look.table.tree == Some(tree) {
                    true => self.look(&scope, budget)?,
                    false => look,
                }
            }
            Between::TreeAndIndex(_) => self.look_at_index(&[])?,
            _ => self.look_at_index(&question.within)?,
        }))
    }

    /// libgit2's answer, without what is not saved; `None` where nothing differs.
    fn compare<'g>(
        &'g self,
        question: &DiffQuestion,
        look: Option<&Look>,
        small: Option<&'g Repository>,
        budget: &Budget<'_>,
    ) -> Result<Option<Diff<'g>>, GitError> {
        let mut options = options(question.context);
        let differing = look.and_then(|look| look.differing.as_deref());
        // Without any, every file would be looked at again.
        if differing.is_some_and(<[RepoPath]>::is_empty) {
            return Ok(None);
        }
        for path in differing.unwrap_or(&question.within) {
            options.pathspec(path.path());
        }
        let git = small.unwrap_or(&self.git);
        let mut diff = match question.between {
            Between::IndexAndWork => git.diff_index_to_workdir(None, Some(&mut options))?,
            Between::TreeAndIndex(tree) => {
                let tree = match tree {
                    Some(tree) => Some(self.tree(tree)?),
                    None => self.head_tree()?,
                };
                self.check_tree(tree.as_ref(), budget)?;
                git.diff_tree_to_index(tree.as_ref(), None, Some(&mut options))?
            }
            // What differs was looked for: the index is the tree's.
            Between::TreeAndWork(_) if differing.is_some() => {
                git.diff_index_to_workdir(None, Some(&mut options))?
            }
            Between::TreeAndWork(tree) => {
                let tree = self.tree(tree)?;
                self.check_tree(Some(&tree), budget)?;
                git.diff_tree_to_workdir_with_index(Some(&tree), Some(&mut options))?
            }
            Between::Trees(old, new) => {
                let old = old.map(|old| self.tree(old)).transpose()?;
                let new = new.map(|new| self.tree(new)).transpose()?;
                self.check_trees(old.as_ref(), new.as_ref(), budget)?;
                git.diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut options))?
            }
        };
        if question.renames {
            diff.find_similar(Some(&mut find_options()))?;
        }
        Ok(Some(diff))
    }

    /// The tree of the last commit; `None` where there is none yet.
    pub(crate) fn head_tree(&self) -> Result<Option<Tree<'_>>, GitError> {
        match self.git.head() {
            Ok(head) => Ok(Some(head.peel_to_tree()?)),
            Err(error) if crate::status::is_absent(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The tree that an object is, or has.
    pub(crate) fn tree(&self, id: Oid) -> Result<Tree<'_>, GitError> {
        Ok(self.git.find_object(id, None)?.peel_to_tree()?)
    }

    fn of_unsaved(
        &self,
        question: &DiffQuestion,
        path: &RepoPath,
        bytes: &[u8],
    ) -> Result<Option<FileDiff>, GitError> {
        let index = self.index()?;
        let indexed = index.get_path(path.path(), 0);
        let before = match question.between {
            Between::TreeAndWork(tree) => {
                let entry = self.tree(tree)?.get_path(path.path());
                entry.ok().map(|entry| (entry.id(), entry.filemode().cast_unsigned()))
            }
            _ => indexed.as_ref().map(|entry| (entry.id, entry.mode)),
        };
        // What git does not know is not told of, open or not.
        if indexed.is_none() && before.is_none() {
            return Ok(None);
        }
        let (kept, id) = self.kept_of(path, bytes, before.map(|(id, _)| id))?;
        if before.is_some_and(|(before, _)| before == id) {
            return Ok(None);
        }
        let Some((before, mode)) = before else {
            return self.of_new(question, path, &kept, 0o100_644).map(Some);
        };
        let blob: Blob<'_> = self.find_blob(before)?;
        let mut options = self.options_of(question, path)?;
        let place = Some(path.path());
        let patch = Patch::from_blob_and_buffer(&blob, place, &kept, place, Some(&mut options))?;
        let changed = crate::Changed { path: path.clone(), kind: Kind::Modified, from: None };
        let mut file = of_patch(patch, changed, question.words)?;
        file.modes = (mode, mode);
        Ok(Some(file))
    }
}

fn is_within(question: &DiffQuestion, path: &RepoPath) -> bool {
    question.within.is_empty() || question.within.iter().any(|folder| path.is_in(folder))
}

pub(crate) fn find_options() -> DiffFindOptions {
    let mut find = DiffFindOptions::new();
    find.renames(true).rename_threshold(50).rename_limit(MOST_RENAMES);
    find
}
