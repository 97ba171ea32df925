//! An event that an agent recorded.

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
