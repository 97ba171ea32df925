//! `edit_file`: one replacement in one file, with the parameter names of older tools.

use patch::Patch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::FileText;

use crate::editing::{self, Action, Edits, Output, RequestedEdit};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct EditFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file to edit.
    path: String,
    /// The text to replace.
    old_content: String,
    /// The replacement.
    new_content: String,
    /// Replace every exact occurrence of `old_content`.
    #[serde(default)]
    replace_all: bool,
    /// Replace the first exact occurrence of `old_content`, however many there are.
    #[serde(default)]
    first: bool,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
    /// The hash from `read_file`; refused if the content differs.
    #[serde(default)]
    expected_hash: Option<String>,
}

impl Tool for EditFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "edit_file";
    const DESCRIPTION: &'static str = "Replace one text in a file. Like `apply_edit` with a single \
        patch: `old_content` must match one place.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("filepath", "path"),
        ("filename", "path"),
        ("old", "old_content"),
        ("from", "old_content"),
        ("old_text", "old_content"),
        ("old_string", "old_content"),
        ("new", "new_content"),
        ("to", "new_content"),
        ("new_text", "new_content"),
        ("new_string", "new_content"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        editing::effects(context, || Ok(vec![wanted(context, params)?]), params.dry_run)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        editing::run(context, Self::NAME, &[wanted(context, &params)?], params.dry_run)
    }
}

fn wanted(context: &Context<'_>, params: &Params) -> Result<RequestedEdit, ToolError> {
    let path = context.snapshot.locate(&params.path)?;
    let expected_hash = params.expected_hash.clone();
    if params.first {
        let (old, new) = (params.old_content.clone(), params.new_content.clone());
        let edit = move |_: &Context<'_>, file: &FileText| first_occurrence(file, &old, &new);
        return Ok(RequestedEdit { path, action: Action::Edit(Box::new(edit)), expected_hash });
    }
    let patch = Patch {
        old_text: params.old_content.clone(),
        new_text: params.new_content.clone(),
        replace_all: params.replace_all,
        ..Patch::default()
    };
    Ok(RequestedEdit { path, action: Action::Patch(vec![patch]), expected_hash })
}

/// The edit that replaces the first exact occurrence of `old`. Line breaks in `old` may be written as
/// LF or as in the file.
fn first_occurrence(file: &FileText, old: &str, new: &str) -> Result<Edits, ToolError> {
    let failed = |code, message: &str| {
        ToolError::new(code, format!("{}: {message}", file.path.display_path()))
    };
    if old.is_empty() {
        return Err(failed(Code::InvalidParams, "old_content is empty")
            .hint("name the text to replace; write_file replaces the whole file"));
    }
    let text = file.text.to_string();
    let with_breaks = |text: &str| text.replace('\n', "\r\n");
    let found = text.find(old).map(|at| (at, old.len(), new.to_owned())).or_else(|| {
        let old = Some(with_breaks(old)).filter(|_| !old.contains('\r'))?;
        Some((text.find(&old)?, old.len(), with_breaks(new)))
    });
    match found {
        Some((at, length, new)) => Ok(vec![(at..at + length, new)]),
        None => {
            Err(failed(Code::NoMatch, "old_content is not in the file, exactly as it is written")
                .hint("read the file, and take old_content from its text"))
        }
    }
}
