//! PHP that its grammar does not support: keywords used as names, and syntax of older and newer
//! versions.

use memchr::memmem;

use super::DownlevelText;

/// Types of casts, which may also be class names.
const CASTS: [&str; 14] = [
    "array", "binary", "bool", "boolean", "double", "float", "int", "integer", "null", "object",
    "real", "string", "unset", "void",
];

/// The rewritten text, if anything changes. O(text).
pub(super) fn downleveled(source: &str) -> Option<String> {
    let mut output = DownlevelText::new(source);
    let mut words = Downleveler { source, output: &mut output };
    words.walk();
    for (from, open, close) in [("__halt_compiler", ";", None), ("<?xml", "", Some("?>"))] {
        for at in memmem::find_iter(source.as_bytes(), from) {
            let start = source[at..].find(open).map_or(source.len(), |found| at + found);
            let start = if open.is_empty() { at } else { start + open.len() };
            let end =
                close.and_then(|close| source[at..].find(close).map(|n| at + n + close.len()));
            output.blank(start.min(source.len()), end.unwrap_or(source.len()));
        }
    }
    output.finish()
}

struct Downleveler<'t, 'd> {
    source: &'t str,
    output: &'d mut DownlevelText,
}

impl Downleveler<'_, '_> {
    fn walk(&mut self) {
        let bytes = self.source.as_bytes();
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
        let mut at = 0;
        while at < bytes.len() {
            let length = bytes[at..].iter().position(|b| !is_part(b)).unwrap_or(bytes.len() - at);
            if length > 0 {
                self.word(at, at + length);
            }
            at += length.max(1);
        }
    }

    fn word(&mut self, start: usize, end: usize) {
        let word = self.source[start..end].to_ascii_lowercase();
        let before = self.source[..start].trim_end();
        let rest = &self.source[end..];
        let next = rest.trim_start();
        let is_cast = CASTS.contains(&word.as_str());
        if is_cast && (next.starts_with("::") || before.ends_with('(') && !next.starts_with(')')) {
            // `f(Binary::X)` is no cast.
            self.output.rename(start, end);
        } else if word == "void" && before.ends_with('(') && next.starts_with(')') {
            let close = end + rest.len() - next.len() + 1;
            self.output.blank(before.len() - 1, close);
        } else if before.len() == start && before.ends_with("->") {
            // A member named like a keyword, in a string.
            self.output.rename(start, end);
        } else if matches!(word.as_str(), "readonly" | "enum") && rest.starts_with(['(', ':']) {
            self.output.rename(start, end);
        } else if word == "clone" && assigns(next) {
            // `$a = clone $b = clone $c`
            self.output.blank(start, end);
        } else if word == "readonly" && before.ends_with(['(', ',']) {
            self.output.blank(start, end);
        } else if word == "final" && next.starts_with(';') {
            self.output.rename(start, end);
        } else if word == "final" {
            // `final` may precede a promoted constructor parameter.
            self.output.blank(start, end);
        } else if before.ends_with('$') && next.starts_with('{') {
            let open = end + rest.len() - next.len();
            if !self.hooks(open) && open == end {
                self.character(open);
            }
        }
    }

    /// Hooks of a promoted property: `string $a { get => 1; }`.
    fn hooks(&mut self, open: usize) -> bool {
        let mut depth = 0_usize;
        let close = self.source[open..].find(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some(end) = close.map(|length| open + length + 1) else { return false };
        let inside = self.source[open + 1..end].trim_start();
        let is_hook = ["get", "set", "&get", "final"].iter().any(|word| inside.starts_with(word));
        let is_parameter = self.source[end..].trim_start().starts_with([',', ')']);
        if is_hook && is_parameter {
            self.output.blank(open, end);
        }
        is_hook && is_parameter
    }

    /// `$text{0}`, which PHP 8 writes as `$text[0]`.
    fn character(&mut self, open: usize) {
        let inside = &self.source[open + 1..];
        if let Some(length) = inside.find(['{', '}', '\n', ';', '"'])
            && length > 0
            && inside[length..].starts_with('}')
        {
            self.output.replace(open, open + 1, "[");
            self.output.replace(open + 1 + length, open + 2 + length, "]");
        }
    }
}

/// Whether a text starts with an assignment to a variable.
fn assigns(text: &str) -> bool {
    let Some(name) = text.strip_prefix('$') else { return false };
    let rest = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
    rest.strip_prefix('=').is_some_and(|value| !value.starts_with(['=', '>']))
}
