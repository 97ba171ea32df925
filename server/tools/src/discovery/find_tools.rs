//! `find_tools`: finds tools by what they do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolIndex;
use crate::results::is_zero;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindTools;

/// Tools that are returned.
const MAX_TOOLS: usize = 8;
/// Those of them that come with their parameters.
const MAX_SCHEMAS: usize = 3;
/// A tool that scores less than this share of the best one is left out.
const MIN_SHARE: f64 = 0.4;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What the tool should do, in a few words.
    query: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The best first.
    tools: Vec<Found>,
    /// How many others have to do with it.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// Its name.
    name: &'static str,
    /// What it does, in a sentence.
    description: &'static str,
    /// JSON Schema of its parameters, for the best ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'static Value>,
}

impl Tool for FindTools {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_tools";
    const DESCRIPTION: &'static str = "Find tools that are not listed: git, debugger, code actions, \
        diagnostics, undo and more. Returns names, what they do, and the parameters of the best; call \
        them with `call_tool`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] = &[r#"{"query": "undo an edit"}"#];

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let index = context.session.family::<ToolIndex>();
        let ranked = index.ranked(&params.query);
        let best = ranked.first().map_or(0.0, |(_, score)| *score);
        let count = ranked.iter().filter(|(_, score)| *score >= best * MIN_SHARE).count();
        let found = ranked.iter().take(count.min(MAX_TOOLS)).enumerate();
        let found = found.map(|(rank, (tool, _))| Found {
            name: tool.name,
            description: tool.summary(),
            parameters: (rank < MAX_SCHEMAS).then_some(&tool.listed_schema),
        });
        let found: Vec<_> = found.collect();
        Ok(Output { more: count - found.len(), tools: found })
    }
}
