//! Parameters that several tools have.

use std::time::Duration;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use tools::{Code, ToolError};

use crate::failure::Failure;
use crate::limits::{DEFAULT_TIMEOUT, MAX_PARAMETERS, MAX_TIMEOUT};

/// The schema of values for a statement. Each alternative has one type: strict clients want that.
pub(crate) fn values_schema(_: &mut SchemaGenerator) -> Schema {
    let kinds = ["string", "number", "boolean", "null", "object"];
    let mut kinds: Vec<Value> = kinds.iter().map(|kind| json!({ "type": kind })).collect();
    kinds.push(json!({ "type": "array", "items": { "anyOf": kinds.clone() } }));
    json_schema!({ "type": "array", "items": { "anyOf": kinds } })
}

/// Checks the values for a statement.
pub(crate) fn check_values(values: &[Value]) -> Result<(), Failure> {
    if values.len() > MAX_PARAMETERS {
        return Err(Failure::Invalid(format!("more than {MAX_PARAMETERS} parameters")));
    }
    Ok(())
}

/// The time limit of a call.
pub(crate) fn timeout(tool: &str, milliseconds: Option<u64>) -> Result<Duration, ToolError> {
    let timeout = milliseconds.map_or(DEFAULT_TIMEOUT, Duration::from_millis);
    if timeout.is_zero() || timeout > MAX_TIMEOUT {
        let message = format!("{tool}: `timeout_ms` must be from 1 to {}", MAX_TIMEOUT.as_millis());
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(timeout)
}
