//! `read_file_range`: some lines of a file's text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::LineEndings;
use workspace::Source;

use super::piece;
use super::piece::{cursor_at, offset_of};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, page_end};

pub(crate) struct ReadFileRange;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: relative to the workspace, absolute inside it, or a file: URI.
    pub(super) path: String,
    /// First line, 1-based; 1 by default.
    #[serde(default = "default_start_line")]
    pub(super) start_line: usize,
    /// Last line, 1-based; the file's last by default.
    #[serde(default)]
    pub(super) end_line: Option<usize>,
    /// Additional lines before and after.
    #[serde(default)]
    pub(super) context_lines: usize,
    /// `next_cursor` of a truncated result for the same range.
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

fn default_start_line() -> usize {
    1
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The path, relative to the workspace.
    pub(super) path: String,
    /// The lines' text with the file's line endings, from the cursor on.
    pub(super) content: String,
    /// First line of `content`, 1-based.
    pub(super) start_line: usize,
    /// Last line of `content`, 1-based; `start_line` - 1 if it is empty.
    pub(super) end_line: usize,
    /// Number of lines of the whole file.
    pub(super) total_lines: usize,
    /// Size of the whole file in bytes.
    pub(super) size: usize,
    /// SHA-256 of the whole file; `apply_edit` takes it as `expected_hash`.
    pub(super) hash: String,
    /// `utf-8`, `utf-8-bom`, `utf-16le` or `utf-16be`.
    pub(super) encoding: &'static str,
    /// `none`, `lf`, `crlf`, `cr` or `mixed`.
    pub(super) line_endings: &'static str,
    /// Language id, or null.
    pub(super) language: Option<&'static str>,
    /// Whether the text is that of an open document.
    pub(super) open: bool,
    /// Whether `content` ends before the range does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
    /// How the range differs from the requested one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

impl Tool for ReadFileRange {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "read_file_range";
    const DESCRIPTION: &'static str = "Read lines `start_line` to `end_line` of a file (1-based, \
        inclusive), plus `context_lines` on either side; unsaved text of an open document \
        included. Lines past the end are omitted, and `note` says so. Long ranges come in pages of \
        50 KB or 2,000 lines with `next_cursor`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(piece::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check(Self::NAME)?;
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        read(context, Self::NAME, &params)
    }
}

/// Reads the lines, for `tool`.
pub(super) fn read(
    context: &Context<'_>,
    tool: &str,
    params: &Params,
) -> Result<Output, ToolError> {
    let snapshot = &context.snapshot;
    let file = snapshot.read(&snapshot.locate_to_read(&params.path)?)?;
    let text = &file.text;
    let total_lines = line_count(text);
    let (first, last) = lines(params, total_lines);
    let (start, end) = (text.line_start(first - 1), text.line_start(last));
    let start = match &params.cursor {
        Some(cursor) => offset_of(tool, cursor, file.hash, &params.path)?.clamp(start, end),
        None => start,
    };
    let cut = page_end(text, start).min(end);
    let truncated = cut < end;
    let start_line = if start < end { text.line_of(start) + 1 } else { first };
    let end_line = if cut > start { text.line_of(cut - 1) + 1 } else { start_line - 1 };
    Ok(Output {
        path: file.path.display_path(),
        content: text.slice(start..cut).into_owned(),
        start_line,
        end_line,
        total_lines,
        size: file.size,
        hash: file.hash.to_string(),
        encoding: file.encoding.as_str(),
        line_endings: LineEndings::detect(text).as_str(),
        language: file.language().map(syntax::Language::id),
        open: matches!(file.source, Source::Open(_)),
        truncated,
        next_cursor: truncated.then(|| cursor_at(cut, file.hash)),
        note: note(params, total_lines),
    })
}

impl Params {
    /// # Errors
    /// If the range is none.
    pub(super) fn check(&self, tool: &str) -> Result<(), ToolError> {
        let wrong = |message: String| {
            let message = format!("{tool}: {message}");
            Err(ToolError::new(Code::InvalidParams, message).hint("lines count from 1"))
        };
        match (self.start_line, self.end_line) {
            (0, _) => wrong("start_line is 0".to_owned()),
            (_, Some(0)) => wrong("end_line is 0".to_owned()),
            (start, Some(end)) if start > end => {
                wrong(format!("start_line {start} is after end_line {end}"))
            }
            _ => Ok(()),
        }
    }
}

/// The number of lines; text after the last line ending is a line only if it is not empty.
fn line_count(text: &text::Text) -> usize {
    let lines = text.line_count();
    if text.line_span(lines - 1).is_empty() { lines - 1 } else { lines }
}

/// First and last line to read, 1-based; an empty range if the first is after the last.
fn lines(params: &Params, total: usize) -> (usize, usize) {
    let last = params.end_line.unwrap_or(total).saturating_add(params.context_lines).min(total);
    if params.start_line > total {
        // The range is past the end: its context alone would be mistaken for it.
        return (total + 1, total);
    }
    (params.start_line.saturating_sub(params.context_lines).max(1), last)
}

fn note(params: &Params, total: usize) -> Option<String> {
    if params.start_line > total {
        return Some(format!("the file ends before line {}: it has {total}", params.start_line));
    }
    let end = params.end_line.filter(|end| *end > total)?;
    Some(format!("line {end} was requested; the file has {total}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_like_editors() {
        for (text, lines) in [
            ("", 0),
            ("a", 1),
            ("a\n", 1),
            ("a\nb", 2),
            ("a\r\nb\r\n", 2),
            ("a\rb\r", 2),
            ("\n", 1),
        ] {
            assert_eq!(line_count(&text::Text::new(text)), lines, "{text:?}");
        }
    }
}
