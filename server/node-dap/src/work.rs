//! What the thread of a session works on.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{Request, Response};

/// What a session's thread works on, in order.
pub(crate) enum Work {
    Request(Request),
    Response(Response),
    ClientGone,
    /// An event of the process, or of a worker.
    Event {
        worker: Option<String>,
        method: String,
        params: Value,
    },
    /// The inspector's connection has ended.
    Disconnected,
    /// A Node process has started.
    Process(NodeProcess),
    /// The launched program has ended.
    Exited,
}

/// A Node process, as it reports itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeProcess {
    pub(crate) pid: u32,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) main: Option<String>,
    /// Whether its inspector was there before: it waits for nobody.
    #[serde(default)]
    pub(crate) is_open: bool,
}
