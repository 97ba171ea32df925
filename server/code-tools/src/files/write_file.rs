//! `write_file`: creates a file or replaces its whole content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::LineEndings;
use workspace::{FileError, FilePath, FileText};

use crate::editing::{self, Action, RequestedEdit};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, entries::destination_path};

pub(crate) struct WriteFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: relative to the workspace, absolute inside it, or a file: URI. Missing parent
    /// folders are created.
    path: String,
    /// The whole new text.
    content: String,
    /// False: refuse if the file exists. True: overwrite it in any case. By default a write that
    /// would remove most of its lines is refused.
    #[serde(default)]
    overwrite: Option<bool>,
    /// For a file with CRLF (or CR) throughout and `content` with LF: `keep` the file's (default),
    /// or `as_given`.
    #[serde(default)]
    line_endings: Endings,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
    /// The hash from `read_file`; refused if the content differs or the file is missing.
    #[serde(default)]
    expected_hash: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Endings {
    #[default]
    Keep,
    AsGiven,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The edit.
    #[serde(flatten)]
    edited: editing::Output,
    /// Differences between `content` and what was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Largest content, in bytes: larger files could not be read again.
const MAX_CONTENT_BYTES: usize = 64 << 20;

impl Tool for WriteFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "write_file";
    const ALIASES: &'static [&'static str] = &["create_file"];
    const DESCRIPTION: &'static str = "Create a file, with its folders, or replace its whole \
        content. An existing file keeps its encoding, mode and CRLF line endings (`notes` says \
        so). Prefer `apply_edit` to change part of a file.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("filepath", "path"),
        ("filename", "path"),
        ("contents", "content"),
        ("text", "content"),
        ("data", "content"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = locate_file(context, &params.path)?;
        let edits = || {
            if context.asks_about(&path) && !context.restricts_reading() {
                // The person approves exactly the text that will be written.
                return Ok(vec![requested_edit(context, params)?.0]);
            }
            let action = Action::Write { text: String::new(), over: true };
            Ok(vec![RequestedEdit { path: path.clone(), action, expected_hash: None }])
        };
        editing::effects(context, edits, params.dry_run)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (edit, notes) = requested_edit(context, &params)?;
        let edited = editing::run(context, Self::NAME, &[edit], params.dry_run)?;
        Ok(Output { edited, notes })
    }
}

/// The edit that the parameters request, and notes on it.
fn requested_edit(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RequestedEdit, Vec<String>), ToolError> {
    let path = locate_file(context, &params.path)?;
    let may_overwrite = params.overwrite != Some(false);
    let file = match context.snapshot.read(&path) {
        Ok(file) => Some(file),
        Err(FileError::NotFound { .. }) => None,
        Err(error @ FileError::Encoding { .. }) if may_overwrite => {
            return Err(ToolError::from(error)
                .hint("what it holds cannot be kept track of as text; delete it first"));
        }
        Err(_) if !may_overwrite => return Err(exists(&path)),
        Err(error) => return Err(error.into()),
    };
    if file.is_some() && !may_overwrite {
        return Err(exists(&path));
    }
    let mut notes = Vec::new();
    let content = match &file {
        Some(file) => content_in_file_format(file, params, &mut notes),
        None => params.content.clone(),
    };
    let size = file.as_ref().map_or(content.len(), |file| encoded_size(file, &content));
    if size > MAX_CONTENT_BYTES {
        let message =
            format!("{}: {size} bytes, more than {MAX_CONTENT_BYTES}", path.display_path());
        return Err(ToolError::new(Code::TooLarge, message).hint("write it in several files"));
    }
    let action = match params.overwrite {
        Some(false) => Action::Create(content),
        over => Action::Write { text: content, over: over.is_some() },
    };
    Ok((RequestedEdit { path, action, expected_hash: params.expected_hash.clone() }, notes))
}

fn locate_file(context: &Context<'_>, written: &str) -> Result<FilePath, ToolError> {
    let path = destination_path(context.snapshot.locate(written))?;
    if written.ends_with('/') {
        let message = format!("write_file: {written:.200}: names a folder");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("remove the trailing slash, or use create_directory"));
    }
    Ok(path)
}

fn exists(path: &FilePath) -> ToolError {
    ToolError::new(Code::Exists, format!("{}: exists already", path.display_path()))
        .hint("omit `overwrite: false` to replace it, or choose another path")
}

/// `content` with the encoding, byte-order mark and line endings of the existing file.
fn content_in_file_format(file: &FileText, params: &Params, notes: &mut Vec<String>) -> String {
    let mut content = params.content.as_str();
    if file.encoding != text::FileEncoding::Utf8 {
        // The file keeps its byte-order mark; a second one would become text.
        content = content.strip_prefix('\u{feff}').unwrap_or(content);
        notes.push(format!("the file's encoding was kept: {}", file.encoding.as_str()));
    }
    let endings = |text: &text::Text| LineEndings::detect(text);
    let ending = match endings(&file.text) {
        LineEndings::CrLf => "\r\n",
        LineEndings::Cr => "\r",
        _ => return content.to_owned(),
    };
    let is_lf = endings(&text::Text::new(content)) == LineEndings::Lf;
    if !is_lf || params.line_endings == Endings::AsGiven {
        return content.to_owned();
    }
    notes.push(format!("the file's line endings were kept: {}", endings(&file.text).as_str()));
    content.replace('\n', ending)
}

/// Size of `content` in the file's encoding, in bytes.
fn encoded_size(file: &FileText, content: &str) -> usize {
    match file.encoding {
        text::FileEncoding::Utf8 | text::FileEncoding::Utf8Bom => content.len(),
        _ => 2 * (1 + content.encode_utf16().count()),
    }
}
