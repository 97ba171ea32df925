//! What can be debugged by a click above it: tests, and where programs begin.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use syntax::RunnableKind;

/// Longest file name that is held against a pattern, in bytes.
const LONGEST: usize = 4_096;

/// A row of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    language: String,
    kind: String,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    launch: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    runnable: Vec<Row>,
}

/// Where something that can be run stands.
pub(crate) struct Place<'a> {
    /// Its file, relative to the workspace.
    pub(crate) path: &'a str,
    /// What it stands in, the outermost first, and its own name.
    pub(crate) names: &'a [String],
}

fn table() -> &'static [Row] {
    static TABLE: OnceLock<Vec<Row>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let table: Result<Table, _> = toml::from_str(include_str!("runnables.toml"));
        table.map(|table| table.runnable).unwrap_or_default()
    })
}

fn word(kind: RunnableKind) -> &'static str {
    match kind {
        RunnableKind::Test => "test",
        RunnableKind::Main => "main",
    }
}

/// What stands between a name and that of what it stands in, for `debug_launch`.
const BETWEEN: &str = "::";

/// The title of a lens, and what its command is told: `{kind, name, path, launch?}`. `None` where
/// nothing in the file is run so.
pub(crate) fn described(
    language: &str,
    kind: RunnableKind,
    place: &Place<'_>,
) -> Option<(String, Value)> {
    let word = word(kind);
    let row = table().iter().find(|row| row.language == language && row.kind == word)?;
    let file = place.path.rsplit('/').next().unwrap_or_default();
    if !row.files.is_empty() && !row.files.iter().any(|pattern| is_like(file, pattern)) {
        return None;
    }
    let name = place.names.last().map_or("", String::as_str);
    let names = place.names.join(BETWEEN);
    let filled = |text: &str| {
        // One pass: what is put in is not looked through.
        let values = [("{path}", place.path), ("{names}", &names)];
        let (mut out, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let found = values.iter().find(|(key, _)| rest.starts_with(key));
            let (value, length) = found.map_or(("{", 1), |(key, value)| (*value, key.len()));
            out.push_str(value);
            rest = &rest[length..];
        }
        out + rest
    };
    let fields = |fields: &Map<String, Value>| -> Value {
        let filled = |(key, value): (&String, &Value)| {
            (key.clone(), value.as_str().map_or_else(|| value.clone(), |text| filled(text).into()))
        };
        Value::Object(fields.iter().map(filled).collect())
    };
    let mut told = json!({ "kind": word, "name": name, "path": place.path });
    if let Some(launch) = &row.launch {
        told["launch"] = fields(launch);
    }
    Some((format!("Debug {word}"), told))
}

/// Whether a name is like a pattern with one `*`.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return name == pattern };
    let fits = start.len() + end.len()..LONGEST;
    fits.contains(&name.len()) && name.starts_with(start) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_becomes_what_starts_it() {
        let names = ["TestBooks".to_owned(), "test_a".to_owned()];
        let told = |language, kind, path| {
            described(language, kind, &Place { path, names: &names }).map(|(_, told)| told)
        };
        let test = told("python", RunnableKind::Test, "tests/test_{name}.py").unwrap();
        assert_eq!(test["launch"], json!({ "test": "tests/test_{name}.py::TestBooks::test_a" }));
        assert_eq!(told("python", RunnableKind::Test, "tests/books.py"), None);
        let rust = told("rust", RunnableKind::Test, "src/lib.rs").unwrap();
        assert_eq!(rust["launch"]["test"], "src/lib.rs::TestBooks::test_a");
        let c = told("c", RunnableKind::Main, "main.c").unwrap();
        assert!(c["launch"].is_null());
        assert_eq!(told("java", RunnableKind::Main, "A.java"), None);
    }

    #[test]
    fn the_table_is_sound() {
        let table: Table = toml::from_str(include_str!("runnables.toml")).unwrap();
        for row in table.runnable {
            assert!(syntax::Language::by_id(&row.language).is_some(), "{}", row.language);
            assert!(["test", "main"].contains(&row.kind.as_str()));
        }
    }
}
