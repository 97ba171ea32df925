//! Caches responses while the program is stopped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Session;
use crate::client::{RequestFailure, wait_bounded};
use crate::{DebugError, WaitLimits};

/// Entry limit for one stop.
const MAX_RESPONSES: usize = 256;
/// Size limit for one stop, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// The responses at the current stop.
#[derive(Debug, Default)]
pub(super) struct ResponseCache {
    /// Held during a request, so that a second equal one finds the first one's response.
    entries: tokio::sync::Mutex<CachedResponses>,
    /// Incremented when values may have changed without a resume.
    changes: AtomicU64,
    /// The stop at which a timed-out evaluation still runs: nothing is cached.
    disabled_stop: AtomicU64,
}

#[derive(Debug, Default)]
struct CachedResponses {
    /// The stop, and its number of changes.
    version: (u64, u64),
    responses: HashMap<String, Value>,
    bytes: usize,
}

impl ResponseCache {
    /// Invalidates the cache: values may have changed.
    pub(super) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Disables the cache until the next stop: values may change at any time.
    pub(super) fn disable_at(&self, stop: u64) {
        self.disabled_stop.store(stop, Ordering::SeqCst);
        self.changed();
    }
}

impl Session {
    /// Sends a request whose response is the same until the program resumes, or returns it from the
    /// cache.
    pub(super) async fn cached_request<T: DeserializeOwned>(
        &self,
        command: &str,
        arguments: &Value,
        patience: WaitLimits<'_>,
    ) -> Result<T, DebugError> {
        let cache = &self.shared.responses;
        let mut entries = match wait_bounded(cache.entries.lock(), patience).await {
            Ok(entries) => entries,
            Err(RequestFailure::Cancelled) => return Err(DebugError::Cancelled),
            // Another request takes long: send this one without the cache.
            Err(_) => return self.request(command, arguments, patience).await,
        };
        let stop = self.stopped()?.number;
        let version = (stop, cache.changes.load(Ordering::SeqCst));
        if entries.version != version {
            *entries = CachedResponses { version, ..CachedResponses::default() };
        }
        let key = format!("{command} {arguments}");
        if let Some(response) = entries.responses.get(&key) {
            return self.parse_body(command, response.clone());
        }
        let response: Value = self.request(command, arguments, patience).await?;
        let bytes = approximate_size(&response);
        let has_room =
            entries.responses.len() < MAX_RESPONSES && entries.bytes + bytes <= MAX_BYTES;
        if has_room && cache.disabled_stop.load(Ordering::SeqCst) != stop {
            entries.bytes += bytes;
            entries.responses.insert(key, response.clone());
        }
        drop(entries);
        self.parse_body(command, response)
    }
}

/// The approximate size of a value, in bytes.
fn approximate_size(value: &Value) -> usize {
    32 + match value {
        Value::String(text) => text.len(),
        Value::Array(all) => all.iter().map(approximate_size).sum(),
        Value::Object(all) => {
            all.iter().map(|(name, value)| 32 + name.len() + approximate_size(value)).sum()
        }
        _ => 0,
    }
}
