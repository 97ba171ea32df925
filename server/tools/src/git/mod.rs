//! Git tools.
//!
//! Each finds its repository through the workspace ([`place`]) and runs git operations on a thread
//! with a Landlock ruleset for that repository. The `git` program runs only in a workspace that
//! the person trusts ([`program`]), because it runs what a repository names.

mod cursor;
mod dates;
mod differences;
mod failure;
mod git_blame;
mod git_branch;
mod git_checkpoint;
mod git_commit;
mod git_conflicts;
mod git_diff;
mod git_discard;
mod git_fetch;
mod git_log;
mod git_merge_base;
mod git_pull;
mod git_push;
mod git_remote;
mod git_show;
mod git_stage;
mod git_stash;
mod git_status;
mod git_tags;
mod git_unstage;
mod lines;
mod place;
mod program;
mod restore;
mod told;

pub use failure::of_git;
pub(crate) use git_blame::GitBlame;
pub(crate) use git_branch::GitBranch;
pub(crate) use git_checkpoint::GitCheckpoint;
pub(crate) use git_commit::GitCommit;
pub(crate) use git_conflicts::GitConflicts;
pub(crate) use git_diff::GitDiff;
pub(crate) use git_discard::GitDiscard;
pub(crate) use git_fetch::GitFetch;
pub(crate) use git_log::GitLog;
pub(crate) use git_merge_base::GitMergeBase;
pub(crate) use git_pull::GitPull;
pub(crate) use git_push::GitPush;
pub(crate) use git_remote::GitRemote;
pub(crate) use git_show::GitShow;
pub(crate) use git_stage::GitStage;
pub(crate) use git_stash::GitStash;
pub(crate) use git_status::GitStatus;
pub(crate) use git_tags::GitTags;
pub(crate) use git_unstage::GitUnstage;
