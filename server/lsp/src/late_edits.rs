//! Reverts edits that the editor applied after the server stopped waiting for them.

use std::sync::Arc;

use tools::CallControl;

use crate::editor::{EditorCall, LspEditor};
use crate::progress::Progress;
use crate::session::Session;

/// Reverts late edits, if there are any. Does not wait.
pub(crate) fn revert(session: &Arc<Session>) {
    if !session.workspace.has_late_edit() {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        let task_session = session.clone();
        let revert = move |control: CallControl| {
            let interrupt = control.interrupt();
            let call = EditorCall {
                approved: false,
                progress: Arc::new(Progress::new(&task_session.outbox, None, String::new())),
                running: None,
            };
            let editor = LspEditor::new(task_session.clone(), call, control);
            if let Some(write_guard) = task_session.workspace.write_lock(&interrupt) {
                task_session.workspace.revert_late_edits(&write_guard, &editor);
            }
        };
        // A panic is already logged.
        let _ = session.executor.run_operation(&session, true, revert).await;
    });
}
