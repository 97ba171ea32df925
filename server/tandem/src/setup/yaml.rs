//! YAML: our entry is a block of lines below the key of the servers.
//!
//! Lines are added and removed as text, so that everything else keeps its bytes; the caller parses
//! the result and compares it.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value, json};

use super::config::{SyntaxError, append_block, newline, trim_end_of_block};
use super::entry::Fields;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 100;

pub(super) fn parse(text: &str) -> Result<Value, SyntaxError> {
    Ok(read(text)?.value)
}

/// Writes the entry at `path` (the servers' key and the name), in the place of the one that is there.
pub(super) fn put(text: &str, path: &[&str], fields: &Fields) -> Result<String, String> {
    let [servers, name] = path else { return Err("no path".to_owned()) };
    let document = read(text).map_err(|error| error.message)?;
    if let Some(range) = document.block(text, &[servers, name]) {
        let indent = indent_at(text, range.start);
        let block = block(name, fields, &indent, newline(text));
        return Ok(format!("{}{block}{}", &text[..range.start], &text[range.end..]));
    }
    let Some(key) = document.key(&[servers]) else {
        let block =
            format!("{servers}:{0}{1}", newline(text), block(name, fields, "  ", newline(text)));
        return Ok(append_block(text, &block));
    };
    let siblings = document.value.get(*servers).and_then(Value::as_object);
    let first = siblings.and_then(|siblings| {
        siblings
            .keys()
            .filter_map(|sibling| document.key(&[servers, sibling]))
            .min_by_key(|key| key.start)
    });
    match (first, siblings) {
        // The entries are in lines of their own, whose indentation is taken over.
        (Some(first), _) => {
            let after = text[key.start..].find('\n').map(|length| key.start + length + 1);
            let after = after
                .filter(|after| *after <= first.start)
                .ok_or("its extensions are in one line")?;
            let block = block(name, fields, &indent_at(text, first.start), newline(text));
            Ok(format!("{}{block}{}", &text[..after], &text[after..]))
        }
        (None, Some(siblings)) if !siblings.is_empty() => {
            Err("its extensions cannot be located".to_owned())
        }
        // `extensions:` or `extensions: {}`
        _ => {
            let line = text[key.start..].split_inclusive('\n').next().unwrap_or_default();
            let after = key.start + line.len();
            let line = line.replacen("{}", "", 1);
            let line = line.trim_end_matches(['\r', '\n']).trim_end();
            let block = block(name, fields, "  ", newline(text));
            Ok(format!("{}{line}{}{block}{}", &text[..key.start], newline(text), &text[after..]))
        }
    }
}

/// Removes the entry at `path`, or the key of the servers if it has one key only.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, String> {
    let document = read(text).map_err(|error| error.message)?;
    let range = document.block(text, path).ok_or("its entry is not in lines of its own")?;
    let mut rest = format!("{}{}", &text[..range.start], &text[range.end..]);
    // Without entries, the key would have no value, which is no mapping.
    if let [servers, _] = path
        && document.value[*servers].as_object().is_some_and(|servers| servers.len() == 1)
        && let Some(key) = document.key(&[servers])
        && let Some(colon) = rest[key.end..].find(':').map(|colon| key.end + colon + 1)
    {
        rest.insert_str(colon, " {}");
    }
    Ok(rest)
}

/// An entry's lines.
fn block(name: &str, fields: &Fields, indent: &str, newline: &str) -> String {
    // JSON's values are YAML's flow style.
    let plain = |value: &Value| match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    };
    let mut lines = format!("{indent}{name}:{newline}");
    for (key, value) in fields {
        lines.push_str(&format!("{indent}  {}: {}{newline}", plain(&json!(key)), plain(value)));
    }
    lines
}

/// Whether a text needs no quotes.
fn is_plain(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.".contains(c))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str())
}

fn indent_at(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    line[..line.len() - line.trim_start_matches(' ').len()].to_owned()
}

/// A document's value, and where the keys of its upper two levels are.
struct Document {
    value: Value,
    keys: Vec<(Vec<String>, Range<usize>)>,
}

impl Document {
    /// Where a key is.
    fn key(&self, path: &[&str]) -> Option<Range<usize>> {
        self.keys.iter().find(|(keys, _)| keys == path).map(|(_, range)| range.clone())
    }

    /// The lines of a key and its value, in block style.
    fn block(&self, text: &str, path: &[&str]) -> Option<Range<usize>> {
        let key = self.key(path)?;
        let start = text[..key.start].rfind('\n').map_or(0, |newline| newline + 1);
        let column = key.start - start;
        if !text[start..key.start].bytes().all(|byte| byte == b' ') {
            return None;
        }
        let mut end = start;
        for (index, line) in text[start..].split_inclusive('\n').enumerate() {
            let content = line.trim_start_matches(' ');
            let is_blank = content.trim().is_empty();
            if index > 0 && !is_blank && line.len() - content.len() <= column {
                break;
            }
            end += line.len();
        }
        Some(start..trim_end_of_block(text, start, end))
    }
}

/// A collection that is being read.
enum Open {
    Sequence(Vec<Value>),
    /// With the key whose value comes next.
    Mapping(Map<String, Value>, Option<String>),
}

/// Reads the only document of a text.
fn read(text: &str) -> Result<Document, SyntaxError> {
    let mut open: Vec<Open> = Vec::new();
    let mut keys = Vec::new();
    let mut document = None;
    let error = |span: Span, message: &str| SyntaxError {
        line: span.start.line(),
        message: message.to_owned(),
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|found| SyntaxError {
            line: found.marker().line(),
            message: found.info().to_owned(),
        })?;
        let value = match event {
            Event::MappingStart(..) => {
                open.push(Open::Mapping(Map::new(), None));
                None
            }
            Event::SequenceStart(..) => {
                open.push(Open::Sequence(Vec::new()));
                None
            }
            Event::MappingEnd | Event::SequenceEnd => match open.pop() {
                Some(Open::Mapping(fields, _)) => Some(Value::Object(fields)),
                Some(Open::Sequence(items)) => Some(Value::Array(items)),
                None => None,
            },
            Event::Scalar(text, style, ..) => Some(scalar(&text, style)),
            // Only compared, never followed.
            Event::Alias(anchor) => Some(json!({ "*": anchor })),
            _ => None,
        };
        if open.len() > MAX_DEPTH {
            return Err(error(span, "it is nested too deeply"));
        }
        let Some(value) = value else { continue };
        let path_start = open.iter().filter_map(|open| match open {
            Open::Mapping(_, Some(key)) => Some(key.clone()),
            _ => None,
        });
        let outer: Vec<String> = path_start.collect();
        let depth = open.len();
        match open.last_mut() {
            None if document.is_some() => return Err(error(span, "it has several documents")),
            None => document = Some(value),
            Some(Open::Sequence(items)) => items.push(value),
            Some(Open::Mapping(_, key @ None)) => {
                let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if depth <= 2 && outer.len() + 1 == depth {
                    let path = outer.into_iter().chain([name.clone()]).collect();
                    keys.push((path, span.start.index()..span.end.index()));
                }
                *key = Some(name);
            }
            Some(Open::Mapping(fields, key)) => {
                let key = key.take().unwrap_or_default();
                if fields.insert(key.clone(), value).is_some() {
                    return Err(error(span, &format!("it has `{key}` twice")));
                }
            }
        }
    }
    let value = match document {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(value) => value,
    };
    Ok(Document { value, keys: in_bytes(text, keys) })
}

/// Keys with the byte offsets of their places, which are ascending and count characters.
fn in_bytes(
    text: &str,
    keys: Vec<(Vec<String>, Range<usize>)>,
) -> Vec<(Vec<String>, Range<usize>)> {
    let mut offsets = text.char_indices().map(|(at, _)| at).enumerate();
    let mut offset = |index: usize| {
        let found = offsets.find(|(character, _)| *character == index);
        found.map_or(text.len(), |(_, at)| at)
    };
    keys.into_iter().map(|(path, range)| (path, offset(range.start)..offset(range.end))).collect()
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return json!(text);
    }
    match text {
        "" | "~" | "null" => Value::Null,
        _ => match serde_json::from_str(text) {
            Ok(value @ (Value::Bool(_) | Value::Number(_))) => value,
            _ => json!(text),
        },
    }
}
