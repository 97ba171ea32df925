//! Changes a client's configuration as text and checks that only our entry changed.

use std::cmp::Ordering;

use serde_json::Value;

use super::clients::Format;
use super::entry::{self, Fields};
use super::{json, toml_file, yaml};

const BOM: char = '\u{feff}';

/// Why a configuration cannot be read.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) message: String,
}

/// The value of a configuration; an empty text is an empty object.
pub(super) fn parse(format: Format, text: &str) -> Result<Value, SyntaxError> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    match format {
        Format::Json => json::parse(text),
        Format::Toml => toml_file::parse(text),
        Format::Yaml => yaml::parse(text),
    }
}

/// The value at a path.
pub(super) fn get<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// The text with the entry at `path`, in the place of the one that is there.
///
/// # Errors
/// If anything else would change.
pub(super) fn with_entry(
    format: Format,
    text: &str,
    path: &[&str],
    fields: &Fields,
) -> Result<String, String> {
    let changed = preserving_bom(text, |text| match format {
        Format::Json => json::put(text, path, fields),
        Format::Toml => toml_file::put(text, path, fields),
        Format::Yaml => yaml::put(text, path, fields),
    })?;
    let (old, new) = (parsed(format, text)?, parsed(format, &changed)?);
    let is_new = get(&old, path).is_none();
    if get(&new, path) != Some(&entry::to_value(fields))
        || rest(old, path) != rest(new, path)
        || is_new && !is_kept(text, &changed)
    {
        return Err("its layout is not understood".to_owned());
    }
    Ok(changed)
}

/// The text without the value at `path`.
///
/// # Errors
/// If anything else would change.
pub(super) fn without(format: Format, text: &str, path: &[&str]) -> Result<String, String> {
    let changed = preserving_bom(text, |text| match format {
        Format::Json => json::remove(text, path),
        Format::Toml => toml_file::remove(text, path),
        Format::Yaml => yaml::remove(text, path),
    })?;
    let (old, new) = (parsed(format, text)?, parsed(format, &changed)?);
    if get(&new, path).is_some() || rest(old, path) != rest(new, path) || !is_kept(&changed, text) {
        return Err("its layout is not understood".to_owned());
    }
    Ok(changed)
}

fn preserving_bom(
    text: &str,
    change: impl FnOnce(&str) -> Result<String, String>,
) -> Result<String, String> {
    match text.strip_prefix(BOM) {
        Some(text) => Ok(format!("{BOM}{}", change(text)?)),
        None => change(text),
    }
}

fn parsed(format: Format, text: &str) -> Result<Value, String> {
    parse(format, text).map_err(|error| error.message)
}

/// A configuration without the value at `path` and without the tables on the way that are empty then.
fn rest(mut value: Value, path: &[&str]) -> Value {
    let Some((key, inner)) = path.split_first() else { return value };
    if let Some(fields) = value.as_object_mut()
        && let Some(found) = fields.remove(*key)
        && !inner.is_empty()
    {
        let found = rest(found, inner);
        let is_empty = found.is_null() || found.as_object().is_some_and(serde_json::Map::is_empty);
        if !is_empty {
            fields.insert((*key).to_owned(), found);
        }
    }
    value
}

/// Whether every character of `part`, comments included, is in `whole` in the same order. Space and
/// the braces of an empty table do not count.
fn is_kept(part: &str, whole: &str) -> bool {
    let counts = |c: &char| !c.is_whitespace() && !"{}".contains(*c);
    let mut rest = whole.chars();
    part.chars().filter(counts).all(|c| rest.any(|other| other == c))
}

/// The line break that a text uses.
pub(super) fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The text with a block of lines at its end, after an empty line.
pub(super) fn append_block(text: &str, block: &str) -> String {
    let newline = newline(text);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    let gap = if text.trim().is_empty() { "" } else { newline };
    format!("{text}{end}{gap}{block}")
}

/// Where a block of lines ends without the empty lines and comments after it, which belong to what
/// follows.
pub(super) fn trim_end_of_block(text: &str, start: usize, end: usize) -> usize {
    let mut kept = end;
    for line in text[start..end].split_inclusive('\n').rev() {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            break;
        }
        kept -= line.len();
    }
    kept
}

/// The line of a byte offset, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| byte.cmp(&b'\n') == Ordering::Equal).count() + 1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields() -> Fields {
        vec![("command".to_owned(), json!("tandem")), ("args".to_owned(), json!(["mcp"]))]
    }

    /// Adds the entry and removes it again; returns the text with it.
    fn there_and_back(format: Format, servers: &str, text: &str) -> String {
        let path = [servers, "tandem"];
        let changed = with_entry(format, text, &path, &fields())
            .unwrap_or_else(|error| panic!("{error}: {text:?}"));
        let back =
            without(format, &changed, &path).unwrap_or_else(|error| panic!("{error}: {changed:?}"));
        let (old, back) = (parse(format, text).unwrap(), parse(format, &back).unwrap());
        assert_eq!(rest(old, &path), rest(back, &path), "{changed}");
        changed
    }

    #[test]
    fn json_keeps_comments_and_layout() {
        for text in [
            "",
            "{}",
            "{}\n",
            "\u{feff}{}",
            "{ \"a\": 1 }",
            "{\"a\":1,\"mcpServers\":{}}",
            "// first\n{\n\t\"a\": 1, // one\n\t/* two */\n\t\"mcpServers\": {\n\t\t// none\n\t},\n}\n// last\n",
            "{\r\n  \"mcpServers\": {\r\n    \"other\": { \"command\": \"x\" } // note\r\n  }\r\n}\r\n",
            "{\n  \"mcpServers\": { \"other\": { \"command\": \"x\" }, },\n}",
        ] {
            let changed = there_and_back(Format::Json, "mcpServers", text);
            assert!(is_kept(text, &changed), "{changed}");
            if text.contains("\r\n") {
                assert!(!changed.replace("\r\n", "").contains('\n'), "{changed:?}");
            }
        }
    }

    #[test]
    fn json_with_a_key_twice_or_of_another_kind_is_refused() {
        for text in [
            r#"{"mcpServers": {}, "mcpServers": {}}"#,
            r#"{"mcpServers": {"tandem": 1, "tandem": 2}}"#,
            r#"{"mcpServers": []}"#,
            "[]",
            "null",
            "5",
        ] {
            assert!(
                with_entry(Format::Json, text, &["mcpServers", "tandem"], &fields()).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn toml_keeps_everything_else() {
        for text in [
            "",
            "model = \"x\"",
            "# top\nmodel = \"x\"\n\n[mcp_servers.other] # note\ncommand = \"y\"\nargs = [\n  \"a\",\n]\n\n# end\n",
            "mcp_servers.other.command = \"y\"\n",
            "a = 1\r\n[mcp_servers]\r\n[z]\r\nb = 2\r\n",
        ] {
            let changed = there_and_back(Format::Toml, "mcp_servers", text);
            assert!(changed.starts_with(text), "{changed}");
        }
    }

    #[test]
    fn toml_that_cannot_be_extended_is_refused() {
        for text in ["mcp_servers = { a = { command = \"x\" } }\n", "mcp_servers = 1\n"] {
            assert!(
                with_entry(Format::Toml, text, &["mcp_servers", "tandem"], &fields()).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_toml_table_is_replaced_in_its_place() {
        let text = "[mcp_servers.tandem]\ncommand = \"/old/tandem\"\n\n[mcp_servers.tandem.env]\nA = \"b\"\n\n# other\n[other]\nx = 1\n";
        let changed =
            with_entry(Format::Toml, text, &["mcp_servers", "tandem"], &fields()).unwrap();
        assert_eq!(
            changed,
            "[mcp_servers.tandem]\ncommand = \"tandem\"\nargs = [\"mcp\"]\n\n# other\n[other]\nx = 1\n"
        );
    }

    #[test]
    fn yaml_keeps_everything_else() {
        for text in [
            "",
            "GOOSE_MODE: auto\n",
            "GOOSE_MODE: auto",
            "# top\nextensions: # all\n    # the first\n    developer:\n        enabled: true\n\n    other:\n        x: 'y'\n# next\nGOOSE_MODE: auto\n",
            "extensions: {}\nb: 1\n",
            "extensions:\nb: 1\n",
            "---\nextensions:\r\n  a:\r\n    x: \u{e9}\r\n",
        ] {
            let changed = there_and_back(Format::Yaml, "extensions", text);
            assert!(is_kept(text, &changed), "{changed}");
        }
    }

    #[test]
    fn yaml_that_cannot_be_extended_is_refused() {
        for text in [
            "extensions: {a: {x: 1}}\n",
            "{extensions: {}}\n",
            "extensions: 5\n",
            "extensions: [1]\n",
            "- 1\n",
            "a: 1\n---\nb: 2\n",
            "a: 1\n...\n",
        ] {
            let changed = with_entry(Format::Yaml, text, &["extensions", "tandem"], &fields());
            assert!(changed.is_err(), "{changed:?}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let depth = 100_000;
        let json = "[".repeat(depth);
        assert!(parse(Format::Json, &json).is_err());
        assert!(parse(Format::Toml, &format!("a = {json}")).is_err());
        assert!(parse(Format::Yaml, &json).is_err());
        assert!(parse(Format::Yaml, &"- ".repeat(depth)).is_err());
    }
}
