//! Recorded events reach the person's OpenTelemetry collector.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use serde_json::json;

use super::Session;

/// The paths and bodies of the next two requests.
fn two_requests(listener: &TcpListener) -> [(String, Vec<u8>); 2] {
    std::array::from_fn(|_| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut first = String::new();
        reader.read_line(&mut first).unwrap();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            match line.trim().to_ascii_lowercase().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        (first.split(' ').nth(1).unwrap().to_owned(), body)
    })
}

#[test]
fn events_reach_the_collector_of_the_settings() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = format!("[metrics.otlp]\nurl = \"http://{}\"\n", listener.local_addr().unwrap());
    let session = Session::start(&settings, |_| "Deny");
    let event = json!({ "type": "test_run", "agent_id": "a1", "data": { "duration_ms": 7 } });
    assert_eq!(session.call("metrics_record", event).unwrap()["success"], true);
    let [(logs, log), (metrics, metric)] = two_requests(&listener);
    assert_eq!((logs.as_str(), metrics.as_str()), ("/v1/logs", "/v1/metrics"));
    let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|at| at == text.as_bytes());
    assert!(has(&log, "test_run") && has(&log, "data.duration_ms"));
    assert!(has(&metric, "tandem.events") && has(&metric, "duration_ms"));
    assert_eq!(session.questions(), [""; 0]);
}

#[test]
fn the_end_of_a_session_sends_what_waits() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = format!("[metrics.otlp]\nurl = \"http://{}\"\n", listener.local_addr().unwrap());
    let session = Session::start(&settings, |_| "Deny");
    session.call("metrics_record", json!({ "type": "last" })).unwrap();
    let collector = std::thread::spawn(move || two_requests(&listener));
    session.client.shutdown(std::time::Duration::from_secs(5)).unwrap();
    let [(_, log), _] = collector.join().unwrap();
    assert!(log.windows(4).any(|at| at == b"last"));
}
