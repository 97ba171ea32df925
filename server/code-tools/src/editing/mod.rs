//! Plans, reports and commits edits for every editing tool.

mod applied;
mod apply_edit;
mod around;
mod edit_file;
mod failure;
mod imports_left;
mod missing;
mod places;
mod plan;
mod replace_in_files;
mod replacement;
mod report;
mod reviewed;
mod trees;
mod whole;

use std::any::TypeId;
use std::ops::Range;
use std::sync::atomic::Ordering;

use patch::Patch;
use text::Text;
use workspace::{
    Change, CommitError, Committed, FileError, FilePath, FileText, Snapshot, WriteLock,
};

pub(crate) use self::applied::AppliedPatches;
#[cfg(feature = "rewrite")]
pub(crate) use self::places::{Place, push_places, push_summary};
use self::plan::Planned;
#[cfg(feature = "rewrite")]
pub(crate) use self::report::Summary;
pub(crate) use self::report::{Detail, Output, push_review, text};
pub(crate) use self::trees::TreeCache;
use tools::{
    Code, Context, Effect, Entry, ToolError, from_commit_error,
    session::{FamilyState, FamilyStates},
};

/// Adds the states of this family of tools.
pub(crate) fn states(states: &mut FamilyStates) {
    states.insert(TypeId::of::<AppliedPatches>(), Box::<AppliedPatches>::default());
    states.insert(TypeId::of::<TreeCache>(), Box::<TreeCache>::default());
}

impl FamilyState for AppliedPatches {}
impl FamilyState for TreeCache {}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<apply_edit::ApplyEdit>(),
        Entry::new::<edit_file::EditFile>(),
        Entry::new::<replace_in_files::ReplaceInFiles>(),
    ]
}

/// A requested change of one file.
pub(crate) struct RequestedEdit {
    pub(crate) path: FilePath,
    pub(crate) action: Action,
    pub(crate) expected_hash: Option<String>,
}

/// The kind of change.
pub(crate) enum Action {
    /// Apply patches.
    Patch(Vec<Patch>),
    /// Apply edits computed from its text.
    Edit(WorkOut),
    /// Create it with this text.
    Create(String),
    /// Create it with this text, executable.
    CreateProgram(String),
    /// Create it with the text of another file, patched.
    CopyOf { from: FilePath, patches: Vec<Patch> },
    /// Create it or replace its whole text.
    Write {
        text: String,
        /// Whether the caller allows its content to be lost.
        over: bool,
    },
    /// Delete it. Patches, if any, must match its whole content.
    Delete { patches: Vec<Patch> },
    /// Patch and move it.
    Move { to: FilePath, patches: Vec<Patch> },
    /// Delete a link itself.
    DeleteLink,
    /// Move a link itself.
    MoveLink { to: FilePath },
}

/// Computes the edits of a file: sorted and disjoint.
pub(crate) type WorkOut = Box<dyn Fn(&Context<'_>, &FileText) -> Result<Edits, ToolError>>;

/// Byte ranges of a text, and their replacements.
pub(crate) type Edits = Vec<(Range<usize>, String)>;

impl Action {
    /// These edits, if the text is still the one for which they were computed.
    pub(crate) fn unless_changed(before: Text, edits: Edits) -> Self {
        Self::Edit(Box::new(move |_, file| {
            if file.text == before {
                return Ok(edits.clone());
            }
            let message = format!("{}: has changed meanwhile", file.path.display_path());
            Err(ToolError::new(Code::Conflict, message).hint("call again"))
        }))
    }
}

impl RequestedEdit {
    fn targets(&self) -> Vec<&FilePath> {
        match &self.action {
            Action::Move { to, .. } | Action::MoveLink { to } => vec![&self.path, to],
            _ => vec![&self.path],
        }
    }

    fn effects(&self) -> Vec<Effect> {
        match &self.action {
            Action::Patch(_)
            | Action::Edit(_)
            | Action::Create(_)
            | Action::CreateProgram(_)
            | Action::Write { .. } => vec![Effect::write(&self.path)],
            Action::CopyOf { from, .. } => vec![Effect::read(from), Effect::write(&self.path)],
            Action::Delete { .. } | Action::DeleteLink => vec![Effect::delete(&self.path)],
            Action::Move { to, .. } | Action::MoveLink { to } => {
                vec![Effect::delete(&self.path), Effect::write(to)]
            }
        }
    }
}

/// Attempts to match a file that keeps changing: two agents in one file do not conflict as long as
/// both find their places.
const ATTEMPTS: usize = 8;

/// The effects of all requested changes. If approval may be needed, the changes are planned first,
/// so that nobody approves what cannot be done.
pub(crate) fn effects(
    context: &Context<'_>,
    wanted: impl FnOnce() -> Result<Vec<RequestedEdit>, ToolError>,
    dry_run: bool,
) -> Result<Vec<Effect>, ToolError> {
    let wanted = wanted()?;
    if dry_run {
        return Ok(wanted.iter().map(|w| Effect::read(&w.path)).collect());
    }
    let is_asked =
        |wanted: &RequestedEdit| wanted.targets().iter().any(|path| context.asks_about(path));
    if !wanted.iter().any(is_asked) {
        let plain = wanted.iter().flat_map(RequestedEdit::effects);
        // Errors and diffs quote the file.
        let reads = wanted.iter().filter(|_| context.restricts_reading());
        return Ok(plain.chain(reads.map(|w| Effect::read(&w.path))).collect());
    }
    let planned = match plan::plan(&context.snapshot, &wanted, context) {
        // Errors quote the files.
        Err(_) if context.restricts_reading() => {
            let reads = wanted.iter().map(|w| Effect::read(&w.path));
            return Ok(wanted.iter().flat_map(RequestedEdit::effects).chain(reads).collect());
        }
        planned => planned?,
    };
    let changes = planned.iter().map(|planned| !planned.changed_paths().is_empty());
    let changing = wanted.iter().zip(changes).filter(|(_, changes)| *changes);
    let details = report::report(&planned, context, Detail::Full);
    Ok(changing.flat_map(|(wanted, _)| wanted.effects()).map(|e| details.with_detail(e)).collect())
}

/// Makes all requested changes, or none.
pub(crate) fn run(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &[RequestedEdit],
    dry_run: bool,
) -> Result<Output, ToolError> {
    run_as(context, tool, wanted, dry_run, Detail::Full)
}

/// As [`run`], with a report of this detail.
pub(crate) fn run_as(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &[RequestedEdit],
    dry_run: bool,
    detail: Detail,
) -> Result<Output, ToolError> {
    if dry_run {
        let planned = plan::dry_plan(&context.snapshot, wanted, context)?;
        let left = imports_left::imports_left(context, &context.snapshot, &planned);
        let output = report::report(&planned, context, detail).with_imports_left(left);
        if context.wants_diagnostics() {
            let changes: Vec<Change> = planned.into_iter().filter_map(Planned::change).collect();
            context.record_dry_run(&changes);
        }
        return Ok(output);
    }
    if context.editor.wants_review() {
        return reviewed::run(context, tool, wanted);
    }
    let cancelled =
        || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
    let write_lock = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
    let mut snapshot = context.snapshot.clone();
    for attempt in 1.. {
        let planned = match plan::plan(&snapshot, wanted, context) {
            // A previous call may have made a change that this one needs.
            Err(_) if context.workspace.snapshot().revision() != snapshot.revision() => {
                snapshot = context.workspace.snapshot();
                plan::plan(&snapshot, wanted, context)?
            }
            planned => planned?,
        };
        let output = report::report(&planned, context, detail);
        if !output.whole.changed {
            return Ok(output);
        }
        let output =
            output.with_imports_left(imports_left::imports_left(context, &snapshot, &planned));
        if context.interrupt.load(Ordering::Relaxed) {
            return Err(cancelled());
        }
        let applied_patches = applied::applied_patches(&planned, wanted);
        match commit(context, tool, &write_lock, &snapshot, planned) {
            Err(
                CommitError::DocumentChanged { .. } | CommitError::File(FileError::Changed { .. }),
            ) if attempt < ATTEMPTS => {
                snapshot = context.workspace.snapshot();
            }
            Err(error) => return Err(from_commit_error(&error)),
            Ok(committed) => {
                context.session.family::<AppliedPatches>().record(applied_patches);
                return Ok(output.committed(committed));
            }
        }
    }
    let message = format!("{tool}: other programs kept changing the files");
    Err(ToolError::new(Code::Conflict, message).hint("try again"))
}

fn commit(
    context: &Context<'_>,
    tool: &'static str,
    write_lock: &WriteLock<'_>,
    snapshot: &Snapshot,
    planned: Vec<Planned>,
) -> Result<Committed, CommitError> {
    let changes: Vec<Change> = planned.into_iter().filter_map(Planned::change).collect();
    context.commit(write_lock, tool, snapshot, &changes)
}

/// All requested changes if every path may be edited; otherwise every failure, including those of
/// the other files' patches.
pub(crate) fn collect_all(
    context: &Context<'_>,
    wanted: impl Iterator<Item = Result<RequestedEdit, (String, ToolError)>>,
) -> Result<Vec<RequestedEdit>, ToolError> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for one in wanted {
        match one {
            Ok(wanted) => good.push(wanted),
            Err((path, error)) => bad.push(failure::file_failure(&path, error)),
        }
    }
    if bad.is_empty() {
        return merge(good);
    }
    if context.restricts_reading() {
        return Err(failure::combined(bad, None));
    }
    let others = merge(good).and_then(|good| plan::plan(&context.snapshot, &good, context));
    Err(failure::combined(bad, others.err()))
}

/// Merges the changes of each file: all patches of a file apply to one text.
fn merge(wanted: Vec<RequestedEdit>) -> Result<Vec<RequestedEdit>, ToolError> {
    let mut merged: Vec<RequestedEdit> = Vec::new();
    for one in wanted {
        let Some(same) = merged.iter_mut().find(|w| w.path == one.path) else {
            merged.push(one);
            continue;
        };
        let conflict = |what: &str| {
            let message = format!("{}: {what}", one.path.display_path());
            Err(ToolError::new(Code::InvalidParams, message))
        };
        match (&one.expected_hash, &same.expected_hash) {
            (Some(a), Some(b)) if a != b => return conflict("is given with two different hashes"),
            (Some(_), None) => same.expected_hash.clone_from(&one.expected_hash),
            _ => {}
        }
        match (&mut same.action, one.action) {
            (Action::Patch(patches), Action::Patch(more)) => patches.extend(more),
            _ => return conflict("it has two changes that conflict"),
        }
    }
    Ok(merged)
}
