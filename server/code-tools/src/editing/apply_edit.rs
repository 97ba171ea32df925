//! `apply_edit`: fuzzy atomic patches of one file or several.

use patch::Patch;
use patch::formats::{self, Change};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::editing::{self, Action, Output, RequestedEdit};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ApplyEdit;

#[derive(Clone, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file to edit, for `old_text` and `new_text`, `patches` or `content`.
    #[serde(default)]
    path: Option<String>,
    /// The text to replace, as it is in the file and long enough to be unique.
    #[serde(default)]
    old_text: Option<String>,
    /// The replacement.
    #[serde(default)]
    new_text: Option<String>,
    /// Expected line of `old_text`, 1-based; decides between equal places.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line of that place, 1-based.
    #[serde(default)]
    end_line: Option<usize>,
    /// Replace every exact occurrence of `old_text`.
    #[serde(default)]
    replace_all: bool,
    /// Several replacements in the file at `path`, all relative to its current text.
    #[serde(default)]
    patches: Option<Vec<PatchParams>>,
    /// Several files: all change, or none.
    #[serde(default)]
    edits: Option<Vec<FileParams>>,
    /// The edit as one text: SEARCH/REPLACE blocks, a unified diff or a `*** Begin Patch`
    /// envelope. `path` names the file if the text does not.
    #[serde(default)]
    patch: Option<String>,
    /// The whole new text of the file at `path`.
    #[serde(default)]
    content: Option<String>,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
    /// The hash of `path` from `read_file`; refused if the content differs.
    #[serde(default)]
    expected_hash: Option<String>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileParams {
    /// The file to edit.
    #[serde(default, alias = "file_path")]
    path: String,
    /// The replacements.
    #[serde(default)]
    patches: Vec<PatchParams>,
    /// A single replacement, as other tools list them; `path` may then stand beside the list.
    #[serde(default, alias = "old_string", alias = "oldText")]
    #[schemars(skip)]
    old_text: Option<String>,
    #[serde(default, alias = "new_string", alias = "newText")]
    #[schemars(skip)]
    new_text: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    start_line: Option<usize>,
    #[serde(default)]
    #[schemars(skip)]
    end_line: Option<usize>,
    #[serde(default)]
    #[schemars(skip)]
    replace_all: bool,
    /// The hash from `read_file`; refused if the content differs.
    #[serde(default)]
    expected_hash: Option<String>,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatchParams {
    /// The text to replace.
    #[serde(alias = "old_string", alias = "oldText")]
    old_text: String,
    /// The replacement.
    #[serde(alias = "new_string", alias = "newText")]
    new_text: String,
    /// Expected line, 1-based; decides between equal places.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line of that place, 1-based.
    #[serde(default)]
    end_line: Option<usize>,
    /// Replace every exact occurrence of `old_text`.
    #[serde(default)]
    replace_all: bool,
}

impl From<PatchParams> for Patch {
    fn from(params: PatchParams) -> Self {
        Self {
            old_text: params.old_text,
            new_text: params.new_text,
            start_line: params.start_line,
            end_line: params.end_line,
            replace_all: params.replace_all,
            ..Self::default()
        }
    }
}

impl FileParams {
    fn new(path: String, patches: Vec<PatchParams>, expected_hash: Option<String>) -> Self {
        Self {
            path,
            patches,
            old_text: None,
            new_text: None,
            start_line: None,
            end_line: None,
            replace_all: false,
            expected_hash,
        }
    }

    /// Moves a single replacement and a path beside the list into place.
    fn normalised(mut self, path: Option<&str>) -> Result<Self, ToolError> {
        if self.path.is_empty() {
            path.ok_or_else(|| invalid("an entry of `edits` has no path"))?
                .clone_into(&mut self.path);
        }
        match (self.old_text.take(), self.new_text.take()) {
            (None, None) => {}
            (Some(old_text), Some(new_text)) if self.patches.is_empty() => {
                let (start_line, end_line) = (self.start_line, self.end_line);
                let replace_all = self.replace_all;
                self.patches =
                    vec![PatchParams { old_text, new_text, start_line, end_line, replace_all }];
            }
            _ => {
                return Err(invalid(
                    "an entry of `edits` is {path, patches}, or {path, old_text, new_text}",
                ));
            }
        }
        Ok(self)
    }
}

const FORMS: &str =
    "give {path, old_text, new_text}, {path, patches}, {edits}, {patch} or {path, content}";

impl Tool for ApplyEdit {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "apply_edit";
    const ALIASES: &'static [&'static str] = &["apply_patch"];
    const DESCRIPTION: &'static str = "Replace text in files, all or nothing. Each `old_text` \
        must match one place: exactly, or up to blanks, indentation, layout or small slips with \
        no other candidate. Open documents change in the editor, with undo.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("filepath", "path"),
        ("filename", "path"),
        ("input", "patch"),
        ("diff", "patch"),
        ("old_string", "old_text"),
        ("new_string", "new_text"),
        ("old_content", "old_text"),
        ("new_content", "new_text"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        editing::effects(context, || wanted(context, params.clone()), params.dry_run)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let dry_run = params.dry_run;
        editing::run(context, Self::NAME, &wanted(context, params)?, dry_run)
    }
}

fn invalid(message: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("apply_edit: {message}")).hint(FORMS)
}

/// Normalises the forms of the parameters.
fn wanted(context: &Context<'_>, params: Params) -> Result<Vec<RequestedEdit>, ToolError> {
    let single = params.old_text.is_some() || params.new_text.is_some();
    let forms = [
        single,
        params.patches.is_some(),
        params.edits.is_some(),
        params.patch.is_some(),
        params.content.is_some(),
    ];
    if forms.iter().filter(|given| **given).count() != 1 {
        return Err(invalid("the parameters must say one edit, in one form"));
    }
    if let Some(text) = &params.patch {
        return wanted_from_text(context, text, params.path.as_deref(), params.expected_hash);
    }
    if let Some(content) = params.content {
        let path = params.path.ok_or_else(|| invalid("`path` is missing"))?;
        let path = context.snapshot.locate(&path)?;
        let action = Action::Write { text: content, over: false };
        let expected_hash = params.expected_hash;
        return Ok(vec![RequestedEdit { path, action, expected_hash }]);
    }
    let files = match (params.edits, params.path) {
        (Some(edits), path) if params.expected_hash.is_none() => {
            let normalised = edits.into_iter().map(|edit| edit.normalised(path.as_deref()));
            normalised.collect::<Result<_, _>>()?
        }
        (Some(_), _) => return Err(invalid("with `edits`, each file has its own hash")),
        (None, None) => return Err(invalid("`path` is missing")),
        (None, Some(path)) => {
            let patches = match (params.patches, params.old_text, params.new_text) {
                (Some(patches), ..) => patches,
                (None, Some(old_text), Some(new_text)) => vec![PatchParams {
                    old_text,
                    new_text,
                    start_line: params.start_line,
                    end_line: params.end_line,
                    replace_all: params.replace_all,
                }],
                _ => return Err(invalid("old_text and new_text are both needed")),
            };
            vec![FileParams::new(path, patches, params.expected_hash)]
        }
    };
    if files.is_empty() || files.iter().any(|f| f.patches.is_empty()) {
        return Err(invalid("there is nothing to apply"));
    }
    let wanted = files.into_iter().map(|file| {
        let path = context.snapshot.locate(&file.path);
        Ok(RequestedEdit {
            path: path.map_err(|error| (file.path, error.into()))?,
            action: Action::Patch(file.patches.into_iter().map(Patch::from).collect()),
            expected_hash: file.expected_hash,
        })
    });
    editing::collect_all(context, wanted)
}

/// Parses a patch text in any supported format.
fn wanted_from_text(
    context: &Context<'_>,
    text: &str,
    path: Option<&str>,
    expected_hash: Option<String>,
) -> Result<Vec<RequestedEdit>, ToolError> {
    let files = formats::parse(text).map_err(|e| invalid(&format!("`patch`: {e}")))?;
    if files.is_empty() {
        return Err(invalid("`patch` changes nothing"));
    }
    if expected_hash.is_some() && files.len() > 1 {
        return Err(invalid("`expected_hash` is of one file, and `patch` changes several"));
    }
    if path.is_none() && files.iter().any(|file| file.path.is_none()) {
        return Err(invalid("`patch` names no file, nor does `path`"));
    }
    let wanted = files.into_iter().map(|file| {
        let written = file.path.as_deref().or(path).unwrap_or_default();
        let written = match file.change {
            Change::Create(_) => written,
            _ => strip_diff_prefix(context, written),
        };
        let file_error = |error: ToolError| (written.to_owned(), error);
        let located = |path: &str| context.snapshot.locate(path).map_err(|e| file_error(e.into()));
        if let Some(wanted) = wanted_for_link(context, written, &file.change).map_err(file_error)? {
            return Ok(wanted);
        }
        let action = match file.change {
            Change::Update(patches) => Action::Patch(patches),
            Change::Create(text) if file.executable => Action::CreateProgram(text),
            Change::Create(text) => Action::Create(text),
            Change::Delete(patches) => Action::Delete { patches },
            Change::Move { to, patches }
                if is_update(written, &to, &patches, |path| exists(context, path)) =>
            {
                let path = located(&to)?;
                let expected_hash = expected_hash.clone();
                return Ok(RequestedEdit { path, action: Action::Patch(patches), expected_hash });
            }
            Change::Move { to, patches } => Action::Move { to: located(&to)?, patches },
            Change::Copy { to, patches } => {
                let action = Action::CopyOf { from: located(written)?, patches };
                return Ok(RequestedEdit { path: located(&to)?, action, expected_hash: None });
            }
        };
        Ok(RequestedEdit { path: located(written)?, action, expected_hash: expected_hash.clone() })
    });
    editing::collect_all(context, wanted)
}

/// A path without the `a/` or `b/` of a diff, if only that file exists.
fn strip_diff_prefix<'p>(context: &Context<'_>, written: &'p str) -> &'p str {
    let exists = |path: &str| exists(context, path);
    match written.strip_prefix("a/").or_else(|| written.strip_prefix("b/")) {
        Some(rest) if !exists(written) && exists(rest) => rest,
        _ => written,
    }
}

/// Whether a diff with two names changes the file of the second name: the first may name a copy or an
/// older release that does not exist here.
fn is_update(from: &str, to: &str, patches: &[Patch], exists: impl Fn(&str) -> bool) -> bool {
    !patches.is_empty() && !exists(from) && exists(to)
}

/// Whether an entry exists at a path.
fn exists(context: &Context<'_>, path: &str) -> bool {
    context.snapshot.locate_entry(path).is_ok_and(|path| context.snapshot.entry(&path).is_ok())
}

/// A change of a link itself: deleted or moved.
fn wanted_for_link(
    context: &Context<'_>,
    written: &str,
    change: &Change,
) -> Result<Option<RequestedEdit>, ToolError> {
    let goes = matches!(change, Change::Delete(_) | Change::Move { .. });
    if !goes || !context.snapshot.is_link(written) {
        return Ok(None);
    }
    let action = match change {
        Change::Move { to, patches } if patches.is_empty() => {
            Action::MoveLink { to: context.snapshot.locate_entry(to)? }
        }
        Change::Move { .. } => {
            let message = format!("apply_edit: {written}: is a link, and has no text to patch");
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("name the file that the link leads to"));
        }
        _ => Action::DeleteLink,
    };
    let path = context.snapshot.locate_entry(written)?;
    Ok(Some(RequestedEdit { path, action, expected_hash: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_may_name_an_older_file_first() {
        let patches = [Patch::new("a", "b")];
        let there = |files: &'static [&str]| move |path: &str| files.contains(&path);
        assert!(is_update("a-1.0.c", "a.c", &patches, there(&["a.c"])));
        // A file that is there is moved, and moving alone changes no text.
        assert!(!is_update("a-1.0.c", "a.c", &patches, there(&["a.c", "a-1.0.c"])));
        assert!(!is_update("a-1.0.c", "a.c", &patches, there(&[])));
        assert!(!is_update("a-1.0.c", "a.c", &[], there(&["a.c"])));
    }
}
