//! `[[ … ]]`.

use super::parser::{ParseResult, Parser, Stop};
use super::words::{Position, ends_word};

/// Binary operators.
const BINARY_OPERATORS: &[&str] =
    &["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];

impl Parser<'_> {
    pub(super) fn double_bracket_test(&mut self) -> ParseResult {
        self.push(2, "]]")?;
        self.alternatives(0)?;
        if self.plain_word() != Some("]]") {
            return Err(self.unexpected(Some("`]]`")));
        }
        self.pop(self.at);
        self.at += 2;
        Ok(())
    }

    /// Terms joined by `&&` and `||`, inside `depth` parentheses.
    fn alternatives(&mut self, depth: usize) -> ParseResult {
        /// Deepest nesting of parentheses.
        const MAX_DEPTH: usize = 20;
        if depth > MAX_DEPTH {
            return Err(Stop::Unclear);
        }
        loop {
            self.skip_newlines()?;
            self.term(depth)?;
            self.skip_newlines()?;
            if !self.starts_with("&&") && !self.starts_with("||") {
                return Ok(());
            }
            self.at += 2;
        }
    }

    fn term(&mut self, depth: usize) -> ParseResult {
        while self.plain_word() == Some("!") {
            self.at += 1;
            self.skip_newlines()?;
        }
        match self.byte(0) {
            Some(b'(') => {
                self.push(1, ")")?;
                self.alternatives(depth + 1)?;
                return self.close(")", None);
            }
            None => return Err(self.unexpected(None)),
            _ if !self.at_word() || self.plain_word() == Some("]]") => {
                return Err(self.unexpected(Some("a condition")));
            }
            _ => {}
        }
        let first = self.plain_word();
        self.word(Position::Argument)?;
        self.skip_blanks();
        let operator = self.plain_word();
        let is_between = operator.is_some_and(|word| BINARY_OPERATORS.contains(&word));
        let takes_one = first.is_some_and(|word| word.len() == 2 && word.starts_with('-'));
        let sign = match operator {
            _ if takes_one && !is_between => {
                if self.at_word() && operator != Some("]]") {
                    self.word(Position::Argument)?;
                    self.skip_blanks();
                    return Ok(());
                }
                // A lone `-f` is a non-empty string, which some shells accept as a condition.
                return if operator == Some("]]") { Ok(()) } else { Err(self.unexpected(None)) };
            }
            Some(word) if is_between => {
                self.at += word.len();
                word
            }
            _ if matches!(self.byte(0), Some(b'<' | b'>')) && self.byte(1) != Some(b'(') => {
                self.at += 1;
                "<"
            }
            Some("]]") => return Ok(()),
            _ if self.at_word() => {
                return Err(self.unexpected(Some("an operator or `]]`")));
            }
            _ => return Ok(()),
        };
        self.skip_blanks();
        let is_missing = self.plain_word() == Some("]]");
        let is_pattern = matches!(sign, "=~" | "=" | "==" | "!=");
        let is_word = self.at_word() || is_pattern && self.byte(0) == Some(b'(');
        if is_missing || !is_word {
            return Err(self.unexpected(Some(&format!("a word after `{sign}`"))));
        }
        if is_pattern {
            self.pattern()?
        } else {
            let _ = self.word(Position::Argument)?;
        }
        self.skip_blanks();
        Ok(())
    }

    /// A pattern or regular expression, which may contain parentheses and `|`.
    fn pattern(&mut self) -> ParseResult {
        loop {
            match self.byte(0) {
                None => return Ok(()),
                Some(b'(') => self.bracketed(1, b'(', b')', ")", false)?,
                Some(b'|') if self.byte(1) != Some(b'|') => self.at += 1,
                Some(b'<' | b'>') if self.byte(1) == Some(b'(') => return Err(Stop::Unclear),
                Some(byte) if ends_word(byte) => return Ok(()),
                _ if self.quoted_or_expansion()? => {}
                _ => self.at += 1,
            }
        }
    }
}
