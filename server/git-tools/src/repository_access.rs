//! The repository that a call is about, and the sandboxed threads that work on it.

use git::{GitError, Repo, RepoLayout, RepoPath, Trust, UnsavedFiles};
use workspace::{FileError, FilePath};

use super::failure::from_git_error;
use tools::{Code, Context, ToolError};

/// The repository for a call: `repository`, else the one that contains `path`, else the one that
/// contains the first root.
pub(super) fn find_repository(
    context: &Context<'_>,
    tool: &str,
    repository: Option<&str>,
    path: Option<&str>,
) -> Result<RepoLayout, ToolError> {
    let seen = &context.snapshot;
    let at = match (repository, path) {
        (Some(written), _) => seen.locate(written)?,
        (None, Some(written)) => locate_entry(context, written)?,
        (None, None) => match seen.roots().first() {
            Some(root) => FilePath::from_root(root),
            None => {
                let message = format!("{tool}: no workspace folder is open");
                return Err(ToolError::new(Code::PathForbidden, message));
            }
        },
    };
    if repository.is_some()
        && !at.is_root()
        && seen.metadata(&at).is_ok_and(|found| found.kind != workspace::EntryKind::Directory)
    {
        let message = format!("{tool}: {}: is no folder", at.display_path());
        return Err(ToolError::new(Code::DirNotFound, message));
    }
    let trusted = context.session.policy.trusts(at.root().path());
    let trust = if trusted { Trust::Trusted } else { Trust::Untrusted };
    if repository.is_some() && git::is_bare_repository(&at) {
        return Err(from_git_error(tool, GitError::Bare { path: at.display_path() }));
    }
    RepoLayout::find(seen, &at, trust).map_err(|error| from_git_error(tool, error))
}

/// The entry that `written` names, without following a link; accepts git's quoted form of invalid
/// text.
pub(super) fn locate_entry(context: &Context<'_>, written: &str) -> Result<FilePath, ToolError> {
    let seen = &context.snapshot;
    let path = RepoPath::parse(written);
    if path.as_bytes() == written.as_bytes() {
        return Ok(seen.locate_entry(written)?);
    }
    let forbidden = || FileError::Forbidden {
        path: path.to_string_lossy(),
        reason: "no file of the workspace could have it",
    };
    let root = seen.roots().first().ok_or_else(forbidden)?;
    let plain = |name: std::path::Component<'_>| matches!(name, std::path::Component::Normal(_));
    if !path.as_path().components().all(plain) {
        return Err(forbidden().into());
    }
    let parent = path.as_path().parent().unwrap_or(std::path::Path::new(""));
    let parent = seen.locate_absolute(&root.path().join(parent))?;
    Ok(parent.descendant(path.as_path().file_name().unwrap_or_default()))
}

/// The path in the repository that `written` names: relative to the workspace, or, if a repository
/// is given and the path would be outside it, relative to that.
pub(super) fn resolve_path(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    is_named: bool,
    written: &str,
) -> Result<RepoPath, ToolError> {
    let file = locate_entry(context, written)?;
    if let Some(path) = layout.repo_path(&file) {
        return Ok(path);
    }
    if is_named && !written.starts_with('/') && !written.starts_with("file:") {
        let below = format!("{}/{written}", layout.display_path());
        if let Some(path) = layout.repo_path(&locate_entry(context, &below)?) {
            return Ok(path);
        }
    }
    let top = layout.display_path();
    let message = format!("{tool}: {}: is not in the repository at {top}", file.display_path());
    Err(ToolError::new(Code::PathNotFound, message).hint("name its repository"))
}

/// A repository path as results show it: relative to the workspace.
pub(super) fn display_path(layout: &RepoLayout, path: &RepoPath) -> String {
    let top = &layout.work_tree;
    if let Some(part) = &layout.subfolder {
        return relative_path(&part.path, path);
    }
    if top.is_root() {
        return path.to_string_lossy();
    }
    if path.as_bytes().is_empty() {
        return top.display_path();
    }
    format!("{}/{}", top.display_path(), path.to_string_lossy())
}

/// A repository path in a workspace that is a subfolder of the repository; paths outside are shown
/// relative to the subfolder.
fn relative_path(part: &RepoPath, path: &RepoPath) -> String {
    if path.is_in(part) && path != part {
        return String::from_utf8_lossy(&path.as_bytes()[part.as_bytes().len() + 1..]).into_owned();
    }
    let (mut at, mut up) = (part.as_path(), String::new());
    loop {
        if let Ok(rest) = path.as_path().strip_prefix(at) {
            let rest = rest.to_string_lossy();
            return if rest.is_empty() && up.is_empty() { ".".to_owned() } else { up + &rest };
        }
        at = at.parent().unwrap_or(std::path::Path::new(""));
        up.push_str("../");
    }
}

/// The quoted form of a path that is not valid text.
pub(super) fn quoted_path(layout: &RepoLayout, path: &RepoPath) -> Option<String> {
    use std::os::unix::ffi::OsStrExt;
    path.quoted()?;
    if let Some(part) = &layout.subfolder {
        let below = path.as_bytes().strip_prefix(part.path.as_bytes()).unwrap_or_default();
        return RepoPath::new(below.strip_prefix(b"/").unwrap_or(below)).quoted();
    }
    let mut whole = layout.work_tree.relative().as_os_str().as_bytes().to_vec();
    if !whole.is_empty() {
        whole.push(b'/');
    }
    whole.extend_from_slice(path.as_bytes());
    RepoPath::new(&whole).quoted()
}

/// The unsaved open documents of the repository.
pub(super) fn unsaved_files(context: &Context<'_>, layout: &RepoLayout) -> UnsavedFiles {
    let unsaved = context.snapshot.unsaved().into_iter();
    unsaved.filter_map(|(file, bytes)| Some((layout.repo_path(&file)?, bytes))).collect()
}

/// Runs `work` with read-only access to the repository, on a thread whose Landlock ruleset allows
/// nothing else.
pub(super) fn read_repo<R: Send>(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    work: impl FnOnce(&Repo) -> Result<R, GitError> + Send,
) -> Result<R, ToolError> {
    run_in_sandbox(context, tool, layout, false, |repo| work(repo))
}

/// As [`read_repo`], for work that needs the repository mutably.
pub(super) fn read_repo_mut<R: Send>(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    work: impl FnOnce(&mut Repo) -> Result<R, GitError> + Send,
) -> Result<R, ToolError> {
    run_in_sandbox(context, tool, layout, false, work)
}

/// Runs `work` with write access to the git folder, on a thread whose Landlock ruleset allows only
/// the repository's folders.
pub(super) fn write_repo<R: Send>(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    work: impl FnOnce(&Repo) -> Result<R, GitError> + Send,
) -> Result<R, ToolError> {
    write_repo_mut(context, tool, layout, |repo| work(repo))
}

/// As [`write_repo`], for work that needs the repository mutably.
pub(super) fn write_repo_mut<R: Send>(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    work: impl FnOnce(&mut Repo) -> Result<R, GitError> + Send,
) -> Result<R, ToolError> {
    layout.check_writable().map_err(|error| from_git_error(tool, error))?;
    run_in_sandbox(context, tool, layout, true, work)
}

fn run_in_sandbox<R: Send>(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    writes: bool,
    work: impl FnOnce(&mut Repo) -> Result<R, GitError> + Send,
) -> Result<R, ToolError> {
    context.check_interrupt(tool)?;
    layout.run_sandboxed(writes, work).map_err(|error| from_git_error(tool, error))
}
