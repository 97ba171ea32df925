//! The entry that makes a client start `tandem mcp`, and how an existing one compares to it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use syntax::Language;

use super::clients::{Client, on_path};

/// The name of our entry in every client's table of servers.
pub(super) const NAME: &str = "tandem";

/// The value of a field of the entry.
pub(super) enum Field {
    Text(&'static str),
    Flag(bool),
    Number(u32),
    List(&'static [&'static str]),
    /// The program to start.
    Program,
    /// The program to start and its arguments, in one list.
    Invocation(&'static [&'static str]),
    /// The language ids by file extension.
    Extensions,
}

/// An entry's fields in the order in which they are written.
pub(super) type Fields = Vec<(String, Value)>;

/// What a client's configuration has under our name.
pub(super) enum Existing {
    Nothing,
    /// An entry that starts this program as it should.
    Current,
    /// An entry of ours that starts another binary or lacks an argument.
    Outdated,
    /// An entry of something else, with the command that it starts.
    Foreign(String),
}

/// The entry for a client.
pub(super) fn fields(client: &Client, program: &str) -> Fields {
    let value = |field: &Field| match field {
        Field::Text(text) => json!(text),
        Field::Flag(flag) => json!(flag),
        Field::Number(number) => json!(number),
        Field::List(items) => json!(items),
        Field::Program => json!(program),
        Field::Invocation(arguments) => {
            std::iter::once(program).chain(arguments.iter().copied()).collect()
        }
        Field::Extensions => extensions(),
    };
    client.entry.iter().map(|(key, field)| ((*key).to_owned(), value(field))).collect()
}

fn extensions() -> Value {
    let of_language = |language: Language| {
        let id = language.lsp_ids().first();
        let extensions = language.extensions().iter();
        extensions.filter_map(move |extension| Some((format!(".{extension}"), json!(id?))))
    };
    Language::all().flat_map(of_language).collect::<Map<_, _>>().into()
}

/// Compares what a client has with the entry that it should have.
pub(super) fn compare(existing: Option<&Value>, wanted: &Fields) -> Existing {
    let Some(existing) = existing else { return Existing::Nothing };
    let found = invocation(|key| existing.get(key));
    let Some((program, arguments)) = found.split_first() else {
        return Existing::Foreign("no command".to_owned());
    };
    let is_ours = Path::new(program).file_name().is_some_and(|name| name == NAME)
        || real_path(program).is_some_and(|path| Some(path) == this_program());
    let wanted = invocation(|key| wanted.iter().find(|(name, _)| name == key).map(|(_, v)| v));
    // The first argument is the command: `mcp` or `lsp`.
    if !is_ours || !wanted.get(1).is_some_and(|command| arguments.contains(command)) {
        return Existing::Foreign(format!("`{}`", found.join(" ")));
    }
    let is_this_program = real_path(program) == this_program();
    // A person may have added arguments.
    if is_this_program && contains(arguments, &wanted[1..]) {
        Existing::Current
    } else {
        Existing::Outdated
    }
}

/// The wanted fields, with what a person added to the existing entry: other fields, and arguments.
pub(super) fn merge(existing: &Value, wanted: Fields) -> Fields {
    let mut merged: Fields = wanted
        .into_iter()
        .map(|(key, value)| {
            let kept = existing.get(&key).and_then(|old| with_added_arguments(old, &value));
            (key, kept.unwrap_or(value))
        })
        .collect();
    for (key, value) in existing.as_object().into_iter().flatten() {
        if !merged.iter().any(|(name, _)| name == key) {
            merged.push((key.clone(), value.clone()));
        }
    }
    merged
}

/// The entry as a JSON value.
pub(super) fn to_value(fields: &Fields) -> Value {
    Value::Object(fields.iter().cloned().collect::<Map<_, _>>())
}

/// How clients should name this program: as it is found on `PATH`, so that an update of the program
/// does not change its name, and by its bare name where the client has the shell's `PATH`.
pub(super) fn program(client: &Client) -> Result<String, String> {
    let this = this_program().ok_or("cannot find the path of this program")?;
    let found =
        on_path(NAME.as_ref()).filter(|path| path.canonicalize().ok().as_ref() == Some(&this));
    match found {
        Some(_) if !client.is_desktop => Ok(NAME.to_owned()),
        Some(path) => text(&path),
        None => text(&this),
    }
}

fn text(path: &Path) -> Result<String, String> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
    let text = text.ok_or_else(|| format!("{path:?} cannot be written into a configuration"))?;
    Ok(text.to_owned())
}

/// The command and arguments of an entry, whichever fields hold them; empty without a command.
fn invocation<'a>(field: impl Fn(&str) -> Option<&'a Value>) -> Vec<String> {
    let strings = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect()
        }
        _ => Vec::new(),
    };
    let command = ["command", "cmd"].iter().find_map(|key| field(key));
    let mut found = command.map(strings).unwrap_or_default();
    // Zed once wrote the command as a table.
    if let Some(path) = command.and_then(|command| command.get("path")) {
        found.extend(strings(path));
    }
    if !found.is_empty() {
        found.extend(field("args").map(strings).unwrap_or_default());
    }
    found
}

/// The old list if it only adds to the new one. In a list that starts with the program, the program
/// is the new one.
fn with_added_arguments(old: &Value, new: &Value) -> Option<Value> {
    let (old, new) = (old.as_array()?, new.as_array()?);
    if contains(old, new) {
        return Some(json!(old));
    }
    let ((_, old), (program, new)) = (old.split_first()?, new.split_first()?);
    let is_program = Path::new(program.as_str()?).file_name().is_some_and(|name| name == NAME);
    (is_program && contains(old, new))
        .then(|| std::iter::once(program).chain(old).cloned().collect())
}

/// Whether `all` has the items of `some` in their order.
fn contains<T: PartialEq<U>, U>(all: &[T], some: &[U]) -> bool {
    let mut rest = all.iter();
    some.iter().all(|item| rest.any(|other| other == item))
}

/// The file that a command starts.
fn real_path(program: &str) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        return path.canonicalize().ok();
    }
    on_path(path.file_name().filter(|name| *name == program)?)?.canonicalize().ok()
}

fn this_program() -> Option<PathBuf> {
    std::env::current_exe().ok()?.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_fields_and_arguments_are_kept() {
        let wanted =
            vec![("command".to_owned(), json!("/new/tandem")), ("args".to_owned(), json!(["mcp"]))];
        let existing =
            json!({"command": "/old/tandem", "args": ["mcp", "--headless"], "env": {"A": "b"}});
        assert_eq!(
            to_value(&merge(&existing, wanted)),
            json!({"command": "/new/tandem", "args": ["mcp", "--headless"], "env": {"A": "b"}})
        );
    }

    #[test]
    fn a_list_with_the_program_keeps_added_arguments() {
        let wanted = vec![("command".to_owned(), json!(["/new/tandem", "mcp"]))];
        let existing = json!({"command": ["/old/tandem", "mcp", "--headless"]});
        assert_eq!(
            to_value(&merge(&existing, wanted)),
            json!({"command": ["/new/tandem", "mcp", "--headless"]})
        );
    }

    #[test]
    fn an_entry_of_another_program_is_foreign() {
        let wanted =
            vec![("command".to_owned(), json!("tandem")), ("args".to_owned(), json!(["mcp"]))];
        for other in [
            json!({"command": "npx", "args": ["tandem", "mcp"]}),
            json!({"command": "tandem", "args": ["serve"]}),
            json!({"url": "https://example.com"}),
            json!(5),
        ] {
            assert!(matches!(compare(Some(&other), &wanted), Existing::Foreign(_)), "{other}");
        }
        let gone = json!({"command": "/gone/tandem", "args": ["mcp"]});
        assert!(matches!(compare(Some(&gone), &wanted), Existing::Outdated));
    }
}
