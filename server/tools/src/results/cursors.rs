//! Cursors that are numbers: items on the pages before, or bytes of an output.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Code, ToolError};

/// A position in an output, in bytes.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OutputCursor {
    /// As a number.
    Number(u64),
    /// As text.
    Text(String),
}

impl OutputCursor {
    /// The position.
    ///
    /// # Errors
    /// `E_INVALID_PARAMS`.
    pub fn offset(&self, tool: &str) -> Result<u64, ToolError> {
        match self {
            Self::Number(offset) => Ok(*offset),
            Self::Text(text) => text.parse().map_err(|_| no_cursor(tool)),
        }
    }
}

/// The number of items on the pages before the one that `cursor` names.
///
/// # Errors
/// `E_INVALID_PARAMS`.
pub fn items_before(tool: &str, cursor: Option<&str>) -> Result<usize, ToolError> {
    cursor.map_or(Ok(0), str::parse).map_err(|_| no_cursor(tool))
}

fn no_cursor(tool: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{tool}: `cursor` is no cursor"))
        .hint("pass `next_cursor` of an earlier result")
}
