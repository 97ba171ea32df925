//! Tests and main functions that a code lens can run or debug.

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
    /// The end of the path of the file's folder.
    #[serde(default)]
    folder: String,
    #[serde(default)]
    launch: Option<Map<String, Value>>,
    #[serde(default)]
    run: Option<Value>,
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
    /// The workspace's Python.
    pub(crate) python: &'a str,
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

/// What the lenses of a runnable do.
pub(crate) struct RunnableCommands {
    /// The kind as in titles: `test`.
    pub(crate) kind: &'static str,
    /// The argument of the debug lens: `{kind, name, path, launch?}`.
    pub(crate) debug: Value,
    /// The argument of the run lens: `{kind, name, path, run: {tool, arguments}}`.
    pub(crate) run: Option<Value>,
}

/// The lenses of a runnable. `None` if the file does not match the language's pattern.
pub(crate) fn commands(
    language: &str,
    kind: RunnableKind,
    location: &RunnableLocation<'_>,
) -> Option<RunnableCommands> {
    let kind = kind_name(kind);
    let (parent, file) = location.path.rsplit_once('/').unwrap_or(("", location.path));
    let package_of = |folder: &str| {
        let rest = parent.strip_suffix(folder)?;
        (rest.is_empty() || folder.is_empty() || rest.ends_with('/')).then(|| match rest {
            "" => ".",
            rest => rest.trim_end_matches('/'),
        })
    };
    let fits = |row: &&RunnableRow| {
        let is_file =
            row.files.is_empty() || row.files.iter().any(|pattern| matches_pattern(file, pattern));
        row.language == language && row.kind == kind && is_file && package_of(&row.folder).is_some()
    };
    let row = table().iter().find(fits)?;
    let name = location.names.last().map_or("", String::as_str);
    let values = [
        ("{path}", location.path),
        ("{names}", &location.names.join(NAME_SEPARATOR)),
        ("{symbol}", &location.names.join("/")),
        ("{stem}", file.rsplit_once('.').map_or(file, |(stem, _)| stem)),
        ("{folder}", if parent.is_empty() { "." } else { parent }),
        ("{package}", package_of(&row.folder)?),
        ("{python}", location.python),
    ];
    let mut debug = json!({ "kind": kind, "name": name, "path": location.path });
    let mut run = debug.clone();
    if let Some(launch) = &row.launch {
        debug["launch"] = fill(&Value::Object(launch.clone()), &values);
    }
    let run = row.run.as_ref().map(|command| {
        run["run"] = fill(command, &values);
        run
    });
    Some(RunnableCommands { kind, debug, run })
}

/// A value with its placeholders filled in, in a single pass, so that inserted text is not
/// substituted again.
fn fill(value: &Value, values: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => {
            let (mut out, mut rest) = (String::new(), text.as_str());
            while let Some(at) = rest.find('{') {
                out.push_str(&rest[..at]);
                rest = &rest[at..];
                let found = values.iter().find(|(key, _)| rest.starts_with(key));
                let (value, length) = found.map_or(("{", 1), |(key, value)| (*value, key.len()));
                out.push_str(value);
                rest = &rest[length..];
            }
            Value::String(out + rest)
        }
        Value::Array(all) => all.iter().map(|one| fill(one, values)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), fill(value, values))).collect()
        }
        other => other.clone(),
    }
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
        let of = |language, kind, path| {
            let location = RunnableLocation { path, names: &names, python: "python3" };
            commands(language, kind, &location)
        };
        let argument = |language, kind, path| of(language, kind, path).map(|one| one.debug);
        let test = argument("python", RunnableKind::Test, "tests/test_{name}.py").unwrap();
        assert_eq!(test["launch"], json!({ "test": "tests/test_{name}.py::TestBooks::test_a" }));
        assert_eq!(argument("python", RunnableKind::Test, "tests/books.py"), None);
        let rust = argument("rust", RunnableKind::Test, "src/lib.rs").unwrap();
        assert_eq!(rust["launch"]["test"], "src/lib.rs::TestBooks::test_a");
        let c = argument("c", RunnableKind::Main, "main.c").unwrap();
        assert!(c["launch"].is_null());
        assert_eq!(argument("java", RunnableKind::Main, "A.java"), None);
        let run = |language, kind, path| {
            of(language, kind, path).and_then(|one| Some(one.run?["run"]["arguments"].clone()))
        };
        let rust = run("rust", RunnableKind::Test, "a/src/lib.rs").unwrap();
        assert_eq!(rust, json!({ "path": "a/src/lib.rs", "symbol": "TestBooks/test_a" }));
        let main = |path| run("rust", RunnableKind::Main, path);
        let cargo =
            |cwd, args: Value| json!({ "command": "cargo", "args": args, "cwd": cwd, "pty": true });
        assert_eq!(main("src/main.rs"), Some(cargo(".", json!(["run"]))));
        assert_eq!(main("a/b/src/main.rs"), Some(cargo("a/b", json!(["run"]))));
        let two = cargo("a", json!(["run", "--bin", "two"]));
        assert_eq!(main("a/src/bin/two.rs"), Some(two));
        assert_eq!(main("examples/x.rs"), Some(cargo(".", json!(["run", "--example", "x"]))));
        assert_eq!((main("my_src/main.rs"), main("build.rs")), (None, None));
        let python = run("python", RunnableKind::Main, "a/b.py").unwrap();
        assert_eq!(python["args"], json!(["a/b.py"]));
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
