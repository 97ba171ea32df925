//! `kube_rollout`: waits until a rollout is done or failed.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::access::Access;
use crate::api::{Cluster, timeout};
use crate::failure::Failure;
use crate::limits::{ROLLOUT_POLL, ROLLOUT_TIMEOUT_MS};
use crate::rollout::{PodProblem, Progress, events, problems, progress};
use crate::selection::{kind, namespace, split};

pub(crate) struct KubeRollout;

fn default_timeout_ms() -> u64 {
    ROLLOUT_TIMEOUT_MS
}

fn default_wait() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The workload: `deployment/web`.
    resource: String,
    /// The namespace; that of the context by default.
    #[serde(default)]
    namespace: Option<String>,
    /// The context of the kubeconfig; the current one by default.
    #[serde(default)]
    context: Option<String>,
    /// Whether to wait for the end, which is the default.
    #[serde(default = "default_wait")]
    wait: bool,
    /// How long to wait, in milliseconds; 5 minutes by default.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

/// How a rollout stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RolloutState {
    // It is done.
    Done,
    // It failed, or does not go on by itself.
    Failed,
    // It goes on.
    Progressing,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The context.
    context: String,
    /// How it stands.
    state: RolloutState,
    /// How far it is, or why it failed.
    message: String,
    /// What is wrong with its new pods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<PodProblem>,
    /// The cluster's warnings about them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<String>,
}

impl Tool for KubeRollout {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "kube_rollout";
    const DESCRIPTION: &'static str = "Wait until the rollout of a Kubernetes Deployment, StatefulSet or DaemonSet is \
        done or failed. Returns its state and why it fails: images, crashes, probes, the cluster's warnings.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("workload", "resource"), ("deployment", "resource"), ("name", "resource")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        web::push(
            &mut text,
            format_args!("{}: {}", result["state"].as_str()?, result["message"].as_str()?),
        );
        for one in result["problems"].as_array().into_iter().flatten() {
            let part = |name: &str| one[name].as_str().unwrap_or_default();
            let container =
                one["container"].as_str().map(|name| format!(" ({name})")).unwrap_or_default();
            web::push(
                &mut text,
                format_args!("{}{container}: {}: {}", part("pod"), part("reason"), part("message")),
            );
        }
        for event in result["events"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            web::push(&mut text, format_args!("warning: {event}"));
        }
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        Ok(Access::find(Self::NAME, params.context.as_deref())?.effects())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let timeout = timeout(tool, params.timeout_ms)?;
        let access = Access::find(tool, params.context.as_deref())?;
        // The last look must not be cut off by the end of the time to wait.
        let mut cluster = Cluster::new(context, tool, &access, timeout + 2 * ROLLOUT_POLL)?;
        let namespace = namespace(&access, params.namespace.as_deref());
        let (kind_name, name) = split(&params.resource);
        let (kind_name, name) = match name {
            Some(name) => (kind_name, name),
            None => ("deployments", kind_name),
        };
        let kind = kind(tool, &mut cluster, kind_name)?;
        let path = kind.path(Some(namespace), Some(name));
        let failed = |failure: Failure| failure.of(tool);
        loop {
            let workload = cluster.get(&path).map_err(failed)?;
            let progress = progress(&workload).map_err(|why| {
                let message = format!("{tool}: {}/{name}: {why}", kind.kind);
                ToolError::new(Code::Unsupported, message)
            })?;
            let (state, message) = match progress {
                Progress::Done(message) => (RolloutState::Done, message),
                Progress::Failed(message) => (RolloutState::Failed, message),
                Progress::Waiting(message) => (RolloutState::Progressing, message),
            };
            let mut output = Output {
                context: access.context().to_owned(),
                state,
                message,
                problems: Vec::new(),
                events: Vec::new(),
            };
            if state == RolloutState::Done {
                return Ok(output);
            }
            let (found, is_fatal) = problems(&mut cluster, namespace, &workload).map_err(failed)?;
            if is_fatal {
                output.state = RolloutState::Failed;
            }
            let is_last = !params.wait || cluster.connection.left() <= 3 * ROLLOUT_POLL;
            if output.state == RolloutState::Failed || is_last {
                let names: BTreeSet<String> =
                    found.iter().map(|problem| problem.pod.clone()).collect();
                // Who may not read events sees the rest.
                output.events = match events(&mut cluster, namespace, &names) {
                    Ok(events) => events,
                    Err(Failure::Status { .. }) => Vec::new(),
                    Err(failure) => return Err(failed(failure)),
                };
                output.problems = found;
                return Ok(output);
            }
            context.editor.progress(&output.message);
            cluster.connection.sleep(ROLLOUT_POLL).map_err(failed)?;
        }
    }
}
