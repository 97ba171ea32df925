//! Received messages: responses go to the waiting requests, everything else is kept as unread.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::SyncSender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::{ClientError, ResponseError};

/// Unread messages kept; the oldest are dropped first.
const MAX_UNREAD: usize = 10_000;
/// Bytes of unread messages kept, as on the wire; the oldest are dropped first.
const MAX_UNREAD_BYTES: usize = 256 << 20;

pub(crate) type Reply = Result<Value, ResponseError>;

#[derive(Default)]
struct InboxState {
    pending: HashMap<i64, SyncSender<Reply>>,
    unread: VecDeque<(usize, Value)>,
    unread_bytes: usize,
    closed: Option<String>,
}

/// Shared by the reader thread and the waiting callers.
#[derive(Default)]
pub(crate) struct Inbox {
    state: Mutex<InboxState>,
    changed: Condvar,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers the receiver of the response to request `id`.
    pub(crate) fn expect(&self, id: i64, to: SyncSender<Reply>) -> Result<(), ClientError> {
        let mut state = self.state();
        if let Some(reason) = &state.closed {
            return Err(ClientError::Closed { reason: reason.clone() });
        }
        state.pending.insert(id, to);
        Ok(())
    }

    /// Unregisters request `id`; its response will be kept as unread.
    pub(crate) fn forget(&self, id: i64) {
        self.state().pending.remove(&id);
    }

    /// Handles a response or notification of `size` bytes on the wire.
    pub(crate) fn receive(&self, size: usize, mut message: Value) {
        let mut state = self.state();
        let waiting = match message.get("method") {
            None => message["id"].as_i64().and_then(|id| state.pending.remove(&id)),
            Some(_) => None,
        };
        if let Some(to) = waiting {
            let reply = match message.get("error") {
                Some(error) if !error.is_null() => Err(ResponseError::from_value(error)),
                _ => Ok(message.get_mut("result").map(Value::take).unwrap_or_default()),
            };
            // The channel has space for one reply; the receiver may be gone.
            let _ = to.try_send(reply);
            return;
        }
        state.unread.push_back((size, message));
        state.unread_bytes += size;
        while state.unread.len() > MAX_UNREAD || state.unread_bytes > MAX_UNREAD_BYTES {
            let Some((size, _)) = state.unread.pop_front() else { break };
            state.unread_bytes -= size;
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Closes the connection and wakes all waiters. The first reason is kept.
    pub(crate) fn close(&self, reason: String) {
        let mut state = self.state();
        state.closed.get_or_insert(reason);
        state.pending.clear();
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn closed(&self) -> Option<String> {
        self.state().closed.clone()
    }

    /// Takes the first unread message that `wanted` accepts, or waits for one.
    pub(crate) fn wait_for(
        &self,
        what: &str,
        timeout: Duration,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Result<Value, ClientError> {
        let deadline = Instant::now() + timeout;
        let mut state = self.state();
        loop {
            let at = state.unread.iter().position(|(_, message)| wanted(message));
            if let Some((size, message)) = at.and_then(|at| state.unread.remove(at)) {
                state.unread_bytes -= size;
                return Ok(message);
            }
            if let Some(reason) = &state.closed {
                return Err(ClientError::Closed { reason: reason.clone() });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ClientError::Timeout { what: what.to_owned(), after: timeout });
            }
            state =
                self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn drain(&self) -> Vec<Value> {
        let mut state = self.state();
        state.unread_bytes = 0;
        state.unread.drain(..).map(|(_, message)| message).collect()
    }
}
