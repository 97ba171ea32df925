//! Errors of name queries and refused renames.

use serde_json::json;
use workspace::{QueryError, RenameError, RenameFailure, RenameProblems};

use crate::{Code, ToolError};

pub(crate) fn from_query_error(tool: &str, error: QueryError) -> ToolError {
    let message = format!("{tool}: {error}");
    match error {
        QueryError::Interrupted => ToolError::new(Code::Cancelled, message),
        QueryError::DocumentChanged => ToolError::new(Code::Conflict, message).hint("ask again"),
    }
}

pub(super) fn from_rename_failure(tool: &str, failure: RenameFailure) -> ToolError {
    match failure {
        RenameFailure::Query(error) => from_query_error(tool, error),
        RenameFailure::Refused(error) => error.into(),
    }
}

impl From<RenameError> for ToolError {
    /// A refused rename, with the places that prevent it in `details.places`.
    fn from(refused: RenameError) -> Self {
        let (code, hint, places) = match &refused {
            RenameError::NotAName => {
                (Code::NoMatch, Some("name a place where the name is written"), None)
            }
            RenameError::Unresolved { .. } => (Code::NoMatch, None, None),
            RenameError::Outside { .. }
            | RenameError::Library { .. }
            | RenameError::NotRenamable { .. } => (Code::Unsupported, None, None),
            RenameError::Invalid { .. } => (Code::InvalidParams, None, None),
            RenameError::Unsure { places, .. } => {
                let hint = "`allow_unsure: true` renames the sure uses and lists the others; or make \
                            clear in the code what the places in details.places mean, then retry";
                (Code::Ambiguous, Some(hint), Some(places))
            }
            RenameError::Conflict { places, .. } => {
                (Code::Conflict, Some("choose another name"), Some(places))
            }
            RenameError::Interrupted => (Code::Cancelled, None, None),
        };
        let mut error = Self::new(code, refused.to_string());
        if let Some(hint) = hint {
            error = error.hint(hint);
        }
        let Some(RenameProblems(places)) = places else { return error };
        let places: Vec<_> = places
            .iter()
            .map(|p| json!({ "path": p.path, "line": p.line, "why": p.why }))
            .collect();
        error.details(json!({ "places": places }))
    }
}
