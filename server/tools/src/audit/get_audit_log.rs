//! `get_audit_log`: the record of calls, newest first.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::log::{AuditLog, Call, Filter};
use super::store::AuditError;
use crate::budget::BYTES;
use crate::{Code, Context, Effect, EffectKind, Target, Tool, ToolError};

pub(crate) struct GetAuditLog;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// At most so many calls: 20 by default, 200 at most.
    #[serde(default)]
    limit: Option<usize>,
    /// Where to read on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
    /// Calls of this tool only.
    #[serde(default)]
    tool: Option<String>,
    /// Calls since this time only (RFC 3339, for instance 2031-05-04T12:00:00Z).
    #[serde(default)]
    since: Option<String>,
    /// Calls that ended so only: `ok`, `error`, `unfinished`, or an error's code.
    #[serde(default)]
    outcome: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The calls, newest first.
    calls: Vec<Call>,
    /// Rows that this server could not put on record.
    #[serde(skip_serializing_if = "is_none")]
    lost: u64,
    /// True where there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Where to read on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(count: &u64) -> bool {
    *count == 0
}

const DEFAULT: usize = 20;
const MOST: usize = 200;

impl Tool for GetAuditLog {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_audit_log";
    const DESCRIPTION: &'static str = "The record of all calls of tools in this workspace, from \
        every front end, newest first: what was asked, with secrets left out, what it was to do, \
        whether and why that was allowed, and how it ended. It cannot be changed by any tool.";
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
        // One more tells whether there are more.
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

impl From<AuditError> for ToolError {
    fn from(error: AuditError) -> Self {
        Self::new(Code::Io, error.to_string()).hint("`tandem doctor` says where it is kept")
    }
}

/// How many calls are within the budget; one at least.
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
        let message = format!("get_audit_log: {name}: `{value:.60}` is none");
        ToolError::new(Code::InvalidParams, message).hint(hint)
    };
    let since = params.since.as_deref().map(|since| {
        since.parse::<Timestamp>().map_err(|_| wrong("since", since, "as in 2031-05-04T12:00:00Z"))
    });
    let before = params.cursor.as_deref().map(|cursor| {
        let number = cursor.parse::<i64>().ok().filter(|n| *n > 0);
        number.ok_or_else(|| {
            wrong("cursor", cursor, "pass the `next_cursor` of the result before, unchanged")
        })
    });
    if let Some(outcome) = &params.outcome {
        let known = Code::ALL.iter().map(|code| code.as_str());
        if !["ok", "error", "unfinished", "lost"].into_iter().chain(known).any(|o| o == outcome) {
            let hint = "`ok`, `error`, `unfinished` or an error's code";
            return Err(wrong("outcome", outcome, hint));
        }
    }
    Ok(Filter {
        limit: params.limit.unwrap_or(DEFAULT).clamp(1, MOST),
        before: before.transpose()?,
        since: since.transpose()?,
        tool: params.tool.clone(),
        outcome: params.outcome.clone(),
    })
}
