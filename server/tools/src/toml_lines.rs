//! Lines of mistakes in TOML files.

use toml::Spanned;

/// The line, 1-based, of the byte `offset`.
pub fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset.min(text.len())).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// The line, 1-based, of a mistake at `offset` in `filter`, which is a value of the file `text`.
pub fn line_of_mistake(text: &str, filter: &Spanned<String>, offset: usize) -> usize {
    let written = text.get(filter.span()).unwrap_or_default();
    // A line break right after the opening quotes is not part of the value.
    let quotes = written.len() - written.trim_start_matches(['\'', '"']).len();
    let is_below = written[quotes..].starts_with(['\n', '\r']) && quotes >= 3;
    line_at(text, filter.span().start) + usize::from(is_below) + line_at(filter.get_ref(), offset)
        - 1
}
