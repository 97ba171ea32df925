//! `ml_score`: scores a response.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::backend::Connection;
use crate::heuristic::{self, HeuristicScores};
use crate::judge::{self, SemanticScores};
use crate::limits::MAX_PROMPT_BYTES;

pub(crate) struct MlScore;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The original prompt.
    prompt: String,
    /// The response to score.
    response: String,
    /// With commas: `heuristic` counts, without a model; `semantic` lets the model of the setting
    /// `models.judge` judge.
    #[serde(default = "heuristic")]
    suites: String,
}

fn heuristic() -> String {
    "heuristic".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Counts, and scores from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    heuristic: Option<HeuristicScores>,
    /// A model's scores from 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    semantic: Option<SemanticScores>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Suite {
    Heuristic,
    Semantic,
}

impl Params {
    fn check(&self) -> Result<BTreeSet<Suite>, ToolError> {
        let tool = MlScore::NAME;
        let invalid = |why: String| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        for (name, text) in [("prompt", &self.prompt), ("response", &self.response)] {
            if text.trim().is_empty() {
                return Err(invalid(format!("`{name}` is empty")));
            }
            if text.len() > MAX_PROMPT_BYTES / 2 {
                let limit = MAX_PROMPT_BYTES / 2;
                return Err(invalid(format!("`{name}` has more than {limit} bytes")));
            }
        }
        let names = self.suites.split(',').map(str::trim).filter(|name| !name.is_empty());
        let suites = names.map(|name| match name.to_ascii_lowercase().as_str() {
            "heuristic" => Ok(Suite::Heuristic),
            "semantic" => Ok(Suite::Semantic),
            "content" => {
                let message = format!("{tool}: the suite `content` is not supported");
                Err(ToolError::new(Code::Unsupported, message).hint("use `ml_probe`"))
            }
            _ => Err(invalid(format!("there is no suite `{name:.60}`"))
                .hint("`suites` is `heuristic`, `semantic`, or both with a comma")),
        });
        let suites: BTreeSet<Suite> = suites.collect::<Result<_, _>>()?;
        if suites.is_empty() {
            return Err(invalid("`suites` names none".to_owned()).hint("leave it out"));
        }
        Ok(suites)
    }
}

impl Tool for MlScore {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ml_score";
    const DESCRIPTION: &'static str = "Score a model's response to a prompt: by counting (length, repetition, format), or by \
        the judgement of another model. Counting needs no approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    // Runs are recorded in the state folder, which is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"prompt": "Name two planets as a bulleted list.", "response": "- Mars\n- Venus"}"#];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if !params.check()?.contains(&Suite::Semantic) {
            return Ok(Vec::new());
        }
        let backend = judge::backend(context, Self::NAME)?;
        let shown = format!("prompt: {}\nresponse: {}", params.prompt, params.response);
        Ok(vec![backend.effect(&format!("to be judged:\n{shown}"))])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let suites = params.check()?;
        let (prompt, response) = (params.prompt.as_str(), params.response.as_str());
        let semantic = if suites.contains(&Suite::Semantic) {
            let backend = judge::backend(context, Self::NAME)?;
            let connection = Connection::new(context, Self::NAME, &backend)?;
            Some(judge::judge(&connection, prompt, response)?)
        } else {
            None
        };
        let counts = suites.contains(&Suite::Heuristic);
        Ok(Output { heuristic: counts.then(|| heuristic::scores(prompt, response)), semantic })
    }
}
