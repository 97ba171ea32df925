//! `delegate`: gives a task to another agent, over the Agent Client Protocol.
//!
//! The agent is a program with all of the person's rights, so starting it needs approval. Its process and
//! everything that it starts end with its task: that is the call, or what goes on after it (`background`).

mod background;
mod conversation;
mod status;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Caller, Code, Context, Effect, EffectKind, HeadlessWorkspace, Host, Tool, ToolError};

pub(crate) use self::background::Delegations;
use self::conversation::{Outcome, Task, ToolCallOutput, converse};
pub(crate) use self::status::DelegateStatus;
use crate::acp::{Awaited, Chosen, Place, Work, choose, mcp_servers, root, start, start_effects};

pub(crate) struct Delegate;

/// Limits for `timeout_ms`.
const DEFAULT_TIMEOUT_MS: u64 = 30 * 60 * 1_000;
const MAX_TIMEOUT_MS: u64 = 4 * 60 * 60 * 1_000;
/// Limit for a task with its context, in bytes.
const MAX_TASK_BYTES: usize = 256 << 10;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// An installed agent, or a defined one, whose instructions an installed agent gets; `catalog` lists
    /// both.
    agent: String,
    /// What to do, with all that the agent must know.
    task: String,
    /// More context.
    #[serde(default)]
    context: Option<String>,
    /// Work in a new git worktree instead of the workspace.
    #[serde(default)]
    worktree: bool,
    /// The worktree's new branch.
    #[serde(default)]
    branch: Option<String>,
    /// Stop it after so many turns.
    #[serde(default)]
    max_turns: Option<u64>,
    /// Stop it after so many milliseconds; 30 minutes by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Return an id at once; `delegate_status` returns the report. The agent ends with the server.
    #[serde(default)]
    background: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The installed agent that ran.
    agent: String,
    /// For `delegate_status`, if it works in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Why it stopped: `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`, `max_turns` or
    /// `timeout`; `running` in the background.
    stop_reason: String,
    /// Its last message.
    report: String,
    /// Its turns, counted by its tool calls.
    turns: u64,
    /// The tool calls that it reported.
    tool_calls: Vec<ToolCallOutput>,
    /// What it asked for and did not get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<String>,
    /// The worktree it worked in; `worktree_merge` merges it.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<Worktree>,
    /// The files that changed meanwhile, with their status.
    files: Vec<ChangedFile>,
    /// Their changes, in `git diff` format; null without a repository.
    diff: Option<String>,
    /// The checkpoint of the files before, for `git_checkpoint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<String>,
    /// How long it took.
    duration_ms: u64,
    /// Whether the report or a list was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Worktree {
    /// Its name.
    name: String,
    /// Its folder.
    path: String,
    /// Its branch.
    branch: String,
}

#[derive(Serialize, JsonSchema)]
struct ChangedFile {
    /// The path, relative to the workspace or worktree.
    path: String,
    /// How it changed.
    status: String,
}

impl Params {
    fn check(&self) -> Result<(), ToolError> {
        let invalid = |what: &str| {
            Err(ToolError::new(Code::InvalidParams, format!("{}: {what}", Delegate::NAME)))
        };
        if self.task.trim().is_empty() {
            return invalid("`task` is empty");
        }
        let length = self.task.len() + self.context.as_ref().map_or(0, String::len);
        if length > MAX_TASK_BYTES {
            return invalid("`task` and `context` are longer than 256 KiB");
        }
        if self.timeout_ms.is_some_and(|ms| !(1..=MAX_TIMEOUT_MS).contains(&ms)) {
            return invalid("`timeout_ms` must be from 1 to 14,400,000");
        }
        if self.max_turns == Some(0) {
            return invalid("`max_turns` must be at least 1");
        }
        Ok(())
    }

    fn prompt(&self, chosen: &Chosen) -> String {
        let mut parts: Vec<&str> = Vec::new();
        parts.extend(chosen.instructions.as_deref());
        parts.push(&self.task);
        let context = self.context.as_ref().map(|context| format!("Context:\n{context}"));
        parts.extend(context.as_deref());
        parts.join("\n\n")
    }
}

impl Tool for Delegate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "delegate";
    const DESCRIPTION: &'static str = "Give a task to another installed agent (Agent Client \
        Protocol) and wait for its report and diff, unless `background` is set. `worktree` has it work \
        on a new branch, which `worktree_merge` merges. Needs approval: the agent runs outside the sandbox; its own requests \
        for permission are decided like any call.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("prompt", "task"), ("subagent", "agent"), ("subagent_type", "agent")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check()?;
        let chosen = choose(context, Self::NAME, &params.agent)?;
        let cwd = root(&context.snapshot, Self::NAME)?;
        Ok(start_effects(cwd, &chosen, params.prompt(&chosen)))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let chosen = choose(context, Self::NAME, &params.agent)?;
        if !params.background {
            let work = Awaited { editor: context.editor, interrupt: context.interrupt };
            return delegate(context, &work, &chosen, &params);
        }
        if context.session.audit.front_end() == "cli" {
            let message = format!("{}: this process ends with the call", Self::NAME);
            let hint = "leave out `background`, or call it while an editor or `tandem mcp` runs";
            return Err(ToolError::new(Code::Unsupported, message).hint(hint));
        }
        let background =
            context.session.family::<Delegations>().begin(&chosen.name, &params.task)?;
        let started = Output {
            id: Some(background.id.clone()),
            ..output(&chosen, Outcome::running(), None, None, Instant::now())
        };
        context.go_on_after_answer(move |context| {
            background.run(|background| delegate(context, background, &chosen, &params));
        });
        Ok(started)
    }
}

/// Has the agent do the task, in the workspace or in a worktree of its own.
fn delegate(
    context: &Context<'_>,
    work: &dyn Work,
    chosen: &Chosen,
    params: &Params,
) -> Result<Output, ToolError> {
    let caller = Caller {
        front_end: "acp",
        client: Some(chosen.name.clone()),
        trace: context.caller.trace.clone(),
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let group = format!("delegate-{}-{}", chosen.name, now.as_millis());
    let calls = context.step_calls(Delegate::NAME)?.of_caller(caller.clone());
    let here = Place {
        tool: Delegate::NAME,
        workspace: context.workspace,
        calls: &*calls,
        group: &group,
        work,
    };
    if !params.worktree {
        let done = work_in(&here, chosen, params);
        context.workspace.files_may_have_changed();
        return done;
    }
    let worktree = create_worktree(&here, chosen, params)?;
    // Nobody removes it while the agent works in it.
    let _hold = git_tools::hold_worktree(context, Delegate::NAME, &worktree.name)?;
    let headless = Arc::new(HeadlessWorkspace::open(Path::new(&worktree.path), "acp")?);
    let calls = headless.step_calls(&*calls, caller);
    let there = Place {
        tool: Delegate::NAME,
        workspace: headless.workspace(),
        calls: &calls,
        group: &group,
        work,
    };
    let done = work_in(&there, chosen, params);
    headless.stop();
    match done {
        Ok(output) => Ok(Output { worktree: Some(worktree), ..output }),
        Err(error) => {
            let hint = error.hint.clone().map(|hint| format!("{hint}. ")).unwrap_or_default();
            let left = format!("{hint}What it did is in the worktree {}", worktree.name);
            Err(error.hint(left).details(json!({ "worktree": worktree })))
        }
    }
}

fn create_worktree(
    place: &Place<'_>,
    chosen: &Chosen,
    params: &Params,
) -> Result<Worktree, ToolError> {
    let branch = params.branch.clone().unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        format!("delegate/{}-{}", chosen.name, now.as_millis())
    });
    let made = place.call("worktree_create", json!({ "branch": branch }))?;
    let text = |field: &str| made[field].as_str().unwrap_or_default().to_owned();
    Ok(Worktree { name: text("name"), path: text("path"), branch })
}

/// Has the agent work in a place, and collects what it changed.
fn work_in(place: &Place<'_>, chosen: &Chosen, params: &Params) -> Result<Output, ToolError> {
    let begun = Instant::now();
    let folder = root(&place.calls.snapshot(), Delegate::NAME)?;
    // Without a repository there is no diff; everything else works.
    let message = format!("before {} was delegated a task", chosen.name);
    let checkpoint =
        place.call("git_checkpoint", json!({ "action": "create", "message": message }));
    let checkpoint =
        checkpoint.ok().and_then(|made| made["checkpoint"]["id"].as_str().map(str::to_owned));
    let mut agent = start(Delegate::NAME, &folder, chosen)?;
    let prompt = params.prompt(chosen);
    let cwd = folder.root().path().display().to_string();
    let task = Task {
        cwd: &cwd,
        prompt: &prompt,
        mcp_servers: mcp_servers(&cwd),
        max_turns: params.max_turns,
        timeout: Duration::from_millis(params.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS)),
    };
    let outcome = converse(&mut agent, place, &task);
    let stderr = agent.end();
    place.workspace.files_may_have_changed();
    let outcome = outcome.map_err(|error| match (stderr.is_empty(), &checkpoint) {
        (true, None) => error,
        _ => error.details(json!({ "stderr": stderr, "checkpoint": checkpoint })),
    })?;
    let changes = checkpoint
        .as_ref()
        .and_then(|id| place.call("git_checkpoint", json!({ "action": "diff", "id": id })).ok());
    Ok(output(chosen, outcome, changes.as_ref(), checkpoint, begun))
}

fn output(
    chosen: &Chosen,
    outcome: Outcome,
    changes: Option<&Value>,
    checkpoint: Option<String>,
    begun: Instant,
) -> Output {
    let files = changes.and_then(|changes| changes["files"].as_array());
    let text = |file: &Value, field: &str| file[field].as_str().unwrap_or_default().to_owned();
    Output {
        agent: chosen.name.clone(),
        id: None,
        stop_reason: outcome.stop_reason,
        report: outcome.report,
        turns: outcome.turns,
        tool_calls: outcome.tool_calls,
        refused: outcome.refused,
        worktree: None,
        files: files
            .into_iter()
            .flatten()
            .map(|file| ChangedFile { path: text(file, "path"), status: text(file, "status") })
            .collect(),
        diff: changes.and_then(|changes| changes["diff"].as_str()).map(str::to_owned),
        checkpoint,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        truncated: outcome.truncated || changes.is_some_and(|changes| changes["truncated"] == true),
    }
}

/// The report and what changed.
fn text(result: &Value) -> String {
    let text = |field: &str| result[field].as_str().unwrap_or_default();
    if let Some(id) = result["id"].as_str() {
        return format!("{} works in the background as {id}; see `delegate_status`", text("agent"));
    }
    let mut lines = vec![format!("{} ({})", text("agent"), text("stop_reason"))];
    lines.push(text("report").to_owned());
    let list = |field: &str| result[field].as_array().map(Vec::as_slice).unwrap_or_default();
    for refused in list("refused") {
        lines.push(format!("refused: {}", refused.as_str().unwrap_or_default()));
    }
    if let Some(name) = result["worktree"]["name"].as_str() {
        lines.push(format!(
            "worktree {name} ({})",
            result["worktree"]["path"].as_str().unwrap_or_default()
        ));
    }
    match result["diff"].as_str() {
        Some("") => lines.push("no file changed".to_owned()),
        Some(diff) => lines.push(diff.to_owned()),
        None => {}
    }
    lines.join("\n")
}
