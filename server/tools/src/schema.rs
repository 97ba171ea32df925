//! JSON Schemas as short as models need them.

use std::fmt::Write;

use serde_json::{Map, Value};

/// The schema of parameters as `tools/list` shows it. Only properties have descriptions: the tool has its own.
pub(crate) fn listed_parameters(schema: &Value) -> Value {
    let mut short = listed(schema);
    if let Value::Object(fields) = &mut short {
        fields.remove("description");
    }
    short
}

/// A schema without what is obvious (an optional parameter may be
/// omitted, so neither `null` nor a `null`, false or empty default is mentioned).
fn listed(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut short = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            ("$schema" | "title", _) => continue,
            ("additionalProperties", Value::Bool(_)) => continue,
            ("minimum", value) if *value == 0 => continue,
            ("default", value) if is_obvious(value) => continue,
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, property)| (name.clone(), listed(property)))
                .collect::<Map<_, _>>()
                .into(),
            ("description", Value::String(text)) => text.replace('\n', " ").into(),
            ("type", Value::Array(kinds)) => without_null(kinds),
            ("enum", Value::Array(values)) => {
                values.iter().filter(|value| !value.is_null()).cloned().collect()
            }
            ("anyOf" | "oneOf", Value::Array(several)) => {
                let is_null = |schema: &&Value| schema["type"] == "null";
                let several: Vec<Value> =
                    several.iter().filter(|one| !is_null(one)).map(listed).collect();
                if let [Value::Object(only)] = several.as_slice() {
                    for (key, value) in only {
                        short.entry(key.clone()).or_insert_with(|| value.clone());
                    }
                    continue;
                }
                Value::Array(several)
            }
            ("items" | "additionalProperties", schema) => listed(schema),
            _ => value.clone(),
        };
        short.insert(key.clone(), value);
    }
    Value::Object(short)
}

/// Only the given properties of a schema.
pub(crate) fn with_properties(schema: &Value, names: &[String]) -> Value {
    let mut schema = schema.clone();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| names.contains(name));
    }
    schema
}

fn is_obvious(default: &Value) -> bool {
    match default {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => *default == 0,
    }
}

fn without_null(kinds: &[Value]) -> Value {
    let mut kinds: Vec<Value> = kinds.iter().filter(|kind| **kind != "null").cloned().collect();
    if kinds.len() == 1 { kinds.remove(0) } else { Value::Array(kinds) }
}

/// The parameters of a tool in one line: `path: string, start_line?: integer`.
#[must_use]
pub fn signature(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut line = String::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        let kind = match &property["type"] {
            Value::String(kind) => kind,
            Value::Array(kinds) => {
                kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("any")
            }
            _ => "any",
        };
        let separator = if line.is_empty() { "" } else { ", " };
        // Writing to a String does not fail.
        let _ = write!(line, "{separator}{name}{optional}: {kind}");
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_obvious_is_left_out() {
        let schema = json!({
            "$schema": "x", "title": "Params", "type": "object", "required": ["title"],
            "properties": {
                "title": { "type": "string", "description": "Its title." },
                "line": { "type": ["integer", "null"], "minimum": 0, "default": null },
                "one": { "anyOf": [{ "type": "object", "title": "One" }, { "type": "null" }] },
                "side": { "type": ["string", "null"], "enum": ["a", "b", null] },
                "most": { "type": "integer", "default": 5 },
            },
        });
        let short = json!({
            "type": "object", "required": ["title"],
            "properties": {
                "title": { "type": "string", "description": "Its title." },
                "line": { "type": "integer" },
                "one": { "type": "object" },
                "side": { "type": "string", "enum": ["a", "b"] },
                "most": { "type": "integer", "default": 5 },
            },
        });
        assert_eq!(listed(&schema), short);
        let one = with_properties(&short, &["line".to_owned()]);
        assert_eq!(one["properties"], json!({ "line": { "type": "integer" } }));
    }
}
