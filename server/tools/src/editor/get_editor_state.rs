//! `get_editor_state`: what the person has before them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::PositionEncoding;
use workspace::{SelectionError, Snapshot};

use super::place::{line_and_column, named, unknown};
use crate::budget::BYTES;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GetEditorState;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The file with the focus: relative to the workspace, where it lies in it.
    active_file: Option<String>,
    /// The files in tabs, in order.
    open_files: Option<Vec<String>>,
    /// 0-based index of the tab in front.
    active_tab_index: Option<u32>,
    /// 1-based line of the cursor.
    cursor_line: Option<usize>,
    /// 1-based column of the cursor, in UTF-16 units.
    cursor_column: Option<usize>,
    /// 1-based first line of the selection; the cursor's where nothing is selected.
    selection_start_line: Option<usize>,
    /// 1-based last line of the selection.
    selection_end_line: Option<usize>,
    /// All selections, in the editor's order.
    selections: Option<Vec<Selected>>,
    /// What could be seen when the editor last reported.
    visible: Option<Vec<Visible>>,
    /// The files in tabs that hold what is not saved; null where the editor does not say.
    dirty_files: Option<Vec<String>>,
    /// The version of the active file's text that the editor named with its report.
    version: Option<i32>,
    /// Why it is not known what is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    selection_unknown: Option<String>,
    /// True where lists were too long, and are cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// A selection; columns are null where the text is not known that would tell them.
#[derive(Serialize, JsonSchema)]
struct Selected {
    /// 1-based first line.
    start_line: usize,
    /// 1-based column in it, in UTF-16 units.
    start_column: Option<usize>,
    /// 1-based last line.
    end_line: usize,
    /// 1-based column in it of what comes after, in UTF-16 units.
    end_column: Option<usize>,
    /// 1-based line of the cursor, which is at one of the two ends.
    cursor_line: usize,
    /// 1-based column of the cursor, in UTF-16 units.
    cursor_column: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Visible {
    /// The file.
    path: String,
    /// 1-based first line.
    start_line: usize,
    /// 1-based last line.
    end_line: usize,
}

impl Tool for GetEditorState {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_editor_state";
    const DESCRIPTION: &'static str = "What the person has before them: the active file, the \
        cursor and selections, open tabs, unsaved files, visible lines. Only what their editor \
        reports; the rest is null.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let editor = snapshot.editor();
        if editor.is_unknown() {
            return Err(unknown(Self::NAME, &SelectionError::NoActive));
        }
        let mut budget = Budget { left: BYTES, truncated: false };
        let name = |uri: &str| named(snapshot, uri).0;
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

/// How much more a result may hold.
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
        // The editor's own words, of a text that is not known here.
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
