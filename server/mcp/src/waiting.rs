//! A call that waits for its turn: given up meanwhile, it is put on record all the same.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tools::Caller;

use crate::headless::Headless;

pub(crate) struct Waiting {
    own: Arc<Headless>,
    caller: Caller,
    tool: String,
    arguments: Option<Value>,
}

impl Waiting {
    pub(crate) fn new(own: &Arc<Headless>, caller: &Caller, tool: &str, arguments: Value) -> Self {
        let (own, caller, tool) = (own.clone(), caller.clone(), tool.to_owned());
        Self { own, caller, tool, arguments: Some(arguments) }
    }

    /// It waits no more.
    pub(crate) fn over(mut self) -> Value {
        self.arguments.take().unwrap_or_default()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(arguments) = self.arguments.take() else { return };
        let (own, tool) = (self.own.clone(), std::mem::take(&mut self.tool));
        let caller = std::mem::take(&mut self.caller);
        let record = move || tools::cancelled(own.session(), &caller, &tool, &arguments);
        // The record is on disk, and calls are dropped by the runtime's threads.
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(record)),
            Err(_) => record(),
        }
    }
}
