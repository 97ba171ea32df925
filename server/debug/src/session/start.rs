//! The start of a session, in the order that the protocol has for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::runtime::Handle;

use super::ear::Ear;
use super::state::{Quirks, Shared};
use super::{Phase, Plan, Session};
use crate::client::{Client, Failure, Wait, bounded};
use crate::transport::{self, Unstarted};
use crate::{Breakpoints, Capabilities, DebugError, Patience};

/// How long an adapter may take to say what it can do.
const FIRST_WORD: Duration = Duration::from_secs(20);

impl Session {
    /// Starts an adapter and its program: initialize, launch or attach, and once the adapter is
    /// ready for them the breakpoints, then the word that all is said.
    pub(crate) async fn start(
        id: u64,
        plan: Plan,
        breakpoints: Arc<Breakpoints>,
        patience: Patience<'_>,
    ) -> Result<Arc<Self>, DebugError> {
        let reach = plan.reach();
        let name = plan.adapter.name.clone();
        let running = transport::start(plan.launcher, plan.command, reach).await.map_err(
            |error| match error {
                Unstarted::Process(source) => DebugError::Start { adapter: name.clone(), source },
                Unstarted::Unreachable(reason) => {
                    DebugError::Unreachable { adapter: name.clone(), reason }
                }
            },
        )?;
        let quirks =
            Quirks { exits: plan.adapter.exits.clone(), has_returns: plan.adapter.terminal };
        let shared = Arc::new(Shared::new(running.errors.clone(), quirks));
        let reader = BufReader::with_capacity(64 << 10, running.reader);
        let client = Client::start(reader, running.writer, Arc::new(Ear(shared.clone())));
        let session = Arc::new(Self {
            id,
            adapter: plan.adapter,
            title: plan.title,
            attaches: plan.attaches,
            shared,
            client,
            capabilities: OnceLock::new(),
            breakpoints,
            child: Mutex::new(Some(running.child)),
            errors: running.errors,
            runtime: Handle::current(),
            setting: tokio::sync::Mutex::new(()),
            is_leaving: AtomicBool::new(false),
            data: Mutex::default(),
            lines: Mutex::new(plan.lines),
        });
        session.watch();
        if let Err(error) = session.introduce(&plan.arguments, patience).await {
            let said = session.errors.last_lines();
            if let DebugError::Timeout { command, .. } = &error {
                session.shared.give_up(&format!("it gave no answer to `{command}` in time"));
            }
            session.leave().await;
            return Err(error.with_words(said));
        }
        Ok(session)
    }

    async fn introduce(&self, arguments: &Value, patience: Patience<'_>) -> Result<(), DebugError> {
        let first = Wait { longest: FIRST_WORD, interrupt: patience.interrupt };
        let wait = Wait { longest: patience.longest, interrupt: patience.interrupt };
        let about_us = json!({
            "clientID": "tandem", "clientName": "Tandem", "adapterID": self.adapter.name,
            "locale": "en", "pathFormat": "path", "linesStartAt1": true, "columnsStartAt1": true,
            "supportsVariableType": true, "supportsVariablePaging": true,
            "supportsRunInTerminalRequest": false, "supportsStartDebuggingRequest": false,
        });
        let told = self.client.request("initialize", &about_us, first).await;
        let can: Value = self.told("initialize", told, first)?;
        let can: Capabilities =
            if can.is_null() { Capabilities::default() } else { self.read("initialize", can)? };
        // It is set once: nobody else knows the session yet.
        let _ = self.capabilities.set(can);

        // Answered only after all is said, by some adapters.
        let command = if self.attaches { "attach" } else { "launch" };
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
        if self.capabilities().supports_configuration_done_request {
            let done = self.client.request("configurationDone", &json!({}), wait).await;
            // Some say yes to it and have ended by then.
            match done {
                Err(Failure::Closed) => {}
                done => drop(self.told("configurationDone", done, wait)?),
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
