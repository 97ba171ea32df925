//! `search_runbooks`: runbooks by their words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Described, Effect, EffectKind, Tool, ToolError, ranked};

use super::{Summary, effects, runbooks};
use crate::library::Document;

pub(crate) struct SearchRunbooks;

/// Largest and default number of results.
const MAX_RESULTS: usize = 50;
const DEFAULT_RESULTS: usize = 5;
/// Lines that are quoted of each runbook, and their length in characters.
const MAX_LINES: usize = 3;
const MAX_LINE_CHARS: usize = 160;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What to look for, in a few words.
    query: String,
    /// Up to 50; 5 by default.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The best first.
    runbooks: Vec<Found>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    #[serde(flatten)]
    summary: Summary,
    /// Lines with words of the query.
    matches: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    /// Its number, 1-based.
    line_number: usize,
    /// Its text.
    line: String,
}

impl Tool for SearchRunbooks {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "search_runbooks";
    const DESCRIPTION: &'static str = "Find runbooks by what they are about. Returns their names, the best \
        first, with lines that match.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("keyword", "query"), ("max_results", "limit")];
    const EXAMPLES: &'static [&'static str] = &[r#"{"query": "release"}"#];

    fn text(result: &Value) -> Option<String> {
        let mut text = Vec::new();
        for runbook in result["runbooks"].as_array()? {
            text.push(format!(
                "{}: {}",
                runbook["name"].as_str().unwrap_or_default(),
                runbook["title"].as_str().unwrap_or_default()
            ));
            for line in runbook["matches"].as_array().into_iter().flatten() {
                let content = line["line"].as_str().unwrap_or_default();
                text.push(format!("  {}: {content}", line["line_number"]));
            }
        }
        Some(if text.is_empty() {
            "no runbook has these words".to_owned()
        } else {
            text.join("\n")
        })
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(effects())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let documents = runbooks(context, Self::NAME)?;
        let limit = params.limit.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        let described: Vec<Described> = documents.iter().map(described).collect();
        let best = ranked(&params.query, &described).into_iter().take(limit);
        let found = best.map(|(index, _)| Found {
            summary: Summary::new(&documents[index]),
            matches: matching_lines(&documents[index].text, &params.query),
        });
        Ok(Output { runbooks: found.collect() })
    }
}

fn described(document: &Document) -> Described {
    Described::default()
        .with(&document.name, 3.0)
        .with(&document.title, 3.0)
        .with(&document.tags.join(" "), 2.0)
        .with(document.description.as_deref().unwrap_or_default(), 1.5)
        .with(&document.text, 0.7)
}

/// The lines that have most words of the query, in the order of the text.
fn matching_lines(text: &str, query: &str) -> Vec<Line> {
    let query = [Described::default().with(query, 1.0)];
    let mut scored: Vec<(usize, &str, f64)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .filter_map(|(at, line)| Some((at, line, ranked(line, &query).first()?.1)))
        .collect();
    scored.sort_by(|one, other| other.2.total_cmp(&one.2));
    scored.truncate(MAX_LINES);
    scored.sort_by_key(|(at, ..)| *at);
    let line = |(at, line, _): (usize, &str, f64)| Line {
        line_number: at + 1,
        line: line.trim().chars().take(MAX_LINE_CHARS).collect(),
    };
    scored.into_iter().map(line).collect()
}
