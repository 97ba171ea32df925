//! Reads the workspace in the background, and says how far it is.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::watch;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, ProgressToken,
    Registration,
};
use workspace::{FileChanges, FileWatcher, IndexProgress};

use crate::diagnostics;
use crate::session::Session;

/// Starts reading the workspace, and asks the client to report changes of its files; where it
/// cannot, they are watched here.
pub(crate) fn start(session: &Arc<Session>) {
    let (sender, progress) = watch::channel(IndexProgress::default());
    tokio::spawn(refresh(session.clone(), progress.clone()));
    tokio::spawn(tell(session.clone(), progress));
    if session.features.watched_files {
        tokio::spawn(watch_files(session.clone()));
    }
    watch(session);
    read(session, Some(sender));
}

/// Reads the workspace's files again, for instance after its folders have changed.
pub(crate) fn read(session: &Arc<Session>, progress: Option<watch::Sender<IndexProgress>>) {
    let background = session.clone();
    session.pool.background(move || {
        background.status.reading();
        let report = |p: IndexProgress| {
            background.status.files(p.total);
            progress.as_ref().inspect(|sender| {
                sender.send_replace(p);
            });
        };
        let snapshot = background.workspace.snapshot();
        snapshot.build_index(&background.stop, &report);
        snapshot.catch_up(&background.stop);
        background.status.read();
        diagnostics::look_again(&background);
    });
}

/// Watches the folders of the workspace, in place of those that were watched before, unless the
/// client does.
pub(crate) fn watch(session: &Arc<Session>) {
    if session.features.watched_files {
        return;
    }
    let (watcher, watching) = FileWatcher::new(&session.workspace.snapshot());
    // Whoever watches does not keep the session.
    let weak = Arc::downgrade(session);
    let report = move |changes| {
        if let Some(session) = weak.upgrade() {
            match changes {
                FileChanges::Files(uris) => session.workspace.files_changed(uris),
                FileChanges::Any => session.workspace.files_may_have_changed(),
            }
            catch_up(&session);
        }
    };
    match session.pool.thread("watcher", move || watcher.run(&report)) {
        Ok(()) => *session.watching.lock() = Some(watching),
        Err(error) => tracing::warn!("changes of files are not seen: {error}"),
    }
}

/// Reads in the background what has been reported as changed.
pub(crate) fn catch_up(session: &Arc<Session>) {
    let background = session.clone();
    session.pool.background(move || {
        background.workspace.snapshot().catch_up(&background.stop);
        diagnostics::look_again(&background);
    });
}

/// `$/progress` while the workspace is read.
async fn tell(session: Arc<Session>, mut progress: watch::Receiver<IndexProgress>) {
    if !session.features.work_done_progress {
        return;
    }
    let token = ProgressToken::String("tandem/index".to_owned());
    if session.client.create_work_done_progress(token.clone()).await.is_err() {
        return;
    }
    let told = session.client.progress(token, "Reading the workspace").with_percentage(0);
    let told = told.begin().await;
    // The sender is dropped when the reading ends.
    while progress.changed().await.is_ok() {
        let now = *progress.borrow_and_update();
        let percent = (100 * now.done).checked_div(now.total).unwrap_or(100);
        let message = format!("{}/{} files", now.done, now.total);
        let percent = u32::try_from(percent).unwrap_or(100);
        told.report_with_message(message, percent).await;
    }
    let now = *progress.borrow();
    told.finish_with_message(format!("{} files", now.total)).await;
}

/// Has the client ask again for what it shows of documents, once everything has been read.
async fn refresh(session: Arc<Session>, mut progress: watch::Receiver<IndexProgress>) {
    // The sender is dropped when the reading ends.
    while progress.changed().await.is_ok() {}
    if session.features.inlay_hint_refresh {
        // A client that does not answer is asked no more.
        let _ = session.client.inlay_hint_refresh().await;
    }
    if session.features.code_lens_refresh {
        let _ = session.client.code_lens_refresh().await;
    }
}

async fn watch_files(session: Arc<Session>) {
    let options = DidChangeWatchedFilesRegistrationOptions {
        watchers: vec![FileSystemWatcher {
            glob_pattern: GlobPattern::String("**/*".to_owned()),
            kind: None,
        }],
    };
    let registration = Registration {
        id: "tandem/watch".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: Some(json!(options)),
    };
    if let Err(error) = session.client.register_capability(vec![registration]).await {
        tracing::warn!("changes of files will not be reported: {error}");
    }
}
