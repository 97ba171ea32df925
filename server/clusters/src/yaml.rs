//! YAML and JSON texts as JSON values, as `kubectl` reads them, within limits.
//!
//! `kubectl` reads YAML 1.1, others YAML 1.2. A plain text that they read differently is refused.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

use crate::limits::{MAX_YAML_DEPTH, MAX_YAML_VALUES};

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) message: String,
}

/// A document, and the line where it starts.
pub(crate) type Document = (usize, Value);

/// The documents of a text.
pub(crate) fn documents(text: &str) -> Result<Vec<Document>, YamlError> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError {
            line: error.marker().line(),
            message: error.info().to_owned(),
        })?;
        let line = span.start.line();
        reader.read(event, line).map_err(|message| YamlError { line, message })?;
    }
    Ok(reader.documents)
}

/// A collection that is being read.
enum Open {
    Sequence {
        items: Vec<Value>,
        anchor: usize,
    },
    /// With the key whose value comes next, and mappings to merge.
    Mapping {
        fields: Map<String, Value>,
        key: Option<String>,
        merged: Vec<Value>,
        anchor: usize,
    },
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: HashMap<usize, (Value, usize)>,
    documents: Vec<Document>,
    /// Values so far, those behind aliases each time.
    count: usize,
}

impl Reader {
    fn read(&mut self, event: Event<'_>, line: usize) -> Result<(), String> {
        let (value, anchor) = match event {
            Event::MappingStart(anchor, _) => {
                self.open.push(Open::Mapping {
                    fields: Map::new(),
                    key: None,
                    merged: Vec::new(),
                    anchor,
                });
                return self.check_depth();
            }
            Event::SequenceStart(anchor, _) => {
                self.open.push(Open::Sequence { items: Vec::new(), anchor });
                return self.check_depth();
            }
            Event::MappingEnd | Event::SequenceEnd => match self.open.pop() {
                Some(Open::Mapping { mut fields, merged, anchor, .. }) => {
                    for value in merged {
                        merge(&mut fields, value)?;
                    }
                    (Value::Object(fields), anchor)
                }
                Some(Open::Sequence { items, anchor }) => (Value::Array(items), anchor),
                None => return Ok(()),
            },
            Event::Scalar(text, style, anchor, tag) => {
                (scalar(&text, style, tag.as_deref())?, anchor)
            }
            Event::Alias(anchor) => {
                let (value, size) =
                    self.anchors.get(&anchor).ok_or("an alias without its anchor")?;
                // Counted before it is copied.
                if self.count + size > MAX_YAML_VALUES {
                    return Err(too_many());
                }
                self.count += size;
                (value.clone(), 0)
            }
            Event::DocumentStart(_) => {
                self.anchors.clear();
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.count += 1;
        if self.count > MAX_YAML_VALUES {
            return Err(too_many());
        }
        if anchor > 0 {
            let size = size(&value);
            self.count += size;
            self.anchors.insert(anchor, (value.clone(), size));
        }
        self.add(value, line)
    }

    fn add(&mut self, value: Value, line: usize) -> Result<(), String> {
        match self.open.last_mut() {
            None => {
                // `---` without anything is no document.
                if !value.is_null() {
                    self.documents.push((line, value));
                }
            }
            Some(Open::Sequence { items, .. }) => items.push(value),
            Some(Open::Mapping { key: key @ None, .. }) => {
                *key = Some(match value {
                    Value::String(text) => text,
                    Value::Number(_) | Value::Bool(_) => value.to_string(),
                    _ => return Err("a key that is no text".to_owned()),
                });
            }
            Some(Open::Mapping { fields, key, merged, .. }) => {
                let key = key.take().unwrap_or_default();
                if key == "<<" {
                    merged.push(value);
                } else if fields.contains_key(&key) {
                    return Err(format!("`{key:.60}` is there twice"));
                } else {
                    fields.insert(key, value);
                }
            }
        }
        Ok(())
    }

    fn check_depth(&self) -> Result<(), String> {
        if self.open.len() > MAX_YAML_DEPTH {
            return Err(format!("it is nested deeper than {MAX_YAML_DEPTH}"));
        }
        Ok(())
    }
}

fn too_many() -> String {
    format!("it expands to more than {MAX_YAML_VALUES} values")
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// `<<: *defaults`: fields that are not there yet.
fn merge(fields: &mut Map<String, Value>, value: Value) -> Result<(), String> {
    match value {
        Value::Object(others) => {
            for (key, value) in others {
                fields.entry(key).or_insert(value);
            }
            Ok(())
        }
        Value::Array(items) => items.into_iter().try_for_each(|item| merge(fields, item)),
        _ => Err("`<<` merges mappings only".to_owned()),
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    if let Some(tag) = tag {
        return match (tag.is_yaml_core_schema(), tag.suffix.as_str()) {
            (true, "str") => Ok(Value::String(text.to_owned())),
            (true, "binary") => {
                Err("`!!binary` is not supported; write the text in base64".to_owned())
            }
            (true, _) => plain(text),
            _ => Err(format!("the tag `{tag}` is not known")),
        };
    }
    if style == ScalarStyle::Plain { plain(text) } else { Ok(Value::String(text.to_owned())) }
}

/// Texts that YAML 1.1 takes for truth values, and YAML 1.2 for texts.
const AMBIGUOUS: &[&str] = &["y", "n", "yes", "no", "on", "off"];

fn plain(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if AMBIGUOUS.contains(&text.to_ascii_lowercase().as_str()) {
        return Err(format!(
            "`{text}` is a truth value for kubectl and a text for others; write true, false or \"{text}\""
        ));
    }
    Ok(number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number))
}

fn number(text: &str) -> Option<Number> {
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { -1 } else { 1 }, rest),
        None => (1, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let radix = |prefix: &str, radix| {
        let digits = digits.strip_prefix(prefix)?;
        let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        all.then(|| i64::from_str_radix(digits, radix).ok())?
    };
    // A leading zero is octal for kubectl: `defaultMode: 0644`.
    let octal = || radix("0", 8).filter(|_| digits.len() > 1);
    let integer =
        radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2)).or_else(octal);
    if let Some(integer) = integer {
        return Some(Number::from(sign * integer));
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Ok(integer) = digits.parse::<i64>() {
            return Some(Number::from(sign * integer));
        }
        if let (1, Ok(integer)) = (sign, digits.parse::<u64>()) {
            return Some(Number::from(integer));
        }
    }
    let is_float = digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.contains(['.', 'e', 'E']);
    if !is_float {
        return None;
    }
    Number::from_f64(digits.parse::<f64>().ok()? * f64::from(i32::try_from(sign).ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    fn only(text: &str) -> Value {
        documents(text).unwrap().remove(0).1
    }

    #[test]
    fn values_are_read_as_kubectl_reads_them() {
        let text = "a: 1\nb: \"1\"\nc: 0644\nd: 1.5\ne: ~\nf: 1.2.3\ng: 0x1F\nh: -7\ni: 100m\nj: !!str 5\nk: |\n  x\n  y\nl: 1e3\nm: 08\n";
        let wanted = json!({ "a": 1, "b": "1", "c": 420, "d": 1.5, "e": null, "f": "1.2.3", "g": 31, "h": -7, "i": "100m",
            "j": "5", "k": "x\ny\n", "l": 1000.0, "m": 8 });
        assert_eq!(only(text), wanted);
        assert_eq!(
            only("base: &b {x: 1, z: 2}\nuse: {<<: *b, z: 3}\n")["use"],
            json!({ "x": 1, "z": 3 })
        );
        assert_eq!(
            documents("---\n---\na: 1\n---\n# nothing\n---\n{\"b\": [2]}\n").unwrap().len(),
            2
        );
    }

    #[test]
    fn what_is_ambiguous_or_hostile_is_refused() {
        for (text, wanted) in [
            ("a: yes\n", "truth value"),
            ("a: 1\na: 2\n", "twice"),
            ("a: !local x\n", "not known"),
            ("? [a]\n: 1\n", "no text"),
        ] {
            let error = documents(text).unwrap_err();
            assert!(error.message.contains(wanted), "{text}: {error:?}");
        }
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let inner = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
        }
        assert!(documents(&bomb).unwrap_err().message.contains("expands"), "a bomb");
        let deep = format!("a: {}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(documents(&deep).is_err());
        let deep = (0..500).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<String>();
        assert!(documents(&deep).is_err());
    }
}
