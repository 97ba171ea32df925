//! The same server under real kubectl, where it is installed.

use std::io::Write;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tests::KubeServer;

use crate::apply_cluster::{DEPLOYMENT, WEB};
use crate::session::Session;

#[test]
fn kubectl_and_kube_apply_store_the_same() {
    let is_here = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join("kubectl").is_file());
    if !is_here {
        // Past the test runner, which hides what a passing test prints.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED kubectl_and_kube_apply_store_the_same: kubectl is not on the PATH"
        );
        return;
    }
    // kubectl sends credentials over TLS only.
    let (ours, theirs) = (KubeServer::start(), KubeServer::with_tls());
    let session = Session::with_cluster(&ours, |_| "Allow once");
    session.write("deploy.yaml", DEPLOYMENT);
    session.call("kube_apply", json!({ "manifest": "deploy.yaml" }));
    let config = session.home.outside().join("kubectl-config");
    std::fs::write(&config, theirs.kubeconfig()).unwrap();
    let kubectl = |words: &[&str]| -> Output {
        Command::new("kubectl")
            .args(words)
            .arg("--kubeconfig")
            .arg(&config)
            .env("HOME", session.home.outside())
            .current_dir(session.home.root())
            .output()
            .unwrap()
    };
    let applied = kubectl(&["apply", "--server-side", "--validate=false", "-f", "deploy.yaml"]);
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    let stored = |cluster: &KubeServer| -> Value {
        let mut object = cluster.object(WEB).unwrap();
        object["metadata"]["resourceVersion"] = Value::Null;
        object
    };
    assert_eq!(stored(&ours), stored(&theirs));
    let listed = kubectl(&["get", "deployments"]);
    let rows = session.call("kube_get", json!({ "resource": "deployments" }));
    let of_kubectl = String::from_utf8_lossy(&listed.stdout).into_owned();
    let lines: Vec<Vec<&str>> =
        of_kubectl.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        lines,
        [vec!["NAME", "AGE"], vec!["web", "5d"]],
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    assert_eq!(rows["rows"], json!([["web", "5d"]]));
}
