//! Percentiles of the numbers in events.

use schemars::JsonSchema;
use serde::Serialize;

use tools::metric_event::{MetricEvent, numbers_by_field};

/// Limit for the fields in a result.
const MAX_FIELDS: usize = 50;

/// The distribution of a number in the data of events of one type.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Percentiles {
    /// The type of the events.
    r#type: String,
    /// The field in their data.
    field: String,
    /// Number of values.
    count: usize,
    p50: f64,
    p90: f64,
    p99: f64,
}

/// The percentiles of all numbers in the data of `events`.
pub(super) fn percentiles(events: &[MetricEvent]) -> Vec<Percentiles> {
    let values = numbers_by_field(events);
    let summary = |((kind, field), mut values): ((&str, &str), Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        // The smallest value that is not below so many percent of them.
        let at = |percent: usize| values[(values.len() * percent).div_ceil(100).max(1) - 1];
        Percentiles {
            r#type: kind.to_owned(),
            field: field.to_owned(),
            count: values.len(),
            p50: at(50),
            p90: at(90),
            p99: at(99),
        }
    };
    values.into_iter().take(MAX_FIELDS).map(summary).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_summarized_by_type_and_field() {
        let event = |kind: &str, data: serde_json::Value| MetricEvent {
            r#type: kind.to_owned(),
            timestamp: Timestamp::UNIX_EPOCH,
            agent_id: None,
            repo: None,
            data: data.as_object().unwrap().clone(),
        };
        let mut events: Vec<MetricEvent> =
            (1..=100).rev().map(|n| event("a", json!({ "ms": n, "x": "1" }))).collect();
        events.push(event("b", json!({ "ms": 7.5 })));
        let found = percentiles(&events);
        let expected = |kind: &str, count, p50, p90, p99| Percentiles {
            r#type: kind.to_owned(),
            field: "ms".to_owned(),
            count,
            p50,
            p90,
            p99,
        };
        assert_eq!(found, [expected("a", 100, 50.0, 90.0, 99.0), expected("b", 1, 7.5, 7.5, 7.5)]);
    }
}
