//! Shell: a parser for the grammar that shells check before they run anything, like `bash -n`.
//!
//! The tree is not used: its grammar covers most of the language, but not all, and brackets alone
//! mean little in a shell. Only one error is reported per text, because nothing after it can be
//! trusted; it is reported where parsing stopped and where the unclosed construct starts. Where
//! shells differ, or the meaning of a bracket is unclear, nothing is reported.
//!
//! A missing or superfluous quote swaps strings and code up to the next such mistake. [`repair`]
//! finds the line whose change makes the text valid.

mod commands;
mod compound;
mod parser;
mod patterns;
mod repair;
mod report;
mod words;

use super::SyntaxError;
use parser::{Parser, Stop};

/// Commands of zsh only, at the start of lines.
const ZSH_COMMANDS: &[&str] = &[
    "autoload", "bindkey", "compdef", "emulate", "setopt", "unsetopt", "zcompile", "zle",
    "zmodload", "zstyle", "zinit",
];

/// The shell that a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Bash, according to the `#!` line.
    Bash,
    /// Bash or a smaller shell: constructs that only some of them reject are no error.
    Any,
}

/// The dialect of a text; `None` if it is not supported.
fn dialect(source: &str) -> Option<Dialect> {
    let first = source.lines().next().unwrap_or_default();
    let names = |word: &str| first.starts_with('#') && first.contains(word);
    if ["zsh", "compdef", "autoload"].into_iter().any(names) {
        return None;
    }
    let is_zsh = |line: &str| {
        let word = line.split_whitespace().next();
        word.is_some_and(|word| ZSH_COMMANDS.contains(&word))
    };
    // Templates are not valid shell code.
    if source.contains("{%") || source.contains("<%") || source.lines().any(is_zsh) {
        return None;
    }
    let is_bash = first.starts_with("#!") && first.contains("bash");
    Some(if is_bash { Dialect::Bash } else { Dialect::Any })
}

/// The errors of a text: one mistake, at all positions that show it.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    let Some(dialect) = dialect(source) else { return Vec::new() };
    let mut parser = Parser::new(source, dialect);
    let failure = match parser.program() {
        Err(Stop::Failed(failure)) => failure,
        Err(Stop::Unclear) => return Vec::new(),
        Ok(()) => return Vec::new(),
    };
    if let Some(error) = repair::misplaced_quote_error(source, dialect, &parser) {
        return vec![error];
    }
    failure
}
