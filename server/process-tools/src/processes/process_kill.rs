//! `process_kill`: kills a process of ours, or sends it another signal.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session_processes::{find, processes};
use super::signals::{KILL, SignalName, signal_name};
use super::status::{Status, push_created, status_text};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, command::guarded::Created, results::Lines,
};

pub(crate) struct ProcessKill;

/// How long a killed process may take to be gone: longer is reported.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for the effect of another signal.
const SIGNAL_TIMEOUT: Duration = Duration::from_millis(100);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its id or name.
    id: String,
    /// The signal, by name or number: `INT`, `HUP`, `USR1`, …
    #[serde(default = "kill")]
    signal: SignalName,
}

fn kill() -> SignalName {
    SignalName::Number(KILL)
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id.
    id: String,
    /// The signal that was sent.
    sent: &'static str,
    #[serde(flatten)]
    status: Status,
    /// Files that processes created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
}

impl Tool for ProcessKill {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "process_kill";
    const DESCRIPTION: &'static str = "Kill a process that `process_start` started, with everything \
        that it started, at once; or send its group another signal.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "id"), ("process_id", "id")];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        lines.push(status_text(result));
        push_created(&mut lines, result);
        Some(lines.finish(""))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.signal.number(Self::NAME).map(|_| Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let number = params.signal.number(Self::NAME)?;
        let process = find(context, Self::NAME, &params.id)?;
        if !process.is_running() {
            let message = format!("{}: process {} has ended", Self::NAME, process.id());
            return Err(ToolError::new(Code::Unavailable, message));
        }
        if number == KILL {
            process.kill();
            process.wait_for_end(KILL_TIMEOUT);
        } else {
            process.signal(number).map_err(|error| {
                let message = format!("{}: process {}: {error}", Self::NAME, process.id());
                ToolError::new(Code::Io, message)
            })?;
            process.wait_for_end(SIGNAL_TIMEOUT);
        }
        let created_guarded = processes(context).settle(context);
        context.workspace.files_may_have_changed();
        let status = Status::of(&process);
        let id = process.id().to_owned();
        Ok(Output { id, sent: signal_name(number), status, created_guarded })
    }
}
