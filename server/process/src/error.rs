//! The error type of starting a command.

use thiserror::Error;

/// Why a command was not run. No part of it has run.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// Isolation that was asked for cannot be had here.
    #[error("the requested isolation is not available: {missing}")]
    Unavailable {
        /// What the kernel lacks or refuses.
        missing: String,
    },
    /// The program does not exist or is not executable.
    #[error("no executable program `{program}`")]
    NoProgram {
        /// Its name in the request.
        program: String,
    },
    /// The arguments or environment exceed the kernel's limits, or contain a NUL.
    #[error("the command cannot be run: {reason}")]
    Invalid {
        /// What is wrong with it.
        reason: String,
    },
    /// A folder was moved or replaced while the command was being started.
    #[error("the folder {path} was moved or replaced meanwhile")]
    FolderChanged {
        /// Its path.
        path: String,
    },
    /// Any other failure of starting or waiting.
    #[error("{action}: {message}")]
    Failed {
        /// What was being done.
        action: String,
        /// The system's error message.
        message: String,
    },
}

impl ProcessError {
    pub(crate) fn failed(action: &str, error: impl std::fmt::Display) -> Self {
        Self::Failed { action: action.to_owned(), message: error.to_string() }
    }
}
