//! JSON with comments: only the text of our entry changes.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};

use super::config::SyntaxError;
use super::entry::Fields;

/// Comments and trailing commas: what Zed, VS Code, opencode and Gemini CLI accept.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn parse(text: &str) -> Result<Value, SyntaxError> {
    let value: Option<Value> =
        jsonc_parser::parse_to_serde_value(text, &OPTIONS).map_err(|error| SyntaxError {
            line: error.line_display(),
            message: error.kind().to_string(),
        })?;
    Ok(value.unwrap_or_else(|| Value::Object(Map::new())))
}

/// Sets the value at `path`; the objects on the way are created.
pub(super) fn put(text: &str, path: &[&str], fields: &Fields) -> Result<String, String> {
    let root = tree(text)?;
    let mut object = root.object_value_or_create().ok_or("it is not an object")?;
    let (name, parents) = path.split_last().ok_or("no path")?;
    for key in parents {
        object = match property(&object, key)? {
            Some(found) => {
                found.object_value().ok_or_else(|| format!("`{key}` is not an object"))?
            }
            None => object
                .append(key, CstInputValue::Object(Vec::new()))
                .object_value()
                .ok_or("it cannot be changed")?,
        };
    }
    let value = CstInputValue::Object(
        fields.iter().map(|(key, value)| (key.clone(), to_input(value))).collect(),
    );
    match property(&object, name)? {
        Some(found) => found.set_value(value),
        None => drop(object.append(name, value)),
    }
    Ok(root.to_string())
}

/// Removes the value at `path`.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, String> {
    let root = tree(text)?;
    let mut object = root.object_value().ok_or("it is not an object")?;
    let (name, parents) = path.split_last().ok_or("no path")?;
    for key in parents {
        let found = property(&object, key)?.and_then(|found| found.object_value());
        object = found.ok_or_else(|| format!("`{key}` is not an object"))?;
    }
    if let Some(found) = property(&object, name)? {
        found.remove();
    }
    Ok(root.to_string())
}

fn tree(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| error.to_string())
}

/// The property of an object. Parsers disagree about which of two counts.
fn property(object: &CstObject, key: &str) -> Result<Option<CstObjectProp>, String> {
    let mut found = object
        .properties()
        .into_iter()
        .filter(|property| property.decoded_name().is_some_and(|name| name == key));
    let first = found.next();
    if found.next().is_some() {
        return Err(format!("it has `{key}` twice"));
    }
    Ok(first)
}

fn to_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), to_input(value))).collect(),
        ),
    }
}
