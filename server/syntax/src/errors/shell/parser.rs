//! The parser state, and what separates words: blanks, comments and newlines, with the
//! here-documents after them.

use std::ops::Range;

use super::Dialect;
use crate::syntax_error::SyntaxError;

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 100;
/// Limit of failed attempts to parse an arithmetic command.
const MAX_ATTEMPTS: usize = 20;

/// Why parsing stops.
pub(super) enum Stop {
    /// The meaning of the code is unclear.
    Unclear,
    Failed(Vec<SyntaxError>),
}

pub(super) type ParseResult<T = ()> = Result<T, Stop>;

/// An open construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenConstruct {
    /// The keyword or bracket that opens it.
    pub(super) span: Range<usize>,
    /// What it needs next: `then`, and later `fi`.
    pub(super) expected_closer: &'static str,
    /// The keyword whose condition or list is being parsed: `if`, `elif`, `while`, `for`.
    pub(super) header: Option<Range<usize>>,
}

/// A here-document whose lines follow.
struct HereDocument {
    span: Range<usize>,
    end: String,
    tabs: bool,
}

/// A string or expansion that spans lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MultilineString {
    /// Its opening delimiter.
    pub(super) opens: Range<usize>,
    /// Its closing delimiter.
    pub(super) closes: &'static str,
    /// Whether a letter follows it, which is rare after an intended end.
    pub(super) is_suspicious: bool,
}

pub(super) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) bytes: &'s [u8],
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) open: Vec<OpenConstruct>,
    documents: Vec<HereDocument>,
    /// Multi-line strings so far.
    pub(super) multiline: Vec<MultilineString>,
    /// The first construct that was closed at a lower indentation: its own end may be missing.
    pub(super) maybe_unclosed: Option<OpenConstruct>,
    /// A keyword such as `then` that was parsed as an argument: the nesting depth, and its span.
    pub(super) keyword_as_argument: Option<(usize, Range<usize>)>,
    /// The last `{` that was parsed as an argument.
    pub(super) brace: Option<Range<usize>>,
    /// The end of an `exit`: nothing after it runs.
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
            multiline: Vec::new(),
            maybe_unclosed: None,
            keyword_as_argument: None,
            brace: None,
            exits_at: None,
            attempts: MAX_ATTEMPTS,
        }
    }

    /// Parses the whole text.
    pub(super) fn program(&mut self) -> ParseResult {
        self.skip_newlines()?;
        while self.at < self.bytes.len() {
            let start = self.at;
            self.and_or()?;
            let is_exit = matches!(self.plain_word_at(start), Some("exit" | "exec"));
            self.skip_blanks();
            match self.byte(0) {
                Some(b'\n') | None => {}
                Some(b';') if !self.at_branch_end() => self.at += 1,
                Some(b'&') if self.byte(1) != Some(b'&') => self.at += 1,
                Some(_) => return Err(self.unexpected(None)),
            }
            let end = self.at;
            self.skip_newlines()?;
            // An `exit` that is indented may belong to a lost construct.
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

    /// Whether a command starting with `exit` or `exec` ends the script: `exec` with only
    /// redirections does not.
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

    /// Advances, at most to the end.
    pub(super) fn skip(&mut self, length: usize) {
        self.at = (self.at + length).min(self.bytes.len());
    }

    /// Whether `;;`, `;&` or `;;&` is next.
    pub(super) fn at_branch_end(&self) -> bool {
        self.byte(0) == Some(b';') && matches!(self.byte(1), Some(b';' | b'&'))
    }

    pub(super) fn push(&mut self, length: usize, expected_closer: &'static str) -> ParseResult {
        if self.open.len() >= MAX_DEPTH {
            return Err(Stop::Unclear);
        }
        let span = self.at..(self.at + length).min(self.bytes.len());
        self.open.push(OpenConstruct { span, expected_closer, header: None });
        self.skip(length);
        Ok(())
    }

    /// Closes the innermost construct; its closing token starts at `closer`.
    pub(super) fn pop(&mut self, closer: usize) {
        let Some(open) = self.open.pop() else { return };
        if let (Some((inner, _)), Some((outer, true))) =
            (self.depth(open.span.start), self.depth(closer))
            && outer < inner
        {
            self.maybe_unclosed.get_or_insert(open);
        }
    }

    /// Counts an attempt to parse an ambiguous construct; fails if there were too many.
    pub(super) fn attempt(&mut self) -> ParseResult {
        self.attempts = self.attempts.checked_sub(1).ok_or(Stop::Unclear)?;
        Ok(())
    }

    pub(super) fn refund_attempt(&mut self) {
        self.attempts += 1;
    }

    /// The indentation of the line of `at`, and whether `at` is the first token on it.
    fn depth(&self, at: usize) -> Option<(usize, bool)> {
        /// How far to search for the start of the line, in bytes.
        const MAX_LINE_SEARCH: usize = 4_000;
        let from = at.saturating_sub(MAX_LINE_SEARCH);
        let start = match memchr::memrchr(b'\n', &self.bytes[from..at]) {
            Some(newline) => from + newline + 1,
            None if from == 0 => 0,
            None => return None,
        };
        let blanks = self.bytes[start..at].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        Some((blanks, start + blanks == at))
    }

    /// Skips blanks, line continuations and a comment.
    pub(super) fn skip_blanks(&mut self) {
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

    /// Skips blanks and newlines.
    pub(super) fn skip_newlines(&mut self) -> ParseResult {
        loop {
            self.skip_blanks();
            if self.byte(0) != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.skip_documents()?;
        }
    }

    /// Registers a here-document, which starts on the next line and ends at `end`.
    pub(super) fn register_document(&mut self, span: Range<usize>, end: String, tabs: bool) {
        self.documents.push(HereDocument { span, end, tabs });
    }

    /// Skips the here-documents of the line.
    fn skip_documents(&mut self) -> ParseResult {
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
