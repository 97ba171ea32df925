//! The state of the parser, and what separates words: blanks, comments, ends of lines with the
//! here-documents that follow them.

use std::ops::Range;

use super::Dialect;
use crate::errors::SyntaxError;

/// Deepest nesting that is followed.
const DEEPEST: usize = 100;
/// Attempts at an arithmetic command that turn out to be another, at most.
const ATTEMPTS: usize = 20;

/// Why no more is read.
pub(super) enum Stop {
    /// It is not known what a place means.
    Unclear,
    Failed(Vec<SyntaxError>),
}

pub(super) type Read<T = ()> = Result<T, Stop>;

/// What is open, by the word or sign that closes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    /// The word or sign that opens it.
    pub(super) span: Range<usize>,
    /// What has to come next for it: `then` and later `fi`.
    pub(super) wants: &'static str,
    /// The word whose condition or list is being read: `if`, `elif`, `while`, `for`.
    pub(super) head: Option<Range<usize>>,
}

/// A text of the lines below, by the word that ends it.
struct Document {
    span: Range<usize>,
    end: String,
    tabs: bool,
}

/// A string or an expansion over lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Long {
    /// Its opening sign.
    pub(super) opens: Range<usize>,
    /// What closes it.
    pub(super) closes: &'static str,
    /// Whether a letter follows its end, which is rare behind one that is meant.
    pub(super) is_doubtful: bool,
}

pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) bytes: &'s [u8],
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) open: Vec<Open>,
    documents: Vec<Document>,
    /// Strings over lines so far.
    pub(super) long: Vec<Long>,
    /// What was closed by a line less deep, first: it may be that its own end is missing.
    pub(super) left_open: Option<Open>,
    /// A word like `then` that ends a simple command: how much was open, and where.
    pub(super) swallowed: Option<(usize, Range<usize>)>,
    /// A `{` that ends a simple command, the last one.
    pub(super) brace: Option<Range<usize>>,
    /// Nothing behind it is run.
    pub(super) exits_at: Option<usize>,
    attempts: usize,
}

impl<'s> Parser<'s> {
    pub(super) fn new(source: &'s str, dialect: Dialect) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            at: 0,
            dialect,
            open: Vec::new(),
            documents: Vec::new(),
            long: Vec::new(),
            left_open: None,
            swallowed: None,
            brace: None,
            exits_at: None,
            attempts: ATTEMPTS,
        }
    }

    /// Reads the whole text.
    pub(super) fn program(&mut self) -> Read {
        self.newlines()?;
        while self.at < self.bytes.len() {
            let start = self.at;
            self.and_or()?;
            let is_exit = matches!(self.plain_word_at(start), Some("exit" | "exec"));
            self.blanks();
            match self.byte(0) {
                Some(b'\n') | None => {}
                Some(b';') if !self.at_branch_end() => self.at += 1,
                Some(b'&') if self.byte(1) != Some(b'&') => self.at += 1,
                Some(_) => return Err(self.unexpected(None)),
            }
            let end = self.at;
            self.newlines()?;
            // One deeper in its line may have lost what it was in.
            let is_first = start == 0 || self.bytes[start - 1] == b'\n';
            if is_exit && is_first && self.ends_shell(start..end) {
                self.exits_at.get_or_insert(end);
            }
        }
        if let Some(document) = self.documents.first() {
            return Err(self.unclosed_document(document.span.clone()));
        }
        Ok(())
    }

    /// Whether a command that begins with `exit` or `exec` is the last one that is run: `exec` with
    /// nothing but redirections is not.
    fn ends_shell(&self, span: Range<usize>) -> bool {
        let text = self.source.get(span).unwrap_or_default();
        if text.contains(['&', '|']) {
            return false;
        }
        let mut words = text.trim_end_matches(';').split_whitespace();
        let is_exec = words.next() == Some("exec");
        let starts_program =
            |word: &str| word.starts_with(|c: char| c.is_alphabetic() || "\"$/".contains(c));
        !is_exec || words.next().is_some_and(starts_program)
    }

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at.min(self.bytes.len())..].starts_with(text.as_bytes())
    }

    /// Goes ahead, but not behind the end.
    pub(super) fn skip(&mut self, length: usize) {
        self.at = (self.at + length).min(self.bytes.len());
    }

    /// Whether `;;`, `;&` or `;;&` is next.
    pub(super) fn at_branch_end(&self) -> bool {
        self.byte(0) == Some(b';') && matches!(self.byte(1), Some(b';' | b'&'))
    }

    pub(super) fn push(&mut self, length: usize, wants: &'static str) -> Read {
        if self.open.len() >= DEEPEST {
            return Err(Stop::Unclear);
        }
        let span = self.at..(self.at + length).min(self.bytes.len());
        self.open.push(Open { span, wants, head: None });
        self.skip(length);
        Ok(())
    }

    /// What is open innermost is closed by what has just been read, which starts at `closer`.
    pub(super) fn pop(&mut self, closer: usize) {
        let Some(open) = self.open.pop() else { return };
        if let (Some((inner, _)), Some((outer, true))) =
            (self.depth(open.span.start), self.depth(closer))
            && outer < inner
        {
            self.left_open.get_or_insert(open);
        }
    }

    /// One try at reading what may be something else; `None` if too many were wrong.
    pub(super) fn attempt(&mut self) -> Read {
        self.attempts = self.attempts.checked_sub(1).ok_or(Stop::Unclear)?;
        Ok(())
    }

    pub(super) fn attempt_was_right(&mut self) {
        self.attempts += 1;
    }

    /// How deep the line of `at` stands, and whether that is the first on it.
    fn depth(&self, at: usize) -> Option<(usize, bool)> {
        /// How far the start of a line is looked for, in bytes.
        const FAR: usize = 4_000;
        let from = at.saturating_sub(FAR);
        let start = match memchr::memrchr(b'\n', &self.bytes[from..at]) {
            Some(newline) => from + newline + 1,
            None if from == 0 => 0,
            None => return None,
        };
        let blanks = self.bytes[start..at].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        Some((blanks, start + blanks == at))
    }

    /// Goes behind blanks, continued lines and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\r') if self.byte(1) == Some(b'\n') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                Some(b'\\') if self.starts_with("\\\r\n") => self.at += 3,
                Some(b'#') => {
                    let rest = &self.bytes[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Goes behind blanks and ends of lines.
    pub(super) fn newlines(&mut self) -> Read {
        loop {
            self.blanks();
            if self.byte(0) != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.pass_documents()?;
        }
    }

    /// Has the next lines read up to `end`.
    pub(super) fn announce(&mut self, span: Range<usize>, end: String, tabs: bool) {
        self.documents.push(Document { span, end, tabs });
    }

    /// Goes behind the here-documents that the line announced.
    fn pass_documents(&mut self) -> Read {
        for document in std::mem::take(&mut self.documents) {
            loop {
                if self.at >= self.bytes.len() {
                    return Err(self.unclosed_document(document.span));
                }
                let rest = &self.bytes[self.at..];
                let end = self.at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let line = self.source.get(self.at..end).unwrap_or_default();
                let line = line.trim_end_matches('\r');
                let line = if document.tabs { line.trim_start_matches('\t') } else { line };
                if line != document.end
                    && line
                        .strip_prefix(document.end.as_str())
                        .is_some_and(|rest| rest.starts_with([')', '`']))
                {
                    return Err(Stop::Unclear);
                }
                self.at = (end + 1).min(self.bytes.len());
                if line == document.end {
                    break;
                }
            }
        }
        Ok(())
    }
}
