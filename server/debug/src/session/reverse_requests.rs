//! Reverse requests of the adapter: `runInTerminal` and `startDebugging`.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc;

use super::Session;
use super::state::SharedState;
use crate::wire::Request;

/// Queue limit; further requests are refused.
const QUEUE_CAPACITY: usize = 64;

/// The queue of reverse requests.
pub(super) struct ReverseRequests {
    sender: mpsc::Sender<Request>,
    receiver: Mutex<Option<mpsc::Receiver<Request>>>,
}

impl Default for ReverseRequests {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl SharedState {
    /// Queues a reverse request, or returns the response that refuses it.
    pub(super) fn enqueue_request(
        &self,
        request: Request,
    ) -> Option<(Request, Result<Value, String>)> {
        if !matches!(request.command.as_str(), "runInTerminal" | "startDebugging") {
            let why = format!("`{:.100}` is not supported", request.command);
            return Some((request, Err(why)));
        }
        let refuse = |request| Some((request, Err("too many requests are pending".to_owned())));
        self.reverse_requests
            .sender
            .try_send(request)
            .map_or_else(|e| refuse(e.into_inner()), |()| None)
    }
}

impl Session {
    /// Handles reverse requests one after the other.
    pub(super) fn handle_reverse_requests(self: &Arc<Self>) {
        let Some(mut requests) = self.shared.reverse_requests.receiver.lock().take() else {
            return;
        };
        let session = Arc::downgrade(self);
        self.runtime.spawn(async move {
            while let Some(request) = requests.recv().await {
                let Some(session) = session.upgrade() else { break };
                let result = if session.is_shutting_down() {
                    Err("the session is shutting down".to_owned())
                } else if request.command == "runInTerminal" {
                    session.run_in_terminal(&request.arguments).await
                } else {
                    session.start_child(&request.arguments).await
                };
                if let Err(why) = &result {
                    tracing::debug!("`{}` is refused: {why}", request.command);
                }
                // A closed connection is noticed by its reader.
                let _ = session.client.respond(&request, result);
            }
        });
    }
}
