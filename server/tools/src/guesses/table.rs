//! The table of other names, from `names.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;

/// The parsed table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    parameters: BTreeMap<String, Vec<String>>,
    ignored: BTreeMap<String, Vec<Value>>,
    file_types: BTreeMap<String, String>,
    tools: Vec<NamedTool>,
}

/// Tools of other agents that do the work of one of ours.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedTool {
    pub(crate) names: Vec<String>,
    /// Our tool.
    #[serde(default)]
    pub(crate) is: Option<String>,
    /// Their patterns match at any depth, and one without wildcards is part of a name.
    #[serde(default)]
    pub(crate) pattern_anywhere: bool,
    /// Instead of `is`: the parameter that chooses our tool, and the tools by its values.
    #[serde(default)]
    pub(crate) by: Option<String>,
    #[serde(default)]
    pub(crate) cases: BTreeMap<String, String>,
}

/// The table. It is read once.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        toml::from_str(include_str!("names.toml"))
            .inspect_err(|error| tracing::error!("names.toml: {error}"))
            .unwrap_or_default()
    })
}

impl Table {
    /// The tool of another agent, by its name in snake case.
    pub(super) fn tool(&self, name: &str) -> Option<&NamedTool> {
        self.tools.iter().find(|tool| tool.names.iter().any(|known| known == name))
    }

    /// The only parameter in `known` that `name` is another name of.
    pub(super) fn parameter<'n>(&self, name: &str, known: &[&'n str]) -> Option<&'n str> {
        let mut all = known.iter().filter(|ours| {
            self.parameters.get(**ours).is_some_and(|names| names.iter().any(|of| of == name))
        });
        let first = all.next()?;
        all.next().is_none().then_some(*first)
    }

    /// Whether this parameter with this value changes nothing.
    pub(super) fn ignores(&self, name: &str, value: &Value) -> bool {
        let values = self.ignored.get(name);
        values.is_some_and(|values| values.iter().any(|of| of == "*" || of == value))
    }

    /// The globs of a file type, separated by commas.
    pub(super) fn file_type(&self, name: &str) -> Option<&str> {
        self.file_types.get(name).map(String::as_str)
    }

    /// The names by which other agents call our tool.
    pub(super) fn other_names<'t>(&'t self, tool: &'t str) -> impl Iterator<Item = &'t str> {
        let of = move |named: &&NamedTool| named.is.as_deref() == Some(tool);
        self.tools.iter().filter(of).flat_map(|named| named.names.iter().map(String::as_str))
    }
}

/// `filePath`, `FilePath` and `file-path` become `file_path`; options such as `-A` keep their spelling.
pub(crate) fn snake_case(name: &str) -> String {
    if name.starts_with('-') {
        return name.to_owned();
    }
    let mut snake = String::with_capacity(name.len() + 4);
    let mut after_lowercase = false;
    for c in name.chars() {
        if c == '-' || c == ' ' || c == '.' {
            snake.push('_');
        } else if c.is_uppercase() {
            if after_lowercase {
                snake.push('_');
            }
            snake.extend(c.to_lowercase());
        } else {
            snake.push(c);
        }
        after_lowercase = c.is_lowercase() || c.is_ascii_digit();
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_one_name() {
        for (name, snake) in [
            ("filePath", "file_path"),
            ("FilePath", "file_path"),
            ("file-path", "file_path"),
            ("LS", "ls"),
            ("LSP", "lsp"),
            ("MultiEdit", "multi_edit"),
            ("-A", "-A"),
            ("", ""),
            ("ÄÖ", "äö"),
        ] {
            assert_eq!(snake_case(name), snake);
        }
    }
}
