//! Takes keys out of what servers answer: some repeat the key of a request in their errors.

use serde_json::Value;

/// Shorter keys are placeholders of servers that need none, and words of ordinary texts.
const MIN_KEY_BYTES: usize = 6;

/// What stands for a key.
const REDACTED: &str = "[key]";

/// A text without the key.
pub(crate) fn text(key: Option<&str>, text: String) -> String {
    match key.filter(|key| key.len() >= MIN_KEY_BYTES) {
        Some(key) if text.contains(key) => text.replace(key, REDACTED),
        _ => text,
    }
}

/// JSON whose texts lack the key.
pub(crate) fn json(key: Option<&str>, value: &mut Value) {
    match value {
        Value::String(string) => *string = text(key, std::mem::take(string)),
        Value::Array(items) => items.iter_mut().for_each(|item| json(key, item)),
        Value::Object(fields) => fields.values_mut().for_each(|field| json(key, field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_taken_out_of_texts_but_placeholders_are_not() {
        let mut answer =
            json!({ "error": { "message": "bad key sk-secret-1" }, "list": ["sk-secret-1"] });
        json(Some("sk-secret-1"), &mut answer);
        assert_eq!(answer, json!({ "error": { "message": "bad key [key]" }, "list": ["[key]"] }));
        assert_eq!(text(Some("none"), "none of it".to_owned()), "none of it");
        assert_eq!(text(None, "a".to_owned()), "a");
    }
}
