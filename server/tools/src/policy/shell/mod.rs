//! Static analysis of shell command lines: what a line would run, as far as that is known without
//! running it.
//!
//! `brush-parser` parses the line. Its time is exponential in the depth of brackets and its stack
//! grows with the depth of compound commands, so both are limited before it is called. Words are
//! expanded here (`words`).
//!
//! There are two kinds of answers. What *may* run (for `deny` and `ask`) is an upper bound: an
//! unknown word may be any. What *does* run (for `allow`) is certain: a line with one doubt is not
//! allowed.

mod options;
mod programs;
mod scripts;
mod visitor;
mod words;

use brush_parser::{ParserOptions, Token, TokenizerOptions, parse_tokens, uncached_tokenize_str};

pub(super) use self::options::harmless_arguments;
pub(super) use self::programs::{base_name, is_harmful_option};
pub(super) use self::scripts::{names_script, takes_scripts};
use self::visitor::CommandVisitor;
pub(super) use self::words::Word;

/// The analysis of a line.
#[derive(Debug, Default)]
pub(super) struct LineAnalysis {
    /// Every simple command in it.
    pub(super) commands: Vec<ShellCommand>,
    /// Further commands that may run: arguments of programs that run others.
    pub(super) possible: Vec<Vec<Word>>,
    /// Whether it may run unknown programs.
    pub(super) may_run_anything: bool,
    /// Its redirections.
    pub(super) redirects: Vec<Redirect>,
    /// Why no rule can allow it.
    pub(super) doubt: Option<&'static str>,
    /// Whether it changes the working folder.
    pub(super) changes_folder: bool,
}

/// A simple command.
#[derive(Debug, Clone)]
pub(super) struct ShellCommand {
    /// Its name and arguments.
    pub(super) words: Vec<Word>,
    /// Whether it runs commands in its arguments.
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

/// Limit for an analysed line, in bytes.
const MAX_LINE_BYTES: usize = 10_000;
/// Limit for the simple commands of a line that rules can allow.
const MAX_ALLOWED_COMMANDS: usize = 50;
/// Limit for stored commands; beyond the limit above, the line is in doubt anyway.
const MAX_STORED_COMMANDS: usize = 1_000;
/// Limit for the depth of brackets plus the number of `case`s (the parser's time is exponential in
/// them), and for command lines within command lines.
const MAX_NESTING: usize = 8;
/// Limit for expansions with brackets, and for words that open a compound command: they use the
/// stack of the tokenizer and the parser.
const MAX_OPENINGS: usize = 100;

/// Limit for the brackets in a word that may be an assignment.
const MAX_ASSIGNMENT_BRACKETS: usize = 4;

/// Words that open a compound command, or a command in one.
const OPENING_WORDS: &[&str] = &[
    "{", "!", "[[", "((", "if", "elif", "else", "then", "while", "until", "for", "do", "case",
    "select", "function", "coproc", "time",
];

/// A command of which nothing is known: every `deny` and `ask` rule may match it.
static ANY_COMMAND: [Word; 1] = [Word::Unknown];
const UNREADABLE: &str = "it cannot be parsed";

/// Analyses a line.
pub(super) fn analyse_line(line: &str) -> LineAnalysis {
    let mut found = LineAnalysis::default();
    analyse_nested(line, &mut found, 0);
    if found.commands.len() > MAX_ALLOWED_COMMANDS {
        found.doubt.get_or_insert("it is made of more than 50 commands");
    }
    found
}

/// Adds the analysis of `text` to `line`. `depth` is the number of enclosing command lines.
fn analyse_nested(text: &str, line: &mut LineAnalysis, depth: usize) {
    if let Some(doubt) = distrusted_text(text) {
        line.doubt.get_or_insert(doubt);
    }
    let program = if depth > MAX_NESTING || text.len() > MAX_LINE_BYTES {
        Err("it is longer or deeper than what is looked into")
    } else {
        parse(text)
    };
    match program {
        Ok(program) => CommandVisitor { line, depth }.program(&program),
        Err(doubt) => {
            line.doubt.get_or_insert(doubt);
            line.may_run_anything = true;
        }
    }
}

/// A reason to distrust a text before it is parsed.
fn distrusted_text(text: &str) -> Option<&'static str> {
    if text.contains("\\\n") {
        return Some("it goes on over the end of a line");
    }
    let is_plain = |c: char| c == '\n' || c == '\t' || c == ' ' || !super::visible::is_invisible(c);
    (!text.chars().all(is_plain)).then_some("it holds characters that cannot be seen")
}

/// Parses a line after checking the limits that keep the parser fast.
fn parse(text: &str) -> Result<brush_parser::ast::Program, &'static str> {
    let opened = text.matches(['(', '`']).count() + text.matches("${").count();
    if opened > MAX_OPENINGS {
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
                // The parser's time for a possible assignment is exponential in its brackets.
                if word.contains('=')
                    && word.matches(['(', '{', '`']).count() > MAX_ASSIGNMENT_BRACKETS
                {
                    return Err("it is nested too deeply");
                }
                cases += usize::from(word == "case");
                opening += usize::from(OPENING_WORDS.contains(&word.as_str()));
            }
        }
    }
    if deepest + cases > MAX_NESTING || opening > MAX_OPENINGS {
        return Err("it is nested too deeply");
    }
    parse_tokens(&tokens, &ParserOptions::default()).map_err(|_| UNREADABLE)
}

impl LineAnalysis {
    /// Adds a command that may run.
    fn add_possible(&mut self, words: Vec<Word>) {
        if self.possible.len() < MAX_STORED_COMMANDS {
            self.possible.push(words);
        } else {
            self.may_run_anything = true;
        }
    }

    /// Adds the commands of a command line that may run.
    fn add_possible_line(&mut self, text: &str, depth: usize) {
        let mut line = LineAnalysis::default();
        if self.possible.len() < MAX_STORED_COMMANDS {
            analyse_nested(text, &mut line, depth);
        } else {
            line.may_run_anything = true;
        }
        for words in line.commands.into_iter().map(|c| c.words).chain(line.possible) {
            self.add_possible(words);
        }
        self.redirects.extend(line.redirects);
        self.may_run_anything |= line.may_run_anything;
    }

    /// Every command that may run.
    pub(super) fn may_run(&self) -> impl Iterator<Item = &[Word]> {
        let commands = self.commands.iter().map(|c| c.words.as_slice());
        let anything = self.may_run_anything.then_some(ANY_COMMAND.as_slice());
        commands.chain(self.possible.iter().map(Vec::as_slice)).chain(anything)
    }
}

#[cfg(test)]
mod tests;
