//! Applies to a cluster: what is shown, what is done, what changes in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tests::KubeServer;

use crate::session::{READ_CLUSTERS, Session};

pub(crate) const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        env:
        - {name: DB_PASSWORD, value: hunter2-env}
";
pub(crate) const WEB: &str = "/apis/apps/v1/namespaces/default/deployments/web";

fn actions(result: &Value) -> Vec<(&str, &str)> {
    let objects = result["objects"].as_array().unwrap().iter();
    objects.map(|one| (one["name"].as_str().unwrap(), one["action"].as_str().unwrap())).collect()
}

#[test]
fn a_change_is_shown_field_by_field_and_then_done() {
    let cluster = KubeServer::with_tls();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    session.write("deploy.yaml", DEPLOYMENT);
    let result = session.call("kube_apply", json!({ "manifest": "deploy.yaml" }));
    assert_eq!(
        (&result["applied"], actions(&result)),
        (&json!(true), vec![("web", "create")]),
        "{result}"
    );
    let question = session.question();
    assert!(
        question
            .contains("wants to change the cluster: cluster/apply/test/default/Deployment/web."),
        "{question}"
    );
    assert!(
        question.contains("CREATE default/Deployment/web")
            && question.contains("spec.replicas = 2"),
        "{question}"
    );

    session.write(
        "deploy.yaml",
        &DEPLOYMENT.replace("1.27", "1.28").replace("replicas: 2", "replicas: 3"),
    );
    let shown = session.call("kube_diff", json!({ "manifest": "deploy.yaml" }));
    let fields = json!([
        { "field": "spec.replicas", "before": "2", "after": "3" },
        { "field": "spec.template.spec.containers[name=web].image", "before": "\"nginx:1.27\"", "after": "\"nginx:1.28\"" },
    ]);
    assert_eq!(shown["objects"][0]["fields"], fields);
    assert!(session.questions().is_empty(), "a diff changes nothing");
    let dry = session.call("kube_apply", json!({ "manifest": "deploy.yaml", "dry_run": true }));
    assert_eq!((&dry["applied"], &dry["objects"][0]["fields"]), (&json!(false), &fields));
    assert_eq!(cluster.object(WEB).unwrap()["spec"]["replicas"], 2);

    session.call("kube_apply", json!({ "manifest": "deploy.yaml" }));
    let question = session.question();
    assert!(
        question.contains("spec.replicas: 2 -> 3") && !question.contains("hunter2"),
        "{question}"
    );
    assert_eq!(cluster.object(WEB).unwrap()["spec"]["replicas"], 3);
    let again = session.call("kube_apply", json!({ "manifest": "deploy.yaml" }));
    assert_eq!(
        (actions(&again), &again["note"]),
        (vec![("web", "unchanged")], &json!("nothing would change"))
    );
    assert!(session.questions().is_empty());
}

#[test]
fn without_approval_nothing_is_applied() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Deny");
    session.refused("kube_apply", json!({ "manifest": DEPLOYMENT }), "E_DENIED");
    assert!(cluster.object(WEB).is_none());
    let reads = Session::start("", |_| "Deny");
    reads.kubeconfig(&cluster.kubeconfig());
    reads.refused("kube_get", json!({ "resource": "pods" }), "E_DENIED");
    let question = reads.question();
    assert!(
        question.contains("read from the cluster: cluster/read/test")
            && question.contains("(loopback)"),
        "{question}"
    );
}

#[test]
fn an_object_that_changes_during_the_approval_is_a_conflict() {
    let cluster = KubeServer::start();
    let (of_person, armed) = (cluster.clone(), Arc::new(AtomicBool::new(false)));
    let of_answer = armed.clone();
    let session = Session::with_cluster(&cluster, move |_| {
        if of_answer.load(Ordering::Relaxed) {
            let mut object = of_person.object(WEB).unwrap();
            object["spec"]["replicas"] = json!(9);
            of_person.put(object);
        }
        "Allow once"
    });
    session.call("kube_apply", json!({ "manifest": DEPLOYMENT }));
    armed.store(true, Ordering::Relaxed);
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first}\ndata: {a: b}\n---\n";
    let both = format!("{config}{}", DEPLOYMENT.replace("1.27", "1.28"));
    let error = session.refused("kube_apply", json!({ "manifest": both }), "E_CONFLICT");
    assert!(error.message.contains("default/Deployment/web"), "{error:?}");
    assert!(
        cluster.object("/api/v1/namespaces/default/configmaps/first").is_none(),
        "nothing was applied"
    );
    assert_eq!(cluster.object(WEB).unwrap()["spec"]["replicas"], 9);
}

#[test]
fn a_context_that_is_switched_during_the_approval_is_a_conflict() {
    let cluster = KubeServer::start();
    let file = Arc::new(std::sync::OnceLock::<std::path::PathBuf>::new());
    let (of_answer, text) = (file.clone(), cluster.kubeconfig());
    let session = Session::with_cluster(&cluster, move |_| {
        let switched = text.replace("current-context: test", "current-context: other");
        std::fs::write(of_answer.get().unwrap(), switched).unwrap();
        "Allow once"
    });
    file.set(session.home.outside().join("kubeconfig")).unwrap();
    let error = session.refused("kube_apply", json!({ "manifest": DEPLOYMENT }), "E_CONFLICT");
    assert!(error.message.contains("the current context is other by now"), "{error:?}");
    assert!(cluster.object(WEB).is_none());
    assert!(cluster.object("/apis/apps/v1/namespaces/kube-system/deployments/web").is_none());
}

#[test]
fn documents_are_applied_in_a_fixed_order_and_a_failure_says_what_was_done() {
    let cluster = KubeServer::start();
    let of_person = cluster.clone();
    let session = Session::with_cluster(&cluster, move |_| {
        // A webhook that accepted the dry run.
        of_person.state().denied.insert("settings".to_owned(), "no settings today".to_owned());
        "Allow once"
    });
    let manifest = format!(
        "{}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings, namespace: shop}}\ndata: {{a: b}}\n---\n\
         apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: x}}\n",
        DEPLOYMENT.replace("name: web\n  labels", "name: web\n  namespace: shop\n  labels")
    );
    let error = session.refused("kube_apply", json!({ "manifest": manifest }), "E_INVALID_PARAMS");
    assert!(error.message.contains("`ServiceAccount`"), "{error:?}");
    let manifest = manifest.replace(
        "kind: ServiceAccount\nmetadata: {name: x}",
        "kind: Namespace\nmetadata: {name: shop}",
    );
    let result = session.call("kube_apply", json!({ "manifest": manifest }));
    assert_eq!(actions(&result), [("shop", "create"), ("settings", "create"), ("web", "create")]);
    let done: Vec<_> = result["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["done"].as_bool().unwrap())
        .collect();
    assert_eq!((done, &result["applied"]), (vec![true, false, false], &json!(false)), "{result}");
    assert!(
        result["objects"][1]["error"].as_str().unwrap().contains("no settings today"),
        "{result}"
    );
    assert!(result["objects"][2].get("error").is_none());
    assert!(result["note"].as_str().unwrap().contains("after 1 of 3"), "{result}");
    assert!(session.question().contains("not checked by the server yet"));
}

#[test]
fn what_the_server_refuses_is_reported_for_all_objects_at_once() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    cluster.state().denied.insert("b".to_owned(), "x".repeat(100_000));
    let manifest = format!(
        "{}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b}}\n",
        DEPLOYMENT.replace("replicas", "replica")
    );
    let error = session.refused("kube_apply", json!({ "manifest": manifest }), "E_PERMISSION");
    let failures = error.data["details"]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 2, "{error:?}");
    assert!(
        failures[1]["message"].as_str().unwrap().contains(".spec.replica: field not declared"),
        "{error:?}"
    );
    assert!(error.data.to_string().len() < 5_000, "a webhook's message is bounded");
    assert!(session.questions().is_empty());
}

#[test]
fn fields_of_another_manager_need_force() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    session.call("kube_apply", json!({ "manifest": DEPLOYMENT }));
    cluster.state().owned.push((
        WEB.to_owned(),
        "spec.replicas".to_owned(),
        "autoscaler".to_owned(),
    ));
    let changed = DEPLOYMENT.replace("replicas: 2", "replicas: 5");
    let error = session.refused("kube_apply", json!({ "manifest": changed }), "E_CONFLICT");
    assert!(error.message.contains("autoscaler"), "{error:?}");
    assert!(error.data["hint"].as_str().unwrap().contains("force"), "{error:?}");
    session.call("kube_apply", json!({ "manifest": changed, "force": true }));
    assert_eq!(cluster.object(WEB).unwrap()["spec"]["replicas"], 5);
}

#[test]
fn secrets_are_in_no_question_result_or_record() {
    let cluster = KubeServer::start();
    let session = Session::start(READ_CLUSTERS, |_| "Allow once");
    session.kubeconfig(&cluster.kubeconfig());
    let secret = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\nstringData: {{login: {value}, other: same}}\n"
        )
    };
    let made = session.call("kube_apply", json!({ "manifest": secret("hunter2-one") }));
    let changed = session.call("kube_apply", json!({ "manifest": secret("hunter2-two") }));
    assert_eq!(
        changed["objects"][0]["fields"],
        json!([{ "field": "data.login", "before": "(redacted)", "after": "(redacted)" }])
    );
    let read = session.call("kube_get", json!({ "resource": "secret/db" }));
    assert_eq!(read["object"]["data"], json!({ "login": "(redacted)", "other": "(redacted)" }));
    let base64 = "aHVudGVyMi"; // `hunter2-` in base64 begins so.
    let questions = session.questions().join("\n");
    for text in [made.to_string(), changed.to_string(), read.to_string(), questions] {
        assert!(!text.contains("hunter2") && !text.contains(base64), "{text}");
    }
    let log = session.call("get_audit_log", json!({})).to_string();
    assert!(log.contains("kube_apply") && log.contains("a manifest with a Secret"), "{log}");
    assert!(!log.contains("hunter2") && !log.contains(base64), "{log}");
    for secret in ["hunter2", base64, tests::KUBE_TOKEN] {
        assert_eq!(session.state_files_with(secret, ""), Vec::<String>::new(), "{secret}");
    }
}

#[test]
fn a_definition_and_its_objects_come_in_one_call() {
    let cluster = KubeServer::start();
    let session = Session::with_cluster(&cluster, |_| "Allow once");
    let manifest = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec: {size: 3}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true}]
";
    let result = session.call("kube_apply", json!({ "manifest": manifest }));
    assert_eq!(result["applied"], true, "{result}");
    assert_eq!(
        cluster.object("/apis/example.com/v1/namespaces/default/widgets/one").unwrap()["spec"]["size"],
        3
    );
    let listed = session.call("kube_get", json!({ "resource": "widgets" }));
    assert_eq!(listed["rows"][0][0], "one");
}
