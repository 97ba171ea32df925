//! Errors of name queries and refused renames.

use workspace::RenameFailure;

use tools::{ToolError, from_query_error};

pub(super) fn from_rename_failure(tool: &str, failure: RenameFailure) -> ToolError {
    match failure {
        RenameFailure::Query(error) => from_query_error(tool, error),
        RenameFailure::Refused(error) => error.into(),
    }
}
