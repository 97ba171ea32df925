//! Who makes the calls: the server in the editor, or this process.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;
use tools::{Caller, Code, ToolError};

use crate::Options;
use crate::editor::Person;
use crate::headless::Headless;
use crate::joined::{Joined, Outcome};
use crate::progress::Progress;

/// Servers that may end before a call is made, one after another.
const TRIES: u32 = 5;

/// A call.
pub(crate) struct Asked {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) caller: Caller,
    pub(crate) progress: Progress,
    pub(crate) person: Person,
}

/// Makes calls where they belong.
pub(crate) struct Back {
    folder: PathBuf,
    may_join: bool,
    joined: Mutex<Option<Arc<Joined>>>,
    headless: Arc<Headless>,
}

impl Back {
    pub(crate) fn new(options: Options) -> Result<Self, String> {
        let headless = Arc::new(Headless::new(&options.folder)?);
        headless.find_guarded_places();
        let folder = headless.folder();
        Ok(Self { folder, may_join: !options.headless, joined: Mutex::new(None), headless })
    }

    /// What a model should know before the first call.
    pub(crate) fn instructions(&self) -> String {
        format!(
            "Tools that read, search, understand, edit, run, debug and version the workspace {}. Paths \
             are relative to it. Edits are atomic and refused where they could land in two places; \
             undo_action takes one back. What reads or changes files asks nobody; commands ask the \
             person. An error says in `hint` what to do.",
            self.folder.display(),
        )
    }

    /// Makes the call. The error is the contract's.
    pub(crate) async fn call(&self, asked: Asked) -> Result<Value, Value> {
        let mut tries = 0;
        let why = loop {
            match self.live(&asked.caller).await {
                Ok(Some(joined)) => match joined.call(&asked).await {
                    Outcome::Answered(answer) => return answer,
                    Outcome::NotMade if tries < TRIES => tries += 1,
                    Outcome::NotMade => {
                        break "the servers of editors end, one after another".to_owned();
                    }
                },
                Ok(None) => {
                    return self.headless.call(asked).await.map_err(|error| error.data());
                }
                Err(why) => break why,
            }
        };
        let error = ToolError::new(Code::Unavailable, why);
        Err(error.hint("close the editor, or start `tandem mcp --headless`").data())
    }

    /// The server to ask: the one joined before, or one that has come since.
    async fn live(&self, caller: &Caller) -> Result<Option<Arc<Joined>>, String> {
        if !self.may_join {
            return Ok(None);
        }
        let mut joined = self.joined.lock().await;
        if let Some(known) = joined.as_ref().filter(|known| known.is_there()) {
            return Ok(Some(known.clone()));
        }
        // Programs that are debugged here would be out of reach.
        if self.headless.is_debugging() {
            return Ok(None);
        }
        *joined = Joined::new(&self.folder, caller).await?.map(Arc::new);
        if joined.is_some() {
            self.headless.rest();
        }
        Ok(joined.clone())
    }

    /// Ends what goes on here.
    pub(crate) fn stop(&self) {
        self.headless.stop();
    }
}
