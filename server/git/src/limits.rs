//! The limits of this crate: bytes, counts and times. A repository may be hostile or huge, libgit2 cannot
//! be cancelled, and it reads most files whole.

use std::time::Duration;

// Files of a git folder, checked before libgit2 opens it. They are far above what git writes.

/// Bytes of `.git`, `HEAD` and `commondir` files: one line each.
pub(crate) const MAX_LINK_FILE_SIZE: u64 = 8 << 10;
/// Bytes of a settings file, the repository's or the user's, and of `HEAD`.
pub(crate) const MAX_SETTINGS_SIZE: u64 = 1 << 20;
/// Bytes of `packed-refs`, at about 70 a reference.
pub(crate) const MAX_PACKED_REFS_SIZE: u64 = 256 << 20;
/// Bytes of an index, at about 100 a file.
pub(crate) const MAX_INDEX_SIZE: u64 = 512 << 20;
/// Bytes of any other file that is read whole.
pub(crate) const MAX_GIT_FILE_SIZE: u64 = 64 << 20;
/// Entries of a git folder that are checked for special files.
pub(crate) const MAX_GIT_FOLDER_ENTRIES: usize = 100_000;
/// Settings files that are read for one user, includes among them.
pub(crate) const MAX_SETTINGS_FILES: usize = 50;
/// How deep settings files may include each other; git allows 10.
pub(crate) const MAX_INCLUDE_DEPTH: usize = 5;

// Loose objects, checked for truncation: libgit2 never returns from one that is cut short.

/// Loose objects that are checked in one repository.
pub(crate) const MAX_LOOSE_OBJECTS: usize = 50_000;
/// Bytes inflated of one object: guards against compression bombs.
pub(crate) const MAX_LOOSE_OBJECT_SIZE: u64 = 256 << 20;
/// Bytes inflated in one check.
pub(crate) const MAX_INFLATED_BYTES: u64 = 2 << 30;
/// Repositories whose checked objects are remembered.
pub(crate) const MAX_CHECKED_REPOSITORIES: usize = 64;

// Trees, counted before libgit2 walks them: shared subtrees can unfold to any number of files.

/// Entries of a tree with everything below it.
pub(crate) const MAX_TREE_ENTRIES: u64 = 2_000_000;
/// Levels of a tree; git's own limit.
pub(crate) const MAX_TREE_DEPTH: usize = 2_048;
/// Trees whose size is remembered.
pub(crate) const MAX_MEASURED_TREES: usize = 200_000;
/// Bytes of a tree object that libgit2 caches; its whole cache is limited to 256 MB.
pub(crate) const MAX_CACHED_TREE_SIZE: usize = 64 << 10;
/// Stack of a thread that works on a repository: libgit2 and we walk deep trees recursively.
pub(crate) const STACK_SIZE: usize = 16 << 20;

// Status.

/// Paths that a scan names; with more, libgit2 scans the work tree itself.
pub(crate) const MAX_SCAN_CANDIDATES: usize = 4_000;
/// Paths that may differ since the last full scan; beyond it, the next status scans everything.
pub(crate) const MAX_CACHED_CANDIDATES: usize = 2_000;
/// Indexes with more entries are not cached.
pub(crate) const MAX_CACHED_ENTRIES: usize = 300_000;
/// Entries of a reduced index.
pub(crate) const MAX_REDUCED_ENTRIES: usize = 20_000;
/// Entries of an untracked folder that are searched for special files.
pub(crate) const MAX_UNTRACKED_ENTRIES: usize = 2_000;
/// Work trees in the status cache.
pub(crate) const MAX_CACHED_WORK_TREES: usize = 4;
/// Age of a full scan: writes through mapped memory, or through a hard link outside the work tree, cause
/// no watch event.
pub(crate) const MAX_SCAN_AGE: Duration = Duration::from_secs(60);
/// Delay before watching is tried again after it failed.
pub(crate) const WATCH_RETRY_DELAY: Duration = Duration::from_secs(60);

// Diffs and blame.

/// Files among which renames are searched; the search is quadratic.
pub(crate) const MAX_RENAME_FILES: usize = 1_000;
/// Lines of one file's hunks.
pub(crate) const MAX_HUNK_LINES: usize = 50_000;
/// Bytes of a text diff.
pub(crate) const MAX_DIFF_TEXT_SIZE: i64 = 64 << 20;
/// Lines of a changed block whose words are compared.
pub(crate) const MAX_INTRALINE_LINES: usize = 60;
/// Bytes of a changed block whose words are compared.
pub(crate) const MAX_INTRALINE_BYTES: usize = 8_000;
/// Comparisons of lines in which moved and changed lines are matched.
pub(crate) const MAX_LINE_COMPARISONS: usize = 250_000;
/// Versions of a file that blame keeps.
pub(crate) const MAX_BLAME_TEXTS: usize = 4;
/// Bytes of a committed version that is cached for an open document.
pub(crate) const MAX_VERSION_SIZE: usize = 8 << 20;

// Checkpoints and commits.

/// Bytes of one file in a checkpoint.
pub(crate) const MAX_CHECKPOINT_FILE_SIZE: usize = 10 << 20;
/// Bytes of all new content of a checkpoint.
pub(crate) const MAX_CHECKPOINT_BYTES: usize = 500 << 20;
/// Files of a checkpoint that differ from the index.
pub(crate) const MAX_CHECKPOINT_FILES: usize = 50_000;
/// Bytes of a commit message.
pub(crate) const MAX_MESSAGE_LENGTH: usize = 1 << 20;
/// Bytes of a revision as it is written.
pub(crate) const MAX_REVISION_LENGTH: usize = 1_000;
/// Paths that a message of an error lists.
pub(crate) const MAX_LISTED_PATHS: usize = 10;
