//! Words: quotes, expansions and arrays.

use super::Dialect;
use super::parser::{MultilineString, ParseResult, Parser, Stop};

/// What kind of word may be at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// An assignment, also with subscripts and arrays.
    Assignment,
    /// An array may follow `name=`: an argument of `declare` and the like.
    Declaration,
    /// An array is an error.
    Argument,
}

/// Whether a character ends a word.
pub(super) fn ends_word(byte: u8) -> bool {
    b" \t\n;&|()<>".contains(&byte)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'s> Parser<'s> {
    /// The word at `start`, if it has no quotes and expansions.
    pub(super) fn plain_word_at(&self, start: usize) -> Option<&'s str> {
        let rest = self.source.get(start..)?;
        let bytes = rest.as_bytes();
        let end = bytes.iter().position(|byte| ends_word(*byte)).unwrap_or(rest.len());
        let word = rest.get(..end)?.trim_end_matches('\r');
        (!word.is_empty() && !word.contains(['"', '\'', '`', '$', '\\'])).then_some(word)
    }

    pub(super) fn plain_word(&self) -> Option<&'s str> {
        self.plain_word_at(self.at)
    }

    /// Whether a word starts here.
    pub(super) fn at_word(&self) -> bool {
        match self.byte(0) {
            None => false,
            Some(b'<' | b'>') => self.byte(1) == Some(b'('),
            Some(b'\r') => self.byte(1) != Some(b'\n'),
            Some(byte) => !ends_word(byte),
        }
    }

    /// Parses a word. Whether it is an assignment.
    pub(super) fn word(&mut self, position: Position) -> ParseResult<bool> {
        let start = self.at;
        let mut is_assignment = false;
        while let Some(byte) = self.byte(0) {
            let before = self.at.checked_sub(1).filter(|at| *at >= start).map(|at| self.bytes[at]);
            let names = &self.bytes[start..self.at];
            let is_identifier = || {
                names.iter().all(|b| is_name(*b))
                    && names.first().is_some_and(|b| !b.is_ascii_digit())
            };
            match byte {
                b'<' | b'>' if self.byte(1) == Some(b'(') => self.substitution(2)?,
                // A pattern with the option `extglob`.
                b'(' if before.is_some_and(|b| b"?*+@!".contains(&b)) => {
                    self.bracketed(1, b'(', b')', ")", false)?;
                }
                b'(' if before == Some(b'=') && is_assignment && position != Position::Argument => {
                    self.array()?;
                }
                b'\r' if self.byte(1) == Some(b'\n') => break,
                b'\\' if self.starts_with("\\\r\n") => self.at += 3,
                byte if ends_word(byte) => break,
                b'[' if position == Position::Assignment && !is_assignment && is_identifier() => {
                    let rest = &self.bytes[self.at..];
                    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    match memchr::memchr(b']', &rest[..line]) {
                        Some(_) => self.bracketed(1, b'[', b']', "]", false)?,
                        None => self.at += 1,
                    }
                    let rest = &self.bytes[self.at..];
                    if rest.starts_with(b"=") || rest.starts_with(b"+=") {
                        is_assignment = true;
                        self.at += 1 + usize::from(rest[0] == b'+');
                    }
                }
                b'=' => {
                    let name = names.strip_suffix(b"+").unwrap_or(names);
                    is_assignment |= name.iter().all(|b| is_name(*b))
                        && name.first().is_some_and(|b| !b.is_ascii_digit());
                    self.at += 1;
                }
                _ => {
                    if !self.quoted_or_expansion()? {
                        self.at += 1;
                    }
                }
            }
        }
        Ok(is_assignment)
    }

    /// Parses an escape, a string or an expansion, which mean the same nearly everywhere.
    pub(super) fn quoted_or_expansion(&mut self) -> ParseResult<bool> {
        match self.byte(0) {
            Some(b'\\') => self.skip(2),
            Some(b'\'') => self.string(1, false)?,
            Some(b'"') => self.double_quotes(1)?,
            Some(b'`') => self.backquotes()?,
            Some(b'$') => match self.byte(1) {
                Some(b'\'') => self.string(2, true)?,
                Some(b'"') => self.double_quotes(2)?,
                _ => self.expansion(false)?,
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `$…`, inside and outside of double quotes.
    fn expansion(&mut self, is_quoted: bool) -> ParseResult {
        match self.byte(1) {
            Some(b'(') if self.byte(2) == Some(b'(') => {
                self.attempt()?;
                let (start, depth, multiline) = (self.at, self.open.len(), self.multiline.len());
                let end = match self.arithmetic(3) {
                    Ok(true) => {
                        self.refund_attempt();
                        return Ok(());
                    }
                    Ok(false) => None,
                    Err(Stop::Unclear) => return Err(Stop::Unclear),
                    Err(stop) => Some(stop),
                };
                self.at = start;
                self.open.truncate(depth);
                self.multiline.truncate(multiline);
                match (self.substitution(2), end) {
                    (Err(Stop::Failed(_)), Some(stop)) => Err(stop),
                    (read, _) => read,
                }
            }
            Some(b'(') => self.substitution(2),
            // `${ …; }` and `${|…}` run a command in the newest Bash; other shells reject them.
            Some(b'{') if matches!(self.byte(2), Some(b'(' | b' ' | b'\t' | b'\n' | b'|')) => {
                Err(Stop::Unclear)
            }
            Some(b'{') => self.parameter_expansion(is_quoted),
            Some(b'[') => {
                let rest = &self.bytes[self.at..];
                let line = memchr::memchr2(b'\n', b'"', rest).unwrap_or(rest.len());
                match memchr::memchr(b']', &rest[..line]) {
                    Some(_) => self.bracketed(2, b'[', b']', "]", is_quoted),
                    None => {
                        self.at += 2;
                        Ok(())
                    }
                }
            }
            Some(byte) if b"#?!@*-$".contains(&byte) => {
                self.at += 2;
                Ok(())
            }
            _ => {
                self.at += 1;
                Ok(())
            }
        }
    }

    /// `$(( … ))` or `(( … ))`, whose opening has `length` bytes. False if it turns out to be a
    /// command in two parentheses.
    pub(super) fn arithmetic(&mut self, length: usize) -> ParseResult<bool> {
        self.push(length, "))")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        let mut depth = 0usize;
        loop {
            match self.byte(0) {
                None => return Err(self.unclosed_construct(opens)),
                Some(b'(') => depth += 1,
                Some(b')') if depth > 0 => depth -= 1,
                Some(b')') if self.byte(1) == Some(b')') => break,
                Some(b')') => return Ok(false),
                _ if self.quoted_or_expansion()? => continue,
                _ => {}
            }
            self.at += 1;
        }
        self.pop(self.at);
        self.at += 2;
        Ok(true)
    }

    /// Everything up to the closing character, with quotes and the like in between.
    pub(super) fn bracketed(
        &mut self,
        length: usize,
        open: u8,
        close: u8,
        expected_closer: &'static str,
        is_quoted: bool,
    ) -> ParseResult {
        self.push(length, expected_closer)?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        let mut depth = 0usize;
        loop {
            match self.byte(0) {
                None => return Err(self.unclosed_construct(opens)),
                Some(byte) if byte == open => depth += 1,
                Some(byte) if byte == close && depth == 0 => break,
                Some(byte) if byte == close => depth -= 1,
                // A quote ends the enclosing string: the dollar before the bracket was a literal
                // one.
                Some(b'"') if is_quoted => return Err(Stop::Unclear),
                Some(b'\'') if is_quoted => {}
                _ if self.quoted_or_expansion()? => continue,
                _ => {}
            }
            self.at += 1;
        }
        self.pop(self.at);
        self.at += 1;
        Ok(())
    }

    /// `$( … )` or `<( … )`.
    fn substitution(&mut self, length: usize) -> ParseResult {
        self.push(length, ")")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        self.skip_newlines()?;
        if self.byte(0) != Some(b')') {
            self.commands()?;
        }
        self.close(")", None)?;
        self.record_multiline(opens, ")");
        Ok(())
    }

    /// `${ … }`.
    fn parameter_expansion(&mut self, is_quoted: bool) -> ParseResult {
        self.push(2, "}")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        // `${#a}`, `${'`: punctuation that is a parameter name.
        if self.byte(0).is_some_and(|b| b"#!$?@*-".contains(&b)) {
            self.at += 1;
        }
        loop {
            match self.byte(0) {
                None => return Err(self.unclosed_construct(opens)),
                Some(b'}') => break,
                // Bash treats it as a quote here; other shells do not.
                Some(b'\'') if is_quoted && self.dialect == Dialect::Any => {
                    let rest = &self.bytes[self.at + 1..];
                    let end = memchr::memchr3(b'\'', b'}', b'"', rest);
                    let end = end.filter(|end| rest[*end] == b'\'').ok_or(Stop::Unclear)?;
                    self.at += 2 + end;
                }
                Some(b'$') if !matches!(self.byte(1), Some(b'\'' | b'"')) => {
                    self.expansion(is_quoted)?;
                }
                _ if self.quoted_or_expansion()? => {}
                _ => self.at += 1,
            }
        }
        self.pop(self.at);
        self.at += 1;
        self.record_multiline(opens, "}");
        Ok(())
    }

    fn string(&mut self, length: usize, escapes: bool) -> ParseResult {
        let opens = self.at..self.at + length;
        let mut at = opens.end;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.unterminated_string(opens, "'")),
                Some(b'\\') if escapes => at += 2,
                Some(b'\'') => break,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.record_multiline(opens, "'");
        Ok(())
    }

    fn double_quotes(&mut self, length: usize) -> ParseResult {
        self.push(length, "\"")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        loop {
            match self.byte(0) {
                None => return Err(self.unterminated_string(opens, "\"")),
                Some(b'"') => break,
                Some(b'\\') => self.skip(2),
                Some(b'`') => self.backquotes()?,
                Some(b'$') => match self.byte(1) {
                    Some(b'(' | b'{' | b'[') => self.expansion(true)?,
                    Some(b'"') | None => self.at += 1,
                    Some(_) => self.at += 1 + usize::from(self.byte(1) == Some(b'$')),
                },
                Some(_) => self.at += 1,
            }
        }
        self.open.pop();
        self.at += 1;
        self.record_multiline(opens, "\"");
        Ok(())
    }

    /// The contents of backquotes are parsed only when they run.
    fn backquotes(&mut self) -> ParseResult {
        let opens = self.at..self.at + 1;
        let mut at = opens.end;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.unterminated_string(opens, "`")),
                Some(b'\\') => at += 2,
                Some(b'`') => break,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.record_multiline(opens, "`");
        Ok(())
    }

    /// `( … )` after `name=`.
    fn array(&mut self) -> ParseResult {
        self.push(1, ")")?;
        loop {
            self.skip_newlines()?;
            match self.byte(0) {
                None => return Err(self.unexpected(None)),
                Some(b')') => break,
                Some(b'[') => {
                    let rest = &self.bytes[self.at..];
                    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    match memchr::memchr(b']', &rest[..line]) {
                        Some(_) => self.bracketed(1, b'[', b']', "]", false)?,
                        None => self.at += 1,
                    }
                    self.word(Position::Declaration)?;
                }
                Some(_) if self.at_word() => drop(self.word(Position::Declaration)?),
                Some(_) => return Err(self.unexpected(None)),
            }
        }
        self.pop(self.at);
        self.at += 1;
        Ok(())
    }

    fn unterminated_string(&mut self, opens: std::ops::Range<usize>, closes: &'static str) -> Stop {
        let stop = self.unclosed_construct(opens.clone());
        self.multiline.push(MultilineString { opens, closes, is_suspicious: false });
        self.at = self.bytes.len();
        stop
    }

    /// Records a construct that spans lines.
    fn record_multiline(&mut self, opens: std::ops::Range<usize>, closes: &'static str) {
        if memchr::memchr(b'\n', &self.bytes[opens.end..self.at.min(self.bytes.len())]).is_some() {
            let is_suspicious = self.byte(0).is_some_and(|b| b.is_ascii_alphanumeric());
            self.multiline.push(MultilineString { opens, closes, is_suspicious });
        }
    }
}
