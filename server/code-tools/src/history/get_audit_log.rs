//! `get_audit_log`: recorded calls, newest first.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tools::{
    Code, Context, Effect, EffectKind, Target, Tool, ToolError,
    audit::{AuditFilter as Filter, AuditLog, Call},
    budget::BYTES,
};

pub(crate) struct GetAuditLog;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Page size: 20 by default, at most 200.
    #[serde(default)]
    limit: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
    /// Only calls of this tool.
    #[serde(default)]
    tool: Option<String>,
    /// Only calls since this time (RFC 3339, for instance 2031-05-04T12:00:00Z).
    #[serde(default)]
    since: Option<String>,
    /// Only this outcome: `ok`, `error`, `unfinished`, or an error code.
    #[serde(default)]
    outcome: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The calls, newest first.
    calls: Vec<Call>,
    /// Number of calls that this server failed to record.
    #[serde(skip_serializing_if = "is_none")]
    lost: u64,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

const DEFAULT_PAGE_SIZE: usize = 20;
const MAX_PAGE_SIZE: usize = 200;

impl Tool for GetAuditLog {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_audit_log";
    const DESCRIPTION: &'static str = "The audit log of this workspace, newest first: every tool \
        call of every front end with arguments (secrets removed), effects, decision and outcome. \
        No tool can change it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        filter(params)?;
        let target = Target::Named("the audit record".to_owned());
        Ok(vec![Effect { kind: EffectKind::Read, target, detail: None }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut filter = filter(&params)?;
        let limit = filter.limit;
        let canonical = |tool: &String| tools::find(tool).map(|tool| tool.name);
        filter.tool = params.tool.as_ref().and_then(canonical).map(str::to_owned).or(filter.tool);
        // One more, to detect a next page.
        filter.limit += 1;
        context.session.audit.flush();
        let mut calls = AuditLog::of(&context.snapshot).and_then(|log| log.calls(&filter))?;
        let fitting = fitting(&calls).min(limit);
        let truncated = calls.len() > fitting;
        calls.truncate(fitting);
        let next_cursor = calls.last().filter(|_| truncated).map(|call| call.id.to_string());
        Ok(Output { calls, lost: context.session.audit.lost(), truncated, next_cursor })
    }
}

/// How many calls fit the output budget; at least one.
fn fitting(calls: &[Call]) -> usize {
    let mut used = 0;
    let within = calls.iter().take_while(|call| {
        used += serde_json::to_string(call).map_or(0, |json| json.len());
        used <= BYTES
    });
    within.count().max(1)
}

fn filter(params: &Params) -> Result<Filter, ToolError> {
    let wrong = |name: &str, value: &str, hint: &str| {
        let message = format!("get_audit_log: {name}: `{value:.60}` is invalid");
        ToolError::new(Code::InvalidParams, message).hint(hint)
    };
    let since = params.since.as_deref().map(|since| {
        since.parse::<Timestamp>().map_err(|_| wrong("since", since, "as in 2031-05-04T12:00:00Z"))
    });
    let before = params.cursor.as_deref().map(|cursor| {
        let number = cursor.parse::<i64>().ok().filter(|n| *n > 0);
        number.ok_or_else(|| wrong("cursor", cursor, "pass `next_cursor` of the previous page"))
    });
    if let Some(outcome) = &params.outcome {
        let known = Code::ALL.iter().map(|code| code.as_str());
        if !["ok", "error", "unfinished", "lost"].into_iter().chain(known).any(|o| o == outcome) {
            let hint = "`ok`, `error`, `unfinished` or an error's code";
            return Err(wrong("outcome", outcome, hint));
        }
    }
    Ok(Filter {
        limit: params.limit.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE),
        before: before.transpose()?,
        since: since.transpose()?,
        tool: params.tool.clone(),
        outcome: params.outcome.clone(),
    })
}
