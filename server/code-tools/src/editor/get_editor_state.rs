//! `get_editor_state`: what the person sees in the editor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::PositionEncoding;
use workspace::{SelectionError, Snapshot};

use super::editor_position::{line_and_column, locate_document, selection_error};
use tools::{Context, Effect, EffectKind, Tool, ToolError, budget::BYTES};

pub(crate) struct GetEditorState;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The focused file; relative to the workspace if inside.
    active_file: Option<String>,
    /// Files in tabs, in order.
    open_files: Option<Vec<String>>,
    /// Index of the active tab, 0-based.
    active_tab_index: Option<u32>,
    /// Line of the cursor, 1-based.
    cursor_line: Option<usize>,
    /// Column of the cursor, 1-based, in UTF-16 units.
    cursor_column: Option<usize>,
    /// First line of the selection, 1-based; the cursor's if nothing is selected.
    selection_start_line: Option<usize>,
    /// Last line of the selection, 1-based.
    selection_end_line: Option<usize>,
    /// All selections, in the editor's order.
    selections: Option<Vec<Selected>>,
    /// Visible lines at the editor's last report.
    visible: Option<Vec<Visible>>,
    /// Files in tabs with unsaved changes; null if the editor does not report them.
    dirty_files: Option<Vec<String>>,
    /// Version of the active document in the editor's report.
    version: Option<i32>,
    /// Why the selection is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    selection_unknown: Option<String>,
    /// Whether long lists were truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// A selection; columns are null if the document's text is unknown.
#[derive(Serialize, JsonSchema)]
struct Selected {
    /// First line, 1-based.
    start_line: usize,
    /// First column, 1-based, in UTF-16 units.
    start_column: Option<usize>,
    /// Last line, 1-based.
    end_line: usize,
    /// Column after the end, 1-based, in UTF-16 units.
    end_column: Option<usize>,
    /// Line of the cursor, at one of the two ends; 1-based.
    cursor_line: usize,
    /// Column of the cursor, 1-based, in UTF-16 units.
    cursor_column: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Visible {
    /// The file.
    path: String,
    /// First line, 1-based.
    start_line: usize,
    /// Last line, 1-based.
    end_line: usize,
}

impl Tool for GetEditorState {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_editor_state";
    const DESCRIPTION: &'static str = "What the person sees in the editor: active file, cursor and \
        selections, open tabs, unsaved files, visible lines. Values that the editor does not \
        report are null.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let editor = snapshot.editor();
        if editor.is_unknown() {
            return Err(selection_error(Self::NAME, &SelectionError::NoActive));
        }
        let mut budget = Budget { left: BYTES, truncated: false };
        let name = |uri: &str| locate_document(snapshot, uri).0;
        let active_file = editor.active().map(|uri| name(uri));
        let open_files = editor
            .tabs()
            .map(|tabs| budget.cut(tabs.iter().map(|tab| name(&tab.uri)), String::len));
        let tabs = editor.tabs().filter(|tabs| tabs.iter().all(|tab| tab.dirty.is_some()));
        let dirty_files = tabs.map(|tabs| {
            let dirty = tabs.iter().filter(|tab| tab.dirty == Some(true));
            budget.cut(dirty.map(|tab| name(&tab.uri)), String::len)
        });
        let visible = editor.visible().map(|visible| {
            let visible = visible.iter().map(|part| Visible {
                path: name(&part.uri),
                start_line: part.first as usize + 1,
                end_line: part.last as usize + 1,
            });
            budget.cut(visible, |part| part.path.len() + 50)
        });
        let (selections, selection_unknown) = match selections(snapshot) {
            Ok(selections) => (Some(selections), None),
            Err(error) => (None, editor.active().map(|_| error.to_string())),
        };
        let first = selections.as_ref().and_then(|selections| selections.first());
        Ok(Output {
            active_file,
            open_files,
            active_tab_index: editor.active_tab(),
            cursor_line: first.map(|s| s.cursor_line),
            cursor_column: first.and_then(|s| s.cursor_column),
            selection_start_line: first.map(|s| s.start_line),
            selection_end_line: first.map(|s| s.end_line),
            selections: selections.map(|s| budget.cut(s.into_iter(), |_| 100)),
            visible,
            dirty_files,
            version: editor.version(),
            selection_unknown,
            truncated: budget.truncated,
        })
    }
}

/// The remaining output budget.
struct Budget {
    left: usize,
    truncated: bool,
}

impl Budget {
    /// The items that fit.
    fn cut<T>(&mut self, items: impl Iterator<Item = T>, size: impl Fn(&T) -> usize) -> Vec<T> {
        let mut kept = Vec::new();
        for item in items {
            let Some(left) = self.left.checked_sub(size(&item) + 4) else {
                self.truncated = true;
                break;
            };
            self.left = left;
            kept.push(item);
        }
        kept
    }
}

fn selections(snapshot: &Snapshot) -> Result<Vec<Selected>, SelectionError> {
    match (snapshot.selected(), snapshot.editor().unplaced()) {
        (Ok((document, selections)), _) => {
            let text = document.text();
            let ends = selections.iter().map(|s| (s.anchor, s.cursor));
            let place = |at| {
                let (line, column) = line_and_column(text, at);
                (line, Some(column))
            };
            Ok(ends.map(|(anchor, cursor)| Selected::new(place(anchor), place(cursor))).collect())
        }
        // The document's text is unknown here: use the editor's positions.
        (Err(_), Some((ranges, encoding))) => {
            let place = |position: text::Position| {
                let column = position.character as usize + 1;
                let is_known = encoding == PositionEncoding::Utf16 || position.character == 0;
                (position.line as usize + 1, is_known.then_some(column))
            };
            Ok(ranges.iter().map(|r| Selected::new(place(r.start), place(r.end))).collect())
        }
        (Err(error), None) => Err(error),
    }
}

impl Selected {
    fn new(anchor: (usize, Option<usize>), cursor: (usize, Option<usize>)) -> Self {
        let (start, end) = (anchor.min(cursor), anchor.max(cursor));
        Self {
            start_line: start.0,
            start_column: start.1,
            end_line: end.0,
            end_column: end.1,
            cursor_line: cursor.0,
            cursor_column: cursor.1,
        }
    }
}
