//! Processes that are kept when the server ends.

use std::path::PathBuf;

use process::SupervisedProcess;
use serde::{Deserialize, Serialize};
use workspace::state_folder;

use tools::{Code, Context, ToolError};

/// The folder of kept processes in a workspace's state folder.
pub const KEPT_FOLDER: &str = "processes";

/// What is stored with a kept process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Note {
    /// Its command line.
    pub line: String,
    /// Its program and arguments.
    pub argv: Vec<String>,
    /// Its working folder, as results name it.
    pub cwd: String,
    /// The folder of its workspace.
    pub workspace: Option<PathBuf>,
}

impl Note {
    pub(super) fn json(&self) -> String {
        // Paths of any bytes are no JSON; then it is kept without a note.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses the note of a kept process; an empty one if it has none that can be read.
    #[must_use]
    pub fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    pub(super) fn of(process: &SupervisedProcess) -> Option<Self> {
        process.note().map(Self::parse)
    }
}

/// The folder of the workspace's kept processes.
pub(super) fn kept_folder(context: &Context<'_>, tool: &str) -> Result<PathBuf, ToolError> {
    let state = state_folder(context.snapshot.roots());
    state.map(|state| state.join(KEPT_FOLDER)).map_err(|error| {
        ToolError::new(Code::Io, format!("{tool}: the state folder: {error}"))
            .hint("`tandem doctor` checks it")
    })
}
