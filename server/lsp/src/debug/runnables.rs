//! Tests and main functions that a code lens can debug.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use syntax::RunnableKind;

/// Longest file name that is matched, in bytes.
const MAX_NAME_BYTES: usize = 4_096;

/// A row of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunnableRow {
    language: String,
    kind: String,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    launch: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunnablesTable {
    runnable: Vec<RunnableRow>,
}

/// The location of a runnable.
pub(crate) struct RunnableLocation<'a> {
    /// Its file, relative to the workspace.
    pub(crate) path: &'a str,
    /// Its enclosing names, outermost first, and its own name.
    pub(crate) names: &'a [String],
}

fn table() -> &'static [RunnableRow] {
    static TABLE: OnceLock<Vec<RunnableRow>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let table: Result<RunnablesTable, _> = toml::from_str(include_str!("runnables.toml"));
        table.map(|table| table.runnable).unwrap_or_default()
    })
}

fn kind_name(kind: RunnableKind) -> &'static str {
    match kind {
        RunnableKind::Test => "test",
        RunnableKind::Main => "main",
    }
}

/// The separator of nested names in `debug_launch`.
const NAME_SEPARATOR: &str = "::";

/// The title and the argument of a debug lens: `{kind, name, path, launch?}`. `None` if the file does not
/// match the language's pattern.
pub(crate) fn debug_command(
    language: &str,
    kind: RunnableKind,
    location: &RunnableLocation<'_>,
) -> Option<(String, Value)> {
    let kind_name = kind_name(kind);
    let row = table().iter().find(|row| row.language == language && row.kind == kind_name)?;
    let file = location.path.rsplit('/').next().unwrap_or_default();
    if !row.files.is_empty() && !row.files.iter().any(|pattern| matches_pattern(file, pattern)) {
        return None;
    }
    let name = location.names.last().map_or("", String::as_str);
    let names = location.names.join(NAME_SEPARATOR);
    let filled = |text: &str| {
        // A single pass, so that inserted text is not substituted again.
        let values = [("{path}", location.path), ("{names}", &names)];
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
    let mut argument = json!({ "kind": kind_name, "name": name, "path": location.path });
    if let Some(launch) = &row.launch {
        argument["launch"] = fields(launch);
    }
    Some((format!("Debug {kind_name}"), argument))
}

/// Matches a name against a pattern with one `*`.
fn matches_pattern(name: &str, pattern: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return name == pattern };
    let fits = start.len() + end.len()..MAX_NAME_BYTES;
    fits.contains(&name.len()) && name.starts_with(start) && name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runnable_becomes_launch_arguments() {
        let names = ["TestBooks".to_owned(), "test_a".to_owned()];
        let argument = |language, kind, path| {
            debug_command(language, kind, &RunnableLocation { path, names: &names })
                .map(|(_, argument)| argument)
        };
        let test = argument("python", RunnableKind::Test, "tests/test_{name}.py").unwrap();
        assert_eq!(test["launch"], json!({ "test": "tests/test_{name}.py::TestBooks::test_a" }));
        assert_eq!(argument("python", RunnableKind::Test, "tests/books.py"), None);
        let rust = argument("rust", RunnableKind::Test, "src/lib.rs").unwrap();
        assert_eq!(rust["launch"]["test"], "src/lib.rs::TestBooks::test_a");
        let c = argument("c", RunnableKind::Main, "main.c").unwrap();
        assert!(c["launch"].is_null());
        assert_eq!(argument("java", RunnableKind::Main, "A.java"), None);
    }

    #[test]
    fn the_table_is_valid() {
        let table: RunnablesTable = toml::from_str(include_str!("runnables.toml")).unwrap();
        for row in table.runnable {
            assert!(syntax::Language::by_id(&row.language).is_some(), "{}", row.language);
            assert!(["test", "main"].contains(&row.kind.as_str()));
        }
    }
}
