//! `think`: records reasoning.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use super::daily_log::DailyLog;
use super::note::Output;
use super::notes::{LOG, NoteKind, StoredNote};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct Think;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The reasoning.
    thought: String,
}

impl Tool for Think {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "think";
    const DESCRIPTION: &'static str = "Record a thought while you work: it changes nothing, and the \
        person can follow it. `notes` finds it again.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("thoughts", "thought")];
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"thought": "The user prefers explicit error handling over unwrap()"}"#];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.thought.trim().is_empty() {
            let message = format!("{}: `thought` is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let timestamp = Timestamp::now();
        let content = params.thought;
        let thought = StoredNote { timestamp, kind: NoteKind::Thought, title: None, content };
        DailyLog::open(context, Self::NAME, LOG)?.append(timestamp, &thought)?;
        Ok(Output { timestamp: timestamp.to_string() })
    }
}
