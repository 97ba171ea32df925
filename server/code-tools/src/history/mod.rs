//! Tools that list and undo actions.

mod audit_log;
mod get_action_history;
mod get_audit_log;
mod get_pending_verifications;
mod undo_action;
mod undo_group;

use workspace::{HistoryError, UndoError};

use tools::{Code, Entry, ToolError};

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<undo_action::UndoAction>(),
        Entry::new::<get_action_history::GetActionHistory>(),
        Entry::new::<get_pending_verifications::GetPendingVerifications>(),
        Entry::new::<get_audit_log::GetAuditLog>(),
        Entry::new::<audit_log::AuditLog>(),
    ]
}

fn from_history_error(tool: &str, error: &HistoryError) -> ToolError {
    let code = match error {
        HistoryError::Busy => Code::Timeout,
        _ => Code::Unavailable,
    };
    ToolError::new(code, format!("{tool}: {error}"))
}

fn from_undo_error(tool: &str, error: &UndoError) -> ToolError {
    let code = match error {
        UndoError::UnknownAction(_)
        | UndoError::NothingToUndo
        | UndoError::BackupMissing { .. } => Code::PathNotFound,
        UndoError::AlreadyUndone(_) | UndoError::Conflict { .. } => Code::Conflict,
        UndoError::NotOpen { .. } => Code::PathForbidden,
        UndoError::File(error) => return error.clone().into(),
        UndoError::History(error) => return from_history_error(tool, error),
    };
    ToolError::new(code, format!("{tool}: {error}"))
}
