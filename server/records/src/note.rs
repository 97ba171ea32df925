//! `note`: keeps a note.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::daily_log::DailyLog;
use super::notes::{LOG, NoteKind, StoredNote};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct Note;

/// Limit for a title, in bytes.
const MAX_TITLE_BYTES: usize = 500;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What it is about.
    title: String,
    /// The note.
    content: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// When it was written (RFC 3339).
    pub(super) timestamp: String,
}

impl Tool for Note {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "note";
    const DESCRIPTION: &'static str = "Keep a note about this workspace: a decision, a to-do, what \
        you found out. `notes` finds it again, in later sessions, too.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"title": "TODO", "content": "- Fix auth bug\n- Update docs"}"#];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid =
            |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)));
        if params.title.trim().is_empty() || params.content.trim().is_empty() {
            return invalid("`title` and `content` must not be empty");
        }
        if params.title.len() > MAX_TITLE_BYTES {
            return invalid(&format!("`title` has more than {MAX_TITLE_BYTES} bytes"));
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let timestamp = Timestamp::now();
        let Params { title, content } = params;
        let note = StoredNote { timestamp, kind: NoteKind::Note, title: Some(title), content };
        DailyLog::open(context, Self::NAME, LOG)?.append(timestamp, &note)?;
        Ok(Output { timestamp: timestamp.to_string() })
    }
}
