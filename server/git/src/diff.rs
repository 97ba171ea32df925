//! Differences: between commits, the index and the work tree, as text and in parts.

use git2::{Blob, Diff, DiffFindOptions, DiffOptions, Oid, Patch, Tree};

use crate::scan::Marks;
use crate::status::{Kind, changed};
use crate::unsaved::Unsaved;
use crate::words::{self, Spans};
use crate::{GitError, Interrupt, Repo, RepoPath};

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

/// How one file differs.
#[derive(Debug, Clone)]
pub struct FileDiff {
    /// Its path, what became of it, and its path before.
    pub changed: crate::Changed,
    /// Its modes before and after, as git writes them; 0 where it is not.
    pub modes: (u32, u32),
    /// Whether it is told as bytes.
    pub is_binary: bool,
    /// Lines added and removed.
    pub lines: (usize, usize),
    /// The changes, in order.
    pub hunks: Vec<Hunk>,
    /// The difference as `git diff` writes it.
    pub text: Vec<u8>,
}

/// One place where a file differs. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Its first line before, and how many.
    pub old: (u32, u32),
    /// Its first line after, and how many.
    pub new: (u32, u32),
    /// The line that begins it, `@@ … @@` and what follows.
    pub header: Vec<u8>,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// ` `, `+` or `-`.
    pub origin: char,
    /// Its number before.
    pub old: Option<u32>,
    /// Its number after.
    pub new: Option<u32>,
    /// Its bytes, with the line end that it has.
    pub content: Vec<u8>,
    /// The bytes of it that its counterpart has not.
    pub changed: Spans,
}

/// Most lines of one file's difference that are told in parts.
const MOST_LINES: usize = 50_000;
/// The largest file that is compared as text, in bytes.
const LARGEST: i64 = 64 << 20;
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
        interrupt: Interrupt<'_>,
        wanted: &mut dyn FnMut(&RepoPath) -> bool,
        take: &mut dyn FnMut(FileDiff) -> bool,
    ) -> Result<(), GitError> {
        let within = self.layout().within(&question.within)?;
        let question = &DiffQuestion { within, ..*question };
        let entries = match question.between {
            Between::Trees(..) => Vec::new(),
            _ => self.entries()?,
        };
        let marks = Marks::of(&entries);
        let diff = self.compare(question, &entries)?;
        let announces =
            matches!(question.between, Between::IndexAndWork | Between::TreeAndIndex(_));
        let with_work = matches!(question.between, Between::IndexAndWork | Between::TreeAndWork(_));
        let mut open: Vec<(&RepoPath, &[u8])> = if with_work {
            unsaved.iter().filter(|(path, _)| is_within(question, path)).collect()
        } else {
            Vec::new()
        };
        open.reverse();
        let count = diff.as_ref().map_or(0, |diff| diff.deltas().len());
        for number in 0..count {
            interrupt.check()?;
            let Some(diff) = &diff else { break };
            let Some(delta) = diff.get_delta(number) else { continue };
            let Some(kind) = Kind::of(delta.status()) else { continue };
            let changed = changed(&delta, kind);
            while let Some((path, bytes)) = open.pop_if(|(path, _)| **path < changed.path) {
                let file =
                    if wanted(path) { self.of_unsaved(question, path, bytes)? } else { None };
                if file.is_some_and(|file| !take(file)) {
                    return Ok(());
                }
            }
            let unsaved = open.pop_if(|(path, _)| **path == changed.path);
            if !wanted(&changed.path) || changed.from.as_ref().is_some_and(|from| !wanted(from)) {
                continue;
            }
            if with_work && kind == Kind::Deleted && marks.left_out.contains(&changed.path) {
                continue;
            }
            // A file that is only announced has no content yet: all of it is new, and not staged.
            if announces && marks.announced.contains(&changed.path) && unsaved.is_none() {
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
                None => Some(of_delta(diff, number, changed, question.words)?),
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
        match self.git.find_blob(file.id()) {
            Ok(blob) => Ok(blob.content().to_vec()),
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
        let mut options = options(question.context);
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
        let mut options = options(question.context);
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

    /// libgit2's answer, without what is not saved; `None` where nothing differs.
    fn compare(
        &self,
        question: &DiffQuestion,
        entries: &[git2::IndexEntry],
    ) -> Result<Option<Diff<'_>>, GitError> {
        let mut options = options(question.context);
        let scope = self.layout().scope();
        let is_all = question.within.is_empty() || question.within.contains(&scope);
        let differing = match question.between {
            Between::IndexAndWork if is_all => self.may_differ(entries, &scope),
            _ => None,
        };
        if let Some(paths) = differing {
            // Without any, every file would be looked at again.
            if paths.is_empty() {
                return Ok(None);
            }
            for path in &paths {
                options.pathspec(path.path());
            }
        } else {
            for path in &question.within {
                options.pathspec(path.path());
            }
        }
        let git = &self.git;
        let mut diff = match question.between {
            Between::IndexAndWork => git.diff_index_to_workdir(None, Some(&mut options))?,
            Between::TreeAndIndex(tree) => {
                let tree = match tree {
                    Some(tree) => Some(self.tree(tree)?),
                    None => self.head_tree()?,
                };
                git.diff_tree_to_index(tree.as_ref(), None, Some(&mut options))?
            }
            Between::TreeAndWork(tree) => {
                let tree = self.tree(tree)?;
                git.diff_tree_to_workdir_with_index(Some(&tree), Some(&mut options))?
            }
            Between::Trees(old, new) => {
                let old = old.map(|old| self.tree(old)).transpose()?;
                let new = new.map(|new| self.tree(new)).transpose()?;
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
        let blob: Blob<'_> = self.git.find_blob(before)?;
        let mut options = options(question.context);
        let place = Some(path.path());
        let patch = Patch::from_blob_and_buffer(&blob, place, &kept, place, Some(&mut options))?;
        let changed = crate::Changed { path: path.clone(), kind: Kind::Modified, from: None };
        let mut file = of_patch(patch, changed, question.words)?;
        file.modes = (mode, mode);
        Ok(Some(file))
    }
}

/// Where the first hunk of a difference begins; its end where there is none.
fn hunks_at(text: &[u8]) -> usize {
    if text.starts_with(b"@@ ") {
        return 0;
    }
    text.windows(4).position(|four| four == b"\n@@ ").map_or(text.len(), |at| at + 1)
}

/// A difference under another head.
fn rewritten(head: String, names: (&str, &str), path: &RepoPath, file: &FileDiff) -> Vec<u8> {
    let mut text = head.into_bytes();
    let body = hunks_at(&file.text);
    let (old, new) = names;
    if body < file.text.len() {
        let has_blanks = path.bytes().contains(&b' ');
        let end = |name: &str| {
            let is_cut = has_blanks && !name.starts_with('"') && name != "/dev/null";
            if is_cut { "\t\n" } else { "\n" }
        };
        text.extend_from_slice(format!("--- {old}{}+++ {new}{}", end(old), end(new)).as_bytes());
        text.extend_from_slice(&file.text[body..]);
    } else if file.is_binary {
        text.extend_from_slice(format!("Binary files {old} and {new} differ\n").as_bytes());
    }
    text
}

/// A path as the lines before the hunks name it.
fn prefixed(path: &RepoPath, prefix: &str) -> String {
    let plain = |byte: &u8| matches!(byte, 0x20..=0x7e) && !matches!(byte, b'"' | b'\\');
    if path.bytes().iter().all(plain) {
        return format!("{prefix}{}", path.shown());
    }
    let mut quoted = format!("\"{prefix}");
    for &byte in path.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b'\n' => quoted.push_str("\\n"),
            b'\t' => quoted.push_str("\\t"),
            b'\r' => quoted.push_str("\\r"),
            0x20..=0x7e => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}

/// As git does, so that a name's blanks are not taken for its end.
fn with_tabs(text: &[u8]) -> Vec<u8> {
    let hunks = hunks_at(text);
    let mut out = Vec::with_capacity(text.len() + 2);
    for line in text[..hunks].split_inclusive(|byte| *byte == b'\n') {
        let name = line.strip_prefix(b"--- a/").or_else(|| line.strip_prefix(b"+++ b/"));
        match (name, line.strip_suffix(b"\n")) {
            (Some(name), Some(bare)) if name.contains(&b' ') => {
                out.extend_from_slice(bare);
                out.extend_from_slice(b"\t\n");
            }
            _ => out.extend_from_slice(line),
        }
    }
    out.extend_from_slice(&text[hunks..]);
    out
}

/// libgit2 takes a binary file of the work tree that it has not read for none, and tells of one
/// whose mode alone differs that its content does.
fn mend_binary(text: &mut Vec<u8>, changed: &crate::Changed, is_same: bool) {
    let told = String::from_utf8_lossy(text).into_owned();
    let mut lines: Vec<String> = told.lines().map(str::to_owned).collect();
    if is_same {
        lines.retain(|line| !line.starts_with("Binary files "));
    }
    if let Some(at) = lines.iter().position(|line| line == "old mode 0")
        && let Some(mode) = lines.get(at + 1).and_then(|line| line.strip_prefix("new mode "))
    {
        let line = format!("new file mode {mode}");
        lines.splice(at..at + 2, [line]);
    }
    if changed.kind != Kind::Deleted
        && let Some(last) = lines.last_mut()
        && let Some(start) = last.strip_suffix(" and /dev/null differ")
    {
        *last = format!("{start} and {} differ", prefixed(&changed.path, "b/"));
    }
    *text = lines.into_iter().map(|line| line + "\n").collect::<String>().into_bytes();
}

fn is_within(question: &DiffQuestion, path: &RepoPath) -> bool {
    question.within.is_empty() || question.within.iter().any(|folder| path.is_in(folder))
}

pub(crate) fn options(context: u32) -> DiffOptions {
    let mut options = DiffOptions::new();
    options
        .context_lines(context)
        .indent_heuristic(true)
        .disable_pathspec_match(true)
        .include_typechange(true)
        .include_unreadable(true)
        .max_size(LARGEST);
    options
}

pub(crate) fn find_options() -> DiffFindOptions {
    let mut find = DiffFindOptions::new();
    find.renames(true).rename_threshold(50).rename_limit(MOST_RENAMES);
    find
}

fn of_delta(
    diff: &Diff<'_>,
    number: usize,
    changed: crate::Changed,
    words: bool,
) -> Result<FileDiff, GitError> {
    match Patch::from_diff(diff, number)? {
        Some(patch) => of_patch(patch, changed, words),
        // A file that cannot be told as text, or one that a merge has left open.
        None => Ok(FileDiff {
            changed,
            modes: (0, 0),
            is_binary: diff.get_delta(number).is_some_and(|delta| delta.flags().is_binary()),
            lines: (0, 0),
            hunks: Vec::new(),
            text: Vec::new(),
        }),
    }
}

fn of_patch(
    mut patch: Patch<'_>,
    changed: crate::Changed,
    words: bool,
) -> Result<FileDiff, GitError> {
    let delta = patch.delta();
    let is_binary = delta.flags().is_binary();
    let modes = (u32::from(delta.old_file().mode()), u32::from(delta.new_file().mode()));
    let (_, added, removed) = patch.line_stats()?;
    let mut hunks = Vec::new();
    let mut left = MOST_LINES;
    for number in 0..patch.num_hunks() {
        let (hunk, count) = patch.hunk(number)?;
        if count > left {
            break;
        }
        left -= count;
        let mut told = Hunk {
            old: (hunk.old_start(), hunk.old_lines()),
            new: (hunk.new_start(), hunk.new_lines()),
            header: hunk.header().to_vec(),
            lines: Vec::with_capacity(count),
        };
        for line in 0..count {
            let line = patch.line_in_hunk(number, line)?;
            // The others say that the last line has no end.
            if matches!(line.origin(), ' ' | '+' | '-') {
                told.lines.push(Line {
                    origin: line.origin(),
                    old: line.old_lineno(),
                    new: line.new_lineno(),
                    content: line.content().to_vec(),
                    changed: Vec::new(),
                });
            }
        }
        if words {
            words::mark(&mut told.lines);
        }
        hunks.push(told);
    }
    let mut text = with_tabs(&patch.to_buf()?);
    let (old, new) = (patch.delta().old_file().id(), patch.delta().new_file().id());
    if is_binary {
        mend_binary(&mut text, &changed, old == new && !old.is_zero());
    }
    Ok(FileDiff { changed, modes, is_binary, lines: (added, removed), hunks, text })
}
