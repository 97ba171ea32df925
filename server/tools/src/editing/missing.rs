//! Where what was not found may be: a file under another path, a text in another file.

use patch::{FailureCode, Patch, Report};
use workspace::{FileError, FilePath};

use crate::search::{files_named, lines_with};
use crate::{Context, ToolError};

/// Characters that a line must have to be looked for.
const TELLING: usize = 12;

/// That there is no such file, with those that may be meant.
pub(super) fn file(context: &Context<'_>, path: &FilePath) -> ToolError {
    let error = ToolError::from(FileError::NotFound { path: path.display_path() });
    match &files_named(context, path)[..] {
        [] => error,
        near => error.hint(format!("there is {}", near.join(", "))),
    }
}

/// The error of a patch whose text is not in its file, with another file that has it.
pub(super) fn text(
    context: &Context<'_>,
    path: &FilePath,
    patches: &[Patch],
    report: &Report,
    error: ToolError,
) -> ToolError {
    let first = report.failures.first().filter(|failure| {
        // What is nearly there is meant to be there.
        let is_near =
            failure.candidates.iter().any(|near| near.similarity.is_some_and(|s| s > 0.8));
        failure.code == FailureCode::NoMatch && !is_near
    });
    let Some(patch) = first.and_then(|failure| patches.get(failure.patch)) else { return error };
    let longest = patch.old_text.lines().max_by_key(|line| line.trim().len()).unwrap_or_default();
    if longest.trim().len() < TELLING {
        return error;
    }
    let shown = path.display_path();
    let all: Vec<&str> = patch.old_text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let places = lines_with(context, "apply_edit", longest);
    let there = places.into_iter().find(|place| {
        let elsewhere = || context.snapshot.locate(&place.path).ok();
        let text = || elsewhere().and_then(|path| context.snapshot.read(&path).ok());
        place.path != shown
            && text().is_some_and(|file| {
                let text = file.text.to_string();
                all.iter().all(|line| text.contains(line))
            })
    });
    match there {
        Some(there) => error
            .hint(format!("{}, line {}, has this text: is that the file?", there.path, there.line)),
        None => error,
    }
}
