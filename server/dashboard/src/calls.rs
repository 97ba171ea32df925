//! The tool calls that pages make.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tools::{Activity, Caller, Code, StepCalls, ToolError};

use crate::limits::MAX_CALLS;

/// The front end and the client of pages in the audit log.
pub(crate) const CLIENT: &str = "dashboard";
/// The tools that a page may call, and whether it does so to change something.
const TOOLS: &[(&str, bool)] = &[
    ("build_list", false),
    ("build_status", false),
    ("get_action_history", false),
    ("process_list", false),
    ("process_output", false),
    ("process_stop", true),
    ("session_create", true),
    ("session_history", false),
    ("session_list", false),
    ("session_send", true),
    ("undo_action", true),
    ("workspace_overview", false),
];

/// Whether pages show a call: what they read themselves is of no interest.
pub(crate) fn is_shown(call: &Activity) -> bool {
    let is_own = call.client.as_deref() == Some(CLIENT);
    !is_own || TOOLS.contains(&(call.tool.as_str(), true))
}

/// Makes the calls of pages.
pub(crate) struct PageCalls {
    calls: Box<dyn StepCalls>,
    slots: Semaphore,
}

impl PageCalls {
    /// Calls that are made with `calls`, in the name of the page.
    pub(crate) fn new(calls: &dyn StepCalls) -> Arc<Self> {
        let caller = Caller { front_end: CLIENT, client: Some(CLIENT.to_owned()), trace: None };
        Arc::new(Self { calls: calls.of_caller(caller), slots: Semaphore::new(MAX_CALLS) })
    }

    /// The workspace as it is now.
    pub(crate) fn snapshot(&self) -> workspace::Snapshot {
        self.calls.snapshot()
    }

    /// Makes the call that `request` describes. Returns the answer: `result` or `error`.
    pub(crate) async fn call(self: Arc<Self>, request: &Value) -> Value {
        let tool = request["tool"].as_str().unwrap_or_default().to_owned();
        if !TOOLS.iter().any(|(name, _)| *name == tool) {
            let message = format!("{tool:.60}: pages do not call this tool");
            return error(&ToolError::new(Code::ToolNotFound, message));
        }
        let arguments = request["arguments"].clone();
        let Ok(_slot) = self.slots.acquire().await else { return Value::Null };
        let calls = self.clone();
        // It may wait for a person.
        let done =
            tokio::task::spawn_blocking(move || calls.calls.call_by_itself(&tool, arguments));
        match done.await {
            Ok(Ok(result)) => json!({ "result": result }),
            Ok(Err(failure)) => error(&failure),
            Err(_) => error(&ToolError::new(Code::Internal, "the call: internal error")),
        }
    }
}

fn error(error: &ToolError) -> Value {
    json!({ "error": error.data() })
}
