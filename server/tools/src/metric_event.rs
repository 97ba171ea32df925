//! An event that an agent recorded.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A recorded event.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MetricEvent {
    /// What kind of event it is.
    pub r#type: String,
    /// When it was recorded.
    pub timestamp: Timestamp,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The repository that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

/// The numbers in the data of events, by the events' type and the field.
#[must_use]
pub fn numbers_by_field(events: &[MetricEvent]) -> BTreeMap<(&str, &str), Vec<f64>> {
    let mut numbers: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for event in events {
        for (field, value) in &event.data {
            if let Some(number) = value.as_f64() {
                numbers.entry((&event.r#type, field)).or_default().push(number);
            }
        }
    }
    numbers
}
