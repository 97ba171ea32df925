//! `build_status`: one kept run with everything that was found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::{Run, line};
use crate::findings::Diagnostic;
use crate::history::History;
use crate::result::{FailedTest, all_failed_tests, push_diagnostics, push_failures};

pub(crate) struct BuildStatus;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The id of the run; the last one without it.
    #[serde(default)]
    id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    run: Run,
    /// The command.
    command: String,
    /// What failed, at most 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailedTest>,
    /// Its diagnostics, at most 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
}

impl Tool for BuildStatus {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "build_status";
    const DESCRIPTION: &'static str = "Return one kept run of `build`, `test`, `lint`, `typecheck` or \
        `format` with all failures and diagnostics, also those that its own result left out.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("run", "id"), ("build_id", "id"), ("buildId", "id")];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![line(result)];
        push_failures(&mut lines, result);
        push_diagnostics(&mut lines, result);
        Some(lines.join("\n"))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let history = History::open(context, Self::NAME)?;
        let record = history.find(params.id.as_deref())?;
        Ok(Output {
            run: Run::new(context, &record),
            command: record.command,
            failures: all_failed_tests(&record.failures),
            diagnostics: record.diagnostics,
        })
    }
}
