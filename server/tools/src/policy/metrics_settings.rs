//! The table `metrics` of the user's settings.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Where the events of `metrics_record` go besides their log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MetricsSettings {
    /// The OpenTelemetry collector.
    pub otlp: Option<OtlpSettings>,
}

/// A collector that takes OTLP over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtlpSettings {
    /// Its address, such as `http://127.0.0.1:4318`.
    pub url: String,
    /// Headers of every request, such as a key.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}
