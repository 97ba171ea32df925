//! Changes of many files as one: all of it happens, or none.

use std::ops::Range;
use std::time::Duration;

use rustix::io::Errno;
use thiserror::Error;

use crate::awaited::Landing;
use crate::journal::{Journal, Step};
use crate::replace::{Staged, remove};
use crate::uri::uri_of_path;
use crate::{
    DocumentEdit, Editor, EditorError, FileBytes, FileError, FilePath, FileText, Hash, Snapshot,
    Source, Stamp, Turn, Workspace,
};

/// What is to become of one file.
#[derive(Debug, Clone)]
pub enum Change {
    /// Its text is edited.
    Edit {
        /// The file as it was read.
        file: FileText,
        /// Byte spans of its text and what replaces them: sorted, disjoint.
        edits: Vec<(Range<usize>, String)>,
        /// The text with all of `edits` applied.
        after: String,
    },
    /// A file that is no text is given other bytes.
    Bytes {
        /// The file as it was read.
        file: FileBytes,
        /// Its bytes afterwards.
        after: Vec<u8>,
    },
    /// A new file with this text; folders on the way are created.
    Create {
        /// Where nothing may stand yet.
        path: FilePath,
        /// Its text, written as UTF-8.
        text: String,
    },
    /// The file goes.
    Delete {
        /// The file as it was read.
        file: FileText,
    },
    /// The file gets another path, and perhaps another text.
    Move {
        /// The file as it was read.
        file: FileText,
        /// Where nothing may stand yet.
        to: FilePath,
        /// Its text afterwards.
        after: String,
    },
}

impl Change {
    fn path(&self) -> &FilePath {
        match self {
            Self::Edit { file, .. } | Self::Delete { file } | Self::Move { file, .. } => &file.path,
            Self::Bytes { file, .. } => &file.path,
            Self::Create { path, .. } => path,
        }
    }
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommitError {
    #[error("{path}: the document has changed since it was read")]
    Moved { path: String },
    #[error("{path}: is open in the editor, which must close it first")]
    Open { path: String },
    #[error("cancelled; nothing was changed")]
    Cancelled,
    #[error("{path}: exists already")]
    Exists { path: String },
    #[error("{}: {source}", paths.join(", "))]
    Editor { paths: Vec<String>, source: EditorError },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the journal could not be written: {0}; nothing was changed")]
    Journal(String),
    #[error("{path}: could not be put back after a failure elsewhere: {source} (first: {first})")]
    Torn { path: String, source: FileError, first: FileError },
}

/// How long the editor's report of an edit that it has applied is waited for.
const REPORT: Duration = Duration::from_secs(1);

/// One file of a transaction, ready to be put in place.
struct Ready<'a> {
    step: Step<'a>,
    /// The state in which the file was read.
    stamp: Option<Stamp>,
    /// Its new content; `None` where it goes.
    staged: Option<Staged>,
}

impl Workspace {
    /// Applies `changes`, which were worked out on `seen`: open documents through `editor`, in
    /// one step; closed files by replacing them. Everything that can fail is done before
    /// anything is visible; what fails all the same is taken back, also after a crash.
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
        let mut ready = Vec::new();
        for change in changes {
            match change {
                Change::Edit { file, edits, .. } if matches!(file.source, Source::Open(_)) => {
                    documents.push(document_edit(&now, file, edits)?);
                }
                _ => stage(&now, seen, change, &mut ready)?,
            }
        }
        if !documents.is_empty() {
            self.apply_in_editor(label, changes, &documents, editor)?;
        }
        let written = if editor.commit() { self.write(ready) } else { Err(CommitError::Cancelled) };
        written.inspect_err(|_| self.take_back_in_editor(label, &documents, changes, editor))
    }

    /// Puts everything that is ready in place.
    fn write(&self, ready: Vec<Ready<'_>>) -> Result<(), CommitError> {
        let mut steps = Vec::new();
        let mut moves = Vec::new();
        for Ready { step, stamp, staged } in ready {
            moves.push((step.path, stamp, staged));
            steps.push(step);
        }
        let intent = if steps.len() > 1 {
            let unkept = |reason: String| CommitError::Journal(reason);
            let journal = Journal::of_user()
                .ok_or_else(|| unkept("neither XDG_STATE_HOME nor HOME is set".to_owned()))?;
            Some(journal.begin(&steps).map_err(|e| unkept(e.to_string()))?)
        } else {
            None
        };
        let mut outcome = Ok(());
        for (done, (path, stamp, staged)) in moves.into_iter().enumerate() {
            let placed = match staged {
                Some(staged) => staged.commit(),
                None => remove(path, stamp),
            };
            if let Err(first) = placed {
                outcome = put_back(&steps[..done], &first).and(Err(first.into()));
                break;
            }
        }
        if !matches!(outcome, Err(CommitError::Torn { .. }))
            && let Some(intent) = intent
        {
            intent.end();
        }
        self.files_changed(steps.iter().map(|step| uri_of_path(&step.path.absolute())));
        outcome
    }

    fn apply_in_editor(
        &self,
        label: &str,
        changes: &[Change],
        documents: &[DocumentEdit],
        editor: &dyn Editor,
    ) -> Result<(), CommitError> {
        let open: Vec<(&FileText, &str)> = open_edits(changes).collect();
        let paths = || open.iter().map(|(file, _)| file.path.shown()).collect();
        self.await_edits(documents.iter().zip(open.iter().map(|(_, after)| *after)));
        let applied = editor.apply(label, documents);
        // The next call must see what this one did. An editor that debounces its reports is
        // waited for; one that reports nothing is taken at its word.
        let landings = self.landings(if applied.is_ok() { REPORT } else { Duration::ZERO });
        applied.map_err(|source| CommitError::Editor { paths: paths(), source })?;
        // Where one document's change is reported, the others' must be too; a client that reports
        // nothing at all is taken at its word, as long as the documents are open.
        let some_seen = landings.iter().any(|landing| matches!(landing, Landing::Whole));
        let now = self.snapshot();
        let missed = documents.iter().zip(&landings).position(|(edit, landing)| match landing {
            Landing::Absent | Landing::Misplaced { .. } => true,
            Landing::Unseen => some_seen || now.document(&edit.uri).is_none(),
            Landing::Whole => false,
        });
        let Some(missed) = missed else { return Ok(()) };
        for (edit, landing) in documents.iter().zip(&landings) {
            if let Landing::Misplaced { before } = landing {
                self.restore_in_editor(label, edit, before, editor);
            }
        }
        self.take_back_in_editor(label, documents, changes, editor);
        Err(CommitError::Moved { path: open[missed].0.path.shown() })
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
    fn take_back_in_editor(
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

fn document_edit(
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

/// Makes the change of a closed file ready: its new content lies beside it, durable.
fn stage<'a>(
    now: &Snapshot,
    seen: &Snapshot,
    change: &'a Change,
    ready: &mut Vec<Ready<'a>>,
) -> Result<(), CommitError> {
    let path = change.path();
    if now.open_document(path).is_some() {
        return Err(
            if matches!(change, Change::Edit { .. }) && seen.open_document(path).is_none() {
                CommitError::Moved { path: path.shown() }
            } else {
                CommitError::Open { path: path.shown() }
            },
        );
    }
    match change {
        Change::Edit { file, after, .. } => {
            ready.push(replaced(path, text_before(file), path, file.spell(after))?);
        }
        Change::Bytes { file, after } => {
            let before = Some((file.bytes.clone(), Some(file.stamp)));
            ready.push(replaced(path, before, path, after.clone())?);
        }
        Change::Create { path, text } => {
            ready.push(created(path, path, text.clone().into_bytes())?);
        }
        Change::Delete { file } => ready.push(removed(file)),
        Change::Move { file, to, after } => {
            ready.push(created(to, &file.path, file.spell(after))?);
            ready.push(removed(file));
        }
    }
    Ok(())
}

fn created<'a>(
    path: &'a FilePath,
    like: &FilePath,
    bytes: Vec<u8>,
) -> Result<Ready<'a>, CommitError> {
    match path.root.stat(&path.relative) {
        Err(Errno::NOENT) => replaced(path, None, like, bytes),
        Ok(_) => Err(CommitError::Exists { path: path.shown() }),
        Err(errno) => Err(FileError::from_errno(&path.shown(), "looking up", errno).into()),
    }
}

fn replaced<'a>(
    path: &'a FilePath,
    before: Option<(Vec<u8>, Option<Stamp>)>,
    like: &FilePath,
    bytes: Vec<u8>,
) -> Result<Ready<'a>, CommitError> {
    let (before, stamp) = before.unzip();
    let stamp = stamp.flatten();
    let staged = Staged::new(path, stamp, like, &bytes)?;
    let step = Step { path, before, after: Some(Hash::of(&bytes)) };
    Ok(Ready { step, stamp, staged: Some(staged) })
}

fn removed(file: &FileText) -> Ready<'_> {
    let before = Some(file.spell(&file.text.to_string()));
    let step = Step { path: &file.path, before, after: None };
    Ready { step, stamp: stamp_of(file), staged: None }
}

fn text_before(file: &FileText) -> Option<(Vec<u8>, Option<Stamp>)> {
    Some((file.spell(&file.text.to_string()), stamp_of(file)))
}

fn stamp_of(file: &FileText) -> Option<Stamp> {
    match &file.source {
        Source::Disk(stamp) => Some(*stamp),
        Source::Open(_) => None,
    }
}

/// Puts back the content from before the transaction.
fn put_back(steps: &[Step<'_>], first: &FileError) -> Result<(), CommitError> {
    for step in steps.iter().rev() {
        let path = step.path;
        let stamp = path.root.stat(&path.relative).ok().map(|(_, stat)| Stamp::of(&stat));
        let back = match &step.before {
            Some(before) => Staged::new(path, stamp, path, before).and_then(Staged::commit),
            None => remove(path, stamp),
        };
        back.map_err(|source| CommitError::Torn {
            path: path.shown(),
            source,
            first: first.clone(),
        })?;
    }
    Ok(())
}
