//! `kube_diff`: what an apply would change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::limits::TIMEOUT_MS;
use crate::planned::{ObjectChange, PlanRequest, Wishes};

pub(crate) struct KubeDiff;

pub(crate) fn default_timeout_ms() -> u64 {
    TIMEOUT_MS
}

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
    /// Takes over fields that other managers own.
    #[serde(default)]
    force: bool,
    /// The time limit in milliseconds; a minute by default.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

impl Params {
    fn request(&self) -> PlanRequest<'_> {
        PlanRequest {
            tool: KubeDiff::NAME,
            manifest: &self.manifest,
            context: self.context.as_deref(),
            wishes: Wishes { namespace: self.namespace.as_deref(), force: self.force },
            timeout_ms: self.timeout_ms,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The context.
    context: String,
    /// The objects, in the order in which they are applied.
    objects: Vec<ObjectChange>,
}

impl Tool for KubeDiff {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "kube_diff";
    const DESCRIPTION: &'static str = "Show what applying Kubernetes manifests would change, field by field, by the \
        cluster's own dry run. Nothing is changed; `kube_apply` does it.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "manifest"), ("file", "manifest"), ("manifests", "manifest")];

    fn text(result: &Value) -> Option<String> {
        Some(result_text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.request().effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (access, planned) = params.request().plan(context)?;
        let objects = planned.into_iter().map(|one| one.change).collect();
        Ok(Output { context: access.context().to_owned(), objects })
    }
}

/// Objects of a result as lines.
pub(crate) fn result_text(result: &Value) -> String {
    let mut text = String::new();
    let mut unchanged = 0;
    for one in result["objects"].as_array().into_iter().flatten() {
        let text_of = |name: &str| one[name].as_str().unwrap_or_default();
        let namespace =
            one["namespace"].as_str().map(|name| format!("{name}/")).unwrap_or_default();
        let id = format!("{namespace}{}/{}", text_of("kind"), text_of("name"));
        let verb = match (text_of("action"), one["done"].as_bool()) {
            ("unchanged", _) => {
                unchanged += 1;
                continue;
            }
            ("create", Some(true)) => "created",
            (_, Some(true)) => "changed",
            (_, Some(false)) if one["error"].is_string() => "FAILED",
            (_, Some(false)) => "not done",
            ("create", None) => "create",
            (_, None) => "change",
        };
        text.push_str(&format!("{verb} {id}\n"));
        if let Some(error) = one["error"].as_str() {
            text.push_str(&format!("  {error}\n"));
        }
        if one["done"] == false {
            continue;
        }
        for field in one["fields"].as_array().into_iter().flatten() {
            let value = |name: &str| field[name].as_str().unwrap_or("none").to_owned();
            text.push_str(&format!(
                "  {}: {} -> {}\n",
                value("field"),
                value("before"),
                value("after")
            ));
        }
    }
    if unchanged > 0 {
        text.push_str(&format!("unchanged: {unchanged} objects\n"));
    }
    if let Some(note) = result["note"].as_str() {
        text.push_str(&format!("[{note}]\n"));
    }
    text.truncate(text.trim_end().len());
    text
}
