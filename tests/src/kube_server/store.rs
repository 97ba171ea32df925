//! What the server holds, and how server-side apply changes it.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

/// Group and version, kind, plural, whether it is namespaced, short name.
const KINDS: &[(&str, &str, &str, bool, &str)] = &[
    ("v1", "Namespace", "namespaces", false, "ns"),
    ("v1", "Pod", "pods", true, "po"),
    ("v1", "Service", "services", true, "svc"),
    ("v1", "ConfigMap", "configmaps", true, "cm"),
    ("v1", "Secret", "secrets", true, ""),
    ("v1", "Event", "events", true, "ev"),
    ("apps/v1", "Deployment", "deployments", true, "deploy"),
    ("apps/v1", "ReplicaSet", "replicasets", true, "rs"),
    ("apps/v1", "StatefulSet", "statefulsets", true, "sts"),
    (
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        false,
        "crd",
    ),
];

/// Fields of a Deployment's `spec` that exist.
const DEPLOYMENT_FIELDS: &[&str] =
    &["replicas", "selector", "template", "strategy", "paused", "progressDeadlineSeconds"];

/// A kind.
#[derive(Clone)]
pub(super) struct Kind {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    pub(super) short: String,
}

impl Kind {
    fn folder(&self) -> String {
        if self.group == "v1" { "/api/v1".to_owned() } else { format!("/apis/{}", self.group) }
    }

    /// The namespace that a path lists objects of this kind of; `Some(None)` for all.
    pub(super) fn listed(&self, path: &str) -> Option<Option<String>> {
        let rest = path.strip_prefix(&self.folder())?.strip_prefix('/')?;
        if rest == self.plural {
            return Some(None);
        }
        let (namespace, plural) = rest.strip_prefix("namespaces/")?.split_once('/')?;
        (plural == self.plural).then(|| Some(namespace.to_owned()))
    }
}

/// The path of an object.
pub(super) fn object_path(kind: &Kind, namespace: &str, name: &str) -> String {
    let (folder, plural) = (kind.folder(), &kind.plural);
    if kind.is_namespaced {
        format!("{folder}/namespaces/{namespace}/{plural}/{name}")
    } else {
        format!("{folder}/{plural}/{name}")
    }
}

/// What the server holds.
#[derive(Default)]
pub struct State {
    /// Objects by their paths.
    pub objects: BTreeMap<String, Value>,
    /// Fields that another manager owns: path, field, manager.
    pub owned: Vec<(String, String, String)>,
    /// Answers to the requests for a path: status and body, instead of the server's own.
    pub fixed: BTreeMap<String, (u16, String)>,
    /// Logs of pods, by their paths.
    pub logs: BTreeMap<String, String>,
    /// Method and target of every request.
    pub requests: Vec<String>,
    /// Refuses applies of objects of this name, with this message of a webhook.
    pub denied: BTreeMap<String, String>,
    /// What each manager applied, by manager and path.
    applied: BTreeMap<(String, String), Value>,
    /// The version of the newest object.
    pub(super) version: u64,
}

impl State {
    /// All kinds, those that definitions add included.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let fixed = KINDS.iter().map(|(group, name, plural, is_namespaced, short)| Kind {
            group: (*group).to_owned(),
            name: (*name).to_owned(),
            plural: (*plural).to_owned(),
            is_namespaced: *is_namespaced,
            short: (*short).to_owned(),
        });
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let definitions =
            self.objects.values().filter(|object| object["kind"] == "CustomResourceDefinition");
        let defined = definitions.map(|object| &object["spec"]).map(|spec| Kind {
            group: format!("{}/{}", text(&spec["group"]), text(&spec["versions"][0]["name"])),
            name: text(&spec["names"]["kind"]),
            plural: text(&spec["names"]["plural"]),
            is_namespaced: spec["scope"] == "Namespaced",
            short: String::new(),
        });
        fixed.chain(defined).collect()
    }

    /// Stores an object. It gets a new version if it changes.
    pub(super) fn store(&mut self, path: &str, mut object: Value) -> Value {
        let before = self.objects.get(path);
        let own = |name: &str, first: Value| {
            before.map_or(first, |object| object["metadata"][name].clone())
        };
        let is_same_spec = before.is_some_and(|before| before["spec"] == object["spec"]);
        let generation = own("generation", json!(0)).as_u64().unwrap_or(0);
        let metadata = &mut object["metadata"];
        metadata["uid"] = own("uid", json!(format!("uid-{path}")));
        metadata["creationTimestamp"] = own("creationTimestamp", json!("2026-01-01T00:00:00Z"));
        metadata["generation"] = json!(if is_same_spec { generation } else { generation + 1 });
        metadata["managedFields"] = json!([{ "manager": "someone" }]);
        metadata["resourceVersion"] = own("resourceVersion", Value::Null);
        if before == Some(&object) {
            return object;
        }
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.objects.insert(path.to_owned(), object.clone());
        object
    }

    /// Server-side apply.
    pub(super) fn apply(
        &mut self,
        path: &str,
        kind: &Kind,
        query: &BTreeMap<String, String>,
        mut body: Value,
    ) -> (u16, Value) {
        if let Err(refused) = self.check(path, kind, query, &body) {
            return refused;
        }
        let before = self.objects.get(path).cloned();
        if let Some(metadata) = body["metadata"].as_object_mut() {
            metadata.remove("resourceVersion");
        }
        encode_secret(&mut body);
        let manager = query.get("fieldManager").cloned().unwrap_or_default();
        let key = (manager.clone(), path.to_owned());
        let mut object = before.clone().unwrap_or_else(|| json!({}));
        if let Some(last) = self.applied.get(&key) {
            remove_left_out(&mut object, last, &body);
        }
        merge(&mut object, &body);
        for (owned, field, owner) in self.owned.iter().filter(|_| !query.contains_key("force")) {
            let pointer = format!("/{}", field.replace('.', "/"));
            let is_changed = before.as_ref().and_then(|before| before.pointer(&pointer))
                != object.pointer(&pointer);
            if owned == path && *owner != manager && is_changed {
                let why =
                    format!("Apply failed with 1 conflict: conflict with \"{owner}\": .{field}");
                return status(409, "Conflict", &why);
            }
        }
        if let Some(spec) = object["spec"].as_object_mut().filter(|_| kind.name == "Deployment") {
            spec.entry("replicas").or_insert(json!(1));
            spec.entry("progressDeadlineSeconds").or_insert(json!(600));
        }
        let code = if before.is_some() { 200 } else { 201 };
        if query.contains_key("dryRun") {
            return (code, object);
        }
        self.applied.insert(key, body);
        (code, self.store(path, object))
    }

    /// Refuses what a real server refuses before it merges.
    fn check(
        &self,
        path: &str,
        kind: &Kind,
        query: &BTreeMap<String, String>,
        body: &Value,
    ) -> Result<(), (u16, Value)> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let namespace = path.split("/namespaces/").nth(1).and_then(|rest| rest.split('/').next());
        if let Some(namespace) = namespace.filter(|_| kind.is_namespaced)
            && !self.objects.contains_key(&format!("/api/v1/namespaces/{namespace}"))
        {
            return Err(status(404, "NotFound", &format!("namespaces \"{namespace}\" not found")));
        }
        if body["metadata"]["managedFields"].is_array() {
            return Err(status(400, "BadRequest", "metadata.managedFields must be nil"));
        }
        let is_strict = query.get("fieldValidation").is_some_and(|mode| mode == "Strict");
        let mut fields = body["spec"].as_object().into_iter().flat_map(Map::keys);
        if kind.name == "Deployment"
            && is_strict
            && let Some(field) = fields.find(|field| !DEPLOYMENT_FIELDS.contains(&field.as_str()))
        {
            let why = format!(
                "failed to create typed patch object: .spec.{field}: field not declared in schema"
            );
            return Err(status(400, "BadRequest", &why));
        }
        if let Some(message) = self.denied.get(name) {
            let why =
                format!("admission webhook \"policy.example.com\" denied the request: {message}");
            return Err(status(403, "Forbidden", &why));
        }
        let sent = body["metadata"]["resourceVersion"].as_str();
        let current =
            self.objects.get(path).and_then(|one| one["metadata"]["resourceVersion"].as_str());
        if sent.is_some() && sent != current {
            let why = format!(
                "Operation cannot be fulfilled on {} \"{name}\": the object has been modified",
                kind.plural
            );
            return Err(status(409, "Conflict", &why));
        }
        Ok(())
    }
}

/// A `Status` that refuses.
pub(super) fn status(code: u16, reason: &str, message: &str) -> (u16, Value) {
    let status = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code });
    (code, status)
}

fn encode_secret(body: &mut Value) {
    if body["kind"] != "Secret" {
        return;
    }
    let plain = body.as_object_mut().and_then(|fields| fields.remove("stringData"));
    for (name, value) in plain.iter().filter_map(Value::as_object).flatten() {
        body["data"][name] = json!(BASE64_STANDARD.encode(value.as_str().unwrap_or_default()));
    }
}

fn merge(object: &mut Value, patch: &Value) {
    let is_named = |items: &[Value]| items.iter().all(|item| item["name"].is_string());
    match (object, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (name, value) in patch {
                merge(fields.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(items), Value::Array(patch)) if is_named(items) && is_named(patch) => {
            for value in patch {
                match items.iter_mut().find(|item| item["name"] == value["name"]) {
                    Some(item) => merge(item, value),
                    None => items.push(value.clone()),
                }
            }
        }
        (object, patch) => *object = patch.clone(),
    }
}

/// Removes what the same manager applied before and does not any more.
fn remove_left_out(object: &mut Value, before: &Value, now: &Value) {
    let (Some(fields), Some(before)) = (object.as_object_mut(), before.as_object()) else { return };
    for (name, value) in before {
        match (now.get(name), fields.get_mut(name)) {
            (None, _) => drop(fields.remove(name)),
            (Some(now), Some(own)) => remove_left_out(own, value, now),
            (Some(_), None) => {}
        }
    }
}
