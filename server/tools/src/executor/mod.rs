//! Runs tool calls for every front end.
//!
//! A call passes these stages. Dropping its future cancels it at any of them.
//!
//! 1. [`Executor::accept`]: a tool that writes waits for the write lock, in order of arrival.
//! 2. [`AcceptedCall::run`]: the call waits for one of [`MAX_CALLS`] slots.
//! 3. The tool runs on a thread that is confined by Landlock, or, if it sets up a sandbox itself, on one
//!    that is not. A panic becomes an error of this one call.
//!
//! A call that ends before its third stage is recorded as cancelled. Lock order: the write lock, then a
//! slot, then the workspace's own locks.

mod headless;
mod threads;
mod throttle;
mod write_lock;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedMutexGuard, Semaphore};
use workspace::{Editor, Snapshot, Workspace};

pub use self::headless::HeadlessWorkspace;
pub use self::threads::{CallThreads, ConfineThread, Panicked, confine_to};
pub use self::throttle::Throttle;
pub use self::write_lock::{CallControl, WriteLock};
use crate::registry::find;
use crate::{Caller, Code, Context, Entry, Session, ToolError, call, cancelled, refused};

/// Calls of one workspace that run at a time; each has a thread.
const MAX_CALLS: usize = 64;
/// Prompts open at a time. Fewer than calls, so that open prompts never block all other tools.
const MAX_PROMPTS: usize = 32;

/// What calls run on.
pub trait Host: Send + Sync + 'static {
    /// The workspace.
    fn workspace(&self) -> &Workspace;
    /// The tools' state across calls. May be created by the first call, so it may block.
    fn session(&self) -> &Session;
    /// The confined threads.
    fn threads(&self) -> Arc<CallThreads>;
}

/// A call to run.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The tool's name or alias, as sent.
    pub tool: String,
    /// Its parameters, as sent.
    pub arguments: Value,
    /// The caller.
    pub caller: Caller,
}

/// The slots and the write lock of one workspace.
#[derive(Debug)]
pub struct Executor {
    slots: Arc<Semaphore>,
    write_lock: WriteLock,
    prompts: Arc<Semaphore>,
}

impl Default for Executor {
    fn default() -> Self {
        Self {
            slots: Arc::new(Semaphore::new(MAX_CALLS)),
            write_lock: WriteLock::default(),
            prompts: Arc::new(Semaphore::new(MAX_PROMPTS)),
        }
    }
}

impl Executor {
    /// The write lock, for changes that are no tool calls.
    #[must_use]
    pub fn write_lock(&self) -> &WriteLock {
        &self.write_lock
    }

    /// Accepts a call. Returns once it holds the write lock, if its tool needs that.
    pub async fn accept<H: Host>(&self, host: &Arc<H>, call: ToolCall) -> AcceptedCall<H> {
        let entry = find(&call.tool);
        let mut accepted = AcceptedCall {
            host: host.clone(),
            call: Some(call),
            entry,
            slots: self.slots.clone(),
            write_lock: self.write_lock.clone(),
            prompts: self.prompts.clone(),
            write_guard: None,
        };
        // Locked before any other await, so that writing calls run in order of arrival.
        if entry.is_some_and(Entry::needs_write_lock) {
            accepted.write_guard = Some(self.write_lock.acquire().await);
        }
        accepted
    }

    /// Runs work that is no tool call but needs an editor or the write lock, on a confined thread.
    ///
    /// # Errors
    /// If it panicked, or if no thread could be started.
    pub async fn run_operation<H: Host, R: Send + 'static>(
        &self,
        host: &Arc<H>,
        needs_write_lock: bool,
        work: impl FnOnce(CallControl) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        let write_guard =
            if needs_write_lock { Some(self.write_lock.acquire().await) } else { None };
        let interrupt = InterruptOnDrop::default();
        let control = CallControl::new(
            interrupt.0.clone(),
            self.write_lock.clone(),
            write_guard,
            self.prompts.clone(),
        );
        host.threads().run(move || work(control)).await
    }
}

/// A call that has not started. If it is dropped, it is recorded as cancelled.
pub struct AcceptedCall<H: Host> {
    host: Arc<H>,
    /// `None` once the call has started or was answered.
    call: Option<ToolCall>,
    entry: Option<&'static Entry>,
    slots: Arc<Semaphore>,
    write_lock: WriteLock,
    prompts: Arc<Semaphore>,
    write_guard: Option<OwnedMutexGuard<()>>,
}

impl<H: Host> AcceptedCall<H> {
    /// Releases the write lock. True if the call held it.
    pub fn release_write_lock(&mut self) -> bool {
        self.write_guard.take().is_some()
    }

    /// Waits for the write lock again.
    pub async fn reacquire_write_lock(&mut self) {
        self.write_guard = Some(self.write_lock.acquire().await);
    }

    /// Ends the call, which another server has answered and recorded.
    pub fn answered_elsewhere(mut self) {
        self.call = None;
    }

    /// Ends the call and records that it was refused with `error`.
    pub fn refuse(mut self, error: &ToolError) {
        let Some(ToolCall { tool, caller, .. }) = self.call.take() else { return };
        let (host, error) = (self.host.clone(), error.clone());
        record(move || refused(host.session(), &caller, &tool, &error));
    }

    /// Runs the call on `snapshot`, by default the workspace as it is when the call starts. `editor`
    /// creates the editor that the tool talks to, on the call's thread.
    ///
    /// # Errors
    /// The tool's.
    pub async fn run<E: Editor>(
        mut self,
        snapshot: Option<Snapshot>,
        editor: impl FnOnce(CallControl) -> E + Send + 'static,
    ) -> Result<Value, ToolError> {
        let slot = self.slots.clone().acquire_owned().await;
        let Some(ToolCall { tool, arguments, caller }) = self.call.take() else {
            return Err(internal_error("a call"));
        };
        let interrupt = InterruptOnDrop::default();
        let write_guard = self.write_guard.take();
        let control = CallControl::new(
            interrupt.0.clone(),
            self.write_lock.clone(),
            write_guard,
            self.prompts.clone(),
        );
        let (host, flag, name) = (self.host.clone(), interrupt.0.clone(), tool.clone());
        let work = move || {
            // Held until the work has ended, even if the future was dropped.
            let _slot = slot;
            let (workspace, session) = (host.workspace(), host.session());
            let snapshot = snapshot.unwrap_or_else(|| workspace.snapshot());
            let editor = editor(control);
            let context = Context::new(workspace, snapshot, &editor, &flag, session).by(caller);
            call(&context, &tool, arguments)
        };
        let done = if self.entry.is_some_and(Entry::runs_unsandboxed) {
            threads::run_unconfined(work).await
        } else {
            self.host.threads().run(work).await
        };
        done.unwrap_or_else(|Panicked| Err(internal_error(&name)))
    }
}

impl<H: Host> Drop for AcceptedCall<H> {
    fn drop(&mut self) {
        let Some(ToolCall { tool, arguments, caller }) = self.call.take() else { return };
        let host = self.host.clone();
        record(move || cancelled(host.session(), &caller, &tool, &arguments));
    }
}

/// Records in the background: writing to disk must not block the runtime's threads.
fn record(write: impl FnOnce() + Send + 'static) {
    match Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(write)),
        Err(_) => write(),
    }
}

fn internal_error(tool: &str) -> ToolError {
    let message =
        format!("{tool}: internal error; this is a bug in tandem. Other calls are not affected");
    ToolError::new(Code::Internal, message)
}

/// Sets its flag when dropped, so dropping a call's future cancels the call.
#[derive(Debug, Default)]
struct InterruptOnDrop(Arc<AtomicBool>);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
