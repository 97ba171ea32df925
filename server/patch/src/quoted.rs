//! Recognises string literals without knowing the language. Blanks inside them are significant.

use memchr::memmem;

use crate::lines::is_blank_byte;

/// Whether pairs of lines that differ in runs of blanks differ only outside of string literals.
/// Literals may span lines. `before` is the text before the first line.
pub(crate) fn same_outside_strings<'a>(
    before: &str,
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> bool {
    let inside = |quote: &&&str| memmem::find_iter(before.as_bytes(), **quote).count() % 2 == 1;
    let mut open = ["\"\"\"", "'''"].iter().find(inside).copied();
    for (old, file) in pairs {
        let (a, after) = blanks_in_literals(old, open);
        let (b, _) = blanks_in_literals(file, open);
        if a != b {
            return false;
        }
        open = after;
    }
    true
}

/// The runs of blanks inside literals, in order, and the literal left open at the end.
fn blanks_in_literals(
    line: &str,
    open: Option<&'static str>,
) -> (Vec<String>, Option<&'static str>) {
    let bytes = line.as_bytes();
    let (mut runs, mut open, mut at) = (Vec::new(), open, 0);
    while at < bytes.len() {
        if let Some(quote) = open {
            if bytes[at] == b'\\' {
                at += 2;
            } else if line.is_char_boundary(at) && line[at..].starts_with(quote) {
                at += quote.len();
                open = None;
            } else if is_blank_byte(bytes[at]) {
                let length = bytes[at..].iter().take_while(|&&byte| is_blank_byte(byte)).count();
                runs.push(String::from_utf8_lossy(&bytes[at..at + length]).into_owned());
                at += length;
            } else {
                at += 1;
            }
            continue;
        }
        open = literal_at(line, at);
        at += open.map_or(1, str::len);
    }
    // Only these span lines; other unmatched quotes are apostrophes.
    (runs, open.filter(|quote| matches!(*quote, "\"\"\"" | "'''" | "`")))
}

/// The quote of the literal that begins at a byte. An unmatched quote does not begin one, unless it
/// is of a kind that spans lines.
fn literal_at(line: &str, at: usize) -> Option<&'static str> {
    let bytes = line.as_bytes();
    let rest = bytes.get(at..)?;
    // Three are a code fence.
    let fence = |at: usize| bytes.get(at..at + 3) == Some(b"```");
    if (at.saturating_sub(2)..=at).any(fence) {
        return None;
    }
    for quote in ["\"\"\"", "'''", "`"] {
        if rest.starts_with(quote.as_bytes()) {
            return Some(quote);
        }
    }
    let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    match rest.first()? {
        b'"' if memchr::memchr(b'"', &rest[1..]).is_some() => Some("\""),
        // A prefix such as b'' is one letter; a longer word means an apostrophe.
        b'\''
            if memchr::memchr(b'\'', &rest[1..]).is_some()
                && (!after_word || is_prefix(bytes, at)) =>
        {
            Some("'")
        }
        _ => None,
    }
}

fn is_prefix(bytes: &[u8], at: usize) -> bool {
    at == 1 || !(bytes[at - 2].is_ascii_alphanumeric() || bytes[at - 2] == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(old: &str, file: &str) -> bool {
        same_outside_strings("", old.lines().zip(file.lines()))
    }

    #[test]
    fn blanks_in_literals_count() {
        assert!(same("x = 1", "x  =  1"));
        assert!(!same("x = \"a b\"", "x = \"a  b\""));
        assert!(!same("x = 'a b'", "x = 'a  b'"));
        assert!(same("x =  'a b'", "x = 'a b'"));
        assert!(!same("s = \"\"\"\na b\n\"\"\"", "s = \"\"\"\na  b\n\"\"\""));
        assert!(same("don't  do", "don't do"));
        assert!(same("```\na  b\n```", "```\na b\n```"));
    }
}
