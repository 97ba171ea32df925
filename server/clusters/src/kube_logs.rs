//! `kube_logs`: what a container printed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::access::Access;
use crate::api::{Cluster, timeout};
use crate::kube_diff::default_timeout_ms;
use crate::limits::{LOG_LINES, MAX_LOG_BYTES, MAX_LOG_LINES};
use crate::resource_type::segment;
use crate::selection::{kind, namespace, pods, split};

pub(crate) struct KubeLogs;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The pod's name, or a workload such as `deployment/web`, whose newest pod is read.
    pod: String,
    /// The container, if the pod has several.
    #[serde(default)]
    container: Option<String>,
    /// The namespace; that of the context by default.
    #[serde(default)]
    namespace: Option<String>,
    /// The context of the kubeconfig; the current one by default.
    #[serde(default)]
    context: Option<String>,
    /// Most lines, the last ones; 200 by default.
    #[serde(default)]
    tail: Option<u32>,
    /// Reads the container's previous run, which crashed.
    #[serde(default)]
    previous: bool,
    /// `next_cursor` of an earlier call: what was printed since.
    #[serde(default)]
    cursor: Option<String>,
    /// The time limit in milliseconds; a minute by default.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The context.
    context: String,
    /// The pod.
    pod: String,
    /// The workload's other pods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_pods: Vec<String>,
    /// The lines.
    log: String,
    /// Whether earlier lines were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The cursor for what is printed next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for KubeLogs {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "kube_logs";
    const DESCRIPTION: &'static str = "Read the log of a Kubernetes pod, or of the newest pod of a workload: its last \
        lines, or with `cursor` what was printed since.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "pod"), ("resource", "pod"), ("tail_lines", "tail"), ("lines", "tail")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if result["truncated"] == true {
            web::push(&mut text, "[earlier lines were left out]");
        }
        let log = result["log"].as_str()?;
        web::push_marked(&mut text, log, "log of the container", "end of the log");
        if let Some(cursor) = result["next_cursor"].as_str() {
            web::push(&mut text, format_args!("[what comes next: cursor {cursor}]"));
        }
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let tool = Self::NAME;
        timeout(tool, params.timeout_ms)?;
        if params.tail.is_some_and(|lines| lines == 0 || lines > MAX_LOG_LINES) {
            let message = format!("{tool}: `tail` must be from 1 to {MAX_LOG_LINES}");
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        if params.cursor.as_deref().is_some_and(|cursor| cursor.parse::<jiff::Timestamp>().is_err())
        {
            let message = format!("{tool}: `cursor` is none of an earlier call");
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(Access::find(tool, params.context.as_deref())?.effects())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let timeout = timeout(tool, params.timeout_ms)?;
        let access = Access::find(tool, params.context.as_deref())?;
        let mut cluster = Cluster::new(context, tool, &access, timeout)?;
        let namespace = namespace(&access, params.namespace.as_deref());
        let (pod, other_pods) = pod(tool, &mut cluster, namespace, &params.pod)?;
        let lines = params.tail.unwrap_or(LOG_LINES);
        let mut path = format!(
            "/api/v1/namespaces/{}/pods/{}/log?timestamps=true&limitBytes={MAX_LOG_BYTES}",
            segment(namespace),
            segment(&pod)
        );
        match &params.cursor {
            Some(cursor) => path.push_str(&format!("&sinceTime={}", segment(cursor))),
            None => path.push_str(&format!("&tailLines={lines}")),
        }
        if let Some(container) = &params.container {
            path.push_str(&format!("&container={}", segment(container)));
        }
        if params.previous {
            path.push_str("&previous=true");
        }
        let text = cluster.text(&path).map_err(|failure| failure.of(tool))?;
        let log = read_log(&text, params.cursor.as_deref(), lines as usize);
        Ok(Output {
            context: access.context().to_owned(),
            pod,
            other_pods,
            log: log.text,
            truncated: log.is_cut,
            next_cursor: log.last.or(params.cursor),
        })
    }
}

/// The pod that a call means, and the workload's other ones.
fn pod(
    tool: &str,
    cluster: &mut Cluster<'_>,
    namespace: &str,
    written: &str,
) -> Result<(String, Vec<String>), ToolError> {
    let (first, name) = split(written);
    let (kind_name, name) = match name {
        None => return Ok((first.to_owned(), Vec::new())),
        Some(name) if matches!(first, "pod" | "pods" | "po") => {
            return Ok((name.to_owned(), Vec::new()));
        }
        Some(name) => (first, name),
    };
    let kind = kind(tool, cluster, kind_name)?;
    let failed = |failure: crate::failure::Failure| failure.of(tool);
    let workload = cluster.get(&kind.path(Some(namespace), Some(name))).map_err(failed)?;
    let mut found = pods(cluster, namespace, &workload).map_err(failed)?;
    found.sort_by_key(|pod| {
        std::cmp::Reverse(pod["metadata"]["creationTimestamp"].as_str().map(str::to_owned))
    });
    let mut names =
        found.iter().filter_map(|pod| pod["metadata"]["name"].as_str()).map(str::to_owned);
    let Some(newest) = names.next() else {
        let message = format!("{tool}: {}/{name} has no pods", kind.kind);
        return Err(ToolError::new(Code::NoMatch, message).hint("kube_rollout says why"));
    };
    Ok((newest, names.take(50).collect()))
}

struct Log {
    text: String,
    is_cut: bool,
    /// The time of the last line.
    last: Option<String>,
}

/// Takes the times off the lines. A cursor's own second comes again, and is left out as far as it is older.
fn read_log(text: &str, cursor: Option<&str>, most: usize) -> Log {
    let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
    let since = cursor.and_then(time);
    let mut last = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let (stamp, rest) = line.split_once(' ').unwrap_or((line, ""));
        let Some(at) = time(stamp) else {
            lines.push(line);
            continue;
        };
        if since.is_some_and(|since| at <= since) {
            continue;
        }
        last = Some(stamp.to_owned());
        lines.push(rest);
    }
    let skipped = lines.len().saturating_sub(most);
    let is_cut = skipped > 0 || text.len() >= MAX_LOG_BYTES;
    let text = lines[skipped..].iter().flat_map(|line| [*line, "\n"]).collect();
    Log { text, is_cut, last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_continues_after_the_last_line() {
        let text = "2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.2Z two\n";
        let first = read_log(text, None, 10);
        assert_eq!(
            (first.text.as_str(), first.last.as_deref()),
            ("one\ntwo\n", Some("2026-01-01T00:00:00.2Z"))
        );
        let more = format!("{text}2026-01-01T00:00:00.3Z three\n");
        assert_eq!(read_log(&more, first.last.as_deref(), 10).text, "three\n");
        let cut = read_log(&more, None, 1);
        assert!(cut.is_cut && cut.text == "three\n");
    }
}
