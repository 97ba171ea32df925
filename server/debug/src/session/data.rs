//! Breakpoints on data: where a program stops when a value is changed or read.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Session;
use super::points::{Answered, bound};
use crate::{DebugError, Patience};

/// Most of one session; processors have four or so.
const MOST: usize = 64;

/// A value that a program stops at, in one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// Its number, among those of all breakpoints.
    pub id: u64,
    /// What is watched, in the adapter's words.
    pub what: String,
    /// `write`, `read`, `readWrite`.
    pub access: String,
    /// The adapter's own name for it.
    number: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Info {
    data_id: Option<String>,
    description: String,
    access_types: Vec<String>,
}

impl Session {
    /// The values that this session's program stops at.
    #[must_use]
    pub fn data(&self) -> Vec<Data> {
        self.data.lock().clone()
    }

    /// Stops where a variable is changed (`write`), `read` or both (`readWrite`). It is the one
    /// that `reference` holds, else an expression in `frame`.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn stop_at_data(
        &self,
        name: &str,
        reference: Option<i64>,
        frame: Option<i64>,
        access: &str,
        patience: Patience<'_>,
    ) -> Result<Data, DebugError> {
        let adapter = self.adapter.name.clone();
        let unable = |what: String| DebugError::Unsupported { adapter: adapter.clone(), what };
        if !self.capabilities().supports_data_breakpoints {
            return Err(unable("stop at data".to_owned()));
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let mut arguments = json!({ "name": name });
            if let Some(reference) = reference {
                arguments["variablesReference"] = reference.into();
            } else if let Some(frame) = frame {
                arguments["frameId"] = frame.into();
            }
            let info: Info = self.ask("dataBreakpointInfo", &arguments, patience).await?;
            let number = info
                .data_id
                .ok_or_else(|| unable(format!("stop at `{name:.80}`: {}", info.description)))?;
            if !info.access_types.is_empty() && !info.access_types.iter().any(|a| a == access) {
                let can = info.access_types.join(", ");
                return Err(unable(format!("stop where it is used so; it can where: {can}")));
            }
            let one = Data {
                id: self.breakpoints.number(),
                what: info.description,
                access: access.to_owned(),
                number,
            };
            let full = || unable(format!("stop at more than {MOST} values"));
            let mut wanted = self.data();
            if wanted.len() >= MOST {
                return Err(full());
            }
            wanted.push(one.clone());
            self.send_data(wanted, patience).await?;
            Ok(one)
        })
    }

    /// Stops at these no more, and gives back the numbers of those there were.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn forget_data(
        &self,
        gone: impl Fn(u64) -> bool,
        patience: Patience<'_>,
    ) -> Result<Vec<u64>, DebugError> {
        let (removed, kept): (Vec<_>, Vec<_>) = self.data().into_iter().partition(|d| gone(d.id));
        if !removed.is_empty() {
            self.runtime.block_on(self.send_data(kept, patience))?;
        }
        Ok(removed.iter().map(|one| one.id).collect())
    }

    async fn send_data(&self, wanted: Vec<Data>, patience: Patience<'_>) -> Result<(), DebugError> {
        let _one_at_a_time = self.setting.lock().await;
        let all: Vec<Value> = wanted
            .iter()
            .map(|one| json!({ "dataId": one.number, "accessType": one.access }))
            .collect();
        let arguments = json!({ "breakpoints": all });
        let answered: Answered = self.ask("setDataBreakpoints", &arguments, patience).await?;
        let new = wanted.iter().enumerate();
        let new = new.map(|(index, one)| (one.id, bound(answered.breakpoints.get(index))));
        self.shared.bind(&[], new.collect());
        *self.data.lock() = wanted;
        Ok(())
    }
}
