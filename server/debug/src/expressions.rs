//! How an adapter takes expressions, for languages that are unlike most others.

use serde::Deserialize;
use serde_json::json;

use crate::TemplateValues;
use crate::side_effects::is_side_effect_free;
use crate::template::fill_all;

/// The table's entry about expressions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expressions {
    /// Whether the adapter runs expressions as commands. A name alone has no side effects then, and
    /// a condition always may have.
    #[serde(rename = "are_commands")]
    runs_commands: bool,
    /// The sign before variable names (`$`), which the adapter must not get.
    sigil: String,
    /// The template for an `{expression}` that is not just a name.
    watch: Option<String>,
    /// The same in a `repl` context, which may be a statement.
    repl: Option<String>,
    /// The template for a condition without sigils, made of names, numbers and comparisons.
    condition: Option<String>,
}

impl Expressions {
    /// Whether an expression has no side effects.
    pub(crate) fn has_no_side_effects(&self, expression: &str) -> bool {
        if self.runs_commands {
            self.as_name(expression).is_some()
        } else {
            is_side_effect_free(expression)
        }
    }

    /// Whether a condition has no side effects.
    pub(crate) fn is_side_effect_free_condition(&self, condition: &str) -> bool {
        !self.runs_commands && is_side_effect_free(condition)
    }

    /// Whether expressions run as commands.
    pub(crate) fn runs_commands(&self) -> bool {
        self.runs_commands
    }

    /// An expression in the form the adapter takes; `None` if it has several lines and the adapter
    /// takes only one.
    pub(crate) fn for_adapter(&self, expression: &str, context: &str) -> Option<String> {
        if !self.runs_commands {
            return Some(expression.to_owned());
        }
        let is_statement = context == "repl";
        if let Some(name) = self.as_name(expression).filter(|_| !is_statement) {
            return Some(name.to_owned());
        }
        if expression.contains(['\n', '\r']) {
            return None;
        }
        let template = if is_statement { &self.repl } else { &self.watch };
        Some(fill(template.as_deref(), expression))
    }

    /// A condition in the form the adapter takes.
    pub(crate) fn condition(&self, condition: &str) -> String {
        let has_sigil = !self.sigil.is_empty() && condition.contains(&self.sigil);
        let has_text = condition.contains(['"', '\'']);
        let template = self.condition.as_deref();
        fill(
            template.filter(|_| !has_sigil && !has_text && is_side_effect_free(condition)),
            condition,
        )
    }

    /// The name, if an expression is nothing else.
    fn as_name<'e>(&self, expression: &'e str) -> Option<&'e str> {
        let trimmed = expression.trim();
        let name = trimmed.strip_prefix(self.sigil.as_str()).unwrap_or(trimmed);
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        is_name.then_some(name)
    }
}

fn fill(template: Option<&str>, expression: &str) -> String {
    let Some(template) = template else { return expression.to_owned() };
    let values = TemplateValues::from([("expression", json!(expression))]);
    fill_all(&[template.to_owned()], &values).pop().unwrap_or_else(|| expression.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::Adapters;

    #[test]
    fn command_adapters_evaluate_only_names_without_approval() {
        let all = Adapters::builtin();
        let bash = &all.iter().find(|one| one.name == "bash-dap").unwrap().expressions;
        for name in ["count", "$count", " _a1 "] {
            assert!(bash.has_no_side_effects(name), "{name}");
            assert_eq!(
                bash.for_adapter(name, "watch").unwrap(),
                name.trim().trim_start_matches('$')
            );
        }
        for other in ["", "$", "$1", "1", "$$", "a b", "a[0]", "a.b", "-v", "$(ls)", "a\nb", "é"] {
            assert!(!bash.has_no_side_effects(other), "{other}");
        }
        assert_eq!(bash.for_adapter("echo a)", "repl").unwrap(), "\"$(echo a))\"");
        assert_ne!(bash.for_adapter("a b", "watch"), bash.for_adapter("a b", "repl"));
        assert_eq!(bash.for_adapter("a\nb", "watch"), None);
        assert!(!bash.is_side_effect_free_condition("count"));
        assert_eq!(bash.condition("i == 3 && n > 2"), "(( i == 3 && n > 2 ))");
        for own in ["[[ $i == 3 ]]", "$i", "test -f x", "[[ -f x ]]", "mode == 'x'"] {
            assert_eq!(bash.condition(own), own);
        }
        let python = &all.iter().find(|one| one.name == "debugpy").unwrap().expressions;
        assert!(
            python.has_no_side_effects("a.b[0]") && python.is_side_effect_free_condition("n == 2")
        );
        assert_eq!(python.for_adapter("a\nb", "watch").unwrap(), "a\nb");
        assert_eq!(python.condition("n == 2"), "n == 2");
    }
}
