//! Signals by name or number.

use schemars::JsonSchema;
use serde::Deserialize;

use tools::{Code, ToolError};

/// Signals by their names without `SIG`; those that people and programs send.
const SIGNALS: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ABRT", 6),
    ("KILL", KILL),
    ("USR1", 10),
    ("USR2", 12),
    ("TERM", TERM),
    ("CONT", 18),
    ("STOP", 19),
    ("TSTP", 20),
    ("WINCH", 28),
];

pub(super) const KILL: i32 = 9;
pub(super) const TERM: i32 = 15;

/// A signal in a call's parameters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum SignalName {
    /// As a number.
    Number(i32),
    /// As a name.
    Name(String),
}

impl SignalName {
    /// Its number.
    ///
    /// # Errors
    /// If it is none of those that may be sent.
    pub(super) fn number(&self, tool: &str) -> Result<i32, ToolError> {
        let found = match self {
            Self::Number(number) => SIGNALS.iter().find(|(_, known)| known == number),
            Self::Name(name) => {
                let upper = name.to_ascii_uppercase();
                let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
                SIGNALS.iter().find(|(known, _)| *known == bare)
            }
        };
        found.map(|(_, number)| *number).ok_or_else(|| {
            let names: Vec<_> = SIGNALS.iter().map(|(name, _)| *name).collect();
            ToolError::new(
                Code::InvalidParams,
                format!("{tool}: `signal` is not one that can be sent"),
            )
            .hint(format!("it is one of {}", names.join(", ")))
        })
    }
}

/// The name of a signal.
pub(super) fn signal_name(number: i32) -> &'static str {
    SIGNALS.iter().find(|(_, known)| *known == number).map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        let number = |name: &str| SignalName::Name(name.to_owned()).number("t");
        assert_eq!((number("SIGTERM").unwrap(), number("kill").unwrap()), (15, 9));
        assert!(number("FOO").is_err() && number("").is_err());
        assert_eq!(SignalName::Number(1).number("t").unwrap(), 1);
        assert!(SignalName::Number(0).number("t").is_err());
        assert_eq!(signal_name(2), "INT");
    }
}
