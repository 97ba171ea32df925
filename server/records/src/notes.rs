//! `notes`: finds notes and thoughts.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::daily_log::DailyLog;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, list_at, str_at},
};

pub(crate) struct Notes;

/// The log's name in the state folder.
pub(super) const LOG: &str = "notes";
const DEFAULT_RESULTS: usize = 20;
const MAX_RESULTS: usize = 500;

/// A stored note or thought.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredNote {
    pub(super) timestamp: Timestamp,
    pub(super) kind: NoteKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    pub(super) content: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum NoteKind {
    Note,
    Thought,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Words that all occur in the title or text, in any case; everything without it.
    #[serde(default)]
    query: Option<String>,
    /// Only notes, or only thoughts.
    #[serde(default)]
    kind: Option<NoteKind>,
    /// Most results, at most 500.
    #[serde(default = "most")]
    max_results: usize,
}

fn most() -> usize {
    DEFAULT_RESULTS
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What was found, newest first.
    notes: Vec<Found>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// A note or thought.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// When it was written (RFC 3339).
    timestamp: String,
    kind: NoteKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    content: String,
}

impl Tool for Notes {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "notes";
    const DESCRIPTION: &'static str = "Find what `note` and `think` have recorded about this \
        workspace, newest first.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("limit", "max_results")];
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"query": "auth", "kind": "note"}"#];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        for note in list_at(result, "notes") {
            let title = note["title"].as_str().unwrap_or("thought");
            let day = str_at(note, "timestamp").split('T').next().unwrap_or_default();
            lines.push(format_args!("{day} {title}"));
            lines.push_text(str_at(note, "content"));
        }
        if result["truncated"] == true {
            lines.push("[there are more]");
        }
        Some(lines.finish("no notes"))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.max_results == 0 || params.max_results > MAX_RESULTS {
            let message = format!("{}: `max_results` must be from 1 to {MAX_RESULTS}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let query = params.query.unwrap_or_default().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let is_wanted = |note: &StoredNote| {
            let text = format!("{}\n{}", note.title.as_deref().unwrap_or_default(), note.content);
            let text = text.to_lowercase();
            params.kind.is_none_or(|kind| kind == note.kind)
                && words.iter().all(|word| text.contains(word))
        };
        let log = DailyLog::open(context, Self::NAME, LOG)?;
        let page = log.read(Timestamp::UNIX_EPOCH, params.max_results, is_wanted)?;
        let found = |note: StoredNote| Found {
            timestamp: note.timestamp.to_string(),
            kind: note.kind,
            title: note.title,
            content: note.content,
        };
        Ok(Output {
            notes: page.records.into_iter().map(found).collect(),
            truncated: page.is_partial,
        })
    }
}
