//! Starts a session: the DAP handshake in its prescribed order.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use process::{AttachedProcess, Child};
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::runtime::Handle;

use super::children::SessionTree;
use super::elements::ValueExpressions;
use super::event_handler::EventHandler;
use super::registry::Registry;
use super::state::{Quirks, SharedState};
use super::{LineMap, Session, SessionConfig};
use crate::client::{Client, RequestFailure, wait_bounded};
use crate::phase::SessionPhase;
use crate::transport::{self, Connector, Endpoint, StartFailure, StderrTail, Stream};
use crate::{Adapter, Breakpoints, Capabilities, DebugError, WaitLimits};

/// How long the launch's error may follow a failed `configurationDone`.
const LAUNCH_ERROR_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout of `initialize`.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(20);

/// What a session is built from.
pub(super) struct SessionParts {
    pub(super) id: u64,
    pub(super) adapter: Adapter,
    pub(super) title: String,
    pub(super) attaches: bool,
    pub(super) lines: HashMap<PathBuf, LineMap>,
    pub(super) tree: SessionTree,
    pub(super) cwd: PathBuf,
    pub(super) endpoint: Endpoint,
    pub(super) connector: Connector,
    pub(super) stderr_tail: StderrTail,
    /// The adapter's process; `None` for a child session.
    pub(super) child: Option<Child>,
    /// The attached process as it was before.
    pub(super) attached_process: Option<AttachedProcess>,
}

impl Session {
    /// Starts an adapter and its program: `initialize`, then `launch` or `attach`, then after the
    /// `initialized` event the breakpoints and `configurationDone`.
    pub(crate) async fn start(
        id: u64,
        plan: SessionConfig,
        registry: Weak<Registry>,
        breakpoints: Arc<Breakpoints>,
        patience: WaitLimits<'_>,
    ) -> Result<Arc<Self>, DebugError> {
        let endpoint = plan.endpoint();
        let name = plan.adapter.name.clone();
        let cwd = plan.command.cwd.path.clone();
        let attached_process = plan.attached.and_then(AttachedProcess::before_attach);
        let running =
            transport::start(plan.launcher, plan.command, endpoint).await.map_err(|error| {
                match error {
                    StartFailure::Process(source) => {
                        DebugError::Start { adapter: name.clone(), source }
                    }
                    StartFailure::Unreachable(reason) => {
                        DebugError::Unreachable { adapter: name.clone(), reason }
                    }
                }
            })?;
        let parts = SessionParts {
            id,
            adapter: plan.adapter,
            title: plan.title,
            attaches: plan.attached.is_some(),
            lines: plan.lines,
            tree: SessionTree::new(id, registry),
            cwd,
            endpoint,
            connector: running.connector,
            stderr_tail: running.stderr_tail,
            child: Some(running.child),
            attached_process,
        };
        let session = Self::with_connection(parts, running.stream, breakpoints);
        session.register();
        let command = if plan.attached.is_some() { "attach" } else { "launch" };
        session.handshake(command, &plan.arguments, patience).await?;
        Ok(session)
    }

    /// Builds a session over a connection, before the handshake.
    pub(super) fn with_connection(
        parts: SessionParts,
        stream: Stream,
        breakpoints: Arc<Breakpoints>,
    ) -> Arc<Self> {
        let quirks = Quirks {
            exits: parts.adapter.exits.clone(),
            late_output: parts.adapter.late_output,
            has_crlf: parts.adapter.terminal,
            needs_entry_request: parts.adapter.entry.is_some(),
        };
        let changed = parts.tree.changed.clone();
        let shared = Arc::new(SharedState::new(changed, parts.stderr_tail.clone(), quirks));
        let (reader, writer) = stream;
        let reader = BufReader::with_capacity(64 << 10, reader);
        let client = Client::start(reader, writer, Arc::new(EventHandler(shared.clone())));
        let session = Arc::new(Self {
            id: parts.id,
            adapter: parts.adapter,
            title: parts.title,
            attaches: parts.attaches,
            tree: parts.tree,
            cwd: parts.cwd,
            endpoint: parts.endpoint,
            connector: parts.connector,
            shared,
            client,
            capabilities: OnceLock::new(),
            breakpoints,
            child: Mutex::new(parts.child),
            attached_process: parts.attached_process,
            stderr_tail: parts.stderr_tail,
            runtime: Handle::current(),
            breakpoint_requests: tokio::sync::Mutex::new(()),
            is_shutting_down: AtomicBool::new(false),
            data_breakpoints: Mutex::default(),
            value_expressions: ValueExpressions::default(),
            lines: Mutex::new(parts.lines),
        });
        session.end_with_program();
        session.handle_reverse_requests();
        session
    }

    /// Runs the handshake. If it fails, the session ends.
    pub(super) async fn handshake(
        &self,
        command: &str,
        arguments: &Value,
        patience: WaitLimits<'_>,
    ) -> Result<(), DebugError> {
        if let Err(error) = self.run_handshake(command, arguments, patience).await {
            let stderr = self.stderr_tail.last_lines();
            if let DebugError::Timeout { command, .. } = &error {
                self.shared.fail(&format!("it sent no answer to `{command}` in time"));
            }
            self.shut_down().await;
            return Err(error.with_stderr(stderr));
        }
        Ok(())
    }

    async fn run_handshake(
        &self,
        command: &str,
        arguments: &Value,
        wait: WaitLimits<'_>,
    ) -> Result<(), DebugError> {
        let first = WaitLimits { timeout: INITIALIZE_TIMEOUT, interrupt: wait.interrupt };
        let arguments_of_initialize = json!({
            "clientID": "tandem", "clientName": "Tandem", "adapterID": self.adapter.name,
            "locale": "en", "pathFormat": "path", "linesStartAt1": true, "columnsStartAt1": true,
            "supportsVariableType": true, "supportsVariablePaging": true,
            "supportsRunInTerminalRequest": true, "supportsStartDebuggingRequest": true,
        });
        let result = self.client.request("initialize", &arguments_of_initialize, first).await;
        let body: Value = self.check_response("initialize", result, first)?;
        let capabilities: Capabilities = if body.is_null() {
            Capabilities::default()
        } else {
            self.parse_body("initialize", body)?
        };
        // Cannot fail: nobody else has the session yet.
        let _ = self.capabilities.set(capabilities);

        // Some adapters respond to `launch` only after `configurationDone`, so do not wait for it
        // here.
        let launch = self.client.send(command, arguments);
        let mut launch = Box::pin(self.check_response(command, launch, wait)?.wait(wait));
        let ready = wait_bounded(self.shared.until_initialized(), wait);
        let mut launched = None;
        {
            // The response to `launch` may come before or after `initialized`; a failed launch
            // must end the wait.
            let mut ready = Box::pin(ready);
            loop {
                tokio::select! {
                    biased;
                    done = &mut launch, if launched.is_none() => {
                        launched = Some(self.check_response(command, done, wait)?);
                    }
                    done = &mut ready => break self.check_response("initialized", done, wait)?,
                }
            }
        }
        if matches!(self.phase(), SessionPhase::Ended(_)) {
            return Err(self.ended());
        }
        self.set_all_breakpoints(wait).await?;
        if !self.breakpoints.functions().is_empty() {
            self.send_functions(wait).await?;
        }
        self.send_exceptions(wait).await?;
        self.client.allow_program_output();
        if self.capabilities().supports_configuration_done_request {
            let done = self.client.request("configurationDone", &json!({}), wait).await;
            // Some adapters respond after the program has ended, or end before they do.
            match done {
                Err(RequestFailure::Closed) => {}
                Err(RequestFailure::Refused(message)) => {
                    // If the launch failed, its own error has the reason.
                    let launch_error = match launched {
                        None => tokio::time::timeout(LAUNCH_ERROR_TIMEOUT, &mut launch).await.ok(),
                        Some(_) => None,
                    };
                    if let Some(refused @ Err(RequestFailure::Refused(_))) = launch_error {
                        self.check_response(command, refused, wait)?;
                    }
                    self.check_response(
                        "configurationDone",
                        Err(RequestFailure::Refused(message)),
                        wait,
                    )?;
                }
                done => drop(self.check_response("configurationDone", done, wait)?),
            }
        }
        if let Some(entry) =
            self.adapter.entry.as_ref().filter(|_| arguments["stopOnEntry"] == true)
        {
            self.check_response(
                entry,
                wait_bounded(self.shared.until_entry_stop(), wait).await,
                wait,
            )?;
            if !matches!(self.phase(), SessionPhase::Ended(_)) {
                let done = self.client.request(entry, &json!({ "threadId": 1 }), wait).await;
                self.check_response(entry, done, wait)?;
            }
        }
        if launched.is_none() {
            let done = launch.await;
            // A short program may end before the adapter responds to `launch`.
            if !matches!(self.phase(), SessionPhase::Ended(ref ending) if ending.fault.is_none()) {
                self.check_response(command, done, wait)?;
            }
        }
        self.shared.set_started();
        Ok(())
    }

    /// Whether it is being ended.
    pub(crate) fn is_shutting_down(&self) -> bool {
        self.is_shutting_down.load(Ordering::Relaxed)
    }
}

impl DebugError {
    /// Adds the adapter's standard error.
    fn with_stderr(self, stderr: String) -> Self {
        match self {
            Self::Refused { adapter, command, message } if !stderr.is_empty() => Self::Refused {
                adapter,
                command,
                message: format!("{message}; its output:\n{stderr}"),
            },
            Self::Timeout { adapter, command, after } if !stderr.is_empty() => {
                let reason = format!(
                    "it sent no answer to `{command}` within {} ms; its output:\n{stderr}",
                    after.as_millis()
                );
                Self::Unreachable { adapter, reason }
            }
            other => other,
        }
    }
}
