//! Why a command did not run.

use thiserror::Error;

/// Why a command did not run. Nothing of it has run then.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// Isolation that was asked for cannot be had here.
    #[error("the requested isolation is not available: {missing}")]
    Unavailable {
        /// What the kernel lacks or refuses.
        missing: String,
    },
    /// There is no such program, or none that may be executed.
    #[error("there is no program `{program}` that can be executed")]
    NoProgram {
        /// As it was asked for.
        program: String,
    },
    /// The command line or the environment is longer than the kernel takes, or holds a NUL.
    #[error("the command cannot be run: {reason}")]
    Invalid {
        /// What is wrong with it.
        reason: String,
    },
    /// A folder was moved or exchanged while the command was being started.
    #[error("the folder {path} was moved or exchanged meanwhile")]
    FolderChanged {
        /// Where it was.
        path: String,
    },
    /// Anything else that failed while starting or waiting.
    #[error("{action}: {message}")]
    Failed {
        /// What was being done.
        action: String,
        /// What the system said.
        message: String,
    },
}

impl ProcessError {
    pub(crate) fn failed(action: &str, error: impl std::fmt::Display) -> Self {
        Self::Failed { action: action.to_owned(), message: error.to_string() }
    }
}
