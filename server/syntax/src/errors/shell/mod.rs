//! A parser of the grammar that shells read before they run anything: what `bash -n` refuses.
//!
//! The tree is not used: its parser takes most of the language, but not all of it, and brackets alone
//! mean little to a shell. One error is found in a text, for nothing behind it can be trusted; it is
//! reported where the parser stopped and where the unclosed part opens. Where shells differ,
//! or it is not clear what a bracket is, nothing is reported.
//!
//! A quote that is missing or doubled turns strings and commands around up to the next mistake of
//! its kind. [`repair`] finds the line whose change makes the text right again.

mod commands;
mod compound;
mod parser;
mod patterns;
mod repair;
mod report;
mod words;

use super::SyntaxError;
use parser::{Parser, Stop};

/// Commands that only zsh has, which its files begin lines with.
const ZSH: &[&str] = &[
    "autoload", "bindkey", "compdef", "emulate", "setopt", "unsetopt", "zcompile", "zle",
    "zmodload", "zstyle", "zinit",
];

/// Which shell reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Bash, as the first line says.
    Bash,
    /// Bash or a smaller one: what only some of them refuse is no error.
    Any,
}

/// The dialect of a text, if it is one that is read here.
fn dialect(source: &str) -> Option<Dialect> {
    let first = source.lines().next().unwrap_or_default();
    let names = |word: &str| first.starts_with('#') && first.contains(word);
    if ["zsh", "compdef", "autoload"].into_iter().any(names) {
        return None;
    }
    let is_zsh = |line: &str| {
        let word = line.split_whitespace().next();
        word.is_some_and(|word| ZSH.contains(&word))
    };
    // Templates are not read before they are filled in.
    if source.contains("{%") || source.contains("<%") || source.lines().any(is_zsh) {
        return None;
    }
    let is_bash = first.starts_with("#!") && first.contains("bash");
    Some(if is_bash { Dialect::Bash } else { Dialect::Any })
}

/// The errors that the text shows: one mistake, in all places that show it.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let Some(dialect) = dialect(source) else { return Vec::new() };
    let mut parser = Parser::new(source, dialect);
    let failure = match parser.program() {
        Err(Stop::Failed(failure)) => failure,
        Err(Stop::Unclear) => return Vec::new(),
        Ok(()) => return Vec::new(),
    };
    if let Some(error) = repair::misquoted(source, dialect, &parser) {
        return vec![error];
    }
    failure
}
