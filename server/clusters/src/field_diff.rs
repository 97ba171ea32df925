//! The fields in which two objects differ.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::limits::{MAX_FIELDS, MAX_VALUE_CHARS};
use crate::redaction::{REDACTED, is_secret_field, redact};

/// One field that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FieldChange {
    /// Its path: `spec.template.spec.containers[name=web].image`.
    pub(crate) field: String,
    /// The value before, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    /// The value after, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<String>,
}

/// The fields in which `after` differs from `before`, and how many more there are than listed.
pub(crate) fn differences(kind: &str, before: &Value, after: &Value) -> (Vec<FieldChange>, usize) {
    let mut walk = Walk { kind, names: Vec::new(), found: Vec::new(), more: 0 };
    walk.compare(Some(before), Some(after));
    (walk.found, walk.more)
}

struct Walk<'w> {
    kind: &'w str,
    names: Vec<String>,
    found: Vec<FieldChange>,
    more: usize,
}

impl Walk<'_> {
    fn compare(&mut self, before: Option<&Value>, after: Option<&Value>) {
        if before == after {
            return;
        }
        match (before, after) {
            (Some(Value::Object(one)), Some(Value::Object(other))) => {
                let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
                for name in names {
                    self.step(name.clone(), one.get(name), other.get(name));
                }
            }
            (Some(Value::Array(one)), Some(Value::Array(other))) => {
                match (names(one), names(other)) {
                    (Some(of_one), Some(of_other)) => {
                        let all = of_one
                            .iter()
                            .chain(of_other.iter().filter(|name| !of_one.contains(name)));
                        for name in all {
                            let find = |list: &[&str], items| {
                                position(list, name).and_then(|at| get(items, at))
                            };
                            self.step(
                                format!("name={name}"),
                                find(&of_one, one),
                                find(&of_other, other),
                            );
                        }
                    }
                    _ => {
                        for index in 0..one.len().max(other.len()) {
                            self.step(format!("#{index}"), one.get(index), other.get(index));
                        }
                    }
                }
            }
            // What is new is listed by its parts, as far as they have names.
            (None, Some(Value::Object(fields))) if !fields.is_empty() => {
                fields.iter().for_each(|(name, value)| self.step(name.clone(), None, Some(value)));
            }
            (None, Some(Value::Array(items))) if items.iter().any(Value::is_object) => {
                let names = names(items);
                for (index, item) in items.iter().enumerate() {
                    let name = names.as_ref().map(|names| format!("name={}", names[index]));
                    self.step(name.unwrap_or_else(|| format!("#{index}")), None, Some(item));
                }
            }
            _ => self.add(before, after),
        }
    }

    fn step(&mut self, name: String, before: Option<&Value>, after: Option<&Value>) {
        self.names.push(name);
        self.compare(before, after);
        self.names.pop();
    }

    fn add(&mut self, before: Option<&Value>, after: Option<&Value>) {
        if self.found.len() >= MAX_FIELDS {
            self.more += 1;
            return;
        }
        let is_secret = is_secret_field(self.kind, &self.names);
        let shown = |value: &Value| {
            if is_secret {
                return REDACTED.to_owned();
            }
            let mut value = value.clone();
            redact(&mut value);
            shortened(&value.to_string())
        };
        let change = FieldChange {
            field: path(&self.names),
            before: before.map(shown),
            after: after.map(shown),
        };
        self.found.push(change);
    }
}

/// The names of a list's items, if each has one of its own.
fn names(items: &[Value]) -> Option<Vec<&str>> {
    let names: Vec<&str> = items.iter().map(|item| item["name"].as_str()).collect::<Option<_>>()?;
    let distinct: BTreeSet<&&str> = names.iter().collect();
    (!names.is_empty() && distinct.len() == names.len()).then_some(names)
}

fn position(list: &[&str], name: &str) -> Option<usize> {
    list.iter().position(|one| *one == name)
}

fn get(items: &[Value], at: usize) -> Option<&Value> {
    items.get(at)
}

/// Steps as people write them.
fn path(names: &[String]) -> String {
    let mut text = String::new();
    for name in names {
        if let Some(index) = name.strip_prefix('#') {
            text.push_str(&format!("[{index}]"));
        } else if name.starts_with("name=") || name.contains(['.', '/']) {
            text.push_str(&format!("[{name}]"));
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(name);
        }
    }
    shortened(&text)
}

/// A text cut to what a person can read, on one line.
pub(crate) fn shortened(text: &str) -> String {
    tools::one_line(text, MAX_VALUE_CHARS)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(kind: &str, before: Value, after: Value) -> Vec<String> {
        let (found, _) = differences(kind, &before, &after);
        let shown = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
        found
            .into_iter()
            .map(|one| format!("{}: {} -> {}", one.field, shown(one.before), shown(one.after)))
            .collect()
    }

    #[test]
    fn items_are_compared_by_their_names() {
        let before = json!({ "spec": { "replicas": 2, "containers": [{ "name": "a", "image": "x:1" }, { "name": "b" }] } });
        let after = json!({ "spec": { "replicas": 3, "containers": [{ "name": "b" }, { "name": "a", "image": "x:2", "args": ["-v"] }] } });
        assert_eq!(
            lines("Deployment", before, after),
            [
                "spec.containers[name=a].args: none -> [\"-v\"]",
                "spec.containers[name=a].image: \"x:1\" -> \"x:2\"",
                "spec.replicas: 2 -> 3"
            ]
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let changed = lines(
            "Secret",
            json!({ "data": { "a": "aHVudGVyMg==" } }),
            json!({ "data": { "a": "eA==", "b": "eQ==" } }),
        );
        assert_eq!(changed, ["data.a: (redacted) -> (redacted)", "data.b: none -> (redacted)"]);
        let made = lines("Secret", json!({}), json!({ "data": { "a": "eA==" }, "type": "Opaque" }));
        assert_eq!(made, ["data.a: none -> (redacted)", "type: none -> \"Opaque\""]);
        let variable = |value: &str| json!({ "env": [{ "name": "DB_PASSWORD", "value": value }] });
        assert_eq!(
            lines("Pod", variable("x"), variable("y")),
            ["env[name=DB_PASSWORD].value: (redacted) -> (redacted)"]
        );
        let added = lines(
            "Pod",
            json!({}),
            json!({ "env": [{ "name": "API_TOKEN", "value": "hunter2" }] }),
        );
        assert!(!added[0].contains("hunter2"), "{added:?}");
    }
}
