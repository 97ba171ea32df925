//! A tokenizer for code in any language: words, punctuation, one-line strings and line comments.
//!
//! It only has to treat both sides alike. A construct that it misreads, such as a string of several
//! lines, usually yields the same tokens in the patch and in the file.

/// A word, a punctuation character, a string or a comment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'t> {
    /// The text; for a string, without its quotes.
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_string: bool,
    /// Whether it is a line comment.
    pub(crate) is_comment: bool,
    pub(crate) begins_line: bool,
    /// Open brackets around it; negative after a bracket that was not opened in the text.
    pub(crate) depth: isize,
    /// Round and square brackets among them, counted from the innermost curly one.
    pub(crate) brackets: isize,
}

impl Token<'_> {
    /// Whether it is a punctuation character.
    pub(crate) fn is_punctuation(&self) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !self.is_string && !self.is_comment && !self.text.starts_with(is_word)
    }

    /// Whether two tokens are equal. The quotes of a string do not matter.
    pub(crate) fn same_as(&self, other: &Token<'_>) -> bool {
        self.text == other.text
            && self.is_string == other.is_string
            && self.is_comment == other.is_comment
    }
}

/// The tokens of a text. O(text).
pub(crate) fn scan(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut begins_line) = (Vec::new(), 0, true);
    let (mut depth, mut brackets, mut outer) = (0isize, 0isize, Vec::new());
    while at < bytes.len() {
        let byte = bytes[at];
        if matches!(byte, b'\n' | b'\r') {
            begins_line = true;
            at += 1;
            continue;
        }
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        let (mut is_string, mut is_comment) = (false, false);
        let mut inner = None;
        let before_blank = start == 0 || bytes[start - 1].is_ascii_whitespace();
        if (byte == b'#' && before_blank) || is_line_comment(text, at) {
            at = line_end(bytes, at);
            is_comment = true;
        } else if let Some(end) = string_end(text, at) {
            inner = Some(start + 1..end - 1);
            is_string = true;
            at = end;
        } else if byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii() {
            while at < bytes.len()
                && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || !bytes[at].is_ascii())
            {
                at += 1;
            }
        } else {
            at += 1;
        }
        depth -= isize::from(matches!(byte, b')' | b']' | b'}'));
        brackets -= isize::from(matches!(byte, b')' | b']'));
        let content = inner.unwrap_or(start..at);
        let content = if is_comment { text[content].trim_end() } else { &text[content] };
        tokens.push(Token {
            text: content,
            start,
            end: start + (at - start).min(if is_comment { content.len() } else { at - start }),
            is_string,
            is_comment,
            begins_line,
            depth,
            brackets,
        });
        depth += isize::from(matches!(byte, b'(' | b'[' | b'{'));
        // In a block inside brackets (a closure argument), lines end statements again.
        if byte == b'{' {
            outer.push(std::mem::take(&mut brackets));
        } else if byte == b'}' {
            brackets = outer.pop().unwrap_or(0);
        }
        brackets += isize::from(matches!(byte, b'(' | b'['));
        begins_line = false;
    }
    tokens
}

/// Whether `//` begins a comment here. If the rest of the line closes brackets that it did not open,
/// it is an operator (Python's integer division).
fn is_line_comment(text: &str, at: usize) -> bool {
    let rest = &text[at..line_end(text.as_bytes(), at)];
    let depth = |open, close| {
        rest.bytes().filter(|byte| *byte == open).count()
            < rest.bytes().filter(|byte| *byte == close).count()
    };
    rest.starts_with("//") && !depth(b'(', b')') && !depth(b'[', b']')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end)
}

/// The end of the one-line string that begins here; `None` for an unmatched quote.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    // An apostrophe inside a word.
    if quote == b'\''
        && at > 1
        && bytes[at - 1].is_ascii_alphanumeric()
        && bytes[at - 2].is_ascii_alphanumeric()
    {
        return None;
    }
    let mut end = at + 1;
    while end < bytes.len() && !matches!(bytes[end], b'\n' | b'\r') {
        match bytes[end] {
            b'\\' => end += 2,
            byte if byte == quote => return Some(end + 1),
            _ => end += 1,
        }
    }
    None
}
