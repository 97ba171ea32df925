//! The workspace's breakpoints, in one session.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Phase, Session};
use crate::{Bound, BoundBreakpoint, Breakpoint, DebugError, Patience};

#[derive(Deserialize)]
struct Answered {
    #[serde(default)]
    breakpoints: Vec<BoundBreakpoint>,
}

impl Session {
    /// What became of the workspace's breakpoints here, by their numbers.
    #[must_use]
    pub fn bound(&self) -> HashMap<u64, Bound> {
        self.shared.bound()
    }

    /// Tells the adapter of the breakpoints of a file as they are now. Nothing where it is over.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn set_breakpoints(&self, file: &Path, patience: Patience<'_>) -> Result<(), DebugError> {
        if matches!(self.phase(), Phase::Ended(_)) || self.is_leaving() {
            return Ok(());
        }
        self.runtime.block_on(self.set_file(file, patience))
    }

    pub(super) async fn set_all(&self, patience: Patience<'_>) -> Result<(), DebugError> {
        for file in self.breakpoints.files() {
            match self.set_file(&file, patience).await {
                // Each says of itself that it is not there.
                Ok(()) | Err(DebugError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    async fn set_file(&self, file: &Path, patience: Patience<'_>) -> Result<(), DebugError> {
        let _one_at_a_time = self.setting.lock().await;
        let all = self.breakpoints.of(file);
        let (sent, unable): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| self.inability(one).is_none());
        let wanted: Vec<Value> = sent.iter().map(described).collect();
        let arguments = json!({
            "source": { "name": file.file_name().map(|name| name.to_string_lossy()), "path": file.to_string_lossy() },
            "breakpoints": wanted,
            "lines": sent.iter().map(|one| one.line).collect::<Vec<_>>(),
            "sourceModified": false,
        });
        let answered: Result<Answered, _> = self.ask("setBreakpoints", &arguments, patience).await;
        let mut new: Vec<(u64, Bound)> = unable
            .iter()
            .map(|one| {
                let message =
                    self.inability(one).map(|what| format!("{} cannot {what}", self.adapter.name));
                (one.id, Bound { message, ..Bound::default() })
            })
            .collect();
        match &answered {
            Ok(answered) => {
                for (index, one) in sent.iter().enumerate() {
                    new.push((one.id, bound(answered.breakpoints.get(index))));
                }
            }
            Err(error) => {
                let failed = |one: &Breakpoint| {
                    (one.id, Bound { message: Some(error.to_string()), ..Bound::default() })
                };
                new.extend(sent.iter().map(failed));
            }
        }
        self.shared.bind(&[], new);
        answered.map(drop)
    }

    /// What the adapter would have to be able to do for this breakpoint, and is not.
    fn inability(&self, one: &Breakpoint) -> Option<&'static str> {
        let can = self.capabilities();
        let condition = &one.condition;
        if condition.expression.is_some() && !can.supports_conditional_breakpoints {
            return Some("stop under a condition");
        }
        if condition.hits.is_some() && !can.supports_hit_conditional_breakpoints {
            return Some("count hits");
        }
        (condition.log.is_some() && !can.supports_log_points).then_some("write log messages")
    }

    /// Forgets breakpoints that are wanted no more.
    pub fn forget(&self, ids: &[u64]) {
        self.shared.bind(ids, Vec::new());
    }
}

fn described(one: &Breakpoint) -> Value {
    let mut described = json!({ "line": one.line });
    let condition = &one.condition;
    for (name, value) in [
        ("condition", &condition.expression),
        ("hitCondition", &condition.hits),
        ("logMessage", &condition.log),
    ] {
        if let Some(value) = value {
            described[name] = value.as_str().into();
        }
    }
    described
}

fn bound(answered: Option<&BoundBreakpoint>) -> Bound {
    let Some(answered) = answered else {
        let message = Some("the adapter did not say what became of it".to_owned());
        return Bound { message, ..Bound::default() };
    };
    Bound {
        number: answered.id,
        verified: answered.verified,
        line: answered.line.and_then(|line| u32::try_from(line).ok()),
        message: answered.message.clone().filter(|text| !text.is_empty()),
    }
}
