//! Blocks that start with a keyword and end with `end`: finds the unclosed keyword or the
//! superfluous `end`.
//!
//! A parser notices a missing `end` only at the end of the text. As for brackets, the indentation
//! shows which block it is.

use std::ops::Range;

use super::brackets::{BLOCK_END, BLOCK_START, UnmatchedBracket, unmatched_brackets};
use super::root_causes::{LineIndents, RootCause};
use super::scan::BracketEvent;
use super::{Missing, SyntaxError};
use crate::Syntax;

/// Keywords that always start a block.
const RUBY_OPENERS: &[&str] = &["begin", "case", "class", "def", "do", "for", "module"];
/// Keywords that start a block at the start of a statement or value, and are modifiers elsewhere.
const RUBY_MODIFIERS: &[&str] = &["if", "unless", "until", "while"];
const LUA_OPENERS: &[&str] = &["do", "function", "if"];
/// Keywords of loops, which own the `do` on their line.
const RUBY_LOOPS: &[&str] = &["for", "until", "while"];

/// Whether the language has blocks from a keyword to `end`.
pub(super) fn has_keyword_blocks(language: &str) -> bool {
    matches!(language, "ruby" | "lua")
}

impl Syntax {
    /// A reserved word that the Ruby parser took for an identifier, as it does where only an
    /// identifier fits. The tree has no error then, but the text is invalid.
    pub(super) fn reserved_word_as_name(
        &self,
        source: &str,
        words: &[usize],
    ) -> Option<Range<usize>> {
        if self.language().id() != "ruby" {
            return None;
        }
        words.iter().map(|at| *at..self.word_end(source, *at)).find(|span| {
            let line = source[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
            let before = source[line..span.start].trim_start();
            NON_VALUES.contains(&&source[span.clone()])
                && source[span.clone()] != *"local"
                && !is_name(source, span.clone())
                && !before.starts_with("alias ")
                && !before.starts_with("undef ")
                && self
                    .root()
                    .descendant_for_byte_range(span.start, span.end)
                    .is_some_and(|node| node.kind() == "identifier" && node.byte_range() == *span)
        })
    }

    /// The first unbalanced block of a text with errors; `words` are the starts of the words in its
    /// code.
    pub(super) fn block_errors(&self, source: &str, words: &[usize]) -> Vec<RootCause> {
        if !has_keyword_blocks(self.language().id()) {
            return Vec::new();
        }
        let Some(cause) = self.first_unbalanced_block(source, words) else { return Vec::new() };
        let opener = (cause.error.message == END_CLOSES_NOTHING)
            .then(|| self.missing_block_start(source, cause.error.span.start));
        let opener =
            opener.flatten().map(|error| RootCause { error, affected: 0..0, missing: None });
        opener.into_iter().chain([cause]).collect()
    }

    /// The line on which the block for an `end` should have started: the line is as deep as the
    /// `end`, and the lines after it are deeper.
    fn missing_block_start(&self, source: &str, end: usize) -> Option<SyntaxError> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let start = source[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let depth = end - start;
        if !source[start..end].trim().is_empty() {
            return None;
        }
        let mut lines = source[..start].lines().rev().filter(|line| !line.trim().is_empty());
        let mut is_deeper = false;
        let opener = lines.find(|line| {
            let is_opener = indent(line) <= depth;
            is_deeper |= !is_opener;
            is_opener
        })?;
        if indent(opener) != depth || !is_deeper || opener.trim_start().starts_with(['#', '-']) {
            return None;
        }
        let at = opener.as_ptr() as usize - source.as_ptr() as usize + depth;
        let line = self.text().line_of(end) + 1;
        let message = format!("the block that `end` on line {line} closes has no start");
        Some(SyntaxError {
            span: at..self.word_end(source, at).max(at + 1),
            message,
            missing: None,
        })
    }

    fn first_unbalanced_block(&self, source: &str, words: &[usize]) -> Option<RootCause> {
        let is_ruby = self.language().id() == "ruby";
        if let Some(error) = missing_value_after_equals(source, words)
            .or_else(|| self.repeated_keyword(source, words))
        {
            return Some(RootCause { error, affected: 0..source.len() + 1, missing: None });
        }
        let block_events = block_events(source, words, is_ruby);
        let lines = LineIndents::new(source);
        let (found, _) = unmatched_brackets(&block_events, |at| lines.indent(at));
        let first = *found.first()?;
        let at = first.at();
        let error = match first {
            UnmatchedBracket::Opening(..) => {
                let word = self.quoted(&(at..self.word_end(source, at)));
                let line = self.text().line_of(at) + 1;
                SyntaxError {
                    span: at..self.word_end(source, at),
                    message: format!("unclosed {word} that opens on line {line}: expected `end`"),
                    missing: None,
                }
            }
            UnmatchedBracket::Closing(..) => {
                self.missing_do(source, at, is_ruby).unwrap_or(SyntaxError {
                    span: at..at + 3,
                    message: END_CLOSES_NOTHING.to_owned(),
                    missing: None,
                })
            }
        };
        let start = error.span.start.min(at);
        Some(RootCause { error, affected: start..source.len() + 1, missing: None })
    }

    /// A repeated keyword, or a superfluous `end` after another.
    fn repeated_keyword(&self, source: &str, words: &[usize]) -> Option<SyntaxError> {
        let is_ruby = self.language().id() == "ruby";
        let keywords = if is_ruby { RUBY_NEVER_REPEATED } else { LUA_NEVER_REPEATED };
        let word = |at: usize| &source[at..self.word_end(source, at)];
        let twice = words.windows(2).find(|two| {
            let (first, second) = (word(two[0]), word(two[1]));
            let end = two[0] + first.len();
            first == second
                && keywords.contains(&first)
                && !source[end..two[1]].is_empty()
                && source[end..two[1]].trim_matches([' ', '\t']).is_empty()
                && !two.iter().any(|at| is_name(source, *at..*at + first.len()))
        });
        if let Some(two) = twice {
            let span = two[1]..self.word_end(source, two[1]);
            let message = format!("unexpected {}", self.quoted(&span));
            return Some(SyntaxError { span, message, missing: None });
        }
        // Two `end` on a line: an author would put the second on the next line.
        let block_events = block_events(source, words, is_ruby);
        let count = |opens: bool| {
            block_events
                .iter()
                .filter(|event| matches!(event, BracketEvent::Open(..)) == opens)
                .count()
        };
        if count(true) >= count(false) {
            return None;
        }
        words.windows(2).find_map(|two| {
            let between = source.get(two[0] + 3..two[1])?;
            let is_end = |at: usize| word(at) == "end" && !is_name(source, at..at + 3);
            let is_pair = is_end(two[0])
                && is_end(two[1])
                && !between.is_empty()
                && between.trim_matches([' ', '\t']).is_empty();
            let line = source[..two[0]].rfind('\n').map_or(0, |newline| newline + 1);
            let opens = block_events.iter().filter(
                |event| matches!(event, BracketEvent::Open(at, _) if (line..two[0]).contains(at)),
            );
            (is_pair && opens.count() < 2).then(|| SyntaxError {
                span: two[1]..two[1] + 3,
                message: END_CLOSES_NOTHING.to_owned(),
                missing: None,
            })
        })
    }

    fn word_end(&self, source: &str, at: usize) -> usize {
        let word = source[at..].find(|c: char| !c.is_alphanumeric());
        word.map_or(source.len(), |length| at + length)
    }

    /// The line whose `do` is missing: it is as deep as the `end` and has block parameters.
    fn missing_do(&self, source: &str, end: usize, is_ruby: bool) -> Option<SyntaxError> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let start = source[..end].rfind('\n').map_or(0, |newline| newline + 1);
        let depth = end - start;
        let opener = source[..start]
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty() && indent(line) <= depth)?;
        let code = opener.trim();
        let word = if is_ruby { "do" } else { "then" };
        let lacks = match is_ruby {
            true => code.ends_with('|') && code.matches('|').count() == 2 && !code.contains('{'),
            false => false,
        };
        if indent(opener) != depth || !lacks {
            return None;
        }
        let at = opener.as_ptr() as usize - source.as_ptr() as usize + depth;
        let bar = at + code.find('|')?;
        let span = bar..at + code.len();
        let message = format!("expected `{word}` before {}", self.quoted(&span));
        Some(SyntaxError { span, message, missing: Some(Missing { token: "do", at: Some(bar) }) })
    }
}

/// The message for an `end` without a block.
const END_CLOSES_NOTHING: &str = "`end` closes nothing";

/// Keywords that are never repeated.
const RUBY_NEVER_REPEATED: &[&str] = &[
    "and", "case", "class", "def", "do", "else", "elsif", "ensure", "for", "if", "in", "module",
    "or", "rescue", "return", "then", "unless", "until", "when", "while",
];
const LUA_NEVER_REPEATED: &[&str] = &[
    "and", "do", "else", "elseif", "for", "function", "if", "in", "local", "or", "repeat",
    "return", "then", "until", "while",
];

/// Keywords that start no value.
const NON_VALUES: &[&str] =
    &["else", "elseif", "elsif", "end", "ensure", "local", "rescue", "then", "until", "when"];

/// A `=` at the end of a line whose next line starts with no value.
fn missing_value_after_equals(source: &str, words: &[usize]) -> Option<SyntaxError> {
    words.iter().find_map(|&at| {
        let rest = &source[at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let before = source[..at].trim_end();
        let sign = before.strip_suffix('=')?;
        let is_comparison = sign.ends_with(['=', '<', '>', '!', '~']) && !sign.ends_with("<<");
        let fits = NON_VALUES.contains(&&rest[..length])
            && source[before.len()..at].contains('\n')
            && !rest[length..].starts_with([':', '?', '!', '.', '(']);
        (fits && !is_comparison && !sign.ends_with("def ")).then(|| SyntaxError {
            span: sign.len()..before.len(),
            message: "expected a value after `=`".to_owned(),
            missing: None,
        })
    })
}

/// The keywords that open and close blocks, in order.
fn block_events(source: &str, words: &[usize], is_ruby: bool) -> Vec<BracketEvent> {
    let mut block_events = Vec::new();
    // The end of a loop's header, whose `do` opens no block of its own.
    let mut head = 0;
    for &at in words {
        let rest = &source[at..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        if is_name(source, at..at + length) {
            continue;
        }
        let opens = match word {
            "do" if is_ruby => at >= head,
            "def" if is_ruby => !is_endless(rest),
            _ if RUBY_MODIFIERS.contains(&word) && is_ruby => starts_statement(source, at),
            _ if is_ruby => RUBY_OPENERS.contains(&word),
            _ => LUA_OPENERS.contains(&word),
        };
        if opens && is_ruby && RUBY_LOOPS.contains(&word) {
            head = at + rest.find('\n').unwrap_or(rest.len());
        }
        if opens {
            block_events.push(BracketEvent::Open(at, BLOCK_START));
        } else if word == "end" {
            block_events.push(BracketEvent::Close(at, BLOCK_END));
        }
    }
    block_events
}

/// Whether a word is a method or field name, a symbol or a key.
fn is_name(source: &str, word: Range<usize>) -> bool {
    let (before, behind) = (&source[..word.start], &source[word.end..]);
    let is_definition = before.trim_end_matches(' ').ends_with("def") && source[word] != *"def";
    before.ends_with(['.', ':', '@', '$']) && !before.ends_with("..")
        || behind.starts_with([':', '?', '!']) && !behind.starts_with("::")
        || is_definition
}

/// Whether a word starts a statement or value, rather than being a modifier of what precedes it.
fn starts_statement(source: &str, at: usize) -> bool {
    let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = source[start..at].trim_end();
    let words = ["then", "do", "else", "and", "or", "not", "begin"];
    let method = before.trim_end_matches(['!', '?']);
    let is_method = method.len() < before.len() && method.ends_with(char::is_alphanumeric);
    before.is_empty()
        || !is_method
            && before
                .ends_with(['=', '(', '[', '{', ',', '|', '&', ';', '!', '?', ':', '+', '<', '>'])
        || words.iter().any(|word| before.ends_with(word))
}

/// `def a = b`
fn is_endless(def: &str) -> bool {
    let line = def.lines().next().unwrap_or_default();
    let name = line["def".len()..].trim_start();
    let length = name.find(|c: char| !c.is_alphanumeric() && !"_.?!".contains(c));
    let rest = &name[length.unwrap_or(name.len())..];
    let rest = match rest.strip_prefix('(') {
        Some(parameters) => {
            let mut depth = 1;
            let close = parameters.find(|c| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                depth == 0
            });
            close.map_or("", |close| &parameters[close + 1..])
        }
        None => rest,
    };
    let rest = rest.trim_start();
    rest.starts_with("= ") || rest == "="
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_methods_have_no_end() {
        for endless in ["def a = 1", "def a() = 1", "def self.a(b = c(1)) = b", "def a? = b"] {
            assert!(is_endless(endless), "{endless}");
        }
        for other in ["def a", "def a(b = 1)", "def a=(b)", "def ==(b)", "def a b = 1", "def [](a)"]
        {
            assert!(!is_endless(other), "{other}");
        }
    }
}
