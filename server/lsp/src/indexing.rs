//! Reads the workspace in the background, and says how far it is.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::watch;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, ProgressToken,
    Registration,
};
use workspace::IndexProgress;

use crate::session::Session;

/// Starts reading the workspace, and asks the client to report changes of its files.
pub(crate) fn start(session: &Arc<Session>) {
    let (sender, progress) = watch::channel(IndexProgress::default());
    tokio::spawn(tell(session.clone(), progress));
    if session.features.watched_files {
        tokio::spawn(watch_files(session.clone()));
    }
    read(session, Some(sender));
}

/// Reads the workspace's files again, for instance after its folders have changed.
pub(crate) fn read(session: &Arc<Session>, progress: Option<watch::Sender<IndexProgress>>) {
    let background = session.clone();
    session.pool.background(move || {
        let report = |p: IndexProgress| {
            progress.as_ref().inspect(|sender| {
                sender.send_replace(p);
            });
        };
        background.workspace.snapshot().build_index(&background.stop, &report);
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
