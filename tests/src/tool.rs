//! Tool errors, held to their contract.

use client::ClientError;
use serde_json::Value;

const CODES: [&str; 23] = [
    "E_TOOL_NOT_FOUND",
    "E_INVALID_PARAMS",
    "E_FILE_NOT_FOUND",
    "E_DIR_NOT_FOUND",
    "E_PATH_NOT_FOUND",
    "E_PATH_FORBIDDEN",
    "E_PERMISSION",
    "E_DENIED",
    "E_TIMEOUT",
    "E_CANCELLED",
    "E_NO_MATCH",
    "E_AMBIGUOUS",
    "E_OVERLAP",
    "E_GUARD",
    "E_CONFLICT",
    "E_ENCODING",
    "E_TOO_LARGE",
    "E_EXISTS",
    "E_UNAVAILABLE",
    "E_NO_EDITOR",
    "E_UNSUPPORTED",
    "E_IO",
    "E_INTERNAL",
];

/// A tool's error, as every front end gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    /// One of the fixed `E_` codes.
    pub code: String,
    /// What happened, where, and what to do.
    pub message: String,
    /// Whether another call may go better.
    pub recoverable: bool,
    /// All of the error's data, with `hint` and `details` where given.
    pub data: Box<Value>,
}

impl ToolError {
    /// Reads the error object that tools give.
    ///
    /// # Panics
    /// When a field that every error has is missing, or its code is unknown.
    pub fn from_data(data: &Value) -> Self {
        let text = |field: &str| match data[field].as_str() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => panic!("a tool's error without {field}: {data}"),
        };
        let error = Self {
            code: text("code"),
            message: text("message"),
            recoverable: data["recoverable"]
                .as_bool()
                .unwrap_or_else(|| panic!("a tool's error without recoverable: {data}")),
            data: Box::new(data.clone()),
        };
        assert!(CODES.contains(&error.code.as_str()), "an unknown code: {data}");
        error
    }

    /// Reads a failed `workspace/executeCommand`, whose JSON-RPC code must fit the tool's.
    ///
    /// # Panics
    /// When the call failed for another reason than the tool's, or the codes do not fit.
    pub fn from_client(error: &ClientError) -> Self {
        let Some(response) = error.response() else { panic!("no answer from a tool: {error}") };
        let tool = Self::from_data(&response.data);
        let expected = match tool.code.as_str() {
            "E_TOOL_NOT_FOUND" => -32601,
            "E_INVALID_PARAMS" => -32602,
            "E_CANCELLED" => -32800,
            _ => -32803,
        };
        assert_eq!(response.code, expected, "the JSON-RPC code of {}: {response}", tool.code);
        tool
    }

    /// All numbers anywhere under `details` with this field name, sorted.
    pub fn detail_numbers(&self, field: &str) -> Vec<u64> {
        let mut found = Vec::new();
        collect(&self.data["details"], field, &mut found);
        found.sort_unstable();
        found
    }
}

fn collect(value: &Value, field: &str, found: &mut Vec<u64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, field, found)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if name == field {
                found.extend(value.as_u64());
            }
            collect(value, field, found);
        }),
        _ => {}
    }
}
