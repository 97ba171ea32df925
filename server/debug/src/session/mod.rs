//! One adapter with one program.

mod children;
mod data;
mod ear;
mod elements;
mod forward;
mod look;
mod machine;
mod points;
mod resume;
mod reverse;
mod seen;
mod start;
mod state;
mod tell;
mod terminal;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use process::{Child, Command, Held, Launcher};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Handle;

pub use self::data::Data;
pub use self::elements::Elements;
pub use self::points::Lines;
pub use self::resume::Resume;
pub use self::state::{Ending, Phase, Stop};

use self::children::Family;
use self::elements::Names;
use self::state::Shared;
use crate::client::{Client, Failure, Wait};
use crate::transport::{Errors, Reach, Way, drop_elsewhere};
use crate::{Adapter, Breakpoints, Capabilities, Chunk, DebugError, Patience, Transport};

/// How long an adapter may take for what it can answer at once.
const ANSWER: Duration = Duration::from_secs(20);
/// How long it may take to end what it runs.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long it may take to let go what was there before: killed half-way, it leaves breakpoints in
/// a program that goes on.
const LETTING_GO: Duration = Duration::from_secs(5);

/// What a session is started with.
pub struct Plan {
    /// The adapter.
    pub adapter: Adapter,
    /// What starts it; its input is arranged for here.
    pub command: Command,
    /// What starts the command.
    pub launcher: Launcher,
    /// The port that the command was told to listen on, where it is spoken to over one.
    pub port: u16,
    /// The program that runs already and is attached to: it is let go at the end.
    pub attached: Option<u32>,
    /// What the adapter is told.
    pub arguments: Value,
    /// What is debugged, as people would write it.
    pub title: String,
    /// Files whose text is not what the program is made of.
    pub lines: HashMap<PathBuf, Lines>,
}

/// One adapter with one program. Cheap to hold on to after its end.
pub struct Session {
    id: u64,
    adapter: Adapter,
    title: String,
    attaches: bool,
    /// Where it stands among those that one launch has brought.
    family: Family,
    /// The folder that its adapter was started in.
    cwd: PathBuf,
    reach: Reach,
    way: Way,
    shared: Arc<Shared>,
    client: Client,
    capabilities: OnceLock<Capabilities>,
    breakpoints: Arc<Breakpoints>,
    child: Mutex<Option<Child>>,
    /// The process that is attached to, as it was before.
    held: Option<Held>,
    errors: Errors,
    runtime: Handle,
    /// One sending of breakpoints at a time: each replaces those of its file.
    setting: tokio::sync::Mutex<()>,
    is_leaving: AtomicBool,
    data: Mutex<Vec<Data>>,
    names: Names,
    /// Files whose text is not what the program is made of.
    lines: Mutex<HashMap<PathBuf, Lines>>,
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

    /// What is debugged, as people would write it.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether its adapter runs files in this language; true where the adapter does not say.
    #[must_use]
    pub fn runs(&self, language: Option<&str>) -> bool {
        self.adapter.languages.is_empty() || language.is_none_or(|it| self.adapter.runs(it))
    }

    /// Whether an expression does nothing but look, as its adapter takes it.
    #[must_use]
    pub fn only_looks(&self, expression: &str) -> bool {
        self.adapter.expressions.only_look(expression)
    }

    /// What its adapter can do.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        static NONE: OnceLock<Capabilities> = OnceLock::new();
        self.capabilities.get().unwrap_or_else(|| NONE.get_or_init(Capabilities::default))
    }

    /// How it is now.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.shared.phase()
    }

    /// The number of the program's process, where the adapter told it.
    #[must_use]
    pub fn process(&self) -> Option<i64> {
        self.shared.process()
    }

    /// What was written from a cursor on, at most `most` bytes of it. `category` leaves out other
    /// streams.
    #[must_use]
    pub fn output(&self, cursor: u64, most: usize, category: Option<&str>) -> Chunk {
        self.shared.output(cursor, most, category)
    }

    /// What was written since this was last asked, at most `most` bytes of it.
    #[must_use]
    pub fn new_output(&self, most: usize) -> Chunk {
        self.shared.new_output(most)
    }

    /// Ends it: the program, or the hold on it, and the adapter. Comes back when both are gone.
    pub fn stop(self: &Arc<Self>) {
        self.runtime.block_on(self.leave());
    }

    /// Begins to end it.
    pub(crate) fn stop_later(self: &Arc<Self>) {
        let session = self.clone();
        self.runtime.spawn(async move { session.leave().await });
    }

    /// The last words to the adapter, then its end. Only the first call does something.
    async fn leave(&self) {
        if self.is_leaving.swap(true, Ordering::SeqCst) {
            self.shared.gone().await;
            return;
        }
        let children = self.children();
        for child in &children {
            child.shared.end(None);
        }
        let never = AtomicBool::new(false);
        let longest = if self.attaches { LETTING_GO } else { FAREWELL };
        let wait = Wait { longest, interrupt: &never };
        let arguments = json!({ "restart": false, "terminateDebuggee": !self.attaches });
        // Whatever it answers.
        let _ = self.client.request("disconnect", &arguments, wait).await;
        let child = self.child.lock().take();
        if let Some(mut child) = child {
            let attaches = self.attaches;
            let end = move || {
                // Some answer first and let go then.
                if attaches && !child.ends_within(LETTING_GO) {
                    tracing::warn!("a debug adapter is ended that has not let go its program");
                }
                drop(child);
            };
            let _ = tokio::task::spawn_blocking(end).await;
        }
        if let Some(held) = &self.held {
            held.go_on();
        }
        self.client.hang_up();
        for child in children {
            child.shared.gone().await;
        }
        self.shared.is_gone();
    }

    /// Sees to it that the adapter goes once the program has ended.
    fn watch(self: &Arc<Self>) {
        let (shared, session) = (self.shared.clone(), Arc::downgrade(self));
        self.runtime.spawn(async move {
            shared.ending().await;
            if let Some(session) = session.upgrade() {
                session.leave().await;
            }
        });
    }

    /// Asks the adapter, and takes its answer apart.
    async fn ask<T: DeserializeOwned>(
        &self,
        command: &str,
        arguments: &Value,
        patience: Patience<'_>,
    ) -> Result<T, DebugError> {
        let wait = Wait { longest: ANSWER, interrupt: patience.interrupt };
        let told = self.client.request(command, arguments, wait).await;
        if told == Err(Failure::Timeout) {
            // What takes no time has not come: it hangs.
            let seconds = ANSWER.as_secs();
            self.shared.give_up(&format!(
                "the debug adapter gave no answer to `{command}` within {seconds} seconds"
            ));
            return Err(self.ended());
        }
        let body = self.told(command, told, wait)?;
        self.read(command, body)
    }

    fn read<T: DeserializeOwned>(&self, command: &str, body: Value) -> Result<T, DebugError> {
        serde_json::from_value(body).map_err(|error| DebugError::Malformed {
            adapter: self.adapter.name.clone(),
            command: command.to_owned(),
            reason: error.to_string(),
        })
    }

    fn told<T>(
        &self,
        command: &str,
        result: Result<T, Failure>,
        wait: Wait<'_>,
    ) -> Result<T, DebugError> {
        let adapter = self.adapter.name.clone();
        let command = command.to_owned();
        result.map_err(|failure| match failure {
            Failure::Refused(message) => DebugError::Refused { adapter, command, message },
            Failure::Timeout => DebugError::Timeout { adapter, command, after: wait.longest },
            Failure::Cancelled => DebugError::Cancelled,
            Failure::Closed => self.ended(),
        })
    }

    fn ended(&self) -> DebugError {
        let why = match self.phase() {
            Phase::Ended(ending) => ending.to_string(),
            _ => "the adapter is gone".to_owned(),
        };
        DebugError::Ended { session: self.id, why }
    }

    /// The stop that it is at.
    fn stopped(&self) -> Result<Stop, DebugError> {
        match self.phase() {
            Phase::Stopped(stop) => Ok(stop),
            Phase::Ended(_) => Err(self.ended()),
            Phase::Starting | Phase::Running => Err(DebugError::Running { session: self.id }),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(child) = self.child.lock().take() {
            let _entered = self.runtime.enter();
            drop_elsewhere(child);
        }
    }
}

impl Plan {
    fn reach(&self) -> Reach {
        match self.adapter.transport {
            Transport::Stdio => Reach::Stdio,
            Transport::Tcp => Reach::Tcp(self.port),
            Transport::Unix => Reach::Unix,
        }
    }
}
