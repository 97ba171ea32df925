//! What the person has before them, as far as the editor has said: never guessed.

use std::ops::Range as Span;
use std::sync::Arc;

use text::{Position, PositionEncoding, Range, Text};
use thiserror::Error;

use crate::uri::normal_uri;
use crate::{Document, Snapshot};

/// All that an editor says of itself at one moment; what it leaves out is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditorReport {
    /// The URI of the document that has the focus.
    pub active: Option<String>,
    /// The tabs, in order.
    pub tabs: Option<Vec<Tab>>,
    /// The 0-based index of the tab in front.
    pub active_tab: Option<u32>,
    /// What is selected in the active document, the cursor at each one's `end`.
    pub selections: Option<Vec<Range>>,
    /// What can be seen.
    pub visible: Option<Vec<Visible>>,
    /// The version of the active document that the selections are of; without one they are of the
    /// text at the report's place among the changes.
    pub version: Option<i32>,
}

/// A tab of the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    /// Its document's URI, as the client spells it.
    pub uri: String,
    /// Whether it holds what is not saved; `None` where the client does not say.
    pub dirty: Option<bool>,
}

/// A part of a document that can be seen, as it was when it was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    /// The document's URI, as the client spells it.
    pub uri: String,
    /// 0-based first line.
    pub first: u32,
    /// 0-based last line.
    pub last: u32,
}

/// What is selected: bytes of a text. Empty, it is a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// Where the selecting began.
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

/// What is selected in the active document, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(crate) enum Selected {
    /// Nobody has said.
    #[default]
    Unknown,
    /// These bytes of the document's text in the same snapshot.
    Known(Arc<[Selection]>),
    /// Ranges of a text that the client has not sent yet.
    Awaited { version: Option<i32>, ranges: Arc<[Range]>, encoding: PositionEncoding },
    /// It cannot be told any more, and why.
    Lost(&'static str),
}

/// Why it is not known what is selected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum SelectionError {
    #[error("the editor has not reported which document is active")]
    NoActive,
    #[error("{uri}: the editor has not reported what is selected")]
    NotReported { uri: Arc<str> },
    #[error("{uri}: is active, but its text was not sent (textDocument/didOpen)")]
    NotOpen { uri: Arc<str> },
    #[error("{uri}: the selection is of version {version}, and the text here is of version {here}")]
    Ahead { uri: Arc<str>, version: i32, here: i32 },
    #[error("{uri}: what is selected is not known any more: {reason}")]
    Lost { uri: Arc<str>, reason: &'static str },
}

/// A person typed where the selection was, or something else changed there.
pub(crate) const TOUCHED: &str = "the text has changed in that place since it was reported";
const FORGOTTEN: &str = "it was of a version of the text that is not kept";
const OUTSIDE: &str = "it is of places that the text does not have";
const REOPENED: &str = "the document was opened again";

/// What the editor has reported, carried along with the documents' changes.
#[derive(Debug, Clone, Default)]
pub struct EditorState {
    /// How many reports there have been: whether a state is the editor's latest word.
    pub(crate) reports: u64,
    pub(crate) active: Option<Active>,
    pub(crate) selected: Selected,
    tabs: Option<Arc<[Tab]>>,
    active_tab: Option<u32>,
    visible: Option<Arc<[Visible]>>,
    version: Option<i32>,
}

/// The document that has the focus.
#[derive(Debug, Clone)]
pub(crate) struct Active {
    pub(crate) uri: Arc<str>,
    pub(crate) key: Arc<str>,
}

impl Active {
    fn new(uri: &str) -> Self {
        Self { uri: uri.into(), key: normal_uri(uri).into() }
    }
}

impl EditorState {
    /// Whether nothing at all is known.
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

    /// What could be seen when it was last reported.
    #[must_use]
    pub fn visible(&self) -> Option<&[Visible]> {
        self.visible.as_deref()
    }

    /// The version that the client named with its last report.
    #[must_use]
    pub fn version(&self) -> Option<i32> {
        self.version
    }

    /// The selections as they were reported, where the text that they are of was not sent.
    #[must_use]
    pub fn unplaced(&self) -> Option<(&[Range], PositionEncoding)> {
        match &self.selected {
            Selected::Awaited { ranges, encoding, .. } => Some((ranges, *encoding)),
            _ => None,
        }
    }

    /// Takes up a report, in place of all that was known; what is selected is set apart.
    pub(crate) fn report(&mut self, report: EditorReport, selected: Selected) {
        *self = Self {
            reports: self.reports + 1,
            active: report.active.as_deref().map(Active::new),
            selected,
            tabs: report.tabs.map(Into::into),
            active_tab: report.active_tab,
            visible: report.visible.map(Into::into),
            version: report.version,
        };
    }

    /// Takes up that a document has got the focus; the same one keeps its selection.
    pub(crate) fn focus(&mut self, uri: Option<&str>) {
        self.reports += 1;
        let active = uri.map(Active::new);
        if self.is_active(active.as_ref().map_or("", |active| &active.key)) {
            return;
        }
        self.active = active;
        self.selected = Selected::Unknown;
        self.active_tab = None;
        self.visible = None;
        self.version = None;
    }

    /// Whether the document with this key has the focus.
    pub(crate) fn is_active(&self, key: &str) -> bool {
        self.active.as_ref().is_some_and(|active| &*active.key == key)
    }

    /// Takes up that a document was opened: ranges of a text to come may be of this one.
    pub(crate) fn opened(&mut self, document: &Document) {
        if !self.is_active(document.key()) {
            return;
        }
        self.selected = match &self.selected {
            Selected::Unknown => Selected::Unknown,
            Selected::Known(_) | Selected::Lost(_) => Selected::Lost(REOPENED),
            Selected::Awaited { version, ranges, encoding } => {
                arrived(document, *version, ranges, *encoding)
            }
        };
    }

    /// Takes up that a version of the active document has come.
    pub(crate) fn changed(
        &mut self,
        document: &Document,
        carry: impl FnOnce(&[Selection]) -> Option<Vec<Selection>>,
    ) {
        if !self.is_active(document.key()) {
            return;
        }
        match &self.selected {
            Selected::Known(selections) => {
                let carried = carry(selections);
                self.selected = carried.map_or(Selected::Lost(TOUCHED), known);
            }
            Selected::Awaited { version, ranges, encoding } => {
                self.selected = arrived(document, *version, ranges, *encoding);
            }
            Selected::Unknown | Selected::Lost(_) => {}
        }
    }

    /// Takes up that a document was closed.
    pub(crate) fn closed(&mut self, key: &str) {
        if self.is_active(key) {
            self.focus(None);
        }
    }
}

impl Snapshot {
    /// What the editor had reported.
    #[must_use]
    pub fn editor(&self) -> &EditorState {
        &self.editor
    }

    /// The document that has the focus, and what is selected in it.
    ///
    /// # Errors
    /// Where the editor has not said, or its word is of another text.
    pub fn selected(&self) -> Result<(&Arc<Document>, &[Selection]), SelectionError> {
        let active = self.editor.active.as_ref().ok_or(SelectionError::NoActive)?;
        let uri = || active.uri.clone();
        let document = self.documents.get(&active.key);
        match (&self.editor.selected, document) {
            (Selected::Unknown, _) => Err(SelectionError::NotReported { uri: uri() }),
            (_, None) => Err(SelectionError::NotOpen { uri: uri() }),
            (Selected::Known(selections), Some(document)) => Ok((document, selections)),
            (Selected::Awaited { version, .. }, Some(document)) => {
                let here = document.version();
                Err(SelectionError::Ahead { uri: uri(), version: version.unwrap_or(here), here })
            }
            (Selected::Lost(reason), _) => Err(SelectionError::Lost { uri: uri(), reason }),
        }
    }
}

/// What ranges of a text to come select in the document, which has just come or changed.
fn arrived(
    document: &Document,
    version: Option<i32>,
    ranges: &Arc<[Range]>,
    encoding: PositionEncoding,
) -> Selected {
    match version {
        Some(version) if version > document.version() => {
            Selected::Awaited { version: Some(version), ranges: ranges.clone(), encoding }
        }
        Some(version) if version < document.version() => Selected::Lost(FORGOTTEN),
        _ => placed(document.text(), ranges, encoding).map_or(Selected::Lost(OUTSIDE), known),
    }
}

/// What reported ranges select in a document that is open, now and in the states that are kept:
/// `past` gives those of a version, `carry` brings selections of one up to now.
pub(crate) fn selected<'a>(
    document: &'a Document,
    ranges: Vec<Range>,
    version: Option<i32>,
    encoding: PositionEncoding,
    past: impl IntoIterator<Item = (u64, &'a Text)>,
    carry: impl FnOnce(u64, &[Selection]) -> Option<Vec<Selection>>,
) -> Selected {
    let Some(version) = version else {
        return arrived(document, None, &ranges.into(), encoding);
    };
    let now = (document.revision(), document.text());
    let now = (version == document.version()).then_some(now);
    let mut states = past.into_iter().chain(now);
    let (Some((revision, text)), None) = (states.next(), states.next()) else {
        // None of them, or two that bear one number.
        return match version > document.version() {
            true => Selected::Awaited { version: Some(version), ranges: ranges.into(), encoding },
            false => Selected::Lost(FORGOTTEN),
        };
    };
    let Some(selections) = placed(text, &ranges, encoding) else { return Selected::Lost(OUTSIDE) };
    if revision == document.revision() {
        return known(selections);
    }
    carry(revision, &selections).map_or(Selected::Lost(TOUCHED), known)
}

pub(crate) fn known(selections: Vec<Selection>) -> Selected {
    Selected::Known(selections.into())
}

/// Reported ranges as bytes of the text that they are of. `None` where one is not in it.
fn placed(text: &Text, ranges: &[Range], encoding: PositionEncoding) -> Option<Vec<Selection>> {
    let place = |range: &Range| {
        Some(Selection {
            anchor: offset(text, range.start, encoding)?,
            cursor: offset(text, range.end, encoding)?,
        })
    };
    ranges.iter().map(place).collect()
}

/// The byte of a position. Past a line's end means its end, as the protocol has it; a line that is
/// not there and the inside of a character are no places.
fn offset(text: &Text, position: Position, encoding: PositionEncoding) -> Option<usize> {
    let offset = text.offset(position, encoding);
    let found = text.position(offset, encoding);
    let line_end = || text.position(text.line_span(found.line as usize).end, encoding);
    let is_there = found.line == position.line
        && (found.character == position.character || position.character > line_end().character);
    is_there.then_some(offset)
}
