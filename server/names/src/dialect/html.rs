//! HTML in comments, converted to Markdown.

use super::inline::{find_close, link};

/// A tag as written.
pub(super) struct Tag<'a> {
    pub(super) name: String,
    pub(super) closes: bool,
    attributes: &'a str,
}

/// Elements used in comments; other text in angle brackets is plain, such as type arguments.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "big",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "dd",
    "div",
    "dfn",
    "dl",
    "dt",
    "em",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "q",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
];

/// The tag at the start of a text, and the rest.
pub(super) fn tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let inside = text.strip_prefix('<')?;
    let end = find_close(inside, ">")?;
    let (inside, behind) = (&inside[..end], &inside[end + 1..]);
    let (closes, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside.strip_suffix('/').unwrap_or(inside)),
    };
    let name_end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let name = inside[..name_end].to_ascii_lowercase();
    let attributes = &inside[name_end..];
    // A single upper-case letter is a type parameter: `<A>`, `<B>`.
    let parameter = inside.len() == 1 && inside.chars().all(char::is_uppercase);
    let known = ELEMENTS.contains(&name.as_str()) && !parameter;
    let plain = attributes.trim().is_empty() || attributes.contains('=');
    (known && plain).then_some((Tag { name, closes, attributes }, behind))
}

impl Tag<'_> {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let at = self.attributes.to_ascii_lowercase().find(&format!("{name}="))? + name.len() + 1;
        let value = &self.attributes[at..];
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        match quote {
            Some(quote) => value[1..].split(quote).next(),
            None => value.split_whitespace().next(),
        }
    }
}

/// The character of a reference such as `&lt;`, and the rest.
pub(super) fn entity(text: &str) -> Option<(char, &str)> {
    let inside = text.strip_prefix('&')?;
    let end = inside.bytes().take(12).position(|b| b == b';')?;
    let (name, behind) = (&inside[..end], &inside[end + 1..]);
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '—',
        "ndash" => '–',
        "hellip" => '…',
        "copy" => '©',
        "ge" => '≥',
        "le" => '≤',
        "ne" => '≠',
        "times" => '×',
        "rarr" => '→',
        "larr" => '←',
        "commat" => '@',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number).filter(|c| !c.is_control())?
        }
    };
    Some((c, behind))
}

/// A text with entities resolved.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((c, behind)) = entity(rest) {
            out.push(c);
            rest = behind;
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// An inline element as Markdown, and the rest; `None` if it is not one.
pub(super) fn inline(text: &str) -> Option<(String, &str)> {
    let (tag, behind) = tag(text)?;
    let mark = match tag.name.as_str() {
        "b" | "strong" => "**",
        "i" | "em" | "cite" | "dfn" | "var" => "*",
        "code" | "tt" | "kbd" | "samp" => {
            // The content is code: marks in it have no meaning.
            let close = format!("</{}>", tag.name);
            let end = (!tag.closes).then(|| find_close(behind, &close)).flatten();
            let Some(end) = end else { return Some((String::new(), behind)) };
            let code = super::inline::code_span(&decoded(&untagged(&behind[..end])));
            return Some((code, &behind[end + close.len()..]));
        }
        "a" if !tag.closes => {
            let ends = find_close(behind, "</a>").or_else(|| find_close(behind, "</A>"));
            let Some(end) = ends else {
                return Some((String::new(), behind));
            };
            let target = tag.attribute("href").unwrap_or_default();
            let text = decoded(&untagged(&behind[..end]));
            return Some((link(&text, target), &behind[end + "</a>".len()..]));
        }
        "br" => "  \n",
        "hr" => "\n\n---\n\n",
        _ => "",
    };
    Some((mark.to_owned(), behind))
}

/// A text without its tags.
pub(super) fn untagged(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((_, behind)) = tag(rest) {
            rest = behind;
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}
