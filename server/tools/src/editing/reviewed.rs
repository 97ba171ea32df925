//! Editing where the person looks at every change before it is made.

use workspace::FilePath;

use super::plan::{self, Planned};
use super::{Output, Wanted, commit, failure, imports_left, report};
use crate::review::{Kind, Proposed, Review, Taken, review};
use crate::{Code, Context, ToolError};

/// Does what of all that is wanted the person takes, or nothing. The turn to write is taken once
/// they have answered: what was shown is committed, or a conflict is told.
pub(super) fn run(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &[Wanted],
) -> Result<Output, ToolError> {
    // Calls before this one have had their turn: what they changed is to be shown.
    let snapshot = context.workspace.snapshot();
    let planned = plan::plan(&snapshot, wanted, context)?;
    if !planned.iter().any(|one| one.proposed().is_some()) {
        return Ok(report::report(&planned, context));
    }
    let (planned, left_out) = taken(context, tool, planned)?;
    let left = imports_left::find(context, &snapshot, &planned);
    let output = report::report(&planned, context).reviewed(left_out).leaving(left);
    let cancelled =
        || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
    let turn = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
    context.check_interrupt(tool)?;
    let committed = commit(context, tool, &turn, &snapshot, planned);
    Ok(output.committed(committed.map_err(|error| failure::of_commit(&error))?))
}

/// What of the plans the person takes.
fn taken(
    context: &Context<'_>,
    tool: &'static str,
    planned: Vec<Planned>,
) -> Result<(Vec<Planned>, Option<Review>), ToolError> {
    let proposed: Vec<_> = planned.iter().filter_map(Planned::proposed).collect();
    let (verdicts, left_out) = review(context, tool, &proposed)?;
    let is_proposed: Vec<_> = planned.iter().map(|one| one.proposed().is_some()).collect();
    let mut verdicts = verdicts.into_iter();
    let mut kept = Vec::new();
    for (one, is_proposed) in planned.into_iter().zip(is_proposed) {
        if !is_proposed {
            kept.push(one);
            continue;
        }
        kept.extend(verdicts.next().and_then(|verdict| one.narrowed(verdict)));
    }
    Ok((kept, left_out))
}

impl Planned {
    /// What of it is to be shown; `None` where nothing changes.
    fn proposed(&self) -> Option<Proposed<'_>> {
        let text = |file: &workspace::FileText| file.text.to_string();
        let (path, file, old, new, kind): (&FilePath, _, _, _, _) = match self {
            Self::Edit { plan, .. } if plan.is_unchanged() => return None,
            Self::Bytes { plan, .. } if plan.is_unchanged() => return None,
            Self::Edit { file, after, .. } => {
                (&file.path, Some(file), text(file), after.clone(), Kind::Edited)
            }
            Self::Bytes { file, after, .. } => {
                let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                (&file.path, None, lossy(&file.bytes), lossy(after), Kind::Whole)
            }
            Self::Create { path, text, .. } => {
                (path, None, String::new(), text.clone(), Kind::Created)
            }
            Self::Delete { file } => {
                (&file.path, Some(file), text(file), String::new(), Kind::Deleted)
            }
            Self::Move { file, to, after, .. } => {
                (&file.path, Some(file), text(file), after.clone(), Kind::Moved(to))
            }
            Self::Link { entry, to } => {
                let kind = to.as_ref().map_or(Kind::Deleted, Kind::Moved);
                (&entry.path, None, String::new(), String::new(), kind)
            }
        };
        Some(Proposed { path, file, old, new, kind })
    }

    /// The part of it that is taken, if any.
    fn narrowed(mut self, verdict: Taken) -> Option<Self> {
        let (edits, text) = match verdict {
            Taken::All => return Some(self),
            Taken::Nothing => return None,
            Taken::Some { edits, after } => (edits, after),
        };
        if let Self::Edit { file, plan, after } | Self::Move { file, plan, after, .. } = &mut self {
            plan::narrow(plan, &file.text, edits);
            *after = text;
        }
        Some(self)
    }
}
