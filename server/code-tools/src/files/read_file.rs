//! `read_file`: the text of a file, or of the open document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::LineEndings;
use workspace::Source;

use super::piece;
use super::piece::{cursor_at, offset_of};
use super::read_file_range;
use tools::{Context, Effect, EffectKind, Tool, ToolError, page_end};

pub(crate) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: relative to the workspace, absolute inside it, or a file: URI.
    path: String,
    /// First line to read, 1-based.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line to read, inclusive.
    #[serde(default)]
    end_line: Option<usize>,
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
    /// If lines were asked for: the first line of `content`, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    /// Its last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    /// Number of lines of the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<usize>,
    /// How the range differs from the requested one.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
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

impl Params {
    /// The lines that are asked for, if any are.
    fn range(&self) -> Option<read_file_range::Params> {
        (self.start_line.is_some() || self.end_line.is_some()).then(|| read_file_range::Params {
            path: self.path.clone(),
            start_line: self.start_line.unwrap_or(1),
            end_line: self.end_line,
            context_lines: 0,
            cursor: self.cursor.clone(),
        })
    }
}

impl From<read_file_range::Output> for Output {
    fn from(range: read_file_range::Output) -> Self {
        Self {
            path: range.path,
            content: range.content,
            start_line: Some(range.start_line),
            end_line: Some(range.end_line),
            total_lines: Some(range.total_lines),
            note: range.note,
            size: range.size,
            hash: range.hash,
            encoding: range.encoding,
            line_endings: range.line_endings,
            language: range.language,
            open: range.open,
            truncated: range.truncated,
            next_cursor: range.next_cursor,
        }
    }
}

impl Tool for ReadFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Read a file, or lines of it; unsaved text included. \
        `content` is the text itself. Long texts come in pages of 50 KB or 2,000 lines with \
        `next_cursor`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(piece::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if let Some(range) = params.range() {
            range.check(Self::NAME)?;
        }
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if let Some(range) = params.range() {
            return Ok(read_file_range::read(context, Self::NAME, &range)?.into());
        }
        let snapshot = &context.snapshot;
        let file = snapshot.read(&snapshot.locate_to_read(&params.path)?)?;
        let start = match &params.cursor {
            Some(cursor) => {
                offset_of(Self::NAME, cursor, file.hash, &params.path)?.min(file.text.len())
            }
            None => 0,
        };
        let end = page_end(&file.text, start);
        let truncated = end < file.text.len();
        Ok(Output {
            path: file.path.display_path(),
            content: file.text.slice(start..end).into_owned(),
            start_line: None,
            end_line: None,
            total_lines: None,
            note: None,
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
