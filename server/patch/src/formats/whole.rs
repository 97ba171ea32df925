//! Whole files: a path and, below it, the text in a code fence.

use super::{Change, FilePatches, FormatError, path_in, split};
use crate::lines::Piece;

/// Reads whole files in code fences, each with its path above it or in its first line.
/// A single fence may do without a path.
///
/// # Errors
///
/// No fence, a fence that is not closed, or one of several without a path.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines = split(input);
    let (mut files, mut at): (Vec<FilePatches>, usize) = (Vec::new(), 0);
    let mut after = 0;
    while at < lines.len() {
        let Some((fence, info)) = fence(lines[at].content) else {
            at += 1;
            continue;
        };
        let close = closing(&lines, at, fence)?;
        let text = lines[at + 1..close]
            .iter()
            .map(|line| format!("{}{}", line.content, line.ending.as_str()))
            .collect();
        let named = info
            .split_once([' ', ':'])
            .and_then(|(_, rest)| path_in(rest))
            .or_else(|| path_in(info).filter(|path| path.contains(['/', '.'])));
        let above = lines[after..at]
            .iter()
            .rev()
            .find(|line| !line.is_blank())
            .and_then(|line| path_in(line.content));
        let path = named.or(above);
        if path.is_none() && !files.is_empty() {
            return Err(FormatError::at(
                at,
                "this file has no path; write it on the line above the fence.",
            ));
        }
        files.push(FilePatches { path, change: Change::Create(text) });
        at = close + 1;
        after = at;
    }
    match &files[..] {
        [] => Err(FormatError::Unknown),
        [first, _, ..] if first.path.is_none() => {
            Err(FormatError::at(0, "several files, but the first has no path."))
        }
        _ => Ok(files),
    }
}

/// The fence that a line opens, and what is written behind it.
fn fence(line: &str) -> Option<(&str, &str)> {
    let length = line.len() - line.trim_start_matches('`').len();
    let info = line[length..].trim();
    (length >= 3 && !info.contains('`')).then_some((&line[..length], info))
}

/// The line that closes a fence. A text that has fences itself needs a longer one around.
fn closing(lines: &[Piece<'_>], open: usize, fence: &str) -> Result<usize, FormatError> {
    let Some(close) = (open + 1..lines.len()).find(|&at| lines[at].content.trim_end() == fence)
    else {
        return Err(FormatError::at(open, "this code fence is not closed."));
    };
    match (open + 1..close).find(|&at| lines[at].content.starts_with(fence)) {
        Some(inner) => Err(FormatError::at(
            inner,
            "a fence inside of a fence; use a longer fence around a text with fences.",
        )),
        None => Ok(close),
    }
}
