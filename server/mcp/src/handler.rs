//! The MCP request handlers.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::ServerHandler;
use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tools::{Caller, Code, Dialect, ToolCall, ToolError};

use crate::Options;
use crate::approval_rounds::{ApprovalRounds, AskingCall, FinishedCall, Round};
use crate::call_router::{CallRouter, ToolRequest};
use crate::editor::{McpClient, User};
use crate::progress::Progress;
use crate::resources::{Gathered, Reading};
use crate::tool_result::ResultForm;
use crate::{clients, completion, prompts, resources, tool_list, tool_result};

/// Longest client name that is kept, in characters.
const MAX_NAME_CHARS: usize = 80;
/// How long a client may keep a list. Lists never change, but an updated server may have others.
const LIST_TTL_MS: u64 = 300_000;

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
    /// The dialect that clients speak, if any.
    dialect: Option<Arc<Dialect>>,
    /// The listed tools; the same for the server's life.
    listed: Vec<Tool>,
    /// Whether every client gets text only.
    text_only: bool,
}

impl Server {
    pub(crate) fn new(options: Options) -> Result<Arc<Self>, String> {
        let router = CallRouter::new(&options)?;
        let listed = match &options.dialect {
            Some(dialect) => tool_list::in_dialect(dialect),
            None => tool_list::of(&router.profile(options.profile.as_deref())?),
        };
        let approval_rounds = ApprovalRounds::new()?;
        let Options { dialect, text_only, .. } = options;
        Ok(Arc::new(Self { router, approval_rounds, dialect, listed, text_only }))
    }

    /// The workspace's folder for secrets.
    pub(crate) fn secrets_folder(&self) -> Result<PathBuf, String> {
        self.router.secrets_folder().map_err(|error| format!("the folder for secrets: {error}"))
    }

    /// Stops running work.
    pub(crate) async fn stop(&self) {
        self.router.stop().await;
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

    /// Whether the client gets results without structured content.
    fn is_text_only(&self, context: &RequestContext<RoleServer>) -> bool {
        let client = context.client_info();
        self.server.text_only || client.is_some_and(|client| clients::is_agent(&client.name))
    }

    /// Starts a call.
    fn start(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> AskingCall {
        let caller = caller(context);
        let (user, questions) = User::new(context);
        let client = McpClient { user, progress: Progress::new(context) };
        let (called, arguments) =
            (request.name.clone().into_owned(), request.arguments.clone().unwrap_or_default());
        let server = self.server.clone();
        let work = async move {
            let translated = match &server.dialect {
                Some(dialect) => match dialect.translate(&called, arguments.clone().into()) {
                    Ok(translated) => Some(translated),
                    Err(error) => return FinishedCall::refused(called, error.value),
                },
                None => None,
            };
            let (tool, arguments) = match &translated {
                Some(call) => (call.tool().to_owned(), call.arguments().into()),
                None => tools::resolve(called, arguments.into()),
            };
            let is_verbose = arguments["verbose"] == true;
            let call = ToolCall { tool: tool.clone(), arguments, caller, gate: Arc::default() };
            let done = server.router.call(ToolRequest { call, client }).await;
            let outcome = match translated {
                Some(call) => call.outcome(done).map_err(|error| error.value),
                None => done,
            };
            FinishedCall { tool, is_verbose, outcome }
        };
        // Without a receiver nothing is ever asked in rounds.
        let questions = questions.unwrap_or_else(|| mpsc::channel(1).1);
        AskingCall::start(work, questions)
    }

    /// Calls a tool for a request that is no call. Nobody is asked for approval.
    async fn call(
        &self,
        tool: &'static str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, Value> {
        let (tool, caller) = (tool.to_owned(), caller(context));
        let call = ToolCall { tool, arguments, caller, gate: Arc::default() };
        let client = McpClient { user: User::Nobody, progress: Progress::new(context) };
        let request = ToolRequest { call, client };
        tokio::select! {
            done = self.server.router.call(request) => done,
            () = context.ct.cancelled() => {
                Err(ToolError::new(Code::Cancelled, "cancelled").data())
            }
        }
    }
}

fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let client = context.client_info();
    let client = client.map(|client| client.name.chars().take(MAX_NAME_CHARS).collect());
    Caller { front_end: "mcp", client }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let mut info =
            ServerConfig::new(capabilities).with_instructions(self.server.router.instructions());
        info.server_info = Implementation::new("tandem", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.server.listed.clone();
        if self.is_text_only(&context) {
            // A client may reject results without the structured content that a schema promises.
            tools.iter_mut().for_each(|tool| tool.output_schema = None);
        }
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()).with_ttl_ms(LIST_TTL_MS))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = ListResourceTemplatesResult::with_all_items(resources::templates());
        Ok(templates.with_ttl_ms(LIST_TTL_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let Reading { tool, mut arguments } =
            resources::reading(&uri).ok_or_else(|| resources::unknown(&uri))?;
        let mut gathered = Gathered::default();
        loop {
            let read = self.call(tool, arguments.clone(), &context).await;
            let page = read.map_err(|error| resources::error(&uri, error))?;
            match gathered.add(tool, page) {
                Some(cursor) => arguments["cursor"] = cursor,
                None => return Ok(gathered.into_result(&uri).into()),
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()).with_ttl_ms(LIST_TTL_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        prompts::get(&request.name, &arguments).map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let ArgumentInfo { name, value, .. } = request.argument;
        if name != completion::PATH_ARGUMENT {
            return Ok(CompleteResult::default());
        }
        let (folder, _) = completion::split(&value);
        let listed =
            self.call("list_directory", json!({ "path": folder, "verbose": true }), &context).await;
        // What is typed may lead nowhere.
        let listed = listed.unwrap_or_default();
        Ok(CompleteResult::new(completion::continuations(&value, &listed)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = match &self.server.dialect {
            Some(dialect) => dialect.find(name)?.name(),
            None => name,
        };
        self.server.listed.iter().find(|tool| tool.name == name).cloned()
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
        let FinishedCall { tool, is_verbose, outcome } = match round {
            Round::Done(done) => done,
            Round::InputRequired(input_required) => return Ok(input_required.into()),
        };
        if self.server.dialect.is_some() {
            return Ok(match outcome {
                Ok(result) => tool_result::in_dialect(result, self.server.router.take_notice()),
                Err(error) => tool_result::failure(&error),
            }
            .into());
        }
        match outcome {
            Ok(result) => {
                let form =
                    ResultForm { verbose: is_verbose, text_only: self.is_text_only(&context) };
                let notice = self.server.router.take_notice();
                Ok(tool_result::success(&tool, form, result, notice).into())
            }
            Err(error) if error["code"] == Code::ToolNotFound.as_str() => {
                let message = error["message"].as_str().unwrap_or_default().to_owned();
                Err(ErrorData::invalid_params(message, Some(error)))
            }
            Err(error) => Ok(tool_result::failure(&error).into()),
        }
    }
}
