//! `rag_collections`: the collections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::{failed, open};

pub(crate) struct RagCollections;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Whether to count documents and passages.
    #[serde(default)]
    show_stats: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Sorted by name.
    collections: Vec<Collection>,
}

#[derive(Serialize, JsonSchema)]
struct Collection {
    /// Its name.
    name: String,
    /// Its documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<u32>,
    /// Its passages.
    #[serde(skip_serializing_if = "Option::is_none")]
    points_count: Option<u32>,
}

impl Tool for RagCollections {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "rag_collections";
    const DESCRIPTION: &'static str = "List the collections of documents that `rag_ingest` made in this \
        workspace.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"show_stats": true}"#];

    fn text(result: &Value) -> Option<String> {
        let line = |found: &Value| {
            let name = found["name"].as_str().unwrap_or_default();
            match found["documents"].as_u64() {
                Some(documents) => {
                    format!("{name}: {documents} documents, {} passages", found["points_count"])
                }
                None => name.to_owned(),
            }
        };
        let lines: Vec<String> = result["collections"].as_array()?.iter().map(line).collect();
        Some(if lines.is_empty() { "no collections".to_owned() } else { lines.join("\n") })
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let all = open(context, Self::NAME)?.collections();
        let all = all.map_err(|error| failed(Self::NAME, &error.to_string()))?;
        let collection = |of: super::database::CollectionSize| Collection {
            name: of.name,
            documents: params.show_stats.then_some(of.documents),
            points_count: params.show_stats.then_some(of.chunks),
        };
        Ok(Output { collections: all.into_iter().map(collection).collect() })
    }
}
