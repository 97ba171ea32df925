//! Commands that hold others.

use super::parser::{Parser, Read, Stop};
use super::words::Position;

impl Parser<'_> {
    /// Reads the compound command that begins here. Whether one does.
    pub(super) fn compound(&mut self) -> Read<bool> {
        if self.byte(0) == Some(b'(') {
            self.bracket()?;
            return Ok(true);
        }
        match self.plain_word() {
            Some("if") => self.conditional()?,
            Some(word @ ("while" | "until")) => {
                self.push(word.len(), "do")?;
                self.enter_head();
                self.commands()?;
                self.body_of_loop(false)?;
            }
            Some("for") => self.for_loop(3)?,
            Some("select") => self.for_loop(6)?,
            Some("case") => self.case()?,
            Some("{") => {
                self.push(1, "}")?;
                self.commands()?;
                self.close("}", None)?;
            }
            Some("[[") => self.test()?,
            Some("function") => {
                self.at += 8;
                self.blanks();
                if !self.at_word() {
                    return Err(self.unexpected(Some("a name after `function`")));
                }
                self.word(Position::Argument)?;
                self.blanks();
                if self.byte(0) == Some(b'(') {
                    self.at += 1;
                    self.blanks();
                    self.expect_sign(b')')?;
                }
                self.function_body()?;
            }
            Some("coproc") => {
                self.at += 6;
                self.blanks();
                if !self.compound()? {
                    // A name before a compound command looks like the command's.
                    return Err(Stop::Unclear);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `( … )` or `(( … ))`
    fn bracket(&mut self) -> Read {
        if self.byte(1) == Some(b'(') {
            self.attempt()?;
            let (start, depth, long) = (self.at, self.open.len(), self.long.len());
            match self.sum(2) {
                Ok(true) => {
                    self.attempt_was_right();
                    return Ok(());
                }
                Err(Stop::Unclear) => return Err(Stop::Unclear),
                _ => {}
            }
            self.at = start;
            self.open.truncate(depth);
            self.long.truncate(long);
        }
        self.push(1, ")")?;
        self.commands()?;
        self.close(")", None)
    }

    /// Reads what closes what is open innermost.
    pub(super) fn close(&mut self, word: &'static str, wanted: Option<&str>) -> Read {
        self.blanks();
        let is_there = match word {
            ")" => self.byte(0) == Some(b')'),
            word => self.plain_word() == Some(word),
        };
        if !is_there {
            return Err(self.unexpected(wanted));
        }
        self.pop(self.at);
        self.at += word.len();
        Ok(())
    }

    fn expect_sign(&mut self, sign: u8) -> Read {
        if self.byte(0) != Some(sign) {
            let wanted = format!("`{}`", char::from(sign));
            return Err(self.unexpected(Some(&wanted)));
        }
        self.at += 1;
        Ok(())
    }

    /// The condition or the list of what has just been opened is read.
    fn enter_head(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.head = Some(open.span.clone());
        }
    }

    /// Reads the word that ends a condition or a list; then `wants` closes what is open.
    fn end_head(&mut self, word: &'static str, wants: &'static str) -> Read {
        self.blanks();
        if self.plain_word() != Some(word) {
            return Err(self.unexpected(None));
        }
        self.at += word.len();
        if let Some(open) = self.open.last_mut() {
            (open.head, open.wants) = (None, wants);
        }
        Ok(())
    }

    fn conditional(&mut self) -> Read {
        self.push(2, "then")?;
        self.enter_head();
        loop {
            self.commands()?;
            self.end_head("then", "fi")?;
            self.commands()?;
            self.blanks();
            match self.plain_word() {
                Some("elif") => {
                    if let Some(open) = self.open.last_mut() {
                        (open.head, open.wants) = (Some(self.at..self.at + 4), "then");
                    }
                    self.at += 4;
                }
                Some("else") => {
                    self.at += 4;
                    self.commands()?;
                    return self.close("fi", None);
                }
                _ => return self.close("fi", None),
            }
        }
    }

    /// `do … done`, or `{ … }` behind some heads.
    fn body_of_loop(&mut self, may_be_group: bool) -> Read {
        self.blanks();
        if may_be_group && self.plain_word() == Some("{") {
            self.at += 1;
            if let Some(open) = self.open.last_mut() {
                (open.head, open.wants) = (None, "}");
            }
            self.commands()?;
            return self.close("}", None);
        }
        self.end_head("do", "done")?;
        self.commands()?;
        self.close("done", None)
    }

    /// `for`, which is `length` long, or `select`
    fn for_loop(&mut self, length: usize) -> Read {
        self.push(length, "do")?;
        self.enter_head();
        self.blanks();
        if self.starts_with("((") {
            let start = self.at;
            if !self.sum(2)? {
                self.at = start;
                return Err(self.unexpected(Some("`))` that closes it")));
            }
            self.blanks();
            if self.byte(0) == Some(b';') && !self.at_branch_end() {
                self.at += 1;
            }
            self.newlines()?;
            return self.body_of_loop(true);
        }
        if !self.at_word() {
            let wanted = if length == 3 { "a name after `for`" } else { "a name after `select`" };
            return Err(self.unexpected(Some(wanted)));
        }
        self.word(Position::Argument)?;
        self.blanks();
        if self.byte(0) == Some(b';') && !self.at_branch_end() {
            self.at += 1;
            self.newlines()?;
            return self.body_of_loop(true);
        }
        self.newlines()?;
        match self.plain_word() {
            Some("do" | "{") => return self.body_of_loop(true),
            Some("in") => self.at += 2,
            // A loop of another shell: `for a (b c)`.
            _ if self.byte(0) == Some(b'(') => return Err(Stop::Unclear),
            _ => return Err(self.unexpected(Some("`in` or `do`"))),
        }
        let mut last = self.at..self.at;
        loop {
            self.blanks();
            if !self.at_word() {
                break;
            }
            let start = self.at;
            self.word(Position::Argument)?;
            last = start..self.at;
        }
        if self.source.get(last.clone()) == Some("do") {
            self.swallowed = Some((self.open.len(), last));
        }
        match self.byte(0) {
            Some(b';') if !self.at_branch_end() => self.at += 1,
            Some(b'\n') => {}
            _ => return Err(self.unexpected(None)),
        }
        self.newlines()?;
        self.body_of_loop(true)
    }

    fn case(&mut self) -> Read {
        self.push(4, "in")?;
        self.enter_head();
        self.blanks();
        if !self.at_word() {
            return Err(self.unexpected(Some("a word after `case`")));
        }
        self.word(Position::Argument)?;
        self.newlines()?;
        if self.plain_word() != Some("in") {
            return Err(self.unexpected(Some("`in`")));
        }
        self.at += 2;
        if let Some(open) = self.open.last_mut() {
            (open.head, open.wants) = (None, "esac");
        }
        loop {
            self.newlines()?;
            if self.plain_word() == Some("esac") {
                break;
            }
            self.pattern_list()?;
            self.newlines()?;
            if !self.at_branch_end() && self.plain_word() != Some("esac") {
                self.commands()?;
                self.blanks();
            }
            if !self.at_branch_end() {
                break;
            }
            self.at += if self.starts_with(";;&") { 3 } else { 2 };
        }
        self.close("esac", None)
    }

    /// `(a|b)`, with or without the first bracket.
    fn pattern_list(&mut self) -> Read {
        if self.byte(0) == Some(b'(') {
            self.at += 1;
            self.blanks();
        }
        loop {
            if self.byte(0).is_none() {
                return Err(self.unexpected(None));
            }
            if !self.at_word() {
                return Err(self.unexpected(Some("a pattern")));
            }
            self.word(Position::Argument)?;
            self.blanks();
            match self.byte(0) {
                Some(b'|') => {
                    self.at += 1;
                    self.blanks();
                }
                Some(b')') => {
                    self.at += 1;
                    return Ok(());
                }
                None => return Err(self.unexpected(None)),
                _ => return Err(self.unexpected(Some("`)` after the pattern"))),
            }
        }
    }
}
