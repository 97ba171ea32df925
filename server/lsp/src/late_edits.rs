//! Reverts edits that the editor applied after the server stopped waiting for them.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::editor::{EditorCall, LspEditor};
use crate::progress::Progress;
use crate::session::Session;
use crate::session_threads::Interrupt;

/// Reverts late edits, if there are any. Does not wait.
pub(crate) fn revert(session: &Arc<Session>) {
    if !session.workspace.has_late_edit() {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        let write_guard = session.write_lock.clone().lock_owned().await;
        let (task_session, runtime) = (session.clone(), Handle::current());
        let work = move || {
            let interrupt = Interrupt::new();
            let call = EditorCall {
                interrupt: interrupt.flag(),
                gate: Arc::default(),
                write_guard: Some(write_guard),
                approved: false,
                progress: Progress::new(&task_session.outbox, None, String::new()),
            };
            let flag = interrupt.flag();
            let editor = LspEditor::new(task_session.clone(), runtime, call);
            if let Some(write_guard) = task_session.workspace.write_lock(&flag) {
                task_session.workspace.revert_late_edits(&write_guard, &editor);
            }
        };
        // A panic is already logged.
        let _ = session.threads.run_blocking(work).await;
    });
}
