//! `memory_recall`: finds memories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::recall::{MEMORY_CONTENT, Memory, Query, RANKING, location, mark, recall};
use super::store::Scope;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, list_at, str_at, strings_at},
};

pub(crate) struct MemoryRecall;

const DEFAULT_LIMIT: usize = 10;
const MAX_LIMIT: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What you want to know; the newest memories without it.
    #[serde(default)]
    query: Option<String>,
    /// Only the memory with this key.
    #[serde(default)]
    key: Option<String>,
    /// Only memories of this category.
    #[serde(default)]
    category: Option<String>,
    /// Only memories with any of these tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Only memories of this scope.
    #[serde(default)]
    scope: Option<Scope>,
    /// Most results, at most 100; 10 by default.
    #[serde(default = "default_limit")]
    limit: usize,
    /// Least score, from 0 to 1.
    #[serde(default)]
    min_score: f64,
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What was found, best first; outdated ones last.
    memories: Vec<Memory>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// How they are ranked.
    ranking: &'static str,
    /// What the content of memories is.
    content_is: &'static str,
    /// Files in the folders of memories that were not read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

impl Tool for MemoryRecall {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "memory_recall";
    const ALIASES: &'static [&'static str] = &["memory_search"];
    const DESCRIPTION: &'static str = "Find what `memory_remember` stored, best match first, ranked by \
        words. Each memory is compared with the code that it is about: moved lines are served with \
        their new place, changed ones as `outdated`, with what changed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("threshold", "min_score")];
    const EXAMPLES: &'static [&'static str] =
        &["{}", r#"{"query": "where are totals computed", "limit": 5}"#];

    fn text(result: &Value) -> Option<String> {
        let memories = list_at(result, "memories");
        let mut content = Lines::default();
        for memory in memories {
            push_memory(&mut content, memory);
        }
        let mut lines = Lines::default();
        if !memories.is_empty() {
            lines.push_text(&mark(&content.finish("")));
        }
        for why in strings_at(result, "skipped") {
            lines.push(format_args!("[skipped: {why}]"));
        }
        if result["truncated"] == true {
            lines.push("[there are more]");
        }
        if !memories.is_empty() {
            lines.push(format_args!("[ranked {}]", str_at(result, "ranking")));
        }
        Some(lines.finish("no memories"))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid = |why: String| {
            Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)))
        };
        if !(1..=MAX_LIMIT).contains(&params.limit) {
            return invalid(format!("`limit` must be from 1 to {MAX_LIMIT}"));
        }
        if !(0.0..=1.0).contains(&params.min_score) {
            return invalid("`min_score` must be from 0 to 1".to_owned());
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tags = params.tags.iter().filter_map(|tag| given(Some(tag))).collect::<Vec<_>>();
        let query = Query {
            words: given(params.query.as_deref()),
            key: given(params.key.as_deref()),
            category: given(params.category.as_deref()),
            tags: &tags,
            scope: params.scope,
            min_score: params.min_score,
            limit: params.limit,
            outdated: true,
        };
        let found = recall(context, Self::NAME, &query)?;
        Ok(Output {
            memories: found.memories,
            truncated: found.is_partial,
            ranking: RANKING,
            content_is: MEMORY_CONTENT,
            skipped: found.skipped,
        })
    }
}

/// A filter, unless it is blank.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn push_memory(lines: &mut Lines, memory: &Value) {
    let day = str_at(memory, "updated").split('T').next().unwrap_or_default();
    let mut head = format!("{} {day}", str_at(memory, "id"));
    for name in ["category", "key", "title"] {
        if let Some(name) = memory[name].as_str() {
            head.push_str(&format!(" {name}"));
        }
    }
    let tags = strings_at(memory, "tags");
    if !tags.is_empty() {
        head.push_str(&format!(" [{}]", tags.join(", ")));
    }
    lines.push(head);
    lines.push_text(str_at(memory, "content"));
    let evidence = &memory["evidence"];
    if evidence.is_object() {
        let change = evidence["change"].as_str().map(|why| format!(": {why}")).unwrap_or_default();
        let outdated = if memory["outdated"] == true { "OUTDATED, " } else { "" };
        lines.push(format_args!(
            "({outdated}{} {}{change})",
            location(evidence),
            str_at(evidence, "state")
        ));
    }
}
