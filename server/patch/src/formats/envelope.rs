//! The `*** Begin Patch` envelope.

use super::{Change, FilePatches, FormatError, Hunk, merged, split};
use crate::lines::Piece;
use crate::patch::Patch;

/// Whether a line is a mark of the envelope.
pub(super) fn is_mark(line: &str) -> bool {
    line.trim_end() == "*** Begin Patch" || section(line).is_some()
}

enum Section<'l> {
    Add(&'l str),
    Delete(&'l str),
    Update(&'l str),
}

fn section(line: &str) -> Option<Section<'_>> {
    let named = |mark: &str| line.strip_prefix(mark).map(str::trim).filter(|path| !path.is_empty());
    named("*** Add File:")
        .map(Section::Add)
        .or_else(|| named("*** Delete File:").map(Section::Delete))
        .or_else(|| named("*** Update File:").map(Section::Update))
}

fn is_end(line: &str) -> bool {
    line.trim_end() == "*** End Patch"
}

/// Reads an envelope with sections that add, delete, update and move files.
///
/// `@@` lines with text say below which line a change is; they rank candidates.
///
/// # Errors
///
/// Lines outside of a section, and added files with lines that lack their plus.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines = split(input);
    let mut at = lines.iter().position(|line| is_mark(line.content)).unwrap_or(0);
    let mut files = Vec::new();
    while at < lines.len() {
        let line = lines[at].content;
        let Some(section) = section(line) else {
            let ignored = line.trim_end() == "*** Begin Patch"
                || lines[at].is_blank()
                || line.starts_with("***");
            if is_end(line) {
                at =
                    (at..lines.len()).find(|&at| is_mark(lines[at].content)).unwrap_or(lines.len());
                continue;
            }
            if !ignored {
                return Err(FormatError::at(
                    at,
                    "expected *** Add File:, *** Delete File: or *** Update File:.",
                ));
            }
            at += 1;
            continue;
        };
        let end = (at + 1..lines.len())
            .find(|&at| is_mark(lines[at].content) || is_end(lines[at].content))
            .unwrap_or(lines.len());
        let body = &lines[at + 1..end];
        let (path, change) = match section {
            Section::Add(path) => (path, Change::Create(added(body, at + 1)?)),
            Section::Delete(path) => (path, Change::Delete),
            Section::Update(path) => (path, update(body, at + 1)?),
        };
        files.push(FilePatches { path: Some(path.to_owned()), change });
        at = end;
    }
    if files.is_empty() {
        return Err(FormatError::Unknown);
    }
    Ok(merged(files))
}

fn added(body: &[Piece<'_>], from: usize) -> Result<String, FormatError> {
    let written = body.iter().rposition(|line| !line.is_blank()).map_or(0, |last| last + 1);
    let mut text = String::new();
    for (index, line) in body[..written].iter().enumerate() {
        match line.content.strip_prefix('+') {
            Some(rest) => text.push_str(rest),
            None if line.content.is_empty() => {}
            None => {
                return Err(FormatError::at(
                    from + index,
                    "each line of an added file begins with +.",
                ));
            }
        }
        text.push_str(if line.ending.as_str() == "\r\n" { "\r\n" } else { "\n" });
    }
    Ok(text)
}

fn update(body: &[Piece<'_>], from: usize) -> Result<Change, FormatError> {
    let (mut to, mut patches, mut hunk, mut within) =
        (None, Vec::new(), Hunk::default(), Vec::new());
    let finish = |hunk: &mut Hunk, within: &mut Vec<String>, patches: &mut Vec<Patch>| {
        let hunk = std::mem::take(hunk);
        if !hunk.is_empty() {
            patches.push(Patch { within: std::mem::take(within), ..hunk.patch() });
        }
    };
    for (index, line) in body.iter().enumerate() {
        let content = line.content;
        if let Some(path) = content.strip_prefix("*** Move to:") {
            to = Some(path.trim().to_owned());
        } else if content.trim_end() == "*** End of File" {
            finish(&mut hunk, &mut within, &mut patches);
        } else if content.starts_with("***") && content.as_bytes().get(3) == Some(&b' ') {
            return Err(FormatError::at(
                from + index,
                format!("\"{content}\" is not part of an update."),
            ));
        } else if let Some(context) =
            content.strip_prefix("@@").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            finish(&mut hunk, &mut within, &mut patches);
            let context = context.trim().trim_end_matches("@@").trim_end();
            // Line numbers of a unified diff say nothing about where in the file this is.
            let numbers = context.starts_with('-') && context.contains(" +");
            if !context.is_empty() && !numbers {
                within.push(context.to_owned());
            }
        } else {
            hunk.add(line);
        }
    }
    finish(&mut hunk, &mut within, &mut patches);
    Ok(match to {
        Some(to) => Change::Move { to, patches },
        None if patches.is_empty() => {
            return Err(FormatError::at(from.saturating_sub(1), "this update has no changes."));
        }
        None => Change::Update(patches),
    })
}
