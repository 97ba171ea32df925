//! Words: quotes, what is expanded, lists of words.

use std::ops::Range;

use super::{Kind, Read, Reader, Stop, told};

impl Reader<'_> {
    /// What means the same nearly everywhere: escapes, strings, what is expanded.
    pub(super) fn piece(&mut self) -> Result<bool, Stop> {
        match (self.bytes[self.at], self.byte(1)) {
            (b'\\', _) => self.at += 2,
            (b'\'', _) => self.string(1, false)?,
            (b'$', Some(b'\'')) => self.string(2, true)?,
            (b'"', _) => self.open(Kind::Quotes, 1)?,
            (b'`', _) => self.backquote()?,
            (b'$', Some(b'(')) if self.byte(2) == Some(b'(') => self.open(Kind::Sum, 3)?,
            (b'$', Some(b'(')) => self.open(Kind::Commands, 2)?,
            (b'$', Some(b'{')) if self.byte(2) == Some(b'(') => return Err(Stop::Unclear),
            (b'$', Some(b'{')) => self.value()?,
            (b'$', Some(b)) if b.is_ascii_alphanumeric() || b"#?!@*-$_".contains(&b) => {
                self.at += 2
            }
            _ => return Ok(false),
        }
        self.at = self.at.min(self.bytes.len());
        Ok(true)
    }

    pub(super) fn value(&mut self) -> Read {
        self.open(Kind::Value, 2)?;
        // `${#a}`, `${'`: signs that are names.
        self.at += usize::from(self.byte(0).is_some_and(|b| b"#!$?@*-".contains(&b)));
        Ok(())
    }

    pub(super) fn string(&mut self, length: usize, escapes: bool) -> Read {
        let opens = self.at..self.at + length;
        let mut at = opens.end;
        loop {
            match self.bytes.get(at) {
                None => return Err(self.unclosed_string(opens)),
                Some(b'\\') if escapes => at += 2,
                Some(b'\'') => break,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.doubt(opens);
        Ok(())
    }

    /// A string over lines that ends where a word goes on may be one that should have ended before.
    pub(super) fn doubt(&mut self, opens: Range<usize>) {
        let goes_on = self.byte(0).is_some_and(|b| b.is_ascii_alphanumeric());
        if goes_on && self.bytes[opens.start..self.at].contains(&b'\n') {
            self.doubtful.get_or_insert(opens);
        }
    }

    pub(super) fn unclosed_string(&mut self, opens: Range<usize>) -> Stop {
        let opens = self.doubtful.take().unwrap_or(opens);
        let line = self.line(opens.start);
        told(opens, format!("unclosed string that starts on line {line}"))
    }

    pub(super) fn backquote(&mut self) -> Read {
        match self.open.iter().any(|open| open.kind == Kind::Backquotes) {
            true => self.closes(Kind::Backquotes, 1),
            false => self.open(Kind::Backquotes, 1),
        }
    }

    pub(super) fn in_quotes(&mut self) -> Read {
        let byte = self.bytes[self.at];
        match byte {
            b'"' => {
                let opens = self.open.last().map(|open| open.span.clone());
                self.close(1);
                self.command = false;
                opens.into_iter().for_each(|opens| self.doubt(opens));
            }
            b'\'' => self.at += 1,
            b'$' if self.byte(1) == Some(b'\'') => self.at += 2,
            b'$' if self.byte(1) == Some(b'"') => self.at += 1,
            _ if self.piece()? => {}
            _ => self.at += 1,
        }
        Ok(())
    }

    pub(super) fn in_value(&mut self) -> Read {
        let is_quoted = self.open.iter().any(|open| open.kind == Kind::Quotes);
        let byte = self.bytes[self.at];
        match byte {
            b'}' => {
                self.close(1);
                self.command = false;
            }
            // Some take it for a quote here, some do not.
            b'\'' if is_quoted => {
                let rest = &self.bytes[self.at + 1..];
                let end =
                    memchr::memchr3(b'\'', b'}', b'"', rest).filter(|end| rest[*end] == b'\'');
                self.at += 2 + end.ok_or(Stop::Unclear)?;
            }
            _ if self.piece()? => {}
            _ => self.at += 1,
        }
        Ok(())
    }

    pub(super) fn in_sum(&mut self) -> Read {
        let byte = self.bytes[self.at];
        match byte {
            b'(' => self.open(Kind::Term, 1)?,
            b')' if self.top() == Some(Kind::Term) => self.close(1),
            b')' if self.byte(1) == Some(b')') => self.close_commands(2),
            // Two brackets of two commands.
            b')' => return Err(Stop::Unclear),
            _ if self.piece()? => {}
            _ => self.at += 1,
        }
        Ok(())
    }

    pub(super) fn in_words(&mut self) -> Read {
        let kind = self.top();
        let byte = self.bytes[self.at];
        let fresh = self.at.checked_sub(1).is_none_or(|at| b" \t\n;(".contains(&self.bytes[at]));
        match byte {
            b'#' if fresh && kind != Some(Kind::Test) => self.pass_line(),
            b'\n'
                if kind == Some(Kind::Words) && self.open.iter().any(|o| o.kind == Kind::Test) =>
            {
                return Err(Stop::Unclear);
            }
            b'\n' => self.newline()?,
            b'i' if kind == Some(Kind::Subject) && fresh && self.word() == "in" => {
                self.become_kind(Kind::Patterns);
                self.at += 2;
            }
            b')' if kind == Some(Kind::Words) => {
                self.close(1);
                self.command = false;
            }
            b')' if kind == Some(Kind::Patterns) => {
                self.become_kind(Kind::Branch);
                self.at += 1;
                self.command = true;
            }
            b'(' if kind == Some(Kind::Patterns) && fresh => self.at += 1,
            b'(' if kind == Some(Kind::Test) => self.open(Kind::Words, 1)?,
            b'(' => self.open(Kind::Words, 1)?,
            b']' if kind == Some(Kind::Test) && fresh && self.byte(1) == Some(b']') => {
                self.close(2);
                self.command = true;
            }
            b'e' if kind == Some(Kind::Patterns) && fresh && self.word() == "esac" => {
                self.close(4);
                self.command = true;
            }
            b'<' if kind != Some(Kind::Test) && self.starts_with("<(") => {
                self.open(Kind::Commands, 2)?
            }
            _ if self.piece()? => {}
            _ => self.at += 1,
        }
        Ok(())
    }
}
