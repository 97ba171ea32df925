//! `memory_context`: the memories that matter for a task, as one text.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::recall::{MEMORY_CONTENT, Memory, Query, RANKING, mark, recall};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, is_zero, number_at, str_at},
};

pub(crate) struct MemoryContext;

const DEFAULT_TOKENS: usize = 1_000;
const MAX_TOKENS: usize = 8_000;
const MIN_TOKENS: usize = 50;
/// Bytes of a token, on average.
const BYTES_PER_TOKEN: usize = 4;
/// Memories that may be in one context.
const MAX_MEMORIES: usize = 100;
/// Memories that share less with the query than this are left out.
const MIN_SCORE: f64 = 0.2;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The task, in words; the newest memories without it.
    #[serde(default)]
    query: Option<String>,
    /// Size in tokens of four bytes; 1,000 by default, up to 8,000.
    #[serde(default)]
    max_tokens: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The memories as a list, best first.
    context: String,
    /// Where they come from.
    memories: Vec<Brief>,
    /// Matching memories that did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// Number of all memories, outdated ones included.
    total: usize,
    /// The same by category; `none` for those without.
    by_category: BTreeMap<String, usize>,
    /// How they are ranked.
    ranking: &'static str,
    /// What `context` is.
    content_is: &'static str,
    /// Files in the folders of memories that were not read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

/// A memory without its content.
#[derive(Serialize, JsonSchema)]
struct Brief {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// When it was last remembered (RFC 3339).
    updated: String,
}

impl Tool for MemoryContext {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "memory_context";
    const DESCRIPTION: &'static str = "The memories that matter for a task, as one text that fits \
        `max_tokens`. Leaves out outdated ones; `memory_recall` lists those, too.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("task", "query"), ("token_budget", "max_tokens")];
    const EXAMPLES: &'static [&'static str] =
        &["{}", r#"{"query": "change how totals are computed", "max_tokens": 500}"#];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        let context = str_at(result, "context");
        if !context.is_empty() {
            lines.push_text(&mark(context));
            lines.push(format_args!("[ranked {}]", str_at(result, "ranking")));
        }
        let left_out = number_at(result, "left_out");
        if left_out > 0 {
            lines.push(format_args!("[{left_out} more did not fit]"));
        }
        Some(lines.finish("no memories"))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let words = params.query.as_deref().filter(|query| !query.trim().is_empty());
        let query = Query {
            words,
            key: None,
            category: None,
            tags: &[],
            scope: None,
            min_score: if words.is_some() { MIN_SCORE } else { 0.0 },
            limit: MAX_MEMORIES,
            outdated: false,
        };
        let found = recall(context, Self::NAME, &query)?;
        let tokens = params.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(MIN_TOKENS, MAX_TOKENS);
        let (context, used) = fitted(&found.memories, tokens * BYTES_PER_TOKEN);
        let brief = |memory: &&Memory| Brief {
            id: memory.id.clone(),
            key: memory.key.clone(),
            category: memory.category.clone(),
            updated: memory.updated.clone(),
        };
        Ok(Output {
            context,
            left_out: found.memories.len() - used.len(),
            memories: used.iter().map(brief).collect(),
            total: found.total,
            by_category: found.by_category,
            ranking: RANKING,
            content_is: MEMORY_CONTENT,
            skipped: found.skipped,
        })
    }
}

/// The memories that fit into so many bytes, as a list, and which they are. A long one gives way to shorter
/// ones after it.
fn fitted(memories: &[Memory], bytes: usize) -> (String, Vec<&Memory>) {
    let (mut text, mut used) = (String::new(), Vec::new());
    for memory in memories {
        let mut item = String::from("- ");
        if let Some(name) = memory.title.as_ref().or(memory.key.as_ref()) {
            item.push_str(&format!("{name}: "));
        }
        item.push_str(&memory.content.replace('\n', "\n  "));
        if let Some(evidence) = &memory.evidence {
            item.push_str(&format!(
                " ({}:{}-{})",
                evidence.path, evidence.start_line, evidence.end_line
            ));
        }
        item.push('\n');
        if text.len() + item.len() <= bytes {
            text.push_str(&item);
            used.push(memory);
        }
    }
    (text, used)
}
