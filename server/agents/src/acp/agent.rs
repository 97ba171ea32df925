//! A running agent: requests to it, and its own, served until ours are answered.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::{Code, ToolError};

use super::connection::{Connection, Incoming, NoMessage};
use super::place::Place;
use super::requests::{read_text_file, request_permission, write_text_file};

/// How often a cancel is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long starting and opening a session may take.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The version of the protocol.
const PROTOCOL_VERSION: u64 = 1;

/// Learns what an agent reports.
pub(crate) trait Observer {
    /// A `session/update` of the agent's session.
    fn updated(&mut self, place: &Place<'_>, update: &Value);

    /// The agent asked for something and did not get it.
    fn refused(&mut self, what: String);
}

/// What a message was.
pub(crate) enum Step {
    /// Nothing, or a message that is no answer.
    Other,
    /// The answer to the request.
    Answer(Result<Value, Value>),
}

/// A running agent; dropping it kills it, and everything that it started.
pub(crate) struct Agent {
    tool: &'static str,
    name: String,
    connection: Connection,
    session: Option<String>,
    can_load: bool,
}

impl Agent {
    /// The agent `name` at the other end of a connection, for messages of `tool`.
    pub(super) fn new(tool: &'static str, name: &str, connection: Connection) -> Self {
        Self { tool, name: name.to_owned(), connection, session: None, can_load: false }
    }

    /// An error about the agent.
    pub(crate) fn error(&self, code: Code, what: &str) -> ToolError {
        ToolError::new(code, format!("{}: {}: {what}", self.tool, self.name))
    }

    /// The id of its session, as the agent names it.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Whether it can open a session of an earlier process.
    pub(crate) fn can_load(&self) -> bool {
        self.can_load
    }

    /// Whether its process is no longer of use.
    pub(crate) fn has_ended(&self) -> bool {
        self.connection.has_ended()
    }

    /// Kills it. Returns the end of its standard error.
    pub(crate) fn end(self) -> String {
        self.connection.end()
    }

    /// Agrees on the protocol.
    ///
    /// # Errors
    /// If the agent does not speak this version, or does not answer until `deadline`.
    pub(crate) fn initialize(
        &mut self,
        place: &Place<'_>,
        observer: &mut dyn Observer,
        deadline: Instant,
    ) -> Result<(), ToolError> {
        let params = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": {
                "fs": { "readTextFile": true, "writeTextFile": true },
                "terminal": false,
            },
            "clientInfo": { "name": "tandem", "version": env!("CARGO_PKG_VERSION") },
        });
        let answer = self.call("initialize", &params, place, observer, deadline)?;
        if answer["protocolVersion"].as_u64() != Some(PROTOCOL_VERSION) {
            let what = format!("speaks version {} of the protocol", answer["protocolVersion"]);
            return Err(self.error(Code::Unsupported, &what));
        }
        self.can_load = answer["agentCapabilities"]["loadSession"] == true;
        Ok(())
    }

    /// Opens a session in the folder `cwd`.
    ///
    /// # Errors
    /// If the agent opens none until `deadline`.
    pub(crate) fn new_session(
        &mut self,
        (cwd, mcp_servers): (&str, &Value),
        place: &Place<'_>,
        observer: &mut dyn Observer,
        deadline: Instant,
    ) -> Result<(), ToolError> {
        let params = json!({ "cwd": cwd, "mcpServers": mcp_servers });
        let answer = self.call("session/new", &params, place, observer, deadline)?;
        let id = answer["sessionId"].as_str().map(str::to_owned);
        self.session = Some(id.ok_or_else(|| self.error(Code::Unsupported, "opened no session"))?);
        Ok(())
    }

    /// Opens a session of an earlier process again. What the agent repeats of it is not observed: it is known.
    ///
    /// # Errors
    /// If the agent does not do so until `deadline`.
    pub(crate) fn load_session(
        &mut self,
        id: &str,
        (cwd, mcp_servers): (&str, &Value),
        place: &Place<'_>,
        observer: &mut dyn Observer,
        deadline: Instant,
    ) -> Result<(), ToolError> {
        let params = json!({ "sessionId": id, "cwd": cwd, "mcpServers": mcp_servers });
        self.call("session/load", &params, place, observer, deadline)?;
        self.session = Some(id.to_owned());
        Ok(())
    }

    /// Gives the session a message. Returns the id of the request, which is answered at the end of the turn.
    ///
    /// # Errors
    /// If the agent does not read.
    pub(crate) fn prompt(&mut self, texts: &[&str]) -> Result<u64, ToolError> {
        let prompt: Vec<_> =
            texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        self.send_request("session/prompt", &params)
    }

    /// Asks it to end its turn.
    pub(crate) fn cancel_turn(&self) {
        self.connection.notify("session/cancel", &json!({ "sessionId": self.session }));
    }

    /// Makes a request and serves the agent's until it is answered.
    fn call(
        &mut self,
        method: &str,
        params: &Value,
        place: &Place<'_>,
        observer: &mut dyn Observer,
        deadline: Instant,
    ) -> Result<Value, ToolError> {
        let id = self.send_request(method, params)?;
        loop {
            if place.work.is_cancelled() {
                return Err(self.error(Code::Cancelled, "cancelled"));
            }
            if Instant::now() >= deadline {
                let what = format!("has not answered `{method}`");
                return Err(self.error(Code::Timeout, &what));
            }
            if let Step::Answer(answer) = self.step(id, place, observer)? {
                return answer.map_err(|error| self.failed(method, &error));
            }
        }
    }

    fn send_request(&mut self, method: &str, params: &Value) -> Result<u64, ToolError> {
        let id = self.connection.request(method, params);
        id.ok_or_else(|| self.error(Code::Io, "does not read what it is sent"))
    }

    /// The error for a request that the agent answered with one.
    pub(crate) fn failed(&self, method: &str, error: &Value) -> ToolError {
        let message: String =
            error["message"].as_str().unwrap_or("an error").chars().take(500).collect();
        let made = self.error(Code::Unavailable, &format!("`{method}` failed: {message}"));
        match error["code"].as_i64() {
            // The protocol's code for an agent that nobody has logged in to.
            Some(-32_000) => made.hint("start its program in a terminal once, and log in"),
            _ => made,
        }
    }

    /// Handles one message, if one comes within [`POLL_INTERVAL`].
    ///
    /// # Errors
    /// If the agent has ended, or does not read.
    pub(crate) fn step(
        &mut self,
        id: u64,
        place: &Place<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Step, ToolError> {
        match self.connection.receive(POLL_INTERVAL) {
            Ok(Incoming::Response(of, answer)) if of == id => return Ok(Step::Answer(answer)),
            Ok(Incoming::Response(..)) | Err(NoMessage::Timeout) => {}
            Ok(Incoming::Notification(method, params)) => {
                if method == "session/update" && self.is_session(&params) {
                    observer.updated(place, &params["update"]);
                }
            }
            Ok(Incoming::Request(id, method, params)) => {
                let answer = self.requested(&method, &params, place, observer);
                if let Err((_, message)) = &answer {
                    observer.refused(format!("{method}: {message}"));
                }
                if !self.connection.answer(&id, answer) {
                    return Err(self.error(Code::Io, "does not read what it is sent"));
                }
            }
            Err(NoMessage::Closed) => {
                return Err(self.error(Code::Unavailable, "ended before it had finished"));
            }
        }
        Ok(Step::Other)
    }

    fn is_session(&self, params: &Value) -> bool {
        self.session.is_some() && params["sessionId"].as_str() == self.session.as_deref()
    }

    fn requested(
        &self,
        method: &str,
        params: &Value,
        place: &Place<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Value, (i64, String)> {
        let known = ["fs/read_text_file", "fs/write_text_file", "session/request_permission"];
        if !known.contains(&method) {
            return Err((-32_601, format!("`{method:.60}` is not supported")));
        }
        if !self.is_session(params) {
            return Err((-32_602, "this is not the session of this connection".to_owned()));
        }
        match method {
            "fs/read_text_file" => read_text_file(place, params),
            "fs/write_text_file" => write_text_file(place, params),
            _ => {
                let (answer, refused) = request_permission(place, &self.name, params);
                if let Some(error) = refused {
                    let title = params["toolCall"]["title"].as_str().unwrap_or("a tool call");
                    observer.refused(format!("{title}: {}: {error}", error.code.as_str()));
                }
                Ok(answer)
            }
        }
    }
}
