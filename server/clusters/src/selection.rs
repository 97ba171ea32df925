//! Which object a call means: `deployment/web`, or a kind and a name.

use serde_json::Value;
use tools::{Code, ToolError};

use crate::access::Access;
use crate::api::Cluster;
use crate::failure::Failure;
use crate::resource_type::{ResourceType, segment};

/// `deployment/web` as kind and name; a single word is a kind.
pub(crate) fn split(written: &str) -> (&str, Option<&str>) {
    match written.trim().split_once('/') {
        Some((kind, name)) => (kind, Some(name)),
        None => (written.trim(), None),
    }
}

/// The kind that a call names.
pub(crate) fn kind(
    tool: &str,
    cluster: &mut Cluster<'_>,
    written: &str,
) -> Result<ResourceType, ToolError> {
    let found = cluster.kind_called(written).map_err(|failure| failure.of(tool))?;
    found.ok_or_else(|| {
        let message = format!("{tool}: the cluster has no kind `{written:.80}`");
        ToolError::new(Code::NoMatch, message)
            .hint("write it as kubectl does: `pods`, `deployments.apps`")
    })
}

/// The namespace of a call.
pub(crate) fn namespace<'n>(access: &'n Access, written: Option<&'n str>) -> &'n str {
    written.filter(|name| !name.is_empty()).unwrap_or(&access.resolved.namespace)
}

/// The label selector of a workload, for a query.
pub(crate) fn label_query(workload: &Value) -> Option<String> {
    let selector = &workload["spec"]["selector"];
    let labels = selector["matchLabels"].as_object().or_else(|| selector.as_object())?;
    let mut terms: Vec<String> = labels
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", value.as_str()?)))
        .collect();
    for one in selector["matchExpressions"].as_array().into_iter().flatten() {
        let key = one["key"].as_str()?;
        let values: Vec<&str> =
            one["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        terms.push(match one["operator"].as_str()? {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        });
    }
    (!terms.is_empty()).then(|| segment(&terms.join(",")))
}

/// The pods of a workload.
pub(crate) fn pods(
    cluster: &mut Cluster<'_>,
    namespace: &str,
    workload: &Value,
) -> Result<Vec<Value>, Failure> {
    let Some(query) = label_query(workload) else { return Ok(Vec::new()) };
    list(
        cluster,
        &format!("/api/v1/namespaces/{}/pods?labelSelector={query}&limit=500", segment(namespace)),
    )
}

/// The items of a list.
pub(crate) fn list(cluster: &mut Cluster<'_>, path: &str) -> Result<Vec<Value>, Failure> {
    let mut list = cluster.get(path)?;
    Ok(list.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_become_queries() {
        let workload = json!({ "spec": { "selector": { "matchLabels": { "app": "web" },
            "matchExpressions": [{ "key": "tier", "operator": "In", "values": ["a", "b"] }] } } });
        assert_eq!(label_query(&workload).as_deref(), Some("app%3Dweb%2Ctier%20in%20%28a%2Cb%29"));
        assert_eq!(label_query(&json!({ "spec": {} })), None);
        assert_eq!(split("deploy/web"), ("deploy", Some("web")));
    }
}
