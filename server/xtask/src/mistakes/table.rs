//! The table (`mistakes.toml`): languages with their projects and checkers. The kinds of mistakes in
//! it are read by `server/syntax/examples/mistakes.rs`.

use crate::Failure;
use std::path::Path;

/// A language to measure.
#[derive(Debug)]
pub(super) struct LanguageRow {
    pub(super) id: String,
    source: Option<String>,
    pub(super) projects: Vec<String>,
    extensions: Vec<String>,
    /// Texts with one of these are in another language.
    pub(super) without: Vec<String>,
    pub(super) checker: String,
}

impl LanguageRow {
    /// The language of `languages.toml`.
    pub(super) fn source(&self) -> &str {
        self.source.as_deref().unwrap_or(&self.id)
    }

    pub(super) fn takes(&self, path: &Path) -> bool {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        self.extensions.is_empty() || self.extensions.iter().any(|its| *its == extension)
    }
}

/// A program that says whether a text is right.
#[derive(Debug)]
pub(super) struct CheckerRow {
    pub(super) name: String,
    pub(super) program: String,
    pub(super) component: Option<String>,
    pub(super) script: Option<String>,
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<String>,
    /// Parts of the messages of its errors of syntax.
    pub(super) syntax: Vec<String>,
}

pub(super) struct Table {
    pub(super) languages: Vec<LanguageRow>,
    checkers: Vec<CheckerRow>,
}

impl Table {
    /// The table that the program was built with.
    ///
    /// # Errors
    /// A row that is not whole.
    pub(super) fn load() -> Result<Self, Failure> {
        let table: toml::Table = include_str!("../../mistakes.toml")
            .parse()
            .map_err(|error| format!("mistakes.toml: {error}"))?;
        let rows = |name: &str| {
            table.get(name).and_then(toml::Value::as_array).cloned().unwrap_or_default()
        };
        let languages = rows("language").iter().map(language).collect::<Result<_, _>>()?;
        let checkers = rows("checker").iter().map(checker).collect::<Result<_, _>>()?;
        Ok(Self { languages, checkers })
    }

    pub(super) fn checker(&self, row: &LanguageRow) -> Result<&CheckerRow, Failure> {
        let found = self.checkers.iter().find(|its| its.name == row.checker);
        found.ok_or_else(|| format!("mistakes.toml: no checker `{}`", row.checker))
    }
}

fn language(row: &toml::Value) -> Result<LanguageRow, Failure> {
    Ok(LanguageRow {
        id: required(row, "id")?,
        source: text(row, "source"),
        projects: texts(row, "projects"),
        extensions: texts(row, "extensions"),
        without: texts(row, "without"),
        checker: required(row, "checker")?,
    })
}

fn checker(row: &toml::Value) -> Result<CheckerRow, Failure> {
    Ok(CheckerRow {
        name: required(row, "name")?,
        program: required(row, "program")?,
        component: text(row, "component"),
        script: text(row, "script"),
        arguments: texts(row, "arguments"),
        environment: texts(row, "environment"),
        syntax: texts(row, "syntax"),
    })
}

fn required(row: &toml::Value, key: &str) -> Result<String, Failure> {
    text(row, key).ok_or_else(|| format!("mistakes.toml: no `{key}` in {row:?}"))
}

fn text(row: &toml::Value, key: &str) -> Option<String> {
    row.get(key).and_then(toml::Value::as_str).map(str::to_owned)
}

fn texts(row: &toml::Value, key: &str) -> Vec<String> {
    let items = row.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components;
    use crate::fresh::{files, projects};

    #[test]
    fn everything_in_the_table_exists() {
        let table = Table::load().unwrap();
        let projects = projects::all().unwrap();
        let components = components::all().unwrap();
        files::Languages::load().unwrap();
        for row in &table.languages {
            for name in &row.projects {
                assert!(projects.iter().any(|project| project.name == *name), "{name}");
            }
            let checker = table.checker(row).unwrap();
            if let Some(name) = &checker.component {
                assert!(components.iter().any(|its| its.name == *name), "{name}");
            }
        }
    }
}
