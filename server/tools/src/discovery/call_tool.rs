//! `call_tool`: calls a tool that is not listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

/// Front ends replace its calls by the call inside (`resolve`), so that policy, audit log and write lock
/// treat the call as a call of the real tool. Only malformed calls get here.
pub(crate) struct CallTool;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its name.
    tool: String,
    /// Its parameters.
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// The result is the tool's.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {}

impl Tool for CallTool {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "call_tool";
    const DESCRIPTION: &'static str = "Call any tool, listed or not; `find_tools` finds them. Others \
        are for instance undo_action, move_file, delete_file, get_diagnostics, code_actions, git_status, \
        git_diff, git_stage, git_commit, debug_launch.";
    // Those of any tool.
    const EFFECTS: &'static [EffectKind] = &[
        EffectKind::Read,
        EffectKind::Write,
        EffectKind::Delete,
        EffectKind::Execute,
        EffectKind::Network,
        EffectKind::Admin,
    ];
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"tool": "file_exists", "arguments": {"path": "app.py"}}"#];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Err(misplaced(params))
    }

    fn run(_: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        Err(misplaced(&params))
    }
}

fn misplaced(params: &Params) -> ToolError {
    let message = format!("{}: calls cannot be nested so deeply", CallTool::NAME);
    let call = crate::guesses::example_call(&params.tool, &params.arguments);
    let error = ToolError::new(Code::InvalidParams, message);
    error.hint(call.unwrap_or_else(|| "call the tool by its own name".to_owned()))
}
