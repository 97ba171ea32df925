//! The record of what models were asked: counts and times, never texts.

use jiff::Timestamp;
use records::{DailyLog, LogPage};
use serde::{Deserialize, Serialize};
use tools::{Context, ToolError};

use crate::limits::MAX_COUNTED_RUNS;

/// The log's name in the state folder.
const LOG: &str = "model_runs";

/// One answer of a model, or one failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// RFC 3339.
    pub(crate) timestamp: String,
    pub(crate) tool: String,
    pub(crate) backend: String,
    pub(crate) model: String,
    /// The code of its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) prompt_tokens: u64,
    #[serde(default)]
    pub(crate) answer_tokens: u64,
    #[serde(default)]
    pub(crate) milliseconds: u64,
}

/// Records a run. A full disk must not cost the answer that was paid for.
pub(crate) fn record(context: &Context<'_>, tool: &'static str, run: &Run) {
    let recorded =
        DailyLog::open(context, tool, LOG).and_then(|log| log.append(Timestamp::now(), run));
    if let Err(error) = recorded {
        tracing::warn!("{error}");
    }
}

/// The runs since a time, newest first.
pub(crate) fn since(
    context: &Context<'_>,
    tool: &'static str,
    time: Timestamp,
) -> Result<LogPage<Run>, ToolError> {
    let log = DailyLog::open(context, tool, LOG)?;
    let is_wanted = |run: &Run| run.timestamp.parse::<Timestamp>().is_ok_and(|at| at >= time);
    log.read(time, MAX_COUNTED_RUNS, is_wanted)
}
