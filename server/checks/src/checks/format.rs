//! `format`: runs a formatter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::planned;
use super::request::{Request, default_timeout_ms};
use crate::findings::Diagnostic;
use crate::kinds::{Check, Values};
use crate::result::{Summary, diagnostics, files, push_diagnostics, push_summary, seconds};

pub(crate) struct Format;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A file or folder; otherwise the whole project.
    #[serde(default)]
    path: Option<String>,
    /// Change nothing, and list the files that are not formatted.
    #[serde(default)]
    check: bool,
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

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    summary: Summary,
    /// Files that were changed, as far as the formatter lists them; with `check`, those that would be.
    files: Vec<String>,
    /// Why some cannot be formatted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// Files that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

impl Tool for Format {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "format";
    const DESCRIPTION: &'static str = "Format a whole project, a folder or a file on disk with the project's formatter; `check` only lists \
        the files that would change. For one file that is open, prefer `format_file`, which can be \
        undone. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Network];
    const EXAMPLES: &'static [&'static str] = &["{\"check\": true}"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] = &["command", "exit_code"];

    fn text(result: &Value) -> Option<String> {
        let files: Vec<&str> =
            result["files"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let runner = result["runner"].as_str().unwrap_or_default();
        let word = if result["success"] == true { "" } else { "FAILED, " };
        let mut lines = vec![format!("{runner}: {word}{} files, {}", files.len(), seconds(result))];
        lines.extend(files.iter().map(|file| (*file).to_owned()));
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
        let planned::Ran { summary, mut outcome, .. } =
            planned::run(context, &request, &target, &plan, 1)?;
        target.keep_path(&mut outcome.found);
        let (diagnostics, _) = diagnostics(&outcome.found);
        let (files, left_out) = files(&outcome.found);
        Ok(Output {
            summary,
            files,
            diagnostics,
            left_out: Some(left_out).filter(|count| *count > 0),
        })
    }
}

impl Params {
    fn request(&self) -> Request<'_> {
        Request {
            tool: Format::NAME,
            check: Check::Format,
            path: self.path.as_deref(),
            runner: self.runner.as_deref(),
            network: self.network,
            timeout_ms: self.timeout_ms,
        }
    }

    fn values(&self) -> Values {
        let mut values = Values::new();
        values.insert(if self.check { "check" } else { "write" }, Vec::new());
        values
    }
}
