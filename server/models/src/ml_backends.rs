//! `ml_backends`: the servers of models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::backend::{Backends, Connection};
use crate::model_list;

pub(crate) struct MlBackends;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    backends: Vec<BackendState>,
    /// The name of the backend of calls that name none.
    default: String,
}

#[derive(Serialize, JsonSchema)]
struct BackendState {
    name: String,
    /// Whether it answers now, with or without a list of its models.
    available: bool,
    /// `openai` or `ollama`.
    kind: &'static str,
    url: String,
    /// Its default model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// How many models it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<usize>,
    /// Why it has no list of models.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Tool for MlBackends {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ml_backends";
    const DESCRIPTION: &'static str = "List the servers of language models in the person's settings, and whether each answers. \
        Without settings a local Ollama is looked for. Needs approval of their hosts.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let all = Backends::new(context, Self::NAME)?;
        Ok(all.list.iter().map(|backend| backend.effect("list its models")).collect())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let all = Backends::new(context, Self::NAME)?;
        let mut backends = Vec::with_capacity(all.list.len());
        for backend in &all.list {
            context.editor.progress(&backend.name);
            let models = Connection::new(context, Self::NAME, backend)
                .and_then(|connection| model_list::models(&connection));
            let (available, models, error) = match models {
                Ok(models) => (true, Some(models.len()), None),
                Err(error) if error.code == Code::Cancelled => return Err(error),
                Err(error) => {
                    // Some servers have no list.
                    let status =
                        error.details.as_ref().and_then(|details| details["status"].as_u64());
                    (matches!(status, Some(404 | 405)), None, Some(error.message))
                }
            };
            backends.push(BackendState {
                name: backend.name.clone(),
                available,
                kind: backend.kind(),
                url: backend.shown_url(),
                model: backend.model.clone(),
                models,
                error,
            });
        }
        Ok(Output { backends, default: all.default })
    }
}
