//! Normalises and checks arguments.

use serde_json::{Map, Value};

use crate::{Code, ToolError};

/// The single argument object of a command: `[]`, `[[]]`, `[null]` and none mean an empty one (Lua
/// encodes an empty table as a list).
///
/// # Errors
/// `E_INVALID_PARAMS` for anything but one object.
pub fn object(arguments: Vec<Value>) -> Result<Map<String, Value>, ToolError> {
    let mut arguments = arguments.into_iter();
    let first = arguments.next().unwrap_or_default();
    if arguments.next().is_some() {
        return Err(invalid("pass one object of parameters, not several".into()));
    }
    match first {
        Value::Null => Ok(Map::new()),
        Value::Array(list) if list.is_empty() => Ok(Map::new()),
        Value::Object(object) => Ok(object),
        other => {
            let shown: String = other.to_string().chars().take(60).collect();
            Err(invalid(format!("pass an object of parameters, not {shown}")))
        }
    }
}

/// Arguments under their canonical names; unknown ones are refused with a suggestion.
pub(crate) fn checked(
    tool: &str,
    schema: &Value,
    aliases: &[(&str, &'static str)],
    params: Value,
) -> Result<Value, ToolError> {
    let Value::Object(given) = params else {
        return Err(invalid(format!("{}: pass an object of parameters", tool)));
    };
    let known: Vec<&str> = schema["properties"]
        .as_object()
        .map(|p| p.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|r| r.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut params = Map::new();
    for (name, value) in given {
        let canonical = aliases
            .iter()
            .find(|(alias, _)| *alias == name)
            .map_or(name.as_str(), |(_, canonical)| canonical);
        if !known.contains(&canonical) {
            return Err(unknown(tool, &name, &known));
        }
        // Null means omitted for an optional parameter.
        if value.is_null() && !required.contains(&canonical) {
            continue;
        }
        let value = as_typed(schema, canonical, whole_numbers(value));
        if params.insert(canonical.to_owned(), value).is_some() {
            let message = format!("{}: `{canonical}` is given twice, once under an alias", tool);
            return Err(invalid(message));
        }
    }
    Ok(Value::Object(params))
}

/// Parses a number, boolean, array or object that was sent as a string, if the schema allows no
/// string: some models send all values so.
fn as_typed(schema: &Value, name: &str, value: Value) -> Value {
    let property = &schema["properties"][name];
    let Value::String(text) = &value else { return value };
    let types: Vec<&str> = match &property["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return value,
    };
    if types.contains(&"string") {
        return value;
    }
    let fits = |parsed: &Value| match parsed {
        Value::Number(number) => {
            types.contains(&"number") || (types.contains(&"integer") && !number.is_f64())
        }
        Value::Bool(_) => types.contains(&"boolean"),
        Value::Array(_) => types.contains(&"array"),
        Value::Object(_) => types.contains(&"object"),
        Value::Null | Value::String(_) => false,
    };
    let spelled = text.trim();
    let parsed = match spelled {
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        other => serde_json::from_str(other).ok(),
    };
    parsed.map(whole_numbers).filter(fits).unwrap_or(value)
}

/// `2.0` becomes 2: some languages have only one kind of number.
fn whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            #[allow(clippy::cast_possible_truncation, reason = "held against the bounds")]
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => {
                Value::from(float as i64)
            }
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole_numbers).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, whole_numbers(value))).collect()
        }
        other => other,
    }
}

fn unknown(tool: &str, name: &str, known: &[&str]) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let message = format!("{}: unknown parameter `{shown}`", tool);
    let distance = |candidate: &&&str| strsim::damerau_levenshtein(candidate, &shown);
    let error = invalid(message);
    match known.iter().min_by_key(distance) {
        Some(nearest) => {
            error.hint(format!("did you mean `{nearest}`? known: {}", known.join(", ")))
        }
        None => error.hint("it takes no parameters"),
    }
}

fn invalid(message: String) -> ToolError {
    ToolError::new(Code::InvalidParams, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_may_be_written_as_fractions() {
        let given = json!({ "a": 2.0, "b": [1.5, -3.0], "c": 1e300, "d": 7 });
        let whole = json!({ "a": 2, "b": [1.5, -3], "c": 1e300, "d": 7 });
        assert_eq!(whole_numbers(given), whole);
    }

    #[test]
    fn other_kinds_of_values_may_be_written_as_strings() {
        let schema = json!({ "properties": {
            "line": { "type": ["integer", "null"] },
            "list": { "type": "array" },
            "yes": { "type": "boolean" },
            "text": { "type": "string" },
        }});
        let typed = |name, value| as_typed(&schema, name, value);
        assert_eq!(typed("line", json!("12")), json!(12));
        assert_eq!(typed("line", json!("12.5")), json!("12.5"));
        assert_eq!(typed("list", json!("[{\"a\": 1}]")), json!([{ "a": 1 }]));
        assert_eq!(typed("yes", json!("True")), json!(true));
        assert_eq!(typed("text", json!("12")), json!("12"));
    }

    #[test]
    fn empty_lists_mean_an_empty_object() {
        for empty in [vec![], vec![json!([])], vec![json!(null)], vec![json!({})]] {
            assert_eq!(object(empty), Ok(Map::new()));
        }
        for wrong in [vec![json!({}), json!({})], vec![json!("a")], vec![json!([1])]] {
            assert_eq!(object(wrong).map_err(|e| e.code), Err(Code::InvalidParams));
        }
    }
}
