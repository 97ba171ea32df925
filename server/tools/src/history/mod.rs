//! Tools that list and undo actions.

mod get_action_history;
mod get_pending_verifications;
mod undo_action;

pub(crate) use get_action_history::GetActionHistory;
pub(crate) use get_pending_verifications::GetPendingVerifications;
pub(crate) use undo_action::UndoAction;

use workspace::{HistoryError, UndoError};

use crate::{Code, ToolError};

fn of_history(tool: &str, error: &HistoryError) -> ToolError {
    let code = match error {
        HistoryError::Busy => Code::Timeout,
        _ => Code::Unavailable,
    };
    ToolError::new(code, format!("{tool}: {error}"))
}

fn of_undo(tool: &str, error: &UndoError) -> ToolError {
    let code = match error {
        UndoError::Unknown(_) | UndoError::Nothing | UndoError::Gone { .. } => Code::PathNotFound,
        UndoError::Undone(_) | UndoError::Conflict { .. } => Code::Conflict,
        UndoError::NotOpen { .. } => Code::PathForbidden,
        UndoError::File(error) => return error.clone().into(),
        UndoError::History(error) => return of_history(tool, error),
    };
    ToolError::new(code, format!("{tool}: {error}"))
}
