//! Runs tool calls for every front end.
//!
//! A call passes these stages. Dropping its future cancels it at any of them.
//!
//! 1. [`Executor::accept`]: a tool that writes waits for the write lock, in order of arrival.
//! 2. [`AcceptedCall::run`]: the call waits for one of [`MAX_CALLS`] slots.
//! 3. The tool runs on a thread that is confined by Landlock, or, if it sets up a sandbox itself, on one
//!    that is not. A panic becomes an error of this one call.
//!
//! A tool may go on in the background once its call was answered; its thread and its slot are kept until it
//! ends. A call that ends before its third stage is recorded as cancelled. Lock order: the write lock, then a
//! slot, then the workspace's own locks.

mod call_control;
mod cancel_gate;
mod detached_editor;
mod headless;
mod prompts_only;
mod step_caller;
mod step_editor;
mod threads;
mod throttle;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore, oneshot};
use workspace::{Editor, Snapshot, Workspace};

pub use self::call_control::{CallControl, answer_from};
pub use self::cancel_gate::CancelGate;
pub use self::headless::HeadlessWorkspace;
use self::step_caller::StepCaller;
pub use self::threads::{CallThreads, ConfineThread, Panicked, confine_to};
pub use self::throttle::Throttle;
use crate::approved_calls::ApprovedCalls;
use crate::dispatch::{call, cancelled, refused};
use crate::registry::find;
use crate::step_calls::Surroundings;
use crate::{Caller, Code, Context, Entry, Session, ToolError};

/// Calls of one workspace that run at a time; each has a thread.
const MAX_CALLS: usize = 64;
/// Calls of workflows' steps that run at a time. They are counted apart: a workflow holds a slot while it
/// waits for its steps.
const MAX_STEP_CALLS: usize = 64;
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
    /// By which the front end cancels it, as far as it does not just drop the future.
    pub gate: Arc<CancelGate>,
}

/// The slots and the write lock of one workspace.
#[derive(Debug, Clone)]
pub struct Executor(Arc<Limits>);

/// A host whose type is erased.
struct SharedHost(Arc<dyn Host>);

impl SharedHost {
    fn new(host: Arc<dyn Host>) -> Arc<Self> {
        Arc::new(Self(host))
    }
}

impl Host for SharedHost {
    fn workspace(&self) -> &Workspace {
        self.0.workspace()
    }

    fn session(&self) -> &Session {
        self.0.session()
    }

    fn threads(&self) -> Arc<CallThreads> {
        self.0.threads()
    }
}

/// The outcome of a call; `None` if it has been answered already.
type Outcome = Result<Option<Result<Value, ToolError>>, Panicked>;

/// What the calls of a workspace share.
#[derive(Debug)]
struct Limits {
    slots: Arc<Semaphore>,
    step_slots: Arc<Semaphore>,
    write_lock: Arc<AsyncMutex<()>>,
    prompts: Semaphore,
}

impl Default for Executor {
    fn default() -> Self {
        Self(Arc::new(Limits {
            slots: Arc::new(Semaphore::new(MAX_CALLS)),
            step_slots: Arc::new(Semaphore::new(MAX_STEP_CALLS)),
            write_lock: Arc::default(),
            prompts: Semaphore::new(MAX_PROMPTS),
        }))
    }
}

impl Executor {
    /// Waits for the write lock. Waiters hold no thread.
    async fn lock(&self) -> OwnedMutexGuard<()> {
        self.0.write_lock.clone().lock_owned().await
    }

    /// Accepts a call. Returns once it holds the write lock, if its tool needs that.
    pub async fn accept<H: Host>(&self, host: &Arc<H>, call: ToolCall) -> AcceptedCall<H> {
        let entry = find(&call.tool);
        let mut accepted = AcceptedCall {
            host: host.clone(),
            call: Some(call),
            entry,
            executor: self.clone(),
            write_guard: None,
            interrupt: Arc::default(),
            step: None,
        };
        // Locked before any other await, so that writing calls run in order of arrival.
        if entry.is_some_and(Entry::needs_write_lock) {
            accepted.write_guard = Some(self.lock().await);
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
        let write_guard = if needs_write_lock { Some(self.lock().await) } else { None };
        let running = CancelOnDrop::default();
        let control = CallControl::new(self.clone(), &running, write_guard);
        host.threads().run(move || work(control)).await
    }
}

/// A call that has not started. If it is dropped, it is recorded as cancelled.
pub struct AcceptedCall<H: Host> {
    host: Arc<H>,
    /// `None` once the call has started or was answered.
    call: Option<ToolCall>,
    entry: Option<&'static Entry>,
    executor: Executor,
    write_guard: Option<OwnedMutexGuard<()>>,
    interrupt: Arc<AtomicBool>,
    /// The workflow that the call is a step of.
    step: Option<Arc<ApprovedCalls>>,
}

impl<H: Host> AcceptedCall<H> {
    /// Makes the call a step of a workflow, which `approved` some calls for it.
    fn step_of(mut self, approved: Arc<ApprovedCalls>) -> Self {
        self.step = Some(approved);
        self
    }

    /// Releases the write lock. True if the call held it.
    pub fn release_write_lock(&mut self) -> bool {
        self.write_guard.take().is_some()
    }

    /// Waits for the write lock again.
    pub async fn reacquire_write_lock(&mut self) {
        self.write_guard = Some(self.executor.lock().await);
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
    pub async fn run<E: Editor + 'static>(
        mut self,
        snapshot: Option<Snapshot>,
        editor: impl FnOnce(CallControl) -> E + Send + 'static,
    ) -> Result<Value, ToolError> {
        let limits = &self.executor.0;
        let slots = if self.step.is_some() { &limits.step_slots } else { &limits.slots };
        let slot = slots.clone().acquire_owned().await;
        let Some(ToolCall { tool, arguments, caller, gate }) = self.call.take() else {
            return Err(internal_error("a call"));
        };
        let running = CancelOnDrop { interrupt: self.interrupt.clone(), gate };
        let write_guard = self.write_guard.take();
        let control = CallControl::new(self.executor.clone(), &running, write_guard);
        let (host, flag, name) = (self.host.clone(), running.interrupt.clone(), tool.clone());
        let (executor, runtime) = (self.executor.clone(), Handle::current());
        let step = self.step.take();
        let (answer, mut early_answer) = oneshot::channel();
        let is_answered = Arc::<AtomicBool>::default();
        let work = move || {
            // Held until the work has ended, even if the future was dropped.
            let _slot = slot;
            let (workspace, session) = (host.workspace(), host.session());
            let snapshot = snapshot.unwrap_or_else(|| workspace.snapshot());
            let editor: Arc<dyn Editor> = Arc::new(editor(control));
            let context = Context::new(workspace, snapshot, &*editor, &flag, session).by(caller);
            let context = match step {
                Some(approved) => context.with_approved_calls(approved),
                None => {
                    let (host, caller) = (SharedHost::new(host.clone()), context.caller.clone());
                    let (editor, interrupt) = (editor.clone(), flag.clone());
                    let is_answered = is_answered.clone();
                    let surroundings = Surroundings { runtime, editor, interrupt, is_answered };
                    let calls = StepCaller { host, executor, surroundings, caller };
                    context.with_step_calls(Box::new(calls))
                }
            };
            let result = call(&context, &tool, arguments);
            match context.take_later_work().filter(|_| result.is_ok()) {
                None => Some(result),
                Some(later) => {
                    is_answered.store(true, Ordering::Relaxed);
                    // Without a receiver the call was cancelled, and its interrupt flag is set.
                    let _ = answer.send(result);
                    later(&context);
                    None
                }
            }
        };
        let is_unsandboxed = self.entry.is_some_and(Entry::runs_unsandboxed);
        let threads = self.host.threads();
        let mut done: Pin<Box<dyn Future<Output = Outcome> + Send>> = match is_unsandboxed {
            true => Box::pin(threads::run_unconfined(work)),
            false => Box::pin(async move { threads.run(work).await }),
        };
        tokio::select! {
            biased;
            Ok(answer) = &mut early_answer => {
                tokio::spawn(async move {
                    // The call is not cancelled by having been answered.
                    let _running = running;
                    done.await
                });
                answer
            }
            done = &mut done => match done {
                Ok(Some(result)) => result,
                // It ended at once after it was answered.
                Ok(None) => early_answer.try_recv().unwrap_or_else(|_| Err(internal_error(&name))),
                Err(Panicked) => Err(internal_error(&name)),
            },
        }
    }
}

impl<H: Host> Drop for AcceptedCall<H> {
    fn drop(&mut self) {
        let Some(ToolCall { tool, arguments, caller, .. }) = self.call.take() else { return };
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

/// Cancels its call when dropped, so dropping a call's future does.
#[derive(Debug, Default)]
struct CancelOnDrop {
    interrupt: Arc<AtomicBool>,
    gate: Arc<CancelGate>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.gate.cancel();
        self.interrupt.store(true, Ordering::Relaxed);
    }
}
