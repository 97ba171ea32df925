//! How a connection starts.

use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;
use tools::Caller;

/// Longest client name that is kept, in characters.
const MAX_NAME_CHARS: usize = 80;

/// The greeting of a client that calls tools, after `"face": "tools"`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolsGreeting {
    /// The client's name.
    #[serde(default)]
    pub client: Option<String>,
    /// The front end it uses.
    pub via: Via,
    /// Its user approves all its calls (`tandem call --yes`). That grants nothing that they could not do
    /// without this server: only processes of the same user, outside of sandboxes, may connect.
    #[serde(default)]
    pub approved: bool,
    /// The calls are forwarded by another server.
    #[serde(default, rename = "passed_on")]
    pub is_forwarded: bool,
}

/// A front end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// `tandem call`, and other commands.
    #[default]
    Cli,
    /// `tandem mcp`.
    Mcp,
    /// The LSP client of another server.
    #[serde(rename = "")]
    Client,
}

impl Via {
    /// Its name in [`Caller::front_end`].
    #[must_use]
    pub fn front_end(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Mcp => "mcp",
            Self::Client => "",
        }
    }

    /// The front end of a caller.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        match caller.front_end {
            "mcp" => Self::Mcp,
            "" => Self::Client,
            _ => Self::Cli,
        }
    }
}

impl ToolsGreeting {
    /// The caller of its calls.
    #[must_use]
    pub fn caller(&self) -> Caller {
        let client = self.client.as_deref().map(short_name);
        Caller { front_end: self.via.front_end(), client, trace: None }
    }

    /// The greeting in a received line.
    ///
    /// # Errors
    /// A message, if it is another one.
    pub fn from_line(line: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(tag = "face", rename_all = "snake_case")]
        enum Greeting {
            Tools(ToolsGreeting),
        }
        let read =
            serde_json::from_slice(line).map_err(|error| format!("invalid request: {error}"));
        read.map(|Greeting::Tools(greeting)| greeting)
    }

    /// The line to send.
    #[must_use]
    pub fn to_line(&self) -> Value {
        let mut line = serde_json::to_value(self).unwrap_or_default();
        line["face"] = "tools".into();
        line
    }
}

/// A client's name, cut to what is kept of it.
pub(crate) fn short_name(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect()
}

/// Why a connection failed.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The server is shutting down or has too many connections; retrying may help.
    #[error("{0}")]
    Retryable(String),
    /// The server rejects the connection.
    #[error("{0}")]
    Rejected(String),
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        Self::Retryable(error.to_string())
    }
}

/// A connection whose greeting was accepted.
#[derive(Debug)]
pub struct Greeted {
    /// The receiving side.
    pub reader: BufReader<OwnedReadHalf>,
    /// The sending side.
    pub writer: OwnedWriteHalf,
    /// The server's answer.
    pub welcome: Value,
}

impl Greeted {
    /// Whether an editor is behind the server.
    #[must_use]
    pub fn has_editor(&self) -> bool {
        self.welcome["headless"] != true
    }

    /// The name of the server's editor.
    #[must_use]
    pub fn client(&self) -> Option<&str> {
        self.welcome["client"].as_str()
    }
}

/// Sends the greeting and waits for its acceptance within `limit`.
///
/// # Errors
/// If the server ends first, rejects the connection, or does not answer in time.
pub async fn greet(
    stream: StdUnixStream,
    greeting: &Value,
    limit: Duration,
) -> Result<Greeted, ConnectError> {
    stream.set_nonblocking(true)?;
    let (reader, mut writer) = UnixStream::from_std(stream)?.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = String::new();
    let answered = async {
        writer.write_all(format!("{greeting}\n").as_bytes()).await?;
        reader.read_line(&mut line).await
    };
    match timeout(limit, answered).await {
        Ok(answered) => answered?,
        Err(_) => return Err(ConnectError::Retryable("it does not answer".to_owned())),
    };
    let welcome: Value = serde_json::from_str(&line)
        .map_err(|_| ConnectError::Retryable("it has too many connections".to_owned()))?;
    match welcome["error"].as_str() {
        Some(error) => Err(ConnectError::Rejected(error.to_owned())),
        None => Ok(Greeted { reader, writer, welcome }),
    }
}
