//! Data breakpoints: they stop the program when a value is written or read.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Session;
use super::breakpoints::{SetBreakpointsBody, bound};
use crate::{DebugError, WaitLimits};

/// Limit per session; processors support about four.
const MAX_DATA_BREAKPOINTS: usize = 64;

/// A data breakpoint of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataBreakpoint {
    /// Its id, unique among all breakpoints.
    pub id: u64,
    /// The adapter's description of what it watches.
    pub what: String,
    /// `write`, `read`, `readWrite`.
    pub access: String,
    /// The adapter's `dataId`.
    data_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct DataBreakpointInfo {
    data_id: Option<String>,
    description: String,
    access_types: Vec<String>,
}

impl Session {
    /// The data breakpoints of this session.
    #[must_use]
    pub fn data(&self) -> Vec<DataBreakpoint> {
        self.data_breakpoints.lock().clone()
    }

    /// Sets a data breakpoint on a variable: a child of `reference`, or else an expression in
    /// `frame`. `access` is `write`, `read` or `readWrite`.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn set_data_breakpoint(
        &self,
        name: &str,
        reference: Option<i64>,
        frame: Option<i64>,
        access: &str,
        patience: WaitLimits<'_>,
    ) -> Result<DataBreakpoint, DebugError> {
        let adapter = self.adapter.name.clone();
        let unsupported = |what: String| DebugError::Unsupported { adapter: adapter.clone(), what };
        if !self.capabilities().supports_data_breakpoints {
            return Err(unsupported("set data breakpoints".to_owned()));
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let mut arguments = json!({ "name": name });
            if let Some(reference) = reference {
                arguments["variablesReference"] = reference.into();
            } else if let Some(frame) = frame {
                arguments["frameId"] = frame.into();
            }
            let info: DataBreakpointInfo =
                self.request("dataBreakpointInfo", &arguments, patience).await?;
            let data_id = info.data_id.ok_or_else(|| {
                unsupported(format!("stop at `{name:.80}`: {}", info.description))
            })?;
            if !info.access_types.is_empty() && !info.access_types.iter().any(|a| a == access) {
                let supported = info.access_types.join(", ");
                return Err(unsupported(format!(
                    "stop at this kind of access, only at: {supported}"
                )));
            }
            let one = DataBreakpoint {
                id: self.breakpoints.next_id(),
                what: info.description,
                access: access.to_owned(),
                data_id,
            };
            let too_many =
                || unsupported(format!("stop at more than {MAX_DATA_BREAKPOINTS} values"));
            let mut breakpoints = self.data();
            if breakpoints.len() >= MAX_DATA_BREAKPOINTS {
                return Err(too_many());
            }
            breakpoints.push(one.clone());
            self.send_data(breakpoints, patience).await?;
            Ok(one)
        })
    }

    /// Removes the data breakpoints whose id matches, and returns the removed ids.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn remove_data_breakpoints(
        &self,
        gone: impl Fn(u64) -> bool,
        patience: WaitLimits<'_>,
    ) -> Result<Vec<u64>, DebugError> {
        let (removed, kept): (Vec<_>, Vec<_>) = self.data().into_iter().partition(|d| gone(d.id));
        if !removed.is_empty() {
            self.runtime.block_on(self.send_data(kept, patience))?;
        }
        Ok(removed.iter().map(|one| one.id).collect())
    }

    async fn send_data(
        &self,
        breakpoints: Vec<DataBreakpoint>,
        patience: WaitLimits<'_>,
    ) -> Result<(), DebugError> {
        let _one_at_a_time = self.breakpoint_requests.lock().await;
        let all: Vec<Value> = breakpoints
            .iter()
            .map(|one| json!({ "dataId": one.data_id, "accessType": one.access }))
            .collect();
        let arguments = json!({ "breakpoints": all });
        let response: SetBreakpointsBody =
            self.request("setDataBreakpoints", &arguments, patience).await?;
        let new = breakpoints.iter().enumerate();
        let new = new.map(|(index, one)| (one.id, bound(response.breakpoints.get(index))));
        self.shared.bind(&[], new.collect());
        *self.data_breakpoints.lock() = breakpoints;
        Ok(())
    }
}
