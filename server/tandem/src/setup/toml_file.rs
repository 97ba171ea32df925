//! TOML: our entry is a table of its own, `[mcp_servers.tandem]`.
//!
//! Lines are added and removed as text, so that everything else keeps its bytes; the caller parses
//! the result and compares it.

use std::ops::Range;

use serde_json::Value;

use super::config::{SyntaxError, append_block, line_of, newline, trim_end_of_block};
use super::entry::Fields;

pub(super) fn parse(text: &str) -> Result<Value, SyntaxError> {
    toml::from_str(text).map_err(|error: toml::de::Error| SyntaxError {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })
}

/// Writes the table at `path`, in the place of the one that is there.
pub(super) fn put(text: &str, path: &[&str], fields: &Fields) -> Result<String, String> {
    let newline = newline(text);
    let mut block = format!("[{}]{newline}", path.join("."));
    for (key, value) in fields {
        block.push_str(&format!("{} = {}{newline}", bare_or_quoted(key), inline(value)?));
    }
    Ok(match table(text, path) {
        Some(range) => format!("{}{block}{}", &text[..range.start], &text[range.end..]),
        None => append_block(text, &block),
    })
}

/// Removes the table at `path` and the tables in it.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, String> {
    let range = table(text, path).ok_or("it is not written as a table of its own")?;
    Ok(format!("{}{}", &text[..range.start], &text[range.end..]))
}

/// The lines of the table at `path` and of the tables in it that follow.
fn table(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(header) = header(line) {
            let is_ours =
                header.len() >= path.len() && header.iter().zip(path).all(|(a, b)| a == b);
            match start {
                None if is_ours && header.len() == path.len() => start = Some(at),
                Some(start) if !is_ours => {
                    return Some(start..trim_end_of_block(text, start, at));
                }
                _ => {}
            }
        }
        at += line.len();
    }
    start.map(|start| start..trim_end_of_block(text, start, text.len()))
}

/// The keys of a line that starts a table.
fn header(line: &str) -> Option<Vec<String>> {
    let keys = line.trim_start().strip_prefix('[')?.trim_start_matches('[');
    let keys = keys.split_once(']')?.0;
    Some(keys.split('.').map(|key| key.trim().trim_matches(['"', '\'']).to_owned()).collect())
}

/// A value on one line. JSON's strings are TOML's basic strings, but for the character that it
/// leaves unescaped.
fn inline(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Array(items) => {
            let items: Result<Vec<_>, _> = items.iter().map(inline).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                Ok::<_, String>(format!("{} = {}", bare_or_quoted(key), inline(value)?))
            };
            let fields: Result<Vec<_>, _> = fields.iter().map(field).collect();
            format!("{{ {} }}", fields?.join(", "))
        }
        Value::Null => return Err("an entry has no value".to_owned()),
        other => other.to_string().replace('\u{7f}', "\\u007f"),
    })
}

fn bare_or_quoted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(is_bare) {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}
