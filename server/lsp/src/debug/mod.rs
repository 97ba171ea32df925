//! What a session shows its client of the programs that are debugged.
//!
//! What comes about in them is told as notifications, to clients that say `experimental.debug`: the
//! stops and the output of programs that an agent debugs, say, whose steps the person follows.

pub(crate) mod face;
pub(crate) mod options;
mod output;
mod push;
pub(crate) mod runnables;
mod show;
mod stop;

use ::debug::{Debugger, Event};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::oneshot;
use tower_lsp_server::ls_types::ClientCapabilities;

pub(crate) use push::start;

use crate::debug::options::Options;

/// A session's side of debugging.
pub(crate) struct Debugging {
    pub(crate) options: Options,
    /// The client is told of stops and output.
    tells: bool,
    /// It can be told to ask for values again.
    refreshes: bool,
    /// Where the events will come from, once a tool was called.
    begin: Mutex<Option<oneshot::Sender<Receiver<Event>>>>,
    begun: Mutex<Option<oneshot::Receiver<Receiver<Event>>>>,
}

impl Debugging {
    pub(crate) fn new(capabilities: &ClientCapabilities, options: Option<&Value>) -> Self {
        let (begin, begun) = oneshot::channel();
        let says = |name: &str| capabilities.experimental.as_ref()?.get(name)?.as_bool();
        let workspace = capabilities.workspace.as_ref();
        Self {
            options: Options::of(options),
            tells: says("debug").unwrap_or(false),
            refreshes: workspace
                .and_then(|w| w.inline_value.as_ref())
                .is_some_and(|values| values.refresh_support == Some(true)),
            begin: Mutex::new(Some(begin)),
            begun: Mutex::new(Some(begun)),
        }
    }

    /// Programs may be debugged from now on. Whoever watches has the place of each stop asked for,
    /// which takes time: a client that would show nothing of it does not.
    pub(crate) fn begin(&self, debugger: &Debugger) {
        if !(self.tells || self.refreshes || self.options.shows_stops()) {
            return;
        }
        if let Some(begin) = self.begin.lock().take() {
            // Nobody listens after the end.
            let _ = begin.send(debugger.watch());
        }
    }
}
