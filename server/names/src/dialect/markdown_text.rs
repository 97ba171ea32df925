//! Markdown with inline marks of its own, as in JSDoc and Doxygen.

use super::html;
use super::inline::{code_span_length, find_close};
use super::writer::Writer;

/// Renders lines of such text. `special` converts a mark of the dialect at the start of a text, and
/// returns its Markdown and the rest.
pub(super) fn render(text: &str, special: &dyn Fn(&str) -> Option<(String, &str)>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((shown, behind)) = special(rest) {
            out.push_str(&shown);
            rest = behind;
            continue;
        }
        match c {
            '`' => {
                let end = code_span_length(rest);
                out.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            '!' if rest.starts_with("![") => {
                if let Some(behind) = local_image(rest) {
                    rest = behind;
                    continue;
                }
                out.push('!');
            }
            // `<https://…>` is a link already.
            '<' if !["http:", "https:", "mailto:"].iter().any(|s| rest[1..].starts_with(s)) => {
                if let Some((shown, behind)) = html::inline(rest) {
                    out.push_str(&shown);
                    rest = behind;
                    continue;
                }
                let tag = |c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?');
                out.push_str(if rest[1..].starts_with(tag) { "\\<" } else { "<" });
            }
            _ => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The rest after an image that is a file of the documentation's own pages, which is not available.
fn local_image(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("![")?;
    let target = &inside[find_close(inside, "](")? + 2..];
    let end = find_close(target, ")")?;
    (!target.starts_with("http")).then(|| &target[end + 1..])
}

/// Copies a fenced block that starts at a line; returns its number of lines.
pub(super) fn copy_fence(lines: &[&str], out: &mut Writer, language: &str) -> Option<usize> {
    let first = lines.first()?.trim();
    let mark = ["```", "~~~"].into_iter().find(|m| first.starts_with(m))?;
    let info = first.trim_start_matches(['`', '~']).trim();
    if info.contains('`') {
        return None;
    }
    let end = lines[1..].iter().position(|l| {
        let line = l.trim();
        line.starts_with(mark) && line.chars().all(|c| matches!(c, '`' | '~'))
    });
    let end = end.map_or(lines.len(), |n| n + 1);
    let info = if info.is_empty() { language } else { info };
    out.code(0, info, &lines[1..end]);
    Some((end + 1).min(lines.len()))
}
