//! `metrics_record`: records an event.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::daily_log::DailyLog;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, metric_event::MetricEvent};

pub(crate) struct MetricsRecord;

/// The log's name in the state folder.
pub(super) const LOG: &str = "metrics";
/// Limit for types and names, in bytes.
const MAX_NAME_BYTES: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What kind of event it is, such as `test_run`.
    r#type: String,
    /// The agent.
    #[serde(default)]
    agent_id: Option<String>,
    /// The repository that it is about.
    #[serde(default)]
    repo: Option<String>,
    /// Anything else; queries summarize its numbers.
    #[serde(default)]
    data: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether it was recorded.
    success: bool,
    /// When it was recorded (RFC 3339).
    timestamp: String,
}

impl Tool for MetricsRecord {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "metrics_record";
    const DESCRIPTION: &'static str = "Record an event of your work, for `metrics_query`: its type, \
        and any data. Kept with the workspace's state, outside the workspace.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"type": "test_run", "agent_id": "a1", "repo": "app", "data": {"duration_ms": 1200}}"#,
    ];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let Params { r#type, agent_id, repo, .. } = params;
        let invalid = |why: String| {
            Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)))
        };
        if r#type.trim().is_empty() {
            return invalid("`type` is empty".to_owned());
        }
        let names = [Some(r#type), agent_id.as_ref(), repo.as_ref()];
        if names.into_iter().flatten().any(|name| name.len() > MAX_NAME_BYTES) {
            return invalid(format!("names have at most {MAX_NAME_BYTES} bytes"));
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let Params { r#type, agent_id, repo, data } = params;
        let timestamp = Timestamp::now();
        let event = MetricEvent { r#type, timestamp, agent_id, repo, data };
        DailyLog::open(context, Self::NAME, LOG)?.append(timestamp, &event)?;
        context.session.metric_recorded(&event);
        Ok(Output { success: true, timestamp: timestamp.to_string() })
    }
}
