//! Tokens of code, as far as most languages agree on them.

/// A word, a mark, a string or a comment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'t> {
    /// As it is written; of a string what is between its quotes.
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_string: bool,
    /// To the end of its line.
    pub(super) is_comment: bool,
    pub(super) begins_line: bool,
    /// Brackets around it that the text has opened; negative behind one that it only closes.
    pub(super) depth: isize,
    /// How many of those are round or square.
    pub(super) brackets: isize,
}

impl Token<'_> {
    /// Whether both say the same, whatever the quotes around a string.
    pub(super) fn is(&self, other: &Token<'_>) -> bool {
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
        let shown = inner.unwrap_or(start..at);
        let shown = if is_comment { text[shown].trim_end() } else { &text[shown] };
        tokens.push(Token {
            text: shown,
            start,
            end: start + (at - start).min(if is_comment { shown.len() } else { at - start }),
            is_string,
            is_comment,
            begins_line,
            depth,
            brackets,
        });
        depth += isize::from(matches!(byte, b'(' | b'[' | b'{'));
        // A block within brackets has statements of its own.
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

/// Whether `//` begins a comment here. Where it closes brackets that are open, it divides.
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

/// One past the string of one line that begins here. A quote without a partner is a mark.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    // An apostrophe within a word.
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
