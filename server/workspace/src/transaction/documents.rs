//! The part of a transaction that the editor does: the open documents.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use text::Text;

use super::{Change, CommitError};
use crate::awaited::Landing;
use crate::{DocumentEdit, Editor, EditorError, FileText, Snapshot, Source, Turn, Workspace};

/// How long the editor's report of an edit that it has applied is waited for.
const REPORT: Duration = Duration::from_secs(1);
/// How long it is watched what an editor that refuses has done all the same.
const REFUSED: Duration = Duration::from_millis(50);
/// How often it is tried to take an edit back while somebody types.
const TRIES: usize = 5;

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
        if !self.await_edits(documents.iter().zip(open.iter().map(|(_, after)| *after))) {
            let now = self.snapshot();
            let moved = documents.iter().position(|edit| {
                now.document(&edit.uri).is_none_or(|now| !now.text().is_same(&edit.text))
            });
            return Err(CommitError::Moved { path: open[moved.unwrap_or(0)].0.path.shown() });
        }
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
            if let Landing::Misplaced { before, landed } = landing {
                self.restore_in_editor(label, &edit.uri, (landed, before), editor);
            }
        }
        self.take_back_in_editor(label, documents, changes, editor);
    }

    /// Takes back the edits that an editor has made after it was no longer waited for: whoever
    /// asked for them has been told that nothing changed.
    pub fn take_back_late(&self, _turn: &Turn<'_>, editor: &dyn Editor) {
        for late in self.late_landings() {
            let wrong = match late.landing() {
                Landing::Misplaced { before, landed } => (landed, before),
                _ => (late.after(), &late.edit.text),
            };
            tracing::warn!("{}: an edit came too late and is taken back", late.edit.uri);
            self.restore_in_editor("an edit that came too late", &late.edit.uri, wrong, editor);
        }
    }

    /// Takes out of a document what led from the text `right` to `landed`, and waits for it. What was
    /// typed since stays.
    fn restore_in_editor(
        &self,
        label: &str,
        uri: &Arc<str>,
        (landed, right): (&Text, &Text),
        editor: &dyn Editor,
    ) {
        for _ in 0..TRIES {
            let now = self.snapshot();
            let Some(document) = now.document(uri) else { return };
            let Some((span, new)) = without(document.text(), landed, right) else { break };
            let mut after = document.text().to_string();
            after.replace_range(span.clone(), &new);
            let back = DocumentEdit {
                uri: uri.clone(),
                version: document.version(),
                text: document.text().clone(),
                edits: vec![(span, new)],
            };
            if !self.await_edits(std::iter::once((&back, after.as_str()))) {
                continue;
            }
            let applied = editor.apply(label, std::slice::from_ref(&back));
            if applied.is_ok() && matches!(self.landings(REPORT).as_slice(), [Landing::Whole]) {
                return;
            }
            break;
        }
        tracing::error!("{label}: {uri}: an edit could not be taken back");
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
                .is_some_and(|document| document.text() == &Text::new(after));
            if is_untouched {
                let wrong = (&Text::new(after), &edit.text);
                self.restore_in_editor(label, &edit.uri, wrong, editor);
            }
        }
    }
}

/// What takes out of `now` what led from `right` to `landed`: a span, and what replaces it. `None`
/// where nothing did, or where that very place was changed since.
fn without(now: &Text, landed: &Text, right: &Text) -> Option<(Range<usize>, String)> {
    let (mut span, new) = landed.difference(right)?;
    if let Some((typed, grown)) = landed.difference(now) {
        if typed.end <= span.start {
            span = span.start - typed.end + grown.end..span.end - typed.end + grown.end;
        } else if typed.start < span.end {
            return None;
        }
    }
    Some((span, right.slice(new).into_owned()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_out(now: &str) -> Option<String> {
        let (landed, right) = (Text::new("ab EDIT cd"), Text::new("ab cd"));
        let (span, new) = without(&Text::new(now), &landed, &right)?;
        let mut now = now.to_owned();
        now.replace_range(span, &new);
        Some(now)
    }

    #[test]
    fn what_was_typed_since_an_edit_stays_when_it_is_taken_back() {
        assert_eq!(taken_out("ab EDIT cd").unwrap(), "ab cd");
        assert_eq!(taken_out("typed ab EDIT cd").unwrap(), "typed ab cd");
        assert_eq!(taken_out("ab EDIT cd typed").unwrap(), "ab cd typed");
        assert_eq!(taken_out("ab ED typed IT cd"), None);
    }
}
