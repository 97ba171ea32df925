//! The messages of tool calls, one a line.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::ToolError;
use workspace::{ApprovalDecision, ApprovalRequest, WorkspaceStamps};

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
        /// The client behind this call, if it is not that of the greeting.
        #[serde(default)]
        client: Option<String>,
        /// The trace that the call belongs to, as [`tools::Caller::trace`].
        #[serde(default)]
        trace: Option<String>,
    },
    /// Asks for stamps of the workspace and of files: `{"stamps": 1, "files": ["…"]}`.
    Stamps {
        /// The number of the request, new for each.
        stamps: u64,
        /// Paths or URIs.
        files: Vec<String>,
    },
    /// Cancels a call: `{"cancel": 1}`. It is still answered.
    Cancel {
        /// The number of the call.
        cancel: u64,
    },
    /// The person's answer to what a call asked: `{"decide": 1, "decision": "Allow once"}`.
    Decide {
        /// The number of the call.
        decide: u64,
        /// The decision's title; none if there is no answer.
        decision: Option<String>,
        /// Whether the client cannot ask.
        #[serde(default)]
        nobody: bool,
    },
}

impl Message {
    /// The line to send.
    #[must_use]
    pub fn to_line(&self) -> Value {
        match self {
            Self::Call { id, tool, arguments, client, trace } => {
                let mut line = json!({ "id": id, "tool": tool, "arguments": arguments });
                for (name, value) in [("client", client), ("trace", trace)] {
                    if let Some(value) = value {
                        line[name] = value.as_str().into();
                    }
                }
                line
            }
            Self::Stamps { stamps, files } => json!({ "stamps": stamps, "files": files }),
            Self::Cancel { cancel } => json!({ "cancel": cancel }),
            Self::Decide { decide, decision, nobody } => {
                json!({ "decide": decide, "decision": decision, "nobody": nobody })
            }
        }
    }
}

/// A request for approval, as [`ApprovalRequest`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    summary: String,
    is_summary_whole: bool,
    text: String,
    is_one_time: bool,
    timeout_ms: u64,
}

impl From<&ApprovalRequest> for Question {
    fn from(request: &ApprovalRequest) -> Self {
        Self {
            summary: request.summary.clone(),
            is_summary_whole: request.is_summary_whole,
            text: request.text.clone(),
            is_one_time: request.decisions == ApprovalDecision::ONE_TIME,
            timeout_ms: u64::try_from(request.timeout.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl From<Question> for ApprovalRequest {
    fn from(question: Question) -> Self {
        Self {
            summary: question.summary,
            is_summary_whole: question.is_summary_whole,
            text: question.text,
            decisions: if question.is_one_time {
                ApprovalDecision::ONE_TIME
            } else {
                ApprovalDecision::ALL
            },
            timeout: Duration::from_millis(question.timeout_ms),
            elsewhere: None,
        }
    }
}

/// A message from the server. Calls are answered in any order.
#[derive(Debug)]
pub enum Answer {
    /// `{"id": 1, "progress": "…"}`: any number of them before the response.
    Progress(u64, String),
    /// `{"id": 1, "ask": {…}}`: the call needs approval by the client's person. Sent by servers without an
    /// editor.
    Ask(u64, Question),
    /// `{"id": 1, "result": {…}}`, or `{"id": 1, "error": {…}}` with the contract's error.
    Done(u64, Result<Value, Value>),
    /// `{"id": 1, "stamps": {…}}`.
    Stamps(u64, WorkspaceStamps),
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
            Self::Ask(id, question) => json!({ "id": id, "ask": question }),
            Self::Done(id, Ok(result)) => json!({ "id": id, "result": result }),
            Self::Done(id, Err(error)) => json!({ "id": id, "error": error }),
            Self::Stamps(id, stamps) => json!({ "id": id, "stamps": stamps }),
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
        if line["ask"].is_object() {
            return Some(Self::Ask(id, serde_json::from_value(line["ask"].take()).ok()?));
        }
        if line["stamps"].is_object() {
            return Some(Self::Stamps(id, serde_json::from_value(line["stamps"].take()).ok()?));
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
            json!({ "id": 5, "ask": {
                "summary": "run true", "is_summary_whole": true, "text": "…",
                "is_one_time": true, "timeout_ms": 7,
            } }),
            json!({ "id": 6, "stamps": {
                "files": [1, u64::MAX], "contents": 2, "editor": 3, "git": 4, "open": ["file:///a"],
            } }),
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
