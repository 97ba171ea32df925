//! `rag_query`: passages of a collection's documents.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use super::database::{FoundChunk, Question};
use super::rag_ingest::plain_text;
use super::{check_name, default_collection, failed, open};
use crate::QUOTED;

pub(crate) struct RagQuery;

const DEFAULT_RESULTS: usize = 5;
const MAX_RESULTS: usize = 50;
/// Longest question, in bytes.
const MAX_QUESTION: usize = 4_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What you want to know.
    question: String,
    /// `documents` by default.
    #[serde(default = "default_collection")]
    collection: String,
    /// Up to 50; 5 by default.
    #[serde(default)]
    top_k: Option<usize>,
    /// Only documents of this category.
    #[serde(default)]
    category: Option<String>,
    /// Only documents with these properties.
    #[serde(default)]
    metadata: BTreeMap<String, String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Passages, best first.
    results: Vec<Found>,
    /// What their content is.
    content_is: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// The passage.
    content: String,
    /// The document's path.
    source: String,
    /// Its lines in the document.
    start_line: u32,
    end_line: u32,
    /// The headings above it, or what it declares.
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    /// The document's category.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The passage's number in the document.
    chunk_index: u32,
    /// Cosine similarity.
    score: f32,
    /// Why it is not what the document has now: then `rag_ingest` is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    outdated: Option<&'static str>,
}

impl Tool for RagQuery {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "rag_query";
    const DESCRIPTION: &'static str = "Find passages of documents that answer a question, in a collection that \
        `rag_ingest` filled. Each is compared with its file: moved lines have their new place, changed ones are \
        `outdated`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("topK", "top_k"), ("limit", "top_k"), ("query", "question")];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![format!("[passages are {QUOTED}]")];
        for found in result["results"].as_array()? {
            let text = |name: &str| found[name].as_str().unwrap_or_default();
            let outdated = found["outdated"].as_str().map(|why| format!(" [OUTDATED: {why}]"));
            lines.push(format!(
                "{}:{}-{} {}{}",
                text("source"),
                found["start_line"],
                found["end_line"],
                text("section"),
                outdated.unwrap_or_default()
            ));
            lines.extend(text("content").lines().map(|line| format!("  {line}")));
        }
        Some(if lines.len() == 1 { "nothing found".to_owned() } else { lines.join("\n") })
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check_name(Self::NAME, "collection", &params.collection)?;
        if params.question.trim().is_empty() || params.question.len() > MAX_QUESTION {
            let message = format!("{}: `question` must have 1 to {MAX_QUESTION} bytes", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let roots = context.snapshot.roots().iter();
        Ok(roots.map(|root| Effect::read_tree(&workspace::FilePath::from_root(root))).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let database = open(context, Self::NAME)?;
        let database_error = |error: rusqlite::Error| failed(Self::NAME, &error.to_string());
        let question = Question {
            collection: &params.collection,
            text: &params.question,
            category: params.category.as_deref(),
            metadata: &params.metadata,
        };
        let Some(found) = database.ask(&question).map_err(database_error)? else {
            let known = database.collections().map_err(database_error)?;
            let known: Vec<String> = known.into_iter().map(|collection| collection.name).collect();
            let message = format!("{}: there is no collection `{}`", Self::NAME, params.collection);
            let hint = match known.is_empty() {
                true => "`rag_ingest` makes one".to_owned(),
                false => {
                    format!("there are: {}; `rag_ingest` makes further ones", known.join(", "))
                }
            };
            return Err(ToolError::new(Code::InvalidParams, message).hint(hint));
        };
        let limit = params.top_k.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        let mut documents = Documents { context, texts: HashMap::new() };
        let mut results = Vec::new();
        for chunk in found {
            context.check_interrupt(Self::NAME)?;
            results.extend(documents.compared(chunk));
            if results.len() == limit {
                break;
            }
        }
        Ok(Output { results, content_is: QUOTED })
    }
}

/// The documents as they are now.
struct Documents<'c> {
    context: &'c Context<'c>,
    /// By path: their hash and text, or why they cannot be compared.
    texts: HashMap<String, Result<(String, String), &'static str>>,
}

impl Documents<'_> {
    /// A passage with its place in the document as it is now. `None` if rules hide the document.
    fn compared(&mut self, found: FoundChunk) -> Option<Found> {
        let snapshot = &self.context.snapshot;
        let path = snapshot.locate(&found.path).ok();
        if path.as_ref().is_some_and(|path| !self.context.may_read(path)) {
            return None;
        }
        let now = self.texts.entry(found.path.clone()).or_insert_with(|| {
            let path = path.ok_or("the document is outside of the workspace now")?;
            let file = snapshot.read(&path).map_err(|_| "the document is gone")?;
            Ok((file.hash.to_string(), plain_text(&file)))
        });
        let mut chunk = found.chunk;
        let outdated = match now {
            Err(why) => Some(*why),
            Ok((hash, _)) if *hash == found.hash => None,
            Ok((_, text)) => match text.find(&chunk.content) {
                Some(at) => {
                    let lines_before = text[..at].matches('\n').count();
                    let first = u32::try_from(lines_before).unwrap_or(u32::MAX).saturating_add(1);
                    chunk.last = first.saturating_add(chunk.last.saturating_sub(chunk.first));
                    chunk.first = first;
                    None
                }
                None => Some("the document has changed"),
            },
        };
        Some(Found {
            content: chunk.content,
            source: found.path,
            start_line: chunk.first,
            end_line: chunk.last,
            section: chunk.section,
            category: found.category,
            chunk_index: found.number,
            score: (found.score * 1_000.0).round() / 1_000.0,
            outdated,
        })
    }
}
