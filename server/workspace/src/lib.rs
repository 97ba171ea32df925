//! The one truth: open documents over files on disk.
//!
//! This is the only crate that touches the files of a workspace. Every one of them is reached
//! through a [`Root`]'s directory handle, so that the kernel keeps every access inside.
//!
//! It knows nothing of protocols, tools or async: a front end applies what its client says to a
//! [`Workspace`], takes a [`Snapshot`] for each question, and lends an [`Editor`] where open
//! documents are to be changed.

mod actions;
mod awaited;
mod budget;
#[cfg(test)]
mod confined;
mod document;
mod editor;
mod editor_state;
mod entries;
mod error;
mod folder_handle;
mod hash;
mod history;
mod index_cache;
mod indexer;
mod journal;
mod libraries;
mod live;
mod metadata;
mod own_files;
mod parses;
mod path;
mod places;
mod platform;
mod proposal;
mod questions;
mod replace;
mod reports;
mod resolve;
mod root;
mod settings_file;
mod snapshot;
mod state;
mod touched;
mod transaction;
mod trash;
mod uri;
mod user_file;
mod user_queries;
mod walk;
mod wall;
mod watcher;
mod workspace;
mod write_ahead;

pub use actions::{
    Action, ActionLabel, Conflict, HistoryError, OnConflict, State, Undo, UndoError, Vanished,
};
pub use budget::{Budget, Exhausted};
pub use document::{Document, Missing, Plain, parse_in_time};
pub use editor::{
    Answer, DocumentEdit, Editor, EditorError, Headless, NoAnswer, Question, ShowError, Shown,
};
pub use editor_state::{EditorReport, EditorState, Selection, SelectionError, Tab, Visible};
pub use entries::{Entry, Guarded, Identity};
pub use error::FileError;
pub use hash::Hash;
pub use indexer::{IndexCounts, IndexProgress, LanguageCounts, NamedFile};
pub use live::{
    LiveSocket, connect_live, connect_live_at, connect_live_others, is_in_our_namespaces,
    live_changed, user,
};
pub use metadata::{EntryKind, Metadata};
pub use names::{
    ActionRefusal, Builtin, Candidate, DefinitionId, DefinitionKind, Description, Documentation,
    FileSymbol, Finding, FindingKind, Highlight, Hint, HintKind, Index as NamesIndex, NamePath,
    OfferedAction, Origin, Phrase, RefusalReason, Renamable, RenameError, RenameProblem,
    RenameProblems, RenameReason, RenameRequest, Severity, Signature, Signatures,
};
pub use own_files::OwnFiles;
pub use parses::Seen;
pub use path::{FilePath, is_guarded_name};
pub use places::Places;
pub use platform::lower_thread_priority;
pub use proposal::{Proposal, ProposedFile, ProposedHunk, Verdict};
pub use questions::{
    ActionEdits, ActionFailure, ActionRequest, ActionTime, ChangedFile, Completed, FileSymbols,
    FoundSymbol, Hierarchy, Leading, Link, Location, Member, Offered, OfferedPath, QueryError,
    RankedFile, Rename, RenameFailure, RenamedFile, SymbolSearch, UnsureUse, Uses, action_kinds,
};
pub use root::{FileKind, Root, Stamp};
pub use settings_file::SettingsFile;
pub use snapshot::{FileBytes, FileText, Snapshot, Source};
pub use state::{private_cache_folder, state_folder};
pub use touched::Touched;
pub use transaction::{Change, CommitError, Committed};
pub use uri::{path_of_uri, uri_of_path};
pub use user_file::{
    UserFileError, config_folder, read_home_file, read_user_file, user_file_stamp,
};
pub use user_queries::take_user_queries;
pub use walk::{
    Folder, FolderEntry, Visitor, WalkOptions, Walked, checked_files, is_left_out, path_order,
    source_files, walk,
};
pub use wall::Wall;
pub use watcher::{FileChanges, FileWatcher, Watching};
pub use workspace::{Changed, Turn, Workspace};
pub use write_ahead::{check_database, write_ahead};
