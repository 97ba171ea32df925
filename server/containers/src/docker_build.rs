//! `docker_build`: builds an image.

use std::collections::BTreeMap;
use std::time::Instant;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::build_context::BuildContext;
use crate::build_progress::{BuildProgress, Step};
use crate::client::{Client, Content, Dial, path};
use crate::daemon::Daemon;
use crate::dockerfile::{Instruction, Needs, instructions, needs};
use crate::effects::{any_host, digest, named};
use crate::failure::Failure;
use crate::image::{self, Layer};
use crate::limits::{
    BUILD_TIMEOUT_MS, EARLY_TIMEOUT, LISTED, MAX_MEMORY_MB, MEMORY_MB, MIN_MEMORY_MB, PARTS,
    QUERY_TIMEOUT,
};
use crate::parameters::{count_text, size_text, timeout};

pub(crate) struct DockerBuild;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The folder whose files the build gets.
    #[serde(default = "root")]
    context: String,
    /// The Dockerfile, in that folder.
    #[serde(default)]
    dockerfile: Option<String>,
    /// The image's name: `NAME:TAG`.
    tag: String,
    /// Values for the Dockerfile's `ARG`s.
    #[serde(default)]
    build_args: BTreeMap<String, String>,
    /// The stage to build.
    #[serde(default)]
    stage: Option<String>,
    /// Lets commands of the build use the network, and the daemon download base images.
    #[serde(default)]
    network: bool,
    /// Runs every step again.
    #[serde(default)]
    no_cache: bool,
    /// Memory of each step, in megabytes; 2,048 by default.
    #[serde(default)]
    memory_mb: Option<u64>,
    /// The time limit in milliseconds; 600,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

fn root() -> String {
    ".".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the image was built.
    success: bool,
    /// The image's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_id: Option<String>,
    /// Its size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Its layers that have content, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    layers: Vec<Layer>,
    /// The steps, as far as the build came.
    steps: Vec<Step>,
    /// Why it failed, at the line of the Dockerfile.
    diagnostics: Vec<BuildDiagnostic>,
    /// What was sent.
    context: SentContext,
    /// How long it took.
    duration_ms: u64,
}

/// A mistake in a Dockerfile.
#[derive(Debug, Serialize, JsonSchema)]
struct BuildDiagnostic {
    /// The Dockerfile, relative to the workspace.
    path: String,
    /// The line, from 1 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// What is wrong.
    message: String,
}

/// The files that a build got.
#[derive(Debug, Serialize, JsonSchema)]
struct SentContext {
    /// How many.
    files: usize,
    /// Their size.
    bytes: u64,
    /// Files and folders that `.dockerignore` leaves out.
    ignored: usize,
    /// Files that rules hide.
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
    /// Pipes, sockets and devices, which are not sent.
    #[serde(skip_serializing_if = "is_zero")]
    special: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Tool for DockerBuild {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "docker_build";
    const DESCRIPTION: &'static str = "Build an image of a Dockerfile and a folder by Docker or Podman, without network \
        unless `network` is true. Returns the steps, the image's size by layer, and the line of the Dockerfile that \
        failed: a failed build is a result. Needs approval; docker_run runs the image.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "context"),
        ("file", "dockerfile"),
        ("name", "tag"),
        ("image", "tag"),
        ("args", "build_args"),
        ("target", "stage"),
        ("timeout", "timeout_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        text(result)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(BuildPlan::new(context, params)?.effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let plan = BuildPlan::new(context, &params)?;
        if !plan.effects.iter().all(|effect| context.is_granted(effect)) {
            let message = format!(
                "{tool}: the Dockerfile has changed since it was approved; nothing was built"
            );
            return Err(ToolError::new(Code::Conflict, message).hint("call it again"));
        }
        let limit = timeout(tool, params.timeout_ms, BUILD_TIMEOUT_MS)?;
        let dial = plan.daemon.dial(context, tool)?;
        let started = Instant::now();
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let summary = plan.build.summary.clone();
        let dockerfile = plan.build.dockerfile_path().display_path();
        let mut progress = BuildProgress::new(&plan.instructions);
        let body =
            plan.build.body().map_err(|error| Failure::Content(error.to_string()).of(tool))?;
        let built = client.run(limit, async {
            let piece = |piece: &[u8]| {
                progress.push(piece)?;
                Ok(std::ops::ControlFlow::Continue(()))
            };
            dial.stream(Method::POST, &plan.path, Content::Tar(body), piece).await
        });
        let mut error = match built {
            Ok(_) => {
                progress.finish().map_err(|failure| failure.of(tool))?;
                progress.error.take()
            }
            // The daemon does not understand the Dockerfile.
            Err(Failure::Refused { status: 400 | 500, message })
                if message.to_lowercase().contains("dockerfile") =>
            {
                Some(message)
            }
            Err(failure) => return Err(ended_early(failure, &mut progress)),
        };
        if error.is_none() && progress.image.is_none() {
            let why = "the build ended without an image and without an error";
            return Err(Failure::Protocol(why.to_owned()).of(tool));
        }
        let mut built = None;
        if let (None, Some(id)) = (&error, &progress.image) {
            let details = async {
                let id =
                    if id.starts_with("sha256:") { id.clone() } else { format!("sha256:{id}") };
                if !image::is_id(&id) {
                    return Err(Failure::Protocol("the image has no id".to_owned()));
                }
                let Some(found) = image::find(&dial, &id).await? else { return Ok(None) };
                let layers = image::layers(&dial, &id).await?;
                Ok(Some((found, layers)))
            };
            built = client.run(QUERY_TIMEOUT, details).map_err(|failure| failure.of(tool))?;
            if built.is_none() {
                error = Some("the image was removed right after it was built".to_owned());
            }
        }
        let diagnostics = error.iter().map(|message| BuildDiagnostic {
            path: dockerfile.clone(),
            line: progress.failing_line(message),
            message: crate::failure::printable(message),
        });
        let diagnostics = diagnostics.collect();
        let (found, layers) =
            built.map_or((None, Vec::new()), |(found, layers)| (Some(found), layers));
        let mut steps = progress.steps;
        steps.truncate(LISTED);
        Ok(Output {
            success: error.is_none(),
            size: found.as_ref().map(|image| image.size),
            image_id: found.map(|image| image.id),
            layers,
            steps,
            diagnostics,
            context: SentContext {
                files: summary.files,
                bytes: summary.bytes,
                ignored: summary.ignored,
                hidden: summary.hidden,
                special: summary.special,
            },
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }
}

/// The error of a build that the daemon did not end itself, with the steps so far.
fn ended_early(failure: Failure, progress: &mut BuildProgress<'_>) -> ToolError {
    // What is left of a message is not worth a second error.
    let _ = progress.finish();
    let mut error = failure.of(DockerBuild::NAME);
    if let Some(step) = progress.steps.last() {
        let line = step.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        error.message.push_str(&format!(
            "; the build was in step {}{line}, and has made no image",
            step.step
        ));
    }
    error.details(json!({ "steps": progress.steps }))
}

/// What a build is to be, and what policy has to decide on.
struct BuildPlan {
    daemon: Daemon,
    build: BuildContext,
    instructions: Vec<Instruction>,
    path: String,
    effects: Vec<Effect>,
}

impl BuildPlan {
    fn new(context: &Context<'_>, params: &Params) -> Result<Self, ToolError> {
        let tool = DockerBuild::NAME;
        let invalid = |why: String| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        image::check_name(tool, &params.tag)?;
        timeout(tool, params.timeout_ms, BUILD_TIMEOUT_MS)?;
        if params.build_args.len() > PARTS {
            return Err(invalid(format!("`build_args` has more than {PARTS}")));
        }
        let memory = params.memory_mb.unwrap_or(MEMORY_MB);
        if !(MIN_MEMORY_MB..=MAX_MEMORY_MB).contains(&memory) {
            return Err(invalid(format!(
                "`memory_mb` must be from {MIN_MEMORY_MB} to {MAX_MEMORY_MB}"
            )));
        }
        let build =
            BuildContext::find(context, tool, &params.context, params.dockerfile.as_deref())?;
        let instructions = instructions(&build.text).map_err(invalid)?;
        let needs = needs(&instructions, &params.build_args);
        let daemon = Daemon::find(context, tool)?;
        let known = match daemon.early() {
            Some(dial) => {
                let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
                let known = client.run(EARLY_TIMEOUT, Known::find(&dial, &needs, &params.tag));
                known.map_err(|failure| failure.of(tool))?
            }
            None => Known::default(),
        };
        if !params.network {
            known.check(&build, &needs)?;
        }
        let network = if params.network { "default" } else { "none" };
        let bytes = (memory << 20).to_string();
        let build_args = json!(params.build_args).to_string();
        let mut query = vec![
            ("t", params.tag.as_str()),
            ("dockerfile", build.dockerfile.as_str()),
            ("buildargs", build_args.as_str()),
            ("networkmode", network),
            ("memory", bytes.as_str()),
            ("memswap", bytes.as_str()),
            // The containers of steps go, also those of steps that fail.
            ("rm", "1"),
            ("forcerm", "1"),
        ];
        query.extend(params.stage.as_deref().map(|stage| ("target", stage)));
        if params.no_cache {
            query.push(("nocache", "1"));
        }
        let path = path("/build", &query);
        let request = json!([
            path,
            build.folder().absolute(),
            build.text,
            build.ignore_text(),
            known.replaced
        ]);
        let name = format!("container/build/{} #{}", params.tag, digest(&request));
        let mut effects = vec![named(name, detail(params, &build, &known, memory))];
        effects.push(Effect::read_tree(build.folder()));
        if params.network {
            effects.push(any_host(&network_detail(&known)));
        }
        effects.extend(daemon.effects());
        Ok(Self { daemon, build, instructions, path, effects })
    }
}

/// What the daemon has already.
#[derive(Default)]
struct Known {
    /// Images that the build needs and that are not here, with their lines.
    missing: Vec<(String, usize)>,
    /// The image that has the tag now.
    replaced: Option<String>,
}

impl Known {
    async fn find(dial: &Dial, needs: &Needs, tag: &str) -> Result<Self, Failure> {
        let mut known = Self {
            replaced: image::find(dial, tag).await?.map(|image| image.id),
            ..Self::default()
        };
        for (name, line) in needs.images.iter().take(PARTS) {
            let is_name = image::check_name(DockerBuild::NAME, name).is_ok();
            // The daemon has its own words for what is no name.
            if is_name && image::find(dial, name).await?.is_none() {
                known.missing.push((name.clone(), *line));
            }
        }
        Ok(known)
    }

    /// Refuses a build that would make the daemon download something.
    fn check(&self, build: &BuildContext, needs: &Needs) -> Result<(), ToolError> {
        let tool = DockerBuild::NAME;
        let path = build.dockerfile_path().display_path();
        let (line, why) = match (self.missing.first(), needs.unknown.first()) {
            (Some((name, line)), _) => (*line, format!("the base image {name} is not here")),
            (None, Some(line)) => (*line, "this line may download something".to_owned()),
            (None, None) => return Ok(()),
        };
        Err(ToolError::new(Code::Unavailable, format!("{tool}: {path}:{line}: {why}, and the build has no network"))
            .hint("`network: true` allows the download, after approval; docker_images lists the images that are here")
            .details(json!({ "diagnostics": [{ "path": path, "line": line, "message": why }] })))
    }
}

/// The text of the approval.
fn detail(params: &Params, build: &BuildContext, known: &Known, memory: u64) -> String {
    let summary = &build.summary;
    let mut detail = format!(
        "context: {}, {} of {}",
        build.folder().display_path(),
        count_text(summary.files, "file"),
        size_text(summary.bytes)
    );
    if summary.ignored > 0 {
        detail.push_str(&format!(", {} left out by .dockerignore", summary.ignored));
    }
    if summary.hidden > 0 {
        detail.push_str(&format!(", {} hidden by rules", summary.hidden));
    }
    detail.push_str(&format!("\nimage: {}", params.tag));
    if let Some(id) = &known.replaced {
        detail.push_str(&format!(", which now names {id:.19} and will name the new image"));
    }
    for (name, value) in &params.build_args {
        detail.push_str(&format!("\nargument: {name}={value}"));
    }
    if let Some(stage) = &params.stage {
        detail.push_str(&format!("\nstage: {stage}"));
    }
    let network = if params.network { "any host" } else { "none" };
    detail.push_str(&format!("\nnetwork: {network}\nlimits: {memory} MB of memory for each step"));
    detail.push_str(&format!(
        "\n{}:\n{}",
        build.dockerfile_path().display_path(),
        build.text.trim_end()
    ));
    detail
}

fn network_detail(known: &Known) -> String {
    let mut detail = "Commands of the build reach any host.".to_owned();
    if !known.missing.is_empty() {
        let names: Vec<&str> = known.missing.iter().map(|(name, _)| name.as_str()).collect();
        detail.push_str(&format!(
            " The daemon downloads {}, as the registry has it then.",
            names.join(", ")
        ));
    }
    detail
}

fn text(result: &Value) -> Option<String> {
    let mut text = String::new();
    let success = result["success"].as_bool()?;
    for diagnostic in result["diagnostics"].as_array().into_iter().flatten() {
        let line = diagnostic["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let (path, message) = (diagnostic["path"].as_str()?, diagnostic["message"].as_str()?);
        web::push(&mut text, format_args!("{path}{line}: {message}"));
    }
    let steps = result["steps"].as_array().map_or(&[][..], Vec::as_slice);
    for (index, step) in steps.iter().enumerate() {
        let cached = if step["cached"] == true {
            " (cached)".to_owned()
        } else {
            format!(" {} ms", step["duration_ms"])
        };
        let instruction = step["instruction"].as_str().unwrap_or_default();
        web::push(&mut text, format_args!("{} {instruction}{cached}", step["step"]));
        // What the steps before printed is in the whole result.
        let is_failing = !success && index + 1 == steps.len();
        if let Some(output) = step["output"].as_str().filter(|_| is_failing) {
            output.lines().for_each(|line| web::push(&mut text, format_args!("  | {line}")));
        }
    }
    if success {
        let id = result["image_id"].as_str().unwrap_or_default();
        let size = size_text(result["size"].as_u64().unwrap_or_default());
        web::push(&mut text, format_args!("built {id:.19}, {size}"));
        for layer in result["layers"].as_array().into_iter().flatten() {
            let made_by = layer["created_by"].as_str().unwrap_or_default();
            let size = size_text(layer["size"].as_u64().unwrap_or_default());
            web::push(&mut text, format_args!("  {size} {made_by}"));
        }
    }
    Some(text)
}
