//! `apply_edit`: fuzzy atomic patches of one file or many.

use patch::{Options, Patch, Plan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use similar::TextDiff;
use std::sync::atomic::Ordering;
use syntax::{Language, Syntax};
use text::Text;
use workspace::{
    Change, CommitError, EditorError, FileError, FilePath, FileText, Hash, Snapshot, Source, Turn,
};

use crate::{Code, Context, Effect, Tool, ToolError, leave};

pub(crate) struct ApplyEdit;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file to edit, with `old_text` and `new_text` or with `patches`.
    #[serde(default)]
    path: Option<String>,
    /// The text to find: as it stands in the file, with enough around it to be unique.
    #[serde(default)]
    old_text: Option<String>,
    /// What is to stand there instead.
    #[serde(default)]
    new_text: Option<String>,
    /// Several replacements in the file at `path`, all of the text as it is now.
    #[serde(default)]
    patches: Option<Vec<PatchParams>>,
    /// Several files: all of them change, or none.
    #[serde(default)]
    edits: Option<Vec<FileParams>>,
    /// Answer what would happen, and change nothing.
    #[serde(default)]
    dry_run: bool,
    /// The hash that `read_file` gave for `path`; another content is refused.
    #[serde(default)]
    expected_hash: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileParams {
    /// The file to edit.
    path: String,
    /// The replacements in it.
    patches: Vec<PatchParams>,
    /// The hash that `read_file` gave; another content is refused.
    #[serde(default)]
    expected_hash: Option<String>,
}

#[derive(Deserialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
struct PatchParams {
    /// The text to find.
    old_text: String,
    /// What is to stand there instead.
    new_text: String,
    /// 1-based line where it is expected; decides between equal matches only.
    #[serde(default)]
    start_line: Option<usize>,
    /// 1-based last line of that place.
    #[serde(default)]
    end_line: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether any file changed (or would, in a dry run).
    changed: bool,
    files: Vec<FileOutput>,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    path: String,
    changed: bool,
    /// SHA-256 of the file's bytes afterwards.
    hash: String,
    /// Unified diff.
    diff: String,
    /// One entry a patch, in the order given.
    patches: Vec<PatchOutput>,
    /// Syntax errors that were not there before.
    new_syntax_errors: Vec<SyntaxErrorOutput>,
}

#[derive(Serialize, JsonSchema)]
struct PatchOutput {
    /// `applied`, `already_applied` or `unchanged`.
    outcome: &'static str,
    /// How the place was found, for instance `exact` or `indentation`.
    strategy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    /// 1-based lines of the text before the edit.
    start_line: usize,
    end_line: usize,
    /// How many lines the hint was off.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint_off_by: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct SyntaxErrorOutput {
    /// 1-based line of the text after the edit.
    line: usize,
    message: String,
}

/// All patches of one file.
struct Wanted {
    path: FilePath,
    patches: Vec<Patch>,
    expected_hash: Option<String>,
}

/// What was worked out for one file.
struct Planned {
    file: FileText,
    plan: Plan,
    after: String,
}

/// Most syntax errors looked at in one text.
const MOST_ERRORS: usize = 200;
/// Most new syntax errors told.
const TOLD_ERRORS: usize = 20;
/// A document that moves on while it is edited is tried again, once.
const ATTEMPTS: usize = 2;

impl Tool for ApplyEdit {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "apply_edit";
    const ALIASES: &'static [&'static str] = &["apply_patch"];
    const DESCRIPTION: &'static str = "Replace text in files. Each patch's old_text must name one \
        place: exactly, or but for line endings, trailing blanks or one consistent change of \
        indentation; line hints decide between equal places. All patches are matched against the \
        text as it is now, and either all of them are applied or nothing changes. Open documents \
        change in the editor, with its undo; closed files are replaced atomically.";
    const EFFECT: Effect = Effect::Write;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let dry_run = params.dry_run;
        let wanted = wanted(context, params)?;
        let mut snapshot = context.snapshot.clone();
        if dry_run {
            return Ok(report(&plan(&snapshot, &wanted, context)?, context));
        }
        let turn = context.workspace.turn(context.interrupt).ok_or_else(cancelled)?;
        for attempt in 1.. {
            let planned = plan(&snapshot, &wanted, context)?;
            let output = report(&planned, context);
            if !output.changed {
                return Ok(output);
            }
            for planned in planned.iter().filter(|p| !p.plan.is_unchanged()) {
                leave::to_write(Self::NAME, &planned.file.path, context.editor)?;
            }
            if context.interrupt.load(Ordering::Relaxed) {
                return Err(cancelled());
            }
            match commit(context, &turn, &snapshot, planned) {
                Err(CommitError::Moved { .. } | CommitError::File(FileError::Changed { .. }))
                    if attempt < ATTEMPTS =>
                {
                    snapshot = context.workspace.snapshot();
                }
                Err(error) => return Err(commit_error(&error)),
                Ok(()) => return Ok(output),
            }
        }
        Err(ToolError::new(Code::Internal, "apply_edit: out of attempts"))
    }
}

fn cancelled() -> ToolError {
    ToolError::new(Code::Cancelled, "apply_edit: cancelled; nothing changed")
}

fn invalid(message: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("apply_edit: {message}"))
}

/// The three forms of the parameters as one: patches by file, each file once.
fn wanted(context: &Context<'_>, params: Params) -> Result<Vec<Wanted>, ToolError> {
    const FORMS: &str = "give {path, old_text, new_text}, {path, patches} or {edits}";
    let single = params.old_text.is_some() || params.new_text.is_some();
    let files = match (params.edits, params.path, params.patches) {
        (Some(edits), None, None) if !single && params.expected_hash.is_none() => edits,
        (None, Some(path), Some(patches)) if !single => {
            vec![FileParams { path, patches, expected_hash: params.expected_hash }]
        }
        (None, Some(path), None) => {
            let (Some(old_text), Some(new_text)) = (params.old_text, params.new_text) else {
                return Err(invalid("old_text and new_text are both needed").hint(FORMS));
            };
            let patches =
                vec![PatchParams { old_text, new_text, start_line: None, end_line: None }];
            vec![FileParams { path, patches, expected_hash: params.expected_hash }]
        }
        _ => return Err(invalid("the parameters do not say one edit").hint(FORMS)),
    };
    if files.is_empty() || files.iter().any(|f| f.patches.is_empty()) {
        return Err(invalid("there is nothing to apply").hint(FORMS));
    }
    let mut wanted: Vec<Wanted> = Vec::new();
    for file in files {
        let path = context.snapshot.locate(&file.path)?;
        let patches = file.patches.into_iter().map(|p| Patch {
            old_text: p.old_text,
            new_text: p.new_text,
            start_line: p.start_line,
            end_line: p.end_line,
            ..Patch::default()
        });
        match wanted.iter_mut().find(|w| w.path == path) {
            Some(same) => {
                if file.expected_hash.is_some() && same.expected_hash != file.expected_hash {
                    return Err(invalid("one file is given with two different hashes"));
                }
                same.patches.extend(patches);
            }
            None => wanted.push(Wanted {
                path,
                patches: patches.collect(),
                expected_hash: file.expected_hash,
            }),
        }
    }
    Ok(wanted)
}

/// Works out every file, and tells every failure at once.
fn plan(
    snapshot: &Snapshot,
    wanted: &[Wanted],
    context: &Context<'_>,
) -> Result<Vec<Planned>, ToolError> {
    let mut planned = Vec::new();
    let mut failures: Vec<Value> = Vec::new();
    let mut first: Option<ToolError> = None;
    for wanted in wanted {
        match plan_file(snapshot, wanted, context) {
            Ok(file) => planned.push(file),
            Err((error, told)) => {
                failures.extend(told);
                first.get_or_insert(error);
            }
        }
    }
    match first {
        None => Ok(planned),
        Some(error) => {
            let details = match error.details.clone() {
                Some(Value::Object(mut details)) => {
                    details.insert("failures".into(), failures.into());
                    details.into()
                }
                _ => json!({ "failures": failures }),
            };
            Err(error.details(details))
        }
    }
}

fn plan_file(
    snapshot: &Snapshot,
    wanted: &Wanted,
    context: &Context<'_>,
) -> Result<Planned, (ToolError, Vec<Value>)> {
    let shown = wanted.path.shown();
    let whole = |error: ToolError| {
        let failure = json!({
            "path": shown, "code": error.code.as_str(), "message": error.message,
        });
        (error, vec![failure])
    };
    let file = snapshot.read(&wanted.path).map_err(|e| whole(e.into()))?;
    if matches!(file.source, Source::Open(_)) && !context.editor.can_apply() {
        let error = ToolError::new(
            Code::Unsupported,
            format!("{shown}: is open, and the editor cannot apply edits"),
        );
        return Err(whole(error.hint("close it, or use a client with workspace/applyEdit")));
    }
    if wanted.expected_hash.as_deref().is_some_and(|h| !same_hash(h, file.hash)) {
        let error =
            ToolError::new(Code::Conflict, format!("{shown}: is not what it was when it was read"))
                .hint("read it again; its hash now is in details.hash")
                .details(json!({ "path": shown, "hash": file.hash.to_string() }));
        return Err(whole(error));
    }
    let before = file.text.to_string();
    let language = file.language();
    let syntax = language.and_then(|l| Syntax::parse(l, &file.text, None, context.interrupt));
    let count = |text: &str| {
        let text = Text::new(text);
        language
            .and_then(|l| Syntax::parse(l, &text, syntax.as_ref(), context.interrupt))
            .map_or(0, |syntax| syntax.error_count(MOST_ERRORS))
    };
    let mut options = Options::default();
    if language.is_some() {
        options.syntax_errors = Some(&count);
    }
    match patch::plan(&before, &wanted.patches, &options) {
        Ok(plan) => {
            let after = plan.apply(&before);
            Ok(Planned { file, plan, after })
        }
        Err(report) => Err(patch_error(&shown, &wanted.patches, &report)),
    }
}

fn same_hash(given: &str, hash: Hash) -> bool {
    given.trim().eq_ignore_ascii_case(&hash.to_string())
}

/// The first failing patch as the error, all of them as failures.
fn patch_error(path: &str, patches: &[Patch], report: &patch::Report) -> (ToolError, Vec<Value>) {
    let failures = report
        .failures
        .iter()
        .map(|failure| {
            let candidates: Vec<Value> = failure
                .candidates
                .iter()
                .map(|c| {
                    json!({
                        "start_line": c.start_line, "end_line": c.end_line,
                        "similarity": c.similarity, "difference": c.difference,
                        "text": c.text, "unique_line": c.unique_line,
                    })
                })
                .collect();
            json!({
                "path": path, "patch": failure.patch, "code": failure.code.as_str(),
                "message": failure.message, "hint": failure.hint, "with": failure.with,
                "candidates": candidates,
            })
        })
        .collect();
    let Some(first) = report.failures.first() else {
        return (ToolError::new(Code::Internal, format!("{path}: {report}")), failures);
    };
    let quotes_nothing = patches.get(first.patch).is_some_and(|p| p.old_text.is_empty());
    let code = match first.code {
        _ if quotes_nothing => Code::InvalidParams,
        patch::FailureCode::NoMatch => Code::NoMatch,
        patch::FailureCode::Ambiguous => Code::Ambiguous,
        patch::FailureCode::Overlap => Code::Overlap,
        patch::FailureCode::Guard => Code::Guard,
    };
    let others = match report.failures.len() {
        1 => String::new(),
        n => format!(" ({} more patches fail: see details.failures)", n - 1),
    };
    let error = ToolError::new(code, format!("{path}: {}{others}", first.message));
    (first.hint.iter().fold(error, |error, hint| error.hint(hint)), failures)
}

fn report(planned: &[Planned], context: &Context<'_>) -> Output {
    let files: Vec<_> = planned.iter().map(|planned| report_file(planned, context)).collect();
    Output { changed: files.iter().any(|f| f.changed), files }
}

fn report_file(planned: &Planned, context: &Context<'_>) -> FileOutput {
    let path = planned.file.path.shown();
    let changed = !planned.plan.is_unchanged();
    let before = planned.file.text.to_string();
    let patches = planned
        .plan
        .outcomes
        .iter()
        .map(|outcome| PatchOutput {
            outcome: outcome.kind.as_str(),
            strategy: outcome.strategy.as_str(),
            similarity: outcome.similarity,
            start_line: outcome.start_line,
            end_line: outcome.end_line,
            hint_off_by: outcome.hint_off_by,
            notes: outcome.notes.clone(),
        })
        .collect();
    let hash = match changed {
        true => Hash::of(&planned.file.spell(&planned.after)),
        false => planned.file.hash,
    };
    FileOutput {
        diff: if changed { diff(&path, &before, &planned.after) } else { String::new() },
        new_syntax_errors: match planned.file.language().filter(|_| changed) {
            Some(language) => new_errors(language, planned, context),
            None => Vec::new(),
        },
        hash: hash.to_string(),
        path,
        changed,
        patches,
    }
}

fn diff(path: &str, before: &str, after: &str) -> String {
    /// As in every result: past the budget, the beginning and the end.
    const BUDGET: usize = 50_000;
    let diff = TextDiff::configure()
        .timeout(std::time::Duration::from_millis(500))
        .diff_lines(before, after)
        .unified_diff()
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string();
    if diff.len() <= BUDGET {
        return diff;
    }
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let (head, tail) = (lines.len().min(100), lines.len().saturating_sub(50).max(100));
    let left_out = tail.saturating_sub(head);
    let shorten = |line: &&str| line.chars().take(300).collect::<String>();
    let mut cut: String = lines[..head].iter().map(shorten).collect();
    cut.push_str(&format!("\n[{left_out} lines left out]\n"));
    cut.extend(lines[tail.min(lines.len())..].iter().map(shorten));
    cut
}

fn new_errors(
    language: Language,
    planned: &Planned,
    context: &Context<'_>,
) -> Vec<SyntaxErrorOutput> {
    let told = |text: &Text, old: Option<&Syntax>| {
        let syntax = Syntax::parse(language, text, old, context.interrupt)?;
        let errors: Vec<_> = syntax
            .errors(MOST_ERRORS)
            .into_iter()
            .map(|e| (text.line_of(e.span.start), e.message))
            .collect();
        Some((syntax, errors))
    };
    let Some((syntax, mut before)) = told(&planned.file.text, None) else { return Vec::new() };
    let after = Text::new(&planned.after);
    let Some((_, errors)) = told(&after, Some(&syntax)) else { return Vec::new() };
    errors
        .into_iter()
        .filter(|(line, message)| {
            // An error is an old one when its line and message stood there before.
            let known = before.iter().position(|(old_line, old_message)| {
                old_message == message && planned.file.text.line(*old_line) == after.line(*line)
            });
            known.map(|at| before.swap_remove(at)).is_none()
        })
        .take(TOLD_ERRORS)
        .map(|(line, message)| SyntaxErrorOutput { line: line + 1, message })
        .collect()
}

fn commit(
    context: &Context<'_>,
    turn: &Turn<'_>,
    snapshot: &Snapshot,
    planned: Vec<Planned>,
) -> Result<(), CommitError> {
    let changes: Vec<Change> = planned
        .into_iter()
        .filter(|planned| !planned.plan.is_unchanged())
        .map(|planned| Change {
            file: planned.file,
            edits: planned.plan.edits.into_iter().map(|e| (e.range, e.new_text)).collect(),
            after: planned.after,
        })
        .collect();
    context.workspace.commit(turn, ApplyEdit::NAME, snapshot, &changes, context.editor)
}

fn commit_error(error: &CommitError) -> ToolError {
    let again = "read the file again, then retry";
    match error {
        CommitError::Moved { .. } => ToolError::new(Code::Conflict, error.to_string()).hint(again),
        CommitError::Editor { source, .. } => {
            let code = match source {
                EditorError::Unsupported => Code::Unsupported,
                EditorError::Refused(_) => Code::Conflict,
                EditorError::NoAnswer => Code::Timeout,
            };
            ToolError::new(code, error.to_string()).hint(again)
        }
        CommitError::File(source) => source.clone().into(),
        CommitError::Torn { .. } => ToolError::new(Code::Internal, error.to_string()),
    }
}
