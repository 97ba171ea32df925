//! The channel of one process: its output, then how it ended.

use std::sync::Arc;

use process::{Observation, SupervisedProcess};
use process_tools::{OutputPage, ProcessState};
use serde_json::json;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::messages::Message;

/// Follows the output of a process. It reads from the process's ring: a client that is slower than the
/// program learns how much it has missed.
pub(crate) struct OutputFollower {
    observation: Observation,
    cursor: u64,
}

/// What there is to send.
pub(crate) enum Next {
    /// Nothing at the moment.
    Nothing,
    /// This.
    Message(Utf8Bytes),
    /// This, and then nothing any more.
    Last(Utf8Bytes),
}

impl OutputFollower {
    /// Follows from `cursor` on; without it, from the end of the output so far.
    pub(crate) fn new(
        process: &Arc<SupervisedProcess>,
        cursor: Option<u64>,
        wake: Arc<Notify>,
    ) -> Self {
        let observation = process.observe(move || wake.notify_one());
        let cursor = cursor.unwrap_or_else(|| process.output_range().1);
        Self { observation, cursor }
    }

    /// The process's id.
    pub(crate) fn process_id(&self) -> &str {
        self.observation.process().id()
    }

    /// The first message: the state of the process, and the position from which on output is sent.
    pub(crate) fn first_message(&self, channel: &str) -> Utf8Bytes {
        let state = ProcessState::of(self.observation.process());
        Message {
            kind: "subscribed",
            channel: Some(channel),
            process_id: Some(self.process_id()),
            data: Some(json!(state)),
            cursor: Some(self.cursor.to_string()),
            ..Message::default()
        }
        .json()
    }

    /// The next message.
    pub(crate) fn next(&mut self, channel: &str) -> Next {
        let process = self.observation.process();
        // First: a process that has ended writes nothing more.
        let state = ProcessState::of(process);
        let page = OutputPage::from_cursor(process, self.cursor, true);
        let message = Message {
            channel: Some(channel),
            process_id: Some(process.id()),
            ..Message::default()
        };
        if page.output.is_empty() && page.dropped == 0 {
            if state.is_running() {
                return Next::Nothing;
            }
            let data = Some(json!({
                "status": state.status(),
                "exitCode": state.exit_code(),
                "signal": state.signal(),
            }));
            return Next::Last(Message { kind: "process_status", data, ..message }.json());
        }
        self.cursor = page.next_cursor.parse().unwrap_or(self.cursor);
        Next::Message(
            Message {
                kind: "process_output",
                data: Some(page.output.into()),
                cursor: Some(page.next_cursor),
                dropped: page.dropped,
                ..message
            }
            .json(),
        )
    }
}
