//! Rewrites of C and C++ that their grammars read wrongly.

use memchr::memmem;
use text::Text;

use super::Rewrite;

/// Masks a `/*` in a string of a directive (`#define GLOB "lib*/*"`): the grammar takes it for the start of a comment,
/// and everything up to the next `*/` with it. O(n).
pub(super) fn rewrites(text: &Text) -> Vec<Rewrite> {
    let source = text.slice(0..text.len());
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    for at in memmem::find_iter(bytes, "/*") {
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
        let line = source[start..at].trim_start();
        if line.starts_with('#') && is_in_string(line) {
            found.push(Rewrite { start: at, replacement: b"x".as_slice().into() });
        }
    }
    found
}

/// Whether a line's beginning ends within a string.
pub(crate) fn is_in_string(line: &str) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (mark, after) = rest[at..].split_at(1);
        if mark == "/" {
            match after.chars().next() {
                Some('*') => match after.find("*/") {
                    Some(end) => rest = &after[end + 2..],
                    None => return false,
                },
                Some('/') => return false,
                _ => rest = after,
            }
            continue;
        }
        match end_of_string(after, mark) {
            Some(end) => rest = &after[end..],
            None => return mark == "\"",
        }
    }
    false
}

/// The end of a string that has begun.
fn end_of_string(text: &str, quote: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = !is_escaped && quote.starts_with(c);
        is_escaped = !is_escaped && c == '\\';
        ends.then_some(at + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_begin_outside_of_strings() {
        for line in
            ["#define A \"b", "#define A \"b\\\"", "# define A '\"' \"b\" \"", "#if A /* \" */ \"b"]
        {
            assert!(is_in_string(line), "{line}");
        }
        for line in [
            "#define A \"b\" ",
            "#define A '\"' ",
            "#error don't ",
            "#define A 1 /* 5\" */ ",
            "#if A // \"",
        ] {
            assert!(!is_in_string(line), "{line}");
        }
    }
}
