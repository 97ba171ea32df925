//! The git bridge: what a repository says, and changes of it, without running what it names.
//!
//! [`Layout::find`] looks for a repository through the workspace's own handles and refuses what
//! leads out; [`Repo::open`] has libgit2 open it, hermetically: no environment, no system settings,
//! of the person's own only what is data. Paths are bytes ([`RepoPath`]). Work is done on a thread
//! behind [`Layout::wall`]; what may take long takes a [`workspace::Budget`].
//!
//! It knows nothing of tools, LSP or JSON, and starts no program.

mod alike;
mod at;
mod behind;
mod blame;
mod branch;
mod checkpoint;
mod commit;
mod commits;
mod conflicts;
mod convert;
mod date;
mod diff;
mod discard;
mod error;
mod head;
mod kept;
mod layout;
mod library;
mod log;
mod look;
mod loose;
mod message;
mod name;
mod open;
mod part;
mod patch;
mod person;
mod refs;
mod remote;
mod scan;
mod settings;
mod special;
mod stage;
mod stash;
mod status;
mod table;
mod unsaved;
mod weigh;
mod words;

pub use at::At;
pub use blame::{Blame, BlameQuestion, Blamed};
pub use checkpoint::{Checkpoint, NewCheckpoint, Target};
pub use commit::{CommitOrder, Differing, Made};
pub use commits::{CommitInfo, Person};
pub use conflicts::{Conflict, Side, Stages, conflicts};
pub use convert::Conversion;
pub use diff::{Between, DiffQuestion};
pub use error::GitError;
pub use git2::Oid;
pub use head::Head;
pub use kept::{Kept, KeptText, LineChange, changes, line_after, line_before};
pub use layout::{Layout, Trust, looks_bare};
pub use log::{Log, LogQuestion, Logged};
pub use look::forget_looks;
pub use name::RepoPath;
pub use open::Repo;
pub use part::Part;
pub use patch::{FileDiff, Hunk, Line};
pub use refs::{Branch, Tag};
pub use remote::{Followed, Place, Remote, without_secrets};
pub use stage::Selection;
pub use stash::Stashed;
pub use status::{Changed, Conflicted, Kind, Status, StatusQuestion, Submodule, WorkTree};
pub use unsaved::Unsaved;
pub use words::Spans;
