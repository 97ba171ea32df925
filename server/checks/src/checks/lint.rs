//! `lint`: runs a linter.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::planned;
use super::request::{Request, default_timeout_ms};
use crate::kinds::{Check, Values};
use crate::result::{Diagnosed, counts, push_diagnostics, push_summary, seconds};

pub(crate) struct Lint;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A file or folder; otherwise the whole project.
    #[serde(default)]
    path: Option<String>,
    /// Repair what the linter can repair by itself.
    #[serde(default)]
    fix: bool,
    /// Which program checks it, if there is a choice.
    #[serde(default)]
    runner: Option<String>,
    /// Allow network access.
    #[serde(default)]
    network: bool,
    /// Timeout in milliseconds, at most 3,600,000.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

impl Tool for Lint {
    type Params = Params;
    type Output = Diagnosed;
    const NAME: &'static str = "lint";
    const DESCRIPTION: &'static str = "Run the project's linter (clippy, ruff, eslint, biome, go vet, shellcheck, …) and return what it \
        says with file, line, code and whether `fix` can repair it. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Network];
    const EXAMPLES: &'static [&'static str] = &["{}", "{\"fix\": true}"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] = &["command", "exit_code"];

    fn text(result: &Value) -> Option<String> {
        let word = if result["success"] == true { "is content" } else { "COMPLAINS" };
        let runner = result["runner"].as_str().unwrap_or_default();
        let mut lines = vec![format!("{runner} {word}: {}, {}", counts(result), seconds(result))];
        push_diagnostics(&mut lines, result);
        push_summary(&mut lines, result);
        Some(lines.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let request = params.request();
        let target = request.target(context)?;
        request.plan(context, &target, params.values())?.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Diagnosed, ToolError> {
        let request = params.request();
        let target = request.target(context)?;
        let plan = request.plan(context, &target, params.values())?;
        let planned::Ran { summary, mut outcome, .. } =
            planned::run(context, &request, &target, &plan, 1)?;
        target.keep_path(&mut outcome.found);
        Ok(Diagnosed::new(summary, &outcome.found))
    }
}

impl Params {
    fn request(&self) -> Request<'_> {
        Request {
            tool: Lint::NAME,
            check: Check::Lint,
            path: self.path.as_deref(),
            runner: self.runner.as_deref(),
            network: self.network,
            timeout_ms: self.timeout_ms,
        }
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        if self.fix {
            values.insert("fix", Vec::new());
        }
        values
    }
}
