//! Documentation: the comment before a declaration, or the docstring that opens its body.

use text::Text;

use crate::dialect::{Dialect, Documentation};
use crate::facts::Definition;

/// Limit for lines of documentation.
const MAX_LINES: usize = 160;
/// Limit for documentation, in bytes.
const MAX_BYTES: usize = 8_000;

/// The documentation of a definition.
pub(crate) fn of_definition(
    text: &Text,
    definition: &Definition<'_>,
    language: &str,
) -> Option<Documentation> {
    let text = documentation_text(text, definition, language)?;
    Some(Documentation { text, dialect: Dialect::of_language(language) })
}

/// The documentation of a file, at its start.
pub(crate) fn of_file(text: &Text, language: &str) -> Option<Documentation> {
    let text = file_documentation_text(text, language)?;
    Some(Documentation { text, dialect: Dialect::of_language(language) })
}

fn documentation_text(text: &Text, definition: &Definition<'_>, language: &str) -> Option<String> {
    if language == "python" {
        let docstring_text = docstring(text, definition);
        return docstring_text
            .or_else(|| comment_before(text, definition.span.start, &["#"], false));
    }
    let marks: &[&str] = if language == "rust" { &["///"] } else { &["///", "//!", "//"] };
    let first = comment_before(text, definition.span.start, marks, language == "rust");
    let trailing = || {
        let line = text.line_of(definition.name_span.end);
        trailing_comment(&text.line(line))
    };
    first.or_else(trailing)
}

fn file_documentation_text(text: &Text, language: &str) -> Option<String> {
    let head = text.slice(0..MAX_BYTES);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let mark = match language {
        "python" => {
            let code = head.lines().skip_while(|l| l.starts_with('#') || l.trim().is_empty());
            let code: String = code.flat_map(|l| [l, "\n"]).collect();
            return leading_string(&code);
        }
        "rust" => "//!",
        _ => "//",
    };
    if let Some(block) = head.strip_prefix("/*") {
        return block_comment(block.split("*/").next()?);
    }
    let lines: Vec<&str> = head.lines().take_while(|l| l.trim_start().starts_with(mark)).collect();
    join_lines(lines.iter().map(|l| without_marker(l, &[mark])))
}

/// The comment that ends right before an offset. Skips attributes and decorators; in Rust,
/// attributes may be between its lines and contain documentation.
fn comment_before(text: &Text, start: usize, marks: &[&str], rust: bool) -> Option<String> {
    let mut line = text.line_of(start);
    let mut found: Vec<String> = Vec::new();
    let mut lines_read = 0;
    while line > 0 && lines_read < MAX_LINES {
        line -= 1;
        lines_read += 1;
        let documentation_text = text.line(line);
        let documentation_text = documentation_text.trim();
        if marks.iter().any(|m| documentation_text.starts_with(m)) {
            found.push(without_marker(documentation_text, marks));
        } else if rust && documentation_text.starts_with("#[") {
            found.extend(attribute_text(documentation_text));
        } else if documentation_text.ends_with("*/") && found.is_empty() {
            return block_before(text, line);
        } else if !found.is_empty() || !is_attribute(documentation_text) {
            break;
        }
    }
    join_lines(found.into_iter().rev())
}

/// The line of documentation in a Rust attribute: `#[doc = " text"]`. Of two mutually exclusive
/// `cfg_attr` variants, the one without `not` is used.
fn attribute_text(line: &str) -> Option<String> {
    let is_documentation = line.starts_with("#[doc") || line.starts_with("#[cfg_attr(");
    let text =
        line.split_once("doc = \"").filter(|_| is_documentation && !line.contains("(not("))?.1;
    let text = text.trim_end_matches([']', ')']).strip_suffix('"')?;
    let text = text.replace("\\\"", "\"");
    Some(text.strip_prefix(' ').unwrap_or(&text).trim_end().to_owned())
}

/// Whether a line may be between a comment and the declaration that it documents.
fn is_attribute(line: &str) -> bool {
    line.starts_with(['@', '#', ')', ']'])
        || line.starts_with("template")
        || matches!(line, "export" | "export default")
}

fn block_before(text: &Text, last: usize) -> Option<String> {
    let mut first = last;
    while !text.line(first).trim_start().starts_with("/*") {
        if first == 0 || last - first > MAX_LINES * 2 {
            return None;
        }
        first -= 1;
    }
    let documentation_text = text.slice(text.line_start(first)..text.line_span(last).end);
    let documentation_text = documentation_text.trim().strip_prefix("/*")?;
    block_comment(documentation_text.strip_suffix("*/").unwrap_or(documentation_text))
}

fn block_comment(inside: &str) -> Option<String> {
    let inside = inside.trim_start_matches(['*', '!']);
    // Lines without an asterisk keep their relative indentation, because they may be code.
    let bare = inside.lines().skip(1).filter(|l| !l.trim().is_empty());
    let bare = bare.filter(|l| !l.trim_start().starts_with('*'));
    let common = bare.map(|l| l.len() - l.trim_start().len()).min().unwrap_or(0);
    join_lines(inside.lines().map(|line| {
        let l = line.trim_start();
        match l.strip_prefix('*') {
            Some(l) => l.strip_prefix(' ').unwrap_or(l).trim_end().to_owned(),
            None => line.get(common..).unwrap_or(l).trim_end().to_owned(),
        }
    }))
}

/// The trailing comment on a line, as fields often have.
fn trailing_comment(line: &str) -> Option<String> {
    let marks = ["///<", "//!<", "/**<", "///", "//"];
    let (at, mark) = marks.iter().find_map(|m| Some((line.find(m)?, *m)))?;
    if at > 0 && line[..at].ends_with(':') || line[..at].contains('"') {
        return None;
    }
    let comment = line[at + mark.len()..].trim().trim_end_matches("*/").trim();
    (!comment.is_empty()).then(|| comment.to_owned())
}

fn without_marker(line: &str, marks: &[&str]) -> String {
    let line = line.trim();
    let line = marks.iter().find_map(|m| line.strip_prefix(m)).unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
}

/// The docstring of a Python definition.
fn docstring(text: &Text, definition: &Definition<'_>) -> Option<String> {
    let end = definition.span.end.min(definition.span.start + MAX_BYTES * 2);
    let documentation_text = text.slice(definition.name_span.end..end);
    let (mut depth, mut body) = (0, None);
    for (at, c) in documentation_text.char_indices() {
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
    leading_string(documentation_text.get(body?..)?)
}

/// The string literal that a text starts with, dedented.
fn leading_string(text: &str) -> Option<String> {
    let mut text = text.trim_start();
    while let Some(rest) = text.strip_prefix('#') {
        text = rest.split_once('\n')?.1.trim_start();
    }
    let raw = text.starts_with(['r', 'R']);
    let text = text.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| text.starts_with(q))?;
    let docstring_text = &text[quote.len()..];
    let docstring_text = docstring_text.split(quote).next()?;
    let indent = |l: &str| l.len() - l.trim_start().len();
    let rest = docstring_text.lines().skip(1).filter(|l| !l.trim().is_empty());
    let common = rest.map(indent).min().unwrap_or(0);
    join_lines(docstring_text.lines().enumerate().map(|(n, l)| {
        let l = if n == 0 { l.trim_start() } else { l.get(common..).unwrap_or("") };
        // Unescape as Python would.
        let l = if raw { l.to_owned() } else { l.replace("\\\\", "\\").replace("\\\"", "\"") };
        l.trim_end().to_owned()
    }))
}

fn join_lines(lines: impl Iterator<Item = String>) -> Option<String> {
    let mut out = String::new();
    for line in lines.take(MAX_LINES) {
        if out.len() + line.len() > MAX_BYTES {
            out.push('…');
            break;
        }
        out.push_str(&line);
        out.push('\n');
    }
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}
