//! Connects to the live server of a workspace.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use workspace::connect_to_server;

/// How long a server may take to accept a debugger, since it may prompt the user.
const DEBUGGER_GREETING_TIMEOUT: Duration = Duration::from_secs(180);
/// How long a server may take to accept tool calls, without a prompt.
pub(crate) const CALL_GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a connection failed.
#[derive(Debug)]
pub(crate) enum ConnectError {
    /// The server is shutting down or has too many connections; retrying may help.
    Retryable(String),
    Rejected(String),
}

impl Display for ConnectError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (Self::Retryable(why) | Self::Rejected(why)) = self;
        f.write_str(why)
    }
}

/// The outcome of a call.
pub(crate) enum CallOutcome {
    Result(Value),
    /// The contract's error object.
    Error(Value),
    /// The server ended and nothing was done.
    NotMade,
}

/// A connection to a live server.
pub(crate) struct LiveConnection {
    /// The receiving side.
    pub(crate) reader: BufReader<UnixStream>,
    /// The sending side.
    pub(crate) writer: UnixStream,
    /// The name of the server's editor.
    pub(crate) client: Option<String>,
}

impl LiveConnection {
    /// Sends the greeting over `writer` and waits for its acceptance within `limit`.
    ///
    /// # Errors
    /// If the server ends first or rejects the connection.
    pub(crate) fn open(
        mut writer: UnixStream,
        greeting: &Value,
        limit: Duration,
    ) -> Result<Self, ConnectError> {
        let failed = |error: io::Error| ConnectError::Retryable(error.to_string());
        let mut reader = BufReader::new(writer.try_clone().map_err(failed)?);
        reader.get_ref().set_read_timeout(Some(limit)).map_err(failed)?;
        writer.write_all(format!("{greeting}\n").as_bytes()).map_err(failed)?;
        let mut line = String::new();
        reader.read_line(&mut line).map_err(failed)?;
        reader.get_ref().set_read_timeout(None).map_err(failed)?;
        let answer: Value = serde_json::from_str(&line)
            .map_err(|_| ConnectError::Retryable("it has too many connections".to_owned()))?;
        match answer["error"].as_str() {
            Some(error) => Err(ConnectError::Rejected(error.to_owned())),
            None => {
                let client = answer["client"].as_str().map(str::to_owned);
                Ok(Self { reader, writer, client })
            }
        }
    }

    /// Calls a tool, without a time limit. The greeting must have selected the face `tools`.
    ///
    /// # Errors
    /// A message, if the server ends during the call, which may have taken effect.
    pub(crate) fn call(mut self, tool: &str, arguments: &Value) -> Result<CallOutcome, String> {
        let ended = |_| "it ended during the call, which may have taken effect".to_owned();
        let call = json!({ "id": 1, "tool": tool, "arguments": arguments });
        // If the server is shutting down, it does not read this but still responds.
        let _ = self.writer.write_all(format!("{call}\n").as_bytes());
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).map_err(|error| ended(error.to_string()))?;
            let mut answer: Value =
                serde_json::from_str(&line).map_err(|error| ended(error.to_string()))?;
            if answer["progress"].is_string() {
                continue;
            }
            if answer["not_made"] == true || answer["leaving"] == true {
                return Ok(CallOutcome::NotMade);
            }
            return Ok(match answer["error"].take() {
                Value::Null => CallOutcome::Result(answer["result"].take()),
                error => CallOutcome::Error(error),
            });
        }
    }
}

/// Connects to the live server of the workspace around `folder`.
///
/// # Errors
/// A message, if there is none or it rejects the connection.
pub(crate) fn connect(folder: &Path, greeting: &Value) -> Result<LiveConnection, String> {
    let shown = folder.display();
    let found = connect_to_server(folder).map_err(|error| format!("{shown}: {error}"))?;
    let stream = found.ok_or_else(|| {
        format!(
            "no server runs for {shown}; open the folder in an editor with tandem, or set its workspace \
             with --workspace"
        )
    })?;
    LiveConnection::open(stream, greeting, DEBUGGER_GREETING_TIMEOUT)
        .map_err(|why| format!("the server for {shown}: {why}"))
}
