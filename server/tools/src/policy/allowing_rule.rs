//! The rules that would allow a denied call, as a person can write them into their settings.

use std::fmt::Write;

use serde_json::Value;

use super::evaluation::{Evaluation, Guarded};
use super::rules::{Rules, Ruling};
use super::settings::{RuleSettings, RunRule};
use super::shell::{Word, analyse_line};
use crate::{Effect, EffectKind, Target, ToolError, ToolRequest};

/// Longest rules that a message prints, in bytes.
const MAX_TEXT_BYTES: usize = 600;

/// A call with the objections to it.
pub(super) struct DeniedCall<'a> {
    pub(super) tool: &'a str,
    pub(super) params: &'a Value,
    pub(super) effects: &'a [Effect],
    pub(super) objections: &'a [(usize, Ruling)],
}

/// The shortest rules that allow the call, as TOML; `None` if none do. They are tried, not guessed.
pub(super) fn allowing_rules(
    rules: &Rules,
    request: &ToolRequest<'_>,
    call: &DeniedCall<'_>,
    guarded: &Guarded,
) -> Result<Option<String>, ToolError> {
    let Some(candidates) = candidates(call) else { return Ok(None) };
    let text = as_toml(&candidates);
    if candidates.is_empty() || text.len() > MAX_TEXT_BYTES {
        return Ok(None);
    }
    let Some(extended) = rules.with_allowed(&candidates) else { return Ok(None) };
    let DeniedCall { tool, params, effects, .. } = *call;
    let left = Evaluation::objections(&extended, request, tool, params, effects, guarded)?;
    Ok(left.is_empty().then_some(text))
}

/// Rules with exactly the targets of the effects that were objected to.
fn candidates(call: &DeniedCall<'_>) -> Option<RuleSettings> {
    let mut rules = RuleSettings::default();
    let runs = call.effects.iter().any(|effect| matches!(effect.target, Target::Command(_)));
    for (index, _) in call.objections {
        let effect = call.effects.get(*index)?;
        match (&effect.target, effect.kind) {
            (Target::Command(command), _) => {
                let lines = if command.network || !command.sandbox {
                    &mut rules.run_unconfined
                } else {
                    &mut rules.run
                };
                for words in analyse_line(&command.line).commands.iter().map(|c| &c.words) {
                    let rule = run_rule(words)?;
                    if !lines.iter().any(|known| words_of(known) == words_of(&rule)) {
                        lines.push(rule);
                    }
                }
            }
            (Target::Path(path) | Target::Tree(path), kind) => {
                add(path_list(&mut rules, kind)?, literal_pattern(&path.display_path())?);
            }
            (Target::Repository(path), kind) => {
                add(path_list(&mut rules, kind)?, literal_pattern(path.to_str()?)?);
            }
            // What an allowed command may do needs no rule of its own.
            (Target::Named(_), _) if runs => {}
            (Target::Named(name), EffectKind::Network) => add(&mut rules.network, name.clone()),
            (Target::Named(name), EffectKind::Admin) => add(&mut rules.admin, name.clone()),
            (Target::Named(_), _) => return None,
        }
    }
    Some(rules)
}

fn add(list: &mut Vec<String>, entry: String) {
    if !list.contains(&entry) {
        list.push(entry);
    }
}

fn path_list(rules: &mut RuleSettings, kind: EffectKind) -> Option<&mut Vec<String>> {
    match kind {
        EffectKind::Read => Some(&mut rules.read),
        EffectKind::Write => Some(&mut rules.write),
        EffectKind::Delete => Some(&mut rules.delete),
        _ => None,
    }
}

/// A pattern that matches only this path; `None` if it has special characters.
fn literal_pattern(path: &str) -> Option<String> {
    let is_plain =
        !path.is_empty() && !path.contains(['*', '?', '[', '{', '\\', '!', '~', '\u{7f}']);
    is_plain.then(|| path.to_owned())
}

/// A rule of exactly these words; as one line if that means the same.
fn run_rule(words: &[Word]) -> Option<RunRule> {
    let words: Option<Vec<String>> =
        words.iter().map(|word| word.known().map(str::to_owned)).collect();
    let words = words?;
    let is_plain = |word: &String| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c))
    };
    // A `*` is a wildcard in rules.
    if words.iter().any(|word| word.contains(['*', '\u{7f}'])) {
        return None;
    }
    Some(match words.iter().all(is_plain) {
        true => RunRule::Line(words.join(" ")),
        false => RunRule::Words(words),
    })
}

fn words_of(rule: &RunRule) -> String {
    match rule {
        RunRule::Line(line) => line.clone(),
        RunRule::Words(words) => words.join("\0"),
    }
}

/// The rules as lines of a settings file.
fn as_toml(rules: &RuleSettings) -> String {
    let mut text = "[policy.allow]".to_owned();
    let mut list = |key: &str, entries: Vec<String>| {
        if !entries.is_empty() {
            // Writing to a String does not fail.
            let _ = write!(text, "\n{key} = [{}]", entries.join(", "));
        }
    };
    // JSON's escapes are TOML's, too.
    let quoted = |text: &String| Value::from(text.as_str()).to_string();
    let commands = |rules: &[RunRule]| -> Vec<String> {
        let one = |rule: &RunRule| match rule {
            RunRule::Line(line) => quoted(line),
            RunRule::Words(words) => {
                format!("[{}]", words.iter().map(quoted).collect::<Vec<_>>().join(", "))
            }
        };
        rules.iter().map(one).collect()
    };
    list("run", commands(&rules.run));
    list("run_unconfined", commands(&rules.run_unconfined));
    let names = |names: &[String]| names.iter().map(quoted).collect::<Vec<_>>();
    for (key, entries) in [
        ("read", &rules.read),
        ("write", &rules.write),
        ("delete", &rules.delete),
        ("network", &rules.network),
        ("admin", &rules.admin),
    ] {
        list(key, names(entries));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::settings::Settings;

    #[test]
    fn rules_are_printed_as_settings() {
        let rules = RuleSettings {
            run: vec![
                RunRule::Line("cargo test".to_owned()),
                RunRule::Words(vec!["echo".to_owned(), "a \"b\"\n".to_owned()]),
            ],
            write: vec![".vscode/settings.json".to_owned()],
            ..RuleSettings::default()
        };
        let text = as_toml(&rules);
        let parsed = Settings::parse(text.as_bytes()).unwrap().policy.allow;
        assert_eq!(as_toml(&parsed), text);
        assert!(text.contains("run = [\"cargo test\", [\"echo\", "), "{text}");
    }

    #[test]
    fn only_known_words_make_a_rule() {
        let known = |word: &str| Word::Known(word.to_owned());
        assert!(matches!(run_rule(&[known("ls"), known("-l")]), Some(RunRule::Line(_))));
        assert!(matches!(run_rule(&[known("echo"), known("a b")]), Some(RunRule::Words(_))));
        assert!(run_rule(&[known("echo"), Word::Unknown]).is_none());
        assert!(run_rule(&[known("echo"), known("*")]).is_none());
    }
}
