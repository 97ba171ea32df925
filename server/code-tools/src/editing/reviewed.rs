//! Edits that a person reviews before they are made.

use workspace::FilePath;

use super::plan::{self, Planned};
use super::{Detail, Output, RequestedEdit, commit, imports_left, report};
use crate::review::{Kind, Proposed, Review, Taken, review};
use tools::{Code, Context, ToolError, from_commit_error};

/// Makes the changes that the person accepts. The write lock is acquired after the review: what was
/// shown is committed, or it is a conflict.
pub(super) fn run(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &[RequestedEdit],
) -> Result<Output, ToolError> {
    // Earlier calls have ended: the review must show what they changed.
    let snapshot = context.workspace.snapshot();
    let planned = plan::plan(&snapshot, wanted, context)?;
    if !planned.iter().any(|one| one.proposed().is_some()) {
        return Ok(report::report(&planned, context, Detail::Full));
    }
    let (planned, left_out) = accepted(context, tool, planned)?;
    let left = imports_left::imports_left(context, &snapshot, &planned);
    let output = report::report(&planned, context, Detail::Full)
        .with_review(left_out)
        .with_imports_left(left);
    let cancelled =
        || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
    let write_lock = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
    context.check_interrupt(tool)?;
    let committed = commit(context, tool, &write_lock, &snapshot, planned);
    Ok(output.committed(committed.map_err(|error| from_commit_error(&error))?))
}

/// The accepted parts of the plans, and what was rejected.
fn accepted(
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
        kept.extend(verdicts.next().and_then(|verdict| one.accepted_part(verdict)));
    }
    Ok((kept, left_out))
}

impl Planned {
    /// The proposal to show; `None` if nothing changes.
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

    /// The accepted part, if any.
    fn accepted_part(mut self, verdict: Taken) -> Option<Self> {
        let (edits, text) = match verdict {
            Taken::All => return Some(self),
            Taken::Nothing => return None,
            Taken::Some { edits, after } => (edits, after),
        };
        if let Self::Edit { file, plan, after } | Self::Move { file, plan, after, .. } = &mut self {
            plan::restrict(plan, &file.text, edits);
            *after = text;
        }
        Some(self)
    }
}
