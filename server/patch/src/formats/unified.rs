//! Parses unified diffs. Line counts and numbers may be wrong.

use super::hunk::Hunk;
use super::{
    Change, FilePatches, FormatError, envelope, is_fence, merge_same_file, search_replace,
    split_input,
};
use crate::lines::{LineEnding, TextLine};
use crate::patch::Patch;

/// Whether the lines have the marks of a diff.
pub(super) fn is_diff(lines: &[&str]) -> bool {
    let header =
        lines.windows(2).any(|pair| pair[0].starts_with("--- ") && pair[1].starts_with("+++ "));
    let hunk = || lines.iter().any(|line| HunkHeader::parse(line).is_some());
    let change = || lines.iter().any(|line| line.starts_with('+') || line.starts_with('-'));
    header || lines.iter().any(|line| line.starts_with("diff --git ")) || (hunk() && change())
}

/// The `@@` line of a hunk. All parts may be missing.
struct HunkHeader {
    /// The line that the hunk begins on in the old text.
    line: Option<usize>,
    /// Lines of the old and the new text.
    count: Option<(usize, usize)>,
    heading: Option<String>,
}

impl HunkHeader {
    fn parse(line: &str) -> Option<HunkHeader> {
        let rest = line.strip_prefix("@@")?;
        if !rest.is_empty() && !rest.starts_with(' ') {
            return None;
        }
        let (numbers, heading) = match rest.split_once("@@") {
            Some((numbers, heading)) => (numbers, heading.trim()),
            None => (rest, ""),
        };
        let mut words = numbers.split_whitespace();
        let (old, new) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let range = |word: &str, sign| {
            let (line, count) = match word.strip_prefix(sign)?.split_once(',') {
                Some((line, count)) => (line, count.parse().ok()?),
                None => (word.get(1..)?, 1),
            };
            Some((line.parse::<usize>().ok()?, count))
        };
        let (old, new) = (range(old, '-'), range(new, '+'));
        Some(HunkHeader {
            line: old.map(|(line, _)| line).filter(|&line| line > 0),
            count: old.zip(new).map(|(old, new)| (old.1, new.1)),
            heading: Some(heading.to_owned()).filter(|heading| !heading.is_empty()),
        })
    }
}

/// The path of a header line, without its prefix and time stamp; `None` for `/dev/null`.
fn header_path(header: &str) -> Option<String> {
    let path = header.split('\t').next().unwrap_or(header).trim();
    let path = unquoted(path);
    if path == "/dev/null" {
        return None;
    }
    Some(path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(&path).to_owned())
}

/// Undoes git's quoting of file names (octal bytes and C escapes).
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else {
        return path.to_owned();
    };
    let (mut bytes, mut rest) = (Vec::new(), inner.as_bytes());
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'\\' {
            bytes.push(*byte);
            continue;
        }
        let octal =
            after.get(..3).filter(|digits| digits.iter().all(|c| (b'0'..=b'7').contains(c)));
        if let Some(digits) = octal {
            let value =
                digits.iter().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            bytes.push(value as u8);
            rest = &after[3..];
        } else if let [escaped, after @ ..] = after {
            bytes.push(match escaped {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                other => *other,
            });
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether an old name is the new one with a suffix of backup copies.
fn is_backup_name(old: &str, new: &str) -> bool {
    old.strip_prefix(new).is_some_and(|end| matches!(end, ".orig" | ".old" | ".bak" | "~"))
}

#[derive(Default)]
struct FileDiff {
    old: Option<String>,
    new: Option<String>,
    renamed_from: Option<String>,
    renamed_to: Option<String>,
    copied: bool,
    deleted: bool,
    created: bool,
    executable: bool,
    patches: Vec<Patch>,
    is_named: bool,
}

impl FileDiff {
    fn finish(self, index: usize) -> Result<Option<FilePatches>, FormatError> {
        let patches = self.patches;
        let old = match (&self.old, &self.new) {
            (Some(old), Some(new)) if is_backup_name(old, new) => Some(new.clone()),
            _ => self.old,
        };
        let path = self.renamed_from.or(old.clone()).or(self.new.clone());
        let change = if self.deleted {
            if patches.iter().any(|patch| !patch.new_text.is_empty()) {
                return Err(FormatError::at(
                    index.saturating_sub(1),
                    "a file that is deleted must have removed lines only.",
                ));
            }
            Change::Delete(patches)
        } else if self.created {
            match &patches[..] {
                [] => Change::Create(String::new()),
                [patch] if patch.old_text.is_empty() => Change::Create(patch.new_text.clone()),
                _ => {
                    return Err(FormatError::at(
                        index.saturating_sub(1),
                        "a new file must have one hunk with added lines only.",
                    ));
                }
            }
        } else if let Some(to) = self
            .renamed_to
            .or_else(|| self.new.filter(|new| old.as_ref().is_some_and(|old| old != new)))
        {
            if self.copied { Change::Copy { to, patches } } else { Change::Move { to, patches } }
        } else if patches.is_empty() {
            return Ok(None);
        } else {
            Change::Update(patches)
        };
        Ok(Some(FilePatches { executable: self.executable, ..FilePatches::new(path, change) }))
    }
}

/// Reads a unified diff of one or more files.
///
/// A hunk ends where the next one or another file begins, and where its counts are full and what
/// follows has no mark; counts that are wrong are overlooked. Its first line number is a hint.
/// Lines whose mark was lost are context.
///
/// # Errors
///
/// A hunk without lines, a new file that has more than added lines, a change outside of every
/// hunk, what is no text, and marks of another format.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines = split_input(input);
    let (mut files, mut file, mut at) = (Vec::new(), FileDiff::default(), 0);
    // Whether all of the diff stands in a code fence.
    let mut fenced = false;
    while at < lines.len() {
        let line = lines[at].content;
        if is_header(&lines, at) {
            if file.is_named && (!file.patches.is_empty() || file.old.is_some()) {
                files.extend(std::mem::take(&mut file).finish(at)?);
            }
            file.is_named = true;
            (file.old, file.new) =
                (header_path(&line[4..]), header_path(&lines[at + 1].content[4..]));
            file.created |= file.old.is_none();
            file.deleted |= file.new.is_none();
            at += 2;
        } else if let Some(rest) = line.strip_prefix("diff --git ") {
            files.extend(std::mem::take(&mut file).finish(at)?);
            file.is_named = true;
            if let Some((old, new)) = rest.split_once(" b/") {
                let old = old.strip_prefix("a/").unwrap_or(old).to_owned();
                // This line does not tell a rename from an edit of one name; the header lines do.
                file.renamed_from = Some(old.clone()).filter(|_| old != new);
                file.renamed_to = Some(new.to_owned()).filter(|_| old != new);
                if old == new && !has_header(&lines[at + 1..]) {
                    file.old = Some(old);
                }
            }
            at += 1;
        } else if let Some(head) = HunkHeader::parse(line) {
            let (patch, next) = parse_hunk(&lines, at, &head, fenced)?;
            let HunkHeader { line, heading, .. } = head;
            file.patches.push(Patch { start_line: line, heading, ..patch });
            at = next;
        } else {
            match line {
                _ if line.starts_with("new file mode") => {
                    file.created = true;
                    file.executable = line.trim_end().ends_with("755");
                }
                _ if line.starts_with("deleted file mode") => file.deleted = true,
                _ if line.starts_with("copy from ") => {
                    file.copied = true;
                    file.renamed_from = Some(unquoted(line["copy from ".len()..].trim()));
                }
                _ if line.starts_with("copy to ") => {
                    file.renamed_to = Some(unquoted(line["copy to ".len()..].trim()));
                }
                _ if is_fence(line) => fenced = !fenced,
                _ => check_outside(line, at, !files.is_empty() || file.is_named)?,
            }
            at += 1;
        }
    }
    files.extend(file.finish(lines.len())?);
    if files.is_empty() {
        return Err(FormatError::Unknown);
    }
    Ok(merge_same_file(files))
}

/// Refuses a line outside of all hunks that is not prose.
fn check_outside(line: &str, at: usize, begun: bool) -> Result<(), FormatError> {
    if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
        return Err(FormatError::at(at, "what is no text cannot be patched; write the file."));
    }
    let rule = |mark: char| line.chars().all(|c| c == mark);
    let list = line.starts_with("- ") || line.starts_with("+ ");
    let changed = (line.starts_with('+') && !rule('+')) || (line.starts_with('-') && !rule('-'));
    if begun && changed && !list {
        return Err(FormatError::at(at, "this line is marked as a change, and is in no hunk."));
    }
    check_format(line, at)
}

fn check_format(line: &str, at: usize) -> Result<(), FormatError> {
    if search_replace::is_mark(line) || envelope::is_mark(line) {
        return Err(FormatError::at(at, "another format begins; send one format only."));
    }
    Ok(())
}

/// Whether two header lines stand here, outside of a hunk.
fn is_header(lines: &[TextLine<'_>], at: usize) -> bool {
    is_header_pair(lines, at)
        && lines.get(at + 2).is_none_or(|line| {
            HunkHeader::parse(line.content).is_some() || line.is_blank() || is_fence(line.content)
        })
}

fn is_header_pair(lines: &[TextLine<'_>], at: usize) -> bool {
    lines[at].content.starts_with("--- ")
        && lines.get(at + 1).is_some_and(|line| line.content.starts_with("+++ "))
}

/// Whether a hunk ends with two header lines. A removed line that begins with `-- ` before an
/// added one with `++ ` looks like them.
fn ends_with_header(lines: &[TextLine<'_>], at: usize, full: Option<bool>) -> bool {
    if !is_header_pair(lines, at)
        || lines.get(at + 2).is_none_or(|line| HunkHeader::parse(line.content).is_none())
    {
        return false;
    }
    let old = &lines[at].content[4..];
    let marked = old.starts_with("a/") || old.starts_with("/dev/null");
    full.unwrap_or(true) || marked
}

/// Whether the file whose `diff --git` came before has its own header lines.
fn has_header(lines: &[TextLine<'_>]) -> bool {
    lines
        .iter()
        .take_while(|line| {
            !line.content.starts_with("diff --git ") && HunkHeader::parse(line.content).is_none()
        })
        .any(|line| line.content.starts_with("--- "))
}

fn parse_hunk(
    lines: &[TextLine<'_>],
    open: usize,
    head: &HunkHeader,
    fenced: bool,
) -> Result<(Patch, usize), FormatError> {
    let mut hunk = Hunk::default();
    let mut at = open + 1;
    while at < lines.len() {
        let line = &lines[at];
        let content = line.content;
        // Whether the hunk has all lines that it says it has.
        let full = head.count.map(|(old, new)| {
            let (has_old, has_new) = hunk.count();
            has_old >= old && has_new >= new
        });
        let marked = content.starts_with([' ', '+', '-', '\\']);
        if HunkHeader::parse(content).is_some()
            || content.starts_with("diff --git ")
            || ends_with_header(lines, at, full)
            || (fenced && content.starts_with("```"))
            || (fenced && content.starts_with("</") && is_fence(content))
            || (full == Some(true) && !marked && !content.is_empty())
        {
            break;
        }
        if !marked {
            check_format(content, at)?;
        }
        if content.starts_with("\\ ") {
            hunk.without_ending();
        } else {
            hunk.add(&TextLine {
                content,
                ending: if line.ending == LineEnding::None { LineEnding::Lf } else { line.ending },
            });
        }
        at += 1;
    }
    if hunk.is_empty() {
        return Err(FormatError::at(open, "this hunk has no lines."));
    }
    Ok((hunk.patch(), at))
}
