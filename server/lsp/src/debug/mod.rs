//! Debugging, as far as the LSP client sees it.
//!
//! Clients with `experimental.debug` are notified of stops and output, for example to follow an agent
//! that debugs a program.

pub(crate) mod dap_server;
mod notifications;
pub(crate) mod options;
mod output;
pub(crate) mod runnables;
mod show_location;
mod stop;

use ::debug::{DebugEvent, Debugger};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::oneshot;
use tower_lsp_server::ls_types::ClientCapabilities;

pub(crate) use notifications::start;

use crate::debug::options::DebugOptions;

/// A session's debugging state.
pub(crate) struct DebugState {
    pub(crate) options: DebugOptions,
    /// The client receives stops and output.
    sends_events: bool,
    /// It supports `workspace/inlineValue/refresh`.
    refreshes_inline_values: bool,
    /// Delivers the event receiver, once a tool was called.
    events_sender: Mutex<Option<oneshot::Sender<Receiver<DebugEvent>>>>,
    events: Mutex<Option<oneshot::Receiver<Receiver<DebugEvent>>>>,
}

impl DebugState {
    pub(crate) fn new(capabilities: &ClientCapabilities, options: Option<&Value>) -> Self {
        let (events_sender, events) = oneshot::channel();
        let flag = |name: &str| capabilities.experimental.as_ref()?.get(name)?.as_bool();
        let workspace = capabilities.workspace.as_ref();
        Self {
            options: DebugOptions::from_options(options),
            sends_events: flag("debug").unwrap_or(false),
            refreshes_inline_values: workspace
                .and_then(|w| w.inline_value.as_ref())
                .is_some_and(|values| values.refresh_support == Some(true)),
            events_sender: Mutex::new(Some(events_sender)),
            events: Mutex::new(Some(events)),
        }
    }

    /// Starts the event stream. Watching costs a query for the location of each stop, so it is skipped for
    /// clients that use none of it.
    pub(crate) fn start_events(&self, debugger: &Debugger) {
        if !(self.sends_events || self.refreshes_inline_values || self.options.shows_stops()) {
            return;
        }
        if let Some(sender) = self.events_sender.lock().take() {
            // The receiver is gone after shutdown.
            let _ = sender.send(debugger.subscribe());
        }
    }
}
