//! `embed`: the embedding of a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::backend::{Backend, Backends, CONFIGURE, Connection, check_model};
use crate::limits::MAX_EMBEDDED_BYTES;

pub(crate) struct Embed;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    text: String,
    /// `built-in`, or one of the backend instead of its own.
    #[serde(default)]
    model: Option<String>,
    /// Its name in `ml_backends`; without it that of the setting `models.embedding`, if there is
    /// one.
    #[serde(default)]
    backend: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    embedding: Vec<f64>,
    /// The length of `embedding`.
    dimensions: usize,
    model: String,
}

/// The name under which calls choose the built-in model, besides its own.
const BUILT_IN: &str = "built-in";

/// What computes an embedding.
enum Source {
    BuiltIn,
    /// A model of a backend.
    Backend(Box<Backend>, String),
}

impl Source {
    fn of(context: &Context<'_>, params: &Params) -> Result<Self, ToolError> {
        let tool = Embed::NAME;
        check_model(tool, params.model.as_deref())?;
        let invalid = |why: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        if params.text.trim().is_empty() {
            return Err(invalid("`text` is empty"));
        }
        if params.text.len() > MAX_EMBEDDED_BYTES {
            return Err(invalid(&format!("`text` has more than {MAX_EMBEDDED_BYTES} bytes"))
                .hint("embed it in parts"));
        }
        let is_built_in = |model: &str| [BUILT_IN, embedding::MODEL].contains(&model);
        if params.backend.is_none() && params.model.as_deref().is_some_and(is_built_in) {
            return Ok(Self::BuiltIn);
        }
        let settings = context.session.policy.model_settings();
        let Some(name) = params.backend.clone().or(settings.embedding) else {
            let Some(model) = &params.model else { return Ok(Self::BuiltIn) };
            let message = format!(
                "{tool}: there is no backend for the model `{model:.60}`; there is the model `{BUILT_IN}`"
            );
            return Err(ToolError::new(Code::Unavailable, message).hint(format!(
                "leave `model` out, or set `embedding = \"NAME\"` in the table `models`; {CONFIGURE}"
            )));
        };
        let backend = Backends::chosen(context, tool, Some(&name))?;
        let model = params.model.clone().or_else(|| backend.embedding_model.clone());
        let model = model.ok_or_else(|| {
            let message = format!("{tool}: the backend `{name:.60}` has no model for embeddings");
            ToolError::new(Code::Unavailable, message)
                .hint("pass `model`, or set `embedding_model` of the backend in your config.toml")
        })?;
        Ok(Self::Backend(Box::new(backend), model))
    }
}

impl Tool for Embed {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "embed";
    const DESCRIPTION: &'static str = "Compute the embedding of a text, a vector for comparisons of meaning: by the built-in \
        model, which needs no approval, or by a backend of the person's settings.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"text": "where is the retry logic", "model": "built-in"}"#];

    fn text(result: &Value) -> Option<String> {
        let numbers = result["embedding"].as_array().into_iter().flatten();
        let numbers: Vec<String> = numbers.map(Value::to_string).collect();
        Some(format!("{} dimensions\n{}", result["dimensions"], numbers.join(" ")))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(match Source::of(context, params)? {
            Source::BuiltIn => Vec::new(),
            Source::Backend(backend, model) => {
                vec![backend.effect(&format!("model: {model}\ntext: {}", params.text))]
            }
        })
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (backend, model) = match Source::of(context, &params)? {
            Source::Backend(backend, model) => (backend, model),
            Source::BuiltIn => return built_in(&params.text),
        };
        let connection = Connection::new(context, Self::NAME, &backend)?;
        let embedding = connection.embed(&params.text, &model)?;
        Ok(Output::new(&embedding, model))
    }
}

fn built_in(text: &str) -> Result<Output, ToolError> {
    let vector = embedding::embed(text);
    if vector.iter().all(|number| *number == 0.0) {
        let message = format!("{}: the built-in model knows no word of the text", Embed::NAME);
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("embed it by a backend: `embedding` in the table `models` of config.toml"));
    }
    Ok(Output::new(&vector, embedding::MODEL.to_owned()))
}

impl Output {
    fn new(embedding: &[f32], model: String) -> Self {
        Self {
            embedding: embedding.iter().map(short).collect(),
            dimensions: embedding.len(),
            model,
        }
    }
}

/// A number with the digits that it has: as JSON, an `f32` gets ten more, which a model would pay for.
fn short(number: &f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| f64::from(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let output = Output::new(&[0.1, -0.654_902, 1e-30], "m".to_owned());
        let written = serde_json::to_string(&output.embedding).unwrap();
        assert_eq!(written, "[0.1,-0.654902,1e-30]");
    }
}
