//! Rules about commands, and whether they match a parsed command line.

use super::overlap::patterns_overlap;
use super::settings::RunRule;
use super::shell::{
    LineAnalysis, ShellCommand, Word, base_name, harmless_arguments, is_harmful_option,
    names_script, takes_scripts,
};
use super::visible::is_invisible;

/// A rule's words. A final `*` stands for any further words; a `*` inside a word for any text.
#[derive(Debug, Clone)]
pub(super) struct CommandRule {
    words: Vec<String>,
    /// Whether more words may follow.
    has_open_end: bool,
    /// The rule as written.
    pub(super) source: String,
}

/// Guarded names, as they occur inside words.
const GUARDED_NAMES: &[&str] = &[".git", ".vscode", ".idea", ".tandem", ".code-workspace"];

impl CommandRule {
    /// # Errors
    /// Why the rule is invalid.
    pub(super) fn new(rule: &RunRule) -> Result<Self, String> {
        let (mut words, source) = match rule {
            RunRule::Line(line) => (split_words(line)?, line.clone()),
            RunRule::Words(words) => (words.clone(), words.join(" ")),
        };
        let invalid = |why: &str| Err(format!("`{source:.200}` is no rule for commands: {why}"));
        if words.is_empty() || words.iter().any(|w| w.len() > 1_000) || words.len() > 100 {
            return invalid("it has no words, or too many or too long ones");
        }
        if words[0].is_empty() {
            return invalid("it names no program");
        }
        let has_open_end = words.last().is_some_and(|word| word == "*");
        if has_open_end {
            words.pop();
        }
        Ok(Self { words, has_open_end, source })
    }

    /// Whether a command with these words may be one that the rule is about. Other words may stand
    /// between and after the rule's; the program may have any path.
    pub(super) fn may_match(&self, words: &[Word]) -> bool {
        let Some(program) = words.first() else { return false };
        let Some((first, rest)) = self.words.split_first() else { return true };
        match program {
            Word::Known(name) => {
                if !matches_wildcard(first, name) && !matches_wildcard(first, base_name(name)) {
                    return false;
                }
            }
            Word::Files(_) | Word::Unknown => return true,
        }
        let mut words = words[1..].iter();
        // An unknown word may stand for all missing words.
        rest.iter().all(|wanted| {
            words.as_slice().contains(&Word::Unknown)
                || words.any(|word| match word {
                    Word::Known(word) => matches_wildcard(wanted, word),
                    Word::Files(_) | Word::Unknown => true,
                })
        })
    }

    /// The program, if the rule has no arguments; it may contain a `*`.
    pub(super) fn program_only(&self) -> Option<&str> {
        match self.words.as_slice() {
            [program] => Some(program),
            _ => None,
        }
    }

    /// Whether the rule certainly covers this command.
    pub(super) fn certainly_covers(&self, command: &ShellCommand) -> bool {
        let words = &command.words;
        if words.len() < self.words.len() || (words.len() > self.words.len() && !self.has_open_end)
        {
            return false;
        }
        let Some(Word::Known(program)) = words.first() else { return false };
        let listed = harmless_arguments(words);
        // The arguments contain code to run, so no wildcard covers them.
        let takes_scripts =
            listed.is_none() && takes_scripts(program) && !names_script(&self.words);
        if (command.is_launcher || takes_scripts)
            && (self.has_open_end || self.words.iter().any(|w| w.contains('*')))
        {
            return false;
        }
        // Whether a `*` may cover `word` at `index`.
        let is_harmless = |index: usize, word: &str| {
            let starts_nothing = match &listed {
                Some(verdicts) => {
                    index.checked_sub(1).and_then(|at| verdicts.get(at)) == Some(&true)
                }
                None => index > 0 && !is_harmful_option(program, word),
            };
            starts_nothing && is_plain(word)
        };
        words.iter().enumerate().all(|(index, word)| match (self.words.get(index), word) {
            (Some(wanted), Word::Known(word)) => {
                let has_wildcard = wanted.contains('*') && matches_wildcard(wanted, word);
                word == wanted || (has_wildcard && is_harmless(index, word))
            }
            (Some(_), _) | (None, Word::Unknown) => false,
            (None, Word::Known(word)) => is_harmless(index, word),
            // A file name that starts like this cannot be taken for an option.
            (None, Word::Files(pattern)) => {
                !pattern.starts_with(['*', '?', '[', '-'])
                    && is_harmless(index, pattern)
                    && !may_name_guarded(program, pattern)
            }
        })
    }
}

/// Whether a `*` may cover `word` as an argument of any program.
fn is_plain(word: &str) -> bool {
    !word.chars().any(is_invisible)
        // Some builtins evaluate their arguments again.
        && !word.contains("$(")
        && !word.contains('`')
        && !names_guarded(word)
}

/// Whether `word` contains a guarded name.
fn names_guarded(word: &str) -> bool {
    let word = word.to_uppercase().to_lowercase();
    GUARDED_NAMES.iter().any(|name| {
        word.match_indices(name).any(|(at, _)| {
            let next = word[at + name.len()..].chars().next();
            !next.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-')
        })
    })
}

/// Whether `pattern` may match a guarded name.
fn may_name_guarded(program: &str, pattern: &str) -> bool {
    let mut names = pattern.split(['/', '=', ':', ',']);
    let only_looks = ["ls", "cat", "head", "tail", "grep", "wc"].contains(&base_name(program));
    names.any(|name| {
        GUARDED_NAMES
            .iter()
            .filter(|guarded| **guarded != ".code-workspace")
            .any(|g| patterns_overlap(name, g))
            || (patterns_overlap(name, "*.code-workspace") && !(only_looks && name == "*"))
    })
}

/// Whether the rule covers the command and has no wildcards.
pub(super) fn is_literal_match(rule: &CommandRule, command: &ShellCommand) -> bool {
    !rule.has_open_end
        && !rule.words.iter().any(|word| word.contains('*'))
        && rule.certainly_covers(command)
}

/// Whether `text` matches `pattern`, in which `*` stands for any text.
pub(super) fn matches_wildcard(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Splits a rule that is written as one line.
fn split_words(line: &str) -> Result<Vec<String>, String> {
    let invalid = |why: &str| Err(format!("`{line:.200}` is no rule for commands: {why}"));
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, ';' | '|' | '&' | '<' | '>' | '$' | '`' | '\\' | '(' | ')') => {
                return invalid("it is about one command; quote what is meant literally");
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return invalid("a quote is not closed");
    }
    words.extend(word);
    Ok(words)
}

/// Whether `allows` accepts every command of a line.
pub(super) fn is_allowed(
    line: &LineAnalysis,
    in_root: bool,
    allows: impl Fn(&ShellCommand) -> bool,
) -> bool {
    line.doubt.is_none()
        && !line.commands.is_empty()
        && line.commands.iter().all(|command| {
            let Some(Word::Known(program)) = command.words.first() else { return false };
            // A relative path names different programs in different folders.
            let is_relative = program.contains('/') && !program.starts_with('/');
            let is_fixed = !is_relative || (in_root && !line.changes_folder);
            is_fixed && allows(command)
        })
}
