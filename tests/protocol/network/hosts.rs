//! Which hosts and addresses are reached: only those that a person or a rule allowed, whatever names turn out
//! to be.

use serde_json::json;

use super::dns_server::DnsServer;
use super::http_server::HttpServer;
use super::{ALLOW_LOOPBACK, Session};

/// Settings that look names up at the test's server.
fn with_dns(dns: &DnsServer, rules: &str) -> String {
    format!("{rules}\n[network]\ndns = [\"{}\"]\n", dns.address)
}

#[test]
fn nothing_is_reached_without_approval() {
    let server = HttpServer::start();
    let session = Session::start("", |_| "Deny");
    let (host, port) = (server.address.ip(), server.address.port());
    for (tool, params) in [
        ("http_request", json!({ "url": server.url("/json") })),
        ("web_fetch", json!({ "url": server.url("/page") })),
        ("port_check", json!({ "host": host, "port": port })),
        ("dns_lookup", json!({ "hostname": "example.com" })),
    ] {
        session.refused(tool, params, "E_DENIED");
    }
    assert_eq!((server.connections(), session.questions().len()), (0, 4));
    let question = &session.questions()[0];
    assert!(question.contains(&format!("127.0.0.1:{port} (loopback)")), "{question}");
}

#[test]
fn the_question_shows_the_request() {
    let server = HttpServer::start();
    let session = Session::start("", |_| "Allow once");
    let result = session
        .request(json!({ "method": "post", "url": server.url("/echo"), "json": { "a": 1 },
        "headers": { "X-Token": "t" } }));
    assert_eq!(result["status"], 200);
    let question = session.questions().join("\n");
    for part in [&format!("POST {}", server.url("/echo")), "X-Token: t", "{\"a\":1}"] {
        assert!(question.contains(part), "{part}: {question}");
    }
}

#[test]
fn an_approval_for_the_session_is_for_one_host_and_port() {
    let (one, two) = (HttpServer::start(), HttpServer::start());
    let session = Session::start("", |_| "Allow for this session");
    for path in ["/json", "/name", "/missing"] {
        session.request(json!({ "url": one.url(path) }));
    }
    assert_eq!(session.questions().len(), 1);
    session.request(json!({ "url": two.url("/json") }));
    assert_eq!(session.questions().len(), 2);
}

#[test]
fn rules_allow_hosts_by_name_but_no_private_address_by_wildcard() {
    let server = HttpServer::start();
    for (rules, allowed) in [
        ("[policy.allow]\nnetwork = [\"*\"]\n", false),
        ("[policy.allow]\nnetwork = [\"127.0.0.1\"]\n", false),
        ("[policy.allow]\nnetwork = [\"* (private network)\"]\n", false),
        ("[policy.allow]\nnetwork = [\"127.0.0.1:1 (loopback)\"]\n", false),
        ("[policy.allow]\nnetwork = [\"* (loopback)\"]\n", true),
        (ALLOW_LOOPBACK, true),
        (
            "[policy.allow]\nnetwork = [\"* (loopback)\"]\n[policy.deny]\nnetwork = [\"127.*\"]\n",
            false,
        ),
    ] {
        let session = Session::start(rules, |_| "Deny");
        let result = session.call("http_request", json!({ "url": server.url("/json") }));
        assert_eq!(result.is_ok(), allowed, "{rules}: {result:?}");
    }
}

#[test]
fn a_name_with_a_private_address_needs_another_approval() {
    let server = HttpServer::start();
    let port = server.address.port();
    let dns = DnsServer::start(&[
        ("inside.test", &[&["127.0.0.1"]]),
        ("mapped.test", &[&["::ffff:127.0.0.1"]]),
        ("nat64.test", &[&["64:ff9b::7f00:1"]]),
        ("meta.test", &[&["169.254.169.254"]]),
        ("six.test", &[&["2002:a00:1::1"]]),
    ]);
    let rules = with_dns(&dns, "[policy.allow]\nnetwork = [\"*.test\"]\n");
    let session = Session::start(&rules, |_| "Deny");
    for (name, shown) in [
        ("inside.test", format!("inside.test:{port} at 127.0.0.1 (loopback)")),
        ("mapped.test", format!("mapped.test:{port} at ::ffff:127.0.0.1 (loopback)")),
        ("nat64.test", format!("nat64.test:{port} at 64:ff9b::7f00:1 (loopback)")),
        ("meta.test", format!("meta.test:{port} at 169.254.169.254 (cloud metadata)")),
        ("six.test", format!("six.test:{port} at 2002:a00:1::1 (private network)")),
    ] {
        let url = format!("http://{name}:{port}/json");
        session.refused("http_request", json!({ "url": url }), "E_DENIED");
        let question = session.questions().pop().unwrap();
        assert!(question.contains(&shown), "{shown}: {question}");
        session.refused("port_check", json!({ "host": name, "port": port }), "E_DENIED");
    }
    assert_eq!(server.connections(), 0);
    let session = Session::start(&rules, |_| "Allow once");
    let result = session.request(json!({ "url": format!("http://inside.test:{port}/echo") }));
    assert!(result["timings"]["dns_ms"].is_number() && server.connections() == 1, "{result}");
    assert!(result["body"].as_str().unwrap().contains(&format!("host: inside.test:{port}")));
}

#[test]
fn the_address_that_was_checked_is_the_one_connected_to() {
    let first = HttpServer::start();
    let port = first.address.port();
    let second = HttpServer::start_at("127.0.0.2", port, "second");
    // Each lookup has another answer.
    let dns = DnsServer::start(&[("rebind.test", &[&["127.0.0.1"], &["127.0.0.2"]])]);
    let rules = with_dns(&dns, "[policy.allow]\nnetwork = [\"rebind.test\"]\n");
    let session = Session::start(&rules, |question| {
        if question.contains("127.0.0.1") { "Allow for this session" } else { "Deny" }
    });
    let url = format!("http://rebind.test:{port}/name");
    let result = session.request(json!({ "url": url }));
    assert_eq!(
        (&result["body"], &result["address"]),
        (&json!("main"), &json!(first.address.to_string()))
    );
    let lookups = dns.queries().iter().filter(|query| query.ends_with(" 1")).count();
    assert_eq!(lookups, 1, "{:?}", dns.queries());
    // The next request looks it up again, and the new address is not approved.
    session.refused("http_request", json!({ "url": url }), "E_DENIED");
    assert!(session.questions()[1].contains("127.0.0.2"), "{:?}", session.questions());
    assert_eq!((first.connections(), second.connections()), (1, 0));
}

#[test]
fn each_hop_of_a_redirect_is_checked() {
    let server = HttpServer::start();
    let port = server.address.port();
    let other = HttpServer::start();
    let dns = DnsServer::start(&[("hop.test", &[&["127.0.0.1"], &["127.0.0.3"]])]);
    let rules =
        with_dns(&dns, "[policy.allow]\nnetwork = [\"hop.test\", \"hop.test (loopback)\"]\n");
    let session = Session::start(&rules, |_| "Deny");
    // To another port of the same machine.
    let url = format!("http://hop.test:{port}/redirect?307,{}", other.url("/echo"));
    session.refused("http_request", json!({ "url": url }), "E_DENIED");
    let question = session.questions().pop().unwrap();
    let shown = format!("127.0.0.1:{} (loopback)", other.address.port());
    assert!(question.contains(&shown) && question.contains("redirected by"), "{question}");
    assert_eq!(other.connections(), 0);
    // To the same name, whose address changes meanwhile. The rule covers it; nothing listens there.
    let dns = DnsServer::start(&[("hop.test", &[&["127.0.0.1"], &["127.0.0.3"]])]);
    let rules =
        with_dns(&dns, "[policy.allow]\nnetwork = [\"hop.test\", \"* at 127.0.0.1 (loopback)\"]\n");
    let session = Session::start(&rules, |_| "Deny");
    let url = format!("http://hop.test:{port}/redirect?302,/name");
    session.refused("http_request", json!({ "url": url }), "E_DENIED");
    assert!(
        session.questions()[0].contains("at 127.0.0.3 (loopback)"),
        "{:?}",
        session.questions()
    );
}

#[test]
fn secrets_do_not_follow_to_another_host() {
    let (server, other) = (HttpServer::start(), HttpServer::start());
    let session = Session::start("", |_| "Allow once");
    session.request(json!({ "url": other.url("/set-cookie") }));
    let url = server.url(&format!("/redirect?307,{}", other.url("/echo")));
    let result = session.request(json!({ "method": "POST", "url": url, "body": "data", "headers":
        { "Authorization": "secret", "X-Api-Key": "secret", "Cookie": "own=secret", "Accept": "a/b" } }));
    let sent = result["body"].as_str().unwrap();
    assert!(!sent.contains("secret") && sent.contains("accept: a/b"), "{sent}");
}

#[test]
fn of_mixed_addresses_only_public_ones_are_used() {
    let server = HttpServer::start();
    let dns = DnsServer::start(&[("mixed.test", &[&["127.0.0.1", "203.0.113.1", "8.8.8.8"]])]);
    let rules = with_dns(&dns, "[policy.allow]\nnetwork = [\"mixed.test\", \"* (loopback)\"]\n");
    let session = Session::start(&rules, |_| "Deny");
    let url = format!("http://mixed.test:{}/json", server.address.port());
    let params = json!({ "url": url, "timeout_ms": 700, "retries": 0 });
    session.call("http_request", params).unwrap_err();
    assert_eq!((server.connections(), session.questions().len()), (0, 0));
}

#[test]
fn proxies_come_from_the_settings_only() {
    let (server, proxy) = (HttpServer::start(), HttpServer::start());
    let session = Session::on_loopback();
    let mut command = session.home.command();
    let root = session.home.root();
    command.args(["call", "--yes", "http_request", "--workspace"]).arg(&root);
    command.arg(json!({ "url": server.url("/name") }).to_string());
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, proxy.url("/"));
    }
    let output = command.output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("main"), "{output:?}");
    assert_eq!((server.connections(), proxy.connections()), (1, 0));
    // Names are the proxy's to look up; addresses of this machine are reached without it.
    let settings = format!(
        "[policy.allow]\nnetwork = [\"*.test:8080\", \"127.0.0.1 (loopback)\"]\n[network]\nproxy = \"{}\"\n",
        proxy.url("/")
    );
    let session = Session::start(&settings, |_| "Deny");
    let result = session.request(json!({ "url": "http://far.test:8080/echo" }));
    assert_eq!((proxy.connections(), &result["status"]), (1, &json!(404)), "it gets the whole URL");
    session.request(json!({ "url": server.url("/name") }));
    assert_eq!(proxy.connections(), 1);
    let message = session.refused(
        "http_request",
        json!({ "url": "https://far.test:8080/" }),
        "E_UNAVAILABLE",
    );
    assert!(message.contains("proxy refused"), "{message}");
    session.refused("http_request", json!({ "url": "http://far.test/" }), "E_DENIED");
}
