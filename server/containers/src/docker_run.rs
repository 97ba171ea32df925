//! `docker_run`: runs a container.

use std::time::{Duration, Instant};

use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tools::{Code, Command, Context, CreatedGuarded, Effect, EffectKind, Tool, ToolError};

use crate::client::{Client, Content, Dial, path};
use crate::container::{Container, inspect};
use crate::failure::Failure;
use crate::image;
use crate::limits::{QUERY_TIMEOUT, RUN_TIMEOUT_MS};
use crate::logs::{LogPage, LogRange, read};
use crate::output::CapturedStreams;
use crate::parameters::timeout;
use crate::pull::pull;
use crate::ready::Waited;
use crate::result_text::{push_created, push_output, waited_text};
use crate::run_params::{Network, Params, TOOL};
use crate::run_plan::{RunPlan, no_image};
use crate::started::{Started, StartedContainers, remove_anyway};

pub(crate) struct DockerRun;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The container's id, if it is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// `running` or `exited`.
    status: &'static str,
    /// The exit code of its command.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    /// Whether it was ended because its memory was used up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    out_of_memory: bool,
    /// Standard output; a long one is cut in the middle and marked.
    stdout: String,
    /// Standard error, likewise.
    stderr: String,
    /// Whether output was cut: then the container stays, and docker_logs has all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// With `detach`: the cursor of docker_logs for what comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// What happened first of what `ready` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<Waited>,
    /// Limits that the daemon cannot enforce, and other warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Files that containers created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<CreatedGuarded>,
    /// How long it took.
    duration_ms: u64,
}

impl Tool for DockerRun {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = TOOL;
    const DESCRIPTION: &'static str = "Run a command in a container of an image, with limits and without network unless \
        `network` or `ports` is given; returns exit code and output. With `detach` it runs on: `ready` waits for a line, \
        docker_logs reads on, docker_stop ends it. It ends with the session unless `keep`. Needs approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Network, EffectKind::Admin];
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("cmd", "command"),
        ("environment", "env"),
        ("mounts", "volumes"),
        ("detached", "detach"),
        ("working_dir", "workdir"),
        ("cwd", "workdir"),
        ("timeout", "timeout_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        text(result)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(RunPlan::new(context, params)?.effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let limit = timeout(tool, params.timeout_ms, RUN_TIMEOUT_MS)?;
        let started = context.session.family::<StartedContainers>();
        if started.is_full() {
            let message = format!("{tool}: this session has started too many containers");
            return Err(
                ToolError::new(Code::TooLarge, message).hint("docker_stop ends and removes one")
            );
        }
        let created_guarded = started.settle(context);
        let mut plan = RunPlan::new(context, &params)?;
        if !plan.effects.iter().all(|effect| context.is_granted(effect)) {
            let message = format!(
                "{tool}: the image or the mounts have changed since they were approved; nothing ran"
            );
            return Err(ToolError::new(Code::Conflict, message).hint("call it again"));
        }
        let dial = plan.daemon.dial(context, tool)?;
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let failed = |failure: Failure| failure.of(tool);
        let image = match plan.image_id() {
            Some(id) => id.to_owned(),
            None => downloaded(&client, &dial, &params, limit)?,
        };
        let begun = Instant::now();
        let created =
            client.run(QUERY_TIMEOUT, create(&dial, &plan, &params, &image)).map_err(failed)?;
        let watch =
            plan.before.take().and_then(|before| Some((before, policy_command(&plan, &params)?)));
        let id = created.id.clone();
        started.add(Started { id: id.clone(), dial: dial.clone(), keep: params.keep, watch });
        let run = ContainerRun {
            context,
            client: &client,
            dial: &dial,
            params: &params,
            plan: &plan,
            id: &id,
        };
        let done = if params.detach { run.start_detached() } else { run.to_its_end(limit) };
        context.workspace.files_may_have_changed();
        let stays = done.as_ref().is_ok_and(|done| done.container.is_some());
        let mut output = done.map(|done| Output { warnings: created.warnings, ..done });
        let mut left = created_guarded;
        if stays {
            left.extend(started.settle(context));
        } else {
            let removed = remove_anyway(&dial, &id);
            if let (Ok(output), Err(failure)) = (&mut output, removed) {
                output.warnings.push(failure.of(tool).message);
            }
            left.extend(started.removed(context, &id));
        }
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        output.map(|output| Output { created_guarded: left, duration_ms, ..output })
    }
}

/// The image, after a download if it is not there.
fn downloaded(
    client: &Client<'_>,
    dial: &Dial,
    params: &Params,
    limit: Duration,
) -> Result<String, ToolError> {
    let tool = DockerRun::NAME;
    let find = || {
        client
            .run(QUERY_TIMEOUT, image::find(dial, &params.image))
            .map_err(|failure| failure.of(tool))
    };
    if let Some(found) = find()? {
        return Ok(found.id);
    }
    if !params.pull {
        return Err(no_image(&params.image));
    }
    client.run(limit, pull(dial, &params.image)).map_err(|failure| failure.of(tool))?;
    find()?.map(|image| image.id).ok_or_else(|| no_image(&params.image))
}

/// A container that was created.
struct Created {
    id: String,
    warnings: Vec<String>,
}

async fn create(
    dial: &Dial,
    plan: &RunPlan,
    params: &Params,
    image: &str,
) -> Result<Created, Failure> {
    let query: Vec<(&str, &str)> = params.name.iter().map(|name| ("name", name.as_str())).collect();
    let path = path("/containers/create", &query);
    let answer: Value = dial.json(Method::POST, &path, Content::Json(plan.body(image))).await?;
    let id = answer["Id"].as_str().filter(|id| image::is_id(id));
    let id = id.ok_or_else(|| Failure::Protocol("the new container has no id".to_owned()))?;
    let warnings = answer["Warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let warnings = warnings.take(10).map(crate::failure::printable).collect();
    Ok(Created { id: id.to_owned(), warnings })
}

/// The container as a command, for questions about files that it creates in guarded places.
fn policy_command(plan: &RunPlan, params: &Params) -> Option<Command> {
    let cwd = plan.mounts.iter().find_map(|mount| mount.place())?.clone();
    let words: Vec<&str> = params.command.iter().map(String::as_str).collect();
    Some(Command {
        line: format!("docker run {} {}", params.image, words.join(" ")),
        cwd,
        env: Vec::new(),
        input: None,
        network: params.network.is_some_and(|network| network != Network::None),
        sandbox: false,
    })
}

/// A container that was created and is to run.
struct ContainerRun<'r> {
    context: &'r Context<'r>,
    client: &'r Client<'r>,
    dial: &'r Dial,
    params: &'r Params,
    plan: &'r RunPlan,
    id: &'r str,
}

impl ContainerRun<'_> {
    fn order(&self, what: &str) -> Result<(), ToolError> {
        let path = format!("/containers/{}/{what}", self.id);
        let order = self.dial.order(Method::POST, &path, Content::Nothing);
        self.client.run(QUERY_TIMEOUT, order).map_err(|failure| failure.of(DockerRun::NAME))
    }

    fn inspect(&self) -> Result<Container, ToolError> {
        let found = self.client.run(QUERY_TIMEOUT, inspect(self.dial, self.id));
        found.map_err(|failure| failure.of(DockerRun::NAME))
    }

    fn start(&self) -> Result<(), ToolError> {
        self.order("start")?;
        self.plan
            .mounts
            .iter()
            .try_for_each(|mount| mount.check_again(self.context, DockerRun::NAME))
    }

    /// Runs it until its command has ended.
    fn to_its_end(&self, limit: Duration) -> Result<Output, ToolError> {
        let tool = DockerRun::NAME;
        self.start()?;
        let mut captured = CapturedStreams::default();
        let work = async {
            let range = LogRange { follow: true, ..LogRange::default() };
            read(self.dial, self.id, false, range, |stream, text, _| {
                captured.push(stream, text);
                Ok(true)
            })
            .await?;
            let path = format!("/containers/{}/wait", self.id);
            let ended: Value = self.dial.json(Method::POST, &path, Content::Nothing).await?;
            // A follower may miss what a container prints just before its end; what is stored by now is complete.
            let mut stored = CapturedStreams::default();
            let again = read(self.dial, self.id, false, LogRange::default(), |stream, text, _| {
                stored.push(stream, text);
                Ok(true)
            });
            match again.await {
                Ok(_) => captured = stored,
                // It is too large to be read twice; the caller knows that it is not whole.
                Err(_) if captured.is_cut() => {}
                Err(failure) => return Err(failure),
            }
            Ok(ended["StatusCode"].as_i64())
        };
        let ended = self.client.run(limit, work);
        let is_cut = captured.is_cut();
        let (stdout, stderr) = (captured.stdout.text(), captured.stderr.text());
        let exit_code = match ended {
            Ok(exit_code) => exit_code,
            Err(Failure::Timeout(time)) => {
                let message = format!(
                    "{tool}: the command did not end within {time} ms; its container was removed"
                );
                return Err(ToolError::new(Code::Timeout, message)
                    .hint("`timeout_ms` allows more time; `detach` lets it run on")
                    .details(json!({ "stdout": stdout, "stderr": stderr })));
            }
            Err(failure) => return Err(failure.of(tool)),
        };
        let state = self.inspect()?.state;
        Ok(Output {
            container: (is_cut || self.params.keep).then(|| self.id.to_owned()),
            name: None,
            status: "exited",
            exit_code,
            out_of_memory: state.is_out_of_memory,
            stdout,
            stderr,
            truncated: is_cut,
            next_cursor: None,
            ready: None,
            warnings: Vec::new(),
            created_guarded: Vec::new(),
            duration_ms: 0,
        })
    }

    /// Starts it and waits until it is ready.
    fn start_detached(&self) -> Result<Output, ToolError> {
        let tool = DockerRun::NAME;
        self.start()?;
        let container = self.inspect()?;
        let ready = match &self.params.ready {
            Some(ready) => Some(ready.wait(self.client, self.dial, tool, &container)?),
            None => None,
        };
        let page = LogPage::last_lines(self.dial, self.id, false, 50);
        let page = self.client.run(QUERY_TIMEOUT, page).map_err(|failure| failure.of(tool))?;
        let container = self.inspect()?;
        let is_running = container.state.running;
        Ok(Output {
            name: Some(container.name().to_owned()),
            container: Some(container.id),
            status: if is_running { "running" } else { "exited" },
            exit_code: (!is_running).then_some(container.state.exit_code),
            out_of_memory: container.state.is_out_of_memory,
            stdout: page.output,
            stderr: String::new(),
            truncated: page.skipped > 0,
            next_cursor: page.next_cursor,
            ready,
            warnings: Vec::new(),
            created_guarded: Vec::new(),
            duration_ms: 0,
        })
    }
}

fn text(result: &Value) -> Option<String> {
    let mut text = String::new();
    push_output(&mut text, result["stdout"].as_str()?);
    if let Some(stderr) = result["stderr"].as_str().filter(|stderr| !stderr.is_empty()) {
        web::push(&mut text, "[stderr]");
        push_output(&mut text, stderr);
    }
    let mut parts = Vec::new();
    match (result["status"].as_str()?, result["exit_code"].as_i64()) {
        ("running", _) => parts.push("running".to_owned()),
        (_, Some(0)) => {}
        (_, Some(code)) => parts.push(format!("exit code {code}")),
        (status, None) => parts.push(status.to_owned()),
    }
    if result["out_of_memory"] == true {
        parts.push("its memory was used up".to_owned());
    }
    parts.extend(waited_text(&result["ready"]));
    if let Some(id) = result["container"].as_str() {
        parts.push(format!(
            "container {}",
            result["name"].as_str().unwrap_or(id.get(..12).unwrap_or(id))
        ));
    }
    parts.extend(result["next_cursor"].as_str().map(|cursor| format!("cursor {cursor}")));
    if !parts.is_empty() {
        web::push(&mut text, format_args!("[{}]", parts.join("; ")));
    }
    for warning in result["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        web::push(&mut text, format_args!("[{warning}]"));
    }
    push_created(&mut text, result);
    if text.is_empty() {
        web::push(&mut text, "no output");
    }
    Some(text)
}
