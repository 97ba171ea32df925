//! Manifests, kubeconfigs and servers that are wrong or hostile.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::KubeServer;

use crate::session::Session;

#[test]
fn manifests_that_are_ambiguous_or_too_large_are_refused() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    let refused = |manifest: &str, code: &str, wanted: &str| {
        let error = session.refused("kube_diff", json!({ "manifest": manifest }), code);
        assert!(error.message.contains(wanted), "{error:?}");
    };
    refused(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: yes}\n",
        "E_INVALID_PARAMS",
        "line 4",
    );
    refused("apiVersion: v1\nmetadata: {name: a}\n", "E_INVALID_PARAMS", "`kind`");
    refused(
        "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n",
        "E_INVALID_PARAMS",
        "generateName",
    );
    refused("a: [\n", "E_INVALID_PARAMS", "line");
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n";
    refused(&config.repeat(2), "E_INVALID_PARAMS", "twice");
    let mut many = String::new();
    for number in 0..10_000 {
        let _ =
            write!(many, "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{number}}}\n---\n");
    }
    refused(&many, "E_TOO_LARGE", "2000 objects");
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..15 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        let _ = writeln!(bomb, "a{level}: &a{level} [{inner}]");
    }
    let started = Instant::now();
    refused(&bomb, "E_INVALID_PARAMS", "expands");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    session.refused("kube_diff", json!({ "manifest": "../x.yaml" }), "E_PATH_FORBIDDEN");
    session.refused("kube_diff", json!({ "manifest": "gone.yaml" }), "E_FILE_NOT_FOUND");
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n";
    session.refused(
        "kube_diff",
        json!({ "manifest": other, "namespace": "c" }),
        "E_INVALID_PARAMS",
    );
    let patches =
        cluster.state().requests.iter().filter(|request| request.starts_with("PATCH")).count();
    assert_eq!(patches, 0, "nothing was sent");
}

#[test]
fn a_thousand_manifests_are_compared() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    let mut many = String::new();
    for number in 0..1_000 {
        let _ = write!(
            many,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{number}}}\ndata: {{a: b}}\n---\n"
        );
    }
    let started = Instant::now();
    let result = session.call("kube_diff", json!({ "manifest": many }));
    assert!(result["objects"].as_array().unwrap().len() > 100, "{result}");
    // A build without optimisation, on a busy machine.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    println!("1,000 manifests: {} ms", started.elapsed().as_millis());
}

#[test]
fn kubeconfigs_that_cannot_be_used_say_why_and_show_nothing() {
    let cluster = KubeServer::start();
    let session = Session::start("", |_| "Allow once");
    let get = json!({ "resource": "pods" });
    let error = session.refused("kube_get", get.clone(), "E_UNAVAILABLE");
    assert!(error.message.contains("no kubeconfig"), "{error:?}");
    let config = cluster.kubeconfig();
    for (from, to, code, wanted) in [
        ("token: kube-hunter2-token", "exec: {command: hunter2}", "E_UNSUPPORTED", "program"),
        ("http://", "https://", "E_UNAVAILABLE", "TLS"),
        ("current-context: test\n", "", "E_UNAVAILABLE", "other, test"),
        ("http://127.0.0.1", "http://192.0.2.1", "E_UNSUPPORTED", "without TLS"),
        ("http://127.0.0.1", "ftp://127.0.0.1", "E_INVALID_PARAMS", "ftp"),
        (
            "server: 'http",
            "insecure-skip-tls-verify: true, server: 'https",
            "E_UNSUPPORTED",
            "insecure",
        ),
        ("apiVersion", "hunter2: [", "E_UNAVAILABLE", "no YAML"),
        ("kube-hunter2-token", "wrong-hunter2", "E_PERMISSION", "Unauthorized"),
    ] {
        assert!(config.contains(from), "{from}");
        session.kubeconfig(&config.replace(from, to));
        let error = session.refused("kube_get", get.clone(), code);
        assert!(error.message.contains(wanted), "{error:?}");
        assert!(!error.data.to_string().contains("hunter2"), "{error:?}");
    }
    session.kubeconfig(&config);
    session.refused("kube_get", json!({ "resource": "pods", "context": "gone" }), "E_UNAVAILABLE");
    session.call("kube_get", json!({ "resource": "pods", "context": "other" }));
}

#[test]
fn another_servers_certificate_is_refused() {
    let (cluster, other) = (KubeServer::with_tls(), KubeServer::with_tls());
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    session.call("kube_get", json!({ "resource": "pods" }));
    let from = format!(":{}'", other.port);
    let wrong = other.kubeconfig().replace(&from, &format!(":{}'", cluster.port));
    session.kubeconfig(&wrong);
    let error = session.refused("kube_get", json!({ "resource": "pods" }), "E_UNAVAILABLE");
    assert!(error.message.contains("TLS"), "{error:?}");
}

#[test]
fn a_server_that_answers_nonsense_ends_one_call() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    let pods = "/api/v1/namespaces/default/pods";
    for (status, body, code) in [
        (200, "nonsense".to_owned(), "E_IO"),
        (200, "[]".to_owned(), "E_IO"),
        (500, "x".repeat(1 << 20), "E_UNAVAILABLE"),
        (200, format!("{{\"a\": \"{}\"}}", "x".repeat(33 << 20)), "E_TOO_LARGE"),
        (200, format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)), "E_IO"),
    ] {
        cluster.state().fixed.insert(pods.to_owned(), (status, body));
        let error = session.refused("kube_get", json!({ "resource": "pods" }), code);
        assert!(error.data.to_string().len() < 5_000);
    }
    cluster.state().fixed.clear();
    session.call("kube_get", json!({ "resource": "pods" }));
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    session.kubeconfig(&cluster.kubeconfig().replace(&cluster.port.to_string(), &port.to_string()));
    session.refused("kube_get", json!({ "resource": "pods", "timeout_ms": 300 }), "E_TIMEOUT");
    drop(silent);
    session.refused("kube_get", json!({ "resource": "pods" }), "E_UNAVAILABLE");
}
