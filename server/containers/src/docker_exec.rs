//! `docker_exec`: runs a command in a container that runs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::access::{NamedContainer, check_granted};
use crate::client::{Client, Content, Dial};
use crate::effects::{digest, named};
use crate::failure::Failure;
use crate::frames::Frames;
use crate::image::is_id;
use crate::limits::{OUTPUT_BYTES, PARTS, RUN_TIMEOUT_MS};
use crate::output::CapturedStreams;
use crate::parameters::timeout;
use crate::result_text::push_output;

pub(crate) struct DockerExec;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its name or id.
    container: String,
    /// The command and its arguments; no shell is added.
    command: Vec<String>,
    /// Environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The working folder in the container.
    #[serde(default)]
    workdir: Option<String>,
    /// The user in the container.
    #[serde(default)]
    user: Option<String>,
    /// The time limit in milliseconds; 120,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    /// Standard output; a long one is cut in the middle and marked.
    stdout: String,
    /// Standard error, likewise.
    stderr: String,
    /// Whether output was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// How long it took.
    duration_ms: u64,
}

impl Tool for DockerExec {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "docker_exec";
    const DESCRIPTION: &'static str = "Run a command in a container that runs, with the container's mounts and rights; \
        returns exit code and output. docker_run starts a container. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("id", "container"),
        ("name", "container"),
        ("cmd", "command"),
        ("environment", "env"),
        ("cwd", "workdir"),
        ("timeout", "timeout_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        push_output(&mut text, result["stdout"].as_str()?);
        if let Some(stderr) = result["stderr"].as_str().filter(|stderr| !stderr.is_empty()) {
            web::push(&mut text, "[stderr]");
            push_output(&mut text, stderr);
        }
        match result["exit_code"].as_i64() {
            Some(0) if !text.is_empty() => {}
            Some(0) => web::push(&mut text, "no output"),
            Some(code) => web::push(&mut text, format_args!("[exit code {code}]")),
            None => web::push(&mut text, "[the exit code is not known]"),
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(params.plan(context)?.1)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let limit = timeout(tool, params.timeout_ms, RUN_TIMEOUT_MS)?;
        let (named, effects) = params.plan(context)?;
        check_granted(context, tool, &effects)?;
        let dial = named.daemon.dial(context, tool)?;
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let container = named.now(&client, &dial, tool)?;
        if !container.state.running {
            let message = format!("{tool}: {} does not run", container.name());
            return Err(
                ToolError::new(Code::Unavailable, message).hint("docker_run starts a container")
            );
        }
        let begun = Instant::now();
        let mut captured = CapturedStreams::default();
        let done = client.run(limit, exec(&dial, &container.id, params.body(), &mut captured));
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        context.workspace.files_may_have_changed();
        let truncated = captured.is_cut();
        let (stdout, stderr) = (captured.stdout.text(), captured.stderr.text());
        match done {
            Ok(exit_code) => Ok(Output { exit_code, stdout, stderr, truncated, duration_ms }),
            Err(failure @ (Failure::Timeout(_) | Failure::Cancelled)) => {
                let mut error = failure.of(tool);
                // The API has no way to end it.
                error.message.push_str("; the command may still run in the container");
                Err(error
                    .hint("docker_stop ends the container")
                    .details(json!({ "stdout": stdout, "stderr": stderr })))
            }
            Err(failure) => Err(failure.of(tool)),
        }
    }
}

async fn exec(
    dial: &Dial,
    container: &str,
    body: Value,
    captured: &mut CapturedStreams,
) -> Result<Option<i64>, Failure> {
    let path = format!("/containers/{container}/exec");
    let created: Value = dial.json(Method::POST, &path, Content::Json(body)).await?;
    let id = created["Id"].as_str().filter(|id| is_id(id));
    let id = id.ok_or_else(|| Failure::Protocol("the command has no id".to_owned()))?;
    let mut frames = Frames::new(false);
    let mut received = 0_u64;
    let start = Content::Json(json!({ "Detach": false, "Tty": false }));
    dial.stream(Method::POST, &format!("/exec/{id}/start"), start, |piece| {
        received += piece.len() as u64;
        if received > OUTPUT_BYTES {
            return Err(Failure::TooLarge("the command prints too much".to_owned()));
        }
        frames.push(piece, |stream, text| {
            captured.push(stream, text);
            Ok(true)
        })?;
        Ok(ControlFlow::Continue(()))
    })
    .await?;
    let ended: Value = dial.get(&format!("/exec/{id}/json")).await?;
    Ok(ended["ExitCode"].as_i64())
}

impl Params {
    fn plan(&self, context: &Context<'_>) -> Result<(NamedContainer, Vec<Effect>), ToolError> {
        let tool = DockerExec::NAME;
        timeout(tool, self.timeout_ms, RUN_TIMEOUT_MS)?;
        let invalid = |why: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        if self.command.is_empty() || self.command.len() > PARTS || self.env.len() > PARTS {
            return Err(invalid(&format!(
                "`command` and `env` have at most {PARTS} entries, and `command` one at least"
            )));
        }
        if self.env.keys().any(|name| name.is_empty() || name.contains(['=', '\0'])) {
            return Err(invalid("`env`: a variable's name is empty, or has `=` in it"));
        }
        let container = NamedContainer::find(context, tool, &self.container)?;
        let mut detail = format!("command: {}\n", json!(self.command));
        for (name, value) in &self.env {
            detail.push_str(&format!("variable: {name}={value}\n"));
        }
        detail.extend(self.workdir.iter().map(|folder| format!("folder: {folder}\n")));
        detail.extend(self.user.iter().map(|user| format!("user: {user}\n")));
        detail.push_str(&container.description());
        let name = format!("container/exec/{} #{}", container.target(), digest(&self.body()));
        let mut effects = vec![named(name, detail)];
        effects.extend(container.daemon.effects());
        Ok((container, effects))
    }

    fn body(&self) -> Value {
        let env: Vec<String> =
            self.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut body =
            json!({ "AttachStdout": true, "AttachStderr": true, "Cmd": self.command, "Env": env });
        for (key, value) in [("WorkingDir", &self.workdir), ("User", &self.user)] {
            if let Some(value) = value {
                body[key] = json!(value);
            }
        }
        body
    }
}
