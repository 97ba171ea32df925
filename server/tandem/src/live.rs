//! Joining the server that runs for a workspace.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use workspace::connect_live;

/// How long a server may take to accept a debugger: it may ask the person.
const ACCEPT_DEBUGGER: Duration = Duration::from_secs(180);
/// How long a server may take to accept calls of tools: nobody is asked.
pub(crate) const ACCEPT_CALLS: Duration = Duration::from_secs(10);

/// Why a server could not be joined, in words.
#[derive(Debug)]
pub(crate) enum JoinError {
    /// It is ending, or has too many connections: it is worth another try.
    Gone(String),
    Refused(String),
}

impl Display for JoinError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (Self::Gone(why) | Self::Refused(why)) = self;
        f.write_str(why)
    }
}

/// What became of a call.
pub(crate) enum Outcome {
    Result(Value),
    /// The contract's error object.
    Error(Value),
    /// The server has ended, and nothing was done.
    NotMade,
}

/// A server that has been joined.
pub(crate) struct Joined {
    /// What it sends.
    pub(crate) reader: BufReader<UnixStream>,
    /// What it receives.
    pub(crate) writer: UnixStream,
    /// What the editor that it serves calls itself.
    pub(crate) client: Option<String>,
}

impl Joined {
    /// Joins the server at the other end of `stream`, for what `greeting` says, within `limit`.
    ///
    /// # Errors
    /// Where it ends first or refuses.
    pub(crate) fn new(
        mut writer: UnixStream,
        greeting: &Value,
        limit: Duration,
    ) -> Result<Self, JoinError> {
        let failed = |error: io::Error| JoinError::Gone(error.to_string());
        let mut reader = BufReader::new(writer.try_clone().map_err(failed)?);
        reader.get_ref().set_read_timeout(Some(limit)).map_err(failed)?;
        writer.write_all(format!("{greeting}\n").as_bytes()).map_err(failed)?;
        let mut line = String::new();
        reader.read_line(&mut line).map_err(failed)?;
        reader.get_ref().set_read_timeout(None).map_err(failed)?;
        let answer: Value = serde_json::from_str(&line)
            .map_err(|_| JoinError::Gone("it accepts no more connections".to_owned()))?;
        match answer["error"].as_str() {
            Some(error) => Err(JoinError::Refused(error.to_owned())),
            None => {
                let client = answer["client"].as_str().map(str::to_owned);
                Ok(Self { reader, writer, client })
            }
        }
    }

    /// Calls a tool, however long it takes. For connections whose greeting names the face `tools`.
    ///
    /// # Errors
    /// In words, where the server is killed first: the call may have had its effect.
    pub(crate) fn call(mut self, tool: &str, arguments: &Value) -> Result<Outcome, String> {
        let killed = |_| "the server has ended meanwhile, and may have done it".to_owned();
        let call = json!({ "id": 1, "tool": tool, "arguments": arguments });
        // A server that ends does not read it, but says so.
        let _ = self.writer.write_all(format!("{call}\n").as_bytes());
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).map_err(|error| killed(error.to_string()))?;
            let mut answer: Value =
                serde_json::from_str(&line).map_err(|error| killed(error.to_string()))?;
            if answer["progress"].is_string() {
                continue;
            }
            if answer["not_made"] == true || answer["leaving"] == true {
                return Ok(Outcome::NotMade);
            }
            return Ok(match answer["error"].take() {
                Value::Null => Outcome::Result(answer["result"].take()),
                error => Outcome::Error(error),
            });
        }
    }
}

/// Joins the server that runs for the workspace around `folder`, for what `greeting` says.
///
/// # Errors
/// In words, where none runs or it refuses.
pub(crate) fn join(folder: &Path, greeting: &Value) -> Result<Joined, String> {
    let shown = folder.display();
    let found = connect_live(folder).map_err(|error| format!("{shown}: {error}"))?;
    let stream = found.ok_or_else(|| {
        format!(
            "no server runs for {shown}: open the folder in an editor that uses `tandem lsp`, or name \
             its workspace with --workspace"
        )
    })?;
    Joined::new(stream, greeting, ACCEPT_DEBUGGER)
        .map_err(|why| format!("the server of {shown}: {why}"))
}
