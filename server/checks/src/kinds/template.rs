//! The words of a command: placeholders filled with the values of a call.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Runner;

/// Values of a call by the names of placeholders.
pub(crate) type Values = BTreeMap<&'static str, Vec<String>>;

/// How the names of tests are quoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Quote {
    /// As they are.
    #[default]
    Plain,
    /// As a regular expression.
    Regex,
    /// As a regular expression for each part of a path: Go.
    Go,
    /// `CLASS#NAME` as `CLASS.NAME`: Gradle.
    Dot,
}

impl Quote {
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Self::Plain => name.to_owned(),
            Self::Regex => regex::escape(name),
            Self::Go => {
                let parts = name.split('/').map(|part| format!("^{}$", regex::escape(part)));
                parts.collect::<Vec<_>>().join("/")
            }
            Self::Dot => name.replace('#', "."),
        }
    }
}

/// The words of a runner's command for these values. A word `{NAME}` of the command is replaced by the
/// words of that name, or left out. In those, `{}` is the value, several joined by commas; `{SEPARATOR}`
/// joins them by another separator; and the word `{*}` is a word for each.
///
/// # Errors
/// The name of a value for which the command has no place.
pub(crate) fn expand(
    runner: &Runner,
    command: &[String],
    values: &Values,
) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    for word in command {
        let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            words.push(word.clone());
            continue;
        };
        let Some(values) = values.get(name) else { continue };
        match runner.words.get(name) {
            Some(template) => template.iter().for_each(|word| fill(word, values, &mut words)),
            // Words that a reader or a place has made are complete.
            None => words.extend(values.iter().cloned()),
        }
    }
    // A separator with nothing after it.
    if words.last().is_some_and(|word| word == "--") {
        words.pop();
    }
    let has_place = |name: &str| {
        let word = format!("{{{name}}}");
        let other = runner.coverage.as_ref().and_then(|coverage| coverage.command.as_ref());
        runner.command.contains(&word)
            || other.is_some_and(|command| name == "coverage" || command.contains(&word))
            || runner.before.iter().flatten().any(|own| *own == word)
    };
    match values.keys().find(|name| !has_place(name)) {
        // Choices that only some commands know.
        Some(&("whole" | "workspace" | "check" | "write" | "unit")) | None => Ok(words),
        Some(name) => Err(name),
    }
}

fn fill(word: &str, values: &[String], words: &mut Vec<String>) {
    if word == "{*}" {
        words.extend(values.iter().cloned());
        return;
    }
    let Some((before, rest)) = word.split_once('{') else {
        words.push(word.to_owned());
        return;
    };
    let Some((separator, after)) = rest.split_once('}') else {
        words.push(word.to_owned());
        return;
    };
    let separator = if separator.is_empty() { "," } else { separator };
    words.push(format!("{before}{}{after}", values.join(separator)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(text: &str) -> Runner {
        toml::from_str(&format!("name = 'x'\ninstall = 'y'\n{text}")).unwrap()
    }

    #[test]
    fn placeholders_are_filled_or_left_out() {
        let runner = runner(
            "command = ['t', '{features}', '{path}', '--', '{only}']\n\
             words = { features = ['--features={}'], path = ['{*}'], only = ['^({|})$'] }",
        );
        let values = |pairs: &[(&'static str, &[&str])]| -> Values {
            let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
            pairs.iter().map(|(name, words)| (*name, owned(words))).collect()
        };
        let words = |pairs: &[(&'static str, &[&str])]| {
            expand(&runner, &runner.command, &values(pairs)).map(|words| words.join(" "))
        };
        assert_eq!(words(&[]).unwrap(), "t");
        assert_eq!(words(&[("features", &["a", "b"])]).unwrap(), "t --features=a,b");
        let all = words(&[("path", &["p", "q"]), ("only", &["x", "y"])]);
        assert_eq!(all.unwrap(), "t p q -- ^(x|y)$");
        assert_eq!(words(&[("release", &[])]), Err("release"));
        assert_eq!(words(&[("whole", &[])]).unwrap(), "t");
    }

    #[test]
    fn names_are_quoted_for_their_runner() {
        assert_eq!(Quote::Go.apply("TestA/b.c"), "^TestA$/^b\\.c$");
        assert_eq!(Quote::Regex.apply("a (b)"), "a \\(b\\)");
        assert_eq!(Quote::Dot.apply("a.B#c"), "a.B.c");
    }
}
