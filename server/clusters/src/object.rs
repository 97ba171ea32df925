//! Objects of a cluster: their identity, and their order in an apply.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What names an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub(crate) struct ObjectId {
    /// Its kind.
    pub(crate) kind: String,
    /// Its API version: `apps/v1`.
    pub(crate) api_version: String,
    /// Its namespace, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<String>,
    /// Its name.
    pub(crate) name: String,
}

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// Kinds in the order in which they are applied: what others need comes first. Kinds that are not listed come
/// after these and before webhooks, which may refuse everything that follows.
const ORDER: &[&str] = &[
    "Namespace",
    "CustomResourceDefinition",
    "PriorityClass",
    "StorageClass",
    "ResourceQuota",
    "LimitRange",
    "NetworkPolicy",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Secret",
    "ConfigMap",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Service",
    "PodDisruptionBudget",
    "Pod",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "HorizontalPodAutoscaler",
    "Ingress",
    "APIService",
];

/// The place of a kind in the order.
pub(crate) fn rank(kind: &str) -> usize {
    if kind.ends_with("WebhookConfiguration") {
        return usize::MAX;
    }
    ORDER.iter().position(|one| *one == kind).unwrap_or(ORDER.len())
}

/// What the server keeps for itself in an object: two objects that differ only in that are the same.
const OWN_METADATA: &[&str] =
    &["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"];
/// The manifest of the last `kubectl apply`, which may hold secrets once more.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// An object without what the server keeps for itself.
pub(crate) fn without_own_fields(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    strip_metadata(&mut object);
    object
}

/// Removes what nobody reads of an object's metadata.
pub(crate) fn strip_metadata(object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    for name in OWN_METADATA {
        metadata.remove(*name);
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
}
