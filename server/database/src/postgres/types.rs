//! PostgreSQL's types, and their text as JSON.

use std::collections::HashMap;

use serde_json::Value;

use crate::value::{blob, float, integer_text, json_text, text};

/// The types of PostgreSQL itself that are known without a look into its catalog: number, name, the type of an
/// array's elements.
const BUILT_IN: &[(u32, &str, u32)] = &[
    (16, "boolean", 0),
    (17, "bytea", 0),
    (18, "\"char\"", 0),
    (19, "name", 0),
    (20, "bigint", 0),
    (21, "smallint", 0),
    (23, "integer", 0),
    (25, "text", 0),
    (26, "oid", 0),
    (114, "json", 0),
    (142, "xml", 0),
    (199, "json[]", 114),
    (650, "cidr", 0),
    (700, "real", 0),
    (701, "double precision", 0),
    (705, "unknown", 0),
    (790, "money", 0),
    (869, "inet", 0),
    (1000, "boolean[]", 16),
    (1001, "bytea[]", 17),
    (1005, "smallint[]", 21),
    (1007, "integer[]", 23),
    (1009, "text[]", 25),
    (1014, "character[]", 1042),
    (1015, "character varying[]", 1043),
    (1016, "bigint[]", 20),
    (1021, "real[]", 700),
    (1022, "double precision[]", 701),
    (1042, "character", 0),
    (1043, "character varying", 0),
    (1082, "date", 0),
    (1083, "time without time zone", 0),
    (1114, "timestamp without time zone", 0),
    (1115, "timestamp without time zone[]", 1114),
    (1182, "date[]", 1082),
    (1184, "timestamp with time zone", 0),
    (1185, "timestamp with time zone[]", 1184),
    (1186, "interval", 0),
    (1231, "numeric[]", 1700),
    (1266, "time with time zone", 0),
    (1560, "bit", 0),
    (1562, "bit varying", 0),
    (1700, "numeric", 0),
    (2278, "void", 0),
    (2950, "uuid", 0),
    (2951, "uuid[]", 2950),
    (3802, "jsonb", 0),
    (3807, "jsonb[]", 3802),
    (1003, "name[]", 19),
    (1028, "oid[]", 26),
];

/// How deep arrays nest.
const MAX_DEPTH: usize = 6;

#[derive(Default)]
pub(super) struct TypeTable {
    learned: HashMap<u32, Type>,
}

#[derive(Clone)]
struct Type {
    name: String,
    /// The type of an array's elements, or 0.
    element: u32,
    /// The type that a domain narrows, or 0.
    base: u32,
}

impl TypeTable {
    /// Those of `oids` that are not known yet.
    pub(super) fn unknown(&self, oids: impl Iterator<Item = u32>) -> Vec<u32> {
        let is_known = |oid: &u32| {
            self.learned.contains_key(oid) || BUILT_IN.iter().any(|(known, ..)| known == oid)
        };
        let mut unknown: Vec<u32> = oids.filter(|oid| !is_known(oid)).collect();
        unknown.sort_unstable();
        unknown.dedup();
        unknown
    }

    pub(super) fn add(&mut self, oid: u32, name: String, element: u32, base: u32) {
        self.learned.insert(oid, Type { name, element, base });
    }

    /// Notes that nobody knows a type.
    pub(super) fn add_unknown(&mut self, oid: u32) {
        let name = format!("type {oid}");
        self.learned.entry(oid).or_insert(Type { name, element: 0, base: 0 });
    }

    pub(super) fn name(&self, oid: u32) -> String {
        let built_in = BUILT_IN.iter().find(|(known, ..)| *known == oid).map(|(_, name, _)| *name);
        match (built_in, self.learned.get(&oid)) {
            (Some(name), _) => name.to_owned(),
            (None, Some(learned)) => learned.name.clone(),
            (None, None) => format!("type {oid}"),
        }
    }

    fn element(&self, oid: u32) -> u32 {
        let built_in =
            BUILT_IN.iter().find(|(known, ..)| *known == oid).map(|(.., element)| *element);
        built_in.or_else(|| self.learned.get(&oid).map(|learned| learned.element)).unwrap_or(0)
    }

    /// A value's text as JSON.
    pub(super) fn value(&self, oid: u32, bytes: &[u8]) -> Value {
        let oid = match self.learned.get(&oid) {
            Some(learned) if learned.base != 0 => learned.base,
            _ => oid,
        };
        let Ok(written) = std::str::from_utf8(bytes) else { return blob(bytes) };
        match oid {
            16 => Value::Bool(written == "t"),
            17 => bytea(written).unwrap_or_else(|| text(bytes)),
            20 | 21 | 23 | 26 => integer_text(written),
            // A float's text is the shortest that gives the same float.
            700 | 701 => match written.parse::<f64>() {
                Ok(value) if value.is_finite() => float(value),
                _ => written.into(),
            },
            114 | 3802 => json_text(written),
            1114 => written.replacen(' ', "T", 1).into(),
            1184 => with_zone(written).into(),
            _ => match self.element(oid) {
                0 => written.into(),
                element => self.array(element, written).unwrap_or_else(|| written.into()),
            },
        }
    }

    /// An array as `{1,2,NULL}`. One with bounds of its own stays text.
    fn array(&self, element: u32, written: &str) -> Option<Value> {
        let mut rest = written;
        let value = self.items(element, &mut rest, 0)?;
        rest.is_empty().then_some(value)
    }

    fn items(&self, element: u32, rest: &mut &str, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        *rest = rest.strip_prefix('{')?;
        let mut items = Vec::new();
        if let Some(after) = rest.strip_prefix('}') {
            *rest = after;
            return Some(Value::Array(items));
        }
        loop {
            if rest.starts_with('{') {
                items.push(self.items(element, rest, depth + 1)?);
            } else if let Some(after) = rest.strip_prefix('"') {
                let (item, after) = quoted(after)?;
                items.push(self.value(element, item.as_bytes()));
                *rest = after;
            } else {
                let end = rest.find([',', '}'])?;
                let item = &rest[..end];
                let value =
                    if item == "NULL" { Value::Null } else { self.value(element, item.as_bytes()) };
                items.push(value);
                *rest = &rest[end..];
            }
            if let Some(after) = rest.strip_prefix(',') {
                *rest = after;
            } else {
                *rest = rest.strip_prefix('}')?;
                return Some(Value::Array(items));
            }
        }
    }
}

/// The item up to its closing quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut item = String::new();
    let mut chars = text.char_indices();
    while let Some((index, c)) = chars.next() {
        match c {
            '\\' => item.push(chars.next()?.1),
            '"' => return Some((item, &text[index + 1..])),
            c => item.push(c),
        }
    }
    None
}

fn bytea(written: &str) -> Option<Value> {
    let hex = written.strip_prefix("\\x")?.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut bytes = Vec::with_capacity(hex.len() / 2);
    for pair in hex.chunks(2) {
        let [high, low] = pair else { return None };
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
    }
    Some(blob(&bytes))
}

/// `2024-01-02 03:04:05+00` as ISO 8601: `2024-01-02T03:04:05+00:00`.
fn with_zone(written: &str) -> String {
    let iso = written.replacen(' ', "T", 1);
    let zone = iso.rfind(['+', '-']).filter(|at| iso.find('T').is_some_and(|t| *at > t));
    match zone {
        Some(at) if iso.len() - at == 3 => format!("{iso}:00"),
        _ => iso,
    }
}

/// A parameter as text, for a type; `None`: NULL.
pub(super) fn parameter_text(value: &Value, oid: u32) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if oid != 114 && oid != 3802 => Some(array_text(items)),
        other => Some(other.to_string()),
    }
}

fn array_text(items: &[Value]) -> String {
    let item = |item: &Value| match item {
        Value::Null => "NULL".to_owned(),
        Value::Array(items) => array_text(items),
        Value::String(text) => {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
        }
        other => format!("\"{}\"", other.to_string().replace('\\', "\\\\").replace('"', "\\\"")),
    };
    let items: Vec<String> = items.iter().map(item).collect();
    format!("{{{}}}", items.join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_become_exact_values() {
        let types = TypeTable::default();
        for (oid, written, wanted) in [
            (16, "t", json!(true)),
            (20, "9223372036854775807", json!("9223372036854775807")),
            (23, "-5", json!(-5)),
            (701, "0.1", json!(0.1)),
            (701, "Infinity", json!("Infinity")),
            (1700, "123456789012345678901234567890.10", json!("123456789012345678901234567890.10")),
            (3802, "{\"a\": [1, 2.5]}", json!({ "a": [1, 2.5] })),
            (17, "\\x00ff", json!({ "base64": "AP8=", "bytes": 2 })),
            (1114, "2024-01-02 03:04:05.123456", json!("2024-01-02T03:04:05.123456")),
            (1184, "2024-01-02 03:04:05+00", json!("2024-01-02T03:04:05+00:00")),
            (1184, "2024-01-02 03:04:05-03:30", json!("2024-01-02T03:04:05-03:30")),
            (1184, "infinity", json!("infinity")),
            (1007, "{1,NULL,{2}}", json!([1, null, [2]])),
            (1009, "{\"a,\\\"b\",NULL,\"NULL\",c}", json!(["a,\"b", null, "NULL", "c"])),
            (1007, "{}", json!([])),
            (1007, "[0:1]={1,2}", json!("[0:1]={1,2}")),
        ] {
            assert_eq!(types.value(oid, written.as_bytes()), wanted, "{oid} {written}");
        }
    }

    #[test]
    fn arrays_are_sent_as_literals() {
        assert_eq!(
            parameter_text(&json!([1, "a\"b", null]), 1009).unwrap(),
            "{\"1\",\"a\\\"b\",NULL}"
        );
        assert_eq!(parameter_text(&json!([1]), 3802).unwrap(), "[1]");
        assert_eq!(parameter_text(&json!(null), 25), None);
    }
}
