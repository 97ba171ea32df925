//! What tools report that replace many places: the first of them, and numbers.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use text::Text;
use workspace::FilePath;

use crate::editing;
use tools::results::{Lines, count, line_at, list_at, number_at, str_at, strings_at};

/// Limit for the places of a result.
const MAX_PLACES: usize = 10;
/// Limits for what is listed as text: files; places of a dry run and of a run; syntax errors.
const MAX_TEXT_FILES: usize = 8;
const MAX_TEXT_PLACES: usize = 3;
const MAX_TEXT_ERRORS: usize = 10;

/// A replaced place.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Place {
    /// The path, relative to the workspace.
    path: String,
    /// 1-based line in the previous text.
    line: usize,
    /// The line before, trimmed.
    old: String,
    /// The line after, trimmed.
    new: String,
}

/// Adds the places of a file's edits, up to the limit.
pub(crate) fn push_places(
    places: &mut Vec<Place>,
    path: &FilePath,
    text: &Text,
    edits: &editing::Edits,
) {
    let mut done = None;
    for (range, _) in edits {
        if places.len() == MAX_PLACES {
            return;
        }
        let line = text.line_of(range.start);
        if done == Some(line) {
            continue;
        }
        done = Some(line);
        places.push(Place {
            path: path.display_path(),
            line: line + 1,
            old: line_at(text, range.start),
            new: new_line(text, line, edits),
        });
    }
}

/// The first line that takes the place of `line`, or of the lines that a match in it spans.
fn new_line(text: &Text, line: usize, edits: &editing::Edits) -> String {
    let (start, mut end) = (text.line_start(line), text.line_start(line + 1).min(text.len()));
    let (mut new, mut at) = (String::new(), start);
    for (range, replacement) in edits.iter().filter(|(range, _)| range.end > start) {
        if range.start >= end {
            break;
        }
        // A match that begins in an earlier line is shown there.
        if range.start < at {
            at = range.end;
            continue;
        }
        new.push_str(&text.slice(at..range.start));
        new.push_str(replacement);
        at = range.end;
        if at > end {
            end = text.line_start(text.line_of(at) + 1).min(text.len());
        }
    }
    new.push_str(&text.slice(at.min(end)..end));
    let new = Text::new(&new);
    line_at(&new, 0)
}

/// Adds what was replaced where, and what is wrong.
pub(crate) fn push_summary(lines: &mut Lines, result: &Value) {
    let files = list_at(result, "files");
    let is_dry_run = result["action"].is_null() && result["unrecorded"].is_null();
    if result["changed"] == true {
        let left_out = number_at(result, "files_left_out");
        let all = files.len() + usize::try_from(left_out).unwrap_or_default();
        let places = usize::try_from(number_at(result, "count")).unwrap_or_default();
        let done = if is_dry_run { "would replace" } else { "replaced" };
        lines.push(format_args!("{done} {} in {}", count(places, "place"), count(all, "file")));
        if all <= MAX_TEXT_FILES {
            for file in files {
                lines.push(format_args!("{}: {}", str_at(file, "path"), number_at(file, "count")));
            }
        }
        let most = if is_dry_run { MAX_PLACES } else { MAX_TEXT_PLACES };
        let places = list_at(result, "places").iter().take(most);
        let entry =
            |place: &Value| format!("{}: {}", number_at(place, "line"), str_at(place, "new"));
        let places: Vec<_> = places.map(|place| (str_at(place, "path"), entry(place))).collect();
        lines.push("the first:");
        lines.push_by_path(&places);
    }
    push_errors(lines, files);
}

fn push_errors(lines: &mut Lines, files: &[Value]) {
    let errors = files.iter().flat_map(|file| {
        let errors = list_at(file, "new_syntax_errors").iter();
        errors.map(move |error| (str_at(file, "path"), error))
    });
    let errors: Vec<_> = errors.collect();
    for (path, error) in errors.iter().take(MAX_TEXT_ERRORS) {
        let (line, message) = (number_at(error, "line"), str_at(error, "message"));
        lines.push(format_args!("{path}:{line}: new syntax error: {message}"));
    }
    if errors.len() > MAX_TEXT_ERRORS {
        lines.push(format_args!("[{} more new syntax errors]", errors.len() - MAX_TEXT_ERRORS));
    }
    for file in files {
        for note in strings_at(file, "notes") {
            lines.push(format_args!("{}: {note}", str_at(file, "path")));
        }
    }
}
