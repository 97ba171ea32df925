//! The open documents of an editor over the files on disk, and all access to both.
//!
//! This is the only crate that touches the files of a workspace. Every file is reached through a
//! [`Root`]'s directory handle, so that the kernel keeps every access inside.
//!
//! It does not know protocols, tools or async. A front end applies the client's messages to a
//! [`Workspace`], takes an immutable [`Snapshot`] for each query, and implements [`Editor`] for
//! changes of open documents. Start reading with these three types; changes of files go through
//! [`Workspace::commit`] as [`Change`]s.

mod access_token;
mod action_group;
mod action_history;
mod budget;
mod check_diagnostics;
#[cfg(test)]
mod confinement_tests;
mod document;
mod document_edits;
mod editor;
mod editor_diagnostics;
mod editor_reports;
mod editor_state;
mod entries;
mod entry_kind;
mod error;
mod filesystem_sandbox;
mod folder_handle;
mod folder_watch;
mod hash;
mod index_cache;
mod indexer;
mod journal;
mod libraries;
mod locate;
mod metadata;
mod own_files;
mod parse_cache;
mod path;
mod pending_edit;
mod platform;
mod proposal;
mod queries;
mod replace;
mod resolve;
mod root;
mod server_socket;
mod settings_file;
mod snapshot;
mod sqlite;
mod stamps;
mod state_folders;
mod temporary_name;
mod touched_files;
mod transaction;
mod trash;
mod uri;
mod user_file;
mod user_queries;
mod walk;
mod watcher;
mod workspace;

pub use access_token::AccessToken;
pub use action_group::ActionGroup;
pub use action_history::{
    Action, ActionLabel, ActionState, HistoryError, OnConflict, RemovedName, UndoConflict,
    UndoError, UndoPlan,
};
pub use budget::{BudgetExceeded, CallBudget};
pub use check_diagnostics::{
    CheckDiagnostic, CheckDiagnostics, CheckFix, CheckPlace, CheckResults, CheckedFile,
};
pub use document::{Document, MissingHighlights, PlainTextReason, parse_with_timeout};
pub use editor::{
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, Headless, NoAnswer,
    OtherAnswer, ShowError, ShowRequest,
};
pub use editor_diagnostics::{DiagnosticsReport, EditorDiagnostics, EditorProblem, SourceReports};
pub use editor_state::{EditorReport, EditorState, Selection, SelectionError, Tab, VisibleRange};
pub use entries::{Entry, EntryIdentity, GuardedEntries};
pub use entry_kind::EntryKind;
pub use error::FileError;
pub use filesystem_sandbox::FilesystemSandbox;
pub use folder_watch::FolderWatcher;
pub use hash::ContentHash;
pub use indexer::{
    FileOccurrences, IndexCounts, IndexProgress, LanguageCounts, with_indexing_threads,
};
pub use metadata::Metadata;
pub use names::{
    ActionRefusal, Builtin, CompletionCandidate, DefinitionId, DefinitionKind, Documentation,
    FileSymbol, Highlight, Hint, HintKind, HoverInfo, ImpactLimits, ImpactOrigin,
    Index as NamesIndex, KeywordOrSnippet, NameDiagnostic, NameDiagnosticKind, NamePath,
    OfferedAction, Origin, RefusalReason, Renamable, RenameError, RenameProblem, RenameProblems,
    RenameReason, RenameRequest, Severity, Signature, Signatures,
};
pub use own_files::OwnFiles;
pub use parse_cache::AvailableSyntax;
pub use path::{FilePath, is_guarded_name};
pub use platform::lower_thread_priority;
pub use proposal::{Proposal, ProposedFile, ProposedHunk, Verdict};
pub use queries::{
    ActionEdits, ActionFailure, ActionRequest, ActionTimeLimit, AffectedMember, ChangedFile,
    CompletionResult, DocumentLink, FileDefinitions, FileSymbols, FileVersion, HierarchyMember,
    HierarchyQuery, HintWithTarget, ImpactOfChange, IndexedFile, Location, Offered, PathCompletion,
    QueryError, RankedFile, Rename, RenameFailure, RenamedFile, SupposedFile, SymbolMatch,
    SymbolSearch, UnsureUse, Uses, action_kinds, definitions_in_text,
};
pub use root::{FileKind, Root, Stamp};
pub use server_socket::{
    ServerSocket, connect_to_headless_server, connect_to_other_servers, connect_to_server,
    connect_to_server_at, effective_user_id, is_in_our_namespaces, servers_changed_at,
};
pub use settings_file::SettingsFile;
pub use snapshot::{FileBytes, FileText, Snapshot, Source};
pub use sqlite::{check_sqlite_files, enable_sqlite_wal};
pub use stamps::WorkspaceStamps;
pub use state_folders::{
    all_secrets, is_in_worktrees_folder, packages_path, private_cache_folder, private_data_folder,
    private_state_folder, secrets_folder, state_folder, state_folders, worktrees_folder,
};
pub use touched_files::TouchedFiles;
pub use transaction::{Change, CommitError, Committed};
pub use uri::{path_of_uri, uri_of_path};
pub use user_file::{
    UserFileError, config_folder, read_home_file, read_user_file, user_file_stamp,
};
pub use user_queries::load_user_queries;
pub use walk::{
    Folder, FolderEntry, Visitor, WalkOptions, WalkResult, diagnosable_files,
    is_excluded_from_walk, path_order, source_files, walk,
};
pub use watcher::{FileChanges, FileWatcher, WatchHandle};
pub use workspace::{AppliedChange, Workspace, WriteLock};
