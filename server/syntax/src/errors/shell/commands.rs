//! Command lists, pipelines and simple commands with their redirections.

use super::Dialect;
use super::parser::{ParseResult, Parser, Stop};
use super::report::CLOSING_KEYWORDS;
use super::words::Position;

/// Commands whose arguments may be array assignments, and commands that run such a command.
const DECLARATION_COMMANDS: &[&str] = &[
    "alias", "builtin", "command", "declare", "eval", "export", "let", "local", "readonly",
    "typeset", "sudo", "env", "@test",
];

impl Parser<'_> {
    /// Whether the list ends here: at the end of the text, or at the keyword that ends the
    /// enclosing command.
    pub(super) fn at_list_end(&self) -> bool {
        match self.byte(0) {
            None | Some(b')') => true,
            Some(b';') => self.at_branch_end(),
            Some(_) => self.at_closer(),
        }
    }

    fn at_closer(&self) -> bool {
        self.plain_word().is_some_and(|word| CLOSING_KEYWORDS.contains(&word))
    }

    /// A command list, up to its terminator; at least one command.
    pub(super) fn commands(&mut self) -> ParseResult {
        self.skip_newlines()?;
        if self.at_list_end() {
            return Err(match self.open.last() {
                // More than a command is missing.
                Some(open) if open.header.is_some() && !self.starts_with(open.expected_closer) => {
                    self.unexpected(None)
                }
                _ => self.unexpected(Some("a command")),
            });
        }
        loop {
            self.and_or()?;
            self.skip_blanks();
            match self.byte(0) {
                Some(b'\n') => {}
                Some(b';') if !self.at_branch_end() => self.at += 1,
                Some(b'&') if self.byte(1) != Some(b'&') => self.at += 1,
                _ => return Ok(()),
            }
            self.skip_newlines()?;
            if self.at_list_end() {
                return Ok(());
            }
        }
    }

    /// `a && b || c`.
    pub(super) fn and_or(&mut self) -> ParseResult {
        self.pipeline()?;
        loop {
            self.skip_blanks();
            if !self.starts_with("&&") && !self.starts_with("||") {
                return Ok(());
            }
            let sign = self.at;
            self.at += 2;
            self.operand(sign)?;
            self.pipeline()?;
        }
    }

    /// Skips to the command after `&&`, `||` or `|`.
    fn operand(&mut self, sign: usize) -> ParseResult {
        let end = self.at;
        self.skip_newlines()?;
        if self.at_list_end() || matches!(self.byte(0), Some(b';' | b'&' | b'|')) {
            let sign = self.source.get(sign..end).unwrap_or_default();
            return Err(self.unexpected(Some(&format!("a command after `{sign}`"))));
        }
        Ok(())
    }

    fn pipeline(&mut self) -> ParseResult {
        loop {
            self.skip_blanks();
            match self.plain_word() {
                Some("!") => self.at += 1,
                Some("time") => {
                    self.at += 4;
                    self.skip_blanks();
                    if self.plain_word() == Some("-p") {
                        self.at += 2;
                    }
                }
                _ => {
                    self.command()?;
                    self.skip_blanks();
                    if self.byte(0) != Some(b'|') || self.byte(1) == Some(b'|') {
                        return Ok(());
                    }
                    let sign = self.at;
                    self.at += 1 + usize::from(self.byte(1) == Some(b'&'));
                    self.operand(sign)?;
                    continue;
                }
            }
            self.skip_blanks();
            // `!` and `time` may stand alone.
            if matches!(self.byte(0), None | Some(b'\n' | b';')) {
                return Ok(());
            }
        }
    }

    fn command(&mut self) -> ParseResult {
        if self.compound()? {
            return self.redirections();
        }
        if self.at_closer() {
            return Err(self.unexpected(None));
        }
        match self.byte(0) {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')') if !self.at_redirection() => {
                Err(self.unexpected(Some("a command")))
            }
            _ => self.simple_command(),
        }
    }

    /// Redirections after a compound command.
    pub(super) fn redirections(&mut self) -> ParseResult {
        loop {
            self.skip_blanks();
            if !self.at_redirection() {
                return Ok(());
            }
            self.redirection()?;
        }
    }

    /// Whether a redirection starts here, with its file descriptor: `2>`, `{a}>`, `&>`.
    fn at_redirection(&self) -> bool {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = match rest.first() {
            Some(b'{') => match rest.iter().position(|b| *b == b'}') {
                Some(end)
                    if rest[1..end].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') =>
                {
                    end + 1
                }
                _ => return false,
            },
            Some(b'&') => return rest.get(1) == Some(&b'>'),
            _ => rest.iter().take_while(|b| b.is_ascii_digit()).count(),
        };
        match rest.get(length) {
            Some(b'<' | b'>') => length > 0 || rest.get(1) != Some(&b'('),
            _ => false,
        }
    }

    fn redirection(&mut self) -> ParseResult {
        while self.byte(0).is_some_and(|byte| !b"<>&".contains(&byte)) {
            self.at += 1;
        }
        let signs = ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">"];
        let Some(sign) = signs.into_iter().find(|sign| self.starts_with(sign)) else {
            return Err(Stop::Unclear);
        };
        let start = self.at;
        self.at += sign.len();
        self.skip_blanks();
        if !self.at_word() {
            let expected = match sign {
                "<<" | "<<-" => "the word that ends the text",
                "<<<" => "a text",
                _ => "a file",
            };
            return Err(self.unexpected(Some(&format!("{expected} after `{sign}`"))));
        }
        let word = self.at;
        self.word(Position::Argument)?;
        if matches!(sign, "<<" | "<<-") {
            let word = self.source.get(word..self.at).unwrap_or_default();
            if word.contains(['$', '`', '\n']) {
                return Err(Stop::Unclear);
            }
            let end = word.chars().filter(|c| !"\"'\\".contains(*c)).collect();
            self.register_document(start..self.at, end, sign == "<<-");
        }
        Ok(())
    }

    fn simple_command(&mut self) -> ParseResult {
        let mut position = Position::Assignment;
        let mut count = 0usize;
        let mut last = self.at..self.at;
        let first = self.plain_word();
        loop {
            self.skip_blanks();
            if self.at_redirection() {
                self.redirection()?;
                last = self.at..self.at;
                continue;
            }
            if self.byte(0) == Some(b'(') {
                return match count {
                    1 if position != Position::Assignment => self.function_body_after_name(),
                    _ => Err(self.unexpected(None)),
                };
            }
            if !self.at_word() {
                break;
            }
            if first == Some("@test") && self.plain_word() == Some("{") {
                self.compound()?;
                return Ok(());
            }
            let start = self.at;
            let is_assignment = self.word(position)?;
            last = start..self.at;
            if position == Position::Assignment && !is_assignment {
                let declares = self
                    .plain_word_at(start)
                    .is_some_and(|word| DECLARATION_COMMANDS.contains(&word));
                position = if declares { Position::Declaration } else { Position::Argument };
            }
            count += 1;
        }
        let word = self.source.get(last.clone()).unwrap_or_default();
        if count > 1 && matches!(word, "then" | "do" | "}" | "fi" | "done" | "esac") {
            self.keyword_as_argument = Some((self.open.len(), last));
        } else if count > 1 && word == "{" {
            self.brace = Some(last);
        }
        Ok(())
    }

    /// `()` and the body, after the name of a function.
    fn function_body_after_name(&mut self) -> ParseResult {
        let bracket = self.at;
        self.at += 1;
        self.skip_blanks();
        if self.byte(0) != Some(b')') {
            let stop = self.unexpected(None);
            return match self.byte(0) {
                // The unexpected bracket is more informative than what follows it.
                Some(_) => {
                    self.at = bracket;
                    Err(self.unexpected(None))
                }
                None => Err(stop),
            };
        }
        self.at += 1;
        self.function_body()
    }

    pub(super) fn function_body(&mut self) -> ParseResult {
        self.skip_newlines()?;
        if self.compound()? {
            return self.redirections();
        }
        // Smaller shells accept any command as the body.
        match self.dialect {
            Dialect::Any if !self.at_list_end() && self.at_word() => self.simple_command(),
            _ => Err(self.unexpected(Some("a function body"))),
        }
    }
}
