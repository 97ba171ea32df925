//! What is open and closed in a shell's text, read without its tree: the parser takes most of the
//! language, but not all of it, and brackets alone mean little to a shell.
//!
//! Read is what a shell reads before it runs anything: quotes, expansions, texts that lines hold, and
//! the words that open and close commands. Where one is closed by what closes another, the rest is
//! not looked at; where it is not clear what a bracket is, nothing is said.

mod commands;
mod words;

use std::ops::Range;

use super::SyntaxError;

/// Deepest nesting that is followed.
const DEEPEST: usize = 200;
/// How far the start of a line is looked for, in bytes.
const FAR: usize = 4_000;

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `( … )`, `$( … )`, `<( … )`
    Commands,
    /// `{ … }`
    Group,
    /// `if … fi`
    If,
    /// `for …` and the like, up to `do`
    Head,
    /// `while … done`
    Loop,
    /// `case …`, up to `in`
    Subject,
    /// `case … in … esac`, where a pattern stands
    Patterns,
    /// The same, where a command stands.
    Branch,
    /// `( … )` of words: the values of an array, alternatives of a pattern
    Words,
    /// `(( … ))`
    Sum,
    /// `( … )` in such a one
    Term,
    /// `[[ … ]]`
    Test,
    /// `${ … }`
    Value,
    /// `" … "`
    Quotes,
    /// `` ` … ` ``
    Backquotes,
}

#[derive(Debug, Clone)]
struct Open {
    kind: Kind,
    span: Range<usize>,
    /// The word whose condition or list it is in: what begins its body is still to come.
    head: Option<Range<usize>>,
}

/// A text of the lines below, by the word that ends it.
struct Text {
    span: Range<usize>,
    end: String,
    tabs: bool,
}

/// Why no more is read.
enum Stop {
    /// It is not known what a place means.
    Unclear,
    Told(SyntaxError),
}

struct Reader<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    open: Vec<Open>,
    texts: Vec<Text>,
    /// Whether a word here would be a command's.
    command: bool,
    /// Words to come that are no commands: a loop's name, a case's subject.
    names: usize,
    /// What was closed by a line less deep.
    left_open: Option<Open>,
    /// The first string over lines that is followed by what no string is followed by.
    doubtful: Option<Range<usize>>,
}

/// The error that the text shows, if any.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let first = source.lines().next().unwrap_or_default();
    let is_other =
        first.starts_with('#') && ["zsh", "compdef", "autoload"].iter().any(|w| first.contains(w));
    if is_other || source.contains("{%") || source.contains("<%") {
        return Vec::new();
    }
    let mut reader = Reader {
        source,
        bytes: source.as_bytes(),
        at: 0,
        open: Vec::new(),
        texts: Vec::new(),
        command: true,
        names: 0,
        left_open: None,
        doubtful: None,
    };
    match reader.read() {
        Err(Stop::Told(error)) => vec![error],
        Err(Stop::Unclear) => Vec::new(),
        Ok(()) => reader.left().into_iter().collect(),
    }
}

type Read = Result<(), Stop>;

impl Reader<'_> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at..].starts_with(text.as_bytes())
    }

    fn top(&self) -> Option<Kind> {
        self.open.last().map(|open| open.kind)
    }

    fn open(&mut self, kind: Kind, length: usize) -> Read {
        if self.open.len() >= DEEPEST {
            return Err(Stop::Unclear);
        }
        let span = self.at..self.at + length;
        let has_head = matches!(kind, Kind::If | Kind::Loop | Kind::Head);
        self.open.push(Open { kind, head: has_head.then(|| span.clone()), span });
        self.at += length;
        self.command = true;
        Ok(())
    }

    /// Closes what is open innermost.
    fn close(&mut self, length: usize) {
        if let Some(open) = self.open.pop() {
            let depths = (self.depth(open.span.start), self.depth(self.at));
            if let (Some((inner, _)), Some((outer, true))) = depths
                && outer < inner
            {
                self.left_open.get_or_insert(open);
            }
        }
        self.at += length;
    }

    /// Where the line of `at` starts, unless it is a long one.
    fn line_start(&self, at: usize) -> Option<usize> {
        let from = at.saturating_sub(FAR);
        match memchr::memrchr(b'\n', &self.bytes[from..at]) {
            Some(newline) => Some(from + newline + 1),
            None => (from == 0).then_some(0),
        }
    }

    /// How deep the line of `at` stands, and whether that is the first on it.
    fn depth(&self, at: usize) -> Option<(usize, bool)> {
        let start = self.line_start(at)?;
        let blanks = self.bytes[start..at].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        Some((blanks, start + blanks == at))
    }

    fn read(&mut self) -> Read {
        while self.at < self.bytes.len() {
            match self.top() {
                Some(Kind::Quotes) => self.in_quotes()?,
                Some(Kind::Value) => self.in_value()?,
                Some(Kind::Sum | Kind::Term) => self.in_sum()?,
                Some(Kind::Words | Kind::Test | Kind::Patterns | Kind::Subject) => {
                    self.in_words()?
                }
                _ => self.in_commands()?,
            }
        }
        Ok(())
    }

    fn line(&self, at: usize) -> usize {
        1 + self.source[..at].matches('\n').count()
    }

    /// Closes what holds commands or sums; behind what is a command itself, another may follow.
    fn close_commands(&mut self, length: usize) {
        let opens = self.open.last().and_then(|open| self.bytes.get(open.span.start));
        self.command = !opens.is_some_and(|b| b"$<>`".contains(b));
        self.close(length);
    }

    fn become_kind(&mut self, kind: Kind) {
        if let Some(open) = self.open.last_mut() {
            open.kind = kind;
        }
    }

    /// Goes on where it is in one of `kind`; what stands here is of such a one.
    fn expect(&mut self, kind: Kind, length: usize) -> Read {
        if self.top() == Some(kind) {
            return Ok(());
        }
        if let Some(opens) = self.doubtful.take() {
            return Err(self.unclosed_string(opens));
        }
        if let Some(open) = self.open.last().filter(|_| self.open.iter().any(|o| o.kind == kind)) {
            return Err(self.unclosed(open));
        }
        let (span, opening) = (
            self.at..self.at + length,
            match kind {
                Kind::If => "if",
                Kind::Loop => "do",
                Kind::Branch => "case",
                Kind::Group => "{",
                _ => "(",
            },
        );
        let found = self.source.get(span.clone()).unwrap_or_default();
        Err(told(span, format!("`{found}` has no opening `{opening}`")))
    }

    fn unclosed(&self, open: &Open) -> Stop {
        let likelier = self.left_open.as_ref().filter(|likelier| likelier.kind == open.kind);
        let Open { kind, span, .. } = likelier.unwrap_or(open).clone();
        if kind == Kind::Head {
            return Stop::Unclear;
        }
        let (line, word) =
            (self.line(span.start), self.source.get(span.clone()).unwrap_or_default());
        let message = format!("unclosed `{word}` that opens on line {line}");
        told(span, message)
    }

    /// What is open at the end.
    fn left(&mut self) -> Option<SyntaxError> {
        if let Some(text) = self.texts.pop() {
            let (line, word) = (self.line(text.span.start), self.source.get(text.span.clone())?);
            let message = format!("unclosed `{word}` that opens on line {line}");
            return Some(SyntaxError { span: text.span, message, missing: None });
        }
        let open = self.open.last()?.clone();
        let stop = match self.doubtful.take() {
            Some(opens) => self.unclosed_string(opens),
            None if open.kind == Kind::Quotes => self.unclosed_string(open.span),
            None => self.unclosed(&open),
        };
        match stop {
            Stop::Told(error) => Some(error),
            Stop::Unclear => None,
        }
    }
}

fn told(span: Range<usize>, message: String) -> Stop {
    Stop::Told(SyntaxError { span, message, missing: None })
}
