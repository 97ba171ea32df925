//! Git tools.
//!
//! Each finds its repository through the workspace ([`repository_access`]) and runs git operations
//! on a thread with a Landlock ruleset for that repository. The `git` program runs only in a
//! workspace that the person trusts ([`program`]), because it runs what a repository names.

mod changed_files;
mod commit_output;
mod commit_secrets;
mod cursor;
mod dates;
mod diff_page;
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
mod hunk_params;
mod program;
mod repository_access;
mod restore;
mod secret_changes;
mod worktrees;

pub use changed_files::{FileSince, files_since};
pub use failure::from_git_error;
pub use secret_changes::{SecretChanges, scan_changes, secret_changes_effects};
use tools::{Entry, Family};
pub use worktrees::hold_worktree;

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states: |_, _| () }
}

/// The family's tools, in listing order.
fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<git_status::GitStatus>(),
        Entry::new::<git_diff::GitDiff>(),
        Entry::new::<git_log::GitLog>(),
        Entry::new::<git_show::GitShow>(),
        Entry::new::<git_blame::GitBlame>(),
        Entry::new::<git_merge_base::GitMergeBase>(),
        Entry::new::<git_tags::GitTags>(),
        Entry::new::<git_remote::GitRemote>(),
        Entry::new::<git_branch::GitBranch>(),
        Entry::new::<git_conflicts::GitConflicts>(),
        Entry::new::<git_stage::GitStage>(),
        Entry::new::<git_unstage::GitUnstage>(),
        Entry::new::<git_commit::GitCommit>(),
        Entry::new::<git_fetch::GitFetch>(),
        Entry::new::<git_pull::GitPull>(),
        Entry::new::<git_push::GitPush>(),
        Entry::new::<git_discard::GitDiscard>(),
        Entry::new::<git_stash::GitStash>(),
        Entry::new::<git_checkpoint::GitCheckpoint>(),
        Entry::new::<worktrees::WorktreeCreate>(),
        Entry::new::<worktrees::WorktreeList>(),
        Entry::new::<worktrees::WorktreeStatus>(),
        Entry::new::<worktrees::WorktreeMerge>(),
        Entry::new::<worktrees::WorktreeRemove>(),
    ]
}
