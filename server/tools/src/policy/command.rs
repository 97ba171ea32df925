//! Rules about commands.

use super::overlap::overlap;
use super::settings::RunRule;
use super::shell::{
    Line, Simple, Word, base_name, harmless_arguments, is_telling, names_script, takes_scripts,
};
use super::visible::is_hidden;

/// The words of a command that a rule is about. The last one may be `*`: whatever follows. A `*`
/// inside a word stands for a part of that word.
#[derive(Debug, Clone)]
pub(super) struct CommandRule {
    words: Vec<String>,
    /// Whether more may follow.
    is_open: bool,
    /// As it stands in the settings.
    pub(super) written: String,
}

/// Parts of names where editors and tools look for what they run.
const GUARDED: &[&str] = &[".git", ".vscode", ".idea", ".tandem", ".code-workspace"];

impl CommandRule {
    /// # Errors
    /// Why it is no rule.
    pub(super) fn new(rule: &RunRule) -> Result<Self, String> {
        let (mut words, written) = match rule {
            RunRule::Line(line) => (split(line)?, line.clone()),
            RunRule::Words(words) => (words.clone(), words.join(" ")),
        };
        let wrong = |why: &str| Err(format!("`{written:.200}` is no rule for commands: {why}"));
        if words.is_empty() || words.iter().any(|w| w.len() > 1_000) || words.len() > 100 {
            return wrong("it has no words, or too many or too long ones");
        }
        if words[0].is_empty() {
            return wrong("it names no program");
        }
        let is_open = words.last().is_some_and(|word| word == "*");
        if is_open {
            words.pop();
        }
        Ok(Self { words, is_open, written })
    }

    /// Whether a command with these words is, or may turn out to be, one that the rule is about.
    /// The rule's words may have others between and behind them; the program may be named by any
    /// path.
    pub(super) fn may_match(&self, words: &[Word]) -> bool {
        let Some(program) = words.first() else { return false };
        let Some((first, rest)) = self.words.split_first() else { return true };
        match program {
            Word::Known(name) => {
                if !is_like(first, name) && !is_like(first, base_name(name)) {
                    return false;
                }
            }
            Word::Files(_) | Word::Unknown => return true,
        }
        let mut words = words[1..].iter();
        // Something unknown may be all that is missing.
        rest.iter().all(|wanted| {
            words.as_slice().contains(&Word::Unknown)
                || words.any(|word| match word {
                    Word::Known(word) => is_like(wanted, word),
                    Word::Files(_) | Word::Unknown => true,
                })
        })
    }

    /// The program that the rule is about whatever its arguments; a `*` may stand in it.
    pub(super) fn whole_program(&self) -> Option<&str> {
        match self.words.as_slice() {
            [program] => Some(program),
            _ => None,
        }
    }

    /// Whether the rule is about this very command, beyond doubt.
    pub(super) fn is_about(&self, command: &Simple) -> bool {
        let words = &command.words;
        if words.len() < self.words.len() || (words.len() > self.words.len() && !self.is_open) {
            return false;
        }
        let Some(Word::Known(program)) = words.first() else { return false };
        let listed = harmless_arguments(words);
        // What is among the arguments would be run as well: only as it is written.
        let takes_scripts =
            listed.is_none() && takes_scripts(program) && !names_script(&self.words);
        if (command.is_launcher || takes_scripts)
            && (self.is_open || self.words.iter().any(|w| w.contains('*')))
        {
            return false;
        }
        // Whether a `*` may stand for the word at `index`, which reads `word`.
        let is_harmless = |index: usize, word: &str| {
            let starts_nothing = match &listed {
                Some(verdicts) => {
                    index.checked_sub(1).and_then(|at| verdicts.get(at)) == Some(&true)
                }
                None => index > 0 && !is_telling(program, word),
            };
            starts_nothing && is_plain(word)
        };
        words.iter().enumerate().all(|(index, word)| match (self.words.get(index), word) {
            (Some(wanted), Word::Known(word)) => {
                let is_open = wanted.contains('*') && is_like(wanted, word);
                word == wanted || (is_open && is_harmless(index, word))
            }
            (Some(_), _) | (None, Word::Unknown) => false,
            (None, Word::Known(word)) => is_harmless(index, word),
            // A name that begins like this is no option.
            (None, Word::Files(pattern)) => {
                !pattern.starts_with(['*', '?', '[', '-'])
                    && is_harmless(index, pattern)
                    && !may_name_guarded(program, pattern)
            }
        })
    }
}

/// Whether a `*` may stand for `word` in the arguments of any program.
fn is_plain(word: &str) -> bool {
    !word.chars().any(is_hidden)
        // Some builtins evaluate their arguments once more.
        && !word.contains("$(")
        && !word.contains('`')
        && !names_guarded(word)
}

/// Whether `word` names, somewhere in it, a place where editors and tools look for what they run.
fn names_guarded(word: &str) -> bool {
    let word = word.to_uppercase().to_lowercase();
    GUARDED.iter().any(|name| {
        word.match_indices(name).any(|(at, _)| {
            let next = word[at + name.len()..].chars().next();
            !next.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-')
        })
    })
}

/// Whether `pattern` may turn out to be the name of such a place.
fn may_name_guarded(program: &str, pattern: &str) -> bool {
    let mut names = pattern.split(['/', '=', ':', ',']);
    let only_looks = ["ls", "cat", "head", "tail", "grep", "wc"].contains(&base_name(program));
    names.any(|name| {
        GUARDED.iter().filter(|guarded| **guarded != ".code-workspace").any(|g| overlap(name, g))
            || (overlap(name, "*.code-workspace") && !(only_looks && name == "*"))
    })
}

/// Whether the rule is for exactly the words of a command, none of them left open.
pub(super) fn is_exactly(rule: &CommandRule, command: &Simple) -> bool {
    !rule.is_open && !rule.words.iter().any(|word| word.contains('*')) && rule.is_about(command)
}

/// Whether `text` is `pattern`, a `*` in which stands for any text.
pub(super) fn is_like(pattern: &str, text: &str) -> bool {
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

/// The words of a rule that is written as a line.
fn split(line: &str) -> Result<Vec<String>, String> {
    let wrong = |why: &str| Err(format!("`{line:.200}` is no rule for commands: {why}"));
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
                return wrong("it is about one command; quote what is meant literally");
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return wrong("a quote is not closed");
    }
    words.extend(word);
    Ok(words)
}

/// Whether every command of a line is allowed, as far as one rule for each goes.
pub(super) fn is_allowed(line: &Line, in_root: bool, allows: impl Fn(&Simple) -> bool) -> bool {
    line.doubt.is_none()
        && !line.commands.is_empty()
        && line.commands.iter().all(|command| {
            let Some(Word::Known(program)) = command.words.first() else { return false };
            // A relative path is another program in another folder.
            let is_relative = program.contains('/') && !program.starts_with('/');
            let is_fixed = !is_relative || (in_root && !line.changes_folder);
            is_fixed && allows(command)
        })
}
