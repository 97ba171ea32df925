//! Shortens arguments for the audit log and removes secrets.

use serde_json::{Map, Value, json};
use workspace::ContentHash;

use super::redact::{REDACTED, holds_secret_manifest, is_secret_name, redact};

/// Limit for a text that is stored whole, in bytes, and the part of a longer one that is stored.
const MAX_TEXT_BYTES: usize = 400;
const HEAD_BYTES: usize = 200;
/// The part of a long text that is searched for secrets: the stored part, and a key that begins in
/// it.
const SEARCHED_BYTES: usize = 4_000;
/// Limit for the entries of one array or object.
const MAX_ENTRIES: usize = 50;
/// Limit for all texts together, in bytes.
const MAX_TOTAL_BYTES: usize = 8_000;
/// Objects whose values are all secrets.
const ENVIRONMENTS: &[&str] = &["env", "environment"];

/// `value` without secrets and bounded: a long text becomes its beginning, length and hash.
pub(super) fn condensed(value: &Value) -> Value {
    let mut left = MAX_TOTAL_BYTES;
    condense(value, &mut left)
}

/// The same for a single text, on one line.
pub(super) fn short(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return redact(text);
    }
    head(text)
}

fn condense(value: &Value, left: &mut usize) -> Value {
    if *left == 0 {
        return "[left out]".into();
    }
    match value {
        Value::String(text) => {
            *left = left.saturating_sub(text.len().min(MAX_TEXT_BYTES));
            if holds_secret_manifest(text) {
                return format!("{REDACTED} (a manifest with a Secret, {} bytes)", text.len())
                    .into();
            }
            if text.len() <= MAX_TEXT_BYTES {
                return redact(text).into();
            }
            let hash = ContentHash::digest(text.as_bytes()).to_string();
            json!({ "text": head(text), "bytes": text.len(), "sha256": hash })
        }
        Value::Array(list) => {
            let mut kept: Vec<_> =
                list.iter().take(MAX_ENTRIES).map(|v| condense(v, left)).collect();
            if list.len() > MAX_ENTRIES {
                kept.push(format!("[left out: {} more]", list.len() - MAX_ENTRIES).into());
            }
            kept.into()
        }
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, value) in fields.iter().take(MAX_ENTRIES) {
                *left = left.saturating_sub(name.len().min(MAX_TEXT_BYTES));
                let is_environment = ENVIRONMENTS.contains(&name.to_ascii_lowercase().as_str());
                let value = if is_secret_name(name) {
                    REDACTED.into()
                } else if is_environment {
                    hide_environment(value)
                } else {
                    condense(value, left)
                };
                kept.insert(short(name), value);
            }
            if fields.len() > MAX_ENTRIES {
                kept.insert("[left out]".into(), (fields.len() - MAX_ENTRIES).into());
            }
            kept.into()
        }
        plain => {
            *left = left.saturating_sub(8);
            plain.clone()
        }
    }
}

/// The names of environment variables, without values.
fn hide_environment(environment: &Value) -> Value {
    match environment {
        Value::Object(fields) => {
            let hide = |name: &String| (short(name), Value::from(REDACTED));
            fields.keys().take(MAX_ENTRIES).map(hide).collect::<Map<_, _>>().into()
        }
        Value::Null => Value::Null,
        _ => REDACTED.into(),
    }
}

fn head(text: &str) -> String {
    let clean = redact(&text[..text.floor_char_boundary(SEARCHED_BYTES)]);
    format!("{}…", &clean[..clean.floor_char_boundary(HEAD_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_and_the_rest_is_kept() {
        let value = json!({
            "path": "a.txt", "n": 5, "flag": true, "none": null,
            "nested": [{ "password": "hunter2", "url": "https://a:b@c/" }],
            "env": { "HOME": "/home/me", "X": "y" },
            "command": "curl -H 'Authorization: Bearer abcdef' x",
        });
        assert_eq!(
            condensed(&value),
            json!({
                "path": "a.txt", "n": 5, "flag": true, "none": null,
                "nested": [{ "password": REDACTED, "url": "https://[redacted]@c/" }],
                "env": { "HOME": REDACTED, "X": REDACTED },
                "command": "curl -H 'Authorization: [redacted]' x",
            })
        );
    }

    #[test]
    fn long_texts_keep_their_length_and_hash() {
        let text = format!("AKIAIOSFODNN7EXAMPLE {}", "\u{e9}".repeat(1_000));
        let kept = &condensed(&json!({ "content": text }))["content"];
        assert_eq!(kept["bytes"], text.len());
        assert_eq!(kept["sha256"], ContentHash::digest(text.as_bytes()).to_string());
        let shown = kept["text"].as_str().unwrap();
        assert!(shown.starts_with("[redacted] \u{e9}") && shown.len() < 250, "{shown}");
        // A key that crosses the cut must be recognised.
        let parted = format!("{} ghp_{}", "x".repeat(190), "a1".repeat(200));
        let shown = short(&parted);
        assert!(!shown.contains("ghp_"), "{shown}");
    }

    #[test]
    fn any_value_becomes_short() {
        let wide: Map<_, _> =
            (0..10_000).map(|n| (format!("k{n}"), json!("v".repeat(99)))).collect();
        let mut deep = json!("bottom");
        for _ in 0..100 {
            deep = json!([deep.clone(), "x".repeat(300)]);
        }
        for value in [
            json!(vec!["x".repeat(300); 1_000]),
            wide.into(),
            json!({ "y".repeat(100_000): "z".repeat(10 << 20) }),
            deep,
        ] {
            let kept = condensed(&value).to_string();
            assert!(kept.len() < 3 * MAX_TOTAL_BYTES, "{}", kept.len());
        }
    }
}
