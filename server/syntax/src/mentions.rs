//! URLs and paths that comments, strings and prose speak of.
//!
//! A URL has a scheme that is known, and ends where it would on a page: before blanks, quotes and
//! angle brackets, closing brackets that it does not open, and the punctuation of the sentence
//! around. One that goes on with a placeholder is none. What looks like a path is told of as a
//! candidate: whether there is such a file, others know.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;
use text::Text;
use tree_sitter::Node;

use crate::Syntax;

/// How much of a text is looked through, in bytes.
const FAR: usize = 4 << 20;
/// Most mentions of one text, and most places that are looked at for them.
const MOST: usize = 5_000;
const PLACES: usize = 50_000;
/// Longest mention, in bytes.
const LONGEST: usize = 2_000;
const LONGEST_PATH: usize = 300;

/// What a stretch of text speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Where, in bytes.
    pub span: Range<usize>,
    /// What.
    pub what: Mentioned,
}

/// What is spoken of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mentioned {
    /// A URL, as it is written.
    Url(String),
    /// What may be a path, and a line behind it, from 1.
    Path(String, Option<usize>),
}

/// The URLs and would-be paths of a text, in order and disjoint: in its comments and strings, and
/// anywhere where there is no code. `None` once `interrupt` is set.
#[must_use]
pub fn mentions(
    text: &Text,
    syntax: Option<&Syntax>,
    interrupt: &AtomicBool,
) -> Option<Vec<Mention>> {
    let mut end = text.len().min(FAR);
    let source = loop {
        // No character is cut in two.
        let (chunk, start) = text.chunk_at(end);
        if end == text.len() || chunk.is_char_boundary(end - start) {
            break text.slice(0..end);
        }
        end -= 1;
    };
    let mut prose = Prose { syntax, known: HashMap::new() };
    let mut found: Vec<Mention> = Vec::new();
    let (mut taken, mut looked) = (0, 0);
    for (at, sign) in places(&source) {
        looked += 1;
        if found.len() >= MOST || looked > PLACES {
            break;
        }
        if looked.is_multiple_of(256) && interrupt.load(Ordering::Relaxed) {
            return None;
        }
        if at < taken {
            continue;
        }
        let mention = match sign {
            Sign::Scheme => url(&source, at),
            Sign::Path => path(&source, at),
        };
        let Some(mention) = mention.filter(|m| m.span.start >= taken && prose.holds(&m.span))
        else {
            continue;
        };
        taken = mention.span.end;
        found.push(mention);
    }
    Some(found)
}

/// What a mention is known by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    /// The end of a scheme.
    Scheme,
    /// A slash, or a colon before a number.
    Path,
}

fn places(source: &str) -> impl Iterator<Item = (usize, Sign)> {
    let bytes = source.as_bytes();
    memchr::memchr2_iter(b'/', b':', bytes).filter_map(move |at| {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let before = at.checked_sub(1).map_or(b' ', |b| bytes[b]);
        match bytes[at] {
            b':' if next == b'/' && bytes.get(at + 2) == Some(&b'/') => Some((at, Sign::Scheme)),
            b':' if before == b'o' && source[..at].ends_with("mailto") => Some((at, Sign::Scheme)),
            b':' if next.is_ascii_digit() && is_path(before) => Some((at, Sign::Path)),
            b'/' if is_path(next) && (is_path(before) || !before.is_ascii_alphanumeric()) => {
                Some((at, Sign::Path))
            }
            _ => None,
        }
    })
}

/// The URL whose scheme ends at a colon.
fn url(source: &str, colon: usize) -> Option<Mention> {
    let scheme = ["https", "http", "file", "mailto"]
        .into_iter()
        .find(|scheme| source[..colon].ends_with(scheme))?;
    let start = colon - scheme.len();
    if source[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+')) {
        return None;
    }
    let rest = &source.as_bytes()[start..(start + LONGEST).min(source.len())];
    let may_stand = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&()*+,;=%".contains(&b);
    let mut end = rest.iter().position(|b| !may_stand(*b)).unwrap_or(rest.len());
    // Cut off, or made up of parts.
    if end == LONGEST || matches!(rest.get(end), Some(b'{' | b'|' | b'^' | 0x80..)) {
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
        // Of this machine only.
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
    (is_whole && percent)
        .then(|| Mention { span: start..start + end, what: Mentioned::Url(written.to_owned()) })
}

fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+@~".contains(&byte)
}

/// The would-be path around a slash, or before a colon and a number.
fn path(source: &str, at: usize) -> Option<Mention> {
    let bytes = source.as_bytes();
    let part = |byte: &u8| is_path(*byte) || *byte == b'/';
    let far = at.saturating_sub(LONGEST_PATH);
    let start = bytes[far..at].iter().rposition(|b| !part(b)).map_or(far, |b| far + b + 1);
    let far = (at + LONGEST_PATH).min(bytes.len());
    let mut end = match bytes[at] {
        b':' => at,
        _ => bytes[at..far].iter().position(|b| !part(b)).map_or(far, |e| at + e),
    };
    if start + LONGEST_PATH <= at || at + LONGEST_PATH <= end {
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
        // The sentence around ends here.
        end = start + source[start..end].trim_end_matches(['.', '-', '~', '+']).len();
        written = end;
    }
    let path = source.get(start..end)?;
    let name = path.rsplit('/').next().unwrap_or_default();
    let named = name.contains('.') || path.contains('/');
    let has_letters = path.contains(|c: char| c.is_ascii_alphabetic());
    (named && has_letters && !path.contains("//") && !name.is_empty())
        .then(|| Mention { span: start..written, what: Mentioned::Path(path.to_owned(), line) })
}

/// Which places of a text are no code.
struct Prose<'t> {
    syntax: Option<&'t Syntax>,
    /// By the node's id: several mentions may stand in one.
    known: HashMap<usize, bool>,
}

impl Prose<'_> {
    fn holds(&mut self, span: &Range<usize>) -> bool {
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

/// Whether a node holds what is written for people, or values.
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
        let told = |m: &Mention| match &m.what {
            Mentioned::Url(url) => {
                assert_eq!(&text[m.span.clone()], url);
                url.clone()
            }
            Mentioned::Path(path, Some(line)) => format!("{path}:{line}"),
            Mentioned::Path(path, None) => path.clone(),
        };
        found.iter().map(told).collect()
    }

    #[test]
    fn urls_end_where_a_reader_would_say() {
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
    fn only_what_is_no_code_counts() {
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
        assert_eq!(all(&"http://a.b/c ".repeat(100_000)).len(), MOST);
        assert!(all(&"/".repeat(3_000_000)).is_empty());
        assert!(all(&"a/".repeat(1_500_000)).is_empty());
        assert!(all(&"http://".repeat(400_000)).len() <= MOST);
        assert!(all(&format!("http://a/{}", "(".repeat(100_000))).is_empty());
        let _ = all(&"é/é:1".repeat(500_000));
        assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    }
}
