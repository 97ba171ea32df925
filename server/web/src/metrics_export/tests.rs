use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point;
use prost::Message;
use serde_json::json;

use super::*;

/// A collector that answers the requests with these statuses, the last one from then on.
fn collector(statuses: &'static [u16]) -> (OtlpSettings, Receiver<(String, Vec<u8>)>) {
    crate::system::start();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let status = statuses[number.min(statuses.len() - 1)];
            serve(stream.unwrap(), status, &sender);
        }
    });
    let headers = [("x-key".to_owned(), "k1".to_owned())].into();
    (OtlpSettings { url, headers }, requests)
}

fn serve(mut stream: TcpStream, status: u16, requests: &Sender<(String, Vec<u8>)>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        reader.read_line(&mut head).unwrap();
        let line = head[start..].trim();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    // Before the answer: a test looks at the requests as soon as the exporter has it.
    let _ = requests.send((head, body));
    write!(stream, "HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .unwrap();
}

fn event(kind: &str, data: serde_json::Value) -> MetricEvent {
    MetricEvent {
        r#type: kind.to_owned(),
        timestamp: "2026-01-02T03:04:05.5Z".parse().unwrap(),
        agent_id: Some("a1".to_owned()),
        repo: None,
        data: serde_json::from_value(data).unwrap(),
    }
}

#[test]
fn events_arrive_as_logs_and_metrics() {
    let (settings, requests) = collector(&[200]);
    let exporter = Exporter::default();
    let data = json!({"duration_ms": 75, "ok": true, "ratio": 0.5, "where": {"file": "a.rs"}});
    exporter.push(&event("test_run", data), &settings, &NetworkSettings::default());
    let second = event("test_run", json!({"duration_ms": 12_000}));
    exporter.push(&second, &settings, &NetworkSettings::default());
    exporter.stop();

    let (head, body) = requests.recv().unwrap();
    assert!(head.starts_with("POST /v1/logs HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("x-key: k1") && head.contains("application/x-protobuf"), "{head}");
    let logs = ExportLogsServiceRequest::decode(body.as_slice()).unwrap();
    let records = &logs.resource_logs[0].scope_logs[0].log_records;
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].event_name, "test_run");
    assert_eq!(records[0].time_unix_nano, 1_767_323_045_500_000_000);
    let attribute = |key: &str| {
        let found = records[0].attributes.iter().find(|attribute| attribute.key == key);
        found.and_then(|attribute| attribute.value.clone()?.value)
    };
    assert_eq!(attribute("agent_id"), Some(Any::StringValue("a1".to_owned())));
    assert_eq!(attribute("repo"), None);
    assert_eq!(attribute("data.duration_ms"), Some(Any::IntValue(75)));
    assert_eq!(attribute("data.ok"), Some(Any::BoolValue(true)));
    assert_eq!(attribute("data.ratio"), Some(Any::DoubleValue(0.5)));
    let nested = Any::StringValue(r#"{"file":"a.rs"}"#.to_owned());
    assert_eq!(attribute("data.where"), Some(nested));

    let (head, body) = requests.recv().unwrap();
    assert!(head.starts_with("POST /v1/metrics HTTP/1.1\r\n"), "{head}");
    let metrics = ExportMetricsServiceRequest::decode(body.as_slice()).unwrap();
    let metrics = &metrics.resource_metrics[0].scope_metrics[0].metrics;
    let Some(Data::Sum(sum)) = &metrics[0].data else { panic!("{metrics:?}") };
    assert!(sum.is_monotonic && sum.data_points.len() == 1);
    assert_eq!(sum.data_points[0].value, Some(number_data_point::Value::AsInt(2)));
    let Some(Data::Histogram(histogram)) = &metrics[1].data else { panic!("{metrics:?}") };
    let points = &histogram.data_points;
    let duration = points.iter().find(|point| point.count == 2).unwrap();
    assert_eq!((duration.sum, duration.max), (Some(12_075.0), Some(12_000.0)));
    assert_eq!(duration.bucket_counts.len(), duration.explicit_bounds.len() + 1);
    // 75 belongs to the bucket that ends at 75, 12,000 to the last.
    let expected = |position| u64::from(position == 5 || position == 15);
    assert_eq!(duration.bucket_counts, (0..16).map(expected).collect::<Vec<_>>());
}

#[test]
fn an_overloaded_collector_is_asked_again_and_one_that_refuses_is_not() {
    let events = [event("e", json!({}))];
    let (settings, requests) = collector(&[503, 200]);
    send::send(&events, &settings, &NetworkSettings::default()).unwrap();
    let paths: Vec<_> =
        requests.try_iter().map(|(head, _)| head.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(paths, ["/v1/logs", "/v1/logs", "/v1/metrics"]);

    let (settings, requests) = collector(&[401]);
    let why = send::send(&events, &settings, &NetworkSettings::default()).unwrap_err();
    assert!(why.contains("v1/logs") && why.contains("401"), "{why}");
    assert_eq!(requests.try_iter().count(), 1);
}

#[test]
fn a_collector_that_is_away_or_silent_holds_nobody_up() {
    crate::system::start();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    for url in [format!("http://{free}"), format!("http://{}", silent.local_addr().unwrap())] {
        let settings = OtlpSettings { url, headers: [].into() };
        let exporter = Exporter::default();
        let started = Instant::now();
        for number in 0..MAX_WAITING + 100 {
            let event = event("e", json!({ "number": number }));
            exporter.push(&event, &settings, &NetworkSettings::default());
        }
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        let started = Instant::now();
        exporter.stop();
        assert!(started.elapsed() < MAX_FLUSH + Duration::from_secs(1), "{:?}", started.elapsed());
    }
}
