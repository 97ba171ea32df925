//! Our problems in texts, before and after.

use std::collections::BTreeSet;

use text::Text;
use workspace::{Document, FilePath, NameDiagnostic, QueryError, Severity, SupposedFile};

use super::Problem;
use crate::Context;
use crate::changed_texts::Changes;
use crate::results::with_index_wait;

/// Limit for the problems of one text.
const MAX_PROBLEMS: usize = 500;
/// Limits for other files that are checked because they mention a name that was added or removed, and
/// for their texts, in bytes.
const MAX_OTHER_FILES: usize = 40;
const MAX_OTHER_BYTES: usize = 2 << 20;
/// Limit for the changed texts in which names are resolved.
const MAX_RESOLVED_FILES: usize = 100;

/// A file before and after, with its problems.
pub(super) struct Compared {
    pub(super) path: FilePath,
    /// Whether it exists afterwards.
    pub(super) is_kept: bool,
    /// Whether its names are known, before and afterwards: they are not in a text with syntax errors.
    pub(super) knows_names: (bool, bool),
    pub(super) before: (Text, Vec<Problem>),
    pub(super) after: (Text, Vec<Problem>),
}

/// The files that were compared, and what could not be.
pub(super) struct Comparison {
    pub(super) files: Vec<Compared>,
    /// Why names may have other problems than those found.
    pub(super) names_pending: Option<String>,
}

/// Finds the problems of all changed files before and after, and of other files that mention names
/// that were added or removed.
pub(super) fn compare_texts(context: &Context<'_>, changes: &Changes) -> Comparison {
    let mut pairs: Vec<(SupposedFile, SupposedFile)> = Vec::new();
    for changed in &changes.texts {
        let before = changed
            .before
            .as_ref()
            .map(|(path, text, language)| SupposedFile::new(path, text.clone(), *language));
        let after = changed
            .after
            .as_ref()
            .map(|after| SupposedFile::new(&after.path, after.text.clone(), after.language));
        match (before, after) {
            (Some(before), Some(after)) => {
                if before.path() != after.path() {
                    let absent = |file: &SupposedFile| SupposedFile::absent(file.path());
                    pairs.push((absent(&after), absent(&before)));
                }
                pairs.push((before, after));
            }
            (Some(before), None) => {
                let after = SupposedFile::absent(before.path());
                pairs.push((before, after));
            }
            (None, Some(after)) => pairs.push((SupposedFile::absent(after.path()), after)),
            (None, None) => {}
        }
    }
    let changed_count = pairs.len();
    let mut names_pending = None;
    if changes.others > 0 {
        names_pending =
            Some("files or folders were moved, copied or deleted as a whole".to_owned());
    } else if changes.is_dry_run && pairs.iter().any(|(_, after)| after.document().is_none()) {
        names_pending = Some("a dry run does not know what a deletion breaks".to_owned());
    }
    let broken = |(before, after): &(SupposedFile, SupposedFile)| {
        is_broken(context, before) || is_broken(context, after)
    };
    if changed_count > MAX_RESOLVED_FILES {
        names_pending = Some(format!("more than {MAX_RESOLVED_FILES} files changed"));
    } else if let Some((_, file)) = pairs.iter().find(|pair| broken(pair)) {
        // What a broken file defines is not known, so neither is what that means elsewhere.
        let path = file.path().display_path();
        let why = format!("{path} has or had syntax errors: other files were not checked");
        names_pending.get_or_insert(why);
    } else {
        match other_files(context, &pairs) {
            Ok((others, left_out)) => {
                if let Some(file) = others.iter().find(|file| is_broken(context, file)) {
                    let path = file.path().display_path();
                    let why = format!("{path} has syntax errors: its names were not checked");
                    names_pending.get_or_insert(why);
                }
                pairs.extend(others.into_iter().map(|other| (other.clone(), other)));
                if left_out > 0 {
                    let why = format!("{left_out} other files that mention changed names");
                    names_pending.get_or_insert(why);
                }
            }
            Err(error) => drop(names_pending.get_or_insert(why_pending(error))),
        }
    }
    let (before, after): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    // The commit may have opened, closed or changed documents.
    let snapshot = with_index_wait(&context.workspace.snapshot());
    let mut resolved = |files: &[SupposedFile]| {
        if changed_count > MAX_RESOLVED_FILES {
            return None;
        }
        let found = snapshot.findings_if(files, context.interrupt);
        found.map_err(|error| names_pending.get_or_insert(why_pending(error))).ok()
    };
    let names = resolved(&before).zip(resolved(&after));
    let (mut names_before, mut names_after) = names.unzip();
    let mut files = Vec::new();
    for (number, (before, after)) in before.iter().zip(&after).enumerate() {
        let of_file = |names: &mut Option<Vec<Vec<NameDiagnostic>>>| {
            names.as_mut().and_then(|names| names.get_mut(number)).map(std::mem::take)
        };
        let problems = |file: &SupposedFile, names: Option<Vec<NameDiagnostic>>| {
            let Some(document) = file.document() else { return (Text::new(""), Vec::new()) };
            (document.text().clone(), text_problems(context, document, names.unwrap_or_default()))
        };
        files.push(Compared {
            path: after.path().clone(),
            is_kept: after.document().is_some(),
            knows_names: (!is_broken(context, before), !is_broken(context, after)),
            before: problems(before, of_file(&mut names_before)),
            after: problems(after, of_file(&mut names_after)),
        });
    }
    Comparison { files, names_pending }
}

fn is_broken(context: &Context<'_>, file: &SupposedFile) -> bool {
    let syntax = file.document().and_then(|document| document.syntax(context.interrupt));
    syntax.is_some_and(|syntax| syntax.root().has_error() || !syntax.errors(1).is_empty())
}

fn why_pending(error: QueryError) -> String {
    match error {
        QueryError::Interrupted => "the workspace is still being indexed".to_owned(),
        QueryError::DocumentChanged => "other programs keep changing files".to_owned(),
    }
}

/// Other files that mention a name which the changes add or remove, and how many were left out.
fn other_files(
    context: &Context<'_>,
    pairs: &[(SupposedFile, SupposedFile)],
) -> Result<(Vec<SupposedFile>, usize), QueryError> {
    let visible = |file: &SupposedFile| -> BTreeSet<String> {
        let document = file.document();
        document.map(|document| document.visible_names(context.interrupt)).unwrap_or_default()
    };
    let changed: BTreeSet<String> = pairs
        .iter()
        .flat_map(|(before, after)| {
            let (before, after) = (visible(before), visible(after));
            before.symmetric_difference(&after).cloned().collect::<Vec<_>>()
        })
        .collect();
    if changed.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let names: Vec<&str> = changed.iter().map(String::as_str).collect();
    let snapshot = with_index_wait(&context.workspace.snapshot());
    let (paths, has_more) = snapshot.files_mentioning(&names, context.interrupt)?;
    let own: BTreeSet<String> = pairs
        .iter()
        .flat_map(|(before, after)| [before.path().display_path(), after.path().display_path()])
        .collect();
    let (mut files, mut left_out, mut room) = (Vec::new(), usize::from(has_more), MAX_OTHER_BYTES);
    for path in paths {
        if own.contains(&path.display_path()) || !context.may_read(&path) {
            continue;
        }
        let Ok(file) = snapshot.read(&path) else { continue };
        if files.len() == MAX_OTHER_FILES || file.text.len() > room {
            left_out += 1;
            continue;
        }
        room -= file.text.len();
        files.push(SupposedFile::new(&path, file.text.clone(), file.language()));
    }
    Ok((files, left_out))
}

/// The problems of one text, by position.
fn text_problems(
    context: &Context<'_>,
    document: &Document,
    names: Vec<NameDiagnostic>,
) -> Vec<Problem> {
    let text = document.text();
    let problem = |at: usize, severity, code: &'static str, message: String| {
        let line = text.line_of(at);
        let column = at - text.line_start(line);
        let (code, source) = (code.into(), "".into());
        Problem { line, column, severity, code, message, source, is_of_names: false }
    };
    let mut all = Vec::new();
    if let Some(syntax) = document.syntax(context.interrupt) {
        for error in syntax.errors(MAX_PROBLEMS) {
            all.push(problem(error.span.start, "error", "syntax-error", error.message));
        }
        for warning in syntax.warnings(MAX_PROBLEMS) {
            all.push(problem(warning.span.start, "warning", "duplicate-name", warning.message));
        }
    }
    for finding in names {
        let severity = match finding.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        };
        let (code, message) = (finding.kind.code(), finding.message());
        let found = problem(finding.span.start, severity, code, message);
        all.push(Problem { is_of_names: true, ..found });
    }
    all.sort_by_key(|problem| (problem.line, problem.column));
    all.truncate(MAX_PROBLEMS);
    all
}
