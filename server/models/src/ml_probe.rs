//! `ml_probe`: asks a model what it can do.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use web::{push, push_marked};

use crate::backend::{Backends, Connection, check_model};
use crate::chat::Chat;
use crate::limits::{MAX_PROBE_RESPONSE_BYTES, MAX_PROBE_SECS};
use crate::ml_generate::MODEL_TEXT;
use crate::probes::of_categories;

pub(crate) struct MlProbe;

/// The same for all probes, so that runs can be compared.
const TEMPERATURE: f64 = 0.7;
const MAX_TOKENS: u64 = 2_048;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its name in `ml_backends`; the default one without it.
    #[serde(default)]
    backend: Option<String>,
    /// Instead of the backend's own.
    #[serde(default)]
    model: Option<String>,
    /// With commas: arithmetic, logic, code, instructions, extraction, language, honesty. All without it.
    #[serde(default)]
    categories: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Number of probes.
    total: usize,
    results: Vec<ProbeResult>,
    /// What the responses are.
    content_is: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ProbeResult {
    id: String,
    category: String,
    /// The model's response, or `error: ` and why there is none.
    response: String,
}

impl Tool for MlProbe {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ml_probe";
    const DESCRIPTION: &'static str = "Give a model some 20 small tasks (arithmetic, logic, code, instructions, extraction, \
        language, honesty) and return its responses for you to judge. Needs approval of the backend's host; takes \
        minutes.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    // Runs are recorded in the state folder, which is outside the workspace.
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        let mut responses = String::new();
        for probe in result["results"].as_array().into_iter().flatten() {
            let [id, response] = ["id", "response"].map(|f| probe[f].as_str().unwrap_or_default());
            push(&mut responses, format_args!("{id}: {response}\n"));
        }
        let mut text = String::new();
        push_marked(&mut text, &responses, MODEL_TEXT, "end of the model's text");
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check_model(Self::NAME, params.model.as_deref())?;
        let probes = of_categories(Self::NAME, params.categories.as_deref())?;
        let backend = Backends::chosen(context, Self::NAME, params.backend.as_deref())?;
        let model =
            params.model.as_deref().or(backend.model.as_deref()).unwrap_or("its only model");
        Ok(vec![backend.effect(&format!("model: {model}\n{} probes", probes.len()))])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let started = Instant::now();
        let probes = of_categories(Self::NAME, params.categories.as_deref())?;
        let backend = Backends::chosen(context, Self::NAME, params.backend.as_deref())?;
        let connection = Connection::new(context, Self::NAME, &backend)?;
        let mut results = Vec::with_capacity(probes.len());
        for (index, probe) in probes.iter().enumerate() {
            let done =
                format!("{}: {} ({} of {})", backend.name, probe.id, index + 1, probes.len());
            context.editor.progress(&done);
            let chat = Chat {
                prompt: &probe.prompt,
                suffix: None,
                model: params.model.as_deref(),
                temperature: Some(TEMPERATURE),
                max_tokens: Some(MAX_TOKENS),
            };
            let response = if started.elapsed() > Duration::from_secs(MAX_PROBE_SECS) {
                format!("error: the {MAX_PROBE_SECS} s for all probes are over")
            } else {
                match connection.chat(&chat) {
                    Ok(reply) => bounded(reply.text),
                    Err(error) if error.code == Code::Cancelled => return Err(error),
                    Err(error) => format!("error: {}", error.message),
                }
            };
            let (id, category) = (probe.id.clone(), probe.category.clone());
            results.push(ProbeResult { id, category, response });
        }
        Ok(Output { total: results.len(), results, content_is: MODEL_TEXT })
    }
}

fn bounded(mut response: String) -> String {
    if response.len() > MAX_PROBE_RESPONSE_BYTES {
        let end = response.floor_char_boundary(MAX_PROBE_RESPONSE_BYTES);
        let left_out = response.len() - end;
        response.truncate(end);
        response.push_str(&format!("\n[left out: {left_out} bytes]"));
    }
    response
}
