//! Indexes the workspace in the background and reports progress.

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

/// Starts indexing, and registers for file changes with the client. If the client does not watch
/// files, the server does.
pub(crate) fn start(session: &Arc<Session>) {
    let (sender, progress) = watch::channel(IndexProgress::default());
    tokio::spawn(refresh_when_indexed(session.clone(), progress.clone()));
    tokio::spawn(report_progress(session.clone(), progress));
    if session.features.watched_files {
        tokio::spawn(register_file_watcher(session.clone()));
    }
    watch_folders(session);
    rebuild(session, Some(sender));
}

/// Indexes the workspace's files again, for example after its folders have changed.
pub(crate) fn rebuild(session: &Arc<Session>, progress: Option<watch::Sender<IndexProgress>>) {
    let background = session.clone();
    session.threads.spawn_background(move || {
        background.status.indexing_started();
        let report = |p: IndexProgress| {
            background.status.set_file_count(p.total);
            progress.as_ref().inspect(|sender| {
                sender.send_replace(p);
            });
        };
        let snapshot = background.workspace.snapshot();
        snapshot.build_index(&background.is_stopping, &report);
        snapshot.apply_file_changes(&background.is_stopping);
        background.status.indexing_finished();
        diagnostics::schedule_recheck(&background);
    });
}

/// Watches the workspace folders instead of the previous ones, unless the client does.
pub(crate) fn watch_folders(session: &Arc<Session>) {
    if session.features.watched_files {
        return;
    }
    let (watcher, watching) = FileWatcher::new(&session.workspace.snapshot());
    // The watcher must not keep the session alive.
    let weak = Arc::downgrade(session);
    let report = move |changes| {
        if let Some(session) = weak.upgrade() {
            match changes {
                FileChanges::Files(uris) => session.workspace.files_changed(uris),
                FileChanges::Any => session.workspace.files_may_have_changed(),
            }
            index_changed_files(&session);
        }
    };
    match session.threads.spawn_thread("watcher", move || watcher.run(&report)) {
        Ok(()) => *session.watching.lock() = Some(watching),
        Err(error) => tracing::warn!("cannot watch for file changes: {error}"),
    }
}

/// Indexes the reported changes in the background.
pub(crate) fn index_changed_files(session: &Arc<Session>) {
    let background = session.clone();
    session.threads.spawn_background(move || {
        background.workspace.snapshot().apply_file_changes(&background.is_stopping);
        diagnostics::schedule_recheck(&background);
    });
}

/// Sends `$/progress` while the workspace is indexed.
async fn report_progress(session: Arc<Session>, mut progress: watch::Receiver<IndexProgress>) {
    if !session.features.work_done_progress {
        return;
    }
    let token = ProgressToken::String("tandem/index".to_owned());
    if session.client.create_work_done_progress(token.clone()).await.is_err() {
        return;
    }
    let reporter = session.client.progress(token, "Reading the workspace").with_percentage(0);
    let reporter = reporter.begin().await;
    // The sender is dropped when indexing ends.
    while progress.changed().await.is_ok() {
        let now = *progress.borrow_and_update();
        let percent = (100 * now.done).checked_div(now.total).unwrap_or(100);
        let message = format!("{}/{} files", now.done, now.total);
        let percent = u32::try_from(percent).unwrap_or(100);
        reporter.report_with_message(message, percent).await;
    }
    let now = *progress.borrow();
    reporter.finish_with_message(format!("{} files", now.total)).await;
}

/// Has the client refresh hints and lenses once the index is complete.
async fn refresh_when_indexed(session: Arc<Session>, mut progress: watch::Receiver<IndexProgress>) {
    // The sender is dropped when indexing ends.
    while progress.changed().await.is_ok() {}
    if session.features.inlay_hint_refresh {
        // If the client does not answer, further refreshes wait.
        let _ = session.client.inlay_hint_refresh().await;
    }
    if session.features.code_lens_refresh {
        let _ = session.client.code_lens_refresh().await;
    }
}

async fn register_file_watcher(session: Arc<Session>) {
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
        tracing::warn!("the client will not report file changes: {error}");
    }
}
