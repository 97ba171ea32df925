//! Parses the `*** Begin Patch` envelope of codex.

use super::hunk::Hunk;
use super::{Change, FilePatches, FormatError, merge_same_file, split_input};
use crate::lines::TextLine;
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

/// A section's line with blanks before it, where no hunk is open that it could be a line of.
fn indented_section(line: &str, open: bool) -> Option<Section<'_>> {
    section(line.trim_start()).filter(|_| open)
}

fn is_end(line: &str) -> bool {
    line.trim_end() == "*** End Patch"
}

/// Reads an envelope with sections that add, delete, update and move files.
///
/// `@@` lines with text say below which line a change is.
///
/// # Errors
///
/// An envelope that is not closed, lines outside of a section, changes in what follows the
/// envelope, and added files with lines that lack their plus.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines = split_input(input);
    let mut at = lines.iter().position(|line| is_mark(line.content)).unwrap_or(0);
    let (mut files, mut open) = (Vec::new(), true);
    while at < lines.len() {
        let line = lines[at].content;
        if is_end(line) {
            open = false;
        } else if is_mark(line) && section(line).is_none() {
            open = true;
        } else if let Some(section) = section(line).or_else(|| indented_section(line, open)) {
            open = true;
            let end = (at + 1..lines.len())
                .find(|&at| is_mark(lines[at].content) || is_end(lines[at].content))
                .unwrap_or(lines.len());
            let body = &lines[at + 1..end];
            let (path, change) = match section {
                Section::Add(path) => (path, Change::Create(parse_added(body, at + 1)?)),
                Section::Delete(path) => {
                    if let Some(extra) = body.iter().position(|line| !line.is_blank()) {
                        return Err(FormatError::at(
                            at + 1 + extra,
                            "a file that is deleted has no lines here.",
                        ));
                    }
                    (path, Change::Delete(Vec::new()))
                }
                Section::Update(path) => (path, parse_update(body, at + 1)?),
            };
            files.push(FilePatches::new(Some(path.to_owned()), change));
            at = end;
            continue;
        } else if open && !lines[at].is_blank() && !line.starts_with("***") {
            return Err(FormatError::at(
                at,
                "expected *** Add File:, *** Delete File: or *** Update File:.",
            ));
        } else if !open && super::has_marks(line) {
            return Err(FormatError::at(at, "another format begins; send one format only."));
        }
        at += 1;
    }
    if open && !files.is_empty() {
        return Err(FormatError::at(
            lines.len().saturating_sub(1),
            "the patch is not closed by *** End Patch; if it was cut short, send all of it.",
        ));
    }
    if files.is_empty() {
        return Err(FormatError::Unknown);
    }
    Ok(merge_same_file(files))
}

fn parse_added(body: &[TextLine<'_>], from: usize) -> Result<String, FormatError> {
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

fn parse_update(body: &[TextLine<'_>], from: usize) -> Result<Change, FormatError> {
    let (mut to, mut patches, mut hunk, mut within) =
        (None, Vec::new(), Hunk::default(), Vec::new());
    let finish =
        |hunk: &mut Hunk, within: &mut Vec<String>, at_end: bool, patches: &mut Vec<Patch>| {
            let hunk = std::mem::take(hunk);
            if !hunk.is_empty() {
                patches.push(Patch { within: std::mem::take(within), at_end, ..hunk.patch() });
            }
        };
    for (index, line) in body.iter().enumerate() {
        let content = line.content;
        if let Some(path) = content.strip_prefix("*** Move to:") {
            to = Some(path.trim().to_owned());
        } else if content.trim_end() == "*** End of File" {
            finish(&mut hunk, &mut within, true, &mut patches);
        } else if content.starts_with("*** ") {
            return Err(FormatError::at(
                from + index,
                format!("\"{content}\" is not part of an update."),
            ));
        } else if let Some(context) =
            content.strip_prefix("@@").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            finish(&mut hunk, &mut within, false, &mut patches);
            // The syntax of a unified diff: line numbers, then the heading.
            let numbered = context.trim_start().starts_with('-') && context.contains(" +");
            let context = match context.split_once("@@") {
                Some((_, heading)) if numbered => heading,
                _ if numbered => "",
                _ => context.trim_end().trim_end_matches("@@"),
            };
            if !context.trim().is_empty() {
                within.push(context.trim().to_owned());
            }
        } else {
            hunk.add(line);
        }
    }
    finish(&mut hunk, &mut within, false, &mut patches);
    Ok(match to {
        Some(to) => Change::Move { to, patches },
        None if patches.is_empty() => {
            return Err(FormatError::at(from.saturating_sub(1), "this update has no changes."));
        }
        None => Change::Update(patches),
    })
}
