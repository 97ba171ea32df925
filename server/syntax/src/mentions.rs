//! URLs and file paths mentioned in comments, strings and prose.
//!
//! A URL has a known scheme and ends before whitespace, quotes, angle brackets, unbalanced closing
//! brackets and sentence punctuation. A URL that contains a placeholder is skipped. A path is only
//! a candidate: the caller checks whether the file exists.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;
use text::Text;
use tree_sitter::Node;

use crate::Syntax;

/// How much of a text is searched, in bytes.
const SEARCHED_BYTES: usize = 4 << 20;
/// Limit of mentions per text, and of candidate positions that are checked.
const MAX_MENTIONS: usize = 5_000;
const MAX_CANDIDATES: usize = 50_000;
/// Longest URL, in bytes.
const MAX_URL_LEN: usize = 2_000;
const MAX_PATH_LEN: usize = 300;

/// A URL or a path in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Its span in bytes.
    pub span: Range<usize>,
    /// The URL or path.
    pub target: MentionTarget,
}

/// What a [`Mention`] refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MentionTarget {
    /// A URL, as written.
    Url(String),
    /// A possible path, and the line number after it, from 1.
    Path(String, Option<usize>),
}

/// The URLs and possible paths of a text, in order and disjoint: in comments and strings, or
/// everywhere in a text without syntax. `None` once `interrupt` is set.
#[must_use]
pub fn mentions(
    text: &Text,
    syntax: Option<&Syntax>,
    interrupt: &AtomicBool,
) -> Option<Vec<Mention>> {
    let mut end = text.len().min(SEARCHED_BYTES);
    let source = loop {
        // Do not cut a character in two.
        let (chunk, start) = text.chunk_at(end);
        if end == text.len() || chunk.is_char_boundary(end - start) {
            break text.slice(0..end);
        }
        end -= 1;
    };
    let mut prose = ProseNodes { syntax, known: HashMap::new() };
    let mut found: Vec<Mention> = Vec::new();
    let (mut last_end, mut checked) = (0, 0);
    for (at, sign) in candidates(&source) {
        checked += 1;
        if found.len() >= MAX_MENTIONS || checked > MAX_CANDIDATES {
            break;
        }
        if checked.is_multiple_of(256) && interrupt.load(Ordering::Relaxed) {
            return None;
        }
        if at < last_end {
            continue;
        }
        let mention = match sign {
            CandidateKind::Scheme => url(&source, at),
            CandidateKind::Path => path(&source, at),
        };
        let Some(mention) =
            mention.filter(|m| m.span.start >= last_end && prose.is_prose_span(&m.span))
        else {
            continue;
        };
        last_end = mention.span.end;
        found.push(mention);
    }
    Some(found)
}

/// What marks the start of a mention.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CandidateKind {
    /// The colon after a URL scheme.
    Scheme,
    /// A slash, or a colon before a line number.
    Path,
}

fn candidates(source: &str) -> impl Iterator<Item = (usize, CandidateKind)> {
    let bytes = source.as_bytes();
    memchr::memchr2_iter(b'/', b':', bytes).filter_map(move |at| {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let before = at.checked_sub(1).map_or(b' ', |b| bytes[b]);
        match bytes[at] {
            b':' if next == b'/' && bytes.get(at + 2) == Some(&b'/') => {
                Some((at, CandidateKind::Scheme))
            }
            b':' if before == b'o' && source[..at].ends_with("mailto") => {
                Some((at, CandidateKind::Scheme))
            }
            b':' if next.is_ascii_digit() && is_path_byte(before) => {
                Some((at, CandidateKind::Path))
            }
            b'/' if is_path_byte(next)
                && (is_path_byte(before) || !before.is_ascii_alphanumeric()) =>
            {
                Some((at, CandidateKind::Path))
            }
            _ => None,
        }
    })
}

/// The URL with its scheme ending at `colon`.
fn url(source: &str, colon: usize) -> Option<Mention> {
    let scheme = ["https", "http", "file", "mailto"]
        .into_iter()
        .find(|scheme| source[..colon].ends_with(scheme))?;
    let start = colon - scheme.len();
    if source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+')) {
        return None;
    }
    let rest = &source.as_bytes()[start..(start + MAX_URL_LEN).min(source.len())];
    let is_url_byte = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&()*+,;=%".contains(&b);
    let mut end = rest.iter().position(|b| !is_url_byte(*b)).unwrap_or(rest.len());
    // Too long, or continued by a placeholder.
    if end == MAX_URL_LEN || matches!(rest.get(end), Some(b'{' | b'|' | b'^' | 0x80..)) {
        return None;
    }
    let mut open: Vec<u8> = Vec::new();
    for (at, byte) in rest[..end].iter().enumerate() {
        match byte {
            b'(' | b'[' => open.push(*byte),
            b')' if open.pop() != Some(b'(') => end = at,
            b']' if open.pop() != Some(b'[') => end = at,
            _ => continue,
        }
        if end == at {
            break;
        }
    }
    while let Some(last) = end.checked_sub(1).map(|last| rest[last]) {
        match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'*' | b'~' | b'(' | b'[' | b'$' => end -= 1,
            _ => break,
        }
    }
    let written = std::str::from_utf8(&rest[..end]).ok()?;
    let after = written.get(scheme.len() + 1..)?;
    let is_whole = match scheme {
        "mailto" => {
            let (name, host) = after.split_once('@')?;
            !name.is_empty() && host.starts_with(|c: char| c.is_ascii_alphanumeric())
        }
        // Only files of this machine.
        "file" => after.starts_with("///") && after.len() > 3,
        _ => {
            let host = after.strip_prefix("//")?;
            host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[')
        }
    };
    let percent = memmem::find_iter(written.as_bytes(), "%").all(|at| {
        let digits = written.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit))
    });
    (is_whole && percent).then(|| Mention {
        span: start..start + end,
        target: MentionTarget::Url(written.to_owned()),
    })
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+@~".contains(&byte)
}

/// The possible path around a slash, or before a colon and a line number.
fn path(source: &str, at: usize) -> Option<Mention> {
    let bytes = source.as_bytes();
    let part = |byte: &u8| is_path_byte(*byte) || *byte == b'/';
    let far = at.saturating_sub(MAX_PATH_LEN);
    let start = bytes[far..at].iter().rposition(|b| !part(b)).map_or(far, |b| far + b + 1);
    let far = (at + MAX_PATH_LEN).min(bytes.len());
    let mut end = match bytes[at] {
        b':' => at,
        _ => bytes[at..far].iter().position(|b| !part(b)).map_or(far, |e| at + e),
    };
    if start + MAX_PATH_LEN <= at || at + MAX_PATH_LEN <= end {
        return None;
    }
    let mut line = None;
    let mut written = end;
    if bytes.get(end) == Some(&b':') {
        let digits = bytes[end + 1..].iter().take(8).take_while(|b| b.is_ascii_digit()).count();
        line = source[end + 1..end + 1 + digits].parse().ok().filter(|line| *line > 0);
        written = if line.is_some() { end + 1 + digits } else { end };
    }
    if line.is_none() {
        // Punctuation of the surrounding sentence does not belong to the path.
        end = start + source[start..end].trim_end_matches(['.', '-', '~', '+']).len();
        written = end;
    }
    let path = source.get(start..end)?;
    let name = path.rsplit('/').next().unwrap_or_default();
    let named = name.contains('.') || path.contains('/');
    let has_letters = path.contains(|c: char| c.is_ascii_alphabetic());
    (named && has_letters && !path.contains("//") && !name.is_empty()).then(|| Mention {
        span: start..written,
        target: MentionTarget::Path(path.to_owned(), line),
    })
}

/// Decides which nodes hold prose or values instead of code.
struct ProseNodes<'t> {
    syntax: Option<&'t Syntax>,
    /// Results by node id: one node may hold several mentions.
    known: HashMap<usize, bool>,
}

impl ProseNodes<'_> {
    fn is_prose_span(&mut self, span: &Range<usize>) -> bool {
        let Some(syntax) = self.syntax else { return true };
        let Some(inner) = syntax.root().descendant_for_byte_range(span.start, span.end) else {
            return false;
        };
        *self.known.entry(inner.id()).or_insert_with(|| {
            let mut around = std::iter::successors(Some(inner), Node::parent).take(5);
            around.any(is_prose)
        })
    }
}

/// Whether a node holds text for people, or a value.
fn is_prose(node: Node<'_>) -> bool {
    const WORDS: &[&str] =
        &["comment", "string", "scalar", "attvalue", "attribute_value", "chardata", "heredoc"];
    const KINDS: &[&str] = &[
        "text",
        "jsx_text",
        "raw_text",
        "inline",
        "paragraph",
        "link_destination",
        "html_block",
        "uri",
    ];
    let kind = node.kind();
    KINDS.contains(&kind) || {
        let kind = kind.to_ascii_lowercase();
        WORDS.iter().any(|word| kind.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static GO: AtomicBool = AtomicBool::new(false);

    fn all(text: &str) -> Vec<String> {
        let found = mentions(&Text::new(text), None, &GO).unwrap();
        let describe = |m: &Mention| match &m.target {
            MentionTarget::Url(url) => {
                assert_eq!(&text[m.span.clone()], url);
                url.clone()
            }
            MentionTarget::Path(path, Some(line)) => format!("{path}:{line}"),
            MentionTarget::Path(path, None) => path.clone(),
        };
        found.iter().map(describe).collect()
    }

    #[test]
    fn urls_end_where_a_reader_expects() {
        for (text, url) in [
            ("see http://a.b/c.", "http://a.b/c"),
            ("(https://en.w.org/wiki/A_(b))", "https://en.w.org/wiki/A_(b)"),
            ("<https://a.b/?q=1&r=2#x>, and", "https://a.b/?q=1&r=2#x"),
            ("[a](https://a.b/c)!", "https://a.b/c"),
            ("'https://a.b:80/~c/';", "https://a.b:80/~c/"),
            ("\"http://a.b\\n\"", "http://a.b"),
            ("http://[::1]:8080/x]", "http://[::1]:8080/x"),
            ("mailto:a.b@c.d, then", "mailto:a.b@c.d"),
            ("file:///etc/hosts?", "file:///etc/hosts"),
            ("https://a.b/%20c%", ""),
            ("http://{host}/x http://a/{id} http:// xhttp://a.b", ""),
            ("file://host/share mailto:nobody javascript://x", ""),
        ] {
            let found: Vec<_> = all(text).into_iter().filter(|m| m.contains(':')).collect();
            assert_eq!(found.join(" "), url, "{text}");
        }
    }

    #[test]
    fn paths_are_candidates() {
        assert_eq!(
            all("see docs/a.md, ./b/c.rs:12:3 and src/lib.rs."),
            ["docs/a.md", "./b/c.rs:12", "src/lib.rs"]
        );
        assert_eq!(all("in lib.rs:7, not at 12:30 or a:1 or 1/2"), ["lib.rs:7"]);
    }

    #[test]
    fn code_has_no_mentions() {
        let language = crate::Language::by_id("rust").unwrap();
        let source = "// a/b.rs\nfn f() { a/b; \"http://c.d\"; }\n";
        let text = Text::new(source);
        let syntax = Syntax::parse(language, &text, None, &GO).unwrap();
        let found = mentions(&text, Some(&syntax), &GO).unwrap();
        let found: Vec<_> = found.into_iter().map(|m| &source[m.span]).collect();
        assert_eq!(found, ["a/b.rs", "http://c.d"]);
    }

    #[test]
    fn hostile_texts_are_bounded() {
        let started = std::time::Instant::now();
        assert_eq!(all(&"http://a.b/c ".repeat(100_000)).len(), MAX_MENTIONS);
        assert!(all(&"/".repeat(3_000_000)).is_empty());
        assert!(all(&"a/".repeat(1_500_000)).is_empty());
        assert!(all(&"http://".repeat(400_000)).len() <= MAX_MENTIONS);
        assert!(all(&format!("http://a/{}", "(".repeat(100_000))).is_empty());
        let _ = all(&"é/é:1".repeat(500_000));
        assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    }
}
