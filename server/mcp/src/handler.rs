//! What an MCP client may ask.

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
use tools::{Caller, Code};

use crate::Options;
use crate::back::{Asked, Back};
use crate::editor::Person;
use crate::progress::Progress;
use crate::{listing, outcome};

/// Longest name of a client that is kept, in characters.
const NAME: usize = 80;

/// One client.
pub(crate) struct Handler {
    back: Arc<Back>,
    /// The calls that have not been answered.
    running: Running,
}

type Running = Arc<Mutex<HashSet<RequestId>>>;

/// One of them, until it is dropped.
struct Entered(Running, RequestId);

impl Entered {
    /// `None` where a call with this id runs already: two answers could not be told apart.
    fn new(running: &Running, id: &RequestId) -> Option<Self> {
        let is_new = running.lock().insert(id.clone());
        is_new.then(|| Self(running.clone(), id.clone()))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.lock().remove(&self.1);
    }
}

impl Handler {
    pub(crate) fn new(options: Options) -> Result<Self, String> {
        Ok(Self { back: Arc::new(Back::new(options)?), running: Running::default() })
    }

    pub(crate) fn back(&self) -> Arc<Back> {
        self.back.clone()
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(self.back.instructions());
        info.server_info = Implementation::new("tandem", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(listing::all().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = tools::find(name)?.name;
        listing::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(_entered) = Entered::new(&self.running, &context.id) else {
            let message = "a request with this id has not been answered yet";
            return Err(ErrorData::invalid_request(message, None));
        };
        let client = context.client_info().map(|client| client.name.chars().take(NAME).collect());
        let asked = Asked {
            tool: request.name.into_owned(),
            arguments: Value::from(request.arguments.unwrap_or_default()),
            caller: Caller { front_end: "mcp", client },
            progress: Progress::new(&context),
            person: Person::new(&context),
        };
        // Whoever cancels does not wait for an answer; dropping the call gives it up.
        let done = tokio::select! {
            done = self.back.call(asked) => done,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("cancelled", None));
            }
        };
        match done {
            Ok(result) => Ok(outcome::of_result(result).into()),
            Err(error) if error["code"] == Code::ToolNotFound.as_str() => {
                let message = error["message"].as_str().unwrap_or_default().to_owned();
                Err(ErrorData::invalid_params(message, Some(error)))
            }
            Err(error) => Ok(outcome::of_error(&error).into()),
        }
    }
}
