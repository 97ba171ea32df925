//! Compound commands.

use super::parser::{ParseResult, Parser, Stop};
use super::words::Position;

impl Parser<'_> {
    /// Parses a compound command if one starts here. Whether one does.
    pub(super) fn compound(&mut self) -> ParseResult<bool> {
        if self.byte(0) == Some(b'(') {
            self.bracket()?;
            return Ok(true);
        }
        match self.plain_word() {
            Some("if") => self.conditional()?,
            Some(word @ ("while" | "until")) => {
                self.push(word.len(), "do")?;
                self.start_header();
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
            Some("[[") => self.double_bracket_test()?,
            Some("function") => {
                self.at += 8;
                self.skip_blanks();
                if !self.at_word() {
                    return Err(self.unexpected(Some("a name after `function`")));
                }
                self.word(Position::Argument)?;
                self.skip_blanks();
                if self.byte(0) == Some(b'(') {
                    self.at += 1;
                    self.skip_blanks();
                    self.expect_sign(b')')?;
                }
                self.function_body()?;
            }
            Some("coproc") => {
                self.at += 6;
                self.skip_blanks();
                if !self.compound()? {
                    // A name before a compound command looks like a command.
                    return Err(Stop::Unclear);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `( … )` or `(( … ))`.
    fn bracket(&mut self) -> ParseResult {
        if self.byte(1) == Some(b'(') {
            self.attempt()?;
            let (start, depth, multiline) = (self.at, self.open.len(), self.multiline.len());
            match self.arithmetic(2) {
                Ok(true) => {
                    self.refund_attempt();
                    return Ok(());
                }
                Err(Stop::Unclear) => return Err(Stop::Unclear),
                _ => {}
            }
            self.at = start;
            self.open.truncate(depth);
            self.multiline.truncate(multiline);
        }
        self.push(1, ")")?;
        self.commands()?;
        self.close(")", None)
    }

    /// Parses what closes the innermost open construct.
    pub(super) fn close(&mut self, word: &'static str, expected: Option<&str>) -> ParseResult {
        self.skip_blanks();
        let is_there = match word {
            ")" => self.byte(0) == Some(b')'),
            word => self.plain_word() == Some(word),
        };
        if !is_there {
            return Err(self.unexpected(expected));
        }
        self.pop(self.at);
        self.at += word.len();
        Ok(())
    }

    fn expect_sign(&mut self, sign: u8) -> ParseResult {
        if self.byte(0) != Some(sign) {
            let expected = format!("`{}`", char::from(sign));
            return Err(self.unexpected(Some(&expected)));
        }
        self.at += 1;
        Ok(())
    }

    /// Marks that the header (condition or list) of the innermost construct is being parsed.
    fn start_header(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.header = Some(open.span.clone());
        }
    }

    /// Parses the keyword that ends a header; the construct then ends with `expected_closer`.
    fn end_header(&mut self, word: &'static str, expected_closer: &'static str) -> ParseResult {
        self.skip_blanks();
        if self.plain_word() != Some(word) {
            return Err(self.unexpected(None));
        }
        self.at += word.len();
        if let Some(open) = self.open.last_mut() {
            (open.header, open.expected_closer) = (None, expected_closer);
        }
        Ok(())
    }

    fn conditional(&mut self) -> ParseResult {
        self.push(2, "then")?;
        self.start_header();
        loop {
            self.commands()?;
            self.end_header("then", "fi")?;
            self.commands()?;
            self.skip_blanks();
            match self.plain_word() {
                Some("elif") => {
                    if let Some(open) = self.open.last_mut() {
                        (open.header, open.expected_closer) = (Some(self.at..self.at + 4), "then");
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

    /// `do … done`, or `{ … }` after some headers.
    fn body_of_loop(&mut self, may_be_group: bool) -> ParseResult {
        self.skip_blanks();
        if may_be_group && self.plain_word() == Some("{") {
            self.at += 1;
            if let Some(open) = self.open.last_mut() {
                (open.header, open.expected_closer) = (None, "}");
            }
            self.commands()?;
            return self.close("}", None);
        }
        self.end_header("do", "done")?;
        self.commands()?;
        self.close("done", None)
    }

    /// `for` or `select`, whose keyword has `length` bytes.
    fn for_loop(&mut self, length: usize) -> ParseResult {
        self.push(length, "do")?;
        self.start_header();
        self.skip_blanks();
        if self.starts_with("((") {
            let start = self.at;
            if !self.arithmetic(2)? {
                self.at = start;
                return Err(self.unexpected(Some("`))` that closes it")));
            }
            self.skip_blanks();
            if self.byte(0) == Some(b';') && !self.at_branch_end() {
                self.at += 1;
            }
            self.skip_newlines()?;
            return self.body_of_loop(true);
        }
        if !self.at_word() {
            let expected = if length == 3 { "a name after `for`" } else { "a name after `select`" };
            return Err(self.unexpected(Some(expected)));
        }
        self.word(Position::Argument)?;
        self.skip_blanks();
        if self.byte(0) == Some(b';') && !self.at_branch_end() {
            self.at += 1;
            self.skip_newlines()?;
            return self.body_of_loop(true);
        }
        self.skip_newlines()?;
        match self.plain_word() {
            Some("do" | "{") => return self.body_of_loop(true),
            Some("in") => self.at += 2,
            // A loop of another shell: `for a (b c)`.
            _ if self.byte(0) == Some(b'(') => return Err(Stop::Unclear),
            _ => return Err(self.unexpected(Some("`in` or `do`"))),
        }
        let mut last = self.at..self.at;
        loop {
            self.skip_blanks();
            if !self.at_word() {
                break;
            }
            let start = self.at;
            self.word(Position::Argument)?;
            last = start..self.at;
        }
        if self.source.get(last.clone()) == Some("do") {
            self.keyword_as_argument = Some((self.open.len(), last));
        }
        match self.byte(0) {
            Some(b';') if !self.at_branch_end() => self.at += 1,
            Some(b'\n') => {}
            _ => return Err(self.unexpected(None)),
        }
        self.skip_newlines()?;
        self.body_of_loop(true)
    }

    fn case(&mut self) -> ParseResult {
        self.push(4, "in")?;
        self.start_header();
        self.skip_blanks();
        if !self.at_word() {
            return Err(self.unexpected(Some("a word after `case`")));
        }
        self.word(Position::Argument)?;
        self.skip_newlines()?;
        if self.plain_word() != Some("in") {
            return Err(self.unexpected(Some("`in`")));
        }
        self.at += 2;
        if let Some(open) = self.open.last_mut() {
            (open.header, open.expected_closer) = (None, "esac");
        }
        loop {
            self.skip_newlines()?;
            if self.plain_word() == Some("esac") {
                break;
            }
            self.pattern_list()?;
            self.skip_newlines()?;
            if !self.at_branch_end() && self.plain_word() != Some("esac") {
                self.commands()?;
                self.skip_blanks();
            }
            if !self.at_branch_end() {
                break;
            }
            self.at += if self.starts_with(";;&") { 3 } else { 2 };
        }
        self.close("esac", None)
    }

    /// `(a|b)`, with or without the opening parenthesis.
    fn pattern_list(&mut self) -> ParseResult {
        if self.byte(0) == Some(b'(') {
            self.at += 1;
            self.skip_blanks();
        }
        loop {
            if self.byte(0).is_none() {
                return Err(self.unexpected(None));
            }
            if !self.at_word() {
                return Err(self.unexpected(Some("a pattern")));
            }
            self.word(Position::Argument)?;
            self.skip_blanks();
            match self.byte(0) {
                Some(b'|') => {
                    self.at += 1;
                    self.skip_blanks();
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
