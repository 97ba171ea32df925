//! The client against well-behaved and misbehaving peers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use client::{Answer, Client, ClientError, encode_frame};
use serde_json::{Value, json};

const SOON: Duration = Duration::from_secs(10);

/// A client connected to `serve`, which runs on a thread.
fn connect<T: Send + 'static>(
    serve: impl FnOnce(Peer) -> T + Send + 'static,
) -> (Client, JoinHandle<T>) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("client-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path: PathBuf = std::env::temp_dir().join(name);
    let listener = UnixListener::bind(&path).unwrap();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        serve(Peer { reader: BufReader::new(stream.try_clone().unwrap()), stream })
    });
    let client = Client::connect_unix(&path, SOON).unwrap();
    std::fs::remove_file(path).unwrap();
    (client, server)
}

struct Peer {
    reader: BufReader<UnixStream>,
    stream: UnixStream,
}

impl Peer {
    fn read(&mut self) -> Option<Value> {
        let body = framing::read(&mut self.reader).unwrap()?;
        Some(serde_json::from_slice(&body).unwrap())
    }

    fn send(&mut self, message: Value) {
        self.raw(&encode_frame(message.to_string().as_bytes()));
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }
}

#[test]
fn responses_match_their_requests_in_any_order() {
    let (client, server) = connect(|mut peer| {
        let (first, second) = (peer.read().unwrap(), peer.read().unwrap());
        peer.send(json!({ "jsonrpc": "2.0", "id": second["id"], "result": second["method"] }));
        let error = json!({ "code": -32602, "message": "no", "data": [1] });
        peer.send(json!({ "jsonrpc": "2.0", "id": first["id"], "error": error }));
    });
    let first = client.start_request("first", Value::Null).unwrap();
    let second = client.start_request("second", json!({})).unwrap();
    let error = first.wait(SOON).unwrap_err();
    assert_eq!(error.to_string(), "first: error -32602: no [1]");
    assert_eq!(error.response().unwrap().code, -32602);
    assert_eq!(second.wait(SOON).unwrap(), "second");
    server.join().unwrap();
}

#[test]
fn unread_messages_are_kept_until_they_are_taken() {
    let (client, server) = connect(|mut peer| {
        for n in 0..3 {
            peer.send(json!({ "jsonrpc": "2.0", "method": "note", "params": { "n": n } }));
        }
        peer.send(json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700 } }));
    });
    let second = client.wait_for_notification("note", SOON, |params| params["n"] == 1).unwrap();
    assert_eq!(second, json!({ "n": 1 }));
    client.wait_for("parse error", SOON, |message| message["error"]["code"] == -32700).unwrap();
    let left: Vec<_> =
        client.take_unread().iter().map(|note| note["params"]["n"].clone()).collect();
    assert_eq!(left, [0, 2]);
    server.join().unwrap();
}

#[test]
fn requests_without_a_handler_get_default_answers() {
    let (client, server) = connect(|mut peer| {
        let mut ask = |method: &str, params: Value| {
            peer.send(json!({ "jsonrpc": "2.0", "id": "q", "method": method, "params": params }));
            let mut answer = peer.read().unwrap();
            assert_eq!(answer["id"], "q");
            answer.as_object_mut().unwrap().remove("jsonrpc");
            answer
        };
        assert_eq!(ask("workspace/applyEdit", json!({}))["result"]["applied"], false);
        let items = json!({ "items": [{}, {}] });
        assert_eq!(ask("workspace/configuration", items)["result"], json!([null, null]));
        assert_eq!(ask("client/registerCapability", json!({}))["result"], Value::Null);
        assert_eq!(ask("window/showMessageRequest", json!({}))["result"], Value::Null);
        assert_eq!(ask("what/ever", json!({}))["error"]["code"], -32601);
    });
    server.join().unwrap();
    drop(client);
}

#[test]
fn a_handler_answers_requests() {
    let (client, server) = connect(|mut peer| {
        peer.read().unwrap();
        peer.send(json!({ "jsonrpc": "2.0", "id": 7, "method": "silence" }));
        peer.send(json!({ "jsonrpc": "2.0", "id": 8, "method": "order" }));
        [peer.read().unwrap(), peer.read().unwrap()]
    });
    client.on_request(|request, out| match request.method.as_str() {
        "silence" => Answer::Handled,
        _ => {
            out.notify("before", Value::Null).unwrap();
            Answer::Result(json!("done"))
        }
    });
    client.notify("go", Value::Null).unwrap();
    let [before, answer] = server.join().unwrap();
    assert_eq!(before["method"], "before");
    assert_eq!((&answer["id"], &answer["result"]), (&json!(8), &json!("done")));
}

#[test]
fn a_peer_that_breaks_the_protocol_ends_the_connection() {
    for (bytes, why) in [
        (&b"Content-Length: 99999999999\r\n\r\n"[..], "a message of 99999999999 bytes"),
        (b"Content-Length: 4\r\n\r\n{{{{", "not JSON"),
        (b"hello\r\n\r\n", "`hello` instead of a message's header"),
        (b"", "ended its output"),
        (&encode_frame("[".repeat(1_000_000).as_bytes()), "not JSON"),
    ] {
        let bytes = bytes.to_vec();
        let (client, server) = connect(move |mut peer| {
            peer.read();
            peer.raw(&bytes);
        });
        let error = client.request("anything", Value::Null).unwrap_err();
        let ClientError::Closed { reason } = &error else { panic!("{error}") };
        assert!(reason.contains(why), "{reason:?} lacks {why:?}");
        assert_eq!(client.close_reason().as_ref(), Some(reason));
        server.join().unwrap();
    }
}

#[test]
fn invalid_messages_are_kept_as_unread() {
    let (client, server) = connect(|mut peer| {
        for odd in [json!(1), json!([]), json!({}), json!({ "id": 99 }), json!({ "method": 5 })] {
            peer.send(odd);
        }
        peer.send(json!({ "id": {}, "method": "odd" }));
        peer.read().unwrap()
    });
    assert_eq!(server.join().unwrap()["error"]["code"], -32601);
    assert_eq!(client.take_unread().len(), 5);
}

#[test]
fn waiting_times_out() {
    let (client, server) = connect(|mut peer| peer.read());
    let started = Instant::now();
    let error = client.wait_for("sign", Duration::from_millis(20), |_| true).unwrap_err();
    assert_eq!(error.to_string(), "no sign within 20ms");
    assert!(started.elapsed() < SOON);
    client.close_input();
    assert_eq!(server.join().unwrap(), None);
}

#[test]
fn a_server_that_never_reads_does_not_block_its_client() {
    let mut client = Client::spawn(Command::new("sleep").arg("60")).unwrap();
    client.set_timeout(Duration::from_millis(20));
    client.write_raw(vec![b' '; 4 << 20]).unwrap();
    let error = client.request("anything", Value::Null).unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }), "{error}");
}

#[test]
fn stderr_and_exit_status_of_a_process_are_captured() {
    let script = "read line; echo oops >&2; exit 3";
    let client = Client::spawn(Command::new("sh").args(["-c", script])).unwrap();
    let process = client.process().unwrap();
    assert_eq!(process.exit_status(), None);
    client.write_raw(*b"line\n").unwrap();
    assert_eq!(process.wait_exit(SOON).unwrap().code(), Some(3));
    assert_eq!(process.stderr(), "oops\n");
}

#[test]
fn dropping_the_client_kills_the_process() {
    let client = Client::spawn(Command::new("sleep").arg("60")).unwrap();
    let proc = PathBuf::from(format!("/proc/{}", client.process().unwrap().id()));
    assert!(proc.exists());
    drop(client);
    assert!(!proc.exists());
}

#[test]
fn a_missing_program_is_named_in_the_error() {
    let error = Client::spawn(&mut Command::new("/nowhere/server")).err().unwrap();
    assert!(error.to_string().starts_with("cannot start `/nowhere/server`: "), "{error}");
}
