//! Changes of many files as one: all of it happens, or none.

use std::ops::Range;
use std::time::Duration;

use rustix::io::Errno;
use thiserror::Error;

use crate::journal::{Journal, Step};
use crate::replace::{Staged, remove};
use crate::uri::uri_of_path;
use crate::{
    DocumentEdit, Editor, EditorError, FileError, FilePath, FileText, Hash, Snapshot, Source,
    Stamp, Turn, Workspace,
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
        self.write(seen, ready).inspect_err(|_| {
            self.take_back_in_editor(label, &documents, changes, editor);
        })
    }

    /// Puts everything that is ready in place.
    fn write(&self, seen: &Snapshot, ready: Vec<Ready<'_>>) -> Result<(), CommitError> {
        let mut steps = Vec::new();
        let mut moves = Vec::new();
        for Ready { step, stamp, staged } in ready {
            moves.push((step.path, stamp, staged));
            steps.push(step);
        }
        let intent = match seen.roots().first() {
            Some(root) if steps.len() > 1 => Some(
                Journal::of(root).begin(&steps).map_err(|e| CommitError::Journal(e.to_string()))?,
            ),
            _ => None,
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
        let is_open = |c: &&Change| matches!(c, Change::Edit { file, .. } if matches!(file.source, Source::Open(_)));
        editor.apply(label, documents).map_err(|source| CommitError::Editor {
            paths: changes.iter().filter(is_open).map(|c| c.path().shown()).collect(),
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
            let untouched = changes.iter().any(|change| {
                matches!(change, Change::Edit { file, after, .. }
                    if matches!(&file.source, Source::Open(d) if d.uri() == &edit.uri)
                        && document.text() == &text::Text::new(after))
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
            ready.push(replaced(path, Some(file), path, file.spell(after))?);
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
    before: Option<&FileText>,
    like: &FilePath,
    bytes: Vec<u8>,
) -> Result<Ready<'a>, CommitError> {
    let stamp = before.and_then(stamp_of);
    let staged = Staged::new(path, stamp, like, &bytes)?;
    let before = before.map(|file| file.spell(&file.text.to_string()));
    let step = Step { path, before, after: Some(Hash::of(&bytes)) };
    Ok(Ready { step, stamp, staged: Some(staged) })
}

fn removed(file: &FileText) -> Ready<'_> {
    let before = Some(file.spell(&file.text.to_string()));
    let step = Step { path: &file.path, before, after: None };
    Ready { step, stamp: stamp_of(file), staged: None }
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
