//! What a call changed, or would change.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use syntax::Language;
use text::Text;
use workspace::{Change, ContentHash, FilePath, FileText, Source};

/// A file whose text a call changed.
#[derive(Debug, Clone)]
pub(crate) struct ChangedText {
    /// The file before: its path, text and language; `None` if it is new.
    pub(crate) before: Option<(FilePath, Text, Option<Language>)>,
    /// The file afterwards; `None` if it is gone.
    pub(crate) after: Option<AfterText>,
    /// The version of the open document before.
    pub(crate) open_version: Option<i32>,
}

impl ChangedText {
    /// Its path: the new one, if it moved.
    pub(crate) fn path(&self) -> Option<&FilePath> {
        let before = self.before.as_ref().map(|(path, ..)| path);
        self.after.as_ref().map(|after| &after.path).or(before)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct AfterText {
    pub(crate) path: FilePath,
    pub(crate) text: Text,
    pub(crate) hash: ContentHash,
    pub(crate) language: Option<Language>,
}

/// Records the changes of a call, if it wants diagnostics.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    is_on: AtomicBool,
    changes: Mutex<Changes>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Changes {
    pub(crate) texts: Vec<ChangedText>,
    /// Files and folders that changed otherwise.
    pub(crate) others: usize,
    /// Whether nothing was changed yet.
    pub(crate) is_dry_run: bool,
}

impl Recorder {
    pub(crate) fn start(&self) {
        self.is_on.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Changes {
        std::mem::take(&mut *self.changes.lock())
    }

    /// Whether the call wants diagnostics.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Records changes that were made, or that a dry run would make.
    pub(crate) fn record(&self, changes: &[Change], is_dry_run: bool) {
        if !self.is_on() {
            return;
        }
        let mut all = self.changes.lock();
        all.is_dry_run |= is_dry_run;
        for change in changes {
            match changed_text(change) {
                Some(text) => all.texts.push(text),
                None => all.others += 1,
            }
        }
    }
}

fn changed_text(change: &Change) -> Option<ChangedText> {
    let before = |file: &FileText| Some((file.path.clone(), file.text.clone(), file.language()));
    let open_version = |file: &FileText| match &file.source {
        Source::Open(document) => Some(document.version()),
        Source::Disk(_) => None,
    };
    let after = |file: &FileText, path: &FilePath, text: &String| AfterText {
        path: path.clone(),
        text: Text::new(text),
        hash: ContentHash::digest(&file.encode(text)),
        language: file.language(),
    };
    Some(match change {
        Change::Edit { file, after: text, .. } => ChangedText {
            before: before(file),
            after: Some(after(file, &file.path, text)),
            open_version: open_version(file),
        },
        Change::Move { file, to, after: text } => ChangedText {
            before: before(file),
            after: Some(after(file, to, text)),
            open_version: None,
        },
        Change::Delete { file } => {
            ChangedText { before: before(file), after: None, open_version: None }
        }
        Change::Create { path, text } => {
            let name = path.file_name().to_string_lossy().into_owned();
            let after = AfterText {
                path: path.clone(),
                text: Text::new(text),
                hash: ContentHash::digest(text.as_bytes()),
                language: Language::detect(&name, text),
            };
            ChangedText { before: None, after: Some(after), open_version: None }
        }
        _ => return None,
    })
}
