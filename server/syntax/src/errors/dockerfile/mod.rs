//! Dockerfiles: checks instructions without the tree, because the grammar knows only one escape
//! character and one way to quote.
//!
//! Checked is what builders parse before they run anything: instructions and their arguments, JSON
//! lists and heredocs. The contents of shell commands are not checked, nor texts for another
//! frontend, nor templates.

mod lines;
mod words;

use std::ops::Range;

use lines::{Instruction, InstructionLines};
use words::{Word, Words, first_word};

use super::{SyntaxError, json};
use crate::language::JsonDialect;

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Longest piece of source text quoted in a message, in characters.
const MAX_QUOTE_CHARS: usize = 30;

/// The arguments that an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    /// At least one word.
    Words,
    /// A command: at least one word, or a JSON list.
    Command,
    /// A command, or nothing.
    AnyCommand,
    /// Sources and a destination.
    SourcesAndDestination,
    /// Names with values.
    Pairs,
    /// Names with optional values.
    Names,
    Image,
    /// A JSON list only.
    JsonList,
    Healthcheck,
    Instruction,
}

const INSTRUCTIONS: &[(&str, ArgumentKind)] = &[
    ("ADD", ArgumentKind::SourcesAndDestination),
    ("ARG", ArgumentKind::Names),
    ("CMD", ArgumentKind::AnyCommand),
    ("COPY", ArgumentKind::SourcesAndDestination),
    ("ENTRYPOINT", ArgumentKind::AnyCommand),
    ("ENV", ArgumentKind::Pairs),
    ("EXPOSE", ArgumentKind::Words),
    ("FROM", ArgumentKind::Image),
    ("HEALTHCHECK", ArgumentKind::Healthcheck),
    ("LABEL", ArgumentKind::Pairs),
    ("MAINTAINER", ArgumentKind::Words),
    ("ONBUILD", ArgumentKind::Instruction),
    ("RUN", ArgumentKind::Command),
    ("SHELL", ArgumentKind::JsonList),
    ("STOPSIGNAL", ArgumentKind::Words),
    ("USER", ArgumentKind::Words),
    ("VOLUME", ArgumentKind::Command),
    ("WORKDIR", ArgumentKind::Words),
];

/// Instructions that may have heredocs.
const WITH_HEREDOCS: &[&str] = &["ADD", "COPY", "RUN"];
/// Instructions that are not allowed after `ONBUILD`.
const NOT_AFTER_ONBUILD: &[&str] = &["FROM", "MAINTAINER", "ONBUILD"];
/// Flags that require a value in the same word.
const FLAGS_WITH_VALUE: &[&str] = &[
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
/// Markup that makes the text a template.
const TEMPLATE_MARKS: &[&str] = &["{{", "{%", "<%"];

/// The errors, in document order.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let Some(lines) = InstructionLines::new(source) else { return Vec::new() };
    let mut checker =
        DockerfileChecker { lines, is_template: false, was_unknown: false, errors: Vec::new() };
    while !checker.is_template && checker.errors.len() < MAX_ERRORS {
        let Some(instruction) = checker.lines.next() else { break };
        if let Some(word) = first_word(&instruction.text, 0) {
            checker.check_instruction(&instruction, word, false);
        }
    }
    if checker.is_template { Vec::new() } else { checker.errors }
}

struct DockerfileChecker<'s> {
    lines: InstructionLines<'s>,
    /// Whether the text is a template, which builders do not read as it is.
    is_template: bool,
    /// Whether the last instruction was unknown: the following lines are likely more of the same.
    was_unknown: bool,
    errors: Vec<SyntaxError>,
}

impl DockerfileChecker<'_> {
    /// Checks the instruction named by `word`; `after_onbuild` is set after `ONBUILD`.
    fn check_instruction(&mut self, instruction: &Instruction, word: Word, after_onbuild: bool) {
        let text = instruction.text.as_str();
        let name = text[word.clone()].to_ascii_uppercase();
        let known = INSTRUCTIONS.iter().find(|(known, _)| *known == name);
        let Some((_, takes)) =
            known.filter(|_| !after_onbuild || !NOT_AFTER_ONBUILD.contains(&name.as_str()))
        else {
            if ["{", "<", "%", "@", "$"].iter().any(|mark| name.starts_with(mark)) {
                self.is_template = true;
            } else if known.is_some() {
                let message = format!("`{name}` cannot follow on `ONBUILD`");
                self.report(instruction, word, message);
            } else if !std::mem::replace(&mut self.was_unknown, true) {
                let message = format!("unknown instruction {}", quoted(&text[word.clone()]));
                self.report(instruction, word, message);
            }
            return;
        };
        self.was_unknown = false;
        let shell = matches!(
            takes,
            ArgumentKind::Command | ArgumentKind::AnyCommand | ArgumentKind::Healthcheck
        );
        if !shell && TEMPLATE_MARKS.iter().any(|mark| text.contains(mark)) {
            self.is_template = true;
            return;
        }
        if WITH_HEREDOCS.contains(&name.as_str()) {
            self.skip_heredocs(instruction, word.end);
        }
        let flags = !matches!(takes, ArgumentKind::Pairs | ArgumentKind::Names);
        let at = if flags { self.flags(instruction, word.end) } else { word.end };
        let Some(first) = first_word(text, at) else {
            if *takes != ArgumentKind::AnyCommand {
                let message = format!("expected arguments after {}", quoted(&text[word.clone()]));
                self.report(instruction, word, message);
            }
            return;
        };
        match takes {
            ArgumentKind::Words => {}
            ArgumentKind::Command | ArgumentKind::AnyCommand => {
                let _ = self.check_list(instruction, &first, false);
            }
            ArgumentKind::JsonList => self.expect_list(instruction, first),
            ArgumentKind::SourcesAndDestination => self.check_destination(instruction, first),
            ArgumentKind::Pairs => self.check_pairs(instruction, first),
            ArgumentKind::Names => self.check_names(instruction, first),
            ArgumentKind::Image => self.check_image(instruction, first),
            ArgumentKind::Healthcheck => self.check_healthcheck(instruction, first),
            ArgumentKind::Instruction => self.check_instruction(instruction, first, true),
        }
    }

    fn report(&mut self, instruction: &Instruction, span: Range<usize>, message: String) {
        let at = instruction.start;
        self.errors.push(SyntaxError {
            span: at + span.start..at + span.end,
            message,
            missing: None,
        });
    }

    /// The end of the flags.
    fn flags(&mut self, instruction: &Instruction, mut at: usize) -> usize {
        let text = instruction.text.as_str();
        while let Some(flag) = first_word(text, at).filter(|w| text[w.clone()].starts_with("--")) {
            at = flag.end;
            if FLAGS_WITH_VALUE.contains(&&text[flag.clone()]) {
                let message = format!("expected `=` after {}", quoted(&text[flag.clone()]));
                self.report(instruction, flag, message);
            }
        }
        at
    }

    /// Whether a JSON list starts at `first`; reports its errors. With a blank after the bracket it
    /// may be a command, `[ "$a" = b ]`, unless `only` a list is allowed.
    fn check_list(&mut self, instruction: &Instruction, first: &Word, only: bool) -> bool {
        let list = &instruction.text[first.start..];
        if !list.starts_with(if only { "[" } else { "[\"" }) {
            return false;
        }
        if json::errors(list, JsonDialect::Strict).is_empty() {
            return true;
        }
        // Parse it again with the preceding lines, so that line numbers in messages are right.
        let lines = instruction.lines_before(first.start);
        let list = "\n".repeat(lines) + list;
        let at = instruction.start + first.start - lines;
        if let Some(mut error) = json::errors(&list, JsonDialect::Strict).into_iter().next() {
            error.span = at + error.span.start..at + error.span.end;
            if let Some(place) = error.missing.as_mut().and_then(|missing| missing.at.as_mut()) {
                *place += at;
            }
            self.errors.push(error);
        }
        true
    }

    fn expect_list(&mut self, instruction: &Instruction, first: Word) {
        if !self.check_list(instruction, &first, true) {
            let found = quoted(&instruction.text[first.clone()]);
            self.report(instruction, first, format!("expected a list, `[\"…\"]`, before {found}"));
        }
    }

    fn check_destination(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        if !self.check_list(instruction, &first, false) && first_word(text, first.end).is_none() {
            let message = format!("expected a destination after {}", quoted(&text[first.clone()]));
            self.report(instruction, first, message);
        }
    }

    fn check_image(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let Some(second) = first_word(text, first.end) else { return };
        let found = quoted(&text[second.clone()]);
        if !text[second.clone()].eq_ignore_ascii_case("as") {
            return self.report(instruction, second, format!("expected `AS` before {found}"));
        }
        let Some(name) = first_word(text, second.end) else {
            return self.report(instruction, second, format!("expected a name after {found}"));
        };
        if let Some(more) = first_word(text, name.end) {
            let message = format!("unexpected {}", quoted(&text[more.clone()]));
            self.report(instruction, more, message);
        }
    }

    fn check_healthcheck(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let behind = first_word(text, first.end);
        match (text[first.clone()].to_ascii_uppercase().as_str(), behind) {
            ("CMD", Some(command)) => drop(self.check_list(instruction, &command, false)),
            ("CMD", None) => {
                self.report(instruction, first, "expected a command after `CMD`".into())
            }
            ("NONE", None) => {}
            ("NONE", Some(more)) => {
                let message = format!("unexpected {}", quoted(&text[more.clone()]));
                self.report(instruction, more, message);
            }
            _ => {
                let found = quoted(&text[first.clone()]);
                self.report(instruction, first, format!("expected `CMD` or `NONE` before {found}"));
            }
        }
    }

    /// `a=b c="d e"`, or a name and the rest of the line as its value.
    fn check_pairs(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let errors = self.errors.len();
        self.check_quotes(instruction, first.start);
        if self.errors.len() > errors {
            return;
        }
        let mut words = Words::new(text, first.start, self.lines.escape);
        let Some(first) = words.next() else { return };
        if !text[first.clone()].contains('=') {
            if words.next().is_none() {
                let message = format!("expected a value after {}", quoted(&text[first.clone()]));
                self.report(instruction, first, message);
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
            return self.report(instruction, word, message);
        }
    }

    /// `a b=c`.
    fn check_names(&mut self, instruction: &Instruction, first: Word) {
        let text = instruction.text.as_str();
        let errors = self.errors.len();
        self.check_quotes(instruction, first.start);
        let mut words = Words::new(text, first.start, self.lines.escape);
        if let Some(word) = words.find(|word| text[word.clone()].starts_with('='))
            && self.errors.len() == errors
        {
            self.report(instruction, word, "expected a name before `=`".to_owned());
        }
    }

    /// Reports an unterminated string, by the rules of variable expansion.
    fn check_quotes(&mut self, instruction: &Instruction, at: usize) {
        let text = instruction.text.as_str();
        let mut words = Words::new(text, at, self.lines.escape);
        words.by_ref().for_each(drop);
        let Some(open) = words.unclosed else { return };
        let end = open + text[open..].lines().next().map_or(0, |line| line.trim_end().len());
        let line = 1 + instruction.lines_before(open);
        self.report(instruction, open..end, format!("unclosed string that starts on line {line}"));
    }

    /// Skips the heredocs of an instruction.
    fn skip_heredocs(&mut self, instruction: &Instruction, at: usize) {
        let text = instruction.text.as_str();
        for word in Words::new(text, at, self.lines.escape) {
            let written = text[word.clone()].trim_start_matches(|c: char| c.is_ascii_digit());
            let Some(name) = written.strip_prefix("<<") else { continue };
            let (name, tabs) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
            let end: String = name.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
            if end.is_empty() || name.contains('<') || self.lines.skip_until(&end, tabs) {
                continue;
            }
            let line = 1 + instruction.lines_before(word.start);
            let opens = quoted(&text[word.clone()]);
            self.report(instruction, word, format!("unclosed {opens} that opens on line {line}"));
        }
    }
}

fn quoted(word: &str) -> String {
    let mut quoted: String = word.chars().take(MAX_QUOTE_CHARS).collect();
    if quoted.len() < word.len() {
        quoted.push('…');
    }
    format!("`{quoted}`")
}
