//! Tool errors for what the workspace refuses.

use serde_json::json;
use workspace::{
    ActionRefusal, CommitError, EditorError, QueryError, RefusalReason, RenameError, RenameProblems,
};

use crate::audit::AuditError;
use crate::error::space_hint;
use crate::{Code, ToolError};

/// The error of a query by names in `tool`.
#[must_use]
pub fn from_query_error(tool: &str, error: QueryError) -> ToolError {
    let message = format!("{tool}: {error}");
    match error {
        QueryError::Interrupted => ToolError::new(Code::Cancelled, message),
        QueryError::DocumentChanged => ToolError::new(Code::Conflict, message).hint("ask again"),
    }
}

/// The error of a commit: what did not happen, and what to do next.
#[must_use]
pub fn from_commit_error(error: &CommitError) -> ToolError {
    let tool_error = |code| ToolError::new(code, error.to_string());
    let reread_hint = "read the file again, then retry";
    match error {
        CommitError::DocumentChanged { .. } => tool_error(Code::Conflict).hint(reread_hint),
        CommitError::Cancelled => tool_error(Code::Cancelled),
        CommitError::Open { .. } => tool_error(Code::Unsupported),
        CommitError::Exists { .. } => tool_error(Code::Exists),
        CommitError::Unsaved { .. } => tool_error(Code::Conflict).hint("save or close it first"),
        CommitError::IntoItself { .. } => tool_error(Code::InvalidParams),
        CommitError::Editor { source, .. } => match source {
            EditorError::Unsupported => tool_error(Code::Unsupported),
            EditorError::Refused(_) => tool_error(Code::Conflict).hint(reread_hint),
            EditorError::NoResponse => tool_error(Code::Timeout).hint(reread_hint),
        },
        CommitError::File(source) => source.clone().into(),
        CommitError::Journal(reason) => {
            let error = tool_error(Code::Io);
            space_hint(reason).into_iter().fold(error, ToolError::hint)
        }
        CommitError::Raced { path, kept } => {
            let kept_shown = kept.join(", ");
            let hint = format!(
                "read both, put what belongs together into {path}, delete {kept_shown}, and retry \
                 what is still missing"
            );
            tool_error(Code::Conflict).hint(hint).details(json!({ "kept": kept }))
        }
        CommitError::RevertFailed { path, .. } => tool_error(Code::Conflict).hint(format!(
            "{path} is not as it was before: read it and put it right; `undo_action` undoes the rest"
        )),
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

impl From<ActionRefusal> for ToolError {
    /// A refusal, with the reason's code in `details.reason`.
    fn from(refused: ActionRefusal) -> Self {
        let code = match refused.reason {
            RefusalReason::NotApplicable => Code::NoMatch,
            RefusalReason::Unknown => Code::Ambiguous,
            RefusalReason::Conflict => Code::Conflict,
            RefusalReason::Interrupted => Code::Cancelled,
            _ => Code::Unsupported,
        };
        Self::new(code, format!("it is not done: {refused}"))
            .hint("`code_actions` lists what can be done at a place")
            .details(json!({ "reason": refused.reason.as_str() }))
    }
}

impl From<AuditError> for ToolError {
    fn from(error: AuditError) -> Self {
        Self::new(Code::Io, error.to_string()).hint("`tandem doctor` shows its path")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raced_commit_names_both_texts() {
        let kept = vec![".tandem-1.tmp".to_owned()];
        let error = from_commit_error(&CommitError::Raced { path: "a.txt".to_owned(), kept });
        assert_eq!(error.code, Code::Conflict);
        assert!(error.message.starts_with("a.txt: "), "{}", error.message);
        assert!(error.message.contains("kept in .tandem-1.tmp"), "{}", error.message);
        assert!(error.hint.unwrap().contains("delete .tandem-1.tmp"));
        assert_eq!(error.details.unwrap()["kept"], json!([".tandem-1.tmp"]));
    }
}
