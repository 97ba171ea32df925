//! `kube_apply`: what was shown and approved, and nothing else.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Target, Tool, ToolError, approve_more};
use workspace::ContentHash;

use crate::access::{Access, rule_name};
use crate::api::{Cluster, Mode, timeout};
use crate::failure::Failure;
use crate::field_diff::differences;
use crate::kube_diff::{default_timeout_ms, result_text};
use crate::object::without_own_fields;
use crate::planned::{
    Action, ObjectChange, PlanRequest, Planned, Wishes, changes_text, version_of,
};

pub(crate) struct KubeApply;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// YAML or JSON of objects, or the path of a file or folder with it.
    manifest: String,
    /// The namespace of objects that name none; that of the context by default.
    #[serde(default)]
    namespace: Option<String>,
    /// The context of the kubeconfig; the current one by default.
    #[serde(default)]
    context: Option<String>,
    /// Only shows what would change, as `kube_diff` does.
    #[serde(default)]
    dry_run: bool,
    /// Takes over fields that other managers own.
    #[serde(default)]
    force: bool,
    /// The time limit in milliseconds, without that of the approval; a minute by default.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

impl Params {
    fn request(&self) -> PlanRequest<'_> {
        PlanRequest {
            tool: KubeApply::NAME,
            manifest: &self.manifest,
            context: self.context.as_deref(),
            wishes: Wishes { namespace: self.namespace.as_deref(), force: self.force },
            timeout_ms: self.timeout_ms,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether everything was done. False for a dry run.
    applied: bool,
    /// The context.
    context: String,
    /// The objects, in the order in which they are applied.
    objects: Vec<ObjectChange>,
    /// What to know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for KubeApply {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "kube_apply";
    const DESCRIPTION: &'static str = "Apply Kubernetes manifests by server-side apply. A person first approves the \
        fields that change, by the cluster's own dry run; if an object or the context has changed since, nothing is \
        applied. Returns what was done with each object.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "manifest"), ("file", "manifest"), ("manifests", "manifest")];

    fn text(result: &Value) -> Option<String> {
        Some(result_text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.request().effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let (access, planned) = params.request().plan(context)?;
        let is_same = planned.iter().all(|one| one.change.action == Action::Unchanged);
        if params.dry_run || is_same {
            let note =
                if is_same { "nothing would change" } else { "a dry run: nothing was applied" };
            return Ok(Output {
                applied: is_same && !params.dry_run,
                context: access.context().to_owned(),
                objects: planned.into_iter().map(|one| one.change).collect(),
                note: Some(note.to_owned()),
            });
        }
        approve(context, &access, &planned)?;
        access.check_unchanged(context, tool, params.context.as_deref())?;
        // A person's time is not the call's.
        let timeout = timeout(tool, params.timeout_ms)?;
        let mut cluster = Cluster::new(context, tool, &access, timeout)?;
        check_versions(&mut cluster, &planned)?;
        let planned_count = planned.len();
        let objects = apply_all(context, &mut cluster, planned, params.force);
        let failed = objects.iter().any(|one| one.done == Some(false));
        let note = failed.then(|| {
            let done = objects.iter().filter(|one| one.done == Some(true)).count();
            format!("it stopped after {done} of {planned_count} objects; what was done stays")
        });
        let surprised = objects.iter().any(|one| one.done == Some(true) && one.error.is_some());
        let note = note.or(surprised
            .then(|| "the cluster stored something else than its dry run announced".to_owned()));
        Ok(Output { applied: !failed, context: access.context().to_owned(), objects, note })
    }
}

/// Shows a person what changes.
fn approve(context: &Context<'_>, access: &Access, planned: &[Planned]) -> Result<(), ToolError> {
    let changes = || planned.iter().filter(|one| one.change.action != Action::Unchanged);
    let first = changes().next().map(|one| one.change.id.to_string()).unwrap_or_default();
    let others = match changes().count() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let count = |action| planned.iter().filter(|one| one.change.action == action).count();
    let detail = format!(
        "context {} at {}\n{} to create, {} to change\n{}",
        access.context(),
        access.target.endpoint,
        count(Action::Create),
        count(Action::Change),
        changes_text(planned.iter().map(|one| &one.change)),
    );
    // An approval that is kept holds for exactly these objects at these versions.
    let bound: Vec<Value> = changes()
        .map(|one| {
            json!([
                one.path,
                one.version,
                ContentHash::digest(one.body.to_string().as_bytes()).to_string()
            ])
        })
        .collect();
    let hash = ContentHash::digest(json!([access.fingerprint, bound]).to_string().as_bytes());
    let name = format!("cluster/apply/{}/{first}{others}", rule_name(access.context()));
    let objects: Vec<String> = changes().take(100).map(|one| one.change.id.to_string()).collect();
    let record =
        json!({ "context": access.context(), "objects": objects, "sha256": hash.to_string() });
    let target = Target::Named(name);
    let effect = Effect { kind: EffectKind::Admin, target, detail: Some(detail) };
    approve_more(context, KubeApply::NAME, &record, &[effect])
}

/// Fails if an object is another one than was shown. Nothing has been applied yet.
fn check_versions(cluster: &mut Cluster<'_>, planned: &[Planned]) -> Result<(), ToolError> {
    let tool = KubeApply::NAME;
    let mut changed = Vec::new();
    for one in planned.iter().filter(|one| one.change.action != Action::Unchanged) {
        let now = match cluster.find(&one.path) {
            // Its kind does not exist yet.
            Err(failure) if failure.is_not_found() => None,
            now => now.map_err(|failure| failure.of(tool))?,
        };
        if now.as_ref().and_then(version_of) != one.version {
            changed.push(one.change.id.to_string());
        }
    }
    let Some(first) = changed.first() else { return Ok(()) };
    let others =
        if changed.len() > 1 { format!(" and {} more", changed.len() - 1) } else { String::new() };
    let message = format!(
        "{tool}: {first}{others} changed in the cluster after it was shown; nothing was applied"
    );
    Err(ToolError::new(Code::Conflict, message)
        .hint("call it again, and look at what would change now")
        .details(json!({ "changed": changed })))
}

/// How long a new kind may take until the cluster has it.
const NEW_KIND_TIMEOUT: Duration = Duration::from_secs(15);
const NEW_KIND_POLL: Duration = Duration::from_millis(200);

/// Applies objects in their order, until one fails.
fn apply_all(
    context: &Context<'_>,
    cluster: &mut Cluster<'_>,
    planned: Vec<Planned>,
    force: bool,
) -> Vec<ObjectChange> {
    let mut has_failed = false;
    let count = planned.len();
    let apply = |(index, mut one): (usize, Planned)| {
        if one.change.action == Action::Unchanged {
            return one.change;
        }
        if has_failed {
            one.change.done = Some(false);
            return one.change;
        }
        context.editor.progress(&format!("{} of {count}: {}", index + 1, one.change.id));
        match apply_one(cluster, &one, force) {
            Ok(stored) => {
                one.change.done = Some(true);
                one.change.error = surprise(&one, &stored);
            }
            Err(failure) => {
                has_failed = true;
                one.change.done = Some(false);
                one.change.error = Some(match failure {
                    Failure::Broken(_) | Failure::Timeout(_) => {
                        format!("{}; look whether it happened", failure.text())
                    }
                    Failure::Status { code: 409, .. } => {
                        format!("it changed meanwhile: {}", failure.text())
                    }
                    failure => failure.text(),
                });
            }
        }
        one.change
    };
    planned.into_iter().enumerate().map(apply).collect()
}

fn apply_one(cluster: &mut Cluster<'_>, one: &Planned, force: bool) -> Result<Value, Failure> {
    if !one.change.unchecked {
        return cluster.apply(&one.path, &one.body, Mode::Store, force);
    }
    let mut left = NEW_KIND_TIMEOUT;
    loop {
        cluster.forget_kinds(&one.kind.api_version);
        if cluster.kind(&one.kind.api_version, &one.kind.kind)?.is_some() || left.is_zero() {
            return cluster.apply(&one.path, &one.body, Mode::Store, force);
        }
        cluster.connection.sleep(NEW_KIND_POLL)?;
        left = left.saturating_sub(NEW_KIND_POLL);
    }
}

/// What the cluster stored, if it is something else than was shown: a webhook may change it again.
fn surprise(one: &Planned, stored: &Value) -> Option<String> {
    if one.change.unchecked {
        return None;
    }
    let (other, _) = differences(&one.change.id.kind, &one.announced, &without_own_fields(stored));
    let first = other.first()?;
    Some(format!(
        "stored otherwise than announced: {} and {} more fields",
        first.field,
        other.len() - 1
    ))
}
