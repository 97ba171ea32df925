//! Works out every file, and tells every failure at once.

use patch::{BytesPlan, Edit, Options, Outcome, OutcomeKind, Patch, Plan, Strategy};
use serde_json::{Value, json};
use text::Text;
use workspace::{
    Change, ContentHash, Entry, FileBytes, FileError, FilePath, FileText, Snapshot, Source,
};

use super::applied::Applied;
use super::trees::Trees;
use super::{Action, Edits, Wanted, failure, missing};
use crate::{Code, Context, ToolError};

/// What was worked out for one file.
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
    /// A link itself, which goes or gets another path.
    Link {
        entry: Entry,
        to: Option<FilePath>,
    },
}

impl Planned {
    /// The paths that change.
    pub(super) fn written(&self) -> Vec<&FilePath> {
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

    /// What is to be done; `None` where nothing changes.
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

/// Most syntax errors counted in one text.
pub(super) const MOST_ERRORS: usize = 200;

/// What is to be done, by an editor that can.
pub(super) fn plan(
    snapshot: &Snapshot,
    wanted: &[Wanted],
    context: &Context<'_>,
) -> Result<Vec<Planned>, ToolError> {
    plan_for(snapshot, wanted, context, context.editor.can_apply())
}

/// What would be done: nothing is asked of the editor.
pub(super) fn dry_plan(
    snapshot: &Snapshot,
    wanted: &[Wanted],
    context: &Context<'_>,
) -> Result<Vec<Planned>, ToolError> {
    plan_for(snapshot, wanted, context, true)
}

fn plan_for(
    snapshot: &Snapshot,
    wanted: &[Wanted],
    context: &Context<'_>,
    can_apply: bool,
) -> Result<Vec<Planned>, ToolError> {
    let mut planned = Vec::new();
    let mut failures: Vec<Value> = Vec::new();
    let mut first: Option<ToolError> = None;
    for wanted in wanted {
        match plan_file(snapshot, wanted, context, can_apply) {
            Ok(file) => planned.push(file),
            Err((error, told)) => {
                failures.extend(told);
                first.get_or_insert(error);
            }
        }
    }
    match first {
        None => Ok(planned),
        Some(error) => Err(failure::with_failures(error, failures)),
    }
}

type Failed = (ToolError, Vec<Value>);

fn plan_file(
    snapshot: &Snapshot,
    wanted: &Wanted,
    context: &Context<'_>,
    can_apply: bool,
) -> Result<Planned, Failed> {
    let shown = wanted.path.display_path();
    let whole = |error: ToolError| failure::of_file(&shown, error);
    if let Action::DeleteLink | Action::MoveLink { .. } = &wanted.action {
        let entry = snapshot.entry(&wanted.path).map_err(|e| whole(e.into()))?;
        let to = match &wanted.action {
            Action::MoveLink { to } => Some(to.clone()),
            _ => None,
        };
        return Ok(Planned::Link { entry, to });
    }
    let file = match snapshot.read(&wanted.path) {
        Err(FileError::NotFound { .. }) if wanted.expected_hash.is_none() => {
            let created = created(snapshot, wanted, context)?;
            return match created {
                Some((text, executable)) => {
                    check_approved(&wanted.path, None, context).map_err(whole)?;
                    Ok(Planned::Create { path: wanted.path.clone(), text, executable })
                }
                None => Err(whole(missing::file(context, &wanted.path))),
            };
        }
        Err(error @ FileError::Encoding { .. }) => {
            return match &wanted.action {
                Action::Patch(patches) => by_bytes(snapshot, wanted, patches, error, context),
                _ => Err(whole(error.into())),
            };
        }
        file => file.map_err(|e| whole(e.into()))?,
    };
    if matches!(file.source, Source::Open(_)) && !can_apply {
        let message = format!("{shown}: is open in an editor that cannot apply edits");
        let error = ToolError::new(Code::Unsupported, message);
        return Err(whole(error.hint("close it, or use a client with workspace/applyEdit")));
    }
    check_hash(&file.path, file.hash, wanted).map_err(whole)?;
    check_approved(&file.path, Some(file.hash), context).map_err(whole)?;
    let before = file.text.to_string();
    match &wanted.action {
        Action::Patch(patches) => {
            let plan = matched(&shown, &file, &before, patches, context)?;
            let after = plan.apply(&before);
            Ok(Planned::Edit { file, plan, after })
        }
        Action::Edit(work_out) => {
            let edits = work_out(context, &file).map_err(whole)?;
            let plan = worked_out(&file.text, edits);
            let after = plan.apply(&before);
            Ok(Planned::Edit { file, plan, after })
        }
        Action::Create(text) | Action::CreateProgram(text) if text != &before => {
            let error = ToolError::new(Code::Exists, format!("{shown}: exists already"));
            Err(whole(error.hint("patch it, or delete it first")))
        }
        Action::CopyOf { .. } => {
            let error = ToolError::new(Code::Exists, format!("{shown}: exists already"));
            Err(whole(error.hint("copy to another path, or delete it first")))
        }
        Action::Create(text) | Action::CreateProgram(text) | Action::Write { text, .. } => {
            let over = matches!(wanted.action, Action::Write { over: true, .. });
            let knows = over || wanted.expected_hash.is_some();
            super::whole::check(&shown, &before, text, knows).map_err(whole)?;
            let plan = rewritten(&file.text, text);
            Ok(Planned::Edit { file, plan, after: text.clone() })
        }
        Action::Delete { patches } => {
            if !patches.is_empty() {
                let plan = matched(&shown, &file, &before, patches, context)?;
                let left =
                    plan.apply(&before).lines().filter(|line| !line.trim().is_empty()).count();
                if left > 0 {
                    let message =
                        format!("{shown}: has {left} lines that the diff does not delete");
                    let error = ToolError::new(Code::Guard, message);
                    return Err(whole(error.hint("read it again, or delete it with delete_file")));
                }
            }
            Ok(Planned::Delete { file })
        }
        Action::DeleteLink | Action::MoveLink { .. } => {
            Err(whole(ToolError::new(Code::Internal, format!("{shown}: is no link"))))
        }
        Action::Move { to, patches } => {
            if to == &file.path {
                let message = format!("{shown}: source and destination are the same");
                return Err(whole(ToolError::new(Code::InvalidParams, message)));
            }
            let plan = match patches.is_empty() {
                true => Plan { edits: Vec::new(), outcomes: Vec::new() },
                false => matched(&shown, &file, &before, patches, context)?,
            };
            let after = plan.apply(&before);
            Ok(Planned::Move { file, to: to.clone(), plan, after })
        }
    }
}

/// The text of a file that is not there yet, and whether it can be run; `None` where a file is needed.
fn created(
    snapshot: &Snapshot,
    wanted: &Wanted,
    context: &Context<'_>,
) -> Result<Option<(String, bool)>, Failed> {
    Ok(match &wanted.action {
        Action::Create(text) | Action::Write { text, .. } => Some((text.clone(), false)),
        Action::CreateProgram(text) => Some((text.clone(), true)),
        // Nothing is quoted of a file that is to come.
        Action::Patch(patches) => match &patches[..] {
            [patch] if patch.old_text.is_empty() => Some((patch.new_text.clone(), false)),
            _ => None,
        },
        Action::CopyOf { from, patches } => {
            let shown = from.display_path();
            let whole = |error: ToolError| failure::of_file(&shown, error);
            let file = snapshot.read(from).map_err(|e| whole(e.into()))?;
            let before = file.text.to_string();
            let plan = match patches.is_empty() {
                true => Plan::default(),
                false => matched(&shown, &file, &before, patches, context)?,
            };
            Some((plan.apply(&before), false))
        }
        _ => None,
    })
}

/// A file that is no text can be edited all the same where the bytes match exactly.
fn by_bytes(
    snapshot: &Snapshot,
    wanted: &Wanted,
    patches: &[Patch],
    error: FileError,
    context: &Context<'_>,
) -> Result<Planned, Failed> {
    let shown = wanted.path.display_path();
    let whole = |error: ToolError| failure::of_file(&shown, error);
    let file = snapshot.read_bytes(&wanted.path).map_err(|e| whole(e.into()))?;
    check_hash(&wanted.path, file.hash, wanted).map_err(whole)?;
    check_approved(&wanted.path, Some(file.hash), context).map_err(whole)?;
    let matched = patch::plan_bytes(&file.bytes, patches);
    let unmatched = |report: &patch::Report| {
        report.failures.iter().any(|f| f.code == patch::FailureCode::NoMatch)
    };
    match matched {
        // Beyond ASCII, nobody knows which bytes are meant.
        Ok(_) if patches.iter().any(|p| !p.new_text.is_ascii()) => Err(whole(error.into())),
        Ok(plan) => {
            let after = plan.apply(&file.bytes);
            Ok(Planned::Bytes { file, plan, after })
        }
        // Where exact bytes do not match, that the text cannot be read is what matters.
        Err(report) if unmatched(&report) => Err(whole(error.into())),
        Err(report) => Err(failure::of_patches(&shown, patches, &report)),
    }
}

/// What a person gave leave for was this content's change, and no other's.
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

fn check_hash(path: &FilePath, hash: ContentHash, wanted: &Wanted) -> Result<(), ToolError> {
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

fn matched(
    shown: &str,
    file: &FileText,
    before: &str,
    patches: &[Patch],
    context: &Context<'_>,
) -> Result<Plan, Failed> {
    let errors = |text: &Text| {
        let tree = context.session.family::<Trees>().of(file, text, context.interrupt);
        tree.map_or(0, |tree| tree.error_count(MOST_ERRORS))
    };
    // Relative to the file's own errors, so that they are counted only if errors may have been added.
    let count = |text: &str| {
        let text = Text::new(text);
        let adds_no_errors = file.language().is_none_or(|language| {
            super::around::adds_no_errors(language, &file.text, &text, context.interrupt)
        });
        match adds_no_errors {
            true => MOST_ERRORS,
            false => (MOST_ERRORS + errors(&text)).saturating_sub(errors(&file.text)),
        }
    };
    let applied =
        |patch: &Patch| context.session.family::<Applied>().has(&file.path, file.hash, patch);
    let mut options = Options { applied_before: Some(&applied), ..Options::default() };
    if file.language().is_some() {
        options.syntax_errors = Some(&count);
    }
    patch::plan(before, patches, &options).map_err(|report| {
        let (error, failures) = failure::of_patches(shown, patches, &report);
        (missing::text(context, &file.path, patches, &report, error), failures)
    })
}

/// The plan of edits whose places are known: an outcome each, and no edit of what is there already.
fn worked_out(before: &Text, edits: Edits) -> Plan {
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

/// Leaves of a plan only `edits`, which a person took; what was found and not taken counts as
/// unchanged.
pub(super) fn narrow(plan: &mut Plan, before: &Text, edits: Edits) {
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

/// The plan that gives a text a new content: one edit, of what differs.
fn rewritten(before: &Text, after: &str) -> Plan {
    let new = Text::new(after);
    let difference = before.difference(&new);
    let outcome = Outcome {
        kind: if difference.is_some() { OutcomeKind::Applied } else { OutcomeKind::Unchanged },
        strategy: Strategy::Exact,
        similarity: None,
        start_line: 1,
        end_line: before.line_count(),
        hint_off_by: None,
        notes: vec!["the whole text was given".to_owned()],
    };
    let edits = difference
        .map(|(from, to)| Edit { range: from, new_text: new.slice(to).into_owned() })
        .into_iter()
        .collect();
    Plan { edits, outcomes: vec![outcome] }
}

/// The hash that a text will have in a file's encoding.
pub(super) fn hash_of(file: &FileText, text: &str) -> ContentHash {
    ContentHash::digest(&file.encode(text))
}
