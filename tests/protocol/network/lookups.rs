//! `dns_lookup` and `port_check`.

use serde_json::json;

use super::Session;
use super::dns_server::DnsServer;
use super::http_server::HttpServer;

#[test]
fn records_of_a_name_are_returned() {
    let dns = DnsServer::start(&[("host.test", &[&["192.0.2.1", "2001:db8::1"]])]);
    let rules = format!(
        "[policy.allow]\nnetwork = [\"*.test (DNS)\"]\n[network]\ndns = [\"{}\"]\n",
        dns.address
    );
    let session = Session::start(&rules, |_| "Deny");
    let lookup = |params| session.call("dns_lookup", params).unwrap();
    let found = lookup(json!({ "hostname": "host.test" }));
    let values: Vec<_> = found["records"].as_array().unwrap().iter().map(|r| &r["value"]).collect();
    assert_eq!(values, ["192.0.2.1", "2001:db8::1"], "{found}");
    let mx = lookup(json!({ "hostname": "host.test", "record_type": "MX" }));
    let record = &mx["records"][0];
    assert_eq!(
        (&record["type"], &record["value"]),
        (&json!("MX"), &json!("10 mail.example.")),
        "{mx}"
    );
    let txt = lookup(json!({ "hostname": "host.test", "record_type": "txt" }));
    assert_eq!(txt["records"][0]["value"], "v=spf1 -all", "{txt}");
    let none = lookup(json!({ "hostname": "host.test", "record_type": "CAA" }));
    assert_eq!((&none["exists"], &none["records"]), (&json!(true), &json!([])));
    let unknown = lookup(json!({ "hostname": "gone.test" }));
    assert_eq!(unknown["exists"], false, "{unknown}");
    assert_eq!(session.questions().len(), 0);
    session.refused("dns_lookup", json!({ "hostname": "secret.evil.example" }), "E_DENIED");
    assert!(!dns.queries().iter().any(|query| query.contains("evil")), "{:?}", dns.queries());
    for bad in ["a b", "", "*", "http://x", "a..b"] {
        session.refused("dns_lookup", json!({ "hostname": bad }), "E_INVALID_PARAMS");
    }
}

#[test]
fn another_server_needs_its_own_approval() {
    let dns = DnsServer::start(&[("host.test", &[&["192.0.2.1"]])]);
    let rules = "[policy.allow]\nnetwork = [\"*.test (DNS)\"]\n";
    let params =
        json!({ "hostname": "host.test", "record_type": "A", "server": dns.address.to_string() });
    let session = Session::start(rules, |_| "Deny");
    session.refused("dns_lookup", params.clone(), "E_DENIED");
    assert!(dns.queries().is_empty());
    let question = &session.questions()[0];
    assert!(question.contains(&format!("{} (loopback)", dns.address)), "{question}");
    let session = Session::start(rules, |_| "Allow once");
    let found = session.call("dns_lookup", params).unwrap();
    assert_eq!(found["records"][0]["value"], "192.0.2.1");
    session.refused(
        "dns_lookup",
        json!({ "hostname": "host.test", "server": "ns.test" }),
        "E_INVALID_PARAMS",
    );
}

#[test]
fn a_port_is_open_or_not() {
    let (server, session) = (HttpServer::start(), Session::on_loopback());
    let check = |port: u16| {
        session.call("port_check", json!({ "host": "127.0.0.1", "port": port })).unwrap()
    };
    let open = check(server.address.port());
    assert_eq!(
        (&open["open"], &open["address"]),
        (&json!(true), &json!(server.address.to_string()))
    );
    let closed = check(1);
    assert_eq!((&closed["open"], &closed["reason"]), (&json!(false), &json!("refused")));
    for params in [
        json!({ "host": "127.0.0.1", "port": 0 }),
        json!({ "host": "127.0.0.1", "port": 70_000 }),
        json!({ "host": "127.1", "port": 80 }),
        json!({ "host": "127.0.0.1", "port": 80, "timeout_ms": 0 }),
    ] {
        session.refused("port_check", params, "E_INVALID_PARAMS");
    }
}
