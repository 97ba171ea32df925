//! What must not be shown of objects: the data of secrets, and values of variables whose names say that they are secret.

use serde_json::{Value, json};

/// Stands for a value that must not be shown.
pub(crate) const REDACTED: &str = "(redacted)";

/// Parts of names whose values are secrets, in lower case without separators.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
];

/// Whether the value of a variable of this name is a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    NAMES.iter().any(|part| plain.contains(part))
}

/// Whether a field of an object must not be shown; `names` is the way to it.
pub(crate) fn is_secret_field(kind: &str, names: &[String]) -> bool {
    let is_data = kind == "Secret"
        && names.first().is_some_and(|name| name == "data" || name == "stringData");
    // `env[name=DB_PASSWORD].value`
    let is_variable = matches!(names, [.., variable, value]
        if value == "value" && variable.strip_prefix("name=").is_some_and(is_secret_name));
    is_data || is_variable
}

/// Replaces secrets in an object.
pub(crate) fn redact(object: &mut Value) {
    let is_secret = object["kind"] == "Secret";
    if is_secret {
        for name in ["data", "stringData"] {
            for value in object
                .get_mut(name)
                .and_then(Value::as_object_mut)
                .into_iter()
                .flat_map(|data| data.values_mut())
            {
                *value = json!(REDACTED);
            }
        }
    }
    if let Some(items) = object.get_mut("items").and_then(Value::as_array_mut) {
        items.iter_mut().for_each(redact);
    }
    redact_variables(object);
}

fn redact_variables(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(redact_variables),
        Value::Object(fields) => {
            let is_variable =
                fields.get("name").and_then(Value::as_str).is_some_and(is_secret_name);
            if is_variable && fields.get("value").is_some_and(Value::is_string) {
                fields.insert("value".to_owned(), json!(REDACTED));
            }
            fields.values_mut().for_each(redact_variables);
        }
        _ => {}
    }
}
