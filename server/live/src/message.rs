//! The messages of tool calls, one a line.

use serde::Deserialize;
use serde_json::{Value, json};
use tools::ToolError;

/// A message to the server.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Message {
    /// Calls a tool: `{"id": 1, "tool": "…", "arguments": {…}}`.
    Call {
        /// The number of the call, new for each.
        id: u64,
        /// The tool's name.
        tool: String,
        /// Its parameters.
        #[serde(default)]
        arguments: Value,
    },
    /// Cancels a call: `{"cancel": 1}`. It is still answered.
    Cancel {
        /// The number of the call.
        cancel: u64,
    },
}

impl Message {
    /// The line to send.
    #[must_use]
    pub fn to_line(&self) -> Value {
        match self {
            Self::Call { id, tool, arguments } => {
                json!({ "id": id, "tool": tool, "arguments": arguments })
            }
            Self::Cancel { cancel } => json!({ "cancel": cancel }),
        }
    }
}

/// A message from the server. Calls are answered in any order.
#[derive(Debug)]
pub enum Answer {
    /// `{"id": 1, "progress": "…"}`: any number of them before the response.
    Progress(u64, String),
    /// `{"id": 1, "result": {…}}`, or `{"id": 1, "error": {…}}` with the contract's error.
    Done(u64, Result<Value, Value>),
    /// `{"id": 1, "not_made": true}`: the server shuts down and the call had no effects.
    NotMade(u64),
    /// `{"leaving": true}`: the last message of a server that shuts down. Calls without a response were
    /// not made.
    Leaving,
}

impl Answer {
    /// The response to call `id`.
    #[must_use]
    pub fn done(id: u64, done: Result<Value, ToolError>) -> Self {
        Self::Done(id, done.map_err(|error| error.data()))
    }

    /// The line to send.
    #[must_use]
    pub fn to_line(&self) -> Value {
        match self {
            Self::Progress(id, message) => json!({ "id": id, "progress": message }),
            Self::Done(id, Ok(result)) => json!({ "id": id, "result": result }),
            Self::Done(id, Err(error)) => json!({ "id": id, "error": error }),
            Self::NotMade(id) => json!({ "id": id, "not_made": true }),
            Self::Leaving => json!({ "leaving": true }),
        }
    }

    /// The message in a received line. `None` if it is none.
    #[must_use]
    pub fn from_line(line: &str) -> Option<Self> {
        let mut line: Value = serde_json::from_str(line).ok()?;
        if line["leaving"] == true {
            return Some(Self::Leaving);
        }
        let id = line["id"].as_u64()?;
        if let Some(message) = line["progress"].as_str() {
            return Some(Self::Progress(id, message.to_owned()));
        }
        Some(match line["error"].take() {
            Value::Null if line["not_made"] == true => Self::NotMade(id),
            Value::Null => Self::Done(id, Ok(line["result"].take())),
            error => Self::Done(id, Err(error)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        for line in [
            json!({ "id": 1, "progress": "half" }),
            json!({ "id": 2, "result": { "changed": true } }),
            json!({ "id": 3, "error": { "code": "E_IO" } }),
            json!({ "id": 4, "not_made": true }),
            json!({ "leaving": true }),
        ] {
            let read = Answer::from_line(&line.to_string()).map(|answer| answer.to_line());
            assert_eq!(read, Some(line));
        }
        for line in ["", "{}", "[]", "7", "{\"id\": -1}"] {
            assert!(Answer::from_line(line).is_none(), "{line}");
        }
    }
}
