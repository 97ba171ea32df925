//! `process_output`: what a process has written.

use process::WaitRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::display::{Page, push_page};
use super::readiness::{self, Waited, waited_text};
use super::session_processes::{find, processes};
use super::status::{Status, push_created, status_text};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    command::guarded::Created,
    results::{Lines, OutputCursor},
};

pub(crate) struct ProcessOutput;

/// Lines without a cursor.
const DEFAULT_LINES: usize = 100;
const MAX_LINES: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its id or name.
    id: String,
    /// `next_cursor` of an earlier result; without it, the last lines are returned.
    #[serde(default)]
    cursor: Option<OutputCursor>,
    /// Number of lines without a cursor, at most 2,000.
    #[serde(default = "lines")]
    tail_lines: usize,
    /// Wait for a line that matches this regular expression: from the cursor on, or in everything
    /// that is kept.
    #[serde(default)]
    wait_for: Option<String>,
    /// How long to wait for that, or for any output after the cursor, in milliseconds; 30,000 with
    /// `wait_for`, otherwise 0.
    #[serde(default)]
    wait_ms: Option<u64>,
    /// Keep escape sequences and overwritten lines.
    #[serde(default)]
    raw: bool,
}

fn lines() -> usize {
    DEFAULT_LINES
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    status: Status,
    /// Why the wait ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited: Option<Waited>,
    /// Files that processes created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
}

impl Tool for ProcessOutput {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "process_output";
    const DESCRIPTION: &'static str = "The output of a process that `process_start` started: its \
        last lines, or all from a cursor on. `wait_for` waits for a line. The last megabyte is \
        kept.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("name", "id"),
        ("process_id", "id"),
        ("lines", "tail_lines"),
        ("tail", "tail_lines"),
        ("pattern", "wait_for"),
        ("timeout_ms", "wait_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check().map(|_| Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (cursor, wait) = params.check()?;
        let process = find(context, Self::NAME, &params.id)?;
        let created_guarded = processes(context).settle(context);
        let (kept, end) = process.output_range();
        let waited = match wait {
            None => None,
            Some((pattern, wait_ms)) => {
                let request = match pattern {
                    Some(pattern) => WaitRequest {
                        pattern: Some((pattern, cursor.unwrap_or(kept))),
                        ..WaitRequest::default()
                    },
                    None => WaitRequest {
                        output_after: Some(cursor.unwrap_or(end)),
                        ..WaitRequest::default()
                    },
                };
                Some(readiness::wait(context, Self::NAME, &process, &request, wait_ms)?)
            }
        };
        // First: a page that is not the last of an ended process says so.
        let status = Status::of(&process);
        let page = match cursor {
            Some(cursor) => Page::from_cursor(&process, cursor, params.raw),
            None => Page::last_lines(&process, params.tail_lines, params.raw),
        };
        Ok(Output { page, status, waited, created_guarded })
    }
}

/// A pattern to wait for, and how long.
type Wait = (Option<process::Pattern>, u64);

impl Params {
    /// The cursor, and what to wait for.
    fn check(&self) -> Result<(Option<u64>, Option<Wait>), ToolError> {
        let tool = ProcessOutput::NAME;
        let invalid = |why: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        if self.tail_lines == 0 || self.tail_lines > MAX_LINES {
            return Err(invalid(&format!("`tail_lines` must be from 1 to {MAX_LINES}")));
        }
        let cursor = self.cursor.as_ref().map(|cursor| cursor.offset(tool)).transpose()?;
        let wait_ms = readiness::wait_ms(tool, "wait_ms", self.wait_ms)?;
        let wait = match (&self.wait_for, self.wait_ms) {
            (Some(text), _) => Some((Some(readiness::pattern(tool, text)?), wait_ms)),
            (None, Some(1..)) => Some((None, wait_ms)),
            (None, _) => None,
        };
        Ok((cursor, wait))
    }
}

/// The output, and a last line with what is not to be seen in it.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    push_page(&mut lines, result);
    push_created(&mut lines, result);
    lines.push(last_line(result));
    lines.finish("")
}

/// Status, wait and cursor of a result.
pub(super) fn last_line(result: &Value) -> String {
    let mut parts = vec![status_text(result)];
    parts.extend(waited_text(&result["waited"]));
    let cursor = result["next_cursor"].as_str().unwrap_or_default();
    if result["more"] == true {
        parts.push(format!("more from cursor {cursor} on"));
    } else if result["status"] == "running" {
        parts.push(format!("cursor {cursor}"));
    }
    format!("[{}]", parts.join("; "))
}
