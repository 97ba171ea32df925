//! What the editor shows of a diagnostic besides what is in the results of tools: where it ends, its
//! link, other places, and the changes that a tool suggests.

use text::PositionEncoding;

/// Suggestions kept of a diagnostic, edits of a suggestion, and other places.
const MAX_FIXES: usize = 8;
const MAX_EDITS: usize = 200;
const MAX_RELATED: usize = 8;
/// Longest text of an edit, and longest title, in bytes.
const MAX_EDIT_BYTES: usize = 64 << 10;
const MAX_TITLE_BYTES: usize = 200;

/// What the editor shows besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Details {
    /// The unit of columns and offsets.
    pub(crate) unit: PositionEncoding,
    /// The program that found it, if it is not the runner: `rustc`.
    pub(crate) source: Option<&'static str>,
    /// Where it ends: line and column, 1-based.
    pub(crate) end: Option<(u32, u32)>,
    /// A page about its code.
    pub(crate) url: Option<String>,
    /// Whether the code there is not needed.
    pub(crate) is_unnecessary: bool,
    /// Other places.
    pub(crate) related: Vec<Related>,
    /// What the tool suggests.
    pub(crate) fixes: Vec<Fix>,
}

/// Another place that a diagnostic refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Related {
    pub(crate) file: String,
    /// Lines and columns, 1-based.
    pub(crate) start: (u32, u32),
    pub(crate) end: (u32, u32),
    pub(crate) message: String,
}

/// A change that a tool suggests, in the file of its diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fix {
    pub(crate) title: String,
    /// Whether the tool would make it without asking.
    pub(crate) is_preferred: bool,
    pub(crate) edits: Vec<FixEdit>,
}

/// One replacement of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FixEdit {
    pub(crate) span: FixSpan,
    pub(crate) text: String,
}

/// What is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FixSpan {
    /// From a line and column to another, 1-based.
    Lines((u32, u32), (u32, u32)),
    /// From an offset in the file to another, in UTF-16 units.
    Units(u32, u32),
}

impl Details {
    /// Adds what the tool suggests; too large suggestions are left out.
    pub(crate) fn suggest(&mut self, mut fix: Fix) {
        let bytes: usize = fix.edits.iter().map(|edit| edit.text.len()).sum();
        let is_small = fix.edits.len() <= MAX_EDITS && bytes <= MAX_EDIT_BYTES;
        if !is_small || fix.edits.is_empty() || self.fixes.len() >= MAX_FIXES {
            return;
        }
        fix.title.truncate(fix.title.floor_char_boundary(MAX_TITLE_BYTES));
        if !self.fixes.contains(&fix) {
            self.fixes.push(fix);
        }
    }

    /// Adds another place.
    pub(crate) fn relate(&mut self, related: Related) {
        if self.related.len() < MAX_RELATED {
            self.related.push(related);
        }
    }
}

/// The change as a title: its text if it is short, otherwise what it is for.
pub(crate) fn title(what: &str, edits: &[FixEdit]) -> String {
    let what = what.trim().trim_end_matches([':', '.']);
    match edits {
        [edit] if !edit.text.trim().is_empty() && !edit.text.trim().contains('\n') => {
            format!("{what}: `{}`", edit.text.trim())
        }
        _ => what.to_owned(),
    }
}
