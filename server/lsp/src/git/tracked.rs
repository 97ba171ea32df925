//! The repository of a document, and what it keeps of it.

use std::sync::Arc;

use git::{GitError, Kept, Layout, RepoPath, Trust};
use workspace::{Document, FileKind, FilePath, Places, Snapshot};

use crate::session::Session;

/// Most documents of which is held what repositories keep.
const MOST: usize = 256;

/// A repository's own folder in its work tree, or the file that names it.
const GIT: &str = ".git";

/// A file in a repository.
pub(crate) struct Tracked {
    pub(crate) layout: Layout,
    /// The file in the workspace, and its path in the repository.
    pub(crate) file: FilePath,
    pub(crate) path: RepoPath,
    pub(crate) kept: Kept,
}

/// The repository that holds a place in the workspace; `None` without one.
///
/// # Errors
/// When it leads out, or is of a kind that cannot be read.
pub(crate) fn layout_of(
    session: &Session,
    snapshot: &Snapshot,
    at: &FilePath,
) -> Result<Option<Layout>, GitError> {
    let policy = &session.tools().policy;
    policy.refresh(snapshot);
    let trusted = policy.trusts(at.root().path());
    let trust = if trusted { Trust::Given } else { Trust::Withheld };
    match Layout::find(snapshot, at, trust) {
        Ok(layout) => Ok(Some(layout)),
        Err(GitError::NoRepository { .. } | GitError::Bare { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What the repository keeps of the file at `file`, which a document stands for, and watches over
/// that; `None` without a repository. Reads it only where it has changed.
///
/// # Errors
/// When the repository cannot be read.
pub(crate) fn tracked(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
    file: &FilePath,
) -> Result<Option<Arc<Tracked>>, GitError> {
    let git = &session.git;
    let held = git.tracked.lock().get(document.uri()).cloned();
    if let Some(held) = held.filter(|held| held.file == *file && held.kept.is_current()) {
        return Ok(Some(held));
    }
    let Some(layout) = layout_of(session, snapshot, file)? else {
        git.tracked.lock().remove(document.uri());
        await_repository(session, file);
        return Ok(None);
    };
    let Some(path) = layout.path_of(file) else { return Ok(None) };
    let kept = layout.behind(false, |repo| repo.kept(&path))?;
    watch(session, &kept);
    let found = Arc::new(Tracked { layout, file: file.clone(), path, kept });
    // What is not open is asked for again and again by nobody.
    if snapshot.document(document.uri()).is_some() {
        let mut held = git.tracked.lock();
        if held.len() >= MOST {
            held.clear();
        }
        held.insert(document.uri().clone(), found.clone());
    }
    Ok(Some(found))
}

fn watch(session: &Session, kept: &Kept) {
    with_places(session, |places| places.watch(kept.folders()));
}

/// Watches for a repository that comes about around a file.
fn await_repository(session: &Session, file: &FilePath) {
    with_places(session, |places| {
        let mut folder = file.parent();
        while let Some(around) = folder {
            places.watch_for(&around.absolute(), GIT);
            let own = around.at(GIT);
            // It is there before it is one.
            if matches!(own.root().kind_below(own.relative()), Ok(Some(FileKind::Directory))) {
                places.watch(&[own.absolute()]);
            }
            folder = around.parent();
        }
    });
}

fn with_places(session: &Session, watch: impl FnOnce(&mut Places)) {
    let git = &session.git;
    let mut places = git.places.lock();
    if places.is_none() {
        let changed = git.changed.clone();
        match Places::new(move || changed.notify_one()) {
            Ok(made) => *places = Some(made),
            Err(error) => tracing::warn!("changes of repositories are not seen: {error}"),
        }
    }
    if let Some(places) = places.as_mut() {
        watch(places);
    }
}
