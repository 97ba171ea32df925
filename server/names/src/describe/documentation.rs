//! Documentation: the comment that stands before a declaration, or the string that opens its body.

use text::Text;

use crate::dialect::{Dialect, Documentation};
use crate::facts::Definition;

/// Most lines of documentation that are shown.
const LINES: usize = 160;
/// Longest documentation, in bytes.
const BYTES: usize = 8_000;

/// The documentation of a definition.
pub(crate) fn of(
    text: &Text,
    definition: &Definition<'_>,
    language: &str,
) -> Option<Documentation> {
    let text = written(text, definition, language)?;
    Some(Documentation { text, dialect: Dialect::of_language(language) })
}

/// What a file says of itself at its start.
pub(crate) fn of_file(text: &Text, language: &str) -> Option<Documentation> {
    let text = written_of_file(text, language)?;
    Some(Documentation { text, dialect: Dialect::of_language(language) })
}

fn written(text: &Text, definition: &Definition<'_>, language: &str) -> Option<String> {
    if language == "python" {
        let inside = docstring(text, definition);
        return inside.or_else(|| before(text, definition.span.start, &["#"], false));
    }
    let marks: &[&str] = if language == "rust" { &["///"] } else { &["///", "//!", "//"] };
    let first = before(text, definition.span.start, marks, language == "rust");
    let behind = || {
        let line = text.line_of(definition.name_span.end);
        behind(&text.line(line))
    };
    first.or_else(behind)
}

fn written_of_file(text: &Text, language: &str) -> Option<String> {
    let head = text.slice(0..BYTES);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let mark = match language {
        "python" => {
            let code = head.lines().skip_while(|l| l.starts_with('#') || l.trim().is_empty());
            let code: String = code.flat_map(|l| [l, "\n"]).collect();
            return string(&code);
        }
        "rust" => "//!",
        _ => "//",
    };
    if let Some(block) = head.strip_prefix("/*") {
        return block_comment(block.split("*/").next()?);
    }
    let lines: Vec<&str> = head.lines().take_while(|l| l.trim_start().starts_with(mark)).collect();
    joined(lines.iter().map(|l| unmarked(l, &[mark])))
}

/// The comment that ends right before a place, past attributes and decorators; those of Rust may stand
/// between its lines, and hold some of them.
fn before(text: &Text, start: usize, marks: &[&str], rust: bool) -> Option<String> {
    let mut line = text.line_of(start);
    let mut found: Vec<String> = Vec::new();
    let mut looked = 0;
    while line > 0 && looked < LINES {
        line -= 1;
        looked += 1;
        let written = text.line(line);
        let written = written.trim();
        if marks.iter().any(|m| written.starts_with(m)) {
            found.push(unmarked(written, marks));
        } else if rust && written.starts_with("#[") {
            found.extend(attribute_text(written));
        } else if written.ends_with("*/") && found.is_empty() {
            return block_before(text, line);
        } else if !found.is_empty() || !is_attribute(written) {
            break;
        }
    }
    joined(found.into_iter().rev())
}

/// The line of documentation that an attribute of Rust is: `#[doc = " text"]`. Of two conditions that
/// exclude each other, the one that does not say `not` is shown.
fn attribute_text(line: &str) -> Option<String> {
    let shown = line.starts_with("#[doc") || line.starts_with("#[cfg_attr(");
    let text = line.split_once("doc = \"").filter(|_| shown && !line.contains("(not("))?.1;
    let text = text.trim_end_matches([']', ')']).strip_suffix('"')?;
    let text = text.replace("\\\"", "\"");
    Some(text.strip_prefix(' ').unwrap_or(&text).trim_end().to_owned())
}

/// Lines that may stand between a comment and what it tells of.
fn is_attribute(line: &str) -> bool {
    line.starts_with(['@', '#', ')', ']'])
        || line.starts_with("template")
        || matches!(line, "export" | "export default")
}

fn block_before(text: &Text, last: usize) -> Option<String> {
    let mut first = last;
    while !text.line(first).trim_start().starts_with("/*") {
        if first == 0 || last - first > LINES * 2 {
            return None;
        }
        first -= 1;
    }
    let written = text.slice(text.line_start(first)..text.line_span(last).end);
    let written = written.trim().strip_prefix("/*")?;
    block_comment(written.strip_suffix("*/").unwrap_or(written))
}

fn block_comment(inside: &str) -> Option<String> {
    let inside = inside.trim_start_matches(['*', '!']);
    // Lines without an asterisk keep what they stand further in than their neighbours: code does.
    let bare = inside.lines().skip(1).filter(|l| !l.trim().is_empty());
    let bare = bare.filter(|l| !l.trim_start().starts_with('*'));
    let common = bare.map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    joined(inside.lines().map(|line| {
        let l = line.trim_start();
        match l.strip_prefix('*') {
            Some(l) => l.strip_prefix(' ').unwrap_or(l).trim_end().to_owned(),
            None => line.get(common..).unwrap_or(l).trim_end().to_owned(),
        }
    }))
}

/// A comment on the line itself, as fields often have.
fn behind(line: &str) -> Option<String> {
    let marks = ["///<", "//!<", "/**<", "///", "//"];
    let (at, mark) = marks.iter().find_map(|m| Some((line.find(m)?, *m)))?;
    if at > 0 && line[..at].ends_with(':') || line[..at].contains('"') {
        return None;
    }
    let said = line[at + mark.len()..].trim().trim_end_matches("*/").trim();
    (!said.is_empty()).then(|| said.to_owned())
}

fn unmarked(line: &str, marks: &[&str]) -> String {
    let line = line.trim();
    let line = marks.iter().find_map(|m| line.strip_prefix(m)).unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
}

/// The string that opens a Python body.
fn docstring(text: &Text, definition: &Definition<'_>) -> Option<String> {
    let end = definition.span.end.min(definition.span.start + BYTES * 2);
    let written = text.slice(definition.name_span.end..end);
    let (mut depth, mut body) = (0, None);
    for (at, c) in written.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 => {
                body = Some(at + 1);
                break;
            }
            '=' | '\n' if depth == 0 => break,
            _ => {}
        }
    }
    string(written.get(body?..)?)
}

/// The string that a text starts with, dedented.
fn string(text: &str) -> Option<String> {
    let mut text = text.trim_start();
    while let Some(rest) = text.strip_prefix('#') {
        text = rest.split_once('\n')?.1.trim_start();
    }
    let raw = text.starts_with(['r', 'R']);
    let text = text.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| text.starts_with(q))?;
    let inside = &text[quote.len()..];
    let inside = inside.split(quote).next()?;
    let indent = |l: &str| l.len() - l.trim_start().len();
    let rest = inside.lines().skip(1).filter(|l| !l.trim().is_empty());
    let common = rest.map(indent).min().unwrap_or(0);
    joined(inside.lines().enumerate().map(|(n, l)| {
        let l = if n == 0 { l.trim_start() } else { l.get(common..).unwrap_or("") };
        // A backslash before punctuation stands for the mark alone, as the program reads it.
        let l = if raw { l.to_owned() } else { l.replace("\\\\", "\\").replace("\\\"", "\"") };
        l.trim_end().to_owned()
    }))
}

fn joined(lines: impl Iterator<Item = String>) -> Option<String> {
    let mut out = String::new();
    for line in lines.take(LINES) {
        if out.len() + line.len() > BYTES {
            out.push('…');
            break;
        }
        out.push_str(&line);
        out.push('\n');
    }
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}
