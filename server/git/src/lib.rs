//! Reads and changes git repositories without running any program that they name.
//!
//! Start with [`Layout::find`], which locates a repository through the workspace's own handles and
//! rejects paths that escape the workspace; then [`Repo`], which has libgit2 open it without the
//! environment, system settings or any user setting that is not plain data; then [`RepoPath`]: git
//! paths are bytes. Work runs in the filesystem sandbox ([`Layout::wall`]) on a thread of its own.
//! Whatever may take long takes a [`workspace::Budget`].
//!
//! It knows nothing of tools, LSP or JSON, and starts no program.

mod blame;
mod branch;
mod checkpoint;
mod commit;
mod commit_message;
mod commits;
mod config_file;
mod conflicts;
mod conversion;
mod date;
mod diff;
mod discard;
mod error;
mod file_cache;
mod file_change;
mod files_git_reads;
mod head;
mod hunk;
mod index_file;
mod intraline;
mod layout;
mod libgit2;
mod limits;
mod log;
mod loose_objects;
mod merge;
mod open;
mod patch;
mod refs;
mod remote;
mod repo_path;
mod revision;
mod sandboxed;
mod scan;
mod similarity;
mod special_files;
mod stage;
mod stash;
mod status;
mod status_cache;
mod subfolder;
mod tree_size;
mod unsaved;
mod user_config;
mod worktree_create;
mod worktree_files;
mod worktree_fill;
mod worktree_hold;
mod worktree_remove;
mod worktrees;

pub use blame::{Blame, BlameHunk, BlameOptions};
pub use checkpoint::{Checkpoint, FileTarget, NewCheckpoint};
pub use commit::{CommitOptions, CreatedCommit, UnstagedChanges};
pub use commits::{CommitInfo, Person};
pub use conflicts::{Conflict, ConflictSide, ConflictStages, conflicts};
pub use conversion::Conversion;
pub use diff::{Comparison, DiffOptions};
pub use error::GitError;
pub use file_cache::{LineChange, StoredVersion, StoredVersions, changes, line_after, line_before};
pub use file_change::{ChangeKind, FileChange};
pub use git2::Oid;
pub use head::Head;
pub use hunk::{ByteRanges, DiffLine, Hunk};
pub use layout::{RepoLayout, Subfolder, Trust, is_bare_repository};
pub use log::{Log, LogEntry, LogOptions};
pub use merge::{BothChanged, MergeConflict, MergeKind, MergePreview, Merged};
pub use open::Repo;
pub use patch::FileDiff;
pub use refs::{Branch, Tag};
pub use remote::{Remote, RemoteLocation, Upstream, redact_urls};
pub use repo_path::RepoPath;
pub use revision::Revision;
pub use stage::LineSelection;
pub use stash::StashEntry;
pub use status::{ConflictedFile, Status, StatusOptions, Submodule, WorkTree};
pub use status_cache::clear_status_cache;
pub use unsaved::UnsavedFiles;
pub use worktree_create::{CreatedWorktree, NewWorktree};
pub use worktree_files::{Placement, PlacementRules, Placements};
pub use worktree_hold::WorktreeHold;
pub use worktrees::{INITIALIZING, LinkedWorktree, MAX_COUNTED_COMMITS};
