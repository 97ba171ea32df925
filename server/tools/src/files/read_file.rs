//! `read_file`: the text of a file, or of the open document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::LineEndings;
use workspace::Source;

use super::piece;
use super::piece::{cursor_at, offset_of, piece_end};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: relative to the workspace, absolute inside it, or a file: URI.
    path: String,
    /// `next_cursor` of a truncated result, to continue there.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The path, relative to the workspace.
    path: String,
    /// The text, from the cursor on.
    content: String,
    /// Size of the whole file in bytes.
    size: usize,
    /// SHA-256 of the whole file; `apply_edit` takes it as `expected_hash`.
    hash: String,
    /// `utf-8`, `utf-8-bom`, `utf-16le` or `utf-16be`.
    encoding: &'static str,
    /// `none`, `lf`, `crlf`, `cr` or `mixed`.
    line_endings: &'static str,
    /// Language id, or null.
    language: Option<&'static str>,
    /// Whether the text is that of an open document.
    open: bool,
    /// Whether `content` ends before the file does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for ReadFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Read a file of the workspace; unsaved text of an open \
        document included. `content` is the text itself. Long files come in pages of 50 KB or \
        2,000 lines with `next_cursor`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(piece::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let file = snapshot.read(&snapshot.locate_to_read(&params.path)?)?;
        let start = match &params.cursor {
            Some(cursor) => {
                offset_of(Self::NAME, cursor, file.hash, &params.path)?.min(file.text.len())
            }
            None => 0,
        };
        let end = piece_end(&file.text, start);
        let truncated = end < file.text.len();
        Ok(Output {
            path: file.path.display_path(),
            content: file.text.slice(start..end).into_owned(),
            size: file.size,
            hash: file.hash.to_string(),
            encoding: file.encoding.as_str(),
            line_endings: LineEndings::detect(&file.text).as_str(),
            language: file.language().map(syntax::Language::id),
            open: matches!(file.source, Source::Open(_)),
            truncated,
            next_cursor: truncated.then(|| cursor_at(end, file.hash)),
        })
    }
}
