//! Joining the server that runs for a workspace.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use workspace::connect_live;

/// How long a server may take to say whether it lets somebody join: it may ask the person.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server that has been joined.
pub(crate) struct Joined {
    /// What it says.
    pub(crate) reader: BufReader<UnixStream>,
    /// What it is told.
    pub(crate) writer: UnixStream,
}

impl Joined {
    /// Calls a tool; what has been joined is the face of tools. Its result, however long it takes, or its
    /// error as it is told.
    ///
    /// # Errors
    /// In words, where the server ends first.
    pub(crate) fn call(
        mut self,
        tool: &str,
        arguments: &Value,
    ) -> Result<Result<Value, Value>, String> {
        let call = json!({ "id": 1, "tool": tool, "arguments": arguments });
        self.writer.write_all(format!("{call}\n").as_bytes()).map_err(|error| error.to_string())?;
        let mut line = String::new();
        let gone = || "the server has ended meanwhile".to_owned();
        self.reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let mut answer: Value = serde_json::from_str(&line).map_err(|_| gone())?;
        match answer["error"].take() {
            Value::Null => Ok(Ok(answer["result"].take())),
            error => Ok(Err(error)),
        }
    }
}

/// Joins the server that runs for the workspace around `folder`, to speak as `greeting` says.
///
/// # Errors
/// In words, where none runs or it says no.
pub(crate) fn join(folder: &Path, greeting: &Value) -> Result<Joined, String> {
    let shown = folder.display();
    let found = connect_live(folder).map_err(|error| format!("{shown}: {error}"))?;
    let mut writer = found.ok_or_else(|| {
        format!(
            "no server runs for {shown}: open the folder in an editor that uses `tandem lsp`, or name \
             its workspace with --workspace"
        )
    })?;
    let failed = |error: io::Error| format!("the server of {shown}: {error}");
    let mut reader = BufReader::new(writer.try_clone().map_err(failed)?);
    reader.get_ref().set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    writer.write_all(format!("{greeting}\n").as_bytes()).map_err(failed)?;
    let mut line = String::new();
    reader.read_line(&mut line).map_err(failed)?;
    reader.get_ref().set_read_timeout(None).map_err(failed)?;
    let answer: Value = serde_json::from_str(&line).map_err(|_| {
        format!("the server of {shown} has turned us away: it may have too many guests")
    })?;
    match answer["error"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(Joined { reader, writer }),
    }
}
