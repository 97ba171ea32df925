//! Completes what a caller writes to a whole rule.

use serde_json::{Map, Value};

/// Longest pattern or text of rules, in bytes.
pub const MAX_RULE_BYTES: usize = 16 << 10;
/// Deepest nesting of values in rules.
const MAX_DEPTH: usize = 48;
/// The keys of a whole rule. An object without any of them is a bare rule object.
const RULE_KEY: &str = "rule";

/// The whole rule of a value: a bare rule object (`{pattern: …}`, `{any: […]}`) becomes the `rule` of
/// one, and `fix`, `language` and `id` are added where they are missing.
pub(crate) fn whole_rule(
    value: Value,
    fix: Option<&str>,
    language: Option<&str>,
    number: usize,
) -> Result<Value, String> {
    let Value::Object(mut rule) = value else {
        return Err(
            "a rule is an object, such as {\"rule\": {\"pattern\": …}, \"fix\": …}".to_owned()
        );
    };
    if depth(&rule) > MAX_DEPTH {
        return Err(format!("a rule has at most {MAX_DEPTH} levels"));
    }
    if !rule.contains_key(RULE_KEY) {
        const OWN_KEYS: &[&str] = &[
            "id",
            "language",
            "constraints",
            "utils",
            "transform",
            "fix",
            "rewriters",
            "message",
            "note",
            "severity",
            "labels",
            "files",
            "ignores",
            "url",
            "metadata",
        ];
        let mut whole = Map::new();
        for key in OWN_KEYS {
            whole.extend(rule.remove_entry(*key));
        }
        whole.insert(RULE_KEY.to_owned(), Value::Object(rule));
        rule = whole;
    }
    if let Some(fix) = fix {
        if rule.contains_key("fix") {
            return Err("the replacement is given twice: as `fix` and as `rewrite`".to_owned());
        }
        rule.insert("fix".to_owned(), fix.into());
    }
    if let Some(language) = language {
        rule.entry("language").or_insert_with(|| language.into());
    }
    if !rule.contains_key("language") {
        return Err("name the `language`".to_owned());
    }
    rule.entry("id").or_insert_with(|| format!("rule-{number}").into());
    Ok(Value::Object(rule))
}

fn depth(map: &Map<String, Value>) -> usize {
    // A stack of its own: the value may be deeper than this thread's.
    let mut waiting: Vec<(&Value, usize)> = map.values().map(|value| (value, 1)).collect();
    let mut deepest = 1;
    while let Some((value, depth)) = waiting.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Object(map) => waiting.extend(map.values().map(|value| (value, depth + 1))),
            Value::Array(list) => waiting.extend(list.iter().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bare_rule_is_completed() {
        let bare = json!({ "any": [{ "pattern": "a" }], "constraints": { "A": { "regex": "x" } } });
        let whole = whole_rule(bare, Some("b"), Some("rust"), 1).unwrap();
        assert_eq!(
            whole,
            json!({ "rule": { "any": [{ "pattern": "a" }] }, "constraints": { "A": { "regex": "x" } },
                "fix": "b", "language": "rust", "id": "rule-1" })
        );
        let error =
            whole_rule(json!({ "rule": { "pattern": "a" }, "fix": "b" }), Some("c"), None, 1);
        assert!(error.unwrap_err().contains("twice"));
        assert!(whole_rule(json!({ "pattern": "a" }), None, None, 1).is_err());
        assert!(whole_rule(json!([]), None, Some("rust"), 1).is_err());
        let deep = (0..100).fold(json!("x"), |value, _| json!({ "not": value }));
        assert!(whole_rule(deep, None, Some("rust"), 1).unwrap_err().contains("levels"));
    }
}
