//! How far a rollout is, and why it fails.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::api::Cluster;
use crate::failure::{Failure, printable};
use crate::resource_type::segment;
use crate::selection::{label_query, list, pods};

/// How far a rollout is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It is done.
    Done(String),
    /// It goes on.
    Waiting(String),
    /// It failed.
    Failed(String),
}

/// What is wrong with a pod of the rollout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PodProblem {
    /// The pod.
    pub(crate) pod: String,
    /// The container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) container: Option<String>,
    /// `ImagePullBackOff`, `CrashLoopBackOff`, `Unschedulable`, `Unhealthy`.
    pub(crate) reason: String,
    /// What the cluster says of it.
    pub(crate) message: String,
}

/// Reasons after which a container does not start without a change.
const FATAL: &[&str] = &[
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CrashLoopBackOff",
];
/// Reasons of waiting that are no problem.
const USUAL: &[&str] = &["ContainerCreating", "PodInitializing"];
/// Pods whose events are read.
const MAX_PODS: usize = 3;
/// Events that are shown of one.
const MAX_EVENTS: usize = 5;

/// How far the rollout of a workload is, as `kubectl rollout status` decides it.
pub(crate) fn progress(workload: &Value) -> Result<Progress, &'static str> {
    let status = &workload["status"];
    let count = |value: &Value| value.as_i64().unwrap_or(0);
    let wanted = workload["spec"]["replicas"].as_i64().unwrap_or(1);
    if !matches!(workload["kind"].as_str(), Some("Deployment" | "StatefulSet" | "DaemonSet")) {
        return Err("only Deployments, StatefulSets and DaemonSets have rollouts");
    }
    let observed = count(&status["observedGeneration"]);
    if observed < count(&workload["metadata"]["generation"]) {
        return Ok(Progress::Waiting("the cluster has not seen the change yet".to_owned()));
    }
    let waiting = |text: String| Ok(Progress::Waiting(text));
    match workload["kind"].as_str().unwrap_or_default() {
        "Deployment" => {
            let conditions = status["conditions"].as_array().into_iter().flatten();
            for one in conditions {
                if one["type"] == "Progressing" && one["reason"] == "ProgressDeadlineExceeded" {
                    let message = printable(one["message"].as_str().unwrap_or_default());
                    return Ok(Progress::Failed(format!("ProgressDeadlineExceeded: {message}")));
                }
            }
            let (updated, all) = (count(&status["updatedReplicas"]), count(&status["replicas"]));
            let available = count(&status["availableReplicas"]);
            if updated < wanted {
                return waiting(format!("{updated} of {wanted} new pods are there"));
            }
            if all > updated {
                return waiting(format!("{} old pods end", all - updated));
            }
            if available < updated {
                return waiting(format!("{available} of {updated} new pods are available"));
            }
            Ok(Progress::Done(format!("{available} of {wanted} pods are available")))
        }
        "StatefulSet" => {
            if workload["spec"]["updateStrategy"]["type"] == "OnDelete" {
                return Err("its pods are only replaced when somebody deletes them (OnDelete)");
            }
            let ready = count(&status["readyReplicas"]);
            let updated = count(&status["updatedReplicas"]);
            let partition =
                count(&workload["spec"]["updateStrategy"]["rollingUpdate"]["partition"]);
            if ready < wanted {
                return waiting(format!("{ready} of {wanted} pods are ready"));
            }
            if status["updateRevision"] != status["currentRevision"] && updated < wanted - partition
            {
                return waiting(format!("{updated} of {} pods are new", wanted - partition));
            }
            Ok(Progress::Done(format!("{ready} of {wanted} pods are ready")))
        }
        "DaemonSet" => {
            if workload["spec"]["updateStrategy"]["type"] == "OnDelete" {
                return Err("its pods are only replaced when somebody deletes them (OnDelete)");
            }
            let wanted = count(&status["desiredNumberScheduled"]);
            let (updated, available) =
                (count(&status["updatedNumberScheduled"]), count(&status["numberAvailable"]));
            if updated < wanted {
                return waiting(format!("{updated} of {wanted} pods are new"));
            }
            if available < wanted {
                return waiting(format!("{available} of {wanted} pods are available"));
            }
            Ok(Progress::Done(format!("{available} of {wanted} pods are available")))
        }
        _ => Err("only Deployments, StatefulSets and DaemonSets have rollouts"),
    }
}

/// The problems of the pods that the rollout made, not of those that it replaces; and whether one of them does not
/// end by itself.
pub(crate) fn problems(
    cluster: &mut Cluster<'_>,
    namespace: &str,
    workload: &Value,
) -> Result<(Vec<PodProblem>, bool), Failure> {
    let Some((label, revision)) = revision(cluster, namespace, workload)? else {
        return Ok((Vec::new(), false));
    };
    let new = pods(cluster, namespace, workload)?;
    let new = new.iter().filter(|pod| pod["metadata"]["labels"][label] == revision.as_str());
    let found: Vec<PodProblem> = new.flat_map(pod_problems).collect();
    let is_fatal = found.iter().any(|problem| FATAL.contains(&problem.reason.as_str()));
    Ok((found, is_fatal))
}

/// Warnings of the cluster about these pods: pulls and probes that failed.
pub(crate) fn events(
    cluster: &mut Cluster<'_>,
    namespace: &str,
    names: &BTreeSet<String>,
) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for name in names.iter().take(MAX_PODS) {
        let query = segment(&format!("involvedObject.name={name}"));
        let path = format!(
            "/api/v1/namespaces/{}/events?fieldSelector={query}&limit=200",
            segment(namespace)
        );
        let events = list(cluster, &path)?;
        let warnings: Vec<&Value> = events
            .iter()
            .filter(|one| {
                one["type"] == "Warning" && one["involvedObject"]["name"] == name.as_str()
            })
            .collect();
        for one in warnings.iter().rev().take(MAX_EVENTS) {
            let text = |field: &str| printable(one[field].as_str().unwrap_or_default());
            let count = one["count"].as_u64().filter(|count| *count > 1);
            let count = count.map(|count| format!(" ({count} times)")).unwrap_or_default();
            found.push(format!("{name}: {}: {}{count}", text("reason"), text("message")));
        }
    }
    Ok(found)
}

/// The label that the pods of the newest revision have, and its value.
fn revision(
    cluster: &mut Cluster<'_>,
    namespace: &str,
    workload: &Value,
) -> Result<Option<(&'static str, String)>, Failure> {
    const HASH: &str = "controller-revision-hash";
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if workload["kind"] == "StatefulSet" {
        return Ok(text(&workload["status"]["updateRevision"]).map(|revision| (HASH, revision)));
    }
    let Some(query) = label_query(workload) else { return Ok(None) };
    let path = |plural: &str| {
        format!(
            "/apis/apps/v1/namespaces/{}/{plural}?labelSelector={query}&limit=500",
            segment(namespace)
        )
    };
    let uid = &workload["metadata"]["uid"];
    let is_own = |one: &Value| {
        one["metadata"]["ownerReferences"]
            .as_array()
            .is_some_and(|owners| owners.iter().any(|owner| owner["uid"] == *uid))
    };
    if workload["kind"] == "Deployment" {
        const REVISION: &str = "deployment.kubernetes.io/revision";
        let current = &workload["metadata"]["annotations"][REVISION];
        let sets = list(cluster, &path("replicasets"))?;
        let set = sets
            .iter()
            .find(|set| is_own(set) && set["metadata"]["annotations"][REVISION] == *current);
        let hash = set.and_then(|set| text(&set["metadata"]["labels"]["pod-template-hash"]));
        return Ok(hash.map(|hash| ("pod-template-hash", hash)));
    }
    let revisions = list(cluster, &path("controllerrevisions"))?;
    let newest =
        revisions.iter().filter(|one| is_own(one)).max_by_key(|one| one["revision"].as_i64());
    let hash = newest.and_then(|one| text(&one["metadata"]["labels"][HASH]));
    Ok(hash.map(|hash| (HASH, hash)))
}

fn pod_problems(pod: &Value) -> Vec<PodProblem> {
    let name = printable(pod["metadata"]["name"].as_str().unwrap_or_default());
    let status = &pod["status"];
    let problem = |container: Option<&str>, reason: &str, message: String| PodProblem {
        pod: name.clone(),
        container: container.map(printable),
        reason: printable(reason),
        message: printable(&message),
    };
    let mut found = Vec::new();
    for one in status["conditions"].as_array().into_iter().flatten() {
        if one["type"] == "PodScheduled" && one["status"] == "False" {
            let reason = one["reason"].as_str().unwrap_or("Unschedulable");
            found.push(problem(
                None,
                reason,
                one["message"].as_str().unwrap_or_default().to_owned(),
            ));
        }
    }
    let lists = ["initContainerStatuses", "containerStatuses"].map(|name| status[name].as_array());
    for one in lists.into_iter().flatten().flatten() {
        let container = one["name"].as_str();
        let waiting = &one["state"]["waiting"];
        let last = &one["lastState"]["terminated"];
        let last = match (last["reason"].as_str(), last["exitCode"].as_i64()) {
            (Some(reason), Some(code)) => format!("; it ended before: {reason}, exit code {code}"),
            _ => String::new(),
        };
        if let Some(reason) = waiting["reason"].as_str().filter(|reason| !USUAL.contains(reason)) {
            let message = waiting["message"].as_str().unwrap_or_default();
            found.push(problem(container, reason, format!("{message}{last}")));
        } else if one["state"]["running"].is_object() && one["ready"] == false {
            let restarts = one["restartCount"].as_i64().unwrap_or(0);
            found.push(problem(
                container,
                "NotReady",
                format!("it runs and is not ready; {restarts} restarts{last}"),
            ));
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rollouts_are_judged_like_kubectl_does() {
        let deployment = |status: Value| {
            json!({ "kind": "Deployment", "metadata": { "generation": 2 },
            "spec": { "replicas": 3 }, "status": status })
        };
        let of = |status| progress(&deployment(status)).unwrap();
        assert!(matches!(of(json!({ "observedGeneration": 1 })), Progress::Waiting(_)));
        let part = json!({ "observedGeneration": 2, "replicas": 4, "updatedReplicas": 2 });
        assert_eq!(of(part), Progress::Waiting("2 of 3 new pods are there".to_owned()));
        let done = json!({ "observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3 });
        assert!(matches!(of(done), Progress::Done(_)));
        let late = json!({ "observedGeneration": 2, "conditions": [{ "type": "Progressing", "status": "False",
            "reason": "ProgressDeadlineExceeded", "message": "too long" }] });
        assert_eq!(of(late), Progress::Failed("ProgressDeadlineExceeded: too long".to_owned()));
        assert!(progress(&json!({ "kind": "Job" })).is_err());
        let set = json!({ "kind": "DaemonSet", "status": { "desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 1 } });
        assert!(matches!(progress(&set).unwrap(), Progress::Waiting(_)));
    }

    #[test]
    fn problems_of_pods_are_named() {
        let pod = json!({ "metadata": { "name": "web-1" }, "status": { "containerStatuses": [
            { "name": "a", "state": { "waiting": { "reason": "ImagePullBackOff", "message": "no such image" } } },
            { "name": "b", "state": { "running": {} }, "ready": false, "restartCount": 2 },
            { "name": "c", "state": { "waiting": { "reason": "ContainerCreating" } } } ] } });
        let reasons: Vec<_> = pod_problems(&pod).into_iter().map(|one| one.reason).collect();
        assert_eq!(reasons, ["ImagePullBackOff", "NotReady"]);
    }
}
