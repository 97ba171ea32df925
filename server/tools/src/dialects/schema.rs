//! The parameters of a dialect's tool: their schema, and the check of a call's.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::file::ToolFile;
use crate::{Code, ToolError, arguments};

/// The JSON Schema of the parameters.
pub(super) fn input_schema(tool: &ToolFile) -> Result<Value, String> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, written) in &tool.parameters {
        let (kind, description) = written.split_once(' ').unwrap_or((written, ""));
        let (kind, is_optional) = match kind.strip_suffix('?') {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let mut schema = type_schema(kind).ok_or_else(|| {
            format!("parameter `{name}`: unknown type `{kind}`; write `string?`, `integer`, `number`, \
                     `boolean`, `object`, `array`, `string[]`, `any` or `one|two`, and then the description")
        })?;
        if !description.is_empty() {
            schema["description"] = description.into();
        }
        properties.insert(name.clone(), schema);
        if !is_optional {
            required.push(Value::from(name.clone()));
        }
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    Ok(schema)
}

fn type_schema(kind: &str) -> Option<Value> {
    const TYPES: &[&str] = &["string", "integer", "number", "boolean", "object", "array"];
    if kind == "any" {
        return Some(json!({}));
    }
    if kind.contains('|') {
        return Some(json!({ "type": "string", "enum": kind.split('|').collect::<Vec<_>>() }));
    }
    if let Some(item) = kind.strip_suffix("[]") {
        return Some(json!({ "type": "array", "items": type_schema(item)? }));
    }
    TYPES.contains(&kind).then(|| json!({ "type": kind }))
}

/// The parameters of a call under their proper names; wrong ones are refused in the dialect's terms.
pub(super) fn checked(
    tool: &str,
    schema: &Value,
    aliases: &BTreeMap<String, String>,
    params: Value,
) -> Result<Value, ToolError> {
    let invalid =
        |message: String| ToolError::new(Code::InvalidParams, format!("{tool}: {message}"));
    let Value::Object(given) = params else {
        return Err(invalid("pass an object of parameters".to_owned()));
    };
    let mut named = Map::new();
    for (name, value) in given {
        let name = aliases.get(&name).cloned().unwrap_or(name);
        if named.insert(name.clone(), value).is_some() {
            return Err(invalid(format!("`{name:.60}` is given twice, once under an alias")));
        }
    }
    let params = arguments::checked(tool, schema, &[], named.into())?;
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if params.get(name).is_none_or(Value::is_null) {
            return Err(invalid(format!("`{name}` is missing")));
        }
    }
    for (name, value) in params.as_object().into_iter().flatten() {
        let schema = &schema["properties"][name];
        if !fits(schema, value) {
            let expected = match schema["enum"].as_array() {
                Some(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(", "),
                None => schema["type"].as_str().unwrap_or_default().to_owned(),
            };
            let shown: String = value.to_string().chars().take(40).collect();
            return Err(invalid(format!("`{name}` must be {expected}, not {shown}")));
        }
    }
    Ok(params)
}

fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(values) = schema["enum"].as_array() {
        return values.contains(value);
    }
    match schema["type"].as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        Some("array") => value
            .as_array()
            .is_some_and(|items| items.iter().all(|item| fits(&schema["items"], item))),
        _ => true,
    }
}
