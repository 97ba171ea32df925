//! `kube_get`: one object, or the objects of a kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::access::Access;
use crate::api::{Cluster, timeout};
use crate::failure::printable;
use crate::kube_diff::default_timeout_ms;
use crate::limits::{MAX_PAGE, PAGE};
use crate::object::strip_metadata;
use crate::redaction::redact;
use crate::resource_type::{ResourceType, segment};
use crate::selection::{kind, namespace, split};

pub(crate) struct KubeGet;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `pods`, `deployment/web`, `deployments.apps`.
    resource: String,
    /// The object's name, for the whole object.
    #[serde(default)]
    name: Option<String>,
    /// The namespace; that of the context by default.
    #[serde(default)]
    namespace: Option<String>,
    /// Lists all namespaces.
    #[serde(default)]
    all_namespaces: bool,
    /// A label selector: `app=web`.
    #[serde(default)]
    selector: Option<String>,
    /// The context of the kubeconfig; the current one by default.
    #[serde(default)]
    context: Option<String>,
    /// Most objects of a page; 100 by default.
    #[serde(default)]
    limit: Option<u32>,
    /// `next_cursor` of the previous page.
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
    /// The kind.
    kind: String,
    /// The object, if the call names one. Data of secrets are redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Map<String, Value>>,
    /// A list: the columns that the cluster shows of this kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<String>,
    /// A list: a row for each object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<Vec<String>>,
    /// The cursor of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for KubeGet {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "kube_get";
    const DESCRIPTION: &'static str = "Read a Kubernetes object whole, or list the objects of a kind as the rows \
        of `kubectl get`. Data of secrets are redacted. `kube_logs` reads logs, `kube_rollout` waits for a rollout.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("kind", "resource"),
        ("type", "resource"),
        ("labels", "selector"),
        ("label_selector", "selector"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if let Some(object) = result.get("object") {
            text = serde_json::to_string_pretty(object).ok()?;
            return Some(text);
        }
        let line = |values: &Value| {
            let values: Vec<&str> =
                values.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            values.join("\t")
        };
        web::push(&mut text, line(&result["columns"]));
        let rows = result["rows"].as_array();
        for row in rows.into_iter().flatten() {
            web::push(&mut text, line(row));
        }
        if rows.is_none_or(Vec::is_empty) {
            text = "no objects\n".to_owned();
        }
        web::push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        if params.limit.is_some_and(|limit| limit == 0 || limit > MAX_PAGE) {
            let message = format!("{}: `limit` must be from 1 to {MAX_PAGE}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(Access::find(Self::NAME, params.context.as_deref())?.effects())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let timeout = timeout(tool, params.timeout_ms)?;
        let access = Access::find(tool, params.context.as_deref())?;
        let mut cluster = Cluster::new(context, tool, &access, timeout)?;
        let (written, name) = split(&params.resource);
        let kind = kind(tool, &mut cluster, written)?;
        let namespace = namespace(&access, params.namespace.as_deref());
        let name = params.name.as_deref().or(name).filter(|name| !name.is_empty());
        let mut output = Output {
            context: access.context().to_owned(),
            kind: kind.kind.clone(),
            object: None,
            columns: Vec::new(),
            rows: Vec::new(),
            next_cursor: None,
        };
        if let Some(name) = name {
            let path = kind.path(Some(namespace), Some(name));
            let mut object = cluster.get(&path).map_err(|failure| failure.of(tool))?;
            strip_metadata(&mut object);
            redact(&mut object);
            output.object = object.as_object().cloned();
            return Ok(output);
        }
        let namespace = (!params.all_namespaces).then_some(namespace);
        list(tool, &mut cluster, &kind, namespace, &params, &mut output)?;
        Ok(output)
    }
}

/// The server makes the table, as it does for kubectl. One that cannot sends the objects.
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

fn list(
    tool: &str,
    cluster: &mut Cluster<'_>,
    kind: &ResourceType,
    namespace: Option<&str>,
    params: &Params,
    output: &mut Output,
) -> Result<(), ToolError> {
    let mut path = format!("{}?limit={}", kind.path(namespace, None), params.limit.unwrap_or(PAGE));
    if let Some(selector) = &params.selector {
        path.push_str(&format!("&labelSelector={}", segment(selector)));
    }
    if let Some(cursor) = &params.cursor {
        path.push_str(&format!("&continue={}", segment(cursor)));
    }
    let list = cluster.get_as(&path, TABLE).map_err(|failure| failure.of(tool))?;
    let cursor = list["metadata"]["continue"].as_str().filter(|cursor| !cursor.is_empty());
    output.next_cursor = cursor.map(str::to_owned);
    if list["kind"] == "Table" {
        read_table(&list, namespace.is_none() && kind.is_namespaced, output);
    } else {
        read_items(&list, output);
    }
    Ok(())
}

fn read_table(table: &Value, with_namespace: bool, output: &mut Output) {
    let all: Vec<&Value> = table["columnDefinitions"].as_array().into_iter().flatten().collect();
    // What kubectl shows with `-o wide` only has a lower priority.
    let shown: Vec<usize> =
        (0..all.len()).filter(|at| all[*at]["priority"].as_i64().unwrap_or(0) == 0).collect();
    let text = |value: &Value| match value {
        Value::String(text) => printable(text),
        Value::Null => String::new(),
        value => printable(&value.to_string()),
    };
    output.columns = shown.iter().map(|at| text(&all[*at]["name"])).collect();
    if with_namespace {
        output.columns.insert(0, "Namespace".to_owned());
    }
    for row in table["rows"].as_array().into_iter().flatten() {
        let mut cells: Vec<String> = shown.iter().map(|at| text(&row["cells"][*at])).collect();
        if with_namespace {
            cells.insert(0, text(&row["object"]["metadata"]["namespace"]));
        }
        output.rows.push(cells);
    }
}

fn read_items(list: &Value, output: &mut Output) {
    output.columns = ["Namespace", "Name", "Created"].map(str::to_owned).into();
    for item in list["items"].as_array().into_iter().flatten() {
        let text = |name: &str| printable(item["metadata"][name].as_str().unwrap_or_default());
        output.rows.push(vec![text("namespace"), text("name"), text("creationTimestamp")]);
    }
}
