//! How values are written.

use serde_json::{Value, json};

use crate::hits::quote;

/// Length limit of a value's text, in characters.
pub(super) const MAX_TEXT: usize = 10_000;
/// Length limit of a string inside another value's text.
const MAX_INNER_TEXT: usize = 100;

/// The error of an expression that has thrown.
pub(super) fn check_exception(done: &Value) -> Result<(), String> {
    let details = &done["exceptionDetails"];
    if details.is_null() {
        return Ok(());
    }
    let exception = &details["exception"];
    let text = exception["description"].as_str().and_then(|text| text.lines().next());
    let thrown = || text_of(exception, MAX_TEXT);
    Err(text.map_or_else(thrown, str::to_owned))
}

/// A value as an argument of a call.
pub(super) fn argument(value: &Value) -> Value {
    for name in ["objectId", "unserializableValue"] {
        if value[name].is_string() {
            return json!({ name: value[name] });
        }
    }
    match value.get("value") {
        Some(plain) => json!({ "value": plain }),
        None => json!({}),
    }
}

/// How a member of a value is written.
pub(super) fn member(expression: &str, name: &str) -> String {
    let is_start = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    let is_name = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_numeric());
    if is_name || name.starts_with('#') {
        format!("{expression}.{name}")
    } else {
        format!("{expression}[{}]", quote(name))
    }
}

pub(super) fn type_of(value: &Value) -> String {
    let plain = value["type"].as_str().unwrap_or_default();
    match plain {
        "object" if value["subtype"] == "null" => "null".to_owned(),
        "object" => value["className"].as_str().unwrap_or("object").to_owned(),
        other => other.to_owned(),
    }
}

/// The number in `Array(3)`, `Map(2)` and the like.
pub(super) fn size_of(value: &Value) -> Option<i64> {
    let (_, rest) = value["description"].as_str()?.rsplit_once('(')?;
    rest.strip_suffix(')')?.parse().ok()
}

/// A value in one line.
pub(super) fn text_of(value: &Value, limit: usize) -> String {
    if let Some(text) = value["value"].as_str().filter(|_| value["type"] == "string") {
        return quote(&cut(text, limit));
    }
    let described = || value["description"].as_str().unwrap_or_default().to_owned();
    match (value["type"].as_str().unwrap_or_default(), value["subtype"].as_str()) {
        ("undefined", _) => "undefined".to_owned(),
        (_, Some("null")) => "null".to_owned(),
        ("number" | "boolean" | "bigint", _) => {
            let plain = value["unserializableValue"].as_str().map(str::to_owned);
            plain.unwrap_or_else(|| value["value"].to_string())
        }
        ("function", _) => {
            let text = described();
            let head = text.split('{').next().unwrap_or_default().trim();
            cut(head.lines().next().unwrap_or_default(), limit)
        }
        ("object", Some("error")) => cut(described().lines().next().unwrap_or_default(), limit),
        ("object", Some("regexp" | "date" | "internal#entry")) => cut(&described(), limit),
        ("object", _) if value["preview"]["properties"].is_array() => {
            cut(&preview(&described(), &value["preview"]), limit)
        }
        _ => cut(&described(), limit),
    }
}

/// The engine's preview of an object: `Point {x: 1, y: 2}`, `(3) [1, 2, 3]`.
fn preview(description: &str, preview: &Value) -> String {
    let inner = |one: &Value| {
        let text = one["value"].as_str().unwrap_or_default();
        match one["type"].as_str().unwrap_or_default() {
            "string" => quote(&cut(text, MAX_INNER_TEXT)),
            "function" => "ƒ".to_owned(),
            "accessor" => "(getter)".to_owned(),
            _ => cut(text, MAX_INNER_TEXT),
        }
    };
    let is_list = matches!(preview["subtype"].as_str(), Some("array" | "typedarray"));
    let mut parts = Vec::new();
    let has_entries = preview["entries"].is_array();
    for one in preview["properties"].as_array().into_iter().flatten().filter(|_| !has_entries) {
        let name = one["name"].as_str().unwrap_or_default();
        let is_index = is_list && name.bytes().all(|b| b.is_ascii_digit());
        parts.push(if is_index { inner(one) } else { format!("{name}: {}", inner(one)) });
    }
    for one in preview["entries"].as_array().into_iter().flatten() {
        let text = |one: &Value| match one["type"].as_str() {
            Some("string") => {
                quote(&cut(one["description"].as_str().unwrap_or_default(), MAX_INNER_TEXT))
            }
            _ => cut(one["description"].as_str().unwrap_or_default(), MAX_INNER_TEXT),
        };
        let value = text(&one["value"]);
        let key = one.get("key").map(|key| format!("{} => ", text(key))).unwrap_or_default();
        parts.push(format!("{key}{value}"));
    }
    if preview["overflow"] == true {
        parts.push("…".to_owned());
    }
    let parts = parts.join(", ");
    if is_list {
        return format!("{description} [{parts}]");
    }
    if description == "Object" {
        format!("{{{parts}}}")
    } else {
        format!("{description} {{{parts}}}")
    }
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_one_line() {
        let all = [
            (json!({ "type": "string", "value": "a\n\"b\"" }), r#""a\n\"b\"""#),
            (json!({ "type": "undefined" }), "undefined"),
            (json!({ "type": "object", "subtype": "null", "value": null }), "null"),
            (json!({ "type": "number", "unserializableValue": "-0", "description": "-0" }), "-0"),
            (json!({ "type": "number", "value": 3, "description": "3" }), "3"),
            (json!({ "type": "function", "description": "async f(a) {\n  x\n}" }), "async f(a)"),
            (
                json!({ "type": "object", "subtype": "error", "description": "Error: no\n  at x" }),
                "Error: no",
            ),
        ];
        for (value, text) in all {
            assert_eq!(text_of(&value, 100), text);
        }
        let list = json!({
            "type": "object", "subtype": "array", "description": "Array(2)", "preview": {
                "subtype": "array", "overflow": true,
                "properties": [{ "name": "0", "type": "string", "value": "a" }],
            },
        });
        assert_eq!(text_of(&list, 100), r#"Array(2) ["a", …]"#);
        assert_eq!(size_of(&list), Some(2));
        let map = json!({
            "type": "object", "subtype": "map", "description": "Map(1)", "preview": {
                "properties": [{ "name": "size", "type": "number", "value": "1" }], "entries": [{
                    "key": { "type": "string", "description": "k" },
                    "value": { "type": "number", "description": "1" },
                }],
            },
        });
        assert_eq!(text_of(&map, 100), r#"Map(1) {"k" => 1}"#);
        assert_eq!(cut("äöü", 2), "äö…");
    }

    #[test]
    fn members_are_written_as_code() {
        assert_eq!(member("a", "b1"), "a.b1");
        assert_eq!(member("a", "x-y"), r#"a["x-y"]"#);
        assert_eq!(member("a", "1"), r#"a["1"]"#);
    }
}
