//! Parses SEARCH/REPLACE blocks: `<<<<<<< SEARCH` … `=======` … `>>>>>>> REPLACE`, with the path on a
//! line above.

use super::{Change, FilePatches, FormatError, is_fence, merge_same_file, path_in, split_input};
use crate::lines::TextLine;
use crate::patch::Patch;

/// The length of a marker made of `mark`, if the line is one that ends with `word`.
fn marker(line: &str, mark: char, words: &[&str]) -> Option<usize> {
    let line = line.trim_end();
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    let fits = if words.is_empty() {
        rest.is_empty()
    } else {
        words.contains(&rest.trim_start_matches(' ').trim_end_matches(['<', '>']))
    };
    ((5..=9).contains(&length) && fits).then_some(length)
}

fn opening(line: &str) -> Option<usize> {
    marker(line, '<', &["SEARCH", "ORIGINAL", "search"])
}

fn closing(line: &str) -> Option<usize> {
    marker(line, '>', &["REPLACE", "UPDATED", "replace"])
}

/// Whether a line opens a block.
pub(super) fn is_mark(line: &str) -> bool {
    opening(line).is_some()
}

/// Reads search and replace blocks.
///
/// A block without a path belongs to the file of the one before. Lines of the texts that
/// look like markers are written with a backslash before them.
///
/// # Errors
///
/// A block that is not closed, or has no divider or more than one.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines = split_input(input);
    let (mut files, mut path, mut at) = (Vec::new(), None, 0);
    while at < lines.len() {
        if opening(lines[at].content).is_none() {
            if closing(lines[at].content).is_some() {
                return Err(FormatError::at(at, "REPLACE without a SEARCH before it."));
            }
            if super::has_marks(lines[at].content) {
                return Err(FormatError::at(at, "another format begins; send one format only."));
            }
            at += 1;
            continue;
        }
        path = path_above(&lines[..at]).or(path);
        let (patch, next) = parse_block(&lines, at)?;
        let change = if patch.old_text.is_empty() {
            Change::Create(patch.new_text)
        } else {
            Change::Update(vec![patch])
        };
        files.push(FilePatches::new(path.clone(), change));
        at = next;
    }
    if files.is_empty() {
        return Err(FormatError::Unknown);
    }
    Ok(merge_same_file(files))
}

/// The path on the nearest non-blank line above a block, skipping the fence that opens it.
fn path_above(lines: &[TextLine<'_>]) -> Option<String> {
    let mut above = lines
        .iter()
        .rev()
        .filter(|line| !line.is_blank())
        .take(4)
        .map(|line| line.content)
        .peekable();
    if let Some(fence) = above.next_if(|line| is_fence(line)) {
        // The fence of the block before, closed, has nothing after it and a REPLACE above.
        if above.peek().is_some_and(|line| closing(line).is_some()) {
            return None;
        }
        if let Some((_, named)) = fence.trim().trim_start_matches('`').split_once([' ', ':'])
            && let Some(path) = path_in(named)
        {
            return Some(path);
        }
        // The path may have a fence of its own, closed right above the block's.
        if let Some(end) = above.next_if(|line| is_fence(line)) {
            let named = above.next().filter(|_| end.trim().chars().all(|c| c == '`'));
            return named.filter(|_| above.next().is_some_and(is_fence)).and_then(path_in);
        }
    }
    above.next().filter(|line| closing(line).is_none() && !is_fence(line)).and_then(path_in)
}

fn parse_block(lines: &[TextLine<'_>], open: usize) -> Result<(Patch, usize), FormatError> {
    let length = opening(lines[open].content).unwrap_or(7);
    let Some(close) = (open + 1..lines.len()).find(|&at| closing(lines[at].content).is_some())
    else {
        return Err(FormatError::at(open, "this SEARCH is not closed by a REPLACE line."));
    };
    if let Some(again) = (open + 1..close).find(|&at| opening(lines[at].content).is_some()) {
        return Err(FormatError::at(
            again,
            "SEARCH inside of another block; close that with a REPLACE line first.",
        ));
    }
    let dividers: Vec<usize> = (open + 1..close)
        .filter(|&at| marker(lines[at].content, '=', &[]) == Some(length))
        .collect();
    let [divider] = dividers[..] else {
        let problem = match dividers.len() {
            0 => format!("this block has no line {} between its texts.", "=".repeat(length)),
            count => format!(
                "this block has {count} lines {}; write a backslash before those that belong to a text.",
                "=".repeat(length)
            ),
        };
        return Err(FormatError::at(open, problem));
    };
    let mut patch = Patch::default();
    let mut start = open + 1;
    while start < divider {
        let line = lines[start].content.trim();
        if let Some(number) = line.strip_prefix(":start_line:") {
            patch.start_line = number.trim().parse().ok().filter(|&number| number > 0);
        } else if let Some(number) = line.strip_prefix(":end_line:") {
            patch.end_line = number.trim().parse().ok().filter(|&number| number > 0);
        } else {
            if start > open + 1 && line.len() >= 5 && line.bytes().all(|byte| byte == b'-') {
                start += 1;
            }
            break;
        }
        start += 1;
    }
    patch.old_text = joined_text(&lines[start..divider]);
    patch.new_text = joined_text(&lines[divider + 1..close]);
    Ok((patch, close + 1))
}

fn joined_text(lines: &[TextLine<'_>]) -> String {
    lines
        .iter()
        .map(|line| {
            let escaped = line.content.strip_prefix('\\').filter(|rest| {
                opening(rest).is_some()
                    || closing(rest).is_some()
                    || marker(rest, '=', &[]).is_some()
                    || rest.starts_with("-----")
                    || rest.starts_with(":start_line:")
            });
            format!("{}{}", escaped.unwrap_or(line.content), line.ending.as_str())
        })
        .collect()
}
