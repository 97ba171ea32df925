//! Words: quotes, what is expanded, lists of words.

use super::Dialect;
use super::parser::{Long, Parser, Read, Stop};

/// What a word may be where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Assignments may stand here, with subscripts and lists.
    Assignment,
    /// A list may follow a name's `=`: an argument of `declare` and the like.
    Declaration,
    /// The same is an error.
    Argument,
}

/// Signs that end a word.
pub(super) fn ends_word(byte: u8) -> bool {
    b" \t\n;&|()<>".contains(&byte)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'s> Parser<'s> {
    /// The word at `start`, if it is one without quotes and expansions.
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

    /// Whether a word begins here.
    pub(super) fn at_word(&self) -> bool {
        match self.byte(0) {
            None => false,
            Some(b'<' | b'>') => self.byte(1) == Some(b'('),
            Some(b'\r') => self.byte(1) != Some(b'\n'),
            Some(byte) => !ends_word(byte),
        }
    }

    /// Goes behind the word that begins here. Whether it is an assignment.
    pub(super) fn word(&mut self, position: Position) -> Read<bool> {
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
                // An alternative of names, where the option `extglob` is on.
                b'(' if before.is_some_and(|b| b"?*+@!".contains(&b)) => {
                    self.group(1, b'(', b')', ")", false)?;
                }
                b'(' if before == Some(b'=') && is_assignment && position != Position::Argument => {
                    self.list_of_words()?;
                }
                b'\r' if self.byte(1) == Some(b'\n') => break,
                b'\\' if self.starts_with("\\\r\n") => self.at += 3,
                byte if ends_word(byte) => break,
                b'[' if position == Position::Assignment && !is_assignment && is_identifier() => {
                    let rest = &self.bytes[self.at..];
                    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    match memchr::memchr(b']', &rest[..line]) {
                        Some(_) => self.group(1, b'[', b']', "]", false)?,
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
                    if !self.piece()? {
                        self.at += 1;
                    }
                }
            }
        }
        Ok(is_assignment)
    }

    /// Goes behind what means the same nearly everywhere: escapes, strings, what is expanded.
    pub(super) fn piece(&mut self) -> Read<bool> {
        match self.byte(0) {
            Some(b'\\') => self.skip(2),
            Some(b'\'') => self.string(1, false)?,
            Some(b'"') => self.quotes(1)?,
            Some(b'`') => self.backquotes()?,
            Some(b'$') => match self.byte(1) {
                Some(b'\'') => self.string(2, true)?,
                Some(b'"') => self.quotes(2)?,
                _ => self.dollar(false)?,
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `$…`, in double quotes and outside of them.
    fn dollar(&mut self, is_quoted: bool) -> Read {
        match self.byte(1) {
            Some(b'(') if self.byte(2) == Some(b'(') => {
                self.attempt()?;
                let (start, depth, long) = (self.at, self.open.len(), self.long.len());
                let end = match self.sum(3) {
                    Ok(true) => {
                        self.attempt_was_right();
                        return Ok(());
                    }
                    Ok(false) => None,
                    Err(Stop::Unclear) => return Err(Stop::Unclear),
                    Err(stop) => Some(stop),
                };
                self.at = start;
                self.open.truncate(depth);
                self.long.truncate(long);
                match (self.substitution(2), end) {
                    (Err(Stop::Failed(_)), Some(stop)) => Err(stop),
                    (read, _) => read,
                }
            }
            Some(b'(') => self.substitution(2),
            // Blanks: a command that is run in this shell, in the newest one and in others.
            Some(b'{') if matches!(self.byte(2), Some(b'(' | b' ' | b'\t' | b'\n' | b'|')) => {
                Err(Stop::Unclear)
            }
            Some(b'{') => self.value(is_quoted),
            Some(b'[') => {
                let rest = &self.bytes[self.at..];
                let line = memchr::memchr2(b'\n', b'"', rest).unwrap_or(rest.len());
                match memchr::memchr(b']', &rest[..line]) {
                    Some(_) => self.group(2, b'[', b']', "]", is_quoted),
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

    /// `$(( … ))` or `(( … ))`, whose opening is `length` long. Whether it is one: else it is a command
    /// in two brackets.
    pub(super) fn sum(&mut self, length: usize) -> Read<bool> {
        self.push(length, "))")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        let mut depth = 0usize;
        loop {
            match self.byte(0) {
                None => return Err(self.never_closed(opens)),
                Some(b'(') => depth += 1,
                Some(b')') if depth > 0 => depth -= 1,
                Some(b')') if self.byte(1) == Some(b')') => break,
                Some(b')') => return Ok(false),
                _ if self.piece()? => continue,
                _ => {}
            }
            self.at += 1;
        }
        self.pop(self.at);
        self.at += 2;
        Ok(true)
    }

    /// Signs up to the one that closes, with quotes and the like in between.
    pub(super) fn group(
        &mut self,
        length: usize,
        open: u8,
        close: u8,
        wants: &'static str,
        is_quoted: bool,
    ) -> Read {
        self.push(length, wants)?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        let mut depth = 0usize;
        loop {
            match self.byte(0) {
                None => return Err(self.never_closed(opens)),
                Some(byte) if byte == open => depth += 1,
                Some(byte) if byte == close && depth == 0 => break,
                Some(byte) if byte == close => depth -= 1,
                // A quote ends what it is in: a dollar before a bracket was no more than that.
                Some(b'"') if is_quoted => return Err(Stop::Unclear),
                Some(b'\'') if is_quoted => {}
                _ if self.piece()? => continue,
                _ => {}
            }
            self.at += 1;
        }
        self.pop(self.at);
        self.at += 1;
        Ok(())
    }

    /// `$( … )` or `<( … )`
    fn substitution(&mut self, length: usize) -> Read {
        self.push(length, ")")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        self.newlines()?;
        if self.byte(0) != Some(b')') {
            self.commands()?;
        }
        self.close(")", None)?;
        self.note_long(opens, ")");
        Ok(())
    }

    /// `${ … }`
    fn value(&mut self, is_quoted: bool) -> Read {
        self.push(2, "}")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        // `${#a}`, `${'`: signs that are names.
        if self.byte(0).is_some_and(|b| b"#!$?@*-".contains(&b)) {
            self.at += 1;
        }
        loop {
            match self.byte(0) {
                None => return Err(self.never_closed(opens)),
                Some(b'}') => break,
                // Bash takes it for a quote here; others do not.
                Some(b'\'') if is_quoted && self.dialect == Dialect::Any => {
                    let rest = &self.bytes[self.at + 1..];
                    let end = memchr::memchr3(b'\'', b'}', b'"', rest);
                    let end = end.filter(|end| rest[*end] == b'\'').ok_or(Stop::Unclear)?;
                    self.at += 2 + end;
                }
                Some(b'$') if !matches!(self.byte(1), Some(b'\'' | b'"')) => {
                    self.dollar(is_quoted)?;
                }
                _ if self.piece()? => {}
                _ => self.at += 1,
            }
        }
        self.pop(self.at);
        self.at += 1;
        self.note_long(opens, "}");
        Ok(())
    }

    fn string(&mut self, length: usize, escapes: bool) -> Read {
        let opens = self.at..self.at + length;
        let mut at = opens.end;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.open_string(opens, "'")),
                Some(b'\\') if escapes => at += 2,
                Some(b'\'') => break,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.note_long(opens, "'");
        Ok(())
    }

    fn quotes(&mut self, length: usize) -> Read {
        self.push(length, "\"")?;
        let opens = self.open.last().map(|open| open.span.clone()).unwrap_or_default();
        loop {
            match self.byte(0) {
                None => return Err(self.open_string(opens, "\"")),
                Some(b'"') => break,
                Some(b'\\') => self.skip(2),
                Some(b'`') => self.backquotes()?,
                Some(b'$') => match self.byte(1) {
                    Some(b'(' | b'{' | b'[') => self.dollar(true)?,
                    Some(b'"') | None => self.at += 1,
                    Some(_) => self.at += 1 + usize::from(self.byte(1) == Some(b'$')),
                },
                Some(_) => self.at += 1,
            }
        }
        self.open.pop();
        self.at += 1;
        self.note_long(opens, "\"");
        Ok(())
    }

    /// What backquotes hold is read only when it is run.
    fn backquotes(&mut self) -> Read {
        let opens = self.at..self.at + 1;
        let mut at = opens.end;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.open_string(opens, "`")),
                Some(b'\\') => at += 2,
                Some(b'`') => break,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.note_long(opens, "`");
        Ok(())
    }

    /// `( … )` behind a name's `=`
    fn list_of_words(&mut self) -> Read {
        self.push(1, ")")?;
        loop {
            self.newlines()?;
            match self.byte(0) {
                None => return Err(self.unexpected(None)),
                Some(b')') => break,
                Some(b'[') => {
                    let rest = &self.bytes[self.at..];
                    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    match memchr::memchr(b']', &rest[..line]) {
                        Some(_) => self.group(1, b'[', b']', "]", false)?,
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

    fn open_string(&mut self, opens: std::ops::Range<usize>, closes: &'static str) -> Stop {
        let stop = self.never_closed(opens.clone());
        self.long.push(Long { opens, closes, is_doubtful: false });
        self.at = self.bytes.len();
        stop
    }

    /// Remembers what was closed on another line than it opens on.
    fn note_long(&mut self, opens: std::ops::Range<usize>, closes: &'static str) {
        if memchr::memchr(b'\n', &self.bytes[opens.end..self.at.min(self.bytes.len())]).is_some() {
            let is_doubtful = self.byte(0).is_some_and(|b| b.is_ascii_alphanumeric());
            self.long.push(Long { opens, closes, is_doubtful });
        }
    }
}
