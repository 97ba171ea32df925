//! Files that differ from a commit, with their text in it: for analyses of a change.

use git::{Comparison, DiffOptions, Repo, RepoPath, Revision, StatusOptions};

use super::repository_access::{find_repository, read_repo, unsaved_files};
use tools::{Code, Context, ToolError};
use workspace::FilePath;

/// Longest old version of a file that is read, in bytes.
const MAX_OLD_BYTES: usize = 4 << 20;
/// Most changed files.
const MAX_FILES: usize = 2_000;

/// A file of the work tree that differs from a commit.
#[derive(Debug)]
pub struct FileSince {
    /// The file, whether it exists now or not.
    pub path: FilePath,
    /// Its bytes in the commit; `None` if it has none there, or they are too long.
    pub old: Option<Vec<u8>>,
}

/// The files that differ from `since`, unsaved text and untracked files included: a commit, or for a
/// branch what it and the last commit have in common; without it, the last commit. `None` if the folder
/// is in no repository.
///
/// # Errors
/// If there is no such commit, the repository cannot be read, or more than 2,000 files differ.
pub fn files_since(
    context: &Context<'_>,
    tool: &str,
    folder: &FilePath,
    since: Option<&str>,
) -> Result<Option<Vec<FileSince>>, ToolError> {
    let layout = match find_repository(context, tool, None, Some(&folder.display_path())) {
        Ok(layout) => layout,
        Err(_) if since.is_none() => return Ok(None),
        Err(error) => return Err(error),
    };
    let unsaved = unsaved_files(context, &layout);
    let budget = &context.budget();
    let found = read_repo(context, tool, &layout, |repo| {
        let base = match since {
            None => repo.head()?.commit,
            Some(since) => repo.range(&format!("{since}...HEAD"))?.map(|(base, _)| base),
        };
        let Some(base) = base else { return Ok(None) };
        let options = DiffOptions {
            comparison: Comparison::TreeToWorkTree(base),
            paths: Vec::new(),
            context: 0,
            renames: false,
            intraline: false,
        };
        let mut paths: Vec<RepoPath> = Vec::new();
        repo.diff(&options, &unsaved, budget, &mut |_| true, &mut |file| {
            paths.push(file.changed.path);
            paths.len() <= MAX_FILES
        })?;
        let status = StatusOptions { all_untracked: true, ..StatusOptions::default() };
        paths.extend(repo.status_with_budget(&status, &unsaved, budget)?.untracked);
        paths.sort();
        paths.dedup();
        let old = |repo: &Repo, path: &RepoPath| {
            let revision = Revision::Commit(base.to_string());
            repo.content_at_revision(&revision, path, MAX_OLD_BYTES).ok()
        };
        let found = paths.into_iter().take(MAX_FILES + 1).map(|path| {
            let old = old(repo, &path);
            (path, old)
        });
        Ok(Some(found.collect::<Vec<_>>()))
    })?;
    let Some(found) = found else { return Ok(None) };
    if found.len() > MAX_FILES {
        let message = format!("{tool}: more than {MAX_FILES} files have changed");
        return Err(ToolError::new(Code::TooLarge, message).hint("run all tests"));
    }
    let files = found
        .into_iter()
        .filter_map(|(path, old)| Some(FileSince { path: layout.file(&path)?, old }));
    Ok(Some(files.collect()))
}
