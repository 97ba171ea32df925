//! `http_request`: what is sent, what comes back, and what servers may do to it.

use std::time::{Duration, Instant};

use serde_json::json;
use tests::RESPONSE_TIMEOUT;

use super::Session;
use super::http_server::HttpServer;

#[test]
fn a_request_returns_status_headers_and_body() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let result = session.request(json!({ "method": "GET", "url": server.url("/json") }));
    assert_eq!(result["status"], 200);
    assert_eq!(result["headers"]["content-type"], "application/json");
    assert_eq!(result["body"], r#"{"answer":42}"#);
    assert_eq!((&result["http_version"], &result["size"]), (&json!("HTTP/1.1"), &json!(13)));
    assert_eq!(result["address"], server.address.to_string());
    let timings = &result["timings"];
    for field in ["connect_ms", "first_byte_ms", "total_ms"] {
        assert!(timings[field].as_f64().is_some_and(|ms| ms >= 0.0), "{timings}");
    }
    assert!(timings.get("dns_ms").is_none(), "nothing was looked up: {timings}");
    let missing = session.request(json!({ "url": server.url("/missing") }));
    assert_eq!(
        (&missing["status"], &missing["body"]),
        (&json!(404), &json!("there is no such thing"))
    );
    let head = session.request(json!({ "method": "HEAD", "url": server.url("/json") }));
    assert_eq!((&head["body"], &head["headers"]["content-length"]), (&json!(""), &json!("13")));
    assert_eq!(session.questions(), Vec::<String>::new());
}

#[test]
fn bodies_are_sent_in_every_form() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    std::fs::write(session.home.root().join("up.bin"), [0, 159, 146, 150]).unwrap();
    std::fs::write(session.home.root().join("up.txt"), "from a file\n").unwrap();
    let echo = |params: serde_json::Value| {
        let mut all = json!({ "method": "POST", "url": server.url("/echo?a=b") });
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        session.request(all)["body"].as_str().unwrap().to_owned()
    };
    let sent = echo(json!({ "body": "plain", "headers": { "X-Own": "1", "Content-Type": "a/b" } }));
    assert!(sent.starts_with("POST /echo?a=b\n") && sent.ends_with("\n\nplain"), "{sent}");
    assert!(sent.contains("x-own: 1\n") && sent.contains("content-type: a/b\n"), "{sent}");
    assert!(
        sent.contains(&format!("host: {}\n", server.address))
            && sent.contains("user-agent: tandem/")
    );
    let sent = echo(json!({ "json": { "n": [1, null] } }));
    assert!(
        sent.contains("content-type: application/json\n") && sent.ends_with("{\"n\":[1,null]}")
    );
    let sent = echo(json!({ "form": { "q": "a b&c", "r": "\u{e9}" } }));
    assert!(
        sent.contains("x-www-form-urlencoded") && sent.ends_with("q=a+b%26c&r=%C3%A9"),
        "{sent}"
    );
    let sent = echo(json!({ "body_path": "up.txt" }));
    assert!(sent.contains("octet-stream") && sent.ends_with("\n\nfrom a file\n"), "{sent}");
    let parts = json!([
        { "name": "title", "value": "T" },
        { "name": "file", "path": "up.txt", "filename": "other \"name\".txt", "content_type": "text/plain" },
    ]);
    let sent = echo(json!({ "multipart": parts }));
    assert!(
        sent.contains("multipart/form-data; boundary=")
            && sent.contains("name=\"title\"\r\n\r\nT\r\n")
    );
    assert!(sent.contains(
        "filename=\"other %22name%22.txt\"\r\nContent-Type: text/plain\r\n\r\nfrom a file\n"
    ));
    assert!(sent.contains("content-length: "), "{sent}");
}

#[test]
fn long_text_comes_in_pages_without_another_request() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let url = server.url("/long");
    let mut page = session.request(json!({ "url": url }));
    let mut whole = String::new();
    let mut pages = 0;
    loop {
        pages += 1;
        let text = page["body"].as_str().unwrap();
        assert!(text.len() <= 50_000);
        whole.push_str(text);
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        assert_eq!(page["truncated"], true);
        page = session.request(json!({ "url": url, "cursor": cursor }));
    }
    assert_eq!(whole, (0..9_000).map(|n| format!("line {n} \u{e9}\n")).collect::<String>());
    assert_eq!((pages > 2, server.requests()), (true, 1));
    let other = json!({ "url": server.url("/json"), "cursor": "1-50" });
    session.refused("http_request", other, "E_CONFLICT");
}

#[test]
fn texts_are_decoded_and_other_bodies_are_described() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    assert_eq!(session.request(json!({ "url": server.url("/latin1") }))["body"], "caf\u{e9}");
    let gzip = session.request(json!({ "url": server.url("/gzip") }));
    assert_eq!(
        (&gzip["body"], &gzip["size"]),
        (&json!("compressed text\n".repeat(10)), &json!(160))
    );
    let binary = session.request(json!({ "url": server.url("/binary") }));
    assert!(binary["body"].is_null() && binary["size"] == 70_000, "{binary}");
    assert!(binary["note"].as_str().unwrap().contains("save_to"), "{binary}");
}

#[test]
fn redirects_are_followed_within_limits() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let post = |status: u16| {
        let url = server.url(&format!("/redirect?{status},/echo"));
        let result = session.request(json!({ "method": "POST", "url": url, "body": "data",
            "headers": { "Authorization": "secret" } }));
        assert_eq!(result["redirects"], json!([{ "status": status, "url": server.url("/echo") }]));
        assert_eq!(result["final_url"], server.url("/echo"));
        result["body"].as_str().unwrap().to_owned()
    };
    for (status, method) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
    {
        let sent = post(status);
        assert!(
            sent.starts_with(method) && sent.contains("authorization: secret"),
            "{status}: {sent}"
        );
        assert_eq!(sent.ends_with("\n\ndata"), method == "POST", "{status}: {sent}");
    }
    let first = json!({ "url": server.url("/redirect?302,/echo"), "follow_redirects": false });
    assert_eq!(session.request(first)["status"], 302);
    let before = server.requests();
    let message =
        session.refused("http_request", json!({ "url": server.url("/loop") }), "E_UNSUPPORTED");
    assert!(
        message.contains("more than 10 redirects") && server.requests() - before == 11,
        "{message}"
    );
    for odd in ["file:///etc/passwd", "http://2130706433/", "http://a@b/", "gopher://x/"] {
        let url = server.url(&format!("/redirect?302,{odd}"));
        session.refused("http_request", json!({ "url": url }), "E_INVALID_PARAMS");
    }
}

#[test]
fn cookies_stay_in_their_session() {
    let server = HttpServer::start();
    let (session, other) = (Session::on_loopback(), Session::on_loopback());
    let set = session.request(json!({ "url": server.url("/set-cookie") }));
    assert!(set["headers"]["set-cookie"].as_str().unwrap().contains("session=abc"), "{set}");
    let echo =
        |session: &Session, params| session.request(params)["body"].as_str().unwrap().to_owned();
    let sent = echo(&session, json!({ "url": server.url("/echo") }));
    assert!(sent.contains("session=abc") && sent.contains("b=2"), "{sent}");
    for (session, params) in [
        (&other, json!({ "url": server.url("/echo") })),
        (&session, json!({ "url": server.url("/echo"), "cookies": false })),
    ] {
        assert!(!echo(session, params).contains("cookie"));
    }
}

#[test]
fn transient_failures_are_retried_where_that_is_safe() {
    let session = Session::on_loopback();
    let server = HttpServer::start();
    let result = session.request(json!({ "url": server.url("/reset") }));
    assert_eq!((&result["body"], &result["attempts"]), (&json!("request 2"), &json!(3)));
    let server = HttpServer::start();
    let post = json!({ "method": "POST", "url": server.url("/reset") });
    session.refused("http_request", post, "E_UNAVAILABLE");
    assert_eq!(server.requests(), 1, "a POST is not repeated");
    let server = HttpServer::start();
    session.refused(
        "http_request",
        json!({ "url": server.url("/reset"), "retries": 0 }),
        "E_UNAVAILABLE",
    );
    let server = HttpServer::start();
    let busy = session.request(json!({ "url": server.url("/overloaded") }));
    assert_eq!(busy["status"], 503, "a status is a result");
    let server = HttpServer::start();
    let retried = session.request(json!({ "url": server.url("/overloaded"), "retries": 2 }));
    assert_eq!((&retried["status"], &retried["attempts"]), (&json!(200), &json!(2)));
}

#[test]
fn hostile_responses_are_bounded() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let refused = |path: &str, code: &str| {
        session.refused(
            "http_request",
            json!({ "url": server.url(path), "timeout_ms": 5_000 }),
            code,
        )
    };
    assert!(refused("/bomb", "E_TOO_LARGE").contains("decompressed"));
    assert!(refused("/many-headers", "E_TOO_LARGE").contains("headers"));
    assert!(refused("/endless-headers", "E_TOO_LARGE").contains("headers"));
    refused("/no-http", "E_UNSUPPORTED");
    let endless = session.request(json!({ "url": server.url("/endless") }));
    assert_eq!((&endless["size"], &endless["truncated"]), (&json!(8 << 20), &json!(true)));
    let broken = session.request(json!({ "url": server.url("/broken") }));
    assert_eq!((&broken["body"], &broken["truncated"]), (&json!("only this"), &json!(true)));
    let started = Instant::now();
    let slow = session.request(json!({ "url": server.url("/slow"), "timeout_ms": 400 }));
    assert!(slow["body"].as_str().unwrap().starts_with("slow\n"), "{slow}");
    assert!(
        slow["note"].as_str().unwrap().contains("400 ms") && slow["truncated"] == true,
        "{slow}"
    );
    let hang = json!({ "url": server.url("/hang"), "timeout_ms": 300 });
    session.refused("http_request", hang, "E_TIMEOUT");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_cancel_ends_a_request_at_once() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    for path in ["/hang", "/slow", "/endless"] {
        let before = server.requests();
        let save = json!({ "url": server.url(path), "save_to": "out.bin", "timeout_ms": 60_000 });
        let call = session.start_call("http_request", save);
        while server.requests() == before {
            std::thread::sleep(Duration::from_millis(1));
        }
        let started = Instant::now();
        session.client.cancel(call.id).unwrap();
        let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
        // An endless body is too large before the cancel arrives, if it is quick.
        assert!([-32800, -32803].contains(&error.response().unwrap().code), "{path}: {error}");
        assert!(started.elapsed() < Duration::from_secs(1), "{path}: {:?}", started.elapsed());
        server.wait_until_abandoned();
    }
    assert!(!session.home.root().join("out.bin").exists());
}

#[test]
fn writing_tools_do_not_wait_for_a_request() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let save = json!({ "url": server.url("/hang"), "save_to": "out.bin", "timeout_ms": 60_000 });
    let call = session.start_call("http_request", save);
    while server.requests() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    session.call("write_file", json!({ "path": "a.txt", "content": "a\n" })).unwrap();
    session.client.cancel(call.id).unwrap();
    call.wait(RESPONSE_TIMEOUT).unwrap_err();
}

#[test]
fn requests_that_servers_could_misread_are_refused() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let url = server.url("/echo");
    for params in [
        json!({ "url": url, "headers": { "X": "a\r\nY: b" } }),
        json!({ "url": url, "headers": { "X\nY": "a" } }),
        json!({ "url": url, "headers": { "Host": "evil.example" } }),
        json!({ "url": url, "headers": { "Transfer-Encoding": "chunked" } }),
        json!({ "url": url, "method": "GET / HTTP/1.1\r\n" }),
        json!({ "url": url, "method": "CONNECT" }),
        json!({ "url": format!("{url}\r\nX: y") }),
        json!({ "url": format!("http://127.0.0.1:{}\\@evil.example/", server.address.port()) }),
        json!({ "url": "http://0x7f000001/" }),
        json!({ "url": "file:///etc/passwd" }),
        json!({ "url": url, "body": "a", "json": 1 }),
        json!({ "url": url, "multipart": [{ "name": "a" }] }),
        json!({ "url": url, "timeout_ms": 0 }),
        json!({ "url": url, "retries": 100 }),
        json!({ "url": url, "cursor": "nonsense" }),
        json!({}),
    ] {
        session.refused("http_request", params, "E_INVALID_PARAMS");
    }
    assert_eq!(server.connections(), 0);
    let closed = json!({ "url": "http://127.0.0.1:1/" });
    let started = Instant::now();
    session.refused("http_request", closed, "E_UNAVAILABLE");
    assert!(started.elapsed() < Duration::from_secs(1), "a refused connection is not retried");
}
