//! The repository of a document, and the index's version of its file.

use std::sync::Arc;

use git::{GitError, RepoLayout, RepoPath, StoredVersions, Trust};
use workspace::{Document, FileKind, FilePath, FolderWatcher, Snapshot};

use crate::session::Session;

/// Most documents with a cached file.
const MAX_CACHED: usize = 256;

/// The `.git` folder of a work tree, or the file that points to it.
const GIT_FOLDER: &str = ".git";

/// A file in a repository.
pub(crate) struct TrackedFile {
    pub(crate) layout: RepoLayout,
    /// The file in the workspace, and its path in the repository.
    pub(crate) file: FilePath,
    pub(crate) path: RepoPath,
    pub(crate) kept: StoredVersions,
}

/// The repository that contains a path of the workspace. `None` if there is none.
///
/// # Errors
/// If the repository escapes the root or is of an unsupported kind.
pub(crate) fn layout_of(
    session: &Session,
    snapshot: &Snapshot,
    at: &FilePath,
) -> Result<Option<RepoLayout>, GitError> {
    let policy = &session.tools().policy;
    policy.refresh(snapshot);
    let trusted = policy.trusts(at.root().path());
    let trust = if trusted { Trust::Trusted } else { Trust::Untrusted };
    match RepoLayout::find(snapshot, at, trust) {
        Ok(layout) => Ok(Some(layout)),
        Err(GitError::NoRepository { .. } | GitError::Bare { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A document's file in its repository, which is watched from then on. `None` outside of a repository.
/// Cached until the repository changes.
///
/// # Errors
/// If the repository cannot be read.
pub(crate) fn tracked_file(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
    file: &FilePath,
) -> Result<Option<Arc<TrackedFile>>, GitError> {
    let git = &session.git;
    let cached = git.tracked_files.lock().get(document.uri()).cloned();
    if let Some(cached) = cached.filter(|cached| cached.file == *file && cached.kept.is_current()) {
        return Ok(Some(cached));
    }
    let Some(layout) = layout_of(session, snapshot, file)? else {
        git.tracked_files.lock().remove(document.uri());
        watch_for_repository(session, file);
        return Ok(None);
    };
    let Some(path) = layout.repo_path(file) else { return Ok(None) };
    let kept = layout.run_sandboxed(false, |repo| repo.stored_versions(&path))?;
    watch(session, &kept);
    let found = Arc::new(TrackedFile { layout, file: file.clone(), path, kept });
    // Only open documents are queried repeatedly.
    if snapshot.document(document.uri()).is_some() {
        let mut cached = git.tracked_files.lock();
        if cached.len() >= MAX_CACHED {
            cached.clear();
        }
        cached.insert(document.uri().clone(), found.clone());
    }
    Ok(Some(found))
}

fn watch(session: &Session, kept: &StoredVersions) {
    with_watcher(session, |places| places.watch(kept.folders()));
}

/// Watches for a repository to be created around a file.
fn watch_for_repository(session: &Session, file: &FilePath) {
    with_watcher(session, |places| {
        let mut folder = file.parent();
        while let Some(around) = folder {
            places.watch_for(&around.absolute(), GIT_FOLDER);
            let git_folder = around.descendant(GIT_FOLDER);
            // `git init` creates the folder before it is a repository.
            if matches!(
                git_folder.root().kind_below(git_folder.relative()),
                Ok(Some(FileKind::Directory))
            ) {
                places.watch(&[git_folder.absolute()]);
            }
            folder = around.parent();
        }
    });
}

fn with_watcher(session: &Session, watch: impl FnOnce(&mut FolderWatcher)) {
    let git = &session.git;
    let mut places = git.watcher.lock();
    if places.is_none() {
        let changed = git.changed.clone();
        match FolderWatcher::new(move || changed.notify_one()) {
            Ok(made) => *places = Some(made),
            Err(error) => tracing::warn!("cannot watch repositories for changes: {error}"),
        }
    }
    if let Some(places) = places.as_mut() {
        watch(places);
    }
}
