//! Tools for linked work trees: a branch and a folder of its own for each task.
//!
//! Work trees lie outside the workspace, in Tandem's data folder, so that nothing searches or indexes
//! them twice. Tools of this workspace reach into them only through these five; agents that work in one
//! have a server of their own there (`tandem mcp --workspace DIR`).

mod changed_symbols;
mod placement_rules;
mod worktree_create;
mod worktree_list;
mod worktree_merge;
mod worktree_remove;
mod worktree_status;

use std::path::PathBuf;

pub(super) use self::worktree_create::WorktreeCreate;
pub(super) use self::worktree_list::WorktreeList;
pub(super) use self::worktree_merge::WorktreeMerge;
pub(super) use self::worktree_remove::WorktreeRemove;
pub(super) use self::worktree_status::WorktreeStatus;
use git::{GitError, LinkedWorktree, RepoLayout, WorktreeHold};

use super::failure::from_git_error;
use super::repository_access::{find_repository, read_repo};
use tools::{Code, Context, ToolError};

/// Keeps the work tree with this name from being removed until the result is dropped.
///
/// # Errors
/// When there is none, or it is being removed.
pub fn hold_worktree(
    context: &Context<'_>,
    tool: &'static str,
    name: &str,
) -> Result<WorktreeHold, ToolError> {
    let found = find_worktree(context, tool, None, name)?;
    found.layout.hold_worktree(&found.worktree).map_err(|error| from_git_error(tool, error))
}

/// The folder in which work trees of a repository are created.
fn own_folder(tool: &str, layout: &RepoLayout) -> Result<PathBuf, ToolError> {
    workspace::worktrees_folder(&layout.work_tree.absolute()).map_err(|error| {
        let message = format!("{tool}: the folder of worktrees cannot be used: {error}");
        ToolError::new(Code::Io, message).hint("XDG_DATA_HOME names another place")
    })
}

/// A work tree of the workspace's repository.
struct FoundWorktree {
    /// The layout of the workspace's own work tree.
    layout: RepoLayout,
    /// The work tree.
    worktree: LinkedWorktree,
    /// Its layout, or why it cannot be opened.
    opened: Result<RepoLayout, GitError>,
    /// The folder in which work trees are created.
    own: PathBuf,
}

impl FoundWorktree {
    /// Its layout.
    fn opened(&self, tool: &str) -> Result<&RepoLayout, ToolError> {
        self.opened.as_ref().map_err(|error| from_git_error(tool, error.clone()))
    }
}

/// The work tree with this name or branch.
fn find_worktree(
    context: &Context<'_>,
    tool: &'static str,
    repository: Option<&str>,
    written: &str,
) -> Result<FoundWorktree, ToolError> {
    let layout = find_repository(context, tool, repository, None)?;
    let own = own_folder(tool, &layout)?;
    let worktree = read_repo(context, tool, &layout, |repo| repo.linked_worktree(written))
        .map_err(|error| match error.code {
            Code::NoMatch => error.hint("`worktree_list` lists them"),
            _ => error,
        })?;
    let opened = layout.of_worktree(&context.snapshot, &worktree, &own);
    Ok(FoundWorktree { layout, worktree, opened, own })
}
