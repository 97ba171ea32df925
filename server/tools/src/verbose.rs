//! Fields of results that are returned only with `verbose: true`.
//!
//! A path such as `places[].hash` names the field `hash` of each entry of the list `places`.

use serde_json::{Value, json};

use crate::{Code, ToolError};

/// Adds the parameter `verbose` to the schema of a tool with such fields.
pub(crate) fn input_schema(fields: &[&str], mut schema: Value) -> Value {
    if !fields.is_empty() {
        let description = "Return every field.";
        let property = json!({ "type": "boolean", "default": false, "description": description });
        let properties = schema.as_object_mut().and_then(|schema| {
            schema.entry("properties").or_insert_with(|| json!({})).as_object_mut()
        });
        if let Some(properties) = properties {
            properties.insert("verbose".to_owned(), property);
        }
    }
    schema
}

/// Checks the parameter `verbose`. Every tool takes it, for the text of a result; it is removed for those
/// without such fields, whose schemas save its cost.
pub(crate) fn take_parameter(
    tool: &str,
    fields: &[&str],
    params: &mut Value,
) -> Result<(), ToolError> {
    let Some(params) = params.as_object_mut() else { return Ok(()) };
    match params.get("verbose") {
        None => return Ok(()),
        Some(Value::Bool(_) | Value::Null) => {}
        // Some models send all values as strings.
        Some(Value::String(text)) if matches!(text.as_str(), "true" | "false") => {
            let value = text == "true";
            params.insert("verbose".to_owned(), value.into());
        }
        Some(_) => {
            let message = format!("{tool}: `verbose`: expected true or false");
            return Err(ToolError::new(Code::InvalidParams, message));
        }
    }
    if fields.is_empty() {
        params.remove("verbose");
    }
    Ok(())
}

/// Makes such fields optional in the schema of a result.
pub(crate) fn output_schema(fields: &[&str], mut schema: Value) -> Value {
    for path in fields {
        let (parents, field) = split(path);
        let mut at = Some(&mut schema);
        for parent in parents {
            at = at
                .and_then(|schema| schema.get_mut("properties"))
                .and_then(|properties| properties.get_mut(parent))
                .and_then(|list| list.get_mut("items"));
        }
        let required = at.and_then(|schema| schema.get_mut("required"));
        if let Some(required) = required.and_then(Value::as_array_mut) {
            required.retain(|name| name != field);
        }
    }
    schema
}

/// Removes the fields at these paths.
pub(crate) fn remove_fields(result: &mut Value, paths: &[&str]) {
    for path in paths {
        let (parents, field) = split(path);
        let mut holders = vec![&mut *result];
        for parent in parents {
            holders = holders
                .into_iter()
                .filter_map(|holder| holder.get_mut(parent)?.as_array_mut())
                .flatten()
                .collect();
        }
        for holder in holders {
            if let Some(fields) = holder.as_object_mut() {
                fields.remove(field);
            }
        }
    }
}

/// The lists on the way to a field, and the field.
fn split(path: &str) -> (impl Iterator<Item = &str>, &str) {
    let (parents, field) = path.rsplit_once("[].").unwrap_or(("", path));
    (parents.split("[].").filter(|parent| !parent.is_empty()), field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_fields_of_nested_lists_only_where_they_are() {
        let mut result = json!({
            "hash": 1,
            "files": [{ "hash": 2, "items": [{ "hash": 3, "line": 4 }] }, { "hash": 5 }, 6],
        });
        remove_fields(&mut result, &["files[].hash", "files[].items[].hash", "none[].hash"]);
        let expected = json!({ "hash": 1, "files": [{ "items": [{ "line": 4 }] }, {}, 6] });
        assert_eq!(result, expected);
    }
}
