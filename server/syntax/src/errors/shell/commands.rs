//! Where commands stand: the words that open and close them, and texts that lines hold.

use super::{Kind, Read, Reader, Stop, Text, told};

impl Reader<'_> {
    /// The plain word that begins here.
    pub(super) fn word(&self) -> &str {
        let rest = self.source.get(self.at..).unwrap_or_default();
        &rest[..rest
            .find(|c: char| c.is_whitespace() || ";&|()<>\"'`$\\#".contains(c))
            .unwrap_or(rest.len())]
    }

    pub(super) fn pass_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    pub(super) fn in_commands(&mut self) -> Read {
        let before = self.at.checked_sub(1).map_or(b'\n', |at| self.bytes[at]);
        let fresh = b" \t\n;&|()`".contains(&before);
        match self.bytes[self.at] {
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'\\' if matches!(self.byte(1), Some(b'\n' | b'\r')) => self.at += 2,
            b'\n' => {
                self.newline()?;
                self.command = true;
            }
            b'#' if fresh => self.pass_line(),
            b';' if matches!(self.byte(1), Some(b';' | b'&')) => {
                self.expect(Kind::Branch, 2)?;
                self.become_kind(Kind::Patterns);
                self.at += if self.starts_with(";;&") { 3 } else { 2 };
            }
            b';' | b'&' | b'|' => {
                self.at += 1;
                self.command = true;
            }
            b'<' | b'>' => self.redirection()?,
            b'(' => self.bracket(before)?,
            b')' => {
                self.expect(Kind::Commands, 1)?;
                self.close_commands(1);
            }
            b'`' => self.backquote()?,
            _ => {
                let depth = self.open.len();
                if self.piece()? {
                    self.command &= self.open.len() > depth;
                } else {
                    self.command_word(fresh)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn redirection(&mut self) -> Read {
        if self.starts_with("<<<") {
            self.at += 3;
        } else if self.starts_with("<<") {
            self.text()?;
        } else if self.byte(1) == Some(b'(') {
            return self.open(Kind::Commands, 2);
        } else {
            self.at += 1;
            while self.byte(0).is_some_and(|b| b">&|".contains(&b)) {
                self.at += 1;
            }
        }
        self.command = false;
        Ok(())
    }

    /// `<<END`
    pub(super) fn text(&mut self) -> Read {
        let opens = self.at;
        self.at += 2;
        let tabs = self.byte(0) == Some(b'-');
        self.at += usize::from(tabs);
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let rest = self.source.get(self.at..).unwrap_or_default();
        let length = rest.find(|c: char| c.is_whitespace() || ";&|<>()`$".contains(c));
        let word = &rest[..length.unwrap_or(rest.len())];
        let end: String = word.chars().filter(|c| !"\"'\\".contains(*c)).collect();
        if end.is_empty() || word.matches(['"', '\'']).count() % 2 == 1 {
            return Err(Stop::Unclear);
        }
        self.at += word.len();
        self.texts.push(Text { span: opens..self.at, end, tabs });
        Ok(())
    }

    pub(super) fn bracket(&mut self, before: u8) -> Read {
        let is_name = std::mem::take(&mut self.names) > 0;
        if self.byte(1) == Some(b'(') && (self.command || is_name) {
            return self.open(Kind::Sum, 2);
        }
        if b"?*+@!=".contains(&before) {
            return self.open(Kind::Words, 1);
        }
        let rest = self.source.get(self.at + 1..).unwrap_or_default();
        let inside = rest.trim_start_matches([' ', '\t']);
        if inside.starts_with(')') && (is_name || !self.command) {
            // A function's name stands before it.
            self.at += 2 + rest.len() - inside.len();
            self.command = true;
            return Ok(());
        }
        match self.command {
            true => self.open(Kind::Commands, 1),
            false => Err(Stop::Unclear),
        }
    }

    pub(super) fn command_word(&mut self, fresh: bool) -> Read {
        let length = self.word().len();
        if length == 0 {
            self.at += 1;
            self.command = false;
            return Ok(());
        }
        let in_backquotes = self.open.iter().any(|open| open.kind == Kind::Backquotes);
        let ends = match self.byte(length) {
            Some(b'`') => in_backquotes,
            Some(byte) => !b"\"'$\\#(".contains(&byte),
            None => true,
        };
        let is_name = self.names > 0;
        self.names = self.names.saturating_sub(1);
        let is_test_of_bats = || {
            self.line_start(self.at).is_some_and(|start| self.bytes[start..].starts_with(b"@test "))
        };
        let word = match self.word() {
            "for" => "for",
            word if fresh && (ends || ["for", "while", "if"].contains(&word)) && self.command => {
                word
            }
            "{" if is_test_of_bats() => "{",
            _ => "",
        };
        match word {
            _ if is_name || !fresh => {
                self.at += length;
                self.command = is_name;
            }
            "if" => self.open(Kind::If, length)?,
            "while" | "until" => self.open(Kind::Loop, length)?,
            "for" | "select" if self.command => {
                self.open(Kind::Head, length)?;
                self.names = 1;
            }
            "case" => self.open(Kind::Subject, length)?,
            "{" if self.top() == Some(Kind::Head) => return Err(Stop::Unclear),
            "{" => self.open(Kind::Group, length)?,
            "[[" => self.open(Kind::Test, length)?,
            "then" => {
                self.expect(Kind::If, length)?;
                self.head_ends();
                self.at += length;
            }
            "elif" | "else" => {
                let is_elif = word == "elif";
                self.expect(Kind::If, length)?;
                self.lacks_head_end("then")?;
                if is_elif && let Some(open) = self.open.last_mut() {
                    open.head = Some(self.at..self.at + length);
                }
                self.at += length;
            }
            "do" => {
                if self.top() == Some(Kind::Head) {
                    self.become_kind(Kind::Loop);
                }
                self.expect(Kind::Loop, length)?;
                self.head_ends();
                self.at += length;
            }
            "fi" => self.closes(Kind::If, length)?,
            "done" => self.closes(Kind::Loop, length)?,
            "esac" => self.closes(Kind::Branch, length)?,
            "}" => self.closes(Kind::Group, length)?,
            "!" | "time" | "coproc" => self.at += length,
            "function" => {
                self.at += length;
                self.names = 1;
            }
            _ => {
                self.at += length;
                self.command = false;
            }
        }
        Ok(())
    }

    /// Goes into the body of what is open.
    fn head_ends(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.head = None;
        }
    }

    /// Ends a body that has not begun.
    fn lacks_head_end(&self, word: &str) -> Read {
        let Some(head) = self.open.last().and_then(|open| open.head.clone()) else { return Ok(()) };
        if self.doubtful.is_some() {
            return Ok(());
        }
        let opens = self.source.get(head.clone()).unwrap_or_default();
        let line = self.line(head.start);
        Err(told(head, format!("expected `{word}` after `{opens}` on line {line}")))
    }

    pub(super) fn closes(&mut self, kind: Kind, length: usize) -> Read {
        match kind {
            Kind::Loop if self.top() == Some(Kind::Head) => self.lacks_head_end("do")?,
            Kind::Loop if self.top() == Some(kind) => self.lacks_head_end("do")?,
            Kind::If if self.top() == Some(kind) => self.lacks_head_end("then")?,
            _ => {}
        }
        self.expect(kind, length)?;
        self.close(length);
        self.command = kind != Kind::Backquotes;
        Ok(())
    }

    /// Goes behind a line's end, and the texts that the line announced.
    pub(super) fn newline(&mut self) -> Read {
        self.at += 1;
        for text in std::mem::take(&mut self.texts) {
            loop {
                if self.at >= self.bytes.len() {
                    let line = self.line(text.span.start);
                    let word = &self.source[text.span.clone()];
                    let message = format!("unclosed `{word}` that opens on line {line}");
                    return Err(told(text.span.clone(), message));
                }
                let start = self.at;
                self.pass_line();
                let line = self.source[start..self.at].trim_end_matches('\r');
                self.at += 1;
                let line = if text.tabs { line.trim_start_matches('\t') } else { line };
                // A command may end behind it.
                if line == text.end
                    || line
                        .strip_prefix(text.end.as_str())
                        .is_some_and(|l| l.starts_with([')', '`']))
                {
                    if line != text.end {
                        return Err(Stop::Unclear);
                    }
                    break;
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        Ok(())
    }
}
