//! Routes calls to the live server of an editor, or to this process.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;
use tools::{Caller, Code, ToolError};

use crate::Options;
use crate::editor::User;
use crate::headless::Headless;
use crate::live_server::{CallOutcome, LiveServer};
use crate::progress::Progress;

/// Most servers tried for one call, if each ends before the call is made.
const MAX_TRIES: u32 = 5;

/// A tool call of the client.
pub(crate) struct ToolRequest {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) caller: Caller,
    pub(crate) progress: Progress,
    pub(crate) user: User,
}

/// Routes calls.
pub(crate) struct CallRouter {
    folder: PathBuf,
    may_connect: bool,
    connected: Mutex<Option<Arc<LiveServer>>>,
    headless: Arc<Headless>,
}

impl CallRouter {
    pub(crate) fn new(options: Options) -> Result<Self, String> {
        let headless = Arc::new(Headless::new(&options.folder)?);
        headless.collect_guarded_paths();
        let folder = headless.folder();
        Ok(Self { folder, may_connect: !options.headless, connected: Mutex::new(None), headless })
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
        let why = loop {
            match self.live_server(&request.caller).await {
                Ok(Some(server)) => match server.call(&request).await {
                    CallOutcome::Answered(answer) => return answer,
                    CallOutcome::NotMade if tries < MAX_TRIES => tries += 1,
                    CallOutcome::NotMade => {
                        break "the editor's server keeps restarting".to_owned();
                    }
                },
                Ok(None) => {
                    return self.headless.call(request).await.map_err(|error| error.data());
                }
                Err(why) => break why,
            }
        };
        let error = ToolError::new(Code::Unavailable, why);
        Err(error.hint("close the editor, or start `tandem mcp --headless`").data())
    }

    /// The live server: the connected one, or a new one.
    async fn live_server(&self, caller: &Caller) -> Result<Option<Arc<LiveServer>>, String> {
        if !self.may_connect {
            return Ok(None);
        }
        let mut server = self.connected.lock().await;
        if let Some(known) = server.as_ref().filter(|known| known.is_connected()) {
            return Ok(Some(known.clone()));
        }
        // Debug sessions here would become unreachable.
        if self.headless.is_debugging() {
            return Ok(None);
        }
        *server = LiveServer::connect(&self.folder, caller).await?.map(Arc::new);
        if server.is_some() {
            self.headless.stop_watching();
        }
        Ok(server.clone())
    }

    /// Stops running work.
    pub(crate) fn stop(&self) {
        self.headless.stop();
    }
}
