//! Changes of many files as one: all of it happens, or none.

use std::ops::Range;
use std::time::Duration;

use thiserror::Error;

use crate::replace::Staged;
use crate::uri_of_path;
use crate::{
    DocumentEdit, Editor, EditorError, FileError, FileText, Snapshot, Source, Stamp, Turn,
    Workspace,
};

/// The change of one file.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file as it was read.
    pub file: FileText,
    /// Byte spans of its text and what replaces them: sorted, disjoint.
    pub edits: Vec<(Range<usize>, String)>,
    /// The text with all of `edits` applied.
    pub after: String,
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommitError {
    #[error("{path}: the document has changed since it was read")]
    Moved { path: String },
    #[error("{}: {source}", paths.join(", "))]
    Editor { paths: Vec<String>, source: EditorError },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path}: could not be put back after a failure elsewhere: {source} (first: {first})")]
    Torn { path: String, source: FileError, first: FileError },
}

/// How long the editor's report of an edit that it has applied is waited for.
const REPORT: Duration = Duration::from_secs(1);

impl Workspace {
    /// Applies `changes`, which were worked out on `seen`: open documents through `editor`, in
    /// one step; closed files by replacing them. Everything that can fail is done before
    /// anything is visible; what fails all the same is taken back.
    ///
    /// # Errors
    /// When nothing was changed, and why. [`CommitError::Torn`] alone means otherwise.
    pub fn commit(
        &self,
        _turn: &Turn<'_>,
        label: &str,
        seen: &Snapshot,
        changes: &[Change],
        editor: &dyn Editor,
    ) -> Result<(), CommitError> {
        let now = self.snapshot();
        let mut documents = Vec::new();
        let mut staged = Vec::new();
        for change in changes {
            match &change.file.source {
                Source::Open(document) => {
                    let current = now.document(document.uri());
                    if !current.is_some_and(|c| c.revision() == document.revision()) {
                        return Err(CommitError::Moved { path: change.file.path.shown() });
                    }
                    documents.push(DocumentEdit {
                        uri: document.uri().clone(),
                        version: document.version(),
                        text: document.text().clone(),
                        edits: change.edits.clone(),
                    });
                }
                Source::Disk(stamp) => {
                    if now.revision() != seen.revision()
                        && now.open_document(&change.file.path).is_some()
                    {
                        return Err(CommitError::Moved { path: change.file.path.shown() });
                    }
                    let bytes = change.file.spell(&change.after);
                    staged.push((change, Staged::new(&change.file.path, Some(*stamp), &bytes)?));
                }
            }
        }
        if !documents.is_empty() {
            self.apply_in_editor(label, changes, &documents, editor)?;
        }
        let mut written: Vec<&Change> = Vec::new();
        for (change, staged) in staged {
            if let Err(first) = staged.commit() {
                for change in written {
                    put_back(change).map_err(|source| CommitError::Torn {
                        path: change.file.path.shown(),
                        source,
                        first: first.clone(),
                    })?;
                }
                self.take_back_in_editor(label, &documents, changes, editor);
                return Err(first.into());
            }
            written.push(change);
        }
        let uris = written.iter().map(|change| uri_of_path(&change.file.path.absolute()));
        self.files_changed(uris);
        Ok(())
    }

    fn apply_in_editor(
        &self,
        label: &str,
        changes: &[Change],
        documents: &[DocumentEdit],
        editor: &dyn Editor,
    ) -> Result<(), CommitError> {
        let open = || changes.iter().filter(|c| matches!(c.file.source, Source::Open(_)));
        editor.apply(label, documents).map_err(|source| CommitError::Editor {
            paths: open().map(|c| c.file.path.shown()).collect(),
            source,
        })?;
        // The next call must see what this one did. An editor that debounces its reports is
        // waited for; one that reports nothing is taken at its word.
        let reported = self.wait_until(REPORT, |now| {
            documents
                .iter()
                .all(|edit| now.document(&edit.uri).is_none_or(|d| d.text() != &edit.text))
        });
        if !reported {
            tracing::warn!("{label}: the editor applied the edit but has not reported the change");
        }
        Ok(())
    }

    /// Undoes in the editor what it has applied, where nobody has typed since.
    fn take_back_in_editor(
        &self,
        label: &str,
        documents: &[DocumentEdit],
        changes: &[Change],
        editor: &dyn Editor,
    ) {
        let now = self.snapshot();
        let mut back = Vec::new();
        for edit in documents {
            let Some(document) = now.document(&edit.uri) else { continue };
            let untouched = changes.iter().any(|c| {
                matches!(&c.file.source, Source::Open(d) if d.uri() == &edit.uri)
                    && document.text() == &text::Text::new(&c.after)
            });
            let Some((from, to)) = document.text().difference(&edit.text).filter(|_| untouched)
            else {
                continue;
            };
            back.push(DocumentEdit {
                uri: edit.uri.clone(),
                version: document.version(),
                text: document.text().clone(),
                edits: vec![(from, edit.text.slice(to).into_owned())],
            });
        }
        if !back.is_empty()
            && let Err(error) = editor.apply(label, &back)
        {
            tracing::error!("{label}: an edit could not be taken back: {error}");
        }
    }
}

/// Writes the content from before the transaction again.
fn put_back(change: &Change) -> Result<(), FileError> {
    let path = &change.file.path;
    let failed = |errno| FileError::from_errno(&path.shown(), "looking up", errno);
    let (_, stat) = path.root.stat(&path.relative).map_err(failed)?;
    let before = change.file.spell(&change.file.text.to_string());
    Staged::new(path, Some(Stamp::of(&stat)), &before)?.commit()
}
