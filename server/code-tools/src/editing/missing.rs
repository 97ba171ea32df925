//! Errors for missing files and texts, with suggestions where they may be: a file under another
//! path, a text in another file.

use patch::{FailureCode, Patch, Report};
use workspace::{FileError, FilePath};

use search_tools::{files_named, lines_with};
use tools::{Context, ToolError};

/// Minimum length of a line that is searched for, in bytes.
const MIN_LINE_BYTES: usize = 12;

/// The error for a missing file, with files of a similar path.
pub(super) fn file_not_found(context: &Context<'_>, path: &FilePath) -> ToolError {
    let error = ToolError::from(FileError::NotFound { path: path.display_path() });
    match &files_named(context, path)[..] {
        [] => error,
        candidate => error.hint(format!("there is {}", candidate.join(", "))),
    }
}

/// The error of a patch whose text is not in its file, with another file that contains it.
pub(super) fn text_not_found(
    context: &Context<'_>,
    path: &FilePath,
    patches: &[Patch],
    report: &Report,
    error: ToolError,
) -> ToolError {
    let first = report.failures.first().filter(|failure| {
        // A close match is most likely the place meant.
        let is_near = failure
            .candidates
            .iter()
            .any(|candidate| candidate.similarity.is_some_and(|s| s > 0.8));
        failure.code == FailureCode::NoMatch && !is_near
    });
    let Some(patch) = first.and_then(|failure| patches.get(failure.patch)) else { return error };
    let longest = patch.old_text.lines().max_by_key(|line| line.trim().len()).unwrap_or_default();
    if longest.trim().len() < MIN_LINE_BYTES {
        return error;
    }
    let shown = path.display_path();
    let all: Vec<&str> = patch.old_text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let places = lines_with(context, "apply_edit", longest);
    let elsewhere_match = places.into_iter().find(|place| {
        let elsewhere = || context.snapshot.locate(&place.path).ok();
        let text = || elsewhere().and_then(|path| context.snapshot.read(&path).ok());
        place.path != shown
            && text().is_some_and(|file| {
                let text = file.text.to_string();
                all.iter().all(|line| text.contains(line))
            })
    });
    match elsewhere_match {
        Some(elsewhere_match) => error.hint(format!(
            "{}, line {}, has this text: is that the file?",
            elsewhere_match.path, elsewhere_match.line
        )),
        None => error,
    }
}
