//! The table `desktop` of the user's settings.

use serde::Deserialize;

/// Longest `idle_ms`: a minute.
const MAX_IDLE_MS: u64 = 60_000;
/// Most keys of `stop_keys`.
const MAX_STOP_KEYS: usize = 5;

/// How agents may use the user's desktop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DesktopSettings {
    /// How long the person must not have used keyboard or mouse before an agent does, in milliseconds.
    pub idle_ms: Option<u64>,
    /// The keys that stop all input of agents, as `key_press` names them; none if the list is empty.
    pub stop_keys: Option<Vec<String>>,
}

impl DesktopSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.idle_ms.is_some_and(|time| time > MAX_IDLE_MS) {
            return Err(format!("desktop.idle_ms is more than {MAX_IDLE_MS}"));
        }
        match self.stop_keys.as_ref().filter(|keys| keys.len() > MAX_STOP_KEYS) {
            Some(_) => Err(format!("desktop.stop_keys has more than {MAX_STOP_KEYS} keys")),
            None => Ok(()),
        }
    }
}
