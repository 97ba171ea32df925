//! Plans the change of every file, and reports all failures at once.

use patch::{BytesPlan, Edit, Options, Outcome, OutcomeKind, Patch, Plan, Strategy};
use serde_json::{Value, json};
use text::Text;
use workspace::{
    Change, ContentHash, Entry, FileBytes, FileError, FilePath, FileText, Snapshot, Source,
};

use super::applied::AppliedPatches;
use super::trees::TreeCache;
use super::{Action, Edits, RequestedEdit, failure, missing};
use tools::{Code, Context, ToolError};

/// The planned change of one file.
pub(super) enum Planned {
    Edit {
        file: FileText,
        plan: Plan,
        after: String,
    },
    /// A file in no known encoding: exact bytes only.
    Bytes {
        file: FileBytes,
        plan: BytesPlan,
        after: Vec<u8>,
    },
    Create {
        path: FilePath,
        text: String,
        executable: bool,
    },
    Delete {
        file: FileText,
    },
    Move {
        file: FileText,
        to: FilePath,
        plan: Plan,
        after: String,
    },
    /// A link itself, deleted or moved.
    Link {
        entry: Entry,
        to: Option<FilePath>,
    },
}

impl Planned {
    /// The paths that change.
    pub(super) fn changed_paths(&self) -> Vec<&FilePath> {
        match self {
            Self::Edit { plan, .. } if plan.is_unchanged() => Vec::new(),
            Self::Edit { file, .. } | Self::Delete { file } => vec![&file.path],
            Self::Bytes { plan, .. } if plan.is_unchanged() => Vec::new(),
            Self::Bytes { file, .. } => vec![&file.path],
            Self::Create { path, .. } => vec![path],
            Self::Move { file, to, .. } => vec![&file.path, to],
            Self::Link { entry, to } => std::iter::once(&entry.path).chain(to).collect(),
        }
    }

    /// The change to commit; `None` if nothing changes.
    pub(super) fn change(self) -> Option<Change> {
        match self {
            Self::Edit { plan, .. } if plan.is_unchanged() => None,
            Self::Edit { file, plan, after } => {
                let edits = plan.edits.into_iter().map(|e| (e.range, e.new_text)).collect();
                Some(Change::Edit { file, edits, after })
            }
            Self::Bytes { plan, .. } if plan.is_unchanged() => None,
            Self::Bytes { file, after, .. } => Some(Change::Bytes { file, after }),
            Self::Create { path, text, executable: false } => Some(Change::Create { path, text }),
            Self::Create { path, text, executable } => {
                Some(Change::CreateBinary { path, bytes: text.into_bytes(), executable })
            }
            Self::Delete { file } => Some(Change::Delete { file }),
            Self::Move { file, to, after, .. } => Some(Change::Move { file, to, after }),
            Self::Link { entry, to: None } => Some(Change::Remove { entry }),
            Self::Link { entry, to: Some(to) } => Some(Change::Rename { entry, to, over: None }),
        }
    }
}

/// The note of a patch that replaces the whole text.
pub(super) const WHOLE_TEXT_NOTE: &str = "the whole text was given";

/// Limit for the syntax errors counted in one text.
pub(super) const MAX_COUNTED_ERRORS: usize = 200;

/// Plans changes for the present editor.
pub(super) fn plan(
    snapshot: &Snapshot,
    wanted: &[RequestedEdit],
    context: &Context<'_>,
) -> Result<Vec<Planned>, ToolError> {
    plan_for(snapshot, wanted, context, context.editor.can_apply())
}

/// Plans a dry run: the editor need not be able to apply it.
pub(super) fn dry_plan(
    snapshot: &Snapshot,
    wanted: &[RequestedEdit],
    context: &Context<'_>,
) -> Result<Vec<Planned>, ToolError> {
    plan_for(snapshot, wanted, context, true)
}

/// Plans all files; the first failure is the error, all are in its details.
fn plan_for(
    snapshot: &Snapshot,
    wanted: &[RequestedEdit],
    context: &Context<'_>,
    can_apply: bool,
) -> Result<Vec<Planned>, ToolError> {
    let mut planned = Vec::new();
    let mut failures: Vec<Value> = Vec::new();
    let mut first: Option<ToolError> = None;
    for wanted in wanted {
        match plan_file(snapshot, wanted, context, can_apply) {
            Ok(file) => planned.push(file),
            Err((error, file_failures)) => {
                failures.extend(file_failures);
                first.get_or_insert(error);
            }
        }
    }
    match first {
        None => Ok(planned),
        Some(error) => Err(failure::with_failures(error, failures)),
    }
}

type FileFailure = (ToolError, Vec<Value>);

fn plan_file(
    snapshot: &Snapshot,
    wanted: &RequestedEdit,
    context: &Context<'_>,
    can_apply: bool,
) -> Result<Planned, FileFailure> {
    let shown = wanted.path.display_path();
    let failed = |error: ToolError| failure::file_failure(&shown, error);
    if let Action::DeleteLink | Action::MoveLink { .. } = &wanted.action {
        let entry = snapshot.entry(&wanted.path).map_err(|e| failed(e.into()))?;
        let to = match &wanted.action {
            Action::MoveLink { to } => Some(to.clone()),
            _ => None,
        };
        return Ok(Planned::Link { entry, to });
    }
    let file = match snapshot.read(&wanted.path) {
        Err(FileError::NotFound { .. }) if wanted.expected_hash.is_none() => {
            let new_file = new_file_text(snapshot, wanted, context)?;
            return match new_file {
                Some((text, executable)) => {
                    check_approved(&wanted.path, None, context).map_err(failed)?;
                    Ok(Planned::Create { path: wanted.path.clone(), text, executable })
                }
                None => Err(failed(missing::file_not_found(context, &wanted.path))),
            };
        }
        Err(error @ FileError::Encoding { .. }) => {
            return match &wanted.action {
                Action::Patch(patches) => plan_bytes(snapshot, wanted, patches, error, context),
                _ => Err(failed(error.into())),
            };
        }
        file => file.map_err(|e| failed(e.into()))?,
    };
    if matches!(file.source, Source::Open(_)) && !can_apply {
        let message = format!("{shown}: is open in an editor that cannot apply edits");
        let error = ToolError::new(Code::Unsupported, message);
        return Err(failed(error.hint("close it, or use a client with workspace/applyEdit")));
    }
    check_hash(&file.path, file.hash, wanted).map_err(failed)?;
    check_approved(&file.path, Some(file.hash), context).map_err(failed)?;
    let before = file.text.to_string();
    match &wanted.action {
        Action::Patch(patches) => {
            let plan = match_patches(&shown, &file, &before, patches, context)?;
            let after = plan.apply(&before);
            Ok(Planned::Edit { file, plan, after })
        }
        Action::Edit(compute_edits) => {
            let edits = compute_edits(context, &file).map_err(failed)?;
            let plan = plan_edits(&file.text, edits);
            let after = plan.apply(&before);
            Ok(Planned::Edit { file, plan, after })
        }
        Action::Create(text) | Action::CreateProgram(text) if text != &before => {
            let error = ToolError::new(Code::Exists, format!("{shown}: exists already"));
            Err(failed(error.hint("patch it, or delete it first")))
        }
        Action::CopyOf { .. } => {
            let error = ToolError::new(Code::Exists, format!("{shown}: exists already"));
            Err(failed(error.hint("copy to another path, or delete it first")))
        }
        Action::Create(text) | Action::CreateProgram(text) | Action::Write { text, .. } => {
            let over = matches!(wanted.action, Action::Write { over: true, .. });
            let knows_content = over || wanted.expected_hash.is_some();
            super::whole::check_rewrite(&shown, &before, text, knows_content).map_err(failed)?;
            let plan = plan_rewrite(&file.text, text);
            Ok(Planned::Edit { file, plan, after: text.clone() })
        }
        Action::Delete { patches } => {
            if !patches.is_empty() {
                let plan = match_patches(&shown, &file, &before, patches, context)?;
                let left =
                    plan.apply(&before).lines().filter(|line| !line.trim().is_empty()).count();
                if left > 0 {
                    let message =
                        format!("{shown}: has {left} lines that the diff does not delete");
                    let error = ToolError::new(Code::Guard, message);
                    return Err(failed(error.hint("read it again, or delete it with delete_file")));
                }
            }
            Ok(Planned::Delete { file })
        }
        Action::DeleteLink | Action::MoveLink { .. } => {
            let error = ToolError::new(Code::Conflict, format!("{shown}: is no longer a link"));
            Err(failed(error.hint("look at it again, then retry")))
        }
        Action::Move { to, patches } => {
            if to == &file.path {
                let message = format!("{shown}: source and destination are the same");
                return Err(failed(ToolError::new(Code::InvalidParams, message)));
            }
            let plan = match patches.is_empty() {
                true => Plan { edits: Vec::new(), outcomes: Vec::new() },
                false => match_patches(&shown, &file, &before, patches, context)?,
            };
            let after = plan.apply(&before);
            Ok(Planned::Move { file, to: to.clone(), plan, after })
        }
    }
}

/// The text of a file that does not exist yet, and whether it is executable; `None` if the action
/// needs an existing file.
fn new_file_text(
    snapshot: &Snapshot,
    wanted: &RequestedEdit,
    context: &Context<'_>,
) -> Result<Option<(String, bool)>, FileFailure> {
    Ok(match &wanted.action {
        Action::Create(text) | Action::Write { text, .. } => Some((text.clone(), false)),
        Action::CreateProgram(text) => Some((text.clone(), true)),
        // A patch of a new file has no `old_text`.
        Action::Patch(patches) => match &patches[..] {
            [patch] if patch.old_text.is_empty() => Some((patch.new_text.clone(), false)),
            _ => None,
        },
        Action::CopyOf { from, patches } => {
            let shown = from.display_path();
            let failed = |error: ToolError| failure::file_failure(&shown, error);
            let file = snapshot.read(from).map_err(|e| failed(e.into()))?;
            let before = file.text.to_string();
            let plan = match patches.is_empty() {
                true => Plan::default(),
                false => match_patches(&shown, &file, &before, patches, context)?,
            };
            Some((plan.apply(&before), false))
        }
        _ => None,
    })
}

/// Plans an edit of a file in no known encoding: possible if the bytes match exactly.
fn plan_bytes(
    snapshot: &Snapshot,
    wanted: &RequestedEdit,
    patches: &[Patch],
    error: FileError,
    context: &Context<'_>,
) -> Result<Planned, FileFailure> {
    let shown = wanted.path.display_path();
    let failed = |error: ToolError| failure::file_failure(&shown, error);
    let file = snapshot.read_bytes(&wanted.path).map_err(|e| failed(e.into()))?;
    check_hash(&wanted.path, file.hash, wanted).map_err(failed)?;
    check_approved(&wanted.path, Some(file.hash), context).map_err(failed)?;
    let matched = patch::plan_bytes(&file.bytes, patches);
    let unmatched = |report: &patch::Report| {
        report.failures.iter().any(|f| f.code == patch::FailureCode::NoMatch)
    };
    match matched {
        // The encoding of new text beyond ASCII is unknown.
        Ok(_) if patches.iter().any(|p| !p.new_text.is_ascii()) => Err(failed(error.into())),
        Ok(plan) => {
            let after = plan.apply(&file.bytes);
            Ok(Planned::Bytes { file, plan, after })
        }
        // If the bytes do not match, the encoding error matters more.
        Err(report) if unmatched(&report) => Err(failed(error.into())),
        Err(report) => Err(failure::patch_failure(&shown, patches, &report)),
    }
}

/// The approval covers a change of the content that the person saw, and no other.
fn check_approved(
    path: &FilePath,
    hash: Option<ContentHash>,
    context: &Context<'_>,
) -> Result<(), ToolError> {
    if context.approved(path).is_none_or(|approved| approved == hash) {
        return Ok(());
    }
    let message = format!("{}: changed since it was approved", path.display_path());
    Err(ToolError::new(Code::Conflict, message).hint("call again"))
}

fn check_hash(path: &FilePath, hash: ContentHash, wanted: &RequestedEdit) -> Result<(), ToolError> {
    let is = |given: &String| given.trim().eq_ignore_ascii_case(&hash.to_string());
    if wanted.expected_hash.as_ref().is_none_or(is) {
        return Ok(());
    }
    let shown = path.display_path();
    let message = format!("{shown}: changed since it was read");
    Err(ToolError::new(Code::Conflict, message)
        .hint("read it again; details.hash is its current hash")
        .details(json!({ "path": shown, "hash": hash.to_string() })))
}

/// Matches patches against a text. Syntax errors that a candidate adds count against it.
fn match_patches(
    shown: &str,
    file: &FileText,
    before: &str,
    patches: &[Patch],
    context: &Context<'_>,
) -> Result<Plan, FileFailure> {
    let errors = |text: &Text| {
        let tree = context.session.family::<TreeCache>().tree_for(file, text, context.interrupt);
        tree.map_or(0, |tree| tree.error_count(MAX_COUNTED_ERRORS))
    };
    // Counted relative to the file's own errors, and only if errors may have been added.
    let count = |text: &str| {
        let text = Text::new(text);
        let adds_no_errors = file.language().is_none_or(|language| {
            super::around::adds_no_errors(language, &file.text, &text, context.interrupt)
        });
        match adds_no_errors {
            true => MAX_COUNTED_ERRORS,
            false => (MAX_COUNTED_ERRORS + errors(&text)).saturating_sub(errors(&file.text)),
        }
    };
    let applied = |patch: &Patch| {
        context.session.family::<AppliedPatches>().has(&file.path, file.hash, patch)
    };
    let mut options = Options { applied_before: Some(&applied), ..Options::default() };
    if file.language().is_some() {
        options.syntax_errors = Some(&count);
    }
    patch::plan(before, patches, &options).map_err(|report| {
        let (error, failures) = failure::patch_failure(shown, patches, &report);
        (missing::text_not_found(context, &file.path, patches, &report, error), failures)
    })
}

/// A plan of edits at known places: one outcome each, and no edit that changes nothing.
fn plan_edits(before: &Text, edits: Edits) -> Plan {
    let mut plan = Plan { edits: Vec::new(), outcomes: Vec::new() };
    for (range, new_text) in edits {
        let changes = before.slice(range.clone()) != new_text;
        plan.outcomes.push(Outcome {
            kind: if changes { OutcomeKind::Applied } else { OutcomeKind::Unchanged },
            strategy: Strategy::Exact,
            similarity: None,
            start_line: before.line_of(range.start) + 1,
            end_line: before.line_of(range.end) + 1,
            hint_off_by: None,
            notes: Vec::new(),
        });
        if changes {
            plan.edits.push(Edit { range, new_text });
        }
    }
    plan
}

/// Restricts a plan to the accepted `edits`; other outcomes count as unchanged.
pub(super) fn restrict(plan: &mut Plan, before: &Text, edits: Edits) {
    let lines: Vec<_> = edits
        .iter()
        .map(|(range, _)| before.line_of(range.start) + 1..before.line_of(range.end) + 2)
        .collect();
    for outcome in &mut plan.outcomes {
        let meets = |lines: &std::ops::Range<usize>| {
            lines.start <= outcome.end_line && outcome.start_line < lines.end
        };
        if outcome.kind == OutcomeKind::Applied && !lines.iter().any(meets) {
            outcome.kind = OutcomeKind::Unchanged;
            outcome.notes.push("left out in review".to_owned());
        }
    }
    plan.edits = edits.into_iter().map(|(range, new_text)| Edit { range, new_text }).collect();
}

/// A plan that replaces a whole text, as one edit of what differs.
fn plan_rewrite(before: &Text, after: &str) -> Plan {
    let new = Text::new(after);
    let difference = before.difference(&new);
    let outcome = Outcome {
        kind: if difference.is_some() { OutcomeKind::Applied } else { OutcomeKind::Unchanged },
        strategy: Strategy::Exact,
        similarity: None,
        start_line: 1,
        end_line: before.line_count(),
        hint_off_by: None,
        notes: vec![WHOLE_TEXT_NOTE.to_owned()],
    };
    let edits = difference
        .map(|(from, to)| Edit { range: from, new_text: new.slice(to).into_owned() })
        .into_iter()
        .collect();
    Plan { edits, outcomes: vec![outcome] }
}

/// The hash that a text will have in a file's encoding.
pub(super) fn encoded_hash(file: &FileText, text: &str) -> ContentHash {
    ContentHash::digest(&file.encode(text))
}
