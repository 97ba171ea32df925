//! A symbol in results.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{Document, FileSymbol};

use tools::{
    budget,
    results::{Lines, line_range, list_at, number_at, str_at},
};

/// A symbol.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Symbol {
    /// Its name.
    pub(super) name: String,
    /// Its name path: `Class/method`.
    pub(super) name_path: String,
    /// For instance `class` or `field`.
    pub(super) kind: &'static str,
    /// 1-based line of its name.
    pub(super) line: usize,
    /// Last line of its definition, 1-based.
    pub(super) end_line: usize,
    /// Its declaration as written, without the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
    /// Its members down to the requested depth, as a flat list in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<Child>,
}

/// A member of a symbol.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Child {
    /// Its name path.
    name_path: String,
    /// Its kind.
    kind: &'static str,
    /// 1-based line of its name.
    line: usize,
    /// Its declaration as written, without the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// Longest signature in a list, in characters.
const MAX_SIGNATURE_CHARS: usize = 200;
/// Limit for the members of one symbol.
pub(super) const MAX_CHILDREN: usize = 300;

impl Symbol {
    pub(super) fn from_symbol(document: &Document, symbol: &FileSymbol) -> Self {
        let text = document.text();
        let end = symbol.span.end.max(symbol.name_span.end);
        Self {
            name: symbol.name.clone(),
            name_path: symbol.path.join("/"),
            kind: symbol.kind.as_str(),
            line: text.line_of(symbol.name_span.start) + 1,
            end_line: text.line_of(end.saturating_sub(1).max(symbol.name_span.start)) + 1,
            signature: signature(document, symbol),
            children: Vec::new(),
        }
    }

    /// Adds members, down to `depth` levels.
    pub(super) fn with_children(
        mut self,
        document: &Document,
        symbol: &FileSymbol,
        all: &[FileSymbol],
        depth: usize,
    ) -> Self {
        let own = symbol.path.len();
        let below = |other: &&FileSymbol| {
            let levels = other.path.len().saturating_sub(own);
            (1..=depth).contains(&levels) && other.path.starts_with(&symbol.path)
        };
        let child = |other: &FileSymbol| Child {
            name_path: other.path.join("/"),
            kind: other.kind.as_str(),
            line: document.text().line_of(other.name_span.start) + 1,
            signature: signature(document, other),
        };
        self.children = all.iter().filter(below).take(MAX_CHILDREN).map(child).collect();
        self
    }

    /// Its approximate size in a result, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let of = |signature: &Option<String>, path: &str| {
            signature.as_ref().map_or(0, String::len) + path.len() + 80
        };
        let children = self.children.iter().map(|c| of(&c.signature, &c.name_path));
        of(&self.signature, &self.name_path) + self.name.len() + children.sum::<usize>()
    }
}

fn signature(document: &Document, symbol: &FileSymbol) -> Option<String> {
    let signature = symbol.signature(document.text(), document.language()?)?;
    let mut short = String::with_capacity(signature.len().min(MAX_SIGNATURE_CHARS));
    for word in signature.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if short.len() > MAX_SIGNATURE_CHARS {
            let end = short.floor_char_boundary(MAX_SIGNATURE_CHARS);
            short.truncate(end);
            short.push('\u{2026}');
            break;
        }
    }
    (short != symbol.name).then_some(short)
}

/// A symbol as one line: its range, its name path if that is not in the signature, its signature or
/// its kind and name.
pub(super) fn line(symbol: &Value) -> String {
    let range = line_range(number_at(symbol, "line"), number_at(symbol, "end_line"));
    let name_path = str_at(symbol, "name_path");
    match symbol["signature"].as_str() {
        Some(signature) if name_path.contains('/') => format!("{range}: {name_path}: {signature}"),
        Some(signature) => format!("{range}: {signature}"),
        None => format!("{range}: {} {name_path}", str_at(symbol, "kind")),
    }
}

/// The members of a symbol, indented by their depth.
pub(super) fn push_children(lines: &mut Lines, symbol: &Value) {
    let own = str_at(symbol, "name_path").matches('/').count();
    for child in list_at(symbol, "children") {
        let name_path = str_at(child, "name_path");
        let indent = "  ".repeat(name_path.matches('/').count().saturating_sub(own).min(20));
        let line = number_at(child, "line");
        match child["signature"].as_str() {
            Some(signature) => lines.push(format_args!("{indent}{line}: {signature}")),
            None => {
                let name = name_path.rsplit('/').next().unwrap_or(name_path);
                lines.push(format_args!("{indent}{line}: {} {name}", str_at(child, "kind")));
            }
        }
    }
}

/// A body for a result, and whether it was cut.
pub(super) fn clip_body(text: &str) -> (String, bool) {
    match budget::cut(text) {
        Some(cut) => (cut.text, true),
        None => (text.to_owned(), false),
    }
}
