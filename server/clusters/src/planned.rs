//! What an apply would change: the server's own answer to a dry run, compared with what is there.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tools::{Code, Context, Effect, ToolError};

use crate::access::Access;
use crate::api::{Cluster, Mode, timeout};
use crate::failure::Failure;
use crate::field_diff::{FieldChange, differences};
use crate::manifest::{Manifest, Source};
use crate::object::{ObjectId, without_own_fields};
use crate::resource_type::ResourceType;

/// What happens to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Action {
    // It does not exist yet.
    Create,
    // Fields change.
    Change,
    // Nothing changes.
    Unchanged,
}

/// One object of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ObjectChange {
    /// What names it.
    #[serde(flatten)]
    pub(crate) id: ObjectId,
    /// What happens to it.
    pub(crate) action: Action,
    /// The fields that change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<FieldChange>,
    /// How many more fields change.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) more_fields: usize,
    /// True if the server could not check it, because its namespace or kind is created by the same call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unchecked: bool,
    /// After an apply: whether it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) done: Option<bool>,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// An object with what an apply of it would do.
pub(crate) struct Planned {
    pub(crate) change: ObjectChange,
    pub(crate) kind: ResourceType,
    pub(crate) path: String,
    pub(crate) body: Value,
    /// What the server announced that it will be, without what it keeps for itself.
    pub(crate) announced: Value,
    /// Its version now; none if it does not exist.
    pub(crate) version: Option<String>,
}

/// What a call asks to be applied.
pub(crate) struct PlanRequest<'p> {
    pub(crate) tool: &'static str,
    /// The manifest, or where it is.
    pub(crate) manifest: &'p str,
    /// The context of the kubeconfig, instead of the current one.
    pub(crate) context: Option<&'p str>,
    pub(crate) wishes: Wishes<'p>,
    pub(crate) timeout_ms: u64,
}

impl PlanRequest<'_> {
    /// What is read for it, and where it goes.
    pub(crate) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        timeout(self.tool, self.timeout_ms)?;
        let source = Source::find(context, self.tool, self.manifest)?;
        let access = Access::find(self.tool, self.context)?;
        Ok([source.effects(), access.effects()].concat())
    }

    /// Finds out what it would change. Nothing is stored, and the connection is closed afterwards: a person may take
    /// long to look at it.
    pub(crate) fn plan(&self, context: &Context<'_>) -> Result<(Access, Vec<Planned>), ToolError> {
        let timeout = timeout(self.tool, self.timeout_ms)?;
        let manifests =
            Source::find(context, self.tool, self.manifest)?.objects(context, self.tool)?;
        let access = Access::find(self.tool, self.context)?;
        let mut cluster = Cluster::new(context, self.tool, &access, timeout)?;
        let planned = plan(context, self.tool, &mut cluster, &access, &manifests, &self.wishes)?;
        drop(cluster);
        Ok((access, planned))
    }
}

/// Where objects go that name no namespace, and whether fields of other managers are taken over.
pub(crate) struct Wishes<'w> {
    pub(crate) namespace: Option<&'w str>,
    pub(crate) force: bool,
}

/// Fields that the first line of a change shows already.
const HEAD_FIELDS: &[&str] = &["apiVersion", "kind", "metadata.name", "metadata.namespace"];
/// Failures that are reported at once.
const MAX_FAILURES: usize = 20;

/// Finds out what applying `manifests` would change. Nothing is stored.
fn plan(
    context: &Context<'_>,
    tool: &str,
    cluster: &mut Cluster<'_>,
    access: &Access,
    manifests: &[Manifest],
    wishes: &Wishes<'_>,
) -> Result<Vec<Planned>, ToolError> {
    let mut planned: Vec<Planned> = Vec::new();
    let mut failures: Vec<(String, Failure)> = Vec::new();
    let mut new_namespaces = BTreeSet::new();
    for (index, manifest) in manifests.iter().enumerate() {
        if index % 25 == 24 {
            context.editor.progress(&format!("{index} of {} objects", manifests.len()));
        }
        let (kind, is_new_kind) = kind_of(tool, cluster, manifests, manifest)?;
        let namespace = namespace_of(tool, access, manifest, &kind, wishes)?;
        let id = ObjectId {
            kind: manifest.kind.clone(),
            api_version: manifest.api_version.clone(),
            namespace: namespace.clone(),
            name: manifest.name.clone(),
        };
        let is_in_new_namespace =
            namespace.as_ref().is_some_and(|name| new_namespaces.contains(name));
        let path = kind.path(namespace.as_deref(), Some(&manifest.name));
        let result = if is_new_kind || is_in_new_namespace {
            Ok(unchecked(id.clone(), kind, path, manifest))
        } else {
            compare(cluster, id.clone(), kind, path, manifest, wishes.force)
        };
        match result {
            Ok(one) => {
                if one.change.action == Action::Create && id.kind == "Namespace" {
                    new_namespaces.insert(id.name);
                }
                planned.push(one);
            }
            Err(failure @ Failure::Status { .. }) => {
                failures.push((format!("{} ({id})", manifest.place), failure));
                if failures.len() >= MAX_FAILURES {
                    break;
                }
            }
            Err(failure) => return Err(failure.of(tool)),
        }
    }
    let list: Vec<Value> = failures
        .iter()
        .map(|(id, failure)| json!({ "object": id, "message": failure.text() }))
        .collect();
    let count = failures.len();
    match failures.into_iter().next() {
        None => Ok(planned),
        Some((id, failure)) => {
            let mut error = failure.of(tool);
            let others = if count > 1 {
                format!(" ({} more in `details`)", count - 1)
            } else {
                String::new()
            };
            let rest = error
                .message
                .strip_prefix(&format!("{tool}: "))
                .unwrap_or(&error.message)
                .to_owned();
            error.message = format!("{tool}: {id}: {rest}{others}");
            Err(error.details(json!({ "failures": list })))
        }
    }
}

/// The kind of a manifest, and whether the same call adds it to the cluster.
fn kind_of(
    tool: &str,
    cluster: &mut Cluster<'_>,
    manifests: &[Manifest],
    manifest: &Manifest,
) -> Result<(ResourceType, bool), ToolError> {
    let Manifest { api_version, kind, place, .. } = manifest;
    if let Some(found) = cluster.kind(api_version, kind).map_err(|failure| failure.of(tool))? {
        return Ok((found, false));
    }
    let defined = manifests.iter().find_map(|one| one.defines(api_version, kind));
    if let Some((plural, is_namespaced)) = defined {
        return Ok((ResourceType::assumed(api_version, kind, &plural, is_namespaced), true));
    }
    let message = format!("{tool}: {place}: the cluster has no `{kind}` in `{api_version}`");
    Err(ToolError::new(Code::InvalidParams, message)
        .hint("correct `kind` and `apiVersion`, or apply the CustomResourceDefinition first"))
}

fn namespace_of(
    tool: &str,
    access: &Access,
    manifest: &Manifest,
    kind: &ResourceType,
    wishes: &Wishes<'_>,
) -> Result<Option<String>, ToolError> {
    if !kind.is_namespaced {
        return Ok(None);
    }
    match (&manifest.namespace, wishes.namespace) {
        (Some(own), Some(wanted)) if own != wanted => {
            let message = format!(
                "{tool}: {}: it is for the namespace `{own}`, and the call for `{wanted}`",
                manifest.place
            );
            Err(ToolError::new(Code::InvalidParams, message)
                .hint("leave `namespace` out, or correct the manifest"))
        }
        (Some(own), _) => Ok(Some(own.clone())),
        (None, wanted) => Ok(Some(wanted.unwrap_or(&access.resolved.namespace).to_owned())),
    }
}

fn compare(
    cluster: &mut Cluster<'_>,
    id: ObjectId,
    kind: ResourceType,
    path: String,
    manifest: &Manifest,
    force: bool,
) -> Result<Planned, Failure> {
    let now = cluster.find(&path)?;
    let version = now.as_ref().and_then(version_of);
    let body = manifest.body_for(id.namespace.as_deref(), version.as_deref());
    let then = cluster.apply(&path, &body, Mode::DryRun, force)?;
    let before = now.as_ref().map_or(Value::Null, without_own_fields);
    let announced = without_own_fields(&then);
    let (mut fields, more_fields) = changed_fields(&id.kind, &before, &announced);
    let action = match (&now, fields.is_empty()) {
        (None, _) => Action::Create,
        (Some(_), false) => Action::Change,
        (Some(_), true) => Action::Unchanged,
    };
    if action == Action::Create {
        fields.retain(|one| !HEAD_FIELDS.contains(&one.field.as_str()));
    }
    let change =
        ObjectChange { id, action, fields, more_fields, unchecked: false, done: None, error: None };
    Ok(Planned { change, kind, path, body, announced, version })
}

/// An object that the server cannot check yet.
fn unchecked(id: ObjectId, kind: ResourceType, path: String, manifest: &Manifest) -> Planned {
    let body = manifest.body_for(id.namespace.as_deref(), None);
    let (mut fields, more_fields) =
        changed_fields(&id.kind, &Value::Null, &without_own_fields(&body));
    fields.retain(|one| !HEAD_FIELDS.contains(&one.field.as_str()));
    let change = ObjectChange {
        id,
        action: Action::Create,
        fields,
        more_fields,
        unchecked: true,
        done: None,
        error: None,
    };
    Planned { change, kind, path, body, announced: Value::Null, version: None }
}

fn changed_fields(kind: &str, before: &Value, after: &Value) -> (Vec<FieldChange>, usize) {
    let none = json!({});
    differences(kind, if before.is_null() { &none } else { before }, after)
}

/// The version of an object.
pub(crate) fn version_of(object: &Value) -> Option<String> {
    object["metadata"]["resourceVersion"].as_str().map(str::to_owned)
}

/// The changes as lines for people and models.
pub(crate) fn changes_text<'c>(changes: impl Iterator<Item = &'c ObjectChange>) -> String {
    let mut text = String::new();
    let mut unchanged = 0;
    for change in changes {
        let verb = match change.action {
            Action::Create => "CREATE",
            Action::Change => "CHANGE",
            Action::Unchanged => {
                unchanged += 1;
                continue;
            }
        };
        let note = if change.unchecked { " (not checked by the server yet)" } else { "" };
        text.push_str(&format!("{verb} {}{note}\n", change.id));
        for one in &change.fields {
            let line = match (&one.before, &one.after) {
                (None, Some(after)) => format!("  {} = {after}\n", one.field),
                (before, after) => {
                    let shown =
                        |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
                    format!("  {}: {} -> {}\n", one.field, shown(before), shown(after))
                }
            };
            text.push_str(&line);
        }
        if change.more_fields > 0 {
            text.push_str(&format!("  {} more fields\n", change.more_fields));
        }
    }
    if unchanged > 0 {
        text.push_str(&format!("unchanged: {unchanged} objects\n"));
    }
    text.truncate(text.trim_end().len());
    text
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
