//! `audit_log`: adds an event to the audit log.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct AuditLog;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What happened, in a word or a few.
    event: String,
    /// Details. Secrets are removed, long texts are kept by length and hash.
    #[serde(default)]
    #[allow(dead_code, reason = "recorded as an argument of the call")]
    details: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Always true.
    recorded: bool,
    /// The time (RFC 3339).
    timestamp: String,
}

impl Tool for AuditLog {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "audit_log";
    const DESCRIPTION: &'static str = "Add an event to the audit log, where a person and \
        `get_audit_log` find it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const EXAMPLES: &'static [&'static str] = &[r#"{"event": "review", "details": {"files": 3}}"#];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.event.trim().is_empty() {
            let message = format!("{}: `event` is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message).hint("name what happened"));
        }
        Ok(Vec::new())
    }

    /// Every call is recorded with its arguments, so there is nothing left to do.
    fn run(_: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        Ok(Output { recorded: true, timestamp: format!("{:.3}", Timestamp::now()) })
    }
}
