//! `read_file`: a file's text, an open document's being the truth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::LineEndings;
use workspace::{Hash, Source};

use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: relative to the workspace, absolute inside it, or a file: URI.
    path: String,
    /// Where to read on: the `next_cursor` of a result that was cut short.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The file's path, relative to the workspace.
    path: String,
    /// The text itself, from the cursor on.
    content: String,
    /// Size of the whole file in bytes.
    size: usize,
    /// SHA-256 of the whole file's bytes; `apply_edit` takes it as `expected_hash`.
    hash: String,
    /// `utf-8`, `utf-8-bom`, `utf-16le` or `utf-16be`.
    encoding: &'static str,
    /// `none`, `lf`, `crlf`, `cr` or `mixed`.
    line_endings: &'static str,
    /// The language's id, null where it is not known.
    language: Option<&'static str>,
    /// Whether the text is an open document's, saved or not.
    open: bool,
    /// True where `content` ends before the file does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Where to read on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Most bytes and lines of one result.
const BYTES: usize = 50_000;
const LINES: usize = 2_000;

impl Tool for ReadFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "read_file";
    const DESCRIPTION: &'static str = "Read a file of the workspace. An open document's unsaved \
        text is what you get. `content` is the text itself; a long file comes in pieces of 50 KB \
        or 2,000 lines, each with `next_cursor` for the next one.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let file = snapshot.read(&snapshot.locate(&params.path)?)?;
        let start = match &params.cursor {
            Some(cursor) => offset_of(cursor, file.hash, &params.path)?.min(file.text.len()),
            None => 0,
        };
        let end = piece_end(&file.text, start);
        let truncated = end < file.text.len();
        Ok(Output {
            path: file.path.shown(),
            content: file.text.slice(start..end).into_owned(),
            size: file.size,
            hash: file.hash.to_string(),
            encoding: file.encoding.as_str(),
            line_endings: LineEndings::of(&file.text).as_str(),
            language: file.language().map(syntax::Language::id),
            open: matches!(file.source, Source::Open(_)),
            truncated,
            next_cursor: truncated.then(|| cursor_at(end, file.hash)),
        })
    }
}

/// The end of the piece that starts at `start`: whole lines where they fit, else characters.
fn piece_end(text: &text::Text, start: usize) -> usize {
    let after_lines = text.line_start(text.line_of(start) + LINES);
    if after_lines - start <= BYTES {
        return after_lines;
    }
    let whole_lines = text.line_start(text.line_of(start + BYTES));
    if whole_lines > start {
        return whole_lines;
    }
    // One line longer than a piece: cut before a character.
    let cut = text.slice(start..start + BYTES - 3).len();
    start + cut
}

/// The place and the content's hash: a cursor into another content is refused.
fn cursor_at(offset: usize, hash: Hash) -> String {
    format!("{offset}-{:.16}", hash.to_string())
}

fn offset_of(cursor: &str, hash: Hash, path: &str) -> Result<usize, ToolError> {
    let parsed = cursor.split_once('-').and_then(|(o, h)| Some((o.parse::<usize>().ok()?, h)));
    let Some((offset, of)) = parsed else {
        return Err(ToolError::new(
            Code::InvalidParams,
            format!("read_file: `{cursor:.60}` is no cursor"),
        )
        .hint("pass the `next_cursor` of the result before, unchanged"));
    };
    if hash.to_string().starts_with(of) && of.len() == 16 {
        return Ok(offset);
    }
    Err(ToolError::new(Code::Conflict, format!("{path}: changed since the cursor was made"))
        .hint("read it again from the start"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_text_within_the_budget() {
        for text in [
            "short\n".to_owned(),
            "x\n".repeat(5_000),
            "é".repeat(60_000),
            format!("{}\n{}", "a".repeat(49_990), "😀".repeat(40_000)),
            "line of some length\r\n".repeat(9_000),
        ] {
            let rope = text::Text::new(&text);
            let (mut start, mut whole) = (0, String::new());
            while start < rope.len() {
                let end = piece_end(&rope, start);
                assert!(end > start && end - start <= BYTES);
                let piece = rope.slice(start..end);
                assert!(piece.lines().count() <= LINES);
                whole.push_str(&piece);
                start = end;
            }
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn cursors_are_bound_to_their_content() {
        let (one, two) = (Hash::of(b"1"), Hash::of(b"2"));
        assert_eq!(offset_of(&cursor_at(7, one), one, "f"), Ok(7));
        assert_eq!(
            offset_of(&cursor_at(7, one), two, "f").map_err(|e| e.code),
            Err(Code::Conflict)
        );
        for bad in ["", "x", "1-", "-1-2", "9999999999999999999999-aa"] {
            assert!(offset_of(bad, one, "f").is_err(), "{bad}");
        }
    }
}
