//! The table of projects (`fresh.json`): what each is, where it comes from, to the byte.

use crate::Failure;
use serde_json::Value;

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) registry: Registry,
    pub(crate) package: String,
    pub(crate) version: String,
    /// Of the archive, in hexadecimal digits.
    pub(crate) sha256: String,
    /// The project's folder in the archive, where it is not the whole of it: a template in a package.
    pub(crate) root: String,
    /// What to install beside it: nothing at all, or what it depends on itself and these packages.
    pub(crate) install: Option<Vec<String>>,
    /// The row as written: a changed row is fetched anew.
    pub(crate) recipe: String,
}

/// The registry of a project.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Registry {
    /// A package of npm.
    Npm,
    /// A wheel of the Python package index: to read one, nothing of it has to be run.
    Wheel,
    /// A crate.
    Crates,
    /// The upstream archive of a Debian source package.
    Debian {
        /// The suite that has it.
        suite: String,
    },
}

/// All rows.
///
/// # Errors
/// A row that is not whole.
pub(crate) fn all() -> Result<Vec<Project>, Failure> {
    parse(include_str!("../../fresh.json"))
}

fn parse(table: &str) -> Result<Vec<Project>, Failure> {
    let table: Value =
        serde_json::from_str(table).map_err(|error| format!("fresh.json: {error}"))?;
    table.as_array().ok_or("fresh.json: not a list")?.iter().map(row).collect()
}

fn row(value: &Value) -> Result<Project, Failure> {
    let field = |name: &str| {
        let text = value[name].as_str().map(str::to_owned);
        text.ok_or_else(|| format!("fresh.json: `{name}` is missing in {value}"))
    };
    let registry = match field("registry")?.as_str() {
        "npm" => Registry::Npm,
        "wheel" => Registry::Wheel,
        "crates" => Registry::Crates,
        "debian" => Registry::Debian { suite: field("suite")? },
        other => return Err(format!("fresh.json: no registry is called `{other}`")),
    };
    let install = value["install"].as_array().map(|packages| {
        packages.iter().filter_map(|package| package.as_str().map(str::to_owned)).collect()
    });
    Ok(Project {
        name: field("name")?,
        kind: field("kind")?,
        registry,
        package: field("package")?,
        version: field("version")?,
        sha256: field("sha256")?,
        root: value["root"].as_str().unwrap_or_default().to_owned(),
        install,
        recipe: value.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_complete_and_pinned() {
        let projects = all().unwrap();
        let names: BTreeSet<_> = projects.iter().map(|project| &project.name).collect();
        assert_eq!(names.len(), projects.len(), "a name stands twice");
        for project in &projects {
            let hash = &project.sha256;
            assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{project:?}");
            assert!(!project.version.is_empty() && !project.name.contains('/'), "{project:?}");
        }
    }

    #[test]
    fn a_broken_row_is_named() {
        let error = parse(r#"[{"name": "x", "kind": "y", "registry": "magic"}]"#).unwrap_err();
        assert!(error.contains("magic"), "{error}");
        let error = parse(r#"[{"name": "x", "kind": "y", "registry": "debian"}]"#).unwrap_err();
        assert!(error.contains("`suite`"), "{error}");
    }
}
