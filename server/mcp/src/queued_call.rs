//! A queued call. If dropped before it starts, it is recorded as cancelled.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tools::Caller;

use crate::headless::Headless;

pub(crate) struct QueuedCall {
    headless: Arc<Headless>,
    caller: Caller,
    tool: String,
    arguments: Option<Value>,
}

impl QueuedCall {
    pub(crate) fn new(
        headless: &Arc<Headless>,
        caller: &Caller,
        tool: &str,
        arguments: Value,
    ) -> Self {
        let (headless, caller, tool) = (headless.clone(), caller.clone(), tool.to_owned());
        Self { headless, caller, tool, arguments: Some(arguments) }
    }

    /// Takes the arguments; the call starts.
    pub(crate) fn start(mut self) -> Value {
        self.arguments.take().unwrap_or_default()
    }
}

impl Drop for QueuedCall {
    fn drop(&mut self) {
        let Some(arguments) = self.arguments.take() else { return };
        let (headless, tool) = (self.headless.clone(), std::mem::take(&mut self.tool));
        let caller = std::mem::take(&mut self.caller);
        let record = move || tools::cancelled(headless.session(), &caller, &tool, &arguments);
        // Recording writes to disk, which must not block the runtime's threads.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(record)),
            Err(_) => record(),
        }
    }
}
