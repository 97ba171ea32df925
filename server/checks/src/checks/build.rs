//! `build`: builds a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::planned;
use super::request::{Request, default_timeout_ms};
use crate::findings::Diagnostic;
use crate::kinds::{Check, Values};
use crate::result::{Summary, counts, diagnostics, push_diagnostics, push_summary, raw, seconds};

pub(crate) struct Build;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A file or folder of the project: the nearest one around it is built. Needed only if the workspace
    /// has several.
    #[serde(default)]
    path: Option<String>,
    /// What to build of it.
    #[serde(default)]
    target: Option<String>,
    /// Build with optimisation.
    #[serde(default)]
    release: bool,
    /// Features or build tags.
    #[serde(default)]
    features: Vec<String>,
    /// Which program builds it, if there is a choice.
    #[serde(default)]
    runner: Option<String>,
    /// Allow network access, to fetch dependencies.
    #[serde(default)]
    network: bool,
    /// Timeout in milliseconds, at most 3,600,000.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    summary: Summary,
    /// Number of errors.
    errors: u64,
    /// Number of warnings.
    warnings: u64,
    /// What the compilers say, errors first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// Diagnostics that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
    /// Programs that were built.
    artifacts: Vec<String>,
    /// Standard output, cut.
    stdout: String,
    /// Standard error, cut.
    stderr: String,
}

impl Tool for Build {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "build";
    const DESCRIPTION: &'static str = "Build the project and return its errors and warnings with file, \
        line and code. The build tool is found by the project's files (Cargo, Go, npm, CMake, make, \
        Maven, …). Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Network];
    const EXAMPLES: &'static [&'static str] = &["{}", "{\"release\": true}"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] =
        &["command", "exit_code", "artifacts", "stdout", "stderr"];

    fn text(result: &Value) -> Option<String> {
        let word = if result["success"] == true { "built" } else { "DOES NOT BUILD" };
        let mut lines = vec![format!("{word}: {}, {}", counts(result), seconds(result))];
        push_diagnostics(&mut lines, result);
        push_summary(&mut lines, result);
        Some(lines.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let request = params.request();
        let target = request.target(context)?;
        request.plan(context, &target, params.values())?.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let request = params.request();
        let target = request.target(context)?;
        let plan = request.plan(context, &target, params.values())?;
        let planned::Ran { summary, outcome, .. } =
            planned::run(context, &request, &target, &plan, 1)?;
        let (diagnostics, left_out) = diagnostics(&outcome.found);
        Ok(Output {
            summary,
            errors: outcome.found.errors,
            warnings: outcome.found.warnings,
            diagnostics,
            left_out: Some(left_out).filter(|count| *count > 0),
            artifacts: outcome.found.artifacts,
            stdout: raw(&outcome.stdout),
            stderr: raw(&outcome.stderr),
        })
    }
}

impl Params {
    fn request(&self) -> Request<'_> {
        Request {
            tool: Build::NAME,
            check: Check::Build,
            path: self.path.as_deref(),
            runner: self.runner.as_deref(),
            network: self.network,
            timeout_ms: self.timeout_ms,
        }
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        if self.release {
            values.insert("release", Vec::new());
        }
        if !self.features.is_empty() {
            values.insert("features", self.features.clone());
        }
        if let Some(target) = &self.target {
            values.insert("target", vec![target.clone()]);
        }
        values
    }
}
