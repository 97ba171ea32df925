//! What every editing tool does once it knows what is wanted: plan, report, commit.

mod applied;
mod apply_edit;
mod around;
mod edit_file;
mod failure;
mod imports_left;
mod missing;
mod plan;
mod report;
mod reviewed;
mod trees;
mod whole;

use std::ops::Range;
use std::sync::atomic::Ordering;

use patch::Patch;
use text::Text;
use workspace::{Change, CommitError, Committed, FileError, FilePath, FileText, Snapshot, Turn};

pub(crate) use self::applied::Applied;
pub(crate) use self::apply_edit::ApplyEdit;
pub(crate) use self::edit_file::EditFile;
pub(crate) use self::failure::of_commit;
use self::plan::Planned;
pub(crate) use self::report::{Output, diff};
pub(crate) use self::trees::Trees;
use crate::{Code, Context, Effect, ToolError};

/// What is wanted of one file.
pub(crate) struct Wanted {
    pub(crate) path: FilePath,
    pub(crate) action: Action,
    pub(crate) expected_hash: Option<String>,
}

/// What is to become of it.
pub(crate) enum Action {
    /// Its text is patched.
    Patch(Vec<Patch>),
    /// It is edited at places that are worked out on its text.
    Edit(WorkOut),
    /// A new file with this text.
    Create(String),
    /// A new file that can be run.
    CreateProgram(String),
    /// A new file with the text of another, patched.
    CopyOf { from: FilePath, patches: Vec<Patch> },
    /// It gets this text, as a new file or in place of all that it has.
    Write {
        text: String,
        /// Whether the caller has said that what the file has may go.
        over: bool,
    },
    /// It goes. Where there are patches, they say what it holds: all of it.
    Delete { patches: Vec<Patch> },
    /// It is patched and gets another path.
    Move { to: FilePath, patches: Vec<Patch> },
    /// A link itself goes, wherever it leads.
    DeleteLink,
    /// A link itself gets another path.
    MoveLink { to: FilePath },
}

/// Works out what is to be replaced in a file, and by what: sorted and disjoint.
pub(crate) type WorkOut = Box<dyn Fn(&Context<'_>, &FileText) -> Result<Edits, ToolError>>;

/// Byte ranges of a text, and what is to stand there.
pub(crate) type Edits = Vec<(Range<usize>, String)>;

impl Action {
    /// These edits, of a text that is still as it was when they were worked out.
    pub(crate) fn unless_changed(before: Text, edits: Edits) -> Self {
        Self::Edit(Box::new(move |_, file| {
            if file.text == before {
                return Ok(edits.clone());
            }
            let message = format!("{}: has changed meanwhile", file.path.shown());
            Err(ToolError::new(Code::Conflict, message).hint("call again"))
        }))
    }
}

impl Wanted {
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

/// A file that moves on while it is edited is matched anew, so many times: two agents at work on one
/// file are no conflict as long as both find their places.
const ATTEMPTS: usize = 8;

/// What doing all that is wanted would do to the world. Where a person may be asked about it, it is
/// worked out first: nobody is asked for leave to do what cannot be done.
pub(crate) fn effects(
    context: &Context<'_>,
    wanted: impl FnOnce() -> Result<Vec<Wanted>, ToolError>,
    dry_run: bool,
) -> Result<Vec<Effect>, ToolError> {
    let wanted = wanted()?;
    if dry_run {
        return Ok(wanted.iter().map(|w| Effect::read(&w.path)).collect());
    }
    let is_asked = |wanted: &Wanted| wanted.targets().iter().any(|path| context.asks_about(path));
    if !wanted.iter().any(is_asked) {
        let plain = wanted.iter().flat_map(Wanted::effects);
        // What fails, and what changes, is told with the text around it.
        let reads = wanted.iter().filter(|_| context.restricts_reading());
        return Ok(plain.chain(reads.map(|w| Effect::read(&w.path))).collect());
    }
    let planned = match plan::plan(&context.snapshot, &wanted, context) {
        // The failures quote the files.
        Err(_) if context.restricts_reading() => {
            let reads = wanted.iter().map(|w| Effect::read(&w.path));
            return Ok(wanted.iter().flat_map(Wanted::effects).chain(reads).collect());
        }
        planned => planned?,
    };
    let changes = planned.iter().map(|planned| !planned.written().is_empty());
    let changing = wanted.iter().zip(changes).filter(|(_, changes)| *changes);
    let details = report::report(&planned, context);
    Ok(changing.flat_map(|(wanted, _)| wanted.effects()).map(|e| details.explain(e)).collect())
}

/// Does all that is wanted, or nothing.
pub(crate) fn run(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &[Wanted],
    dry_run: bool,
) -> Result<Output, ToolError> {
    if dry_run {
        let planned = plan::dry_plan(&context.snapshot, wanted, context)?;
        let left = imports_left::find(context, &context.snapshot, &planned);
        return Ok(report::report(&planned, context).leaving(left));
    }
    if context.editor.reviews() {
        return reviewed::run(context, tool, wanted);
    }
    let cancelled =
        || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
    let turn = context.workspace.turn(context.interrupt).ok_or_else(cancelled)?;
    let mut snapshot = context.snapshot.clone();
    for attempt in 1.. {
        let planned = match plan::plan(&snapshot, wanted, context) {
            // The calls before this one may have made since what this one is about.
            Err(_) if context.workspace.snapshot().revision() != snapshot.revision() => {
                snapshot = context.workspace.snapshot();
                plan::plan(&snapshot, wanted, context)?
            }
            planned => planned?,
        };
        let output = report::report(&planned, context);
        if !output.changed {
            return Ok(output);
        }
        let output = output.leaving(imports_left::find(context, &snapshot, &planned));
        if context.interrupt.load(Ordering::Relaxed) {
            return Err(cancelled());
        }
        let done = applied::of(&planned, wanted);
        match commit(context, tool, &turn, &snapshot, planned) {
            Err(CommitError::Moved { .. } | CommitError::File(FileError::Changed { .. }))
                if attempt < ATTEMPTS =>
            {
                snapshot = context.workspace.snapshot();
            }
            Err(error) => return Err(failure::of_commit(&error)),
            Ok(committed) => {
                context.session.applied.note(done);
                return Ok(output.committed(committed));
            }
        }
    }
    let message = format!("{tool}: other programs changed the files again and again");
    Err(ToolError::new(Code::Conflict, message).hint("try again"))
}

fn commit(
    context: &Context<'_>,
    tool: &'static str,
    turn: &Turn<'_>,
    snapshot: &Snapshot,
    planned: Vec<Planned>,
) -> Result<Committed, CommitError> {
    let changes: Vec<Change> = planned.into_iter().filter_map(Planned::change).collect();
    context.workspace.commit(turn, tool, snapshot, &changes, context.editor)
}

/// All that is wanted, where every path is one that may be edited; otherwise every failure, those of
/// the other files' patches too.
pub(crate) fn together(
    context: &Context<'_>,
    wanted: impl Iterator<Item = Result<Wanted, (String, ToolError)>>,
) -> Result<Vec<Wanted>, ToolError> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for one in wanted {
        match one {
            Ok(wanted) => good.push(wanted),
            Err((path, error)) => bad.push(failure::of_file(&path, error)),
        }
    }
    if bad.is_empty() {
        return merge(good);
    }
    if context.restricts_reading() {
        return Err(failure::together(bad, None));
    }
    let others = merge(good).and_then(|good| plan::plan(&context.snapshot, &good, context));
    Err(failure::together(bad, others.err()))
}

/// Puts what is wanted of one file together: all patches of a file are matched against one text.
fn merge(wanted: Vec<Wanted>) -> Result<Vec<Wanted>, ToolError> {
    let mut merged: Vec<Wanted> = Vec::new();
    for one in wanted {
        let Some(same) = merged.iter_mut().find(|w| w.path == one.path) else {
            merged.push(one);
            continue;
        };
        let conflict = |what: &str| {
            let message = format!("{}: {what}", one.path.shown());
            Err(ToolError::new(Code::InvalidParams, message))
        };
        match (&one.expected_hash, &same.expected_hash) {
            (Some(a), Some(b)) if a != b => return conflict("is given with two different hashes"),
            (Some(_), None) => same.expected_hash.clone_from(&one.expected_hash),
            _ => {}
        }
        match (&mut same.action, one.action) {
            (Action::Patch(patches), Action::Patch(more)) => patches.extend(more),
            _ => return conflict("two things are wanted of it that do not go together"),
        }
    }
    Ok(merged)
}
