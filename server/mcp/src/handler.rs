//! The MCP request handlers.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, RequestId, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tools::{Caller, Code, ToolCall};

use crate::Options;
use crate::call_router::{CallRouter, ToolRequest};
use crate::editor::User;
use crate::progress::Progress;
use crate::{tool_list, tool_result};

/// Longest client name that is kept, in characters.
const MAX_NAME_CHARS: usize = 80;

/// Serves one client.
pub(crate) struct Handler {
    router: Arc<CallRouter>,
    /// The ids of the running calls.
    running: Running,
}

type Running = Arc<Mutex<HashSet<RequestId>>>;

/// A running call, until dropped.
struct RunningCall(Running, RequestId);

impl RunningCall {
    /// `None` if a call with this id is running: two responses with one id are ambiguous.
    fn new(running: &Running, id: &RequestId) -> Option<Self> {
        let is_new = running.lock().insert(id.clone());
        is_new.then(|| Self(running.clone(), id.clone()))
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

impl Handler {
    pub(crate) fn new(options: Options) -> Result<Self, String> {
        Ok(Self { router: Arc::new(CallRouter::new(options)?), running: Running::default() })
    }

    pub(crate) fn router(&self) -> Arc<CallRouter> {
        self.router.clone()
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info =
            ServerConfig::new(capabilities).with_instructions(self.router.instructions());
        info.server_info = Implementation::new("tandem", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool_list::all().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = tools::find(name)?.name;
        tool_list::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(_running) = RunningCall::new(&self.running, &context.id) else {
            let message = "a request with this id has not been answered yet";
            return Err(ErrorData::invalid_request(message, None));
        };
        let client =
            context.client_info().map(|client| client.name.chars().take(MAX_NAME_CHARS).collect());
        let call = ToolRequest {
            call: ToolCall {
                tool: request.name.into_owned(),
                arguments: Value::from(request.arguments.unwrap_or_default()),
                caller: Caller { front_end: "mcp", client },
            },
            progress: Progress::new(&context),
            user: User::new(&context),
        };
        // Dropping the future cancels the call.
        let done = tokio::select! {
            done = self.router.call(call) => done,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("cancelled", None));
            }
        };
        match done {
            Ok(result) => Ok(tool_result::success(result).into()),
            Err(error) if error["code"] == Code::ToolNotFound.as_str() => {
                let message = error["message"].as_str().unwrap_or_default().to_owned();
                Err(ErrorData::invalid_params(message, Some(error)))
            }
            Err(error) => Ok(tool_result::failure(&error).into()),
        }
    }
}
