//! Templates of requests: JSON in which `"{name}"` stands for a value.

use std::collections::BTreeMap;

use serde_json::Value;

/// Values by name.
pub type TemplateValues = BTreeMap<&'static str, Value>;

/// Substitutes values in a template. A string that is only one name becomes that value with its
/// type; a name inside a longer string becomes text. Fields and list elements without a value are
/// left out. The elements of a list value are spliced into the surrounding list.
pub(crate) fn fill(template: &Value, values: &TemplateValues) -> Value {
    fill_value(template, values).unwrap_or(Value::Null)
}

/// Substitutes values in a list of strings.
pub(crate) fn fill_all(template: &[String], values: &TemplateValues) -> Vec<String> {
    let list = Value::from(template.to_vec());
    let Value::Array(list) = fill(&list, values) else { return Vec::new() };
    list.into_iter()
        .map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned))
        .collect()
}

fn fill_value(template: &Value, values: &TemplateValues) -> Option<Value> {
    match template {
        Value::String(text) => fill_text(text, values),
        Value::Array(list) => {
            let mut out = Vec::new();
            for element in list {
                match (fill_value(element, values), element) {
                    (Some(Value::Array(inner)), Value::String(_)) => out.extend(inner),
                    (fill, _) => out.extend(fill),
                }
            }
            Some(Value::Array(out))
        }
        Value::Object(fields) => Some(Value::Object(
            fields
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), fill_value(value, values)?)))
                .collect(),
        )),
        other => Some(other.clone()),
    }
}

fn fill_text(text: &str, values: &TemplateValues) -> Option<Value> {
    let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    if let Some(name) = name.filter(|name| is_name(name)) {
        return values.get(name).cloned();
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}') {
            Some((name, after_name)) if is_name(name) => {
                let value = values.get(name)?;
                out.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                rest = after_name;
            }
            _ => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Some(out.into())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_keep_their_types() {
        let values = TemplateValues::from([
            ("program", json!("/w/a.py")),
            ("args", json!(["a", "b c"])),
            ("stop", json!(true)),
            ("port", json!(71)),
        ]);
        let template = json!({
            "program": "{program}", "args": "{args}", "stopOnEntry": "{stop}", "module": "{module}",
            "argv": ["x", "{args}", "{module}", "--port={port}"], "kept": "{Not a name} {",
        });
        assert_eq!(
            fill(&template, &values),
            json!({
                "program": "/w/a.py", "args": ["a", "b c"], "stopOnEntry": true,
                "argv": ["x", "a", "b c", "--port=71"], "kept": "{Not a name} {",
            })
        );
        let template = ["dlv".to_owned(), "--listen=127.0.0.1:{port}".to_owned()];
        assert_eq!(fill_all(&template, &values), ["dlv", "--listen=127.0.0.1:71"]);
    }
}
