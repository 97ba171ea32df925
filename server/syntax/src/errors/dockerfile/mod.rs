//! What is wrong with a Dockerfile, told without its tree: the parser knows one sign that a line goes
//! on and one way to quote, builders know more. Read is what builders read before they run anything:
//! instructions, the words behind them, lists in JSON, and texts that lines hold.
//!
//! What a shell or a builder's own rules make of the words is not looked at, nor a text that another
//! frontend reads, or one that is made from a template.

mod lines;
mod words;

use std::ops::Range;

use lines::{Instruction, Lines};
use words::{Word, Words, first_word};

use super::{SyntaxError, json};

/// Most errors of one text.
const MOST: usize = 20;
/// Longest piece of source text quoted in a message, in characters.
const QUOTE: usize = 30;

/// What may stand behind an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// At least one word.
    Something,
    /// A command: at least one word, or a list.
    Command,
    /// A command, or nothing.
    AnyCommand,
    /// From where, and where to.
    Places,
    /// Names with values.
    Pairs,
    /// Names, with values or without.
    Names,
    Image,
    /// A list and nothing else.
    List,
    Check,
    Instruction,
}

const INSTRUCTIONS: &[(&str, Takes)] = &[
    ("ADD", Takes::Places),
    ("ARG", Takes::Names),
    ("CMD", Takes::AnyCommand),
    ("COPY", Takes::Places),
    ("ENTRYPOINT", Takes::AnyCommand),
    ("ENV", Takes::Pairs),
    ("EXPOSE", Takes::Something),
    ("FROM", Takes::Image),
    ("HEALTHCHECK", Takes::Check),
    ("LABEL", Takes::Pairs),
    ("MAINTAINER", Takes::Something),
    ("ONBUILD", Takes::Instruction),
    ("RUN", Takes::Command),
    ("SHELL", Takes::List),
    ("STOPSIGNAL", Takes::Something),
    ("USER", Takes::Something),
    ("VOLUME", Takes::Command),
    ("WORKDIR", Takes::Something),
];

/// Those that take texts from the lines behind them.
const WITH_TEXTS: &[&str] = &["ADD", "COPY", "RUN"];
/// Those that may not be kept for later.
const NOT_LATER: &[&str] = &["FROM", "MAINTAINER", "ONBUILD"];
/// Flags that say something only with a value, in the same word.
const WITH_VALUES: &[&str] = &[
    "--checksum",
    "--chmod",
    "--chown",
    "--exclude",
    "--from",
    "--interval",
    "--mount",
    "--network",
    "--platform",
    "--retries",
    "--security",
    "--start-interval",
    "--start-period",
    "--timeout",
];
/// What makes a template of a text.
const TEMPLATE: &[&str] = &["{{", "{%", "<%"];

/// The errors, in order of place.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let Some(lines) = Lines::of(source) else { return Vec::new() };
    let mut reader = Reader { lines, is_template: false, was_unknown: false, errors: Vec::new() };
    while !reader.is_template && reader.errors.len() < MOST {
        let Some(instruction) = reader.lines.next() else { break };
        if let Some(word) = first_word(&instruction.text, 0) {
            reader.read(&instruction, word, false);
        }
    }
    if reader.is_template { Vec::new() } else { reader.errors }
}

struct Reader<'s> {
    lines: Lines<'s>,
    /// Whether a builder does not read it as it stands.
    is_template: bool,
    /// Whether the last instruction was none: what follows is likely more of the same.
    was_unknown: bool,
    errors: Vec<SyntaxError>,
}

impl Reader<'_> {
    /// Reads the instruction that `word` names, by itself or, `later`, behind `ONBUILD`.
    fn read(&mut self, instruction: &Instruction, word: Word, later: bool) {
        let text = instruction.text.as_str();
        let name = text[word.clone()].to_ascii_uppercase();
        let known = INSTRUCTIONS.iter().find(|(known, _)| *known == name);
        let Some((_, takes)) = known.filter(|_| !later || !NOT_LATER.contains(&name.as_str()))
        else {
            if ["{", "<", "%", "@", "$"].iter().any(|mark| name.starts_with(mark)) {
                self.is_template = true;
            } else if known.is_some() {
                let message = format!("`{name}` cannot follow on `ONBUILD`");
                self.tell(instruction, word, message);
            } else if !std::mem::replace(&mut self.was_unknown, true) {
                let message = format!("unknown instruction {}", quoted(&text[word.clone()]));
                self.tell(instruction, word, message);
            }
            return;
        };
        self.was_unknown = false;
        let shell = matches!(takes, Takes::Command | Takes::AnyCommand | Takes::Check);
        if !shell && TEMPLATE.iter().any(|mark| text.contains(mark)) {
            self.is_template = true;
            return;
        }
        if WITH_TEXTS.contains(&name.as_str()) {
            self.texts(instruction, word.end);
        }
        let flags = !matches!(takes, Takes::Pairs | Takes::Names);
        let at = if flags { self.flags(instruction, word.end) } else { word.end };
        let Some(first) = first_word(text, at) else {
            if *takes != Takes::AnyCommand {
                let message = format!("expected something after {}", quoted(&text[word.clone()]));
                self.tell(instruction, word, message);
            }
            return;
        };
        match takes {
            Takes::Something => {}
            Takes::Command | Takes::AnyCommand => drop(self.list(instruction, &first, false)),
            Takes::List => self.only_list(instruction, first),
            Takes::Places => self.places(instruction, first),
            Takes::Pairs => self.pairs(instruction, first),
            Takes::Names => self.names(instruction, first),
            Takes::Image => self.image(instruction, first),
            Takes::Check => self.check(instruction, first),
            Takes::Instruction => self.read(instruction, first, true),
        }
    }

    fn tell(&mut self, instruction: &Instruction, span: Range<usize>, message: String) {
        let at = instruction.start;
        self.errors.push(SyntaxError {
            span: at + span.start..at + span.end,
            message,
            missing: None,
        });
    }

    /// Where the flags end.
    fn flags(&mut self, instruction: &Instruction, mut at: usize) -> usize {
        let text = instruction.text.as_str();
        while let Some(flag) = first_word(text, at).filter(|w| text[w.clone()].starts_with("--")) {
            at = flag.end;
            if WITH_VALUES.contains(&&text[flag.clone()]) {
                let message = format!("expected `=` after {}", quoted(&text[flag.clone()]));
                self.tell(instruction, flag, message);
            }
        }
        at
    }

    /// Whether a list begins there; what is wrong with it is told. With a blank behind the bracket it
    /// may be a command, `[ "$a" = b ]`, unless there can be `only` a list.
    fn list(&mut self, instruction: &Instruction, first: &Word, only: bool) -> bool {
        let list = &instruction.text[first.start..];
        if !list.starts_with(if only { "[" } else { "[\"" }) {
            return false;
        }
        if json::errors(list, json::Dialect::Strict).is_empty() {
            return true;
        }
        // Once more, with the lines before it, for what it says of lines.
        let lines = instruction.lines_before(first.start);
        let list = "\n".repeat(lines) + list;
        let at = instruction.start + first.start - lines;
        if let Some(mut error) = json::errors(&list, json::Dialect::Strict).into_iter().next() {
            error.span = at + error.span.start..at + error.span.end;
            if let Some(place) = error.missing.as_mut().and_then(|missing| missing.at.as_mut()) {
                *place += at;
            }
            self.errors.push(error);
        }
        true
    }

    fn only_list(&mut self, instruction: &Instruction, first: Word) {
        if !self.list(instruction, &first, true) {
            let found = quoted(&instruction.text[first.clone()]);
            self.tell(instruction, first, format!("expected a list, `[\"…\"]`, before {found}"));
        }
    }

    fn places(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        if !self.list(instruction, &first, false) && first_word(text, first.end).is_none() {
            let message = format!("expected where to after {}", quoted(&text[first.clone()]));
            self.tell(instruction, first, message);
        }
    }

    fn image(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let Some(second) = first_word(text, first.end) else { return };
        let found = quoted(&text[second.clone()]);
        if !text[second.clone()].eq_ignore_ascii_case("as") {
            return self.tell(instruction, second, format!("expected `AS` before {found}"));
        }
        let Some(name) = first_word(text, second.end) else {
            return self.tell(instruction, second, format!("expected a name after {found}"));
        };
        if let Some(more) = first_word(text, name.end) {
            let message = format!("unexpected {}", quoted(&text[more.clone()]));
            self.tell(instruction, more, message);
        }
    }

    fn check(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let behind = first_word(text, first.end);
        match (text[first.clone()].to_ascii_uppercase().as_str(), behind) {
            ("CMD", Some(command)) => drop(self.list(instruction, &command, false)),
            ("CMD", None) => self.tell(instruction, first, "expected a command after `CMD`".into()),
            ("NONE", None) => {}
            ("NONE", Some(more)) => {
                let message = format!("unexpected {}", quoted(&text[more.clone()]));
                self.tell(instruction, more, message);
            }
            _ => {
                let found = quoted(&text[first.clone()]);
                self.tell(instruction, first, format!("expected `CMD` or `NONE` before {found}"));
            }
        }
    }

    /// `a=b c="d e"`, or a name and all that follows on it.
    fn pairs(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let errors = self.errors.len();
        self.quotes(instruction, first.start);
        if self.errors.len() > errors {
            return;
        }
        let mut words = Words::new(text, first.start, self.lines.escape);
        let Some(first) = words.next() else { return };
        if !text[first.clone()].contains('=') {
            if words.next().is_none() {
                let message = format!("expected a value after {}", quoted(&text[first.clone()]));
                self.tell(instruction, first, message);
            }
            return;
        }
        for word in std::iter::once(first).chain(words) {
            let pair = &text[word.clone()];
            let message = match pair.find('=') {
                Some(0) => "expected a name before `=`".to_owned(),
                Some(_) => continue,
                None => format!("expected `=` after {}", quoted(pair)),
            };
            return self.tell(instruction, word, message);
        }
    }

    /// `a b=c`.
    fn names(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let errors = self.errors.len();
        self.quotes(instruction, first.start);
        let mut words = Words::new(text, first.start, self.lines.escape);
        if let Some(word) = words.find(|word| text[word.clone()].starts_with('='))
            && self.errors.len() == errors
        {
            self.tell(instruction, word, "expected a name before `=`".to_owned());
        }
    }

    /// A string that nothing closes, as what puts in the values of variables reads them.
    fn quotes(&mut self, instruction: &Instruction, at: usize) {
        let text = instruction.text.as_str();
        let mut words = Words::new(text, at, self.lines.escape);
        words.by_ref().for_each(drop);
        let Some(open) = words.unclosed else { return };
        let end = open + text[open..].lines().next().map_or(0, |line| line.trim_end().len());
        let line = 1 + instruction.lines_before(open);
        self.tell(instruction, open..end, format!("unclosed string that starts on line {line}"));
    }

    /// Goes behind the texts that the instruction takes from the lines behind it.
    fn texts(&mut self, instruction: &Instruction, at: usize) {
        let text = instruction.text.as_str();
        for word in Words::new(text, at, self.lines.escape) {
            let written = text[word.clone()].trim_start_matches(|c: char| c.is_ascii_digit());
            let Some(name) = written.strip_prefix("<<") else { continue };
            let (name, tabs) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
            let end: String = name.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
            if end.is_empty() || name.contains('<') || self.lines.pass(&end, tabs) {
                continue;
            }
            let line = 1 + instruction.lines_before(word.start);
            let opens = quoted(&text[word.clone()]);
            self.tell(instruction, word, format!("unclosed {opens} that opens on line {line}"));
        }
    }
}

fn quoted(word: &str) -> String {
    let mut quoted: String = word.chars().take(QUOTE).collect();
    if quoted.len() < word.len() {
        quoted.push('…');
    }
    format!("`{quoted}`")
}
