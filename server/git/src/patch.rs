//! How one file differs: libgit2's patch of it in parts, and as `git diff` writes it.

use git2::{Diff, DiffOptions, Patch};

use crate::status::Kind;
use crate::words::{self, Spans};
use crate::{GitError, RepoPath};

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

/// What libgit2 says of a repository within that holds more than its commit.
const DIRTY: &[u8] = b"-dirty\n";

impl FileDiff {
    /// Takes out that a repository within holds more than its commit.
    pub(crate) fn forget_dirt(&mut self) {
        let lines = self.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines);
        let contents = lines.map(|line| &mut line.content);
        for text in contents.chain(std::iter::once(&mut self.text)) {
            if text.ends_with(DIRTY) {
                text.truncate(text.len() - DIRTY.len());
                text.push(b'\n');
            }
        }
    }
}

/// Most lines of one file's difference that are told in parts.
const MOST_LINES: usize = 50_000;
/// The largest file that is compared as text, in bytes.
pub(crate) const LARGEST: i64 = 64 << 20;
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

/// Where the first hunk of a difference begins; its end where there is none.
fn hunks_at(text: &[u8]) -> usize {
    if text.starts_with(b"@@ ") {
        return 0;
    }
    text.windows(4).position(|four| four == b"\n@@ ").map_or(text.len(), |at| at + 1)
}

/// A difference under another head.
pub(crate) fn rewritten(
    head: String,
    names: (&str, &str),
    path: &RepoPath,
    file: &FileDiff,
) -> Vec<u8> {
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
pub(crate) fn prefixed(path: &RepoPath, prefix: &str) -> String {
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

pub(crate) fn of_delta(
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

pub(crate) fn of_patch(
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
