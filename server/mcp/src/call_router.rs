//! Routes calls to the live server of an editor, or to this process.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use live::{CallOutcome, ConnectError, Connection, ToolsGreeting, Via};
use serde_json::Value;
use tokio::sync::Mutex;
use tools::{Caller, Code, HeadlessWorkspace, Host, ToolCall, ToolError};
use workspace::connect_to_server_at;

use crate::Options;
use crate::editor::{HeadlessEditor, User};
use crate::progress::Progress;

/// Most servers tried for one call, if each ends before the call is made.
const MAX_TRIES: u32 = 5;
/// How long a server may take to accept the connection.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// A tool call of the client.
pub(crate) struct ToolRequest {
    pub(crate) call: ToolCall,
    pub(crate) progress: Progress,
    pub(crate) user: User,
}

/// Routes calls.
pub(crate) struct CallRouter {
    folder: PathBuf,
    may_connect: bool,
    connected: Mutex<Option<Arc<Connection>>>,
    /// What the model has to be told with the next result.
    notice: parking_lot::Mutex<Option<String>>,
    headless: Arc<HeadlessWorkspace>,
}

impl CallRouter {
    pub(crate) fn new(options: Options) -> Result<Self, String> {
        let headless = HeadlessWorkspace::open(&options.folder, "mcp");
        let headless = Arc::new(headless.map_err(|error| error.message)?);
        headless.collect_guarded_paths();
        let folder = headless.folder();
        Ok(Self {
            folder,
            may_connect: !options.headless,
            connected: Mutex::new(None),
            notice: parking_lot::Mutex::new(None),
            headless,
        })
    }

    /// The server instructions, read by the model before its first call.
    pub(crate) fn instructions(&self) -> String {
        format!(
            "Tools to read, search, understand, edit, run, debug and version the workspace {}. Paths are \
             relative to it. Edits are atomic; an edit that matches in two places is rejected. \
             undo_action reverts an action. Reading and editing files needs no approval; running \
             commands does. On an error, follow its `hint`.",
            self.folder.display(),
        )
    }

    /// Runs the call. The error is the contract's.
    pub(crate) async fn call(&self, request: ToolRequest) -> Result<Value, Value> {
        let mut tries = 0;
        let ToolRequest { call, progress, user } = request;
        let why = loop {
            match self.live_server(&call.caller).await {
                Ok(Some(server)) => {
                    let progress = progress.clone();
                    let report = move |message: &str| progress.report(message);
                    match server.call(&call.tool, &call.arguments, report).await {
                        CallOutcome::Answered(answer) => return answer,
                        CallOutcome::NotMade if tries < MAX_TRIES => tries += 1,
                        CallOutcome::NotMade => {
                            break "the editor's server keeps restarting".to_owned();
                        }
                    }
                }
                Ok(None) => {
                    self.headless.watch();
                    let editor = |control| HeadlessEditor { user, progress, control };
                    let done = self.headless.call(call, editor).await;
                    return done.map_err(|error| error.data());
                }
                Err(why) => break why,
            }
        };
        let error = ToolError::new(Code::Unavailable, why);
        Err(error.hint("close the editor, or start `tandem mcp --headless`").data())
    }

    /// The live server: the connected one, or a new one.
    async fn live_server(&self, caller: &Caller) -> Result<Option<Arc<Connection>>, String> {
        if !self.may_connect {
            return Ok(None);
        }
        let mut connected = self.connected.lock().await;
        if let Some(known) = connected.as_ref().filter(|known| known.is_open()) {
            return Ok(Some(known.clone()));
        }
        // Debug sessions here would become unreachable.
        if self.headless.session().debugger().is_debugging() {
            return Ok(None);
        }
        let ended = connected.take();
        *connected = self.connect(caller).await?.map(Arc::new);
        match (&*connected, ended) {
            (Some(_), _) => self.headless.stop_watching(),
            (None, Some(ended)) => {
                let editor = ended.client().unwrap_or("The editor");
                *self.notice.lock() = Some(format!(
                    "{editor} was closed. What was unsaved in it is gone from here on: this result and \
                     the next ones are of the files on disk."
                ));
            }
            (None, None) => {}
        }
        Ok(connected.clone())
    }

    /// Connects to the newest server that has exactly the folder open; `None` if there is none. A server
    /// of a parent folder is not used, as the agent could reach more than it was given.
    async fn connect(&self, caller: &Caller) -> Result<Option<Connection>, String> {
        let Some(stream) = connect_to_server_at(&self.folder).ok().flatten() else {
            return Ok(None);
        };
        let (client, via) = (caller.client.clone(), Via::Mcp);
        let greeting = ToolsGreeting { client, via, ..ToolsGreeting::default() };
        match Connection::start(stream, &greeting, GREETING_TIMEOUT).await {
            Ok(connection) => Ok(Some(connection)),
            // A server that is shutting down does not answer.
            Err(ConnectError::Retryable(_)) => Ok(None),
            Err(ConnectError::Rejected(why)) => {
                Err(format!("the editor's server rejected the connection: {why}"))
            }
        }
    }

    /// What the model has to be told with this result.
    pub(crate) fn take_notice(&self) -> Option<String> {
        self.notice.lock().take()
    }

    /// The workspace's folder for secrets.
    pub(crate) fn secrets_folder(&self) -> io::Result<PathBuf> {
        workspace::secrets_folder(self.headless.workspace().snapshot().roots())
    }

    /// Stops running work.
    pub(crate) fn stop(&self) {
        self.headless.stop();
    }
}
