//! `get_selection`: the text that the person has selected.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::Text;
use workspace::{ContentHash, Document, Selection};

use super::editor_position::{Span, line_and_column, locate_document, selection_error};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    budget::{BYTES, cut},
};

pub(crate) struct GetSelection;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The selected text; empty if there is only a cursor. The first of several selections.
    content: String,
    /// The file; relative to the workspace if inside.
    path: String,
    #[serde(flatten)]
    span: Span,
    /// Line of the cursor, 1-based.
    cursor_line: usize,
    /// Column of the cursor, 1-based, in UTF-16 units.
    cursor_column: usize,
    /// The document's version.
    version: i32,
    /// SHA-256 of the whole text; `apply_edit` takes it as `expected_hash`.
    hash: String,
    /// All selections in the editor's order, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    selections: Vec<SelectionOutput>,
    /// Whether a long text was cut in the middle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct SelectionOutput {
    /// The selected text.
    content: String,
    #[serde(flatten)]
    span: Span,
}

impl Tool for GetSelection {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_selection";
    const DESCRIPTION: &'static str = "The text that the person has selected in the active file, \
        unsaved text included, and its position. `content` is empty if there is only a cursor. \
        With several selections it is the first; `selections` lists all.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let (document, _) = selected(context)?;
        let (_, path) = locate_document(&context.snapshot, document.uri());
        Ok(path.iter().map(Effect::read).collect())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let (document, selections) = selected(context)?;
        let text = document.text();
        let mut left = BYTES;
        let mut truncated = false;
        let mut content = |selection: &Selection| {
            let content = within(text, selection, left, &mut truncated);
            left -= content.len().min(left);
            content
        };
        let first = selections.first().copied().unwrap_or(Selection { anchor: 0, cursor: 0 });
        let (cursor_line, cursor_column) = line_and_column(text, first.cursor);
        let selections = match selections {
            [_] => Vec::new(),
            several => several
                .iter()
                .map(|s| SelectionOutput {
                    content: content(s),
                    span: Span::from_selection(text, *s),
                })
                .collect(),
        };
        // `content` repeats the first selection but is charged once.
        let content = selections.first().map_or_else(|| content(&first), |one| one.content.clone());
        Ok(Output {
            content,
            path: locate_document(&context.snapshot, document.uri()).0,
            span: Span::from_selection(text, first),
            cursor_line,
            cursor_column,
            version: document.version(),
            hash: ContentHash::digest(text.to_string().as_bytes()).to_string(),
            selections,
            truncated,
        })
    }
}

fn selected<'a>(
    context: &'a Context<'_>,
) -> Result<(&'a Arc<Document>, &'a [Selection]), ToolError> {
    context.snapshot.selected().map_err(|error| selection_error(GetSelection::NAME, &error))
}

/// The selected text, cut to the remaining budget.
fn within(text: &Text, selection: &Selection, left: usize, truncated: &mut bool) -> String {
    let whole = text.slice(selection.span());
    let short = cut(&whole).map_or_else(
        || whole.into_owned(),
        |cut| {
            *truncated = true;
            cut.text
        },
    );
    if short.len() <= left {
        return short;
    }
    *truncated = true;
    String::new()
}
