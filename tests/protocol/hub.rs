//! The WebSocket hub, with real clients: what they get, who is refused, and what a slow one costs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server, define_shell_agent};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

const ECHO: &str = "echo ready; while read line; do echo \"<$line>\"; done";

/// A server whose person answers every question with `title`, and the questions.
fn start(title: &'static str) -> (Server, Arc<Mutex<Vec<String>>>) {
    let builder = Server::builder("//- /a.txt\none\n")
        .capability("window/showMessage", json!({}))
        .prepare(|root| define_shell_agent(root.parent().unwrap(), "a", ""));
    let client = Client::spawn(builder.home().command().arg("lsp")).unwrap();
    let server = builder.with_client(client).initialize();
    let questions: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = questions.clone();
    server.answer_requests(move |request, _| match request.method.as_str() {
        "window/showMessageRequest" => {
            seen.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
            Answer::Result(json!({ "title": title }))
        }
        _ => Answer::Default,
    });
    (server, questions)
}

/// Where a hub listens.
struct Hub {
    address: String,
    token: String,
}

impl Hub {
    fn start(server: &Server) -> Self {
        let started = server.must("ws_start", json!({}));
        let token_file = started["token_file"].as_str().unwrap();
        Self {
            address: started["addr"].as_str().unwrap().to_owned(),
            token: std::fs::read_to_string(token_file).unwrap().trim_end().to_owned(),
        }
    }

    fn connect(&self) -> Follower {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        let bearer = format!("Bearer {}", self.token).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        Follower(tungstenite::client(request, stream).unwrap().0)
    }

    /// The status of a plain HTTP request with these headers.
    fn status(&self, path: &str, headers: &[&str]) -> u16 {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(RESPONSE_TIMEOUT)).unwrap();
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
        let mut response = String::new();
        // A refused connection is closed after the answer.
        stream.read_to_string(&mut response).unwrap();
        response.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

/// A client of a hub.
struct Follower(WebSocket<TcpStream>);

impl Follower {
    fn send(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).unwrap();
    }

    /// Subscribes, and returns the first message.
    fn subscribe(&mut self, message: Value) -> Value {
        self.send(message);
        self.next()
    }

    fn next(&mut self) -> Value {
        loop {
            match self.0.read().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Reads until the other side closes. Returns the code and the reason.
    fn closed(&mut self) -> (CloseCode, String) {
        loop {
            match self.0.read() {
                Ok(Message::Close(Some(frame))) => return (frame.code, frame.reason.to_string()),
                Ok(_) => {}
                Err(error) => panic!("it ended without a reason: {error}"),
            }
        }
    }
}

/// The memory that a process uses, in megabytes.
fn memory_of(server: &Server) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", server.process().unwrap().id()))
            .unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_000
}

#[test]
fn a_client_gets_the_output_of_a_process_while_it_runs() {
    let (server, questions) = start("Allow once");
    assert_eq!(server.must("ws_info", json!({})), json!({ "clients": 0, "channels": 0 }));
    let hub = Hub::start(&server);
    assert_eq!(questions.lock().unwrap().len(), 1);
    let question = questions.lock().unwrap()[0].clone();
    assert!(question.contains("listen on 127.0.0.1, any free port (WebSocket hub)"), "{question}");
    // Once it listens, nothing is asked, whatever the address.
    let again = server.must("ws_start", json!({ "addr": "127.0.0.1:1" }));
    assert_eq!(again["addr"], hub.address);
    assert_eq!(questions.lock().unwrap().len(), 1);

    let ready = json!({ "pattern": "ready" });
    server.must("process_start", json!({ "command": ECHO, "name": "echo", "ready": ready }));
    let mut follower = hub.connect();
    let first = follower.subscribe(json!({ "type": "subscribe", "data": "process:echo" }));
    assert_eq!((&first["type"], &first["processId"]), (&json!("subscribed"), &json!("p1")));
    assert_eq!((&first["data"]["status"], &first["cursor"]), (&json!("running"), &json!("6")));
    server.must("process_input", json!({ "id": "echo", "text": "caf\u{e9}" }));
    let output = follower.next();
    assert_eq!((&output["type"], &output["data"]), (&json!("process_output"), &json!("<café>\n")));
    assert_eq!((&output["channel"], &output["cursor"]), (&json!("process:echo"), &json!("14")));
    assert!(output["timestamp"].as_str().unwrap().starts_with("20"), "{output}");

    // A second client starts with what is kept; the first subscribes under the other name, too.
    let mut second = hub.connect();
    second.subscribe(json!({ "type": "subscribe", "channel": "process:p1", "cursor": "0" }));
    assert_eq!(second.next()["data"], "ready\n<café>\n");
    follower.subscribe(json!({ "type": "subscribe", "channel": "process:p1", "cursor": 6 }));
    assert_eq!(follower.next()["data"], "<café>\n");
    let info = server.must("ws_info", json!({}));
    assert_eq!((&info["clients"], &info["channels"]), (&json!(2), &json!(1)));
    let ended = follower.subscribe(json!({ "type": "unsubscribe", "data": "process:echo" }));
    assert_eq!(ended["type"], "unsubscribed");
    assert_eq!(follower.subscribe(json!({ "type": "ping" }))["type"], "pong");

    server.must("process_stop", json!({ "id": "echo" }));
    for follower in [&mut follower, &mut second] {
        let status = follower.next();
        assert_eq!(status["type"], "process_status");
        assert_eq!(status["data"], json!({ "status": "exited", "exitCode": 143, "signal": 15 }));
    }
    // Its output is still there for those who come late.
    let late =
        second.subscribe(json!({ "type": "subscribe", "channel": "process:p1", "cursor": 0 }));
    assert_eq!(late["data"]["status"], "exited");
    assert_eq!(second.next()["data"], "ready\n<café>\n");
    assert_eq!(second.next()["type"], "process_status");
    drop((follower, second));
    let begun = Instant::now();
    while server.must("ws_info", json!({}))["clients"] != 0 {
        assert!(begun.elapsed() < RESPONSE_TIMEOUT);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.must("ws_info", json!({}))["channels"], 0);
}

#[test]
fn calls_are_seen_while_they_run_and_as_they_are_recorded() {
    let (server, _) = start("Allow once");
    let hub = Hub::start(&server);
    let mut follower = hub.connect();
    follower.subscribe(json!({ "type": "subscribe", "channel": "activity" }));
    follower.subscribe(json!({ "type": "subscribe", "channel": "audit" }));
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let command = format!("echo {secret}");
    server.must("run_command", json!({ "command": command }));
    let messages: Vec<Value> = (0..4).map(|_| follower.next()).collect();
    let whole = json!(messages).to_string();
    assert!(!whole.contains(secret), "{whole}");
    let of = |channel: &str| -> Vec<&Value> {
        let all = messages.iter().filter(|one| one["channel"] == channel);
        all.map(|one| &one["data"]).collect()
    };
    let states: Vec<_> = of("activity").iter().map(|call| call["state"].clone()).collect();
    assert_eq!(states, ["running", "done"]);
    let outcomes: Vec<_> = of("audit").iter().map(|call| call["outcome"].clone()).collect();
    assert_eq!(outcomes, ["unfinished", "ok"]);
    let ids: Vec<_> = messages.iter().map(|one| one["data"]["id"].clone()).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && id.is_string()), "{ids:?}");
    assert_eq!(of("audit")[1]["tool"], "run_command");
}

#[test]
fn a_session_with_an_agent_is_followed() {
    let (server, _) = start("Allow once");
    let hub = Hub::start(&server);
    let mut follower = hub.connect();
    follower.subscribe(json!({ "type": "subscribe", "channel": "chat:s2" }));
    for name in ["one", "two"] {
        server.must("session_create", json!({ "name": name, "agent": "a" }));
    }
    for session in ["s1", "s2"] {
        let message = json!({ "session": session, "message": "Hello", "wait_ms": 60_000 });
        server.must("session_send", message);
    }
    let mut seen: Vec<Value> = Vec::new();
    while seen.last().is_none_or(|last| last["ended"].is_null()) {
        let message = follower.next();
        assert_eq!(
            (&message["channel"], &message["data"]["session"]),
            (&json!("chat:s2"), &json!("s2"))
        );
        seen.push(message["data"].clone());
    }
    let texts: Vec<_> = seen.iter().filter_map(|one| one["message"]["content"].as_str()).collect();
    assert_eq!(texts, ["Hello", "It is done."]);
    assert_eq!(
        (&seen[1]["status"], &seen.last().unwrap()["ended"]),
        (&json!("working"), &json!("end_turn"))
    );
}

#[test]
fn only_clients_of_this_machine_with_the_token_may_connect() {
    let (server, _) = start("Allow once");
    for addr in ["0.0.0.0:0", "[::]:0", "example.com:80", "8080", "192.168.0.1:80"] {
        server.must_fail("ws_start", json!({ "addr": addr }), "E_INVALID_PARAMS");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    server.must_fail("ws_start", json!({ "addr": addr }), "E_CONFLICT");
    let hub = Hub::start(&server);
    let host = format!("Host: {}", hub.address);
    let upgrade = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    let with = |lines: &[&'static str]| [&upgrade[..], lines].concat();
    let token = format!("/ws?token={}", hub.token);
    let on_host = |lines: Vec<&'static str>| {
        let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
        lines.push(host.clone());
        lines
    };
    let status = |path: &str, lines: Vec<String>| {
        hub.status(path, &lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(status("/ws", on_host(with(&[]))), 401);
    assert_eq!(status("/ws?token=wrong", on_host(with(&[]))), 401);
    assert_eq!(status(&token, on_host(vec![])), 426);
    assert_eq!(status("/other", on_host(with(&[]))), 404);
    for line in ["Origin: https://example.com", "Origin: null"] {
        assert_eq!(status(&token, on_host(with(&[line]))), 403, "{line}");
    }
    // A name of elsewhere that resolves to this machine.
    let rebound: Vec<String> =
        with(&["Host: rebound.example"]).into_iter().map(str::to_owned).collect();
    assert_eq!(status(&token, rebound), 403);

    let (server, _) = start("Deny");
    server.must_fail("ws_start", json!({}), "E_DENIED");
    assert_eq!(server.must("ws_info", json!({})), json!({ "clients": 0, "channels": 0 }));
}

#[test]
fn mistakes_are_answered_and_misuse_ends_one_connection() {
    let (server, _) = start("Allow once");
    let hub = Hub::start(&server);
    let mut follower = hub.connect();
    for (message, wanted) in [
        (json!({ "type": "subscribe", "channel": "process:none" }), "there is no process `none`"),
        (json!({ "type": "subscribe", "channel": "secrets" }), "no channel"),
        (json!({ "type": "subscribe" }), "`channel`"),
        (json!({ "type": "shout" }), "no type of message"),
        (json!([]), "no message"),
    ] {
        let answer = follower.subscribe(message);
        assert_eq!(answer["type"], "error");
        assert!(answer["data"].as_str().unwrap().contains(wanted), "{answer}");
    }
    for (message, code) in [
        (Message::binary(vec![1]), CloseCode::Unsupported),
        (Message::text("x".repeat(20_000)), CloseCode::Size),
    ] {
        let mut other = hub.connect();
        other.0.send(message).unwrap();
        assert_eq!(other.closed().0, code);
    }
    assert_eq!(follower.subscribe(json!({ "type": "ping" }))["type"], "pong");
}

#[test]
fn a_flood_is_streamed_in_flat_memory() {
    const ROUNDS: u64 = 200;
    const ROUND_BYTES: u64 = 500_000;
    let (server, _) = start("Allow for this session");
    let hub = Hub::start(&server);
    let flood = "while read go; do yes 0123456789012345678 | head -c 500000; done";
    server.must("process_start", json!({ "command": flood, "name": "flood" }));
    let mut follower = hub.connect();
    follower.subscribe(json!({ "type": "subscribe", "channel": "process:flood" }));
    let before = memory_of(&server);
    let (mut received, mut most) = (0, 0);
    for round in 1..=ROUNDS {
        server.must("process_input", json!({ "id": "flood", "text": "" }));
        while received < round * ROUND_BYTES {
            let message = follower.next();
            assert_eq!(message["type"], "process_output");
            assert_eq!(message.get("dropped"), None, "{}", message["cursor"]);
            received += message["data"].as_str().unwrap().len() as u64;
            assert_eq!(message["cursor"], received.to_string());
        }
        most = most.max(memory_of(&server));
    }
    assert_eq!(received, ROUNDS * ROUND_BYTES);
    assert!(most < before + 16, "memory grew from {before} to {most} MB");
    server.must("process_stop", json!({ "id": "flood" }));
}

#[test]
fn a_slow_client_is_disconnected_and_delays_nobody() {
    let (server, _) = start("Allow once");
    let hub = Hub::start(&server);
    server.must("process_start", json!({ "command": "yes 0123456789", "name": "flood" }));
    server.must("process_start", json!({ "command": ECHO, "name": "echo" }));
    let (mut slow, mut quick) = (hub.connect(), hub.connect());
    slow.subscribe(json!({ "type": "subscribe", "channel": "process:flood" }));
    quick.subscribe(json!({ "type": "subscribe", "channel": "process:echo", "cursor": 0 }));
    assert_eq!(quick.next()["data"], "ready\n");
    // It takes nothing, while the others work as before.
    let begun = Instant::now();
    let mut longest = Duration::ZERO;
    while server.must("ws_info", json!({}))["slow_clients"] != 1 {
        assert!(begun.elapsed() < RESPONSE_TIMEOUT);
        let sent = Instant::now();
        server.must("process_input", json!({ "id": "echo", "text": "x" }));
        assert_eq!(quick.next()["data"], "<x>\n");
        longest = longest.max(sent.elapsed());
    }
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    // The notice waits for it behind what it has not read.
    let (code, reason) = slow.closed();
    assert_eq!(code, CloseCode::Policy);
    assert!(reason.starts_with("too slow"), "{reason}");
    assert_eq!(server.must("ws_info", json!({}))["clients"], 1);
}

#[test]
fn the_hub_ends_with_its_server() {
    let (server, _) = start("Allow once");
    let hub = Hub::start(&server);
    let mut follower = hub.connect();
    follower.subscribe(json!({ "type": "subscribe", "channel": "activity" }));
    let begun = Instant::now();
    let _home = server.quit();
    assert!(begun.elapsed() < Duration::from_secs(5));
    let (code, reason) = follower.closed();
    assert_eq!((code, reason.as_str()), (CloseCode::Away, "the server is ending"));
    assert!(TcpStream::connect(&hub.address).is_err());
}

#[test]
fn nodes_own_client_works_as_a_browsers_does() {
    const SCRIPT: &str = "const [address, token] = process.argv.slice(1);
        const socket = new WebSocket(`ws://${address}/ws`, ['tandem', `bearer.${token}`]);
        socket.onerror = (error) => { console.error(error.message); process.exit(1); };
        socket.onopen = () => socket.send(JSON.stringify(
            { type: 'subscribe', channel: 'process:echo', cursor: 0 }));
        socket.onmessage = (event) => {
            const message = JSON.parse(event.data);
            console.log(JSON.stringify([message.type, message.data]));
            if (message.type === 'process_output') socket.close(1000);
        };
        socket.onclose = (event) => console.log(socket.protocol, event.code);";
    let Some(node) = tests::component("node") else {
        return tests::skip("nodes_own_client_works_as_a_browsers_does", "node");
    };
    let (server, _) = start("Allow once");
    let hub = Hub::start(&server);
    let ready = json!({ "pattern": "ready" });
    server.must("process_start", json!({ "command": ECHO, "name": "echo", "ready": ready }));
    let mut command = Command::new(node);
    command.args(["-e", SCRIPT, &hub.address, &hub.token]).stderr(Stdio::piped());
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        printed,
        "[\"subscribed\",{\"status\":\"running\"}]\n[\"process_output\",\"ready\\n\"]\ntandem 1000\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
