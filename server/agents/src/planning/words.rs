//! Splits a request into words.

/// Longest request that is read, in bytes; the rest does not count.
const MAX_REQUEST_BYTES: usize = 4 << 10;
/// Words that are read.
const MAX_WORDS: usize = 256;

/// What a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A word of the language.
    Plain,
    /// The name of a file, with its ending.
    Path,
    /// A name of code.
    Name,
    /// The name of an error.
    Error,
    /// A number, or an issue's: `#12`.
    Number,
    /// A version: `1.2`, `v3`.
    Version,
    /// An address.
    Url,
}

/// A word of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'r> {
    pub(super) kind: WordKind,
    /// As written.
    pub(super) text: &'r str,
    pub(super) lowercase: String,
    /// Whether it was marked as code by backticks.
    pub(super) is_code: bool,
}

/// Endings of files that people name in requests, beside those of known languages.
const FILE_ENDINGS: &[&str] =
    &["adoc", "cfg", "conf", "csv", "env", "ini", "lock", "log", "mod", "rst", "txt", "xml"];

/// The words of a request, in order.
pub(super) fn words(request: &str) -> Vec<Word<'_>> {
    let request = &request[..request.floor_char_boundary(MAX_REQUEST_BYTES)];
    let mut words = Vec::new();
    // Every second piece is between backticks.
    for (index, piece) in request.split('`').enumerate() {
        for raw in piece.split_whitespace() {
            push(&mut words, raw, index % 2 == 1);
        }
    }
    words.truncate(MAX_WORDS);
    words
}

fn push<'r>(words: &mut Vec<Word<'r>>, raw: &'r str, is_code: bool) {
    let is_mark = |c: char| ".,;:!?()[]{}<>\"'".contains(c);
    let start = raw.trim_start_matches(is_mark);
    // `run()` keeps its parentheses.
    let end = start.trim_end_matches(|c: char| is_mark(c) && c != ')' && c != '(');
    let is_call = end.len() > 2 && end.ends_with("()");
    let trimmed = if is_call { end } else { end.trim_end_matches(is_mark) };
    if trimmed.is_empty() {
        return;
    }
    let mut add = |kind, text: &'r str| {
        words.push(Word { kind, text, lowercase: text.to_lowercase(), is_code });
    };
    match kind(trimmed) {
        WordKind::Plain if is_code => add(WordKind::Name, trimmed),
        WordKind::Plain if trimmed.starts_with('-') => add(WordKind::Plain, trimmed),
        // `fix(parser):`, `built-in`.
        WordKind::Plain => {
            for part in trimmed.split(['(', ')', ':', '-']).filter(|part| !part.is_empty()) {
                add(kind(part), part);
            }
        }
        kind => add(kind, trimmed),
    }
}

fn kind(text: &str) -> WordKind {
    let digits = text.trim_start_matches('#');
    if text.starts_with("http://") || text.starts_with("https://") {
        WordKind::Url
    } else if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        WordKind::Number
    } else if is_version(text) {
        WordKind::Version
    } else if is_error(text) {
        WordKind::Error
    } else if is_path(text) {
        WordKind::Path
    } else if is_name(text) {
        WordKind::Name
    } else {
        WordKind::Plain
    }
}

fn is_version(text: &str) -> bool {
    let number = text.strip_prefix('v').unwrap_or(text);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    number.split('.').all(is_number) && (number.contains('.') || number.len() < text.len())
}

/// `TypeError`, `OrderException`, `E0502`, `ENOENT`.
fn is_error(text: &str) -> bool {
    let is_type = ["Error", "Exception"].iter().any(|ending| {
        text.strip_suffix(ending).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_uppercase()) && rest.chars().all(char::is_alphanumeric)
        })
    });
    let code = text.strip_prefix('E').unwrap_or_default();
    is_type
        || (code.len() >= 3 && code.bytes().all(|byte| byte.is_ascii_digit()))
        || (code.len() >= 4 && code.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Whether it names a file, possibly with a line: `src/a.rs:12`.
fn is_path(text: &str) -> bool {
    let (path, _) = split_line(text);
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let known = |ending: &str| {
        FILE_ENDINGS.contains(&ending)
            || syntax::Language::all().any(|l| l.extensions().iter().any(|known| known == ending))
    };
    (!stem.is_empty() || path.contains('/'))
        && path.chars().all(|c| c.is_alphanumeric() || "_-./@+".contains(c))
        && known(&ending.to_lowercase())
}

/// A path and the 1-based line after it.
pub(super) fn split_line(text: &str) -> (&str, Option<usize>) {
    let Some((path, rest)) = text.split_once(':') else { return (text, None) };
    (path, rest.split(':').next().and_then(|line| line.parse().ok()).filter(|line| *line > 0))
}

/// Whether it looks like a name of code: `getUser`, `get_user`, `a::b`, `run()`, `Order.cancel`.
fn is_name(text: &str) -> bool {
    let name = text.trim_end_matches("()");
    let parts: Vec<&str> = name.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let is_identifier = |part: &&str| {
        part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
            && !part.starts_with(|c: char| c.is_numeric())
    };
    if parts.is_empty() || !parts.iter().all(is_identifier) {
        return false;
    }
    let has_hump = name
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let is_qualified = name.contains("::") || (parts.len() == 2 && !name.contains(':'));
    name.contains('_') || has_hump || is_qualified || name.len() < text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(request: &str) -> Vec<(WordKind, String)> {
        words(request).into_iter().map(|word| (word.kind, word.text.to_owned())).collect()
    }

    #[test]
    fn words_of_every_kind() {
        use WordKind::{Error, Name, Number, Path, Plain, Url, Version};
        let cases = [
            ("fix(parser): a", vec![(Plain, "fix"), (Plain, "parser"), (Plain, "a")]),
            ("src/a.rs:12, README.md", vec![(Path, "src/a.rs:12"), (Path, "README.md")]),
            (
                "`tmp` getUser a::b run()",
                vec![(Name, "tmp"), (Name, "getUser"), (Name, "a::b"), (Name, "run()")],
            ),
            (
                "KeyError E0502 ENOENT",
                vec![(Error, "KeyError"), (Error, "E0502"), (Error, "ENOENT")],
            ),
            (
                "#12 1.2.3 v5 7",
                vec![(Number, "#12"), (Version, "1.2.3"), (Version, "v5"), (Number, "7")],
            ),
            ("--quiet built-in", vec![(Plain, "--quiet"), (Plain, "built"), (Plain, "in")]),
            ("https://example.com/a.rs", vec![(Url, "https://example.com/a.rs")]),
            ("", vec![]),
            ("```", vec![]),
        ];
        for (request, expected) in cases {
            let expected: Vec<_> =
                expected.into_iter().map(|(kind, text)| (kind, text.to_owned())).collect();
            assert_eq!(kinds(request), expected, "{request}");
        }
    }

    #[test]
    fn long_requests_are_cut_between_characters() {
        assert!(words(&"\u{e9} ".repeat(100_000)).len() <= MAX_WORDS);
        assert!(words(&"\u{e9}".repeat(100_000)).len() <= MAX_WORDS);
    }

    #[test]
    fn a_line_after_a_path() {
        assert_eq!(split_line("a.rs:12:3"), ("a.rs", Some(12)));
        assert_eq!(split_line("a.rs:0"), ("a.rs", None));
        assert_eq!(split_line("a.rs"), ("a.rs", None));
    }
}
