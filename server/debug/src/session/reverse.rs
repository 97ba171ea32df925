//! What an adapter wants of its client: programs run for it, sessions for processes that its program
//! has started.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc;

use super::Session;
use super::state::Shared;
use crate::wire::Request;

/// Most that wait to be done; who wants more at once is refused.
const WAITING: usize = 64;

/// What is wanted, in the order in which it was.
pub(super) struct Wanted {
    sender: mpsc::Sender<Request>,
    receiver: Mutex<Option<mpsc::Receiver<Request>>>,
}

impl Default for Wanted {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl Shared {
    /// Takes in what the adapter wants: what is not done later is refused.
    pub(super) fn ask(&self, request: Request) -> Option<(Request, Result<Value, String>)> {
        if !matches!(request.command.as_str(), "runInTerminal" | "startDebugging") {
            let why = format!("`{:.100}` is not known here", request.command);
            return Some((request, Err(why)));
        }
        let refused = |request| Some((request, Err("too much is wanted at once".to_owned())));
        self.wanted.sender.try_send(request).map_or_else(|e| refused(e.into_inner()), |()| None)
    }
}

impl Session {
    /// Does what the adapter wants, one thing after the other, and answers it.
    pub(super) fn serve(self: &Arc<Self>) {
        let Some(mut wanted) = self.shared.wanted.receiver.lock().take() else { return };
        let session = Arc::downgrade(self);
        self.runtime.spawn(async move {
            while let Some(request) = wanted.recv().await {
                let Some(session) = session.upgrade() else { break };
                let result = if session.is_leaving() {
                    Err("the session ends".to_owned())
                } else if request.command == "runInTerminal" {
                    session.run_in_terminal(&request.arguments).await
                } else {
                    session.start_child(&request.arguments).await
                };
                if let Err(why) = &result {
                    tracing::debug!("`{}` is refused: {why}", request.command);
                }
                // Who reads no more is found out elsewhere.
                let _ = session.client.answer(&request, result);
            }
        });
    }
}
