//! Inline markup of reStructuredText: roles, literals, links.

use super::inline::{code_span, find_close, link, push_plain};

/// Renders a paragraph as Markdown.
pub(super) fn render(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let before = out.chars().next_back();
        // A mark opens after a space or an opening bracket, never inside of a word.
        let opens = before.is_none_or(|c| !c.is_alphanumeric());
        let taken = match c {
            '`' if opens => backtick(rest, &mut out),
            ':' if opens => role(rest, &mut out),
            '*' if opens => emphasis(rest, &mut out),
            '\\' => escape(rest, &mut out),
            '_' if opens => special_name(rest, &mut out),
            _ => None,
        };
        rest = taken.unwrap_or_else(|| {
            let next = &rest[c.len_utf8()..];
            push_plain(&mut out, c, next.chars().next());
            next
        });
    }
    out
}

/// An escaped character stands for itself, an escaped space for nothing.
fn escape<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let c = rest[1..].chars().next()?;
    let behind = &rest[1 + c.len_utf8()..];
    if c.is_whitespace() {
        return Some(behind);
    }
    if !c.is_ascii_punctuation() {
        return None;
    }
    push_plain(out, c, None);
    Some(behind)
}

/// `__init__` and the like are code.
fn special_name<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let inside = rest.strip_prefix("__")?;
    let end = inside.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let end = end.unwrap_or(inside.len());
    let name = &rest[..end + 2];
    let is_name = name.len() > 5 && name.ends_with("__");
    is_name.then(|| {
        out.push_str(&code_span(name));
        &rest[name.len()..]
    })
}

/// Converts a literal, a link or interpreted text in backticks.
fn backtick<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    if let Some(inside) = rest.strip_prefix("``") {
        let end = find_close(inside, "``").filter(|end| *end > 0)?;
        out.push_str(&code_span(&inside[..end]));
        return Some(&inside[end + 2..]);
    }
    let inside = &rest[1..];
    let end = find_close(inside, "`").filter(|end| *end > 0)?;
    let (text, behind) = (&inside[..end], &inside[end + 1..]);
    let refers = behind.strip_prefix("__").or_else(|| behind.strip_prefix('_'));
    match (refers, target(text)) {
        (Some(behind), Some((text, target))) => {
            out.push_str(&link(text, target));
            Some(behind)
        }
        (Some(behind), None) => {
            out.push_str(text);
            Some(behind)
        }
        // The default role: most projects use it for code.
        (None, _) => {
            out.push_str(&code_span(text));
            Some(behind)
        }
    }
}

/// `text <target>`.
fn target(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix('>')?;
    let (text, target) = inside.rsplit_once('<')?;
    Some((text.trim(), target))
}

/// Converts a role such as `:class:`.
fn role<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let name_end = rest[1..].find(|c: char| !(c.is_ascii_alphanumeric() || "_:-+.".contains(c)))?;
    let name = rest[1..=name_end].strip_suffix(':')?;
    let inside = rest[1 + name_end..].strip_prefix('`')?;
    let end = find_close(inside, "`")?;
    let (content, behind) = (&inside[..end], &inside[end + 1..]);
    let (shown, target) = target(content).map_or((content, None), |(s, t)| (s, Some(t)));
    let name = name.rsplit(':').next().unwrap_or(name);
    match name {
        "ref" | "doc" | "term" | "sup" | "sub" | "abbr" | "guilabel" | "menuselection" => {
            let shown = shown.trim_start_matches(['!', '~', '/']);
            shown.chars().for_each(|c| push_plain(out, c, None));
        }
        "emphasis" | "title" => out.push_str(&format!("*{shown}*")),
        "strong" => out.push_str(&format!("**{shown}**")),
        "rfc" | "RFC" => {
            let number = shown.split('#').next().unwrap_or(shown);
            let url = format!("https://www.rfc-editor.org/rfc/rfc{number}");
            out.push_str(&link(&format!("RFC {number}"), &url));
        }
        "pep" | "PEP" => {
            let number = shown.split('#').next().unwrap_or(shown);
            let url = format!("https://peps.python.org/pep-{number:0>4}/");
            out.push_str(&link(&format!("PEP {number}"), &url));
        }
        _ => {
            let shown = match shown.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or(path),
                None => shown.trim_start_matches(['!', '.']),
            };
            let call = matches!(name, "meth" | "func") && target.is_none();
            let call = if call && !shown.ends_with(')') { "()" } else { "" };
            out.push_str(&code_span(&format!("{shown}{call}")));
        }
    }
    Some(behind)
}

/// `*text*` and `**text**`.
fn emphasis<'a>(rest: &'a str, out: &mut String) -> Option<&'a str> {
    let mark = if rest.starts_with("**") { "**" } else { "*" };
    let inside = &rest[mark.len()..];
    let end = find_close(inside, mark)?;
    let (text, behind) = (&inside[..end], &inside[end + mark.len()..]);
    let bare = text.is_empty()
        || text.contains(['*', '`', '\n'])
        || text.starts_with(char::is_whitespace)
        || text.ends_with(char::is_whitespace);
    if bare || behind.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    out.push_str(mark);
    text.chars().for_each(|c| push_plain(out, c, Some('a')));
    out.push_str(mark);
    Some(behind)
}
