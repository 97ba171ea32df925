//! A session: one adapter with one program.

mod breakpoints;
mod children;
mod data_breakpoints;
mod disassembly;
mod elements;
mod event_handler;
mod execution;
mod forward;
mod inspect;
mod publish;
mod registry;
mod response_cache;
mod reverse_requests;
mod start;
mod state;
mod terminal;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use process::{AttachedProcess, Child, Command, Launcher};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Handle;

pub use self::breakpoints::LineMap;
pub use self::data_breakpoints::DataBreakpoint;
pub use self::elements::ElementPage;
pub use self::execution::ResumeKind;

use self::children::SessionTree;
use self::elements::ValueExpressions;
pub(crate) use self::registry::Registry;
use self::state::SharedState;
use crate::client::{Client, RequestFailure};
use crate::phase::{SessionPhase, StopInfo};
use crate::transport::{Connector, Endpoint, StderrTail, drop_in_background};
use crate::{Adapter, Breakpoints, Capabilities, DebugError, OutputChunk, Transport, WaitLimits};

/// Timeout of a request that an adapter can answer at once.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout of `disconnect`.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of detaching. An adapter killed earlier would leave breakpoint instructions in the
/// running program.
const DETACH_TIMEOUT: Duration = Duration::from_secs(5);

/// What a session is started with.
pub struct SessionConfig {
    /// The adapter.
    pub adapter: Adapter,
    /// Starts the adapter; its standard input is set here.
    pub command: Command,
    /// Starts the command.
    pub launcher: Launcher,
    /// The port that the command listens on, with [`Transport::Tcp`].
    pub port: u16,
    /// The process to attach to. At the end it is detached from, not killed.
    pub attached: Option<u32>,
    /// The arguments of `launch` or `attach`.
    pub arguments: Value,
    /// What is debugged, for people.
    pub title: String,
    /// Line maps of files whose text differs from the compiled one.
    pub lines: HashMap<PathBuf, LineMap>,
}

/// A session. Cheap to keep after its end.
pub struct Session {
    id: u64,
    adapter: Adapter,
    title: String,
    attaches: bool,
    /// Its position among the sessions of one launch.
    tree: SessionTree,
    /// The adapter's working directory.
    cwd: PathBuf,
    endpoint: Endpoint,
    connector: Connector,
    shared: Arc<SharedState>,
    client: Client,
    capabilities: OnceLock<Capabilities>,
    breakpoints: Arc<Breakpoints>,
    child: Mutex<Option<Child>>,
    /// The attached process as it was before; continued at the end.
    attached_process: Option<AttachedProcess>,
    stderr_tail: StderrTail,
    runtime: Handle,
    /// Serializes breakpoint requests: each replaces all of its file's breakpoints.
    breakpoint_requests: tokio::sync::Mutex<()>,
    is_shutting_down: AtomicBool,
    data_breakpoints: Mutex<Vec<DataBreakpoint>>,
    value_expressions: ValueExpressions,
    /// Line maps of files whose text differs from the compiled one.
    lines: Mutex<HashMap<PathBuf, LineMap>>,
}

impl Session {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The adapter's name.
    #[must_use]
    pub fn adapter(&self) -> &str {
        &self.adapter.name
    }

    /// What is debugged, for people.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether its adapter runs files in this language; true if the adapter does not say.
    #[must_use]
    pub fn runs(&self, language: Option<&str>) -> bool {
        self.adapter.languages.is_empty() || language.is_none_or(|it| self.adapter.runs(it))
    }

    /// Whether an expression has no side effects in this adapter's language.
    #[must_use]
    pub fn is_side_effect_free(&self, expression: &str) -> bool {
        self.adapter.expressions.has_no_side_effects(expression)
    }

    /// What its adapter supports.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        static NONE: OnceLock<Capabilities> = OnceLock::new();
        self.capabilities.get().unwrap_or_else(|| NONE.get_or_init(Capabilities::default))
    }

    /// Its current phase.
    #[must_use]
    pub fn phase(&self) -> SessionPhase {
        self.shared.phase()
    }

    /// The process id of the program, if the adapter reported it.
    #[must_use]
    pub fn process(&self) -> Option<i64> {
        self.shared.process()
    }

    /// Output from a cursor on, at most `most` bytes. `category` selects one stream.
    #[must_use]
    pub fn output(&self, cursor: u64, most: usize, category: Option<&str>) -> OutputChunk {
        self.shared.output(cursor, most, category)
    }

    /// Output since the last call, at most `most` bytes.
    #[must_use]
    pub fn new_output(&self, most: usize) -> OutputChunk {
        self.shared.new_output(most)
    }

    /// Ends the session: kills or detaches from the program, and ends the adapter. Returns when
    /// both are gone.
    pub fn stop(self: &Arc<Self>) {
        self.runtime.block_on(self.shut_down());
    }

    /// Starts to end the session.
    pub(crate) fn stop_later(self: &Arc<Self>) {
        let session = self.clone();
        self.runtime.spawn(async move { session.shut_down().await });
    }

    /// Disconnects from the adapter and ends it. Only the first call does something.
    async fn shut_down(&self) {
        if self.is_shutting_down.swap(true, Ordering::SeqCst) {
            self.shared.until_closed().await;
            return;
        }
        let children = self.children();
        for child in &children {
            child.shared.end(None);
        }
        let no_interrupt = AtomicBool::new(false);
        let timeout = if self.attaches { DETACH_TIMEOUT } else { DISCONNECT_TIMEOUT };
        let wait = WaitLimits { timeout, interrupt: &no_interrupt };
        let arguments = json!({ "restart": false, "terminateDebuggee": !self.attaches });
        // Failures do not matter: the adapter is ended in any case.
        let _ = self.client.request("disconnect", &arguments, wait).await;
        let child = self.child.lock().take();
        if let Some(mut child) = child {
            let attaches = self.attaches;
            let end = move || {
                // Some adapters respond first and detach later.
                if attaches && !child.ends_within(DETACH_TIMEOUT) {
                    tracing::warn!(
                        "a debug adapter is killed that did not detach from its program"
                    );
                }
                drop(child);
            };
            let _ = tokio::task::spawn_blocking(end).await;
        }
        if let Some(attached_process) = &self.attached_process {
            attached_process.continue_if_left_stopped();
        }
        self.client.close_connection();
        for child in children {
            child.shared.until_closed().await;
        }
        self.shared.set_closed();
    }

    /// Ends the adapter once the program has ended.
    fn end_with_program(self: &Arc<Self>) {
        let (shared, session) = (self.shared.clone(), Arc::downgrade(self));
        self.runtime.spawn(async move {
            shared.until_ending().await;
            if let Some(session) = session.upgrade() {
                session.shut_down().await;
            }
        });
    }

    /// Sends a request and deserializes its response.
    async fn request<T: DeserializeOwned>(
        &self,
        command: &str,
        arguments: &Value,
        patience: WaitLimits<'_>,
    ) -> Result<T, DebugError> {
        let wait = WaitLimits { timeout: RESPONSE_TIMEOUT, interrupt: patience.interrupt };
        let result = self.client.request(command, arguments, wait).await;
        if result == Err(RequestFailure::Timeout) {
            // The request needs no time, so the adapter hangs.
            let seconds = RESPONSE_TIMEOUT.as_secs();
            self.shared.fail(&format!(
                "the debug adapter sent no answer to `{command}` within {seconds} seconds"
            ));
            return Err(self.ended());
        }
        let body = self.check_response(command, result, wait)?;
        self.parse_body(command, body)
    }

    fn parse_body<T: DeserializeOwned>(&self, command: &str, body: Value) -> Result<T, DebugError> {
        serde_json::from_value(body).map_err(|error| DebugError::Malformed {
            adapter: self.adapter.name.clone(),
            command: command.to_owned(),
            reason: error.to_string(),
        })
    }

    fn check_response<T>(
        &self,
        command: &str,
        result: Result<T, RequestFailure>,
        wait: WaitLimits<'_>,
    ) -> Result<T, DebugError> {
        let adapter = self.adapter.name.clone();
        let command = command.to_owned();
        result.map_err(|failure| match failure {
            RequestFailure::Refused(message) => DebugError::Refused { adapter, command, message },
            RequestFailure::Timeout => {
                DebugError::Timeout { adapter, command, after: wait.timeout }
            }
            RequestFailure::Cancelled => DebugError::Cancelled,
            RequestFailure::Closed => self.ended(),
        })
    }

    fn ended(&self) -> DebugError {
        let why = match self.phase() {
            SessionPhase::Ended(ending) => ending.to_string(),
            _ => "the adapter has exited".to_owned(),
        };
        DebugError::Ended { session: self.id, why }
    }

    /// The current stop.
    fn stopped(&self) -> Result<StopInfo, DebugError> {
        match self.phase() {
            SessionPhase::Stopped(stop) => Ok(stop),
            SessionPhase::Ended(_) => Err(self.ended()),
            SessionPhase::Starting | SessionPhase::Running => {
                Err(DebugError::Running { session: self.id })
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(child) = self.child.lock().take() {
            let _entered = self.runtime.enter();
            drop_in_background(child);
        }
    }
}

impl SessionConfig {
    fn endpoint(&self) -> Endpoint {
        match self.adapter.transport {
            Transport::Stdio => Endpoint::Stdio,
            Transport::Tcp => Endpoint::Tcp(self.port),
            Transport::Unix => Endpoint::Unix,
        }
    }
}
