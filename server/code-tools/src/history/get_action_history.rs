//! `get_action_history`: the changes that tools made, newest first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::ActionState;

use super::from_history_error;
use tools::{
    Code, Context, Effect, EffectKind, Target, Tool, ToolError,
    results::{Lines, list_at, str_at},
};

pub(crate) struct GetActionHistory;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Page size, up to 200.
    #[serde(default = "default_limit")]
    limit: usize,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
    /// Only actions on this file or below this folder.
    #[serde(default)]
    path: Option<String>,
}

fn default_limit() -> usize {
    20
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Newest first.
    actions: Vec<ActionOutput>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ActionOutput {
    /// Its id, for `undo_action`.
    id: String,
    /// Time (RFC 3339).
    time: String,
    /// The tool.
    tool: String,
    /// Summary in one line.
    summary: String,
    /// The changed files.
    files: Vec<FileOutput>,
    /// Number of changed files that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_left_out: Option<usize>,
    /// `done` or `undone`.
    state: &'static str,
    /// Whether `undo_action` may work; it checks the files themselves.
    undoable: bool,
    /// The run of a workflow that it belongs to; `undo_action` takes it and undoes the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// The action that this one undid.
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The path, relative to the workspace.
    path: String,
    /// `edited`, `created`, `folder` (a created parent), `deleted` or `moved`.
    kind: &'static str,
}

const MAX_ACTIONS: usize = 200;
const MAX_FILES: usize = 50;

impl Tool for GetActionHistory {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_action_history";
    const DESCRIPTION: &'static str = "List the changes that tools made in this workspace, newest \
        first: edits, created, deleted, moved and copied files, and undone actions. Kept for 30 \
        days, and at most 2 GiB beyond the last day.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let target = Target::Named("the history of actions".to_owned());
        Ok(vec![Effect { kind: EffectKind::Read, target, detail: None }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let limit = params.limit.clamp(1, MAX_ACTIONS);
        let before = params.cursor.as_deref().map(before).transpose()?;
        let path = match &params.path {
            Some(path) => Some(context.snapshot.locate_entry(path)?),
            None => None,
        };
        let path = path.filter(|path| !path.is_root()).map(|path| path.display_path());
        let mut actions = context
            .workspace
            .actions(limit + 1, before, path.as_deref())
            .map_err(|error| from_history_error(Self::NAME, &error))?;
        let truncated = actions.len() > limit;
        actions.truncate(limit);
        let next_cursor = actions.last().filter(|_| truncated).map(|action| action.id.to_string());
        let actions = actions
            .into_iter()
            .map(|action| ActionOutput {
                id: action.id.to_string(),
                time: jiff::Timestamp::from_millisecond(action.time)
                    .map(|time| time.to_string())
                    .unwrap_or_default(),
                tool: action.tool,
                summary: action.summary,
                files_left_out: action.files.len().checked_sub(MAX_FILES).filter(|n| *n > 0),
                files: action
                    .files
                    .into_iter()
                    .take(MAX_FILES)
                    .map(|(path, kind)| FileOutput { path, kind })
                    .collect(),
                state: if action.state == ActionState::Undone { "undone" } else { "done" },
                undoable: action.state != ActionState::Undone,
                group: action.group,
                undoes: action.undoes.map(|id| id.to_string()),
            })
            .collect();
        Ok(Output { actions, truncated, next_cursor })
    }
}

fn before(cursor: &str) -> Result<i64, ToolError> {
    cursor.parse().map_err(|_| {
        let message = format!("get_action_history: `{cursor:.60}` is no cursor");
        ToolError::new(Code::InvalidParams, message)
            .hint("pass the `next_cursor` of the result before, unchanged")
    })
}

/// The actions as lines: `id time tool: summary`.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for action in list_at(result, "actions") {
        let (id, time) = (str_at(action, "id"), str_at(action, "time"));
        let (tool, summary) = (str_at(action, "tool"), str_at(action, "summary"));
        let state = if action["state"] == "undone" { " [undone]" } else { "" };
        let group = action["group"].as_str().map(|group| format!(" ({group})")).unwrap_or_default();
        lines.push(format_args!("{id} {time} {tool}: {summary}{group}{state}"));
    }
    lines.push_rest(result);
    lines.finish("no actions")
}
