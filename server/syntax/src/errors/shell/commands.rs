//! Lists, pipelines and simple commands with their redirections.

use super::Dialect;
use super::parser::{Parser, Read, Stop};
use super::report::CLOSERS;
use super::words::Position;

/// Commands whose arguments may be assignments of lists, and those that run one of them.
const DECLARES: &[&str] = &[
    "alias", "builtin", "command", "declare", "eval", "export", "let", "local", "readonly",
    "typeset", "sudo", "env", "@test",
];

impl Parser<'_> {
    /// Whether nothing more of a list can stand here: its end, or the word that ends what it is in.
    pub(super) fn at_list_end(&self) -> bool {
        match self.byte(0) {
            None | Some(b')') => true,
            Some(b';') => self.at_branch_end(),
            Some(_) => self.at_closer(),
        }
    }

    fn at_closer(&self) -> bool {
        self.plain_word().is_some_and(|word| CLOSERS.contains(&word))
    }

    /// Commands up to what ends them; at least one.
    pub(super) fn commands(&mut self) -> Read {
        self.newlines()?;
        if self.at_list_end() {
            return Err(match self.open.last() {
                // What is missing here is more than a command.
                Some(open) if open.head.is_some() && !self.starts_with(open.wants) => {
                    self.unexpected(None)
                }
                _ => self.unexpected(Some("a command")),
            });
        }
        loop {
            self.and_or()?;
            self.blanks();
            match self.byte(0) {
                Some(b'\n') => {}
                Some(b';') if !self.at_branch_end() => self.at += 1,
                Some(b'&') if self.byte(1) != Some(b'&') => self.at += 1,
                _ => return Ok(()),
            }
            self.newlines()?;
            if self.at_list_end() {
                return Ok(());
            }
        }
    }

    /// `a && b || c`
    pub(super) fn and_or(&mut self) -> Read {
        self.pipeline()?;
        loop {
            self.blanks();
            if !self.starts_with("&&") && !self.starts_with("||") {
                return Ok(());
            }
            let sign = self.at;
            self.at += 2;
            self.operand(sign)?;
            self.pipeline()?;
        }
    }

    /// Goes to what stands behind `&&`, `||` or `|`, which is a command.
    fn operand(&mut self, sign: usize) -> Read {
        let end = self.at;
        self.newlines()?;
        if self.at_list_end() || matches!(self.byte(0), Some(b';' | b'&' | b'|')) {
            let sign = self.source.get(sign..end).unwrap_or_default();
            return Err(self.unexpected(Some(&format!("a command after `{sign}`"))));
        }
        Ok(())
    }

    fn pipeline(&mut self) -> Read {
        loop {
            self.blanks();
            match self.plain_word() {
                Some("!") => self.at += 1,
                Some("time") => {
                    self.at += 4;
                    self.blanks();
                    if self.plain_word() == Some("-p") {
                        self.at += 2;
                    }
                }
                _ => {
                    self.command()?;
                    self.blanks();
                    if self.byte(0) != Some(b'|') || self.byte(1) == Some(b'|') {
                        return Ok(());
                    }
                    let sign = self.at;
                    self.at += 1 + usize::from(self.byte(1) == Some(b'&'));
                    self.operand(sign)?;
                    continue;
                }
            }
            self.blanks();
            // They may stand alone.
            if matches!(self.byte(0), None | Some(b'\n' | b';')) {
                return Ok(());
            }
        }
    }

    fn command(&mut self) -> Read {
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
            _ => self.simple(),
        }
    }

    /// Redirections behind a compound command.
    pub(super) fn redirections(&mut self) -> Read {
        loop {
            self.blanks();
            if !self.at_redirection() {
                return Ok(());
            }
            self.redirection()?;
        }
    }

    /// Whether a redirection begins here, with what it is of: `2>`, `{a}>`, `&>`.
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

    fn redirection(&mut self) -> Read {
        while self.byte(0).is_some_and(|byte| !b"<>&".contains(&byte)) {
            self.at += 1;
        }
        let signs = ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">"];
        let Some(sign) = signs.into_iter().find(|sign| self.starts_with(sign)) else {
            return Err(Stop::Unclear);
        };
        let start = self.at;
        self.at += sign.len();
        self.blanks();
        if !self.at_word() {
            let wanted = match sign {
                "<<" | "<<-" => "the word that ends the text",
                "<<<" => "a text",
                _ => "a file",
            };
            return Err(self.unexpected(Some(&format!("{wanted} after `{sign}`"))));
        }
        let word = self.at;
        self.word(Position::Argument)?;
        if matches!(sign, "<<" | "<<-") {
            let word = self.source.get(word..self.at).unwrap_or_default();
            if word.contains(['$', '`', '\n']) {
                return Err(Stop::Unclear);
            }
            let end = word.chars().filter(|c| !"\"'\\".contains(*c)).collect();
            self.announce(start..self.at, end, sign == "<<-");
        }
        Ok(())
    }

    fn simple(&mut self) -> Read {
        let mut position = Position::Assignment;
        let mut count = 0usize;
        let mut last = self.at..self.at;
        let first = self.plain_word();
        loop {
            self.blanks();
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
                let declares =
                    self.plain_word_at(start).is_some_and(|word| DECLARES.contains(&word));
                position = if declares { Position::Declaration } else { Position::Argument };
            }
            count += 1;
        }
        let word = self.source.get(last.clone()).unwrap_or_default();
        if count > 1 && matches!(word, "then" | "do" | "}" | "fi" | "done" | "esac") {
            self.swallowed = Some((self.open.len(), last));
        } else if count > 1 && word == "{" {
            self.brace = Some(last);
        }
        Ok(())
    }

    /// `()` and what follows it, behind a function's name.
    fn function_body_after_name(&mut self) -> Read {
        let bracket = self.at;
        self.at += 1;
        self.blanks();
        if self.byte(0) != Some(b')') {
            let stop = self.unexpected(None);
            return match self.byte(0) {
                // What stands behind a bracket that is not expected says less than the bracket.
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

    pub(super) fn function_body(&mut self) -> Read {
        self.newlines()?;
        if self.compound()? {
            return self.redirections();
        }
        // Smaller shells take any command.
        match self.dialect {
            Dialect::Any if !self.at_list_end() && self.at_word() => self.simple(),
            _ => Err(self.unexpected(Some("a body of the function"))),
        }
    }
}
