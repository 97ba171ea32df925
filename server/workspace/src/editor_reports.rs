//! Applies the editor's reports of its state, in the order of the messages.

use std::sync::Arc;

use text::{PositionEncoding, Text};

use crate::editor_state::{
    EditorReport, SELECTED_TEXT_CHANGED, SelectionError, SelectionState, known_selections,
    resolve_selections,
};
use crate::uri::normal_uri;
use crate::{Document, Selection, Snapshot, Workspace};

impl Workspace {
    /// Replaces the editor's state by a report.
    pub fn editor_reported(&self, mut report: EditorReport, encoding: PositionEncoding) {
        let mut state = self.state.lock();
        let ranges = report.selections.take();
        let key = report.active.as_deref().map(normal_uri);
        let document = key.as_deref().and_then(|key| state.documents.get(key));
        let version = report.version;
        let selected = match (key, ranges, document) {
            (None, _, _) | (_, None, _) => SelectionState::Unknown,
            (Some(_), Some(ranges), None) => {
                SelectionState::AwaitsText { version, ranges: ranges.into(), encoding }
            }
            (Some(key), Some(ranges), Some(document)) => {
                let history = state.histories.get(key.as_str());
                let past = history.into_iter().flat_map(|h| h.with_version(version.unwrap_or(0)));
                resolve_selections(
                    document,
                    ranges,
                    version,
                    encoding,
                    past,
                    |revision, selections| history?.map_selections(revision, selections),
                )
            }
        };
        Arc::make_mut(&mut state.editor).report(report, selected);
    }

    /// Records the document that has the focus, if any.
    pub fn focused(&self, uri: Option<&str>) {
        Arc::make_mut(&mut self.state.lock().editor).focus(uri);
    }

    /// The current version of the document that had the focus in `seen`, with the selections of
    /// `seen` mapped to it.
    ///
    /// # Errors
    /// As [`Snapshot::selected`], and if the selected text has changed since.
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
        // The editor has reported a new state since; the call refers to the earlier selection.
        let lost =
            || SelectionError::Lost { uri: then.uri().clone(), reason: SELECTED_TEXT_CHANGED };
        let document = state.documents.get(then.key()).ok_or_else(lost)?.clone();
        if document.revision() == then.revision() {
            return Ok((document, selections.to_vec()));
        }
        let history = state.histories.get(then.key()).ok_or_else(lost)?;
        let mapped = history.map_selections(then.revision(), selections).ok_or_else(lost)?;
        Ok((document, mapped))
    }

    /// Sets the selection after our own edit, computed from `seen`, has turned the focused document
    /// into `after`; unless the editor has reported a new state since.
    pub fn select(&self, seen: &Snapshot, uri: &str, after: &Text, selections: Vec<Selection>) {
        // Compare before taking the lock: incoming messages wait for it.
        let now = self.snapshot();
        let Some(document) = now.document(uri).filter(|now| now.text() == after) else { return };
        let key = document.key();
        let mut state = self.state.lock();
        let is_latest = state.editor.reports == seen.editor.reports && state.editor.is_active(key);
        let is_after =
            state.documents.get(key).is_some_and(|d| d.revision() == document.revision());
        if is_latest && is_after {
            Arc::make_mut(&mut state.editor).selected = known_selections(selections);
        }
    }
}
