//! What an adapter has told of a stop: it is asked once, whoever wants to know.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Session;
use crate::client::{Failure, Wait, bounded};
use crate::{DebugError, Patience};

/// Most answers that are kept of one stop.
const MOST: usize = 256;
/// Most bytes of all of them, roughly.
const MOST_BYTES: usize = 8 << 20;

/// The answers of the stop that a program is at.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// One question at a time: who asks the same finds the answer of who came first.
    kept: tokio::sync::Mutex<Kept>,
    /// Counts what may have changed values while the program stays where it is.
    changes: AtomicU64,
    /// The stop at which code goes on that nobody waits for any more: nothing is kept of it.
    unsteady: AtomicU64,
}

#[derive(Debug, Default)]
struct Kept {
    /// The stop, and how many changes it had.
    of: (u64, u64),
    answers: HashMap<String, Value>,
    bytes: usize,
}

impl Seen {
    /// Values may have changed.
    pub(super) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Values may change at any time, until the next stop.
    pub(super) fn is_unsteady_at(&self, stop: u64) {
        self.unsteady.store(stop, Ordering::SeqCst);
        self.changed();
    }
}

impl Session {
    /// As [`Session::ask`], for what stays as it is until the program goes on.
    pub(super) async fn ask_once<T: DeserializeOwned>(
        &self,
        command: &str,
        arguments: &Value,
        patience: Patience<'_>,
    ) -> Result<T, DebugError> {
        let seen = &self.shared.seen;
        let wait = Wait { longest: patience.longest, interrupt: patience.interrupt };
        let mut kept = match bounded(seen.kept.lock(), wait).await {
            Ok(kept) => kept,
            Err(Failure::Cancelled) => return Err(DebugError::Cancelled),
            // Somebody else waits for long: one question more does no harm.
            Err(_) => return self.ask(command, arguments, patience).await,
        };
        let stop = self.stopped()?.number;
        let of = (stop, seen.changes.load(Ordering::SeqCst));
        if kept.of != of {
            *kept = Kept { of, ..Kept::default() };
        }
        let question = format!("{command} {arguments}");
        if let Some(answer) = kept.answers.get(&question) {
            return self.read(command, answer.clone());
        }
        let answer: Value = self.ask(command, arguments, patience).await?;
        let bytes = size(&answer);
        let has_room = kept.answers.len() < MOST && kept.bytes + bytes <= MOST_BYTES;
        if has_room && seen.unsteady.load(Ordering::SeqCst) != stop {
            kept.bytes += bytes;
            kept.answers.insert(question, answer.clone());
        }
        drop(kept);
        self.read(command, answer)
    }
}

/// What a value takes, roughly, in bytes.
fn size(value: &Value) -> usize {
    32 + match value {
        Value::String(text) => text.len(),
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => all.iter().map(|(name, value)| 32 + name.len() + size(value)).sum(),
        _ => 0,
    }
}
