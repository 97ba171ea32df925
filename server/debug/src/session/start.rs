//! The start of a session, in the order that the protocol has for it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use process::{Child, Held};
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::runtime::Handle;

use super::children::Family;
use super::ear::Ear;
use super::elements::Names;
use super::state::{Quirks, Shared};
use super::{Lines, Phase, Plan, Session};
use crate::client::{Client, Failure, Wait, bounded};
use crate::debugger::Registry;
use crate::transport::{self, Errors, Reach, Stream, Unstarted, Way};
use crate::{Adapter, Breakpoints, Capabilities, DebugError, Patience};

/// How long it may take from a word that makes no sense any more to the reason.
const REASON: Duration = Duration::from_secs(1);
/// How long an adapter may take to say what it can do.
const FIRST_WORD: Duration = Duration::from_secs(20);

/// What a session is made of.
pub(super) struct Begun {
    pub(super) id: u64,
    pub(super) adapter: Adapter,
    pub(super) title: String,
    pub(super) attaches: bool,
    pub(super) lines: HashMap<PathBuf, Lines>,
    pub(super) family: Family,
    pub(super) cwd: PathBuf,
    pub(super) reach: Reach,
    pub(super) way: Way,
    pub(super) errors: Errors,
    /// The adapter's process, where it is this session's own.
    pub(super) child: Option<Child>,
    /// The process that is attached to, as it was before.
    pub(super) held: Option<Held>,
}

impl Session {
    /// Starts an adapter and its program: initialize, launch or attach, and once the adapter is
    /// ready for them the breakpoints, then the word that all is said.
    pub(crate) async fn start(
        id: u64,
        plan: Plan,
        registry: Weak<Registry>,
        breakpoints: Arc<Breakpoints>,
        patience: Patience<'_>,
    ) -> Result<Arc<Self>, DebugError> {
        let reach = plan.reach();
        let name = plan.adapter.name.clone();
        let cwd = plan.command.cwd.path.clone();
        let held = plan.attached.and_then(Held::before);
        let running = transport::start(plan.launcher, plan.command, reach).await.map_err(
            |error| match error {
                Unstarted::Process(source) => DebugError::Start { adapter: name.clone(), source },
                Unstarted::Unreachable(reason) => {
                    DebugError::Unreachable { adapter: name.clone(), reason }
                }
            },
        )?;
        let begun = Begun {
            id,
            adapter: plan.adapter,
            title: plan.title,
            attaches: plan.attached.is_some(),
            lines: plan.lines,
            family: Family::new(id, registry),
            cwd,
            reach,
            way: running.way,
            errors: running.errors,
            child: Some(running.child),
            held,
        };
        let session = Self::over(begun, running.stream, breakpoints);
        session.join();
        let command = if plan.attached.is_some() { "attach" } else { "launch" };
        session.begin(command, &plan.arguments, patience).await?;
        Ok(session)
    }

    /// A session over a connection, of which nothing is said yet.
    pub(super) fn over(begun: Begun, stream: Stream, breakpoints: Arc<Breakpoints>) -> Arc<Self> {
        let quirks = Quirks {
            exits: begun.adapter.exits.clone(),
            late_output: begun.adapter.late_output,
            has_returns: begun.adapter.terminal,
            is_entered: begun.adapter.entry.is_some(),
        };
        let changed = begun.family.changed.clone();
        let shared = Arc::new(Shared::new(changed, begun.errors.clone(), quirks));
        let (reader, writer) = stream;
        let reader = BufReader::with_capacity(64 << 10, reader);
        let client = Client::start(reader, writer, Arc::new(Ear(shared.clone())));
        let session = Arc::new(Self {
            id: begun.id,
            adapter: begun.adapter,
            title: begun.title,
            attaches: begun.attaches,
            family: begun.family,
            cwd: begun.cwd,
            reach: begun.reach,
            way: begun.way,
            shared,
            client,
            capabilities: OnceLock::new(),
            breakpoints,
            child: Mutex::new(begun.child),
            held: begun.held,
            errors: begun.errors,
            runtime: Handle::current(),
            setting: tokio::sync::Mutex::new(()),
            is_leaving: AtomicBool::new(false),
            data: Mutex::default(),
            names: Names::default(),
            lines: Mutex::new(begun.lines),
        });
        session.watch();
        session.serve();
        session
    }

    /// Says all that is said at the beginning. Where that fails, the session is over.
    pub(super) async fn begin(
        &self,
        command: &str,
        arguments: &Value,
        patience: Patience<'_>,
    ) -> Result<(), DebugError> {
        if let Err(error) = self.introduce(command, arguments, patience).await {
            let said = self.errors.last_lines();
            if let DebugError::Timeout { command, .. } = &error {
                self.shared.give_up(&format!("it gave no answer to `{command}` in time"));
            }
            self.leave().await;
            return Err(error.with_words(said));
        }
        Ok(())
    }

    async fn introduce(
        &self,
        command: &str,
        arguments: &Value,
        patience: Patience<'_>,
    ) -> Result<(), DebugError> {
        let first = Wait { longest: FIRST_WORD, interrupt: patience.interrupt };
        let wait = Wait { longest: patience.longest, interrupt: patience.interrupt };
        let about_us = json!({
            "clientID": "tandem", "clientName": "Tandem", "adapterID": self.adapter.name,
            "locale": "en", "pathFormat": "path", "linesStartAt1": true, "columnsStartAt1": true,
            "supportsVariableType": true, "supportsVariablePaging": true,
            "supportsRunInTerminalRequest": true, "supportsStartDebuggingRequest": true,
        });
        let told = self.client.request("initialize", &about_us, first).await;
        let can: Value = self.told("initialize", told, first)?;
        let can: Capabilities =
            if can.is_null() { Capabilities::default() } else { self.read("initialize", can)? };
        // It is set once: nobody else knows the session yet.
        let _ = self.capabilities.set(can);

        // Answered only after all is said, by some adapters.
        let launch = self.client.send(command, arguments);
        let mut launch = Box::pin(self.told(command, launch, wait)?.wait(wait));
        let ready = bounded(self.shared.initialized(), wait);
        let mut launched = None;
        {
            let mut ready = Box::pin(ready);
            loop {
                tokio::select! {
                    biased;
                    done = &mut launch, if launched.is_none() => {
                        launched = Some(self.told(command, done, wait)?);
                    }
                    done = &mut ready => break self.told("initialized", done, wait)?,
                }
            }
        }
        if matches!(self.phase(), Phase::Ended(_)) {
            return Err(self.ended());
        }
        self.set_all(patience).await?;
        if !self.breakpoints.functions().is_empty() {
            self.send_functions(patience).await?;
        }
        self.send_exceptions(patience).await?;
        self.client.may_run_program();
        if self.capabilities().supports_configuration_done_request {
            let done = self.client.request("configurationDone", &json!({}), wait).await;
            // Some say yes to it and have ended by then.
            match done {
                Err(Failure::Closed) => {}
                Err(Failure::Refused(said)) => {
                    // Of one that could not be launched, the launch itself tells why.
                    let why = match launched {
                        None => tokio::time::timeout(REASON, &mut launch).await.ok(),
                        Some(_) => None,
                    };
                    if let Some(refused @ Err(Failure::Refused(_))) = why {
                        self.told(command, refused, wait)?;
                    }
                    self.told("configurationDone", Err(Failure::Refused(said)), wait)?;
                }
                done => drop(self.told("configurationDone", done, wait)?),
            }
        }
        if let Some(entry) =
            self.adapter.entry.as_ref().filter(|_| arguments["stopOnEntry"] == true)
        {
            self.told(entry, bounded(self.shared.at_entry(), wait).await, wait)?;
            if !matches!(self.phase(), Phase::Ended(_)) {
                let done = self.client.request(entry, &json!({ "threadId": 1 }), wait).await;
                self.told(entry, done, wait)?;
            }
        }
        if launched.is_none() {
            let done = launch.await;
            // A short program may be over before the adapter says that it was launched.
            if !matches!(self.phase(), Phase::Ended(ref ending) if ending.fault.is_none()) {
                self.told(command, done, wait)?;
            }
        }
        self.shared.started();
        Ok(())
    }

    /// Whether it is being ended.
    pub(crate) fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Relaxed)
    }
}

impl DebugError {
    /// The same, with what the adapter wrote to its standard error.
    fn with_words(self, said: String) -> Self {
        match self {
            Self::Refused { adapter, command, message } if !said.is_empty() => {
                Self::Refused { adapter, command, message: format!("{message}; it said:\n{said}") }
            }
            Self::Timeout { adapter, command, after } if !said.is_empty() => {
                let reason = format!(
                    "it gave no answer to `{command}` within {} ms; it said:\n{said}",
                    after.as_millis()
                );
                Self::Unreachable { adapter, reason }
            }
            other => other,
        }
    }
}
