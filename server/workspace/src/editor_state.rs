//! The editor's focus, tabs and selections as it has reported them. Nothing is guessed.

use std::ops::Range as Span;
use std::sync::Arc;

use text::{Position, PositionEncoding, Range, Text};
use thiserror::Error;

use crate::uri::normal_uri;
use crate::{Document, Snapshot};

/// One report of the editor's state; omitted fields are unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditorReport {
    /// The URI of the document that has the focus.
    pub active: Option<String>,
    /// The tabs, in order.
    pub tabs: Option<Vec<Tab>>,
    /// The 0-based index of the tab in front.
    pub active_tab: Option<u32>,
    /// The selections in the active document, the cursor at each one's `end`.
    pub selections: Option<Vec<Range>>,
    /// The visible line ranges.
    pub visible: Option<Vec<VisibleRange>>,
    /// The document version of the selections; without one they refer to the text at the time of
    /// the report.
    pub version: Option<i32>,
}

/// A tab of the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// The document's URI as the client spells it.
    pub uri: String,
    /// Whether it has unsaved changes; `None` if not reported.
    pub dirty: Option<bool>,
}

/// The visible lines of a document when it was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleRange {
    /// The document's URI as the client spells it.
    pub uri: String,
    /// The 0-based first line.
    pub first: u32,
    /// The 0-based last line.
    pub last: u32,
}

/// A selection as byte offsets of a text. If empty, it is a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// Where the selection began.
    pub anchor: usize,
    /// Where the cursor is.
    pub cursor: usize,
}

impl Selection {
    /// The selected bytes.
    #[must_use]
    pub fn span(&self) -> Span<usize> {
        self.anchor.min(self.cursor)..self.anchor.max(self.cursor)
    }
}

/// The selections in the active document, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) enum SelectionState {
    /// Not reported.
    #[default]
    Unknown,
    /// Byte offsets in the document's text of the same snapshot.
    Known(Arc<[Selection]>),
    /// Ranges in a text that the client has not sent yet.
    AwaitsText { version: Option<i32>, ranges: Arc<[Range]>, encoding: PositionEncoding },
    /// No longer known, and why.
    Lost(&'static str),
}

/// Why the selection is not known.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum SelectionError {
    #[error("No file is open in the editor")]
    NoActive,
    #[error("{uri}: the editor has not reported the selection")]
    NotReported { uri: Arc<str> },
    #[error(
        "{uri}: the document has the focus but is not open on the server (textDocument/didOpen)"
    )]
    NotOpen { uri: Arc<str> },
    #[error("{uri}: the selection refers to version {version}, but the server has version {here}")]
    Ahead { uri: Arc<str>, version: i32, here: i32 },
    #[error("{uri}: the selection is no longer known: {reason}")]
    Lost { uri: Arc<str>, reason: &'static str },
}

/// The selected text itself was changed.
pub(crate) const SELECTED_TEXT_CHANGED: &str =
    "the selected text has changed since it was reported";
const VERSION_NOT_KEPT: &str = "it refers to a document version that is no longer kept";
const OUTSIDE_TEXT: &str = "it refers to positions outside the text";
const REOPENED: &str = "the document was opened again";

/// The editor's reported state, with selections updated on document changes.
#[derive(Debug, Clone, Default)]
pub struct EditorState {
    /// The number of reports so far. It shows whether a copy of this state is the latest.
    pub(crate) reports: u64,
    pub(crate) active: Option<ActiveDocument>,
    pub(crate) selected: SelectionState,
    tabs: Option<Arc<[Tab]>>,
    active_tab: Option<u32>,
    visible: Option<Arc<[VisibleRange]>>,
    version: Option<i32>,
}

/// The document that has the focus.
#[derive(Debug, Clone)]
pub(crate) struct ActiveDocument {
    pub(crate) uri: Arc<str>,
    pub(crate) key: Arc<str>,
}

impl ActiveDocument {
    fn new(uri: &str) -> Self {
        Self { uri: uri.into(), key: normal_uri(uri).into() }
    }
}

impl EditorState {
    /// Whether nothing was reported.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.active.is_none() && self.tabs.is_none() && self.visible.is_none()
    }

    /// The URI of the document that has the focus.
    #[must_use]
    pub fn active(&self) -> Option<&Arc<str>> {
        self.active.as_ref().map(|active| &active.uri)
    }

    /// The tabs, in order.
    #[must_use]
    pub fn tabs(&self) -> Option<&[Tab]> {
        self.tabs.as_deref()
    }

    /// The 0-based index of the tab in front.
    #[must_use]
    pub fn active_tab(&self) -> Option<u32> {
        self.active_tab
    }

    /// The visible line ranges when last reported.
    #[must_use]
    pub fn visible(&self) -> Option<&[VisibleRange]> {
        self.visible.as_deref()
    }

    /// The document version of the last report.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.version
    }

    /// The reported selections, if the client has not sent their text yet.
    #[must_use]
    pub fn unplaced(&self) -> Option<(&[Range], PositionEncoding)> {
        match &self.selected {
            SelectionState::AwaitsText { ranges, encoding, .. } => Some((ranges, *encoding)),
            _ => None,
        }
    }

    /// Replaces the whole state by a report; `selected` holds its selections.
    pub(crate) fn report(&mut self, report: EditorReport, selected: SelectionState) {
        *self = Self {
            reports: self.reports + 1,
            active: report.active.as_deref().map(ActiveDocument::new),
            selected,
            tabs: report.tabs.map(Into::into),
            active_tab: report.active_tab,
            visible: report.visible.map(Into::into),
            version: report.version,
        };
    }

    /// Records the focused document. If it had the focus already, it keeps its selection.
    pub(crate) fn focus(&mut self, uri: Option<&str>) {
        self.reports += 1;
        let active = uri.map(ActiveDocument::new);
        if self.is_active(active.as_ref().map_or("", |active| &active.key)) {
            return;
        }
        self.active = active;
        self.selected = SelectionState::Unknown;
        self.active_tab = None;
        self.visible = None;
        self.version = None;
    }

    /// Whether the document with this key has the focus.
    pub(crate) fn is_active(&self, key: &str) -> bool {
        self.active.as_ref().is_some_and(|active| &*active.key == key)
    }

    /// Handles an opened document: a pending selection may refer to its text.
    pub(crate) fn opened(&mut self, document: &Document) {
        if !self.is_active(document.key()) {
            return;
        }
        self.selected = match &self.selected {
            SelectionState::Unknown => SelectionState::Unknown,
            SelectionState::Known(_) | SelectionState::Lost(_) => SelectionState::Lost(REOPENED),
            SelectionState::AwaitsText { version, ranges, encoding } => {
                resolve_pending(document, *version, ranges, *encoding)
            }
        };
    }

    /// Handles a changed document: `carry` maps selections to the new text.
    pub(crate) fn changed(
        &mut self,
        document: &Document,
        carry: impl FnOnce(&[Selection]) -> Option<Vec<Selection>>,
    ) {
        if !self.is_active(document.key()) {
            return;
        }
        match &self.selected {
            SelectionState::Known(selections) => {
                let carried = carry(selections);
                self.selected =
                    carried.map_or(SelectionState::Lost(SELECTED_TEXT_CHANGED), known_selections);
            }
            SelectionState::AwaitsText { version, ranges, encoding } => {
                self.selected = resolve_pending(document, *version, ranges, *encoding);
            }
            SelectionState::Unknown | SelectionState::Lost(_) => {}
        }
    }

    /// Handles a closed document.
    pub(crate) fn closed(&mut self, key: &str) {
        if self.is_active(key) {
            self.focus(None);
        }
    }
}

impl Snapshot {
    /// The state that the editor had reported.
    #[must_use]
    pub fn editor(&self) -> &EditorState {
        &self.editor
    }

    /// The document that has the focus, and its selections.
    ///
    /// # Errors
    /// When nothing was reported, or the selection refers to another text.
    pub fn selected(&self) -> Result<(&Arc<Document>, &[Selection]), SelectionError> {
        let active = self.editor.active.as_ref().ok_or(SelectionError::NoActive)?;
        let uri = || active.uri.clone();
        let document = self.documents.get(&active.key);
        match (&self.editor.selected, document) {
            (SelectionState::Unknown, _) => Err(SelectionError::NotReported { uri: uri() }),
            (_, None) => Err(SelectionError::NotOpen { uri: uri() }),
            (SelectionState::Known(selections), Some(document)) => Ok((document, selections)),
            (SelectionState::AwaitsText { version, .. }, Some(document)) => {
                let here = document.version();
                Err(SelectionError::Ahead { uri: uri(), version: version.unwrap_or(here), here })
            }
            (SelectionState::Lost(reason), _) => Err(SelectionError::Lost { uri: uri(), reason }),
        }
    }
}

/// Resolves pending ranges against the document that was opened or changed just now.
fn resolve_pending(
    document: &Document,
    version: Option<i32>,
    ranges: &Arc<[Range]>,
    encoding: PositionEncoding,
) -> SelectionState {
    match version {
        Some(version) if version > document.version() => {
            SelectionState::AwaitsText { version: Some(version), ranges: ranges.clone(), encoding }
        }
        Some(version) if version < document.version() => SelectionState::Lost(VERSION_NOT_KEPT),
        _ => to_selections(document.text(), ranges, encoding)
            .map_or(SelectionState::Lost(OUTSIDE_TEXT), known_selections),
    }
}

/// Resolves reported ranges of an open document. `past` yields the texts with that version, and
/// `carry` maps selections from one of them to the current text.
pub(crate) fn resolve_selections<'a>(
    document: &'a Document,
    ranges: Vec<Range>,
    version: Option<i32>,
    encoding: PositionEncoding,
    past: impl IntoIterator<Item = (u64, &'a Text)>,
    carry: impl FnOnce(u64, &[Selection]) -> Option<Vec<Selection>>,
) -> SelectionState {
    let Some(version) = version else {
        return resolve_pending(document, None, &ranges.into(), encoding);
    };
    let now = (document.revision(), document.text());
    let now = (version == document.version()).then_some(now);
    let mut states = past.into_iter().chain(now);
    let (Some((revision, text)), None) = (states.next(), states.next()) else {
        // No text with that version, or two: some clients repeat version numbers.
        return match version > document.version() {
            true => SelectionState::AwaitsText {
                version: Some(version),
                ranges: ranges.into(),
                encoding,
            },
            false => SelectionState::Lost(VERSION_NOT_KEPT),
        };
    };
    let Some(selections) = to_selections(text, &ranges, encoding) else {
        return SelectionState::Lost(OUTSIDE_TEXT);
    };
    if revision == document.revision() {
        return known_selections(selections);
    }
    carry(revision, &selections)
        .map_or(SelectionState::Lost(SELECTED_TEXT_CHANGED), known_selections)
}

pub(crate) fn known_selections(selections: Vec<Selection>) -> SelectionState {
    SelectionState::Known(selections.into())
}

/// Converts reported ranges to byte offsets of their text. `None` if one is outside.
fn to_selections(
    text: &Text,
    ranges: &[Range],
    encoding: PositionEncoding,
) -> Option<Vec<Selection>> {
    let to_selection = |range: &Range| {
        Some(Selection {
            anchor: exact_offset(text, range.start, encoding)?,
            cursor: exact_offset(text, range.end, encoding)?,
        })
    };
    ranges.iter().map(to_selection).collect()
}

/// The byte offset of a position. A character beyond the line's end means its end, as in LSP;
/// `None` for a missing line and inside a character.
fn exact_offset(text: &Text, position: Position, encoding: PositionEncoding) -> Option<usize> {
    let offset = text.offset(position, encoding);
    let found = text.position(offset, encoding);
    let line_end = || text.position(text.line_span(found.line as usize).end, encoding);
    let is_there = found.line == position.line
        && (found.character == position.character || position.character > line_end().character);
    is_there.then_some(offset)
}
