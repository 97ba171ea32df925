//! How the suites call what they test, and the same call of `apply_edit`.

use serde_json::{Value as Json, json};

use crate::case::Files;
use crate::value::Value;

/// A function under test, by its name.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

/// What a call's arguments are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A text and a patch in one of the formats.
    TextPatch,
    /// A text, what is old in it, what is new, and whether everywhere.
    TextOldNew,
    /// The same, everywhere; of a new file there is no case.
    Everywhere,
    /// A patch and a text.
    PatchText,
    /// A text and a list of replacements.
    TextEdits,
    /// A text and the body of an envelope for one file; the mode `create` makes a new file.
    TextSections,
    /// An object that holds the text and another with the parameters.
    Parameters,
    /// An object with a path and the two texts, or with a patch; the files are there before.
    OnFiles,
    /// The same by Python's keywords, as a command.
    Command,
    /// A patch; what is expected are the file, the old and the new text of each block.
    Blocks,
}

/// The file of calls that name none.
const FILE: &str = "text.txt";

type Read = (Files, Json, String);

impl Shape {
    /// Whether the call gives the new text, or an object that holds it.
    pub(crate) fn returns_text(self) -> bool {
        !matches!(self, Self::OnFiles | Self::Command)
    }

    /// The files, the parameters of `apply_edit` and the file in question, of a call with these
    /// arguments; `None` if a text is not known.
    pub(crate) fn read(self, arguments: &[Value], named: &Value, files: &Files) -> Option<Read> {
        let text = |at: usize| arguments.get(at).and_then(Value::text).map(str::to_owned);
        let one = |text: String| Files::from([(FILE.to_owned(), text)]);
        match self {
            Self::TextPatch | Self::PatchText => {
                let (text_at, patch_at) = if self == Self::TextPatch { (0, 1) } else { (1, 0) };
                let patch = text(patch_at)?;
                if self == Self::TextPatch && !arguments.get(2).is_none_or(is_plain) {
                    return None;
                }
                let path = named_in(&patch).unwrap_or_else(|| FILE.to_owned());
                let parameters = json!({ "path": path, "patch": patch });
                Some((Files::from([(path.clone(), text(text_at)?)]), parameters, path))
            }
            Self::TextOldNew => {
                let everywhere = arguments.get(3) == Some(&Value::Bool(true));
                let parameters = json!({ "path": FILE, "old_text": text(1)?, "new_text": text(2)?, "replace_all": everywhere });
                Some((one(text(0)?), parameters, FILE.to_owned()))
            }
            Self::Everywhere => {
                if arguments.get(3) != Some(&Value::Bool(false)) {
                    return None;
                }
                let parameters = json!({ "path": FILE, "old_text": text(1)?, "new_text": text(2)?, "replace_all": true });
                Some((one(text(0)?), parameters, FILE.to_owned()))
            }
            Self::TextEdits => {
                let edits: Option<Vec<Json>> = arguments.get(1)?.list().iter().map(edit).collect();
                Some((one(text(0)?), json!({ "path": FILE, "edits": edits? }), FILE.to_owned()))
            }
            Self::TextSections => {
                let create =
                    text(2).as_deref() == Some("create") || named.text_of(&["mode"]).is_some();
                let (head, before) = match create {
                    true => ("*** Add File", Files::new()),
                    false => ("*** Update File", one(text(0)?)),
                };
                let sections = text(1)?;
                let patch = format!("*** Begin Patch\n{head}: {FILE}\n{sections}\n*** End Patch\n");
                let patch = match sections.contains("\r\n") {
                    true => patch.replace("\r\n", "\n").replace('\n', "\r\n"),
                    false => patch,
                };
                Some((before, json!({ "patch": patch }), FILE.to_owned()))
            }
            Self::Parameters => {
                let object = arguments.iter().find(|a| a.get("params").is_some())?;
                let inner = object.get("params")?;
                let path = inner.text_of(&["file_path"]).filter(|path| !path.contains('/'));
                let path = path.unwrap_or_else(|| FILE.to_owned());
                let before = object.text_of(&["currentContent"])?;
                let everywhere = inner.get("allow_multiple") == Some(&Value::Bool(true));
                let mut parameters = edit(inner)?;
                parameters["path"] = json!(path);
                parameters["replace_all"] = json!(everywhere);
                Some((Files::from([(path.clone(), before)]), parameters, path))
            }
            Self::OnFiles => {
                let object = arguments.iter().find(|a| matches!(a, Value::Map(_)))?;
                if let Some(patch) = object.text_of(&["input", "patch"]) {
                    let target = files.keys().next().cloned().unwrap_or_default();
                    let envelope = match patch.contains("*** Begin Patch") {
                        true => patch,
                        false => format!("*** Begin Patch\n{patch}\n*** End Patch"),
                    };
                    return Some((files.clone(), json!({ "patch": envelope }), target));
                }
                let path = object.text_of(&["path", "file_path"])?;
                let mut parameters = match object.get("edit") {
                    Some(Value::List(edits)) => {
                        json!({ "edits": edits.iter().map(edit).collect::<Option<Vec<_>>>()? })
                    }
                    Some(one) => edit(one)?,
                    None => edit(object)?,
                };
                parameters["path"] = json!(path);
                files.get(&path)?;
                Some((files.clone(), parameters, path))
            }
            Self::Command => {
                if named.text_of(&["command"]).as_deref() != Some("str_replace") {
                    return None;
                }
                let path = named.text_of(&["path"])?;
                let before = files.get(&path)?.clone();
                let mut parameters = edit(named)?;
                parameters["path"] = json!(path);
                Some((Files::from([(path.clone(), before)]), parameters, path))
            }
            Self::Blocks => Some(blocks(&text(0)?)),
        }
    }
}

/// Whether options leave the matching as it is but for the lines of context that may differ.
fn is_plain(options: &Value) -> bool {
    let Value::Map(entries) = options else { return false };
    entries.iter().all(|(name, value)| {
        name == "fuzzFactor" && matches!(value, Value::Number(count) if count.fract() == 0.0)
    })
}

/// One replacement, whatever its fields are called.
fn edit(object: &Value) -> Option<Json> {
    let old = object.text_of(&["old_string", "old_text", "old_str", "oldStr", "oldText", "old"])?;
    let new = object.text_of(&["new_string", "new_text", "new_str", "newStr", "newText", "new"])?;
    let everywhere =
        ["replace_all", "replaceAll"].iter().any(|key| object.get(key) == Some(&Value::Bool(true)));
    Some(json!({ "old_text": old, "new_text": new, "replace_all": everywhere }))
}

/// The file that a patch names in its own way, where the suite's call names none.
fn named_in(patch: &str) -> Option<String> {
    let lines: Vec<&str> = patch.lines().collect();
    let of_diff = ["+++ ", "--- "].iter().find_map(|mark| {
        let line = lines.iter().find_map(|line| line.strip_prefix(mark))?;
        let path = line.split('\t').next()?.trim().trim_matches('"');
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
        (path != "/dev/null").then(|| path.trim_start_matches('/').to_owned())
    });
    of_diff.or_else(|| {
        let at = lines.iter().position(|line| line.starts_with(SEARCH))?;
        let above = at.checked_sub(1).and_then(|at| lines.get(at))?.trim();
        (above.contains('.') && !above.contains(' ')).then(|| above.to_owned())
    })
}

const SEARCH: &str = "<<<<<<< SEARCH";

/// Blocks with nothing known but themselves: a file has the first block's old text.
fn blocks(patch: &str) -> Read {
    let old = patch.split_once(SEARCH).and_then(|(_, rest)| rest.split_once("\n"));
    let old = old.and_then(|(_, rest)| rest.split_once("=======")).map_or("", |(old, _)| old);
    let path = named_in(patch).unwrap_or_else(|| "foo.txt".to_owned());
    (Files::from([(path.clone(), old.to_owned())]), json!({ "patch": patch }), path)
}
