//! Edits that the editor makes after it was no longer waited for.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::editor::{Call, LspEditor};
use crate::pool::Interrupt;
use crate::progress::Progress;
use crate::session::Session;

/// Has them taken back, if there are any; without waiting.
pub(crate) fn take_back(session: &Arc<Session>) {
    if !session.workspace.has_late_landing() {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        let turn = session.writes.clone().lock_owned().await;
        let (own, runtime) = (session.clone(), Handle::current());
        let work = move || {
            let interrupt = Interrupt::new();
            let call = Call {
                interrupt: interrupt.flag(),
                gate: Arc::default(),
                turn: Some(turn),
                approved: false,
                progress: Progress::new(&own.outbox, None, String::new()),
            };
            let flag = interrupt.flag();
            let editor = LspEditor::new(own.clone(), runtime, call);
            if let Some(turn) = own.workspace.turn(&flag) {
                own.workspace.take_back_late(&turn, &editor);
            }
        };
        // A panic has been logged.
        let _ = session.pool.call(work).await;
    });
}
