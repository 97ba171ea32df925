//! `delegate_status`: the agents that work in the background, and what those that ended report.

use std::sync::atomic::Ordering;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use super::background::{Background, Delegations, Progress};
use super::text;

pub(crate) struct DelegateStatus;

/// The longest wait, in milliseconds.
const MAX_WAIT_MS: u64 = 300_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A delegation, to get its report; without it all are listed.
    #[serde(default)]
    id: Option<String>,
    /// Wait up to so many milliseconds for its end, at most 300,000.
    #[serde(default)]
    wait_ms: u64,
    /// End it.
    #[serde(default)]
    stop: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The delegations, the newest first.
    delegations: Vec<Delegation>,
}

#[derive(Serialize, JsonSchema)]
struct Delegation {
    /// Its id.
    id: String,
    /// The agent.
    agent: String,
    /// How the task begins.
    task: String,
    /// `running`, `done`, `failed` or `stopped`.
    state: &'static str,
    /// How long it has run.
    duration_ms: u64,
    /// What the agent does now, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    doing: Option<String>,
    /// What `delegate` returns without `background`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    result: Option<Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    error: Option<Value>,
}

impl Delegation {
    fn new(one: &Background, is_whole: bool) -> Self {
        let Progress { duration, doing, outcome } = one.progress();
        let (state, result, error) = match outcome {
            None => ("running", None, None),
            Some(Ok(output)) => ("done", Some(json!(*output)), None),
            Some(Err(error)) if error.code == Code::Cancelled => ("stopped", None, None),
            Some(Err(error)) => ("failed", None, Some(error.data())),
        };
        Self {
            id: one.id.clone(),
            agent: one.agent.clone(),
            task: one.task.clone(),
            state,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            doing,
            result: result.filter(|_| is_whole),
            error,
        }
    }
}

impl Tool for DelegateStatus {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "delegate_status";
    const DESCRIPTION: &'static str = "List the agents that `delegate` started in the background, or \
        with `id` return what one has done; `wait_ms` waits for its end, `stop` ends it.";
    const EFFECTS: &'static [EffectKind] = &[];
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn text(result: &Value) -> Option<String> {
        let all = result["delegations"].as_array()?;
        let line = |one: &Value| {
            let field = |name: &str| one[name].as_str().unwrap_or_default();
            let mut line =
                format!("{} {} {}: {}", field("id"), field("agent"), field("state"), field("task"));
            if let Some(doing) = one["doing"].as_str() {
                line.push_str(&format!("\nnow: {doing}"));
            }
            if one["result"].is_object() {
                line.push_str(&format!("\n{}", text(&one["result"])));
            }
            if let Some(message) = one["error"]["message"].as_str() {
                line.push_str(&format!("\n{message}"));
            }
            line
        };
        let lines: Vec<String> = all.iter().map(line).collect();
        Some(if lines.is_empty() { "no agent was started".to_owned() } else { lines.join("\n") })
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid = |what: &str| {
            Err(ToolError::new(Code::InvalidParams, format!("{}: {what}", Self::NAME)))
        };
        if params.wait_ms > MAX_WAIT_MS {
            return invalid("`wait_ms` must be 300,000 at most");
        }
        if params.id.is_none() && (params.stop || params.wait_ms > 0) {
            return invalid("`stop` and `wait_ms` need an `id`");
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut all = context.session.family::<Delegations>().all();
        all.reverse();
        let Some(id) = params.id else {
            let delegations = all.iter().map(|one| Delegation::new(one, false)).collect();
            return Ok(Output { delegations });
        };
        let Some(one) = all.iter().find(|one| one.id == id) else {
            let message = format!("{}: there is no delegation `{id:.40}`", Self::NAME);
            let hint =
                "call it without `id` for a list; the last 32 are kept, until the server ends";
            return Err(ToolError::new(Code::PathNotFound, message).hint(hint));
        };
        if params.stop {
            one.stop();
        }
        one.wait(Duration::from_millis(params.wait_ms), || {
            context.interrupt.load(Ordering::Relaxed)
        });
        Ok(Output { delegations: vec![Delegation::new(one, true)] })
    }
}
