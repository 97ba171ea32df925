//! `build_list`: the kept runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::{Run, line};
use crate::history::{History, Record};
use crate::kinds::Check;

pub(crate) struct BuildList;

/// Runs listed without a limit.
const DEFAULT_LIMIT: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only runs of this check.
    #[serde(default)]
    check: Option<Check>,
    /// Only runs of the project in this folder.
    #[serde(default)]
    project: Option<String>,
    /// Most runs, the newest first.
    #[serde(default = "limit")]
    limit: usize,
}

fn limit() -> usize {
    DEFAULT_LIMIT
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The runs, the newest first.
    builds: Vec<Run>,
}

impl Tool for BuildList {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "build_list";
    const DESCRIPTION: &'static str = "List the recent runs of `build`, `test`, `lint`, `typecheck` and \
        `format` in this workspace, the newest first. `build_status` returns one whole.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("max_results", "limit"), ("repo", "project")];
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"check": "test", "limit": 5}"#];

    fn text(result: &Value) -> Option<String> {
        let lines: Vec<String> = result["builds"].as_array()?.iter().map(line).collect();
        Some(if lines.is_empty() { "nothing has run".to_owned() } else { lines.join("\n") })
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let history = History::open(context, Self::NAME)?;
        let records = history.ids().into_iter().filter_map(|id| history.record(id));
        let is_wanted = |record: &Record| {
            params.check.is_none_or(|check| check == record.check)
                && params.project.as_ref().is_none_or(|project| *project == record.project)
        };
        let builds =
            records.filter(is_wanted).take(params.limit).map(|one| Run::new(context, &one));
        Ok(Output { builds: builds.collect() })
    }
}
