//! Tool errors.

use serde_json::{Value, json};
use thiserror::Error;
use workspace::FileError;

macro_rules! codes {
    ($($variant:ident $name:literal $recoverable:literal,)*) => {
        /// The error codes of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Code { $($variant),* }

        impl Code {
            /// All codes, in the contract's order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in `data.code`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Whether the caller can recover, with other parameters or another try.
            #[must_use]
            pub fn is_recoverable(self) -> bool {
                match self { $(Self::$variant => $recoverable),* }
            }
        }
    };
}

codes! {
    ToolNotFound "E_TOOL_NOT_FOUND" true,
    InvalidParams "E_INVALID_PARAMS" true,
    FileNotFound "E_FILE_NOT_FOUND" true,
    DirNotFound "E_DIR_NOT_FOUND" true,
    PathNotFound "E_PATH_NOT_FOUND" true,
    PathForbidden "E_PATH_FORBIDDEN" false,
    Permission "E_PERMISSION" false,
    Denied "E_DENIED" false,
    Timeout "E_TIMEOUT" true,
    Cancelled "E_CANCELLED" true,
    NoMatch "E_NO_MATCH" true,
    Ambiguous "E_AMBIGUOUS" true,
    Overlap "E_OVERLAP" true,
    Guard "E_GUARD" true,
    Conflict "E_CONFLICT" true,
    Encoding "E_ENCODING" false,
    TooLarge "E_TOO_LARGE" true,
    Exists "E_EXISTS" true,
    Unavailable "E_UNAVAILABLE" false,
    NoEditor "E_NO_EDITOR" true,
    Unsupported "E_UNSUPPORTED" false,
    Io "E_IO" false,
    Internal "E_INTERNAL" false,
}

impl Code {
    /// The corresponding JSON-RPC error code.
    #[must_use]
    pub fn rpc_code(self) -> i64 {
        match self {
            Self::ToolNotFound => -32601,
            Self::InvalidParams => -32602,
            Self::Cancelled => -32800,
            _ => -32803,
        }
    }
}

/// A tool error: what happened, where, and what to do next.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message}")]
pub struct ToolError {
    /// The code.
    pub code: Code,
    /// What happened, and where.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Details for programs.
    pub details: Option<Box<Value>>,
}

impl ToolError {
    /// An error without hint and details.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: clip(message.into()), hint: None, details: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds details.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// The contract's `data`: `{code, message, recoverable, hint?, details?}`.
    #[must_use]
    pub fn data(&self) -> Value {
        let mut data = json!({
            "code": self.code.as_str(),
            "message": self.message,
            "recoverable": self.code.is_recoverable(),
        });
        if let Some(hint) = &self.hint {
            data["hint"] = json!(hint);
        }
        if let Some(details) = &self.details {
            data["details"] = Value::clone(details);
        }
        data
    }

    /// Parses `data` from another server.
    #[must_use]
    pub fn from_data(mut data: Value) -> Self {
        let code = Code::ALL.iter().find(|code| data["code"] == code.as_str());
        let message = data["message"].as_str().unwrap_or_default().to_owned();
        Self {
            hint: data["hint"].as_str().map(str::to_owned),
            details: data.get_mut("details").map(Value::take).map(Box::new),
            ..Self::new(code.copied().unwrap_or(Code::Internal), message)
        }
    }
}

/// Limit for a message, in characters: it may quote anything that a caller sent.
const MAX_MESSAGE_CHARS: usize = 1_000;

fn clip(message: String) -> String {
    if message.len() <= MAX_MESSAGE_CHARS || message.chars().count() <= MAX_MESSAGE_CHARS {
        return message;
    }
    message.chars().take(MAX_MESSAGE_CHARS - 1).chain(['…']).collect()
}

/// A hint for messages about a full disk.
pub fn space_hint(message: &str) -> Option<&'static str> {
    // Texts of the kernel (space, quota) and of SQLite.
    let full = ["No space left", "quota exceeded", "disk is full"];
    full.iter().any(|text| message.contains(text)).then_some("free some disk space, then retry")
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        let (code, hint) = match &error {
            FileError::Invalid { .. } => (Code::InvalidParams, None),
            FileError::Forbidden { .. } => (Code::PathForbidden, None),
            FileError::NotFound { .. } => (Code::FileNotFound, None),
            FileError::IsDirectory { .. } => (Code::Unsupported, Some("name a file inside it")),
            FileError::NotRegular { .. } => (Code::Unsupported, None),
            FileError::Permission { .. } => (Code::Permission, None),
            FileError::TooLarge { .. } => {
                (Code::TooLarge, Some("grep_search finds lines in it; run_command can cut it up"))
            }
            FileError::Encoding { .. } => {
                (Code::Encoding, Some("UTF-8, and UTF-16 with a byte-order mark, can be read"))
            }
            FileError::Changed { .. } => (Code::Conflict, Some("read the file again, then retry")),
            FileError::Io { .. } => (Code::Io, space_hint(&error.to_string())),
        };
        let tool_error = Self::new(code, error.to_string());
        match hint {
            Some(hint) => tool_error.hint(hint),
            None => tool_error,
        }
    }
}
