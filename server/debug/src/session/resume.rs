//! Letting the program go on, and waiting until it stops.

use serde_json::{Value, json};

use super::{Phase, Session};
use crate::client::{Failure, Wait, bounded};
use crate::{DebugError, Patience};

/// How a program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// Until something stops it.
    Continue,
    /// To the next line of this function.
    Over,
    /// To the next line, into what is called.
    Into,
    /// To the end of this function.
    Out,
}

impl Resume {
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
    /// Lets the program go on and waits until it stops or is over, `patience` at most: then it is
    /// still [`Phase::Running`].
    ///
    /// # Errors
    /// When it runs already, is over, or the adapter refuses.
    pub fn resume(
        &self,
        how: Resume,
        thread: Option<i64>,
        patience: Patience<'_>,
    ) -> Result<Phase, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?;
            let thread = match thread.or(stop.thread) {
                Some(thread) => thread,
                None => self.any_thread(patience).await?,
            };
            if self.shared.run().is_none() {
                return Err(self.stopped().err().unwrap_or_else(|| self.ended()));
            }
            let arguments = json!({ "threadId": thread });
            let told: Result<Value, _> = self.ask(how.command(), &arguments, patience).await;
            match told {
                // What it did in the meantime counts.
                Ok(_) | Err(DebugError::Ended { .. }) => {}
                Err(error) => {
                    if matches!(error, DebugError::Refused { .. }) {
                        self.shared.stay(stop);
                    }
                    return Err(error);
                }
            }
            self.halt(patience).await
        })
    }

    /// Waits until the program stops or is over, `patience` at most.
    ///
    /// # Errors
    /// When cancelled.
    pub fn wait(&self, patience: Patience<'_>) -> Result<Phase, DebugError> {
        self.runtime.block_on(self.halt(patience))
    }

    /// Stops the program where it is, and waits until it has.
    ///
    /// # Errors
    /// When it is over or the adapter refuses.
    pub fn pause(&self, thread: Option<i64>, patience: Patience<'_>) -> Result<Phase, DebugError> {
        self.runtime.block_on(async {
            match self.phase() {
                Phase::Ended(_) => return Err(self.ended()),
                stopped @ Phase::Stopped(_) => return Ok(stopped),
                Phase::Starting | Phase::Running => {}
            }
            let thread = match thread {
                Some(thread) => thread,
                None => self.any_thread(patience).await?,
            };
            let _: Value = self.ask("pause", &json!({ "threadId": thread }), patience).await?;
            self.halt(patience).await
        })
    }

    async fn halt(&self, patience: Patience<'_>) -> Result<Phase, DebugError> {
        let wait = Wait { longest: patience.longest, interrupt: patience.interrupt };
        match bounded(self.shared.halted(|| self.relative(false).is_some()), wait).await {
            Ok(halted) => Ok(halted),
            Err(Failure::Cancelled) => Err(DebugError::Cancelled),
            Err(_) => Ok(self.phase()),
        }
    }

    async fn any_thread(&self, patience: Patience<'_>) -> Result<i64, DebugError> {
        let threads = self.all_threads(patience).await?;
        threads.first().map(|thread| thread.id).ok_or_else(|| DebugError::Unsupported {
            adapter: self.adapter.name.clone(),
            what: "tell of any thread of the program".to_owned(),
        })
    }
}
