//! The part of a transaction that the editor does: the open documents.

use std::ops::Range;
use std::time::Duration;

use super::{Change, CommitError};
use crate::awaited::Landing;
use crate::{DocumentEdit, Editor, EditorError, FileText, Snapshot, Source, Turn, Workspace};

/// How long the editor's report of an edit that it has applied is waited for.
const REPORT: Duration = Duration::from_secs(1);
/// How long it is watched what an editor that refuses has done all the same.
const REFUSED: Duration = Duration::from_millis(50);

impl Workspace {
    /// Has the editor change its documents. True where it has reported the change, too.
    pub(super) fn apply_in_editor(
        &self,
        label: &str,
        changes: &[Change],
        documents: &[DocumentEdit],
        editor: &dyn Editor,
    ) -> Result<bool, CommitError> {
        let open: Vec<(&FileText, &str)> = open_edits(changes).collect();
        let paths = || open.iter().map(|(file, _)| file.path.shown()).collect();
        self.await_edits(documents.iter().zip(open.iter().map(|(_, after)| *after)));
        let applied = editor.apply(label, documents);
        // The next call must see what this one did. An editor that debounces its reports is
        // waited for; one that reports nothing is taken at its word.
        let landings = self.landings(match &applied {
            Ok(()) => REPORT,
            Err(EditorError::Refused(_)) => REFUSED,
            Err(_) => Duration::ZERO,
        });
        if let Err(source) = applied {
            // It may have done some of it before it gave up, or do it yet.
            self.take_back_landed(label, documents, changes, &landings, editor);
            if source == EditorError::NoAnswer {
                self.watch_late(documents.iter().zip(open.iter().map(|(_, after)| *after)));
            }
            return Err(CommitError::Editor { paths: paths(), source });
        }
        // Where one document's change is reported, the others' must be too; a client that reports
        // nothing at all is taken at its word, as long as the documents are open.
        let some_seen = landings.iter().any(|landing| matches!(landing, Landing::Whole));
        let now = self.snapshot();
        let missed = documents.iter().zip(&landings).position(|(edit, landing)| match landing {
            Landing::Absent | Landing::Misplaced { .. } => true,
            Landing::Unseen => some_seen || now.document(&edit.uri).is_none(),
            Landing::Whole => false,
        });
        let Some(missed) = missed else { return Ok(some_seen) };
        self.take_back_landed(label, documents, changes, &landings, editor);
        Err(CommitError::Moved { path: open[missed].0.path.shown() })
    }

    /// Takes back what has landed, in the right place or not.
    fn take_back_landed(
        &self,
        label: &str,
        documents: &[DocumentEdit],
        changes: &[Change],
        landings: &[Landing],
        editor: &dyn Editor,
    ) {
        for (edit, landing) in documents.iter().zip(landings) {
            if let Landing::Misplaced { before } = landing {
                self.restore_in_editor(label, edit, before, editor);
            }
        }
        self.take_back_in_editor(label, documents, changes, editor);
    }

    /// Takes back the edits that an editor has made after it was no longer waited for: whoever
    /// asked for them has been told that nothing changed.
    pub fn take_back_late(&self, _turn: &Turn<'_>, editor: &dyn Editor) {
        for late in self.late_landings() {
            let right = match late.landing() {
                Landing::Misplaced { before } => before.clone(),
                _ => late.edit.text.clone(),
            };
            tracing::warn!("{}: an edit came too late and is taken back", late.edit.uri);
            self.restore_in_editor("an edit that came too late", &late.edit, &right, editor);
        }
    }

    /// Gives a document the text that it should have without an edit, and waits for it.
    fn restore_in_editor(
        &self,
        label: &str,
        edit: &DocumentEdit,
        right: &text::Text,
        editor: &dyn Editor,
    ) {
        let now = self.snapshot();
        let Some(document) = now.document(&edit.uri) else { return };
        let Some((from, to)) = document.text().difference(right) else { return };
        let back = DocumentEdit {
            uri: edit.uri.clone(),
            version: document.version(),
            text: document.text().clone(),
            edits: vec![(from, right.slice(to).into_owned())],
        };
        self.await_edits(std::iter::once((&back, right.to_string().as_str())));
        let applied = editor.apply(label, std::slice::from_ref(&back));
        let landings = self.landings(REPORT);
        if applied.is_err() || !matches!(landings.as_slice(), [Landing::Whole]) {
            tracing::error!("{label}: {}: an edit could not be taken back", edit.uri);
        }
    }

    /// Undoes in the editor what it has applied, where nobody has typed since.
    pub(super) fn take_back_in_editor(
        &self,
        label: &str,
        documents: &[DocumentEdit],
        changes: &[Change],
        editor: &dyn Editor,
    ) {
        let now = self.snapshot();
        for (edit, (_, after)) in documents.iter().zip(open_edits(changes)) {
            let is_untouched = now
                .document(&edit.uri)
                .is_some_and(|document| document.text() == &text::Text::new(after));
            if is_untouched {
                self.restore_in_editor(label, edit, &edit.text, editor);
            }
        }
    }
}

/// The edits of open documents: the text as it was read, and as it is to be.
fn open_edits(changes: &[Change]) -> impl Iterator<Item = (&FileText, &str)> {
    changes.iter().filter_map(|change| match change {
        Change::Edit { file, after, .. } if matches!(file.source, Source::Open(_)) => {
            Some((file, after.as_str()))
        }
        _ => None,
    })
}

pub(super) fn document_edit(
    now: &Snapshot,
    file: &FileText,
    edits: &[(Range<usize>, String)],
) -> Result<DocumentEdit, CommitError> {
    let moved = || CommitError::Moved { path: file.path.shown() };
    let Source::Open(document) = &file.source else { return Err(moved()) };
    let current = now.document(document.uri());
    if current.is_none_or(|c| c.revision() != document.revision()) {
        return Err(moved());
    }
    Ok(DocumentEdit {
        uri: document.uri().clone(),
        version: document.version(),
        text: document.text().clone(),
        edits: edits.to_vec(),
    })
}
