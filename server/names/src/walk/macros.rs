//! C and C++ as they are once macros that the grammar cannot know are set aside: attributes before
//! a class's name, annotations after a function, export words before a declaration.

use std::ops::Range;

/// A token: a word or a character. Text, comments and preprocessor lines are none.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }

    /// Whether it looks like a macro's name.
    fn is_macro(&self) -> bool {
        self.text.len() > 2
            && self.text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && self.text.bytes().any(|b| b.is_ascii_uppercase())
            && !matches!(self.text, "FILE" | "DIR" | "NULL" | "BOOL" | "EOF")
    }

    fn is_type_word(&self) -> bool {
        matches!(
            self.text,
            "void"
                | "int"
                | "char"
                | "struct"
                | "unsigned"
                | "signed"
                | "const"
                | "static"
                | "size_t"
                | "bool"
                | "double"
                | "float"
                | "long"
                | "short"
                | "enum"
                | "union"
                | "class"
                | "extern"
                | "inline"
                | "virtual"
                | "constexpr"
        )
    }
}

/// A text without such macros.
pub(super) struct Aside {
    /// The text with them blanked out.
    pub(super) text: String,
    /// The words that were in them.
    pub(super) words: Vec<Range<usize>>,
    /// What was blanked out, in any order.
    pub(super) blanks: Vec<Range<usize>>,
}

/// Sets them aside. `None` where there are none. Offsets stay what they were. O(n).
pub(super) fn without_macros(text: &str) -> Option<Aside> {
    let (tokens, mut blanks) = tokens(text);
    let mut words = Vec::new();
    let (mut skip_to, mut lent) = (0, None);
    for i in 0..tokens.len() {
        if i < skip_to || !tokens[i].is_macro() {
            continue;
        }
        let at = |n: usize| tokens.get(n).map_or("", |t| t.text);
        let before = if i == 0 { "" } else { at(i - 1) };
        let next_word = tokens.get(i + 1).is_some_and(Token::is_word);
        let span = |t: &Token<'_>| t.start..t.start + t.text.len();
        let starts = matches!(
            before,
            "" | ";" | "}" | "{" | ")" | "static" | "extern" | "inline" | ":" | ">"
        );
        // `class EXPORT Name {`
        if matches!(before, "class" | "struct" | "union" | "enum")
            && next_word
            && matches!(at(i + 2), "{" | ":" | "final" | ";")
        {
            blanks.push(span(&tokens[i]));
            words.push(span(&tokens[i]));
            continue;
        }
        // `{ FIELDS }`
        let lends = matches!(before, ";" | "{" | "}") || i > 0 && lent == Some(i - 1);
        if lends
            && (at(i + 1) == "}"
                || tokens.get(i + 1).is_some_and(Token::is_macro) && at(i + 2) != "(")
        {
            lent = Some(i);
            blanks.push(span(&tokens[i]));
            words.push(span(&tokens[i]));
            continue;
        }
        // `EXPORT type name`
        if starts && next_word && !tokens[i + 1].is_macro() {
            let after = tokens.get(i + 2);
            let declares = after.is_some_and(|t| t.is_word() || matches!(t.text, "*" | "&" | "<"))
                || at(i + 2) == ":" && at(i + 3) == ":"
                || tokens[i + 1].is_type_word();
            if declares && !matches!(at(i + 1), "if" | "else" | "return" | "case") {
                blanks.push(span(&tokens[i]));
                words.push(span(&tokens[i]));
                continue;
            }
        }
        let close = if at(i + 1) == "(" { closing(&tokens, i + 1) } else { None };
        // `EXPORT(type name(...))`
        if let Some(close) = close
            && matches!(before, "" | ";" | "}" | "{")
            && tokens[i + 2].is_type_word()
            && at(close - 1) == ")"
        {
            blanks.push(tokens[i].start..tokens[i + 1].start + 1);
            blanks.push(span(&tokens[close]));
            words.push(span(&tokens[i]));
            continue;
        }
        // `DEPRECATED("...") type name`
        if let Some(close) = close
            && matches!(before, "" | ";" | "}" | "{" | ":" | ">")
            && let Some(next) = tokens.get(close + 1).filter(|t| t.is_word() && !t.is_macro())
            && (next.is_type_word()
                || tokens
                    .get(close + 2)
                    .is_some_and(|t| t.is_word() || matches!(t.text, "*" | "&" | "<")))
            && !matches!(
                next.text,
                "if" | "else" | "return" | "case" | "for" | "while" | "do" | "goto" | "break"
            )
        {
            blanks.push(tokens[i].start..tokens[close].start + 1);
            words.extend(tokens[i..close].iter().filter(|t| t.is_word()).map(span));
            skip_to = close + 1;
            continue;
        }
        // `f(...) ANNOTATED(...);`
        let end = close.map_or(i, |c| c);
        let trails = matches!(at(end + 1), ";" | "{" | "=" | ":")
            || tokens.get(end + 1).is_some_and(Token::is_macro);
        let declared = match before {
            ")" => opening(&tokens, i - 1).is_some_and(|open| {
                open > 0
                    && tokens[open - 1].is_word()
                    && !matches!(at(open - 1), "if" | "while" | "for" | "switch" | "catch")
            }),
            "const" | "override" | "noexcept" => i > 1 && at(i - 2) == ")",
            _ => {
                close.is_some_and(|close| !declares_parameters(&tokens[i + 2..close]))
                    && at(end + 1) != "{"
                    && i > 1
                    && tokens[i - 1].is_word()
                    && (matches!(at(i - 2), "*" | "&" | ">")
                        || tokens[i - 2].is_word()
                            && !matches!(at(i - 2), "return" | "else" | "new" | "case"))
                    && !matches!(before, "return" | "else" | "new" | "case" | "do" | "throw")
            }
        };
        if trails && declared {
            blanks.push(tokens[i].start..tokens[end].start + tokens[end].text.len());
            words.extend(tokens[i..=end].iter().filter(|t| t.is_word()).map(span));
            skip_to = end + 1;
        }
    }
    if blanks.is_empty() {
        return None;
    }
    let mut cleaned = text.as_bytes().to_vec();
    for blank in &blanks {
        for byte in &mut cleaned[blank.clone()] {
            if !matches!(*byte, b'\n' | b'\r' | b'\\') {
                *byte = b' ';
            }
        }
    }
    let text = String::from_utf8(cleaned).ok()?;
    Some(Aside { text, words, blanks })
}

/// Whether what is in parentheses can only be a function's parameters.
fn declares_parameters(tokens: &[Token<'_>]) -> bool {
    tokens.is_empty()
        || tokens.iter().any(Token::is_type_word)
        || tokens.windows(2).any(|t| t[0].is_word() && t[1].is_word())
}

fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate().skip(open).take(400) {
        match token.text {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
    }
    None
}

fn opening(tokens: &[Token<'_>], close: usize) -> Option<usize> {
    let mut depth = 0;
    for n in (close.saturating_sub(400)..=close).rev() {
        match tokens[n].text {
            ")" => depth += 1,
            "(" => {
                depth -= 1;
                if depth == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
    }
    None
}

/// The tokens, and the comments inside of definitions of macros that go on after them: the grammar
/// would end the definition there.
fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let (mut tokens, mut i, mut line_start) = (Vec::new(), 0, true);
    let mut comments = Vec::new();
    while i < bytes.len() {
        let b = bytes[i];
        match b {
            b'\n' => {
                line_start = true;
                i += 1;
            }
            _ if b.is_ascii_whitespace() => i += 1,
            b'#' if line_start => {
                let end = line_end(bytes, i);
                let mut at = i;
                while let Some(open) = text[at..end].find("/*").map(|n| at + n) {
                    let close = text[open..end].find("*/").map_or(end, |n| open + n + 2);
                    if text[close..end].contains('\\') {
                        comments.push(open..close);
                    }
                    at = close;
                }
                i = end;
            }
            b'/' if bytes.get(i + 1) == Some(&b'/') => i = line_end(bytes, i),
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i = text[i + 2..].find("*/").map_or(bytes.len(), |n| i + n + 4);
            }
            b'"' | b'\'' => {
                line_start = false;
                i += 1;
                while i < bytes.len() && bytes[i] != b && bytes[i] != b'\n' {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                i += 1;
            }
            _ if b.is_ascii_alphanumeric() || b == b'_' => {
                line_start = false;
                let start = i;
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                tokens.push(Token { text: &text[start..i], start });
            }
            _ => {
                line_start = false;
                if b.is_ascii() {
                    tokens.push(Token { text: &text[i..=i], start: i });
                }
                i += 1;
            }
        }
    }
    (tokens, comments)
}

/// The end of a line, past lines that go on.
fn line_end(bytes: &[u8], mut i: usize) -> usize {
    while i < bytes.len() && bytes[i] != b'\n' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    i.min(bytes.len())
}
