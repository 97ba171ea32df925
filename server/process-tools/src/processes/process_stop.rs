//! `process_stop`: asks a process to end, and kills it if it does not.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session_processes::{find, processes};
use super::status::{Status, push_created, status_text};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, command::guarded::Created, results::Lines,
};

pub(crate) struct ProcessStop;

const MAX_GRACE_MS: u64 = 60_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its id or name.
    id: String,
    /// How long it gets to end by itself, in milliseconds, at most 60,000.
    #[serde(default = "grace")]
    grace_ms: u64,
}

fn grace() -> u64 {
    5_000
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id.
    id: String,
    #[serde(flatten)]
    status: Status,
    /// Whether it had ended before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    had_ended: bool,
    /// Files that processes created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
}

impl Tool for ProcessStop {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "process_stop";
    const DESCRIPTION: &'static str = "End a process that `process_start` started: SIGTERM to its \
        group, and SIGKILL to it and everything that it started after `grace_ms`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "id"), ("process_id", "id"), ("timeout_ms", "grace_ms")];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        let before = if result["had_ended"] == true { " before" } else { "" };
        lines.push(format_args!("{}{before}", status_text(result)));
        push_created(&mut lines, result);
        Some(lines.finish(""))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.grace_ms > MAX_GRACE_MS {
            let message = format!("{}: `grace_ms` must be {MAX_GRACE_MS} at most", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let process = find(context, Self::NAME, &params.id)?;
        let had_ended = !process.is_running();
        if !had_ended {
            process.stop(Duration::from_millis(params.grace_ms));
        }
        let created_guarded = processes(context).settle(context);
        context.workspace.files_may_have_changed();
        let status = Status::of(&process);
        Ok(Output { id: process.id().to_owned(), status, had_ended, created_guarded })
    }
}
