//! Frames that lie, break or flood: each is answered, and the next one is served.

use client::encode_frame;
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "//- /a.txt\nhere\n";

/// Waits for the answer to something that did not parse.
fn parse_error(server: &Server) {
    let answer = server
        .wait_for("parse error", RESPONSE_TIMEOUT, |message| {
            message.get("method").is_none() && message["id"].is_null()
        })
        .unwrap_or_else(|error| panic!("{error}; stderr: {}", server.process().unwrap().stderr()));
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    assert!(answer["error"]["message"].is_string(), "{answer}");
    assert!(answer.as_object().unwrap().contains_key("id"), "id must be null, not left out");
}

/// Sends `bytes` to a server, expects one parse error and then service as usual.
fn check_parse_error(bytes: &[u8]) {
    let server = Server::start(FIXTURE);
    server.write_raw(bytes).unwrap();
    parse_error(&server);
    check_still_serving(&server);
}

fn check_still_serving(server: &Server) {
    assert_eq!(server.read("a.txt"), "here\n");
    // What is left of a broken frame may be complained about too; nothing else is amiss.
    let amiss =
        |message: &&Value| message.get("error").is_some_and(|error| error["code"] != -32700);
    let amiss: Vec<_> =
        server.take_unread().into_iter().filter(|message| amiss(&message)).collect();
    assert_eq!(amiss, [Value::Null; 0]);
}

#[test]
fn a_body_that_is_not_json() {
    for body in ["{", "", "nonsense", "{\"jsonrpc\":\"2.0\",}", "\"open", "{} {}"] {
        check_parse_error(&encode_frame(body.as_bytes()));
    }
}

#[test]
fn a_body_that_is_not_utf8() {
    check_parse_error(&encode_frame(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}"));
    check_parse_error(&encode_frame(&[0; 64]));
}

#[test]
fn json_a_million_deep() {
    check_parse_error(&encode_frame("[".repeat(1_000_000).as_bytes()));
    let closed = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    check_parse_error(&encode_frame(closed.as_bytes()));
    let objects = "{\"a\":".repeat(1_000_000);
    check_parse_error(&encode_frame(objects.as_bytes()));
}

#[test]
fn deep_nesting_inside_parameters_is_handled() {
    let server = Server::start(FIXTURE);
    let params = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let body = format!(r#"{{"jsonrpc":"2.0","id":900,"method":"tandem/x","params":{params}}}"#);
    server.write_raw(encode_frame(body.as_bytes())).unwrap();
    let answer = server
        .wait_for("error", RESPONSE_TIMEOUT, |message| message.get("error").is_some())
        .unwrap();
    let code = answer["error"]["code"].as_i64().unwrap();
    assert!([-32700, -32601, -32602].contains(&code), "{answer}");
    check_still_serving(&server);
}

#[test]
fn a_body_over_the_cap_is_skipped_unread() {
    let server = Server::start(FIXTURE);
    let before = peak_memory(&server);
    let length = 100_000_000;
    let head = r#"{"jsonrpc":"2.0","id":900,"method":"x","params":""#;
    server.write_raw(format!("Content-Length: {length}\r\n\r\n{head}")).unwrap();
    let chunk = vec![b'a'; 1_000_000];
    let mut left = length - head.len();
    while left > 0 {
        let take = left.min(chunk.len());
        server.write_raw(&chunk[..take]).unwrap();
        left -= take;
    }
    parse_error(&server);
    check_still_serving(&server);
    let after = peak_memory(&server);
    assert!(after < before + 40_000, "the body was kept: a peak of {before}, then {after} kB");
}

/// The most memory that the server has had, in kB.
fn peak_memory(server: &Server) -> usize {
    let status = format!("/proc/{}/status", server.process().unwrap().id());
    let status = std::fs::read_to_string(status).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    peak.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_body_under_the_cap_is_read() {
    let server = Server::start(FIXTURE);
    let text = "x".repeat(20_000_000);
    server.open_text("big.txt", &text);
    server.replace_text("big.txt", "x", "y");
    let result = server.must("read_file", json!({ "path": "big.txt" }));
    assert!(result["content"].as_str().unwrap().starts_with("yx"));
    assert_eq!(result["truncated"], true);
}

#[test]
fn a_frame_whose_header_is_over_the_cap_is_skipped_with_its_body() {
    let body = json!({ "jsonrpc": "2.0", "id": 900, "method": "no/such" }).to_string();
    let length = format!("Content-Length: {}\r\n", body.len());
    let pad = format!("X-Pad: {}\r\n", "x".repeat(9_000));
    let lines = "X-Line: y\r\n".repeat(2_000);
    for header in [format!("{length}{pad}"), format!("{pad}{length}"), format!("{lines}{length}")] {
        // An answer to the request inside would be an error that is no parse error.
        check_parse_error(format!("{header}\r\n{body}").as_bytes());
    }
}

#[test]
fn a_content_length_that_is_not_a_number() {
    for length in ["abc", "", "-1", "2x", "0x2", "1e3", "99999999999999999999999999"] {
        check_parse_error(format!("Content-Length: {length}\r\n\r\n").as_bytes());
    }
}

#[test]
fn a_header_without_content_length() {
    check_parse_error(b"X-Other: 1\r\n\r\n");
}

#[test]
fn a_content_length_that_is_too_short() {
    let body = r#"{"jsonrpc":"2.0","id":900,"method":"tandem/x","params":{}}"#;
    check_parse_error(format!("Content-Length: 10\r\n\r\n{body}").as_bytes());
    check_parse_error(format!("Content-Length: 10\r\n\r\n{body}\r\n").as_bytes());
}

#[test]
fn a_content_length_that_is_too_long() {
    let server = Server::start(FIXTURE);
    let lie = r#"{"jsonrpc":"2.0","id":900,"method":"tandem/x","params":{}}"#;
    let length = lie.len() + 20;
    // Answered although nothing follows, and swallows nothing of what does.
    server.write_raw(format!("Content-Length: {length}\r\n\r\n{lie}")).unwrap();
    parse_error(&server);
    server.write_raw(format!("Content-Length: {length}\r\n\r\n{lie}")).unwrap();
    check_still_serving(&server);
    // The same of a length over the cap.
    server.write_raw(format!("Content-Length: 999999999\r\n\r\n{lie}")).unwrap();
    parse_error(&server);
    check_still_serving(&server);
}

#[test]
fn garbage_between_frames() {
    for garbage in [
        "garbage\r\n",
        "garbage",
        "\r\n\r\n",
        "{}\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\0\0\0",
    ] {
        let server = Server::start(FIXTURE);
        server.write_raw(garbage).unwrap();
        // How the garbage itself is answered is free, the next request is not.
        assert_eq!(server.read("a.txt"), "here\n", "after {garbage:?}");
    }
}

#[test]
fn headers_of_other_spellings() {
    let server = Server::start(FIXTURE);
    for (id, head) in [
        (900, "content-length: #\r\n\r\n"),
        (901, "CONTENT-LENGTH:#\r\n\r\n"),
        (
            902,
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: #\r\n\r\n",
        ),
        (
            903,
            "Content-Length: #  \r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        ),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "no/such" }).to_string();
        server.write_raw(head.replace('#', &body.len().to_string()) + &body).unwrap();
        let answer =
            server.wait_for("answer", RESPONSE_TIMEOUT, |message| message["id"] == id).unwrap();
        assert_eq!(answer["error"]["code"], -32601, "{head:?}");
    }
}

#[test]
fn a_frame_in_single_bytes() {
    let server = Server::start(FIXTURE);
    let body = json!({ "jsonrpc": "2.0", "id": 900, "method": "no/such", "x": "\u{1f600}" });
    for byte in encode_frame(body.to_string().as_bytes()) {
        server.write_raw([byte]).unwrap();
    }
    let answer =
        server.wait_for("answer", RESPONSE_TIMEOUT, |message| message["id"] == 900).unwrap();
    assert_eq!(answer["error"]["code"], -32601);
}

#[test]
fn a_thousand_broken_frames_get_a_thousand_answers() {
    let server = Server::start(FIXTURE);
    server.write_raw(encode_frame(b"{").repeat(1_000)).unwrap();
    for _ in 0..1_000 {
        parse_error(&server);
    }
    check_still_serving(&server);
}

#[test]
fn lost_framing_ends_the_server() {
    for bytes in [
        &b"garbage that no frame follows"[..],
        b"Content-Length: 10\r\n\r\n{\"cut\"",
        b"Content-Length: 1",
        &[b'a'; 100_000],
    ] {
        let server = Server::start(FIXTURE);
        server.write_raw(bytes).unwrap();
        server.close_input();
        let process = server.process().unwrap();
        let status = process.wait_exit(RESPONSE_TIMEOUT).unwrap();
        assert_eq!(status.code(), Some(1), "{}", process.stderr());
        let said = process.stderr();
        assert_eq!(said.lines().count(), 1, "one plain line, not: {said:?}");
        assert!(!said.contains("panicked") && !said.contains('\u{1b}'), "{said:?}");
    }
}

#[test]
fn bad_frames_before_initialize_are_answered_too() {
    let server = Server::builder(FIXTURE).spawn();
    server.write_raw(encode_frame(b"{")).unwrap();
    parse_error(&server);
    let server = server.initialize();
    check_still_serving(&server);
}

#[test]
fn closing_the_input_before_initialize_does_not_panic() {
    let server = Server::builder(FIXTURE).spawn();
    server.close_input();
    let process = server.process().unwrap();
    assert_eq!(process.wait_exit(RESPONSE_TIMEOUT).unwrap().code(), Some(1));
    assert!(!process.stderr().contains("panicked"), "{}", process.stderr());
    assert_eq!(Value::Null, *server.initialized());
}

#[test]
fn endless_garbage_ends_the_server() {
    let server = Server::start(FIXTURE);
    for _ in 0..100 {
        // The server may have ended before everything is sent.
        if server.write_raw(vec![b'a'; 1 << 20]).is_err() {
            break;
        }
    }
    let process = server.process().unwrap();
    assert_eq!(
        process.wait_exit(RESPONSE_TIMEOUT).unwrap().code(),
        Some(1),
        "{}",
        process.stderr()
    );
    assert_eq!(process.stderr().lines().count(), 1, "one plain line, not: {:?}", process.stderr());
}
