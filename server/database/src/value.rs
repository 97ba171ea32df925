//! Values as JSON, exactly: what a JSON number cannot hold is a string.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Column {
    /// Its name; a repeated one has `_2`, `_3` and so on.
    pub(crate) name: String,
    /// Its type as the database names it.
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

/// The largest integer that every reader of JSON keeps.
const MAX_SAFE: i128 = (1 << 53) - 1;
/// Digits that a double keeps.
const SAFE_DIGITS: usize = 15;

/// Names every column differently: rows are objects.
pub(crate) fn distinct_names(columns: &mut [Column]) {
    for index in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(index);
        let own = &mut rest[0].name;
        let is_taken = |name: &str| before.iter().any(|column| column.name == name);
        let mut number = 2;
        let first = own.clone();
        while is_taken(own) {
            *own = format!("{first}_{number}");
            number += 1;
        }
    }
}

/// An integer: a number, or a string beyond 2^53.
pub(crate) fn integer(value: i128) -> Value {
    if value.abs() <= MAX_SAFE
        && let Ok(value) = i64::try_from(value)
    {
        return value.into();
    }
    value.to_string().into()
}

/// An integer as text.
pub(crate) fn integer_text(text: &str) -> Value {
    text.parse().map_or_else(|_| text.into(), integer)
}

/// A floating-point number; infinities and NaN are strings.
pub(crate) fn float(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number)
}

/// Bytes: base64 and their number.
pub(crate) fn blob(bytes: &[u8]) -> Value {
    json!({ "base64": STANDARD.encode(bytes), "bytes": bytes.len() })
}

/// Text that may not be UTF-8: then it is a blob.
pub(crate) fn text(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| blob(bytes), Value::from)
}

/// A JSON document; one with numbers that a double does not hold stays text.
pub(crate) fn json_text(text: &str) -> Value {
    if has_long_number(text) {
        return text.into();
    }
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn has_long_number(text: &str) -> bool {
    let (mut in_string, mut is_escaped, mut digits) = (false, false, 0);
    for byte in text.bytes() {
        if in_string {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'0'..=b'9' => digits += 1,
            b'.' | b'-' | b'+' | b'e' | b'E' => {}
            _ => digits = 0,
        }
        if digits > SAFE_DIGITS {
            return true;
        }
    }
    false
}

/// A value for a page: a long text or blob becomes its beginning and its length.
pub(crate) fn shortened(value: Value, limit: usize) -> Value {
    match value {
        Value::String(text) if text.len() > limit => {
            let head = &text[..text.floor_char_boundary(limit)];
            json!({ "text": head, "bytes": text.len(), "truncated": true })
        }
        Value::Object(ref fields) if is_blob(fields) => {
            let base64 = fields["base64"].as_str().unwrap_or_default();
            if base64.len() <= limit {
                return value;
            }
            // Whole groups of four decode by themselves.
            let head = &base64[..limit / 4 * 4];
            json!({ "base64": head, "bytes": fields["bytes"], "truncated": true })
        }
        Value::Object(_) | Value::Array(_) => {
            let text = value.to_string();
            if text.len() > limit { shortened(Value::String(text), limit) } else { value }
        }
        value => value,
    }
}

fn is_blob(fields: &Map<String, Value>) -> bool {
    fields.len() == 2 && fields.contains_key("base64") && fields.contains_key("bytes")
}

/// A value in one line of text: control characters, terminal codes and tabs are escaped.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::String(text) => escaped(text),
        Value::Object(fields) if is_blob(fields) => {
            format!(
                "base64:{} ({} bytes)",
                fields["base64"].as_str().unwrap_or_default(),
                fields["bytes"]
            )
        }
        other => escaped(&other.to_string()),
    }
}

/// Text with everything escaped that is not plain: `\n`, `\u{1b}`.
pub(crate) fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => line.push_str("\\\\"),
            c if tools::is_deceptive(c) => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    line
}

/// A value as a field of CSV (RFC 4180). NULL is empty, and an empty text is quoted.
pub(crate) fn csv_field(value: &Value, line: &mut String) {
    let text = match value {
        Value::Null => return,
        Value::String(text) => text.clone(),
        Value::Object(fields) if is_blob(fields) => {
            fields["base64"].as_str().unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    };
    if text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_or_strings() {
        assert_eq!(integer(9_007_199_254_740_991), json!(9_007_199_254_740_991_i64));
        assert_eq!(integer(9_007_199_254_740_992), json!("9007199254740992"));
        assert_eq!(integer(-9_007_199_254_740_992), json!("-9007199254740992"));
        assert_eq!(integer_text("18446744073709551615"), json!("18446744073709551615"));
        assert_eq!(float(0.1), json!(0.1));
        assert_eq!(float(f64::NAN), json!("NaN"));
        assert_eq!(json_text(r#"{"a": 1.5}"#), json!({ "a": 1.5 }));
        let long = r#"{"a": 0.12345678901234567890}"#;
        assert_eq!(json_text(long), json!(long));
        assert_eq!(json_text(r#"["12345678901234567890"]"#), json!(["12345678901234567890"]));
    }

    #[test]
    fn terminal_codes_are_escaped() {
        let hostile = "\u{1b}[2J\u{202e}a\tb\nc\\";
        assert_eq!(shown(&json!(hostile)), "\\u{1b}[2J\\u{202e}a\\tb\\nc\\\\");
        assert_eq!(shown(&json!({ "a": "\u{9b}" })), "{\"a\":\"\\u{9b}\"}");
        assert_eq!(shown(&Value::Null), "NULL");
    }

    #[test]
    fn long_values_are_cut_and_say_so() {
        let cut = shortened(json!("é".repeat(10)), 5);
        assert_eq!(cut, json!({ "text": "éé", "bytes": 20, "truncated": true }));
        let cut = shortened(blob(&[0; 100]), 10);
        assert_eq!(cut, json!({ "base64": "AAAAAAAA", "bytes": 100, "truncated": true }));
        assert_eq!(shortened(json!(["a"]), 10), json!(["a"]));
    }

    #[test]
    fn csv_keeps_null_and_empty_apart() {
        let mut line = String::new();
        for value in [Value::Null, json!(""), json!("a,\"b\""), json!(1), blob(b"ab")] {
            csv_field(&value, &mut line);
            line.push(';');
        }
        assert_eq!(line, ";\"\";\"a,\"\"b\"\"\";1;YWI=;");
    }

    #[test]
    fn repeated_names_get_numbers() {
        let column = |name: &str| Column { name: name.to_owned(), kind: String::new() };
        let mut columns = vec![column("a"), column("a"), column("a_2"), column("a")];
        distinct_names(&mut columns);
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["a", "a_2", "a_2_2", "a_3"]);
    }
}
