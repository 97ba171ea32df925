//! Routes calls to a running server of the folder, an editor's if there is one, or to this process.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use live::{CallOutcome, ConnectError, Connection, ToolsGreeting, Via};
use serde_json::Value;
use tokio::sync::Mutex;
use tools::{Caller, Code, HeadlessWorkspace, Host, Profile, ToolCall, ToolError};
use workspace::{ServerSocket, WorkspaceStamps, connect_to_headless_server, connect_to_server_at};

use crate::client_log::{LogMessage, Severity};
use crate::editor::{HeadlessEditor, McpClient};
use crate::shared_workspace::SharedWorkspace;

/// Most servers tried for one call, if each ends before the call is made.
const MAX_TRIES: u32 = 5;
/// Most events kept until somebody calls a tool.
const MAX_EVENTS: usize = 16;
/// How long a server may take to accept the connection.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for a server that starts or ends.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// A tool call of the client.
pub(crate) struct ToolRequest {
    pub(crate) call: ToolCall,
    pub(crate) client: McpClient,
}

/// Routes calls.
pub(crate) struct CallRouter {
    folder: PathBuf,
    may_connect: bool,
    state: Mutex<State>,
    /// What the model has to be told with the next result.
    notice: parking_lot::Mutex<Option<String>>,
    /// What the person has to know.
    events: parking_lot::Mutex<Vec<LogMessage>>,
    headless: Arc<HeadlessWorkspace>,
}

/// Where calls run.
#[derive(Default)]
struct State {
    /// The server that was joined.
    joined: Option<Arc<Connection>>,
    /// The clients that joined this process.
    shared: Option<Arc<SharedWorkspace>>,
}

impl CallRouter {
    pub(crate) fn new(folder: &Path, may_connect: bool) -> Result<Self, String> {
        let headless = HeadlessWorkspace::open(folder, "mcp");
        let headless = Arc::new(headless.map_err(|error| error.message)?);
        let folder = headless.folder();
        Ok(Self {
            folder,
            may_connect,
            state: Mutex::default(),
            notice: parking_lot::Mutex::new(None),
            events: parking_lot::Mutex::default(),
            headless,
        })
    }

    /// The workspace folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The workspace of this process.
    pub(crate) fn headless(&self) -> &Arc<HeadlessWorkspace> {
        &self.headless
    }

    /// The profile of this name.
    pub(crate) fn profile(&self, name: Option<&str>) -> Result<Profile, String> {
        Profile::choose(&self.headless.workspace().snapshot(), name)
    }

    /// Runs the call. The error is the contract's.
    pub(crate) async fn call(&self, request: ToolRequest) -> Result<Value, Value> {
        let mut tries = 0;
        let ToolRequest { call, client } = request;
        let why = loop {
            match self.server(&call.caller).await {
                Ok(Some(server)) => {
                    match server
                        .call(&call.caller, &call.tool, &call.arguments, client.clone())
                        .await
                    {
                        CallOutcome::Answered(answer) => return answer,
                        CallOutcome::NotMade if tries < MAX_TRIES => tries += 1,
                        CallOutcome::NotMade => {
                            break "the server keeps restarting".to_owned();
                        }
                    }
                }
                Ok(None) => {
                    self.headless.watch();
                    let editor = |control| HeadlessEditor { client, approved: false, control };
                    let done = self.headless.call(call, editor).await;
                    return done.map_err(|error| error.data());
                }
                Err(why) => break why,
            }
        };
        let error = ToolError::new(Code::Unavailable, why);
        Err(error.hint("close the editor, or start `tandem mcp --headless`").data())
    }

    /// The open documents, where calls would run now.
    pub(crate) async fn open_documents(&self, caller: &Caller) -> Vec<String> {
        match self.server(caller).await {
            Ok(Some(server)) => server.stamps(Vec::new()).await.unwrap_or_default().open,
            // Without an editor none is open, and files need not be watched.
            _ => Vec::new(),
        }
    }

    /// The stamps of the workspace and of `files`, where calls would run now.
    pub(crate) async fn stamps(&self, caller: &Caller, files: Vec<String>) -> WorkspaceStamps {
        match self.server(caller).await {
            Ok(Some(server)) => server.stamps(files).await.unwrap_or_default(),
            Ok(None) => {
                self.headless.watch();
                let snapshot = self.headless.workspace().snapshot();
                let found = tokio::task::spawn_blocking(move || snapshot.stamps(&files)).await;
                found.unwrap_or_default()
            }
            Err(_) => WorkspaceStamps::default(),
        }
    }

    /// The server to run a call in, an editor's before one without. `None` for this process.
    async fn server(&self, caller: &Caller) -> Result<Option<Arc<Connection>>, String> {
        if !self.may_connect {
            return Ok(None);
        }
        let mut state = self.state.lock().await;
        let joined = state.joined.as_ref().filter(|joined| joined.is_open());
        if let Some(joined) = joined.filter(|joined| joined.has_editor()) {
            return Ok(Some(joined.clone()));
        }
        // Debug sessions here would become unreachable.
        if self.headless.session().is_bound_to_process() {
            return Ok(None);
        }
        let editor = connect_to_server_at(&self.folder).ok().flatten();
        if let Some(editor) = self.join(editor, caller).await? {
            self.headless.stop_watching();
            let name = editor.client().unwrap_or("An editor");
            let text = format!("{name} has the folder open; calls now see its unsaved text");
            self.note(LogMessage::new(Severity::Info, text));
            state.joined = Some(editor.clone());
            return Ok(Some(editor));
        }
        if let Some(joined) = joined {
            return Ok(Some(joined.clone()));
        }
        if let Some(ended) = state.joined.take().filter(|ended| ended.has_editor()) {
            let editor = ended.client().unwrap_or("The editor");
            let gone = format!("{editor} was closed. What was unsaved in it is gone from here on");
            *self.notice.lock() =
                Some(format!("{gone}: this result and the next ones are of the files on disk."));
            self.note(LogMessage::new(Severity::Warning, format!("{gone}.")));
        }
        if state.shared.is_some() {
            return Ok(None);
        }
        for _ in 0..MAX_TRIES {
            let other = connect_to_headless_server(&self.folder).ok().flatten();
            if let Some(other) = self.join(other, caller).await? {
                state.joined = Some(other.clone());
                return Ok(Some(other));
            }
            match ServerSocket::bind_headless(&self.folder) {
                Ok(Some(socket)) => {
                    let shared = SharedWorkspace::start(&self.headless, socket);
                    state.shared =
                        shared.inspect_err(|error| tracing::warn!("cannot listen: {error}")).ok();
                    return Ok(None);
                }
                // Another process is about to listen, or to end.
                Ok(None) => tokio::time::sleep(RETRY_INTERVAL).await,
                Err(error) => {
                    tracing::warn!("cannot listen for other clients: {error}");
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// Joins the server at the other end of `stream`. A server of a parent folder is not joined, as the
    /// agent could reach more than it was given.
    async fn join(
        &self,
        stream: Option<UnixStream>,
        caller: &Caller,
    ) -> Result<Option<Arc<Connection>>, String> {
        let Some(stream) = stream else { return Ok(None) };
        let (client, via) = (caller.client.clone(), Via::Mcp);
        let greeting = ToolsGreeting { client, via, ..ToolsGreeting::default() };
        match Connection::start(stream, &greeting, GREETING_TIMEOUT).await {
            Ok(connection) => Ok(Some(Arc::new(connection))),
            // A server that is shutting down does not answer.
            Err(ConnectError::Retryable(_)) => Ok(None),
            Err(ConnectError::Rejected(why)) => {
                Err(format!("the running server rejected the connection: {why}"))
            }
        }
    }

    /// Notes what the person has to know.
    fn note(&self, message: LogMessage) {
        let mut events = self.events.lock();
        if events.len() < MAX_EVENTS {
            events.push(message);
        }
    }

    /// What the person has to know since the last time.
    pub(crate) fn take_events(&self) -> Vec<LogMessage> {
        std::mem::take(&mut self.events.lock())
    }

    /// What the model has to be told with this result.
    pub(crate) fn take_notice(&self) -> Option<String> {
        self.notice.lock().take()
    }

    /// The workspace's folder for secrets.
    pub(crate) fn secrets_folder(&self) -> io::Result<PathBuf> {
        workspace::secrets_folder(self.headless.workspace().snapshot().roots())
    }

    /// Stops running work. Other clients' calls that had no effect are made elsewhere.
    pub(crate) async fn stop(&self) {
        if let Some(shared) = self.state.lock().await.shared.take() {
            shared.stop().await;
        }
        self.headless.stop();
    }
}
