//! Documents and positions as these tools name them: 1-based lines, columns in UTF-16 units.

use schemars::JsonSchema;
use serde::Serialize;
use text::{Position, PositionEncoding, Text};
use workspace::{FilePath, Selection, SelectionError, Snapshot, path_of_uri};

use tools::{Code, ToolError};

/// Unit of columns in parameters and results.
const UNIT: PositionEncoding = PositionEncoding::Utf16;

/// A range of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Span {
    /// First line, 1-based.
    pub(super) start_line: usize,
    /// First column, 1-based, in UTF-16 units.
    pub(super) start_column: usize,
    /// Last line, 1-based.
    pub(super) end_line: usize,
    /// Column after the end, 1-based, in UTF-16 units.
    pub(super) end_column: usize,
}

impl Span {
    pub(super) fn from_span(text: &Text, span: std::ops::Range<usize>) -> Self {
        let (start_line, start_column) = line_and_column(text, span.start);
        let (end_line, end_column) = line_and_column(text, span.end);
        Self { start_line, start_column, end_line, end_column }
    }

    pub(super) fn from_selection(text: &Text, selection: Selection) -> Self {
        Self::from_span(text, selection.span())
    }
}

/// 1-based line and column of a byte offset.
pub(super) fn line_and_column(text: &Text, offset: usize) -> (usize, usize) {
    let position = text.position(offset, UNIT);
    (position.line as usize + 1, position.character as usize + 1)
}

/// Byte offset of a 1-based line and column.
///
/// # Errors
/// `E_INVALID_PARAMS` if the text has no such position.
pub(super) fn offset(
    text: &Text,
    displayed: &str,
    line: usize,
    column: Option<usize>,
) -> Result<usize, ToolError> {
    let invalid =
        |what: String| ToolError::new(Code::InvalidParams, format!("{displayed}: {what}"));
    let lines = text.line_count();
    if line == 0 || line > lines {
        return Err(invalid(format!("there is no line {line}"))
            .hint(format!("lines are 1-based; the file has {lines}")));
    }
    let column = column.unwrap_or(1);
    let wanted = u32::try_from(line - 1)
        .ok()
        .zip(column.checked_sub(1).and_then(|character| u32::try_from(character).ok()));
    let place = wanted.map(|(line, character)| Position::new(line, character));
    let offset = place.map(|place| text.offset(place, UNIT));
    match offset.filter(|at| Some(text.position(*at, UNIT)) == place) {
        Some(offset) => Ok(offset),
        None => {
            let (_, end) = line_and_column(text, text.line_span(line - 1).end);
            Err(invalid(format!("line {line} has no column {column}"))
                .hint(format!("columns are 1-based UTF-16 units; the line ends at {end}")))
        }
    }
}

/// A document's name in results, and its file if it is inside the workspace.
pub(super) fn locate_document(snapshot: &Snapshot, uri: &str) -> (String, Option<FilePath>) {
    let Ok(path) = path_of_uri(uri) else { return (uri.to_owned(), None) };
    match path.to_str().and_then(|path| snapshot.locate(path).ok()) {
        Some(file) => (file.display_path(), Some(file)),
        None => (path.to_string_lossy().into_owned(), None),
    }
}

/// The tool error for an unknown selection.
pub(super) fn selection_error(tool: &str, error: &SelectionError) -> ToolError {
    let made = |code| ToolError::new(code, format!("{tool}: {error}"));
    match error {
        SelectionError::NoActive | SelectionError::NotReported { .. } => made(Code::NoEditor)
            .hint("an editor's plugin reports it with tandem/didChangeEditorState"),
        SelectionError::NotOpen { .. } => {
            made(Code::NoEditor).hint("the editor has not opened this document in this server")
        }
        SelectionError::Ahead { .. } | SelectionError::Lost { .. } => made(Code::Conflict).hint(
            "call again after the editor has reported; get_selection returns the known state",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_positions_outside_the_text() {
        let text = Text::new("ab\r\n\u{1f600}x\n");
        let at = |line, column| offset(&text, "f", line, column).map_err(|e| e.code);
        assert_eq!(at(1, None), Ok(0));
        assert_eq!(at(1, Some(3)), Ok(2));
        assert_eq!(at(2, Some(3)), Ok(8));
        assert_eq!(at(2, Some(4)), Ok(9));
        assert_eq!(at(3, Some(1)), Ok(10));
        let nowhere =
            [(0, None), (4, None), (1, Some(0)), (1, Some(4)), (2, Some(2)), (3, Some(2))];
        for (line, column) in nowhere.into_iter().chain([(usize::MAX, Some(usize::MAX))]) {
            assert_eq!(at(line, column), Err(Code::InvalidParams), "{line}:{column:?}");
        }
    }
}
