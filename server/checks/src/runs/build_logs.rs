//! `build_logs`: what a kept run printed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::history::History;

pub(crate) struct BuildLogs;

/// Lines returned without a parameter, and the most.
const DEFAULT_LINES: usize = 100;
const MAX_LINES: usize = 2_000;
/// Bytes returned, and those of one line.
const MAX_BYTES: usize = 48_000;
const MAX_LINE_BYTES: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The id of the run; the last one without it.
    #[serde(default)]
    id: Option<String>,
    /// The last lines, at most 2,000.
    #[serde(default = "lines")]
    tail: usize,
    /// Only lines that contain this, in any case.
    #[serde(default)]
    filter: Option<String>,
}

fn lines() -> usize {
    DEFAULT_LINES
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The run.
    id: String,
    /// The last lines of what it printed.
    lines: Vec<String>,
    /// Number of lines before them.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

impl Tool for BuildLogs {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "build_logs";
    const DESCRIPTION: &'static str = "Return the last lines that a kept run of `build`, `test`, `lint`, \
        `typecheck` or `format` printed, with its commands; `filter` keeps lines that contain a text.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("run", "id"), ("build_id", "id"), ("buildId", "id"), ("lines", "tail")];

    fn text(result: &Value) -> Option<String> {
        let lines = result["lines"].as_array()?.iter().filter_map(Value::as_str);
        let lines: Vec<&str> = lines.collect();
        let before = result["left_out"].as_u64().map(|count| format!("[{count} lines before]\n"));
        Some(format!("{}{}", before.unwrap_or_default(), lines.join("\n")))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let history = History::open(context, Self::NAME)?;
        let record = history.find(params.id.as_deref())?;
        let log = history.log(record.id).unwrap_or_default();
        let filter = params.filter.unwrap_or_default().to_lowercase();
        let wanted: Vec<&str> =
            log.lines().filter(|line| line.to_lowercase().contains(&filter)).collect();
        let mut left = MAX_BYTES;
        let mut lines = Vec::new();
        for line in wanted.iter().rev().take(params.tail.min(MAX_LINES)) {
            let line = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
            if line.len() > left {
                break;
            }
            left -= line.len();
            lines.push(line.to_owned());
        }
        lines.reverse();
        let left_out = wanted.len() - lines.len();
        Ok(Output {
            id: record.id.to_string(),
            lines,
            left_out: Some(left_out).filter(|count| *count > 0),
        })
    }
}
