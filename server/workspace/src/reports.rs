//! What the editor reports of itself, taken up in the order of the wire.

use std::sync::Arc;

use text::{PositionEncoding, Text};

use crate::editor_state::{EditorReport, Selected, SelectionError, TOUCHED, known, selected};
use crate::uri::normal_uri;
use crate::{Document, Selection, Snapshot, Workspace};

impl Workspace {
    /// Takes up what the editor says of itself, in place of all that it said before.
    pub fn editor_reported(&self, mut report: EditorReport, encoding: PositionEncoding) {
        let mut state = self.state.lock();
        let ranges = report.selections.take();
        let key = report.active.as_deref().map(normal_uri);
        let document = key.as_deref().and_then(|key| state.documents.get(key));
        let version = report.version;
        let selected = match (key, ranges, document) {
            (None, _, _) | (_, None, _) => Selected::Unknown,
            (Some(_), Some(ranges), None) => {
                Selected::Awaited { version, ranges: ranges.into(), encoding }
            }
            (Some(key), Some(ranges), Some(document)) => {
                let history = state.histories.get(key.as_str());
                let past = history.into_iter().flat_map(|h| h.of_version(version.unwrap_or(0)));
                selected(document, ranges, version, encoding, past, |revision, selections| {
                    history?.carry(revision, selections)
                })
            }
        };
        Arc::make_mut(&mut state.editor).report(report, selected);
    }

    /// Takes up that a document has got the focus, or that none has it.
    pub fn focused(&self, uri: Option<&str>) {
        Arc::make_mut(&mut self.state.lock().editor).focus(uri);
    }

    /// The document that had the focus in `seen`, as it is now, and where what was selected then
    /// is in it.
    ///
    /// # Errors
    /// As [`Snapshot::selected`], and where the document has changed in that place since.
    pub fn selected_since(
        &self,
        seen: &Snapshot,
    ) -> Result<(Arc<Document>, Vec<Selection>), SelectionError> {
        let (then, selections) = seen.selected()?;
        let state = self.state.lock();
        if state.editor.reports == seen.editor.reports {
            let now = self.snapshot_of(&state);
            let (document, selections) = now.selected()?;
            return Ok((document.clone(), selections.to_vec()));
        }
        // The person has moved on; the call is about what they had selected when it was made.
        let lost = || SelectionError::Lost { uri: then.uri().clone(), reason: TOUCHED };
        let document = state.documents.get(then.key()).ok_or_else(lost)?.clone();
        if document.revision() == then.revision() {
            return Ok((document, selections.to_vec()));
        }
        let history = state.histories.get(then.key()).ok_or_else(lost)?;
        let carried = history.carry(then.revision(), selections).ok_or_else(lost)?;
        Ok((document, carried))
    }

    /// Takes up that an edit of our own, worked out on `seen`, has made `after` of the document
    /// with the focus, with this selected; unless the editor has had its own word since.
    pub fn select(&self, seen: &Snapshot, uri: &str, after: &Text, selections: Vec<Selection>) {
        // Compared before the lock is taken: the wire waits for it.
        let now = self.snapshot();
        let Some(document) = now.document(uri).filter(|now| now.text() == after) else { return };
        let key = document.key();
        let mut state = self.state.lock();
        let is_latest = state.editor.reports == seen.editor.reports && state.editor.is_active(key);
        let is_after =
            state.documents.get(key).is_some_and(|d| d.revision() == document.revision());
        if is_latest && is_after {
            Arc::make_mut(&mut state.editor).selected = known(selections);
        }
    }
}
