//! What a line of the shell would run, as far as that can be told without running it.
//!
//! `brush-parser` gives the structure of the line. Its parser takes time exponential in the depth
//! of brackets and stack in proportion to the depth of compound commands, so both are bounded
//! before it is called; words are read here.
//!
//! Two questions are answered differently. What *may* be run (for `deny` and `ask`) errs on the
//! side of too much: what cannot be told is an unknown word, which may be any. What *is* run (for
//! `allow`) errs on the side of nothing: one doubt about the line is enough.

mod options;
mod programs;
mod scripts;
mod walk;
mod words;

use brush_parser::{ParserOptions, Token, TokenizerOptions, parse_tokens, uncached_tokenize_str};

pub(super) use self::options::harmless_arguments;
pub(super) use self::programs::{base_name, is_telling};
pub(super) use self::scripts::{names_script, takes_scripts};
use self::walk::Walk;
pub(super) use self::words::Word;

/// What a line would run.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Every simple command that stands in it.
    pub(super) commands: Vec<Simple>,
    /// What else may be run: what is among the arguments of programs that run others.
    pub(super) possible: Vec<Vec<Word>>,
    /// Whether it may run programs of which nothing can be told.
    pub(super) may_run_anything: bool,
    /// Where it reads from and writes to.
    pub(super) redirects: Vec<Redirect>,
    /// Why nobody can be sure what it does.
    pub(super) doubt: Option<&'static str>,
    /// Whether it goes to another folder on the way.
    pub(super) changes_folder: bool,
}

/// A simple command.
#[derive(Debug, Clone)]
pub(super) struct Simple {
    /// Its name and arguments.
    pub(super) words: Vec<Word>,
    /// Whether it runs what is among its arguments.
    pub(super) is_launcher: bool,
}

/// A redirection to or from a file.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    /// The file.
    pub(super) target: Word,
    /// Whether it is written to.
    pub(super) writes: bool,
}

/// Longest line that is looked into, in bytes.
const LONGEST: usize = 10_000;
/// Most simple commands in a line that can be allowed by rules.
const MOST_COMMANDS: usize = 50;
/// Most commands that are kept at all; the line is in doubt long before.
const MOST_KEPT: usize = 1_000;
/// Deepest brackets and most `case`s: the parser's time is exponential in their number.
const DEEPEST: usize = 8;
/// Most expansions with brackets, and most words that open a compound command: they cost the
/// tokenizer and the parser stack.
const MOST_OPENED: usize = 100;

/// Most brackets in a word that may be an assignment.
const MOST_ASSIGNED: usize = 4;

/// Words that may open a compound command, or a command in one.
const OPENING: &[&str] = &[
    "{", "!", "[[", "((", "if", "elif", "else", "then", "while", "until", "for", "do", "case",
    "select", "function", "coproc", "time",
];

static ANYTHING: [Word; 1] = [Word::Unknown];
const UNREADABLE: &str = "it cannot be parsed";

/// What `line` would run.
pub(super) fn analyse(line: &str) -> Line {
    let mut found = Line::default();
    look_into(line, &mut found, 0);
    if found.commands.len() > MOST_COMMANDS {
        found.doubt.get_or_insert("it is made of more than 50 commands");
    }
    found
}

/// Adds what `text` would run to `line`. `depth` counts the command lines around it.
fn look_into(text: &str, line: &mut Line, depth: usize) {
    if let Some(doubt) = doubt_of(text) {
        line.doubt.get_or_insert(doubt);
    }
    let program = if depth > DEEPEST || text.len() > LONGEST {
        Err("it is longer or deeper than what is looked into")
    } else {
        parse(text)
    };
    match program {
        Ok(program) => Walk { line, depth }.program(&program),
        Err(doubt) => {
            line.doubt.get_or_insert(doubt);
            line.may_run_anything = true;
        }
    }
}

/// What makes a line too odd to be sure of, whatever it means.
fn doubt_of(text: &str) -> Option<&'static str> {
    if text.contains("\\\n") {
        return Some("it goes on over the end of a line");
    }
    let is_plain = |c: char| c == '\n' || c == '\t' || c == ' ' || !super::visible::is_hidden(c);
    (!text.chars().all(is_plain)).then_some("it holds characters that cannot be seen")
}

fn parse(text: &str) -> Result<brush_parser::ast::Program, &'static str> {
    let opened = text.matches(['(', '`']).count() + text.matches("${").count();
    if opened > MOST_OPENED {
        return Err("it has too many brackets");
    }
    let tokens =
        uncached_tokenize_str(text, &TokenizerOptions::default()).map_err(|_| UNREADABLE)?;
    let (mut depth, mut deepest, mut cases, mut opening) = (0usize, 0, 0, 0);
    for token in &tokens {
        match token {
            Token::Operator(operator, _) => match operator.as_str() {
                "(" => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            },
            Token::Word(word, _) => {
                // The parser reads what may be an assignment in time exponential in its brackets.
                if word.contains('=') && word.matches(['(', '{', '`']).count() > MOST_ASSIGNED {
                    return Err("it is nested too deeply");
                }
                cases += usize::from(word == "case");
                opening += usize::from(OPENING.contains(&word.as_str()));
            }
        }
    }
    if deepest + cases > DEEPEST || opening > MOST_OPENED {
        return Err("it is nested too deeply");
    }
    parse_tokens(&tokens, &ParserOptions::default()).map_err(|_| UNREADABLE)
}

impl Line {
    /// Takes note of a command that may be run.
    fn also(&mut self, words: Vec<Word>) {
        if self.possible.len() < MOST_KEPT {
            self.possible.push(words);
        } else {
            self.may_run_anything = true;
        }
    }

    /// Takes note of a command line that may be run.
    fn also_line(&mut self, text: &str, depth: usize) {
        let mut line = Line::default();
        if self.possible.len() < MOST_KEPT {
            look_into(text, &mut line, depth);
        } else {
            line.may_run_anything = true;
        }
        for words in line.commands.into_iter().map(|c| c.words).chain(line.possible) {
            self.also(words);
        }
        self.redirects.extend(line.redirects);
        self.may_run_anything |= line.may_run_anything;
    }

    /// Everything that may be run.
    pub(super) fn may_run(&self) -> impl Iterator<Item = &[Word]> {
        let commands = self.commands.iter().map(|c| c.words.as_slice());
        let anything = self.may_run_anything.then_some(ANYTHING.as_slice());
        commands.chain(self.possible.iter().map(Vec::as_slice)).chain(anything)
    }
}

#[cfg(test)]
mod tests;
