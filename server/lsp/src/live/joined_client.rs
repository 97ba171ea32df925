//! Tool calls from joined clients: `tandem mcp`, `tandem call`, `tandem patch` and other servers. They
//! see the editor's unsaved text, edit in the editor, and prompt its user for approval.

use std::sync::Arc;

use live::{BegunCall, CallServer, JoinedCall};
use tokio::sync::watch;
use tools::CancelGate;
use workspace::Snapshot;

use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

impl CallServer for Session {
    fn begin(self: &Arc<Self>, call: JoinedCall) -> BegunCall {
        let JoinedCall { tool, arguments, caller, approved, is_forwarded, client } = call;
        let (session, gate) = (self.clone(), Arc::<CancelGate>::default());
        let call = ToolCall {
            tool,
            arguments,
            caller,
            approved,
            is_forwarded,
            snapshot: self.workspace.snapshot(),
            gate: gate.clone(),
            progress: Arc::new(Progress::for_joined_client(client)),
        };
        BegunCall { result: Box::pin(async move { call.run(&session).await }), gate }
    }

    fn snapshot(&self) -> Snapshot {
        self.workspace.snapshot()
    }

    fn stopping(&self) -> watch::Receiver<bool> {
        self.shutdown.subscribe()
    }
}
