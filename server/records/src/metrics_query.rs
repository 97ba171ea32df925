//! `metrics_query`: counts recorded events.

use std::collections::HashMap;

use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::daily_log::DailyLog;
use super::metrics_record::LOG;
use super::percentiles::{Percentiles, percentiles};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, metric_event::MetricEvent};

pub(crate) struct MetricsQuery;

/// Limit for the events of a query.
const MAX_EVENTS: usize = 200_000;
/// Limit for the groups of a count.
const MAX_GROUPS: usize = 50;
const RECENT_EVENTS: usize = 10;
/// Longest window: what a file can be named after.
const MAX_MINUTES: i64 = 100 * 366 * 24 * 60;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// How far back: `7d`, `24h`, `30m`.
    #[serde(default = "week")]
    since: String,
}

fn week() -> String {
    "7d".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Number of events.
    total: usize,
    /// Counts by type, most first.
    by_type: Vec<Count>,
    /// Counts by repository.
    by_repo: Vec<Count>,
    /// Counts by agent.
    by_agent: Vec<Count>,
    /// Percentiles of the numbers in the events' data.
    percentiles: Vec<Percentiles>,
    /// The last ten events, newest first.
    events: Vec<Brief>,
    /// Whether older events were left out, because there are too many.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// The events of a group.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Count {
    key: String,
    count: usize,
}

/// An event without its data.
#[derive(Serialize, JsonSchema)]
struct Brief {
    r#type: String,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
}

impl Tool for MetricsQuery {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "metrics_query";
    const DESCRIPTION: &'static str = "Count the events of `metrics_record` by type, repository and \
        agent, with percentiles of their numbers and the last ten.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"since": "24h"}"#];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        minutes(&params.since).map(|_| Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let span = minutes(&params.since)?.minutes();
        let since = Timestamp::now().checked_sub(span).unwrap_or(Timestamp::MIN);
        let log = DailyLog::open(context, Self::NAME, LOG)?;
        let page = log.read(since, MAX_EVENTS, |event: &MetricEvent| event.timestamp >= since)?;
        let mut events = page.records;
        // Servers append in the order of their clocks, more or less.
        events.sort_by_key(|event| std::cmp::Reverse(event.timestamp));
        Ok(Output {
            total: events.len(),
            by_type: counts(events.iter().map(|event| Some(&event.r#type))),
            by_repo: counts(events.iter().map(|event| event.repo.as_ref())),
            by_agent: counts(events.iter().map(|event| event.agent_id.as_ref())),
            percentiles: percentiles(&events),
            events: events
                .into_iter()
                .take(RECENT_EVENTS)
                .map(|event| Brief {
                    r#type: event.r#type,
                    timestamp: event.timestamp.to_string(),
                    agent_id: event.agent_id,
                    repo: event.repo,
                })
                .collect(),
            truncated: page.is_partial,
        })
    }
}

/// The minutes of a window such as `7d`.
fn minutes(since: &str) -> Result<i64, ToolError> {
    let parsed = || {
        let unit = since.chars().last()?;
        let number: i64 = since.strip_suffix(unit)?.parse().ok().filter(|number| *number > 0)?;
        let minutes = match unit {
            'd' => 24 * 60,
            'h' => 60,
            'm' => 1,
            _ => return None,
        };
        number.checked_mul(minutes).filter(|minutes| *minutes <= MAX_MINUTES)
    };
    parsed().ok_or_else(|| {
        let message =
            format!("{}: `since` is no time such as `7d`, `24h` or `30m`", MetricsQuery::NAME);
        ToolError::new(Code::InvalidParams, message)
    })
}

fn counts<'e>(keys: impl Iterator<Item = Option<&'e String>>) -> Vec<Count> {
    let mut counted: HashMap<&str, usize> = HashMap::new();
    keys.flatten().for_each(|key| *counted.entry(key).or_default() += 1);
    let mut counts: Vec<_> =
        counted.into_iter().map(|(key, count)| Count { key: key.to_owned(), count }).collect();
    counts.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.key.cmp(&other.key)));
    counts.truncate(MAX_GROUPS);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_positive_and_bounded() {
        assert_eq!(minutes("7d").unwrap(), 7 * 24 * 60);
        assert_eq!((minutes("24h").unwrap(), minutes("30m").unwrap()), (1_440, 30));
        for bad in [
            "",
            "d",
            "7",
            "-1d",
            "0h",
            "1w",
            "1.5d",
            "99999999999999999999d",
            "999999d",
            "7é",
            "7 d",
        ] {
            assert!(minutes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn groups_are_sorted_by_count() {
        let keys: Vec<String> = ["b", "a", "c", "c"].map(str::to_owned).to_vec();
        let counted = counts(keys.iter().map(Some).chain([None]));
        let keys: Vec<_> = counted.iter().map(|one| (one.key.as_str(), one.count)).collect();
        assert_eq!(keys, [("c", 2), ("a", 1), ("b", 1)]);
    }
}
