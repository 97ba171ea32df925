//! `list_llm_models`: the models of the backends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use web::push;

use crate::backend::{Backend, Backends, Connection};
use crate::limits::MAX_MODELS;
use crate::model_list::{self, ListedModel};

pub(crate) struct ListLlmModels;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only of this one; all without it.
    #[serde(default)]
    backend: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    models: Vec<ListedModel>,
    /// Backends that did not answer, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<Unavailable>,
    /// Whether there are more models.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Unavailable {
    backend: String,
    error: String,
}

fn chosen(context: &Context<'_>, params: &Params) -> Result<Vec<Backend>, ToolError> {
    let tool = ListLlmModels::NAME;
    match &params.backend {
        Some(name) => Ok(vec![Backends::chosen(context, tool, Some(name))?]),
        None => Ok(Backends::new(context, tool)?.list),
    }
}

impl Tool for ListLlmModels {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "list_llm_models";
    const DESCRIPTION: &'static str = "List the language models of the person's backends, each with its category: chat, code, \
        reasoning, vision, embedding or others. Needs approval of their hosts.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        for model in result["models"].as_array().into_iter().flatten() {
            let [name, backend, category] =
                ["name", "backend", "category"].map(|f| model[f].as_str().unwrap_or_default());
            push(&mut text, format_args!("{backend} {name} {category}"));
        }
        for backend in result["unavailable"].as_array().into_iter().flatten() {
            push(&mut text, backend["error"].as_str().unwrap_or_default());
        }
        if text.is_empty() {
            push(&mut text, "no models");
        }
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let backends = chosen(context, params)?;
        Ok(backends.iter().map(|backend| backend.effect("list its models")).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let backends = chosen(context, &params)?;
        let (mut models, mut unavailable) = (Vec::new(), Vec::new());
        let mut last = None;
        for backend in &backends {
            let found = Connection::new(context, Self::NAME, backend)
                .and_then(|connection| model_list::models(&connection));
            match found {
                Ok(found) => models.extend(found),
                Err(error) if error.code == Code::Cancelled => return Err(error),
                Err(error) => {
                    let (backend, why) = (backend.name.clone(), error.message.clone());
                    unavailable.push(Unavailable { backend, error: why });
                    last = Some(error);
                }
            }
        }
        // Where none answers, there is no result.
        if let Some(error) = last.filter(|_| unavailable.len() == backends.len()) {
            return Err(error);
        }
        let truncated = models.len() > MAX_MODELS;
        models.truncate(MAX_MODELS);
        Ok(Output { models, unavailable, truncated })
    }
}
