//! The MCP request handlers.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::ServerHandler;
#[expect(deprecated, reason = "clients up to version 2025-11-25 set a level")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    ArgumentInfo, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CreateTaskResult, CustomRequest, CustomResult, ErrorCode, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, RequestId, ServerCapabilities, ServerConfig, SetLevelRequestMethod,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore, mpsc};
use tools::{Caller, Code, ToolCall, ToolError};

use crate::approval_rounds::{AskingCall, CallEvent, FinishedCall};
use crate::call_router::ToolRequest;
use crate::client_log::{ClientLog, LogMessage, Severity};
use crate::editor::{McpClient, User};
use crate::pages::{PAGE_SIZE, TOOL_PAGE_SIZE, page};
use crate::progress::Progress;
use crate::resources::{Gathered, Reading};
use crate::shared_state::Server;
use crate::subscriptions::{MAX_URIS, Subscriptions};
use crate::{clients, completion, prompts, resources, roots, tasks};

/// The key of a request's W3C trace context.
const TRACE_PARENT: &str = "traceparent";
/// Longest client name that is kept, in characters.
const MAX_NAME_CHARS: usize = 80;
/// How long a client may keep a list. Lists never change, but an updated server may have others.
const LIST_TTL_MS: u64 = 300_000;

/// How long a client may keep the list of resources, which has the open documents.
const RESOURCES_TTL_MS: u64 = 2_000;
/// Concurrent `subscriptions/listen` of a client.
const MAX_LISTENERS: usize = 8;

/// The requests that are served.
const METHODS: &[&str] = &[
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// Those of versions with sessions.
const SESSION_METHODS: &[&str] =
    &["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/// Serves one client.
pub(crate) struct Handler {
    server: Arc<Server>,
    /// The ids of the running calls.
    running: Running,
    log: ClientLog,
    subscriptions: Arc<Subscriptions>,
    /// Limits concurrent `subscriptions/listen`.
    listeners: Semaphore,
    /// Set once the client was asked for its roots, if it is to be.
    roots: Option<OnceCell<()>>,
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
        Self {
            server: server.clone(),
            running: Running::default(),
            log: ClientLog::new(),
            subscriptions: Arc::default(),
            listeners: Semaphore::new(MAX_LISTENERS),
            roots: None,
        }
    }

    /// A handler that asks its client for roots.
    pub(crate) fn with_roots(server: &Arc<Server>) -> Self {
        Self { roots: Some(OnceCell::new()), ..Self::new(server) }
    }

    /// Checks that the client may read a resource.
    async fn check_resource(
        &self,
        uri: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Reading { tool, arguments } =
            resources::reading(uri).ok_or_else(|| resources::unknown(uri))?;
        let read = self.call(tool, arguments, context).await;
        read.map(drop).map_err(|error| resources::error(uri, error))
    }

    /// Sends a client with a session what changes in its subscriptions.
    fn begin_notifications(&self, context: &RequestContext<RoleServer>) {
        if self.subscriptions.begin_polling() {
            let (all, server) = (Arc::downgrade(&self.subscriptions), self.server.clone());
            let (caller, peer) = (caller(context), context.peer.clone());
            tokio::spawn(Subscriptions::notify_session(all, server, caller, peer));
        }
    }

    /// Waits until it is clear which folder the client works in.
    async fn settle_folder(&self, peer: &Peer<RoleServer>) {
        let Some(settled) = &self.roots else { return };
        let settle = || async {
            let roots = roots::ask(peer).await;
            if let Some(warning) = self.server.set_roots(roots).await {
                let message = LogMessage::new(Severity::Warning, warning);
                self.log.send_to_session(peer, message).await;
            }
        };
        settled.get_or_init(settle).await;
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
        let progress = Progress::new(context);
        let client = McpClient { user, progress: progress.clone() };
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
            let done = server.router().call(ToolRequest { call, client }).await;
            let outcome = match translated {
                Some(call) => call.outcome(done).map_err(|error| error.value),
                None => done,
            };
            FinishedCall { tool, is_verbose, outcome }
        };
        // Without a receiver nothing is ever asked in rounds.
        let questions = questions.unwrap_or_else(|| mpsc::channel(1).1);
        AskingCall::start(work, questions, progress)
    }

    /// Calls a tool for a request that is no call. Nobody is asked for approval.
    async fn call(
        &self,
        tool: &'static str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, Value> {
        self.settle_folder(&context.peer).await;
        let (tool, caller) = (tool.to_owned(), caller(context));
        let call = ToolCall { tool, arguments, caller, gate: Arc::default() };
        let client = McpClient { user: User::Nobody, progress: Progress::new(context) };
        let request = ToolRequest { call, client };
        let router = self.server.router();
        tokio::select! {
            done = router.call(request) => done,
            () = context.ct.cancelled() => {
                Err(ToolError::new(Code::Cancelled, "cancelled").data())
            }
        }
    }
}

/// Whether the client's version has sessions.
fn has_session(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|version| version.has_initialize())
}

fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let client = context.client_info();
    let client = client.map(|client| client.name.chars().take(MAX_NAME_CHARS).collect());
    let trace = context.meta.get(TRACE_PARENT).and_then(Value::as_str);
    Caller { front_end: "mcp", client, trace: trace.and_then(Caller::parse_trace) }
}

impl ServerHandler for Handler {
    #[expect(deprecated, reason = "clients of all versions still read log messages")]
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .enable_tasks()
            .build();
        let instructions = self.server.instructions(false);
        let mut info = ServerConfig::new(capabilities).with_instructions(instructions);
        info.server_info = Implementation::new("tandem", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let has_roots = self.roots.is_some() && request.capabilities.roots.is_some();
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = Some(self.server.instructions(has_roots));
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.settle_folder(&context.peer).await;
    }

    #[expect(deprecated, reason = "clients up to version 2025-11-25 set a level")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !has_session(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.log.set_level(request.level);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.server.listed.clone();
        if self.is_text_only(&context) {
            // A client may reject results without the structured content that a schema promises.
            tools.iter_mut().for_each(|tool| tool.output_schema = None);
        }
        let (tools, next) = page("tools", TOOL_PAGE_SIZE, tools, request.as_ref())?;
        let mut result = ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.settle_folder(&context.peer).await;
        let router = self.server.router();
        let open = router.open_documents(&caller(&context)).await;
        let listed = resources::list(router.folder(), &open);
        let (listed, next) = page("resources", PAGE_SIZE, listed, request.as_ref())?;
        let mut result = ListResourcesResult::with_all_items(listed).with_ttl_ms(RESOURCES_TTL_MS);
        result.next_cursor = next;
        if has_session(&context) {
            self.subscriptions.watch_list(open);
            self.begin_notifications(&context);
        }
        Ok(result)
    }

    #[allow(deprecated, reason = "clients up to version 2025-11-25 subscribe in this way")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.check_resource(&request.uri, &context).await?;
        if !self.subscriptions.add(&self.server, &caller(&context), &request.uri).await {
            let why = format!("a client subscribes to at most {MAX_URIS} resources");
            return Err(ErrorData::invalid_params(why, None));
        }
        self.begin_notifications(&context);
        Ok(())
    }

    #[allow(deprecated, reason = "clients up to version 2025-11-25 subscribe in this way")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| resources::part(uri).is_some()).take(MAX_URIS).cloned();
        let accepted = SubscriptionFilter::builder().resource_subscriptions(known);
        Some(accepted.resources_list_changed().build())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let Ok(_permit) = self.listeners.try_acquire() else {
            let why = format!("at most {MAX_LISTENERS} requests listen at a time");
            return Err(ErrorData::invalid_request(why, None));
        };
        let (context, sink) = (subscription.request_context(), subscription.sink());
        let (caller, accepted) = (caller(context), subscription.accepted());
        let watched = Subscriptions::default();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            // One that cannot be read is not watched, either.
            if self.check_resource(uri, context).await.is_ok() {
                watched.add(&self.server, &caller, uri).await;
            }
        }
        if accepted.resources_list_changed == Some(true) {
            watched.watch_list(self.server.router().open_documents(&caller).await);
        }
        loop {
            let changes = tokio::select! {
                changes = watched.next(&self.server, &caller) => changes,
                () = subscription.cancelled() => return Ok(()),
            };
            for uri in changes.uris {
                if sink.notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
            if changes.has_list_changed && sink.notify_resource_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (listed, next) =
            page("templates", PAGE_SIZE, resources::templates(), request.as_ref())?;
        let mut result =
            ListResourceTemplatesResult::with_all_items(listed).with_ttl_ms(LIST_TTL_MS);
        result.next_cursor = next;
        Ok(result)
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
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (listed, next) = page("prompts", PAGE_SIZE, prompts::list(), request.as_ref())?;
        let mut result = ListPromptsResult::with_all_items(listed).with_ttl_ms(LIST_TTL_MS);
        result.next_cursor = next;
        Ok(result)
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

    /// Requests that the SDK does not understand, those with wrong parameters among them.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let has_method = |methods: &[&str]| methods.contains(&method.as_str());
        if has_method(METHODS) || has_session(&context) && has_method(SESSION_METHODS) {
            let why = format!("the parameters of `{method}` have another form");
            return Err(ErrorData::invalid_params(why, None));
        }
        let message = format!("there is no method `{method:.60}`");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
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
        self.settle_folder(&context.peer).await;
        let rounds = &self.server.approval_rounds;
        let mut call = match &request.request_state {
            Some(state) => rounds.resume(&request, state)?,
            None => self.start(&request, &context),
        };
        let text_only = self.is_text_only(&context);
        let has_tasks = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        // Dropping the call cancels it.
        let event = tokio::select! {
            event = call.next() => event?,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("cancelled", None));
            }
            () = tokio::time::sleep(tasks::DELAY), if has_tasks && self.server.tasks.has_room() => {
                let server = self.server.clone();
                let finish = move |done| server.result(text_only, done);
                let task = self.server.tasks.begin(call, finish);
                return Ok(CallToolResponse::Task(CreateTaskResult::new(task)));
            }
        };
        let done = match event {
            CallEvent::Done(done) => done,
            CallEvent::Asked(question) => return Ok(rounds.ask(&request, call, question).into()),
        };
        let mut messages = self.server.router().take_events();
        let error = done.outcome.as_ref().err();
        messages.extend(error.and_then(|error| LogMessage::of_error(&done.tool, error)));
        self.log.send(&context, messages).await;
        self.server.result(text_only, done).map(CallToolResponse::from)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.server.tasks.state(&request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.tasks.answer(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.server.tasks.cancel(&request.task_id)
    }
}
