//! Calls as hints show them: exactly as the caller can send them.

use serde_json::{Map, Value};

/// Longest arguments that a hint repeats, in bytes.
const MAX_ARGUMENTS_BYTES: usize = 1_500;

/// "call `tool` with {…}"; `None` if the arguments are too long to be repeated.
pub(crate) fn example_call(tool: &str, arguments: &Map<String, Value>) -> Option<String> {
    let arguments = serde_json::to_string(arguments).ok()?;
    (arguments.len() <= MAX_ARGUMENTS_BYTES).then(|| format!("call `{tool}` with {arguments}"))
}
