//! `ml_status`: what models have done.

use std::collections::BTreeMap;

use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::influx::Influx;
use crate::limits::STATUS_DAYS;
use crate::run_log::{self, Run};

pub(crate) struct MlStatus;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// An InfluxDB to report on, too. Needs approval of its host.
    #[serde(default)]
    influx_url: Option<String>,
    /// Its database; `lem` by default.
    #[serde(default)]
    influx_db: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The report, as lines.
    status: String,
    /// The runs of 30 days by backend and model, last used first.
    runs: Vec<ModelRuns>,
    /// Whether older runs were left out, because there are too many.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// The runs of a model.
#[derive(Debug, Default, PartialEq, Serialize, JsonSchema)]
struct ModelRuns {
    backend: String,
    model: String,
    /// Answers of each tool.
    generations: usize,
    probes: usize,
    judgements: usize,
    completions: usize,
    /// Runs without an answer.
    failed: usize,
    /// The time of the last one, RFC 3339.
    last: String,
    prompt_tokens: u64,
    completion_tokens: u64,
    /// Tokens of answers by time of the runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_per_second: Option<f64>,
    #[serde(skip)]
    milliseconds: u64,
}

impl Tool for MlStatus {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ml_status";
    const DESCRIPTION: &'static str = "Report which models were used in the last 30 days: runs, failures, tokens, speed. With \
        `influx_url` also the last points of an InfluxDB, such as the progress of a training.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn text(result: &Value) -> Option<String> {
        result["status"].as_str().map(str::to_owned)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(influx(context, params)?.iter().map(Influx::effect).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let hours = (STATUS_DAYS * 24).hours();
        let since = Timestamp::now().checked_sub(hours).unwrap_or(Timestamp::MIN);
        let page = run_log::since(context, Self::NAME, since)?;
        let runs = by_model(page.records);
        let mut lines = lines(&runs);
        if let Some(influx) = influx(context, &params)? {
            lines.push(influx.report(context, Self::NAME)?);
        }
        Ok(Output { status: lines.join("\n"), runs, truncated: page.is_partial })
    }
}

fn influx(context: &Context<'_>, params: &Params) -> Result<Option<Influx>, ToolError> {
    let (url, database) = (params.influx_url.as_deref(), params.influx_db.as_deref());
    Influx::chosen(context, MlStatus::NAME, url, database)
}

/// Counts runs, which come newest first.
fn by_model(runs: Vec<Run>) -> Vec<ModelRuns> {
    let mut counted: BTreeMap<(String, String), ModelRuns> = BTreeMap::new();
    for run in runs {
        let of = counted.entry((run.backend.clone(), run.model.clone())).or_insert_with(|| {
            let (backend, model) = (run.backend.clone(), run.model.clone());
            ModelRuns { backend, model, ..ModelRuns::default() }
        });
        of.last = of.last.clone().max(run.timestamp);
        if run.error.is_some() {
            of.failed += 1;
            continue;
        }
        match run.tool.as_str() {
            "ml_probe" => of.probes += 1,
            "ml_score" => of.judgements += 1,
            "ml_complete" => of.completions += 1,
            _ => of.generations += 1,
        }
        of.prompt_tokens = of.prompt_tokens.saturating_add(run.prompt_tokens);
        of.completion_tokens = of.completion_tokens.saturating_add(run.answer_tokens);
        of.milliseconds = of.milliseconds.saturating_add(run.milliseconds);
    }
    let mut models: Vec<_> = counted.into_values().collect();
    for of in &mut models {
        #[allow(clippy::cast_precision_loss, reason = "a rate with one decimal")]
        let speed = of.completion_tokens as f64 * 1_000.0 / of.milliseconds as f64;
        of.tokens_per_second = (of.milliseconds > 0).then(|| (speed * 10.0).round() / 10.0);
    }
    models.sort_by(|one, other| other.last.cmp(&one.last));
    models
}

fn lines(runs: &[ModelRuns]) -> Vec<String> {
    if runs.is_empty() {
        return vec![format!("no runs in the last {STATUS_DAYS} days")];
    }
    let mut lines = vec![format!("runs of the last {STATUS_DAYS} days:")];
    lines.extend(runs.iter().map(|of| {
        let counts = [
            (of.generations, "generations"),
            (of.probes, "probes"),
            (of.judgements, "judgements"),
            (of.completions, "completions"),
            (of.failed, "failed"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
        let speed = of.tokens_per_second.map(|speed| format!(", {speed} tokens/s"));
        format!(
            "{} {}: {}, {} + {} tokens{}, last {}",
            of.backend,
            of.model,
            counts.join(", "),
            of.prompt_tokens,
            of.completion_tokens,
            speed.unwrap_or_default(),
            of.last
        )
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_by_model() {
        let run = |tool: &str, time: &str, error: Option<&str>| Run {
            timestamp: format!("2026-01-0{time}T00:00:00Z"),
            tool: tool.to_owned(),
            backend: "b".to_owned(),
            model: "m".to_owned(),
            error: error.map(str::to_owned),
            prompt_tokens: 10,
            answer_tokens: 30,
            milliseconds: 2_000,
        };
        let mut runs = vec![
            run("ml_score", "4", None),
            run("ml_probe", "3", None),
            run("ml_generate", "2", None),
            run("ml_generate", "1", Some("E_TIMEOUT")),
        ];
        runs.push(Run { model: "other".to_owned(), ..run("ml_generate", "5", None) });
        let found = by_model(runs);
        assert_eq!(
            lines(&found),
            [
                "runs of the last 30 days:",
                "b other: 1 generations, 10 + 30 tokens, 15 tokens/s, last 2026-01-05T00:00:00Z",
                "b m: 1 generations, 1 probes, 1 judgements, 1 failed, 30 + 90 tokens, 15 tokens/s, last \
                 2026-01-04T00:00:00Z",
            ]
        );
        assert_eq!(lines(&[]), ["no runs in the last 30 days"]);
    }
}
