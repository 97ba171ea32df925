//! A workspace that this process hosts for others, without a client of its own.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tools::{Caller, HeadlessWorkspace, ToolCall};
use workspace::{Headless, ServerSocket};

use crate::shared_workspace::SharedWorkspace;

/// A workspace that agents join.
pub struct HostedWorkspace {
    headless: Arc<HeadlessWorkspace>,
    shared: Arc<SharedWorkspace>,
}

impl HostedWorkspace {
    /// Opens `folder` for the front end of this name. `None` if another process hosts it.
    ///
    /// # Errors
    /// A message, if the folder or its socket cannot be opened.
    pub fn open(folder: &Path, front_end: &'static str) -> Result<Option<Self>, String> {
        let headless = HeadlessWorkspace::open(folder, front_end).map_err(|error| error.message)?;
        let headless = Arc::new(headless);
        let cannot = |error: std::io::Error| format!("cannot listen for agents: {error}");
        let socket = ServerSocket::bind_headless(&headless.folder()).map_err(cannot)?;
        let Some(socket) = socket else { return Ok(None) };
        let shared = SharedWorkspace::start(&headless, socket).map_err(cannot)?;
        headless.watch();
        headless.collect_guarded_paths();
        Ok(Some(Self { headless, shared }))
    }

    /// Makes a call that the person has approved.
    ///
    /// # Errors
    /// The contract's error.
    pub async fn call_approved(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let (tool, caller) = (tool.to_owned(), Caller::default());
        let call = ToolCall { tool, arguments, caller, gate: Arc::default() };
        let done = self.headless.call(call, |_| Headless { approve_all: true }).await;
        done.map_err(|error| error.data())
    }

    /// Ends it, and what runs in it. Calls of agents that had no effect are made elsewhere.
    pub async fn stop(self) {
        self.shared.stop().await;
        self.headless.stop();
    }
}
