//! Events as messages of OTLP: each as a log record, and all of them as counters and histograms.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs, SeverityNumber};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use serde_json::Value;
use tools::{MetricEvent, numbers_by_field};

/// The bounds of histograms that the OpenTelemetry specification gives as default.
const BOUNDS: [f64; 15] = [
    0.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2500.0, 5000.0, 7500.0,
    10000.0,
];

/// The events as log records whose event name is their type.
pub(super) fn logs(events: &[MetricEvent]) -> ExportLogsServiceRequest {
    let log_records = events.iter().map(log_record).collect();
    let scope_logs = ScopeLogs { scope: Some(scope()), log_records, ..ScopeLogs::default() };
    let resource_logs = ResourceLogs {
        resource: Some(resource()),
        scope_logs: vec![scope_logs],
        ..ResourceLogs::default()
    };
    ExportLogsServiceRequest { resource_logs: vec![resource_logs] }
}

/// The counter `tandem.events`, and the histogram `tandem.event.value` of the numbers in the events' data.
/// Both are deltas: a batch is all that happened since the one before.
pub(super) fn metrics(events: &[MetricEvent]) -> ExportMetricsServiceRequest {
    let times = events.iter().map(nanoseconds);
    let start = times.clone().min().unwrap_or_default();
    let end = times.max().unwrap_or_default();
    let temporality = AggregationTemporality::Delta as i32;

    let mut counts: BTreeMap<[Option<&str>; 3], i64> = BTreeMap::new();
    for event in events {
        let group = [Some(event.r#type.as_str()), event.agent_id.as_deref(), event.repo.as_deref()];
        *counts.entry(group).or_default() += 1;
    }
    let values = numbers_by_field(events);
    let count = |(group, count): ([Option<&str>; 3], i64)| NumberDataPoint {
        attributes: ["type", "agent_id", "repo"]
            .into_iter()
            .zip(group)
            .filter_map(|(key, value)| Some(text(key, value?)))
            .collect(),
        start_time_unix_nano: start,
        time_unix_nano: end,
        value: Some(number_data_point::Value::AsInt(count)),
        ..NumberDataPoint::default()
    };
    let sum = Sum {
        data_points: counts.into_iter().map(count).collect(),
        aggregation_temporality: temporality,
        is_monotonic: true,
    };
    let histogram = |((kind, field), values): ((&str, &str), Vec<f64>)| HistogramDataPoint {
        attributes: vec![text("type", kind), text("field", field)],
        start_time_unix_nano: start,
        time_unix_nano: end,
        count: values.len() as u64,
        sum: Some(values.iter().sum()),
        min: values.iter().copied().reduce(f64::min),
        max: values.iter().copied().reduce(f64::max),
        bucket_counts: buckets(&values),
        explicit_bounds: BOUNDS.to_vec(),
        ..HistogramDataPoint::default()
    };
    let mut metrics = vec![Metric {
        name: "tandem.events".to_owned(),
        description: "Events that agents recorded".to_owned(),
        unit: "{event}".to_owned(),
        data: Some(Data::Sum(sum)),
        ..Metric::default()
    }];
    if !values.is_empty() {
        let data_points = values.into_iter().map(histogram).collect();
        metrics.push(Metric {
            name: "tandem.event.value".to_owned(),
            description: "Numbers in the events' data".to_owned(),
            data: Some(Data::Histogram(Histogram {
                data_points,
                aggregation_temporality: temporality,
            })),
            ..Metric::default()
        });
    }
    let scope_metrics = ScopeMetrics { scope: Some(scope()), metrics, ..ScopeMetrics::default() };
    let resource_metrics = ResourceMetrics {
        resource: Some(resource()),
        scope_metrics: vec![scope_metrics],
        ..ResourceMetrics::default()
    };
    ExportMetricsServiceRequest { resource_metrics: vec![resource_metrics] }
}

fn log_record(event: &MetricEvent) -> LogRecord {
    let named = [("agent_id", &event.agent_id), ("repo", &event.repo)];
    let named = named.into_iter().filter_map(|(key, value)| Some(text(key, value.as_deref()?)));
    let data = event.data.iter().map(|(key, value)| attribute(&format!("data.{key}"), value));
    LogRecord {
        time_unix_nano: nanoseconds(event),
        observed_time_unix_nano: nanoseconds(event),
        severity_number: SeverityNumber::Info as i32,
        event_name: event.r#type.clone(),
        body: Some(AnyValue { value: Some(Any::StringValue(event.r#type.clone())) }),
        attributes: named.chain(data).collect(),
        ..LogRecord::default()
    }
}

/// How many values lie in each bucket; a bound belongs to the bucket below it.
fn buckets(values: &[f64]) -> Vec<u64> {
    let mut counts = vec![0; BOUNDS.len() + 1];
    for value in values {
        counts[BOUNDS.partition_point(|bound| bound < value)] += 1;
    }
    counts
}

/// Nested values are attributes as JSON text: few backends show nested ones.
fn attribute(key: &str, value: &Value) -> KeyValue {
    let value = match value {
        Value::Bool(value) => Any::BoolValue(*value),
        Value::String(value) => Any::StringValue(value.clone()),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Any::IntValue(integer),
            (None, Some(float)) => Any::DoubleValue(float),
            (None, None) => Any::StringValue(number.to_string()),
        },
        nested => Any::StringValue(nested.to_string()),
    };
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

fn text(key: &str, value: &str) -> KeyValue {
    attribute(key, &Value::String(value.to_owned()))
}

/// Nanoseconds since 1970.
fn nanoseconds(event: &MetricEvent) -> u64 {
    u64::try_from(event.timestamp.as_nanosecond()).unwrap_or_default()
}

fn resource() -> Resource {
    let attributes =
        vec![text("service.name", "tandem"), text("service.version", env!("CARGO_PKG_VERSION"))];
    Resource { attributes, ..Resource::default() }
}

fn scope() -> InstrumentationScope {
    InstrumentationScope { name: "tandem.metrics".to_owned(), ..InstrumentationScope::default() }
}
