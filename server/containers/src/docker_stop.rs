//! `docker_stop`: ends a container.

use std::time::Duration;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, CreatedGuarded, Effect, EffectKind, Tool, ToolError};

use crate::access::{NamedContainer, check_granted};
use crate::client::{Client, Content, path};
use crate::failure::Failure;
use crate::limits::{END_TIMEOUT, QUERY_TIMEOUT};
use crate::result_text::push_created;
use crate::started::{StartedContainers, remove};

pub(crate) struct DockerStop;

const MAX_GRACE_SECONDS: u64 = 60;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its name or id.
    container: String,
    /// How many seconds it gets to end by itself, at most 60; 5 by default.
    #[serde(default = "grace")]
    grace_seconds: u64,
    /// Whether it is removed, with its output; by default if this workspace has started it.
    #[serde(default)]
    remove: Option<bool>,
}

fn grace() -> u64 {
    5
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id.
    container: String,
    /// The exit code of its command.
    exit_code: i64,
    /// Whether it had ended before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    had_ended: bool,
    /// Whether it was removed.
    removed: bool,
    /// Files that containers created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<CreatedGuarded>,
}

impl Tool for DockerStop {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "docker_stop";
    const DESCRIPTION: &'static str = "End a container: SIGTERM, and SIGKILL after `grace_seconds`. One that this \
        workspace has started is removed as well; others need approval and stay.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("id", "container"), ("name", "container"), ("timeout", "grace_seconds")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        let before = if result["had_ended"] == true { " before" } else { "" };
        let removed = if result["removed"] == true { ", and was removed" } else { "" };
        web::push(
            &mut text,
            format_args!("ended{before} with exit code {}{removed}", result["exit_code"].as_i64()?),
        );
        push_created(&mut text, result);
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.grace_seconds > MAX_GRACE_SECONDS {
            let message =
                format!("{}: `grace_seconds` must be {MAX_GRACE_SECONDS} at most", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let named = NamedContainer::find(context, Self::NAME, &params.container)?;
        Ok(named.effects_if_foreign(context, params.what()))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let named = NamedContainer::find(context, tool, &params.container)?;
        check_granted(context, tool, &named.effects_if_foreign(context, params.what()))?;
        let dial = named.daemon.dial(context, tool)?;
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let failed = |failure: Failure| failure.of(tool);
        let container = named.now(&client, &dial, tool)?;
        let had_ended = !container.state.running;
        let started = context.session.family::<StartedContainers>();
        let id = container.id.clone();
        let grace = params.grace_seconds.to_string();
        let stop = async {
            if !had_ended {
                let path = path(&format!("/containers/{id}/stop"), &[("t", &grace)]);
                dial.order(Method::POST, &path, Content::Nothing).await?;
            }
            crate::container::inspect(&dial, &id).await
        };
        let limit = Duration::from_secs(params.grace_seconds) + END_TIMEOUT;
        let exit_code = client.run(limit, stop).map_err(failed)?.state.exit_code;
        let removed = params.remove.unwrap_or_else(|| container.is_ours(context));
        let mut created_guarded = started.settle(context);
        if removed {
            client.run(QUERY_TIMEOUT, remove(&dial, &id)).map_err(failed)?;
            created_guarded.extend(started.removed(context, &id));
        }
        context.workspace.files_may_have_changed();
        Ok(Output { container: id, exit_code, had_ended, removed, created_guarded })
    }
}

impl Params {
    fn what(&self) -> &'static str {
        if self.remove == Some(true) { "remove" } else { "stop" }
    }
}
