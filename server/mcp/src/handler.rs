//! The MCP request handlers.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, RequestId, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc;
use tools::{Caller, Code, ToolCall};

use crate::Options;
use crate::approval_rounds::{ApprovalRounds, AskingCall, Round};
use crate::call_router::{CallRouter, ToolRequest};
use crate::editor::User;
use crate::progress::Progress;
use crate::{tool_list, tool_result};

/// Longest client name that is kept, in characters.
const MAX_NAME_CHARS: usize = 80;

/// Serves one client.
pub(crate) struct Handler {
    server: Arc<Server>,
    /// The ids of the running calls.
    running: Running,
}

/// What all clients of a server share.
pub(crate) struct Server {
    router: CallRouter,
    approval_rounds: ApprovalRounds,
}

impl Server {
    pub(crate) fn new(options: Options) -> Result<Arc<Self>, String> {
        let (router, approval_rounds) = (CallRouter::new(options)?, ApprovalRounds::new()?);
        Ok(Arc::new(Self { router, approval_rounds }))
    }

    /// The workspace's folder for state.
    pub(crate) fn state_folder(&self) -> Result<PathBuf, String> {
        self.router.state_folder().map_err(|error| format!("the state folder: {error}"))
    }

    /// Stops running work.
    pub(crate) fn stop(&self) {
        self.router.stop();
    }
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
    /// A handler for one more client.
    pub(crate) fn new(server: &Arc<Server>) -> Self {
        Self { server: server.clone(), running: Running::default() }
    }
}

impl Handler {
    /// Starts a call.
    fn start(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> AskingCall {
        let client =
            context.client_info().map(|client| client.name.chars().take(MAX_NAME_CHARS).collect());
        let call = ToolCall {
            tool: request.name.clone().into_owned(),
            arguments: Value::from(request.arguments.clone().unwrap_or_default()),
            caller: Caller { front_end: "mcp", client },
        };
        let (user, questions) = User::new(context);
        let request = ToolRequest { call, progress: Progress::new(context), user };
        let server = self.server.clone();
        // Without a receiver nothing is ever asked in rounds.
        let questions = questions.unwrap_or_else(|| mpsc::channel(1).1);
        AskingCall::start(async move { server.router.call(request).await }, questions)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info =
            ServerConfig::new(capabilities).with_instructions(self.server.router.instructions());
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
        let rounds = &self.server.approval_rounds;
        let call = match &request.request_state {
            Some(state) => rounds.resume(&request, state)?,
            None => self.start(&request, &context),
        };
        // Dropping the future cancels the call.
        let round = tokio::select! {
            round = rounds.next(&request, call) => round?,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("cancelled", None));
            }
        };
        let done = match round {
            Round::Done(done) => done,
            Round::InputRequired(input_required) => return Ok(input_required.into()),
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
