//! Normalises and checks arguments.

use serde_json::{Map, Value};

use crate::guesses::{self, NamedParameters};
use crate::meaning::{Described, is_misspelling, ranked};
use crate::{Code, ToolError, schema};

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

/// Arguments under their canonical names; unknown ones are refused with the call to make instead.
pub(crate) fn checked(
    tool: &str,
    schema: &Value,
    aliases: &[(&str, &'static str)],
    params: Value,
) -> Result<Value, ToolError> {
    let Value::Object(given) = params else {
        return Err(invalid(format!("{}: pass an object of parameters", tool)));
    };
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|r| r.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut named = guesses::named_parameters(schema, aliases, given);
    if let Some((one, other)) = &named.conflict {
        let message =
            format!("{tool}: `{one:.60}` and `{other:.60}` give one parameter two values");
        let error = invalid(message);
        return Err(match guesses::example_call(tool, &named.parameters) {
            Some(call) if named.unknown.is_empty() => {
                error.hint(format!("give one of them; if `{one:.60}` is meant, {call}"))
            }
            _ => error.hint("give one of them"),
        });
    }
    if !named.unknown.is_empty() {
        return Err(unknown(tool, schema, &required, named));
    }
    // Null means omitted for an optional parameter.
    named.parameters.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
    let typed = named.parameters.into_iter().map(|(name, value)| {
        let value = as_typed(schema, &name, whole_numbers(value));
        (name, value)
    });
    Ok(Value::Object(typed.collect()))
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

/// Refuses the unknown parameters, and names the call to make instead.
fn unknown(
    tool: &str,
    parameter_schema: &Value,
    required: &[&str],
    named: NamedParameters,
) -> ToolError {
    let NamedParameters { mut parameters, unknown, .. } = named;
    let shown = |name: &String| format!("`{name:.60}`");
    let names: Vec<String> = unknown.iter().take(MAX_SHOWN).map(|(name, _)| shown(name)).collect();
    let several = if unknown.len() > 1 { "s" } else { "" };
    let error = invalid(format!("{tool}: unknown parameter{several} {}", names.join(", ")));
    let known: Vec<&str> = parameter_schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| &**name)
        .collect();
    if known.is_empty() {
        return error.hint("it takes no parameters");
    }
    let mut hints = Vec::new();
    for (name, value) in unknown.into_iter().take(MAX_SHOWN) {
        let free: Vec<&str> =
            known.iter().filter(|name| !parameters.contains_key(**name)).copied().collect();
        if let Some(nearest) = nearest(&name, &free) {
            hints.push(format!("did you mean `{nearest}`?"));
            if fits_type(&parameter_schema["properties"][nearest], &value) {
                parameters.insert(nearest.to_owned(), value);
            }
        }
    }
    let is_complete = required.iter().all(|name| parameters.contains_key(*name));
    match guesses::example_call(tool, &parameters) {
        Some(call) if is_complete => hints.push(call),
        _ => hints.push(format!("it takes {}", schema::signature(parameter_schema))),
    }
    error.hint(hints.join(" "))
}

/// How many unknown parameters a message names.
const MAX_SHOWN: usize = 5;

/// The parameter that `name` probably means: by its words or, for slips, its letters.
fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let name: String = name.chars().take(60).collect();
    if let Some(slip) = known.iter().find(|known| is_misspelling(&name, known)) {
        return Some(slip);
    }
    let described: Vec<Described> =
        known.iter().map(|known| Described::default().with(known, 1.0)).collect();
    ranked(&name, &described).first().map(|(index, _)| known[*index])
}

/// Whether a parameter of this schema may have a value of this type.
fn fits_type(schema: &Value, value: &Value) -> bool {
    let kind = match value {
        Value::Null => return false,
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let takes = |of: &Value| of == kind || (of == "number" && kind == "integer");
    match &schema["type"] {
        Value::Array(several) => several.iter().any(takes),
        one => takes(one),
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
