//! Inserts code next to a symbol, with the blank lines used around its neighbours.

use schemars::JsonSchema;
use serde::Deserialize;
use text::Text;

use super::layout;
use super::symbol_edit::{ResolvedSymbol, SymbolLocation};
use crate::editing::Edits;
use tools::ToolError;

/// The symbol, and the code to insert.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    pub(super) place: SymbolLocation,
    /// The code. Its indentation and the blank lines around it are adjusted to the place.
    pub(super) body: String,
}

/// The side of the symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// Limit for the blank lines between neighbours.
const MAX_BLANK_LINES: usize = 3;

pub(super) fn insertion(
    body: String,
    side: Side,
) -> impl Fn(&ResolvedSymbol<'_>) -> Result<Edits, ToolError> + 'static {
    move |at| {
        let text = at.document.text();
        let whole = at.whole();
        let alone = match side {
            Side::Before => at.begins_line(whole.start),
            Side::After => at.ends_line(whole.end),
        };
        if !alone {
            return Err(at.shares_lines());
        }
        let top = text.line_of(at.syntax.comments_above(whole.start));
        let bottom = text.line_of(whole.end);
        let line = text.line(text.line_of(whole.start));
        let indent = layout::indent_of(&line);
        let language = at.document.language();
        let set = layout::reindent(&body, indent, language, at.context.interrupt);
        let blank = "\n".repeat(blank_lines(at, text, top, bottom, side));
        let (place, new) = match side {
            Side::Before => (text.line_start(top), format!("{indent}{set}\n{blank}")),
            Side::After if bottom + 1 < text.line_count() => {
                (text.line_start(bottom + 1), format!("{blank}{indent}{set}\n"))
            }
            // The last line has no line ending.
            Side::After => (text.len(), format!("\n{blank}{indent}{set}")),
        };
        Ok(vec![(place..place, layout::with_line_ends_of(text, new))])
    }
}

/// The number of blank lines between symbol and inserted code: as on that side, otherwise as on
/// the other; for a lone symbol, one if it has a body.
fn blank_lines(
    at: &ResolvedSymbol<'_>,
    text: &Text,
    top: usize,
    bottom: usize,
    side: Side,
) -> usize {
    let depth = layout::indent_of(&text.line(top)).len();
    let is_blank = |line: &usize| text.line(*line).trim().is_empty();
    // Only a neighbour with the same indentation counts; others border the surrounding block.
    let count = |mut lines: Box<dyn Iterator<Item = usize>>| {
        let mut blank = 0;
        loop {
            let line = lines.next()?;
            if is_blank(&line) {
                blank += 1;
                continue;
            }
            let written = text.line(line);
            let indent = layout::indent_of(&written).len();
            return (indent >= depth).then_some(blank);
        }
    };
    let above = || count(Box::new((0..top).rev()));
    let below = || count(Box::new(bottom + 1..text.line_count()));
    let found = match side {
        Side::Before => above().or_else(below),
        Side::After => below().or_else(above),
    };
    let has_body = at.symbol.kind.is_type() || at.symbol.kind.is_callable();
    let several = top < bottom || has_body;
    found
        .unwrap_or(usize::from(several))
        .min(MAX_BLANK_LINES)
        .max(usize::from(has_body && top < bottom))
}
