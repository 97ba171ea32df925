//! The part of a transaction that the editor performs: edits of open documents.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use text::Text;

use super::{Change, CommitError};
use crate::pending_edit::EditOutcome;
use crate::{DocumentEdit, Editor, EditorError, FileText, Snapshot, Source, Workspace, WriteLock};

/// How long to wait for the editor to report the changes of an edit that it has applied.
const REPORT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait for reports from an editor that refused: it may have applied a part.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(50);
/// Maximum number of attempts to revert an edit while the person types.
const MAX_ATTEMPTS: usize = 5;

impl Workspace {
    /// Applies edits in the editor. Returns whether the editor has also reported the changes.
    pub(super) fn apply_in_editor(
        &self,
        label: &str,
        changes: &[Change],
        documents: &[DocumentEdit],
        editor: &dyn Editor,
    ) -> Result<bool, CommitError> {
        let open: Vec<(&FileText, &str)> = open_edits(changes).collect();
        let paths = || open.iter().map(|(file, _)| file.path.display_path()).collect();
        if !self.await_edits(documents.iter().zip(open.iter().map(|(_, after)| *after))) {
            let now = self.snapshot();
            let moved = documents.iter().position(|edit| {
                now.document(&edit.uri).is_none_or(|now| !now.text().is_same(&edit.text))
            });
            return Err(CommitError::DocumentChanged {
                path: open[moved.unwrap_or(0)].0.path.display_path(),
            });
        }
        let applied = editor.apply(label, documents);
        // The next call must see these changes. So wait for an editor that debounces its reports;
        // one that reports nothing is trusted.
        let outcomes = self.edit_outcomes(match &applied {
            Ok(()) => REPORT_TIMEOUT,
            Err(EditorError::Refused(_)) => REFUSAL_TIMEOUT,
            Err(_) => Duration::ZERO,
        });
        if let Err(source) = applied {
            // It may have applied a part before it failed, or may still apply it later.
            self.revert_applied(label, documents, changes, &outcomes, editor);
            if source == EditorError::NoResponse {
                self.watch_late_edits(documents.iter().zip(open.iter().map(|(_, after)| *after)));
            }
            return Err(CommitError::Editor { paths: paths(), source });
        }
        // If one document's change is reported, the others' must be as well. A client that reports
        // nothing at all is trusted as long as the documents are open.
        let is_any_reported =
            outcomes.iter().any(|outcome| matches!(outcome, EditOutcome::Applied));
        let now = self.snapshot();
        let failed = documents.iter().zip(&outcomes).position(|(edit, outcome)| match outcome {
            EditOutcome::NotApplied | EditOutcome::Misplaced { .. } => true,
            EditOutcome::NotReported => is_any_reported || now.document(&edit.uri).is_none(),
            EditOutcome::Applied => false,
        });
        let Some(failed) = failed else { return Ok(is_any_reported) };
        self.revert_applied(label, documents, changes, &outcomes, editor);
        Err(CommitError::DocumentChanged { path: open[failed].0.path.display_path() })
    }

    /// Reverts the edits that were applied, correctly or misplaced.
    fn revert_applied(
        &self,
        label: &str,
        documents: &[DocumentEdit],
        changes: &[Change],
        outcomes: &[EditOutcome],
        editor: &dyn Editor,
    ) {
        for (edit, outcome) in documents.iter().zip(outcomes) {
            if let EditOutcome::Misplaced { before, after } = outcome {
                self.revert_in_editor(label, &edit.uri, (after, before), editor);
            }
        }
        self.revert_unchanged_in_editor(label, documents, changes, editor);
    }

    /// Reverts edits that the editor applied after the timeout: their callers were told that
    /// nothing changed.
    pub fn revert_late_edits(&self, _write_lock: &WriteLock<'_>, editor: &dyn Editor) {
        for late_edit in self.take_late_edits() {
            let change = match late_edit.outcome() {
                EditOutcome::Misplaced { before, after } => (after, before),
                _ => (late_edit.after(), &late_edit.edit.text),
            };
            tracing::warn!("{}: a late edit is reverted", late_edit.edit.uri);
            self.revert_in_editor("Revert a late edit", &late_edit.edit.uri, change, editor);
        }
    }

    /// Reverts the change from the text `original` to `changed` in a document, and waits for the
    /// report. Text typed since is kept.
    fn revert_in_editor(
        &self,
        label: &str,
        uri: &Arc<str>,
        (changed, original): (&Text, &Text),
        editor: &dyn Editor,
    ) {
        for _ in 0..MAX_ATTEMPTS {
            let now = self.snapshot();
            let Some(document) = now.document(uri) else { return };
            let Some((span, new)) = reversal(document.text(), changed, original) else { break };
            let mut after = document.text().to_string();
            after.replace_range(span.clone(), &new);
            let revert = DocumentEdit {
                uri: uri.clone(),
                version: document.version(),
                text: document.text().clone(),
                edits: vec![(span, new)],
            };
            if !self.await_edits(std::iter::once((&revert, after.as_str()))) {
                continue;
            }
            let applied = editor.apply(label, std::slice::from_ref(&revert));
            if applied.is_ok()
                && matches!(self.edit_outcomes(REPORT_TIMEOUT).as_slice(), [EditOutcome::Applied])
            {
                return;
            }
            break;
        }
        tracing::error!("{label}: {uri}: an edit could not be reverted");
    }

    /// Reverts applied edits in documents that have not changed since.
    pub(super) fn revert_unchanged_in_editor(
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
                .is_some_and(|document| document.text() == &Text::new(after));
            if is_untouched {
                let change = (&Text::new(after), &edit.text);
                self.revert_in_editor(label, &edit.uri, change, editor);
            }
        }
    }
}

/// The edit of `now` that reverts the change from `original` to `changed`: a span and its
/// replacement. `None` if there is no change, or if `now` has changed in that span.
fn reversal(now: &Text, changed: &Text, original: &Text) -> Option<(Range<usize>, String)> {
    let (mut span, new) = changed.difference(original)?;
    // Text typed since then is one changed span of `now`. If it precedes our span, ours has moved;
    // if it follows, ours is in place; if they overlap, nobody can tell the two apart.
    if let Some((typed, grown)) = changed.difference(now) {
        if typed.end <= span.start {
            span = span.start - typed.end + grown.end..span.end - typed.end + grown.end;
        } else if typed.start < span.end {
            return None;
        }
    }
    Some((span, original.slice(new).into_owned()))
}

/// The edits of open documents: the text as it was read, and the text afterwards.
fn open_edits(changes: &[Change]) -> impl Iterator<Item = (&FileText, &str)> {
    changes.iter().filter_map(|change| match change {
        Change::Edit { file, after, .. } if matches!(file.source, Source::Open(_)) => {
            Some((file, after.as_str()))
        }
        _ => None,
    })
}

/// The edit for the editor; fails if the document has changed since it was read.
pub(super) fn document_edit(
    now: &Snapshot,
    file: &FileText,
    edits: &[(Range<usize>, String)],
) -> Result<DocumentEdit, CommitError> {
    let moved = || CommitError::DocumentChanged { path: file.path.display_path() };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reverted(now: &str) -> Option<String> {
        let (changed, original) = (Text::new("ab EDIT cd"), Text::new("ab cd"));
        let (span, new) = reversal(&Text::new(now), &changed, &original)?;
        let mut now = now.to_owned();
        now.replace_range(span, &new);
        Some(now)
    }

    #[test]
    fn reverting_an_edit_keeps_text_typed_since() {
        assert_eq!(reverted("ab EDIT cd").unwrap(), "ab cd");
        assert_eq!(reverted("typed ab EDIT cd").unwrap(), "typed ab cd");
        assert_eq!(reverted("ab EDIT cd typed").unwrap(), "ab cd typed");
        assert_eq!(reverted("ab ED typed IT cd"), None);
    }
}
