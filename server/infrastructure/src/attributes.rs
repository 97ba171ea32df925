//! The attributes that a change changes, with sensitive values redacted.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{MAX_ATTRIBUTES, MAX_VALUE_CHARS};

/// Stands for a value that must not be shown.
pub(crate) const SENSITIVE: &str = "(sensitive)";
/// Stands for a value that only the apply knows.
const UNKNOWN: &str = "(known after apply)";
/// Shorter secrets are not looked for in other values: they would be found everywhere.
const MIN_SECRET_CHARS: usize = 4;

/// One attribute of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct AttributeChange {
    /// Its path: `triggers[0]`.
    pub(crate) name: String,
    /// The value before, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    /// The value after, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<String>,
    /// Whether it forces the replacement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) forces_replacement: bool,
}

/// Texts that are sensitive somewhere in a plan, and so everywhere: a provider may copy them into attributes that are
/// not marked.
#[derive(Debug, Default)]
pub(crate) struct Secrets(BTreeSet<String>);

impl Secrets {
    /// Adds what `marks` marks in `value`: true for all of it, or a mark for each part.
    pub(crate) fn add(&mut self, value: &Value, marks: &Value) {
        match marks {
            Value::Bool(true) => self.add_all(value),
            Value::Object(fields) => {
                fields.iter().for_each(|(name, marks)| self.add(&value[name], marks));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, marks)| self.add(&value[index], marks));
            }
            _ => {}
        }
    }

    /// Adds all texts of a value.
    pub(crate) fn add_all(&mut self, value: &Value) {
        match value {
            Value::String(text) if text.chars().count() >= MIN_SECRET_CHARS => {
                self.0.insert(text.clone());
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_all(item)),
            Value::Object(fields) => fields.values().for_each(|value| self.add_all(value)),
            _ => {}
        }
    }

    /// The text without secrets.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.0.iter().rev() {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), SENSITIVE);
            }
        }
        text
    }

    /// The value without secrets in its texts.
    fn redact_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.redact(text).into(),
            Value::Array(items) => items.iter().map(|item| self.redact_value(item)).collect(),
            Value::Object(fields) => {
                let redacted =
                    |(name, value): (&String, &Value)| (name.clone(), self.redact_value(value));
                fields.iter().map(redacted).collect()
            }
            other => other.clone(),
        }
    }

    fn hold(&self, value: &Value) -> bool {
        value
            .as_str()
            .is_some_and(|text| self.0.iter().any(|secret| text.contains(secret.as_str())))
    }
}

/// One side of a change.
#[derive(Clone, Copy)]
pub(crate) struct Side<'v> {
    pub(crate) value: &'v Value,
    /// What is sensitive of it.
    pub(crate) sensitive: &'v Value,
    /// What is not known of it.
    pub(crate) unknown: &'v Value,
}

impl<'v> Side<'v> {
    fn part(self, key: Key<'_>) -> Self {
        let of = |value: &'v Value| match (key, value) {
            // A mark of the whole is one of each part.
            (_, Value::Bool(true)) => value,
            (Key::Name(name), _) => value.get(name).unwrap_or(&Value::Null),
            (Key::Index(index), _) => value.get(index).unwrap_or(&Value::Null),
        };
        Self {
            value: match key {
                Key::Name(name) => self.value.get(name).unwrap_or(&Value::Null),
                Key::Index(index) => self.value.get(index).unwrap_or(&Value::Null),
            },
            sensitive: of(self.sensitive),
            unknown: of(self.unknown),
        }
    }

    fn is_unknown(self) -> bool {
        *self.unknown == Value::Bool(true)
    }

    fn is_sensitive(self) -> bool {
        *self.sensitive == Value::Bool(true)
    }

    fn shown(self, secrets: &Secrets) -> Option<String> {
        if self.is_unknown() {
            return Some(UNKNOWN.to_owned());
        }
        if self.value.is_null() {
            return None;
        }
        if self.is_sensitive() || secrets.hold(self.value) {
            return Some(SENSITIVE.to_owned());
        }
        Some(shortened(&secrets.redact_value(self.value).to_string()))
    }
}

#[derive(Clone, Copy)]
enum Key<'k> {
    Name(&'k str),
    Index(usize),
}

/// The attributes that differ; the second value is how many more there are than listed.
pub(crate) fn changed(
    before: Side<'_>,
    after: Side<'_>,
    replace_paths: &Value,
    secrets: &Secrets,
) -> (Vec<AttributeChange>, usize) {
    let mut walk = Walk { secrets, replace_paths, found: Vec::new(), more: 0 };
    walk.compare("", &mut Vec::new(), before, after);
    (walk.found, walk.more)
}

struct Walk<'w> {
    secrets: &'w Secrets,
    replace_paths: &'w Value,
    found: Vec<AttributeChange>,
    more: usize,
}

impl Walk<'_> {
    fn compare(&mut self, name: &str, path: &mut Vec<Value>, before: Side<'_>, after: Side<'_>) {
        if before.value == after.value && !after.is_unknown() {
            // A part that is not known yet has no value, before and after.
            if !holds_true(after.unknown) {
                return;
            }
        }
        let is_whole = before.is_sensitive() || after.is_sensitive() || after.is_unknown();
        let keys = if is_whole { Vec::new() } else { keys(before, after) };
        if keys.is_empty() {
            return self.add(name, path, before, after);
        }
        for key in keys {
            let (name, step) = match &key {
                Part::Name(part) if name.is_empty() => (part.clone(), Value::from(part.as_str())),
                Part::Name(part) => (format!("{name}.{part}"), Value::from(part.as_str())),
                Part::Index(index) => (format!("{name}[{index}]"), Value::from(*index)),
            };
            let key = match &key {
                Part::Name(part) => Key::Name(part),
                Part::Index(index) => Key::Index(*index),
            };
            path.push(step);
            self.compare(&name, path, before.part(key), after.part(key));
            path.pop();
        }
    }

    fn add(&mut self, name: &str, path: &[Value], before: Side<'_>, after: Side<'_>) {
        if self.found.len() >= MAX_ATTRIBUTES {
            self.more += 1;
            return;
        }
        let forces = self.replace_paths.as_array().into_iter().flatten().any(|forcing| {
            forcing.as_array().is_some_and(|forcing| {
                let length = forcing.len().min(path.len());
                forcing[..length] == path[..length]
            })
        });
        self.found.push(AttributeChange {
            name: shortened(name),
            before: before.shown(self.secrets),
            after: after.shown(self.secrets),
            forces_replacement: forces,
        });
    }
}

enum Part {
    Name(String),
    Index(usize),
}

/// The parts of two sides, if both are objects or both are lists, or one of them is missing.
fn keys(before: Side<'_>, after: Side<'_>) -> Vec<Part> {
    let sides = [before.value, after.value, after.unknown];
    let is = |wanted: fn(&Value) -> bool| {
        sides[..2].iter().all(|value| wanted(value) || value.is_null())
            && sides.iter().any(|value| wanted(value))
    };
    if is(Value::is_object) {
        let names: BTreeSet<&String> = sides
            .iter()
            .filter_map(|value| value.as_object())
            .flat_map(|fields| fields.keys())
            .collect();
        return names.into_iter().map(|name| Part::Name(name.clone())).collect();
    }
    if is(Value::is_array) {
        let length = sides.iter().filter_map(|value| value.as_array()).map(Vec::len).max();
        return (0..length.unwrap_or(0)).map(Part::Index).collect();
    }
    Vec::new()
}

fn holds_true(marks: &Value) -> bool {
    match marks {
        Value::Bool(mark) => *mark,
        Value::Array(items) => items.iter().any(holds_true),
        Value::Object(fields) => fields.values().any(holds_true),
        _ => false,
    }
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

    #[test]
    fn sensitive_values_are_redacted_wherever_they_are() {
        let (before, after) = (
            json!({ "a": "hunter2", "copy": "x hunter2", "whole": { "b": ["hunter2"] } }),
            json!({ "a": "other-secret", "copy": 1, "whole": 2 }),
        );
        let marks = json!({ "a": true });
        let mut secrets = Secrets::default();
        secrets.add(&before, &marks);
        secrets.add(&after, &marks);
        let null = Value::Null;
        let side = |value| Side { value, sensitive: &marks, unknown: &null };
        let (found, more) = changed(side(&before), side(&after), &json!([["a"]]), &secrets);
        assert_eq!(more, 0);
        let shown = serde_json::to_string(&found).unwrap();
        assert!(!shown.contains("hunter2") && !shown.contains("other-secret"), "{shown}");
        assert!(found[0].forces_replacement && !found[1].forces_replacement, "{shown}");
        assert_eq!(secrets.redact("it is hunter2!"), "it is (sensitive)!");
    }

    #[test]
    fn values_that_come_later_are_named() {
        let (before, after) =
            (json!({ "id": "1", "tags": ["a", "b"] }), json!({ "tags": ["a", "c"] }));
        let (unknown, none) = (json!({ "id": true, "tags": [false, false] }), Value::Null);
        let (found, _) = changed(
            Side { value: &before, sensitive: &none, unknown: &none },
            Side { value: &after, sensitive: &none, unknown: &unknown },
            &none,
            &Secrets::default(),
        );
        let names: Vec<_> =
            found.iter().map(|one| (one.name.as_str(), one.after.as_deref().unwrap())).collect();
        assert_eq!(names, [("id", "(known after apply)"), ("tags[1]", "\"c\"")]);
    }
}
