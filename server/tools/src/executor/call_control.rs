//! What a running call waits for.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use workspace::{ApprovalDecision, ApprovalRequest, NoAnswer, OtherAnswer};

use super::{CancelGate, CancelOnDrop, Executor};

/// How often a wait checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How often a wait checks for an answer from elsewhere.
const ANSWER_INTERVAL: Duration = Duration::from_millis(50);
/// How long a client may take to take back a question.
const WITHDRAW_TIMEOUT: Duration = Duration::from_millis(500);

/// The answer from elsewhere, once it is there.
pub async fn answer_from(elsewhere: &OtherAnswer) -> ApprovalDecision {
    loop {
        if let Some(decision) = elsewhere.get() {
            return decision;
        }
        tokio::time::sleep(ANSWER_INTERVAL).await;
    }
}

/// What the editor of a running call needs to know about it: whether it was cancelled, and the write
/// lock if the tool takes it.
#[derive(Debug)]
pub struct CallControl {
    executor: Executor,
    interrupt: Arc<AtomicBool>,
    gate: Arc<CancelGate>,
    write_guard: Mutex<Option<OwnedMutexGuard<()>>>,
    runtime: Handle,
}

impl CallControl {
    /// Must be called on the async runtime.
    pub(super) fn new(
        executor: Executor,
        call: &CancelOnDrop,
        write_guard: Option<OwnedMutexGuard<()>>,
    ) -> Self {
        let (interrupt, gate) = (call.interrupt.clone(), call.gate.clone());
        let (write_guard, runtime) = (Mutex::new(write_guard), Handle::current());
        Self { executor, interrupt, gate, write_guard, runtime }
    }

    /// The flag that is set once the call is cancelled.
    #[must_use]
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// For [`Editor::begin_effects`](workspace::Editor::begin_effects).
    pub fn begin_effects(&self) {
        self.gate.begin_effects();
    }

    /// For [`Editor::commit`](workspace::Editor::commit).
    #[must_use]
    pub fn commit(&self) -> bool {
        self.gate.commit()
    }

    /// For [`Editor::end_changes`](workspace::Editor::end_changes).
    pub fn release_write_lock(&self) {
        self.write_guard.lock().take();
    }

    /// Whether the call was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns once the call is cancelled.
    pub async fn cancelled(&self) {
        while !self.is_cancelled() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Blocks the thread until `answer` is there.
    pub fn wait<R>(&self, answer: impl Future<Output = R>) -> R {
        self.runtime.block_on(answer)
    }

    /// Blocks the thread until a person has answered. Other writing calls run meanwhile.
    ///
    /// # Errors
    /// If too many answers are awaited, or if the call was cancelled before it had the write lock again.
    pub fn wait_for_person<R>(&self, answer: impl Future<Output = R>) -> Result<R, NoAnswer> {
        let Ok(_open) = self.executor.0.prompts.try_acquire() else {
            tracing::warn!("too many open prompts: one is rejected");
            return Err(NoAnswer::TooMany);
        };
        self.without_write_lock(|| self.wait(answer))
    }

    /// Blocks the thread until a person has answered `question`: by `asked`, or elsewhere. `asked` has to end soon once
    /// there is an answer from elsewhere or the call is cancelled, since it takes its question back then. If nobody
    /// answers it, somebody elsewhere still may.
    ///
    /// # Errors
    /// Why there is no decision.
    pub fn wait_for_decision(
        &self,
        question: &ApprovalRequest,
        asked: impl Future<Output = Result<ApprovalDecision, NoAnswer>>,
    ) -> Result<ApprovalDecision, NoAnswer> {
        self.wait_for_person(async {
            let Some(elsewhere) = &question.elsewhere else { return asked.await };
            let until = tokio::time::Instant::now() + question.timeout;
            let mut asked = pin!(asked);
            let answer = tokio::select! {
                answer = &mut asked => answer,
                decision = answer_from(elsewhere) => {
                    // It takes its question back.
                    let _ = tokio::time::timeout(WITHDRAW_TIMEOUT, asked).await;
                    return Ok(decision);
                }
            };
            match answer {
                Err(_) if elsewhere.may_come() => tokio::select! {
                    decision = answer_from(elsewhere) => Ok(decision),
                    () = tokio::time::sleep_until(until) => answer,
                    () = self.cancelled() => answer,
                },
                answer => answer,
            }
        })?
    }

    /// Runs `wait` without the write lock, if the call has it, and takes it again.
    ///
    /// # Errors
    /// If the call was cancelled before it had the write lock again.
    pub(super) fn without_write_lock<R>(&self, wait: impl FnOnce() -> R) -> Result<R, NoAnswer> {
        let mut write_guard = self.write_guard.lock();
        let had_write_lock = write_guard.take().is_some();
        let answer = wait();
        if had_write_lock {
            *write_guard = self.wait(async {
                tokio::select! {
                    guard = self.executor.lock() => Some(guard),
                    () = self.cancelled() => None,
                }
            });
            write_guard.as_ref().ok_or(NoAnswer::Unanswered)?;
        }
        Ok(answer)
    }
}
