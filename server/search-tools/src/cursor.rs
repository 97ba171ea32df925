//! Cursors into a list of results.

use crate::page::FilePosition;
use tools::{Code, ToolError};

/// The last result of a page; the next page begins after it. Bound to the query by a hash, so a
/// cursor of another query is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) place: FilePosition,
    pub(super) line: u64,
}

impl Cursor {
    /// The cursor as text: query hash, root, line, and the path with special bytes escaped.
    pub(super) fn encode(&self, question: u64) -> String {
        let mut written = format!("{question:016x}-{}-{}-", self.place.root, self.line);
        for &byte in &self.place.path {
            if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
                written.push(char::from(byte));
            } else {
                written.push_str(&format!("%{byte:02x}"));
            }
        }
        written
    }

    /// Parses [`Cursor::encode`] for the same query.
    pub(super) fn parse(tool: &str, written: &str, question: u64) -> Result<Self, ToolError> {
        let invalid = |what: &str| {
            let quoted: String = written.chars().take(60).collect();
            ToolError::new(Code::InvalidParams, format!("{tool}: `{quoted}` is {what}"))
                .hint("pass `next_cursor` of the previous page, and the same parameters")
        };
        let mut parts = written.splitn(4, '-');
        let mut part = || parts.next().ok_or_else(|| invalid("no cursor"));
        let (mark, root, line, path) = (part()?, part()?, part()?, part()?);
        if mark.len() != 16 || u64::from_str_radix(mark, 16) != Ok(question) {
            return Err(invalid("no cursor of this question"));
        }
        let place = match (root.parse(), unescape(path)) {
            (Ok(root), Some(path)) => FilePosition { root, path },
            _ => return Err(invalid("no cursor")),
        };
        Ok(Self { place, line: line.parse().map_err(|_| invalid("no cursor"))? })
    }

    /// Whether the file or folder at `path` may hold results after this one.
    pub(super) fn is_before(&self, root: usize, path: &[u8]) -> bool {
        if root != self.place.root {
            return root > self.place.root;
        }
        let rest = self.place.path.strip_prefix(path);
        workspace::path_order(path, &self.place.path).is_ge()
            || rest.is_some_and(|rest| path.is_empty() || rest.starts_with(b"/"))
    }

    /// The line of `path` after which results belong to this page.
    pub(super) fn line_in(&self, root: usize, path: &[u8]) -> u64 {
        if self.place.root == root && self.place.path == path { self.line } else { 0 }
    }
}

fn unescape(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
        bytes.push(u8::try_from(16 * high + low).ok()?);
    }
    Some(bytes)
}

/// A hash of everything that determines the results of a query.
pub(super) fn query_hash(parts: &[&str]) -> u64 {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&part.len().to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    let hash = workspace::ContentHash::digest(&bytes).to_string();
    u64::from_str_radix(&hash[..16], 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_valid_for_its_query_only() {
        let path = b"a b/\xff\n%-\xc3\xa9/x-y.rs".to_vec();
        let cursor = Cursor { place: FilePosition { root: 2, path }, line: 77 };
        let one = query_hash(&["a", "b"]);
        let written = cursor.encode(one);
        assert_eq!(Cursor::parse("t", &written, one), Ok(cursor));
        assert_ne!(one, query_hash(&["ab", ""]));
        assert!(Cursor::parse("t", &written, query_hash(&["a", "c"])).is_err());
        for bad in ["", "-", "---", "x-0-0-a", &format!("{one:016x}-0-x-a"), &written[..20]] {
            assert!(Cursor::parse("t", bad, one).is_err(), "{bad}");
        }
    }

    #[test]
    fn skips_results_before_the_cursor() {
        let place = FilePosition { root: 1, path: b"m/n.rs".to_vec() };
        let cursor = Cursor { place, line: 3 };
        for (root, path, after) in [
            (1, "", true),
            (1, "m", true),
            (1, "m/n.rs", true),
            (1, "m/a", false),
            (1, "m/z", true),
            (1, "a", false),
            (1, "m.x", true),
            (0, "z", false),
            (2, "a", true),
        ] {
            assert_eq!(cursor.is_before(root, path.as_bytes()), after, "{root} {path}");
        }
    }
}
