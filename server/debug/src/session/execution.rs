//! Continues, steps and pauses the program.

use serde_json::{Value, json};

use super::Session;

use crate::client::{RequestFailure, wait_bounded};
use crate::phase::SessionPhase;
use crate::{DebugError, WaitLimits};

/// How to resume a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeKind {
    /// Until something stops it.
    Continue,
    /// To the next line of this function.
    Over,
    /// To the next line, into called functions.
    Into,
    /// To the return of this function.
    Out,
}

impl ResumeKind {
    fn command(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Over => "next",
            Self::Into => "stepIn",
            Self::Out => "stepOut",
        }
    }
}

impl Session {
    /// Resumes the program and waits until it stops or ends. If that takes longer than `patience`,
    /// returns [`Phase::Running`].
    ///
    /// # Errors
    /// When it is running already, has ended, or the adapter refuses.
    pub fn resume(
        &self,
        how: ResumeKind,
        thread: Option<i64>,
        patience: WaitLimits<'_>,
    ) -> Result<SessionPhase, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?;
            let thread = match thread.or(stop.thread) {
                Some(thread) => thread,
                None => self.any_thread(patience).await?,
            };
            if self.shared.set_running().is_none() {
                return Err(self.stopped().err().unwrap_or_else(|| self.ended()));
            }
            let arguments = json!({ "threadId": thread });
            let result: Result<Value, _> = self.request(how.command(), &arguments, patience).await;
            match result {
                // It may have stopped or ended meanwhile; `wait_until_halted` reports that.
                Ok(_) | Err(DebugError::Ended { .. }) => {}
                Err(error) => {
                    if matches!(error, DebugError::Refused { .. }) {
                        self.shared.restore_stop(stop);
                    }
                    return Err(error);
                }
            }
            self.wait_until_halted(patience).await
        })
    }

    /// Waits until the program stops or ends, at most `patience`.
    ///
    /// # Errors
    /// When cancelled.
    pub fn wait(&self, patience: WaitLimits<'_>) -> Result<SessionPhase, DebugError> {
        self.runtime.block_on(self.wait_until_halted(patience))
    }

    /// Pauses the program and waits until it has stopped.
    ///
    /// # Errors
    /// When it has ended, or the adapter refuses.
    pub fn pause(
        &self,
        thread: Option<i64>,
        patience: WaitLimits<'_>,
    ) -> Result<SessionPhase, DebugError> {
        self.runtime.block_on(async {
            match self.phase() {
                SessionPhase::Ended(_) => return Err(self.ended()),
                stopped @ SessionPhase::Stopped(_) => return Ok(stopped),
                SessionPhase::Starting | SessionPhase::Running => {}
            }
            let thread = match thread {
                Some(thread) => thread,
                None => self.any_thread(patience).await?,
            };
            let _: Value = self.request("pause", &json!({ "threadId": thread }), patience).await?;
            self.wait_until_halted(patience).await
        })
    }

    async fn wait_until_halted(
        &self,
        patience: WaitLimits<'_>,
    ) -> Result<SessionPhase, DebugError> {
        match wait_bounded(
            self.shared.until_halted(|| self.other_stopped(false).is_some()),
            patience,
        )
        .await
        {
            Ok(halted) => Ok(halted),
            Err(RequestFailure::Cancelled) => Err(DebugError::Cancelled),
            Err(_) => Ok(self.phase()),
        }
    }

    async fn any_thread(&self, patience: WaitLimits<'_>) -> Result<i64, DebugError> {
        let threads = self.all_threads(patience).await?;
        threads.first().map(|thread| thread.id).ok_or_else(|| DebugError::Unsupported {
            adapter: self.adapter.name.clone(),
            what: "report any thread of the program".to_owned(),
        })
    }
}
