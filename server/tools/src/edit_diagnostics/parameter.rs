//! The parameter `diagnostics` and the field of the result.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{Code, ToolError};

/// The parameter's name, and the field's.
pub(super) const NAME: &str = "diagnostics";
/// Longest time to wait.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Adds the parameter to the schema of a tool that edits.
pub(crate) fn input_schema(edits: bool, mut schema: Value) -> Value {
    let description = "Report problems introduced and fixed; a number waits so many ms for the \
                       editor's language servers.";
    if edits && let Some(properties) = schema["properties"].as_object_mut() {
        // Not a list of types: some clients accept a single one only.
        let types = json!([{ "type": "boolean" }, { "type": "integer" }]);
        let property = json!({ "anyOf": types, "default": false, "description": description });
        properties.insert(NAME.to_owned(), property);
    }
    schema
}

/// Adds the field to the schema of its result.
pub(crate) fn output_schema(edits: bool, mut schema: Value) -> Value {
    // In words: as a schema it would cost every tool two hundred tokens.
    let description = "With the parameter `diagnostics`: `files: [{path, hash}]`, the texts that were \
        compared with the previous ones; `introduced` and `fixed: [{path, line, severity, code?, message, \
        source?, unsure?}]`; `pending: [{source, path?, why}]`, what is not known yet; `left_out?`.";
    let field = json!({ "type": "object", "description": description });
    if edits && let Some(properties) = schema["properties"].as_object_mut() {
        properties.insert(NAME.to_owned(), field);
    }
    schema
}

/// Checks the parameter; models may send it as a string.
pub(crate) fn take_parameter(tool: &str, edits: bool, params: &mut Value) -> Result<(), ToolError> {
    let Some(params) = params.as_object_mut().filter(|_| edits) else { return Ok(()) };
    let Some(given) = params.get(NAME) else { return Ok(()) };
    let read = match given {
        Value::Null => Some(Value::Bool(false)),
        Value::Bool(_) => Some(given.clone()),
        Value::Number(number) => number.as_u64().map(Value::from),
        Value::String(text) => match text.as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            number => number.parse::<u64>().ok().map(Value::from),
        },
        // Some models nest it: `{"wait_ms": 500}`.
        Value::Object(nested) => Some(nested.get("wait_ms").and_then(Value::as_u64))
            .flatten()
            .map(Value::from)
            .or(nested.is_empty().then_some(Value::Bool(true))),
        Value::Array(_) => None,
    };
    let read = read.ok_or_else(|| {
        let message = format!("{tool}: `{NAME}`: expected true, false or a number of milliseconds");
        ToolError::new(Code::InvalidParams, message)
    })?;
    params.insert(NAME.to_owned(), read);
    Ok(())
}

/// How long a call waits for language servers; `None` if it wants no diagnostics.
pub(super) fn wanted(params: &Value) -> Option<Duration> {
    match params.get(NAME)? {
        Value::Bool(true) => Some(Duration::ZERO),
        Value::Number(ms) => {
            let wait = Duration::from_millis(ms.as_u64().unwrap_or_default());
            Some(wait.min(MAX_WAIT))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(value: Value) -> Result<Option<Duration>, ToolError> {
        let mut params = json!({ "diagnostics": value });
        take_parameter("tool", true, &mut params)?;
        Ok(wanted(&params))
    }

    #[test]
    fn every_form_is_understood() {
        for (given, expected) in [
            (json!(true), Some(0)),
            (json!("true"), Some(0)),
            (json!({}), Some(0)),
            (json!(250), Some(250)),
            (json!("250"), Some(250)),
            (json!({ "wait_ms": 250 }), Some(250)),
            (json!(1_000_000), Some(10_000)),
            (json!(false), None),
            (json!(null), None),
        ] {
            let expected = expected.map(Duration::from_millis);
            assert_eq!(taken(given.clone()).unwrap(), expected, "{given}");
        }
        for bad in [json!("soon"), json!(-1), json!(1.5), json!([]), json!({ "wait": 1 })] {
            assert!(taken(bad.clone()).is_err(), "{bad}");
        }
    }
}
