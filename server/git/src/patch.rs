//! The diff of one file: hunks and lines from libgit2, and the text that `git diff` prints.

use git2::{Diff, Patch};

use crate::file_change::ChangeKind;
use crate::hunk::{DiffLine, Hunk};
use crate::intraline;
use crate::limits::{MAX_DIFF_TEXT_SIZE, MAX_HUNK_LINES};
use crate::{GitError, RepoPath};

/// The diff of one file.
#[derive(Debug, Clone)]
pub struct FileDiff {
    /// Its path, how it changed, and its previous path.
    pub changed: crate::FileChange,
    /// Its modes before and after; 0 if it does not exist.
    pub modes: (u32, u32),
    /// Whether it is binary.
    pub is_binary: bool,
    /// Lines added and removed.
    pub lines: (usize, usize),
    /// The hunks, in order; none for a binary file.
    pub hunks: Vec<Hunk>,
    /// The text that `git diff` prints.
    pub text: Vec<u8>,
}

/// The suffix that libgit2 adds to the commit of a modified submodule.
const DIRTY_SUFFIX: &[u8] = b"-dirty\n";

impl FileDiff {
    /// Removes the marker of a modified submodule.
    pub(crate) fn remove_dirty_suffix(&mut self) {
        let lines = self.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines);
        let contents = lines.map(|line| &mut line.content);
        for text in contents.chain(std::iter::once(&mut self.text)) {
            if text.ends_with(DIRTY_SUFFIX) {
                text.truncate(text.len() - DIRTY_SUFFIX.len());
                text.push(b'\n');
            }
        }
    }
}

pub(crate) fn diff_options(context: u32) -> git2::DiffOptions {
    let mut options = git2::DiffOptions::new();
    options
        .context_lines(context)
        .indent_heuristic(true)
        .disable_pathspec_match(true)
        .include_typechange(true)
        .include_unreadable(true)
        .max_size(MAX_DIFF_TEXT_SIZE);
    options
}

/// The offset of the first hunk; the text's length if there is none.
fn first_hunk_offset(text: &[u8]) -> usize {
    if text.starts_with(b"@@ ") {
        return 0;
    }
    text.windows(4).position(|four| four == b"\n@@ ").map_or(text.len(), |at| at + 1)
}

/// A diff's text with another header.
pub(crate) fn with_header(
    head: String,
    names: (&str, &str),
    path: &RepoPath,
    file: &FileDiff,
) -> Vec<u8> {
    let mut text = head.into_bytes();
    let body = first_hunk_offset(&file.text);
    let (old, new) = names;
    if body < file.text.len() {
        let has_blanks = path.as_bytes().contains(&b' ');
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

/// A path as header lines print it: prefixed, and quoted if it has special characters.
pub(crate) fn quoted_name(path: &RepoPath, prefix: &str) -> String {
    let plain = |byte: &u8| matches!(byte, 0x20..=0x7e) && !matches!(byte, b'"' | b'\\');
    if path.as_bytes().iter().all(plain) {
        return format!("{prefix}{}", path.to_string_lossy());
    }
    let mut quoted = format!("\"{prefix}");
    for &byte in path.as_bytes() {
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

/// Adds a tab after names with blanks in `---` and `+++` lines, as git does, to mark the name's
/// end.
fn with_tabs(text: &[u8]) -> Vec<u8> {
    let hunks = first_hunk_offset(text);
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

/// Corrects libgit2's text of binary files: it treats an unread work tree file as missing, and
/// reports changed content where only the mode differs.
fn fix_binary_text(text: &mut Vec<u8>, changed: &crate::FileChange, is_same: bool) {
    let original = String::from_utf8_lossy(text).into_owned();
    let mut lines: Vec<String> = original.lines().map(str::to_owned).collect();
    if is_same {
        lines.retain(|line| !line.starts_with("Binary files "));
    }
    if let Some(at) = lines.iter().position(|line| line == "old mode 0")
        && let Some(mode) = lines.get(at + 1).and_then(|line| line.strip_prefix("new mode "))
    {
        let line = format!("new file mode {mode}");
        lines.splice(at..at + 2, [line]);
    }
    if changed.kind != ChangeKind::Deleted
        && let Some(last) = lines.last_mut()
        && let Some(start) = last.strip_suffix(" and /dev/null differ")
    {
        *last = format!("{start} and {} differ", quoted_name(&changed.path, "b/"));
    }
    *text = lines.into_iter().map(|line| line + "\n").collect::<String>().into_bytes();
}

pub(crate) fn diff_of_delta(
    diff: &Diff<'_>,
    number: usize,
    changed: crate::FileChange,
    words: bool,
) -> Result<FileDiff, GitError> {
    match Patch::from_diff(diff, number)? {
        Some(patch) => diff_of_patch(patch, changed, words),
        // A conflicted file, or one that cannot be compared as text.
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

pub(crate) fn diff_of_patch(
    mut patch: Patch<'_>,
    changed: crate::FileChange,
    words: bool,
) -> Result<FileDiff, GitError> {
    let delta = patch.delta();
    let is_binary = delta.flags().is_binary();
    let modes = (u32::from(delta.old_file().mode()), u32::from(delta.new_file().mode()));
    let (_, added, removed) = patch.line_stats()?;
    let mut hunks = Vec::new();
    let mut remaining = MAX_HUNK_LINES;
    for number in 0..patch.num_hunks() {
        let (hunk, count) = patch.hunk(number)?;
        if count > remaining {
            break;
        }
        remaining -= count;
        let mut parsed = Hunk {
            old: (hunk.old_start(), hunk.old_lines()),
            new: (hunk.new_start(), hunk.new_lines()),
            header: hunk.header().to_vec(),
            lines: Vec::with_capacity(count),
        };
        for line in 0..count {
            let line = patch.line_in_hunk(number, line)?;
            // Other origins mark a missing newline at the end.
            if matches!(line.origin(), ' ' | '+' | '-') {
                parsed.lines.push(DiffLine {
                    origin: line.origin(),
                    old: line.old_lineno(),
                    new: line.new_lineno(),
                    content: line.content().to_vec(),
                    changed: Vec::new(),
                });
            }
        }
        if words {
            intraline::mark_changes(&mut parsed.lines);
        }
        hunks.push(parsed);
    }
    let mut text = with_tabs(&patch.to_buf()?);
    let (old, new) = (patch.delta().old_file().id(), patch.delta().new_file().id());
    if is_binary {
        fix_binary_text(&mut text, &changed, old == new && !old.is_zero());
    }
    Ok(FileDiff { changed, modes, is_binary, lines: (added, removed), hunks, text })
}
