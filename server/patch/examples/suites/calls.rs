//! Translates calls of the functions under test to calls of `apply_edit`.

use serde_json::{Value as Json, json};

use crate::case::Files;
use crate::value::Value;

/// A function under test, by its name.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) shape: CallShape,
}

/// The meaning of a call's arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallShape {
    /// A text and a patch in one of the formats.
    TextPatch,
    /// A text, the old text, the new text, and whether to replace all occurrences.
    TextOldNew,
    /// The same, with all occurrences replaced. Calls that create a file are not cases.
    Everywhere,
    /// A patch and a text.
    PatchText,
    /// A text and a list of replacements.
    TextEdits,
    /// A text and the body of an envelope for one file; the mode `create` makes a new file.
    TextSections,
    /// An object that holds the text and another with the parameters.
    Parameters,
    /// An object with a path and the two texts, or with a patch, for files that exist.
    OnFiles,
    /// The same as Python keyword arguments of a command.
    Command,
    /// A patch; expected are the file, the old text and the new text of each block.
    Blocks,
}

/// The file for calls without a path.
const DEFAULT_PATH: &str = "text.txt";

/// Files, parameters of `apply_edit`, and the path of the target file.
type ToolCall = (Files, Json, String);

impl CallShape {
    /// Whether the call returns the new text, or an object with it.
    pub(crate) fn returns_text(self) -> bool {
        !matches!(self, Self::OnFiles | Self::Command)
    }

    /// The files, the parameters of `apply_edit` and the target file for a call with these arguments;
    /// `None` if a text is unknown.
    pub(crate) fn to_tool_call(
        self,
        arguments: &[Value],
        named: &Value,
        files: &Files,
    ) -> Option<ToolCall> {
        let text = |at: usize| arguments.get(at).and_then(Value::text).map(str::to_owned);
        let one = |text: String| Files::from([(DEFAULT_PATH.to_owned(), text)]);
        match self {
            Self::TextPatch | Self::PatchText => {
                let (text_at, patch_at) = if self == Self::TextPatch { (0, 1) } else { (1, 0) };
                let patch = text(patch_at)?;
                if self == Self::TextPatch && !arguments.get(2).is_none_or(is_plain) {
                    return None;
                }
                let path = path_in_patch(&patch).unwrap_or_else(|| DEFAULT_PATH.to_owned());
                let parameters = json!({ "path": path, "patch": patch });
                Some((Files::from([(path.clone(), text(text_at)?)]), parameters, path))
            }
            Self::TextOldNew => {
                let everywhere = arguments.get(3) == Some(&Value::Bool(true));
                let parameters = json!({ "path": DEFAULT_PATH, "old_text": text(1)?, "new_text": text(2)?, "replace_all": everywhere });
                Some((one(text(0)?), parameters, DEFAULT_PATH.to_owned()))
            }
            Self::Everywhere => {
                if arguments.get(3) != Some(&Value::Bool(false)) {
                    return None;
                }
                let parameters = json!({ "path": DEFAULT_PATH, "old_text": text(1)?, "new_text": text(2)?, "replace_all": true });
                Some((one(text(0)?), parameters, DEFAULT_PATH.to_owned()))
            }
            Self::TextEdits => {
                let edits: Option<Vec<Json>> =
                    arguments.get(1)?.list().iter().map(edit_parameters).collect();
                Some((
                    one(text(0)?),
                    json!({ "path": DEFAULT_PATH, "edits": edits? }),
                    DEFAULT_PATH.to_owned(),
                ))
            }
            Self::TextSections => {
                let create =
                    text(2).as_deref() == Some("create") || named.first_text(&["mode"]).is_some();
                let (head, before) = match create {
                    true => ("*** Add File", Files::new()),
                    false => ("*** Update File", one(text(0)?)),
                };
                let sections = text(1)?;
                let patch =
                    format!("*** Begin Patch\n{head}: {DEFAULT_PATH}\n{sections}\n*** End Patch\n");
                let patch = match sections.contains("\r\n") {
                    true => patch.replace("\r\n", "\n").replace('\n', "\r\n"),
                    false => patch,
                };
                Some((before, json!({ "patch": patch }), DEFAULT_PATH.to_owned()))
            }
            Self::Parameters => {
                let object = arguments.iter().find(|a| a.get("params").is_some())?;
                let inner = object.get("params")?;
                let path = inner.first_text(&["file_path"]).filter(|path| !path.contains('/'));
                let path = path.unwrap_or_else(|| DEFAULT_PATH.to_owned());
                let before = object.first_text(&["currentContent"])?;
                let everywhere = inner.get("allow_multiple") == Some(&Value::Bool(true));
                let mut parameters = edit_parameters(inner)?;
                parameters["path"] = json!(path);
                parameters["replace_all"] = json!(everywhere);
                Some((Files::from([(path.clone(), before)]), parameters, path))
            }
            Self::OnFiles => {
                let object = arguments.iter().find(|a| matches!(a, Value::Map(_)))?;
                if let Some(patch) = object.first_text(&["input", "patch"]) {
                    let target = files.keys().next().cloned().unwrap_or_default();
                    let envelope = match patch.contains("*** Begin Patch") {
                        true => patch,
                        false => format!("*** Begin Patch\n{patch}\n*** End Patch"),
                    };
                    return Some((files.clone(), json!({ "patch": envelope }), target));
                }
                let path = object.first_text(&["path", "file_path"])?;
                let mut parameters = match object.get("edit") {
                    Some(Value::List(edits)) => {
                        json!({ "edits": edits.iter().map(edit_parameters).collect::<Option<Vec<_>>>()? })
                    }
                    Some(one) => edit_parameters(one)?,
                    None => edit_parameters(object)?,
                };
                parameters["path"] = json!(path);
                files.get(&path)?;
                Some((files.clone(), parameters, path))
            }
            Self::Command => {
                if named.first_text(&["command"]).as_deref() != Some("str_replace") {
                    return None;
                }
                let path = named.first_text(&["path"])?;
                let before = files.get(&path)?.clone();
                let mut parameters = edit_parameters(named)?;
                parameters["path"] = json!(path);
                Some((Files::from([(path.clone(), before)]), parameters, path))
            }
            Self::Blocks => Some(blocks(&text(0)?)),
        }
    }
}

/// Whether options change only how many context lines may differ.
fn is_plain(options: &Value) -> bool {
    let Value::Map(entries) = options else { return false };
    entries.iter().all(|(name, value)| {
        name == "fuzzFactor" && matches!(value, Value::Number(count) if count.fract() == 0.0)
    })
}

/// One replacement, whatever its fields are called.
fn edit_parameters(object: &Value) -> Option<Json> {
    let old =
        object.first_text(&["old_string", "old_text", "old_str", "oldStr", "oldText", "old"])?;
    let new =
        object.first_text(&["new_string", "new_text", "new_str", "newStr", "newText", "new"])?;
    let everywhere =
        ["replace_all", "replaceAll"].iter().any(|key| object.get(key) == Some(&Value::Bool(true)));
    Some(json!({ "old_text": old, "new_text": new, "replace_all": everywhere }))
}

/// The path inside a patch, for calls without a path.
fn path_in_patch(patch: &str) -> Option<String> {
    let lines: Vec<&str> = patch.lines().collect();
    let of_diff = ["+++ ", "--- "].iter().find_map(|mark| {
        let line = lines.iter().find_map(|line| line.strip_prefix(mark))?;
        let path = line.split('\t').next()?.trim().trim_matches('"');
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
        (path != "/dev/null").then(|| path.trim_start_matches('/').to_owned())
    });
    of_diff.or_else(|| {
        let at = lines.iter().position(|line| line.starts_with(SEARCH_MARKER))?;
        let above = at.checked_sub(1).and_then(|at| lines.get(at))?.trim();
        (above.contains('.') && !above.contains(' ')).then(|| above.to_owned())
    })
}

const SEARCH_MARKER: &str = "<<<<<<< SEARCH";

/// Blocks with nothing known but themselves: a file has the first block's old text.
fn blocks(patch: &str) -> ToolCall {
    let old = patch.split_once(SEARCH_MARKER).and_then(|(_, rest)| rest.split_once("\n"));
    let old = old.and_then(|(_, rest)| rest.split_once("=======")).map_or("", |(old, _)| old);
    let path = path_in_patch(patch).unwrap_or_else(|| "foo.txt".to_owned());
    (Files::from([(path.clone(), old.to_owned())]), json!({ "patch": patch }), path)
}
