//! Unified diffs, with line counts and numbers that may be wrong.

use super::{Change, FilePatches, FormatError, Hunk, is_fence, merged, split};
use crate::lines::{Ending, Piece};
use crate::patch::Patch;

/// Whether the lines have the marks of a diff.
pub(super) fn is_diff(lines: &[&str]) -> bool {
    let header =
        lines.windows(2).any(|pair| pair[0].starts_with("--- ") && pair[1].starts_with("+++ "));
    let hunk = || lines.iter().any(|line| hunk_start(line).is_some());
    let change = || lines.iter().any(|line| line.starts_with('+') || line.starts_with('-'));
    header || lines.iter().any(|line| line.starts_with("diff --git ")) || (hunk() && change())
}

/// The line that a hunk says it begins on; `Some(None)` if it does not say.
fn hunk_start(line: &str) -> Option<Option<usize>> {
    let rest = line.strip_prefix("@@")?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let number = rest
        .trim_start()
        .strip_prefix('-')
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    Some(number.and_then(|number| number.parse().ok()).filter(|&line: &usize| line > 0))
}

/// The path of a header line, without its prefix and time; `None` for no file.
fn path_of(header: &str) -> Option<String> {
    let path = header.split('\t').next().unwrap_or(header).trim();
    let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path);
    if path == "/dev/null" {
        return None;
    }
    Some(path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path).to_owned())
}

#[derive(Default)]
struct File {
    old: Option<String>,
    new: Option<String>,
    renamed_from: Option<String>,
    renamed_to: Option<String>,
    deleted: bool,
    created: bool,
    patches: Vec<Patch>,
    named: bool,
}

impl File {
    fn finish(self, index: usize) -> Result<Option<FilePatches>, FormatError> {
        let patches = self.patches;
        let path = self.renamed_from.or(self.old.clone()).or(self.new.clone());
        let change = if self.deleted {
            Change::Delete
        } else if self.created {
            match &patches[..] {
                [] => Change::Create(String::new()),
                [patch] if patch.old_text.is_empty() => Change::Create(patch.new_text.clone()),
                _ => {
                    return Err(FormatError::at(
                        index,
                        "a new file must have one hunk with added lines only.",
                    ));
                }
            }
        } else if let Some(to) = self
            .renamed_to
            .or_else(|| self.new.filter(|new| self.old.as_ref().is_some_and(|old| old != new)))
        {
            Change::Move { to, patches }
        } else if patches.is_empty() {
            return Ok(None);
        } else {
            Change::Update(patches)
        };
        Ok(Some(FilePatches { path, change }))
    }
}

/// Reads a unified diff of one or more files.
///
/// A hunk ends where the next one or another file begins, whatever its counts say. Its
/// first line number is a hint. Lines whose mark was lost are context.
///
/// # Errors
///
/// A hunk without lines, or a new file that has more than added lines.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines = split(input);
    let (mut files, mut file, mut at) = (Vec::new(), File::default(), 0);
    while at < lines.len() {
        let line = lines[at].content;
        if is_header(&lines, at) {
            if file.named && (!file.patches.is_empty() || file.old.is_some()) {
                files.extend(std::mem::take(&mut file).finish(at)?);
            }
            file.named = true;
            (file.old, file.new) = (path_of(&line[4..]), path_of(&lines[at + 1].content[4..]));
            file.created |= file.old.is_none();
            file.deleted |= file.new.is_none();
            at += 2;
        } else if let Some(rest) = line.strip_prefix("diff --git ") {
            files.extend(std::mem::take(&mut file).finish(at)?);
            file.named = true;
            if let Some((old, new)) = rest.split_once(" b/") {
                let old = old.strip_prefix("a/").unwrap_or(old).to_owned();
                // Names with and without changes look alike here; the headers decide.
                file.renamed_from = Some(old.clone()).filter(|_| old != new);
                file.renamed_to = Some(new.to_owned()).filter(|_| old != new);
                if old == new && !has_header(&lines[at + 1..]) {
                    file.old = Some(old);
                }
            }
            at += 1;
        } else if let Some(hint) = hunk_start(line) {
            let (mut patch, next) = hunk(&lines, at)?;
            patch.start_line = hint;
            file.patches.push(patch);
            at = next;
        } else {
            match line {
                _ if line.starts_with("new file mode") => file.created = true,
                _ if line.starts_with("deleted file mode") => file.deleted = true,
                _ => {}
            }
            at += 1;
        }
    }
    files.extend(file.finish(lines.len())?);
    if files.is_empty() {
        return Err(FormatError::Unknown);
    }
    Ok(merged(files))
}

fn is_header(lines: &[Piece<'_>], at: usize) -> bool {
    lines[at].content.starts_with("--- ")
        && lines.get(at + 1).is_some_and(|line| line.content.starts_with("+++ "))
        && lines.get(at + 2).is_none_or(|line| {
            hunk_start(line.content).is_some() || line.is_blank() || is_fence(line.content)
        })
}

/// Whether the file whose `diff --git` came before has its own header lines.
fn has_header(lines: &[Piece<'_>]) -> bool {
    lines
        .iter()
        .take_while(|line| {
            !line.content.starts_with("diff --git ") && hunk_start(line.content).is_none()
        })
        .any(|line| line.content.starts_with("--- "))
}

fn hunk(lines: &[Piece<'_>], open: usize) -> Result<(Patch, usize), FormatError> {
    let mut hunk = Hunk::default();
    let mut at = open + 1;
    while at < lines.len() {
        let line = &lines[at];
        let content = line.content;
        if hunk_start(content).is_some()
            || content.starts_with("diff --git ")
            || is_header(lines, at)
            || is_fence(content)
        {
            break;
        }
        if content.starts_with('\\') {
            hunk.without_ending();
        } else {
            hunk.add(&Piece {
                content,
                ending: if line.ending == Ending::None { Ending::Lf } else { line.ending },
            });
        }
        at += 1;
    }
    if hunk.is_empty() {
        return Err(FormatError::at(open, "this hunk has no lines."));
    }
    Ok((hunk.patch(), at))
}
