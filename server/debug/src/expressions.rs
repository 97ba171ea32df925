//! How an adapter takes expressions, where that is not as languages mostly have them.

use serde::Deserialize;
use serde_json::json;

use crate::Values;
use crate::plain::is_plain;
use crate::template::words;

/// What of the table says so.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expressions {
    /// Whether the adapter runs what it is given as commands: a name alone does nothing but look, and
    /// a condition always does more.
    are_commands: bool,
    /// What a name may begin with, and is told to the adapter without.
    sigil: String,
    /// What it is told in place of an `{expression}` that is no name alone.
    watch: Option<String>,
    /// The same, for what may be a statement.
    repl: Option<String>,
    /// What a condition becomes that has no sigil and is made of names, numbers and comparisons.
    condition: Option<String>,
}

impl Expressions {
    /// Whether an expression does nothing but look.
    pub(crate) fn only_look(&self, expression: &str) -> bool {
        if self.are_commands { self.name(expression).is_some() } else { is_plain(expression) }
    }

    /// Whether a condition does nothing but look.
    pub(crate) fn conditions_only_look(&self, condition: &str) -> bool {
        !self.are_commands && is_plain(condition)
    }

    /// Whether functions are stopped in under a condition.
    pub(crate) fn are_commands(&self) -> bool {
        self.are_commands
    }

    /// What the adapter is told for an expression; `None` where it has several lines and the adapter
    /// takes one.
    pub(crate) fn told(&self, expression: &str, context: &str) -> Option<String> {
        if !self.are_commands {
            return Some(expression.to_owned());
        }
        let is_statement = context == "repl";
        if let Some(name) = self.name(expression).filter(|_| !is_statement) {
            return Some(name.to_owned());
        }
        if expression.contains(['\n', '\r']) {
            return None;
        }
        let template = if is_statement { &self.repl } else { &self.watch };
        Some(filled(template.as_deref(), expression))
    }

    /// What the adapter is told for a condition.
    pub(crate) fn condition(&self, condition: &str) -> String {
        let is_its_own = !self.sigil.is_empty() && condition.contains(&self.sigil);
        let has_text = condition.contains(['"', '\'']);
        let template = self.condition.as_deref();
        filled(template.filter(|_| !is_its_own && !has_text && is_plain(condition)), condition)
    }

    /// The name that an expression is, alone.
    fn name<'e>(&self, expression: &'e str) -> Option<&'e str> {
        let trimmed = expression.trim();
        let name = trimmed.strip_prefix(self.sigil.as_str()).unwrap_or(trimmed);
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        is_name.then_some(name)
    }
}

fn filled(template: Option<&str>, expression: &str) -> String {
    let Some(template) = template else { return expression.to_owned() };
    let values = Values::from([("expression", json!(expression))]);
    words(&[template.to_owned()], &values).pop().unwrap_or_else(|| expression.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::Adapters;

    #[test]
    fn what_runs_commands_is_given_names_alone_without_leave() {
        let all = Adapters::embedded();
        let bash = &all.iter().find(|one| one.name == "bash-dap").unwrap().expressions;
        for name in ["count", "$count", " _a1 "] {
            assert!(bash.only_look(name), "{name}");
            assert_eq!(bash.told(name, "watch").unwrap(), name.trim().trim_start_matches('$'));
        }
        for other in ["", "$", "$1", "1", "$$", "a b", "a[0]", "a.b", "-v", "$(ls)", "a\nb", "é"] {
            assert!(!bash.only_look(other), "{other}");
        }
        assert_eq!(bash.told("echo a)", "repl").unwrap(), "\"$(echo a))\"");
        assert_ne!(bash.told("a b", "watch"), bash.told("a b", "repl"));
        assert_eq!(bash.told("a\nb", "watch"), None);
        assert!(!bash.conditions_only_look("count"));
        assert_eq!(bash.condition("i == 3 && n > 2"), "(( i == 3 && n > 2 ))");
        for own in ["[[ $i == 3 ]]", "$i", "test -f x", "[[ -f x ]]", "mode == 'x'"] {
            assert_eq!(bash.condition(own), own);
        }
        let python = &all.iter().find(|one| one.name == "debugpy").unwrap().expressions;
        assert!(python.only_look("a.b[0]") && python.conditions_only_look("n == 2"));
        assert_eq!(python.told("a\nb", "watch").unwrap(), "a\nb");
        assert_eq!(python.condition("n == 2"), "n == 2");
    }
}
