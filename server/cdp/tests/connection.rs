//! Connections against another side that the test plays.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use cdp::{CdpError, Connection, Stop, Transport, Waiting};
use serde_json::{Value, json};

struct Until(Instant);

impl Waiting for Until {
    fn check(&self) -> Result<(), Stop> {
        if Instant::now() < self.0 { Ok(()) } else { Err(Stop::Timeout) }
    }
}

fn soon() -> Until {
    Until(Instant::now() + Duration::from_secs(10))
}

fn pipe() -> (File, File) {
    let (reader, writer) = std::io::pipe().unwrap();
    (File::from(OwnedFd::from(reader)), File::from(OwnedFd::from(writer)))
}

#[test]
fn responses_find_their_commands_and_events_their_handler() {
    let (their_input, our_output) = pipe();
    let (our_input, mut their_output) = pipe();
    let (events, seen) = channel();
    let connection = Connection::start(Transport::pipes(our_output, our_input), move |_, event| {
        events.send(event.map(|event| (event.session, event.method, event.params))).unwrap();
    })
    .unwrap();
    let other = std::thread::spawn(move || {
        let mut commands = BufReader::new(their_input);
        let mut next = || {
            let mut bytes = Vec::new();
            commands.read_until(0, &mut bytes).unwrap();
            serde_json::from_slice::<Value>(&bytes[..bytes.len() - 1]).unwrap()
        };
        let (first, second) = (next(), next());
        let mut send = |message: Value| write!(their_output, "{message}\0").unwrap();
        send(json!({ "method": "A.b", "params": { "x": 1 }, "sessionId": "s" }));
        let _ = their_output.write_all(b"no json\0");
        let mut send = |message: Value| write!(their_output, "{message}\0").unwrap();
        // In the other order.
        send(
            json!({ "id": second["id"], "error": { "code": -32000, "message": "No node with given id" } }),
        );
        send(json!({ "id": 999, "result": {} }));
        send(json!({ "id": first["id"], "result": { "said": first["params"]["say"] } }));
        (first, next())
    });
    let first = connection.clone();
    let first = std::thread::spawn(move || {
        first.call::<Value>(Some("s"), "A.first", json!({ "say": "hi" }), &soon())
    });
    std::thread::sleep(Duration::from_millis(50));
    let second = connection.call::<Value>(None, "A.second", json!({}), &soon()).unwrap_err();
    assert!(second.is_stale(), "{second}");
    assert_eq!(first.join().unwrap().unwrap(), json!({ "said": "hi" }));
    let event = seen.recv().unwrap().unwrap();
    assert_eq!((event.0.as_deref(), event.1.as_str()), (Some("s"), "A.b"));
    connection.notify(None, "A.third", json!({}));
    let (first, third) = other.join().unwrap();
    assert_eq!((&first["sessionId"], &third["method"]), (&json!("s"), &json!("A.third")));
    // The other side is gone.
    assert_eq!(seen.recv().unwrap(), None);
    let closed = connection.call::<Value>(None, "A.fourth", json!({}), &soon());
    assert!(matches!(closed, Err(CdpError::Closed(_))), "{closed:?}");
}

#[test]
fn waiting_ends_when_the_caller_wants_it() {
    let (_their_input, our_output) = pipe();
    let (our_input, _their_output) = pipe();
    let connection = Connection::start(Transport::pipes(our_output, our_input), |_, _| ()).unwrap();
    let begun = Instant::now();
    let late = Until(begun + Duration::from_millis(30));
    let stopped = connection.call::<Value>(None, "A.never", json!({}), &late).unwrap_err();
    assert!(matches!(stopped, CdpError::Stopped { stop: Stop::Timeout, .. }), "{stopped}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_web_socket_carries_the_same_messages() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        let command: Value =
            serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
        let response = json!({ "id": command["id"], "result": { "big": "x".repeat(1 << 20) } });
        socket.send(tungstenite::Message::text(response.to_string())).unwrap();
        socket.close(None).unwrap();
        let _ = socket.read();
    });
    let (ended, end) = channel();
    let stream = TcpStream::connect(address).unwrap();
    let transport = Transport::web_socket(&format!("ws://{address}/x"), stream).unwrap();
    let connection = Connection::start(transport, move |_, event| {
        if event.is_none() {
            ended.send(()).unwrap();
        }
    })
    .unwrap();
    let result: Value = connection.call(None, "A.b", json!({}), &soon()).unwrap();
    assert_eq!(result["big"].as_str().unwrap().len(), 1 << 20);
    server.join().unwrap();
    end.recv_timeout(Duration::from_secs(5)).unwrap();
    assert!(connection.closed().is_some());
}
