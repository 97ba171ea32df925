//! Rust sources as the checks read them: comments and literals blanked, test code told apart, and
//! the paths that code names.
//!
//! A scanner, not a parser: it need not understand what it reads, only never take a comment or a
//! string for code. Blanked text keeps its line breaks, so that lines can be counted.

use std::collections::HashSet;
use std::ops::Range;

/// A Rust file prepared for checks.
pub(super) struct RustSource {
    /// The text with comments and literals blanked.
    pub(super) code: String,
    /// The same with test code blanked too; all blank in a file of tests.
    pub(super) production: String,
}

/// A path that code names, such as `std::fs::read`; a `use` tree yields one for each leaf.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedPath {
    /// 1-based.
    pub(super) line: usize,
    pub(super) segments: Vec<String>,
}

impl RustSource {
    pub(super) fn new(text: &str, is_test: bool) -> Self {
        let code = without_comments_and_literals(text);
        let mut production = code.clone().into_bytes();
        if is_test {
            blank(&mut production);
        } else {
            test_items(&code).into_iter().for_each(|range| blank(&mut production[range]));
        }
        let production = String::from_utf8_lossy(&production).into_owned();
        Self { code, production }
    }
}

/// Whether a path holds only tests, benchmarks, examples or what builds a crate.
pub(super) fn is_test_path(path: &str) -> bool {
    let folder =
        |name: &str| path.starts_with(&format!("{name}/")) || path.contains(&format!("/{name}/"));
    folder("tests")
        || folder("benches")
        || folder("examples")
        || path.ends_with("/tests.rs")
        || path.ends_with("/build.rs")
}

/// Files that are modules declared `#[cfg(test)] mod name;`.
pub(super) fn test_modules(files: &[(String, String)]) -> HashSet<String> {
    let mut modules = HashSet::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        let code = without_comments_and_literals(text);
        for range in test_items(&code) {
            let mut words = code[range].trim_end_matches(';').split_whitespace().rev();
            let (Some(name), Some("mod")) = (words.next(), words.next()) else { continue };
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            let home = match file.trim_end_matches(".rs") {
                "lib" | "main" | "mod" => folder.to_owned(),
                stem => format!("{folder}/{stem}"),
            };
            modules.insert(format!("{home}/{name}.rs"));
            modules.insert(format!("{home}/{name}/mod.rs"));
        }
    }
    modules
}

/// Every path in blanked code, single identifiers and keywords included.
pub(super) fn named_paths(code: &str) -> Vec<NamedPath> {
    let tokens = tokens(code);
    let mut paths = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_use = token.text == "use" && tokens.get(at + 1).is_some_and(|next| next.text != "<");
        if is_use {
            at = use_tree(&tokens, at + 1, &[], &mut paths);
        } else if token.is_word() {
            let mut segments = vec![token.text.to_owned()];
            at += 1;
            while let (Some(colons), Some(word)) = (tokens.get(at), tokens.get(at + 1)) {
                if colons.text != "::" || !word.is_word() {
                    break;
                }
                segments.push(word.text.to_owned());
                at += 2;
            }
            paths.push(NamedPath { line: token.line, segments });
        } else {
            at += 1;
        }
    }
    paths
}

/// Reads one branch of a `use` tree from `at`; returns where it ends.
fn use_tree(tokens: &[Token], mut at: usize, prefix: &[String], out: &mut Vec<NamedPath>) -> usize {
    let mut segments = prefix.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.line);
    let mut is_leaf = true;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "::" => at += 1,
            "{" => {
                is_leaf = false;
                at += 1;
                while tokens.get(at).is_some_and(|token| token.text != "}") {
                    let before = at;
                    at = use_tree(tokens, at, &segments, out);
                    at += usize::from(tokens.get(at).is_some_and(|token| token.text == ","));
                    if at == before {
                        break; // Not a use tree after all; nothing more to learn from it.
                    }
                }
                at += 1;
            }
            "as" => at += 2,
            "self" if !segments.is_empty() => at += 1,
            word if token.is_word() || word == "*" => {
                segments.push(word.to_owned());
                at += 1;
            }
            _ => break,
        }
    }
    if is_leaf && !segments.is_empty() {
        out.push(NamedPath { line, segments });
    }
    at
}

struct Token<'a> {
    text: &'a str,
    line: usize,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            tokens.push(Token { text: &rest[..length], line });
        }
        line += usize::from(first == '\n');
        rest = &rest[length..];
    }
    tokens
}

/// Byte ranges of items that only tests compile, from their first attribute to their end.
fn test_items(code: &str) -> Vec<Range<usize>> {
    const MARKS: &[&str] = &["#[cfg(test)]", "#[cfg(any(test", "#[cfg(all(test", "#[test]"];
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for mark in MARKS {
        for (start, _) in code.match_indices(mark) {
            ranges.push(start..item_end(code, start));
        }
    }
    ranges
}

/// Where the item ends whose attributes begin at `start`: its closing brace or its semicolon.
fn item_end(code: &str, start: usize) -> usize {
    let mut at = start;
    while code[at..].trim_start().starts_with("#[") {
        at += code[at..].find('[').unwrap_or(0);
        at = closing(code, at);
    }
    let mut depth = 0usize;
    for (offset, byte) in code[at..].bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'{' if depth == 0 => return closing(code, at + offset),
            b';' | b',' if depth == 0 => return at + offset + 1,
            _ => {}
        }
    }
    code.len()
}

/// The position after the bracket that closes the one at `open`.
fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (offset, byte) in code[open..].bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return open + offset + 1;
        }
    }
    code.len()
}

fn without_comments_and_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => find(bytes, at, b"\n").unwrap_or(bytes.len()),
            b'/' if bytes[at..].starts_with(b"/*") => block_comment_end(bytes, at),
            b'"' => string_end(bytes, at),
            b'\'' => char_end(text, at).unwrap_or(at),
            b'r' if !follows_word(bytes, at) => raw_string_end(bytes, at).unwrap_or(at),
            _ => at,
        };
        if end > at {
            blank(&mut out[at..end]);
            at = end;
        } else {
            at += 1;
        }
    }
    // Whole characters are blanked, so this is UTF-8 still.
    String::from_utf8_lossy(&out).into_owned()
}

/// A raw string's prefix may be `r`, `br` or `cr`; any other letter before makes it a name.
fn follows_word(bytes: &[u8], at: usize) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match at.checked_sub(1).map(|before| bytes[before]) {
        Some(b'b' | b'c') => at >= 2 && is_word(bytes[at - 2]),
        Some(byte) => is_word(byte),
        None => false,
    }
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character literal, or nothing where the quote begins a lifetime.
fn char_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text[start + 1..];
    let first = rest.chars().next()?;
    let inside = if first == '\\' {
        // The escaped character may itself be a quote.
        let escaped = 1 + rest[1..].chars().next()?.len_utf8();
        escaped + rest[escaped..].find('\'')?
    } else {
        first.len_utf8()
    };
    rest[inside..].starts_with('\'').then_some(start + 1 + inside + 1)
}

fn raw_string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let hashes = bytes[start + 1..].iter().take_while(|byte| **byte == b'#').count();
    let quote = start + 1 + hashes;
    if bytes.get(quote) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    Some(find(bytes, quote + 1, &close).map_or(bytes.len(), |at| at + close.len()))
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes[from..].windows(what.len()).position(|window| window == what).map(|at| from + at)
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let code = without_comments_and_literals(text);
        assert_eq!(code.lines().count(), text.lines().count());
        code.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(words(r##"a "b \" c" d r#"e " f"# g br"h" i"##), ["a", "d", "g", "b", "i"]);
        assert_eq!(words(r"a 'b' '\'' '\u{e9}' 'é' c"), ["a", "c"]);
        assert_eq!(
            words("fn f<'a>(x: &'a str) -> &'static str"),
            ["fn", "f<'a>(x:", "&'a", "str)", "->", "&'static", "str"]
        );
        assert_eq!(words("r#type for \"x"), ["r#type", "for"]);
    }

    #[test]
    fn test_items_are_not_production() {
        let source = RustSource::new(
            "fn a() {}\n#[cfg(test)]\n#[allow(x)]\nmod tests { fn b() { {} } }\nfn c([u8; 3]) {}\n\
             #[test]\nfn d(x: [u8; 2]) { e() }\nfn f() {}\n#[cfg(test)]\nuse g;\nfn h() {}",
            false,
        );
        let kept: Vec<_> = source.production.split_whitespace().collect();
        assert_eq!(kept.join(" "), "fn a() {} fn c([u8; 3]) {} fn f() {} fn h() {}");
        assert!(source.code.contains("mod tests"));
        assert!(RustSource::new("fn a() {}", true).production.trim().is_empty());
    }

    #[test]
    fn test_files_are_recognized() {
        let files = [
            ("a/src/lib.rs".to_owned(), "#[cfg(test)]\nmod checks;\nmod real;".to_owned()),
            ("a/src/b.rs".to_owned(), "#[cfg(test)] mod more;".to_owned()),
        ];
        let modules = test_modules(&files);
        assert!(modules.contains("a/src/checks.rs") && modules.contains("a/src/b/more.rs"));
        assert!(!modules.contains("a/src/real.rs"));
        assert!(is_test_path("a/tests/x.rs") && is_test_path("tests/x.rs"));
        assert!(is_test_path("a/src/b/tests.rs") && !is_test_path("a/src/contests.rs"));
    }

    #[test]
    fn use_trees_and_expressions_are_spelled_out() {
        let shown = |text: &str| {
            let paths = named_paths(text);
            paths.iter().map(|path| path.segments.join("::")).collect::<Vec<_>>()
        };
        assert_eq!(
            shown("use std::{fs::{self, File}, io as i, net::*};"),
            ["std::fs", "std::fs::File", "std::io", "std::net::*"]
        );
        assert_eq!(
            shown("let x = ::std :: fs::read(y)?.await;"),
            ["let", "x", "std::fs::read", "y", "await"]
        );
        assert_eq!(shown("use {a, b::c};"), ["a", "b::c"]);
        assert_eq!(named_paths("use a::{\n b,\n c};")[1].line, 3);
        // Broken text ends, whatever it says.
        for broken in ["use {", "use {{;", "use a::{;}", "use", "}{ use ::"] {
            let _ = named_paths(broken);
        }
    }
}
