//! `lsp_diagnostics`: syntax errors of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name_location::{document, syntax_errors, syntax_warnings};
use super::range::Range;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, list_at, number_at, str_at},
};

pub(crate) struct LspDiagnostics;

/// Limit for the diagnostics of one result.
const MAX_DIAGNOSTICS: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    uri: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The diagnostics, sorted by position.
    diagnostics: Vec<Diagnostic>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Diagnostic {
    /// The range, 0-based.
    range: Range,
    /// Its 1-based line.
    line: usize,
    /// `error` or `warning`.
    severity: &'static str,
    /// The message.
    message: String,
    /// What reports it.
    source: &'static str,
}

impl Tool for LspDiagnostics {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_diagnostics";
    const DESCRIPTION: &'static str = "Syntax errors of a file, unsaved text included, and \
        duplicate keys in JSON objects (warnings). No compiler is run; `get_diagnostics` also \
        reports names and imports.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "uri"), ("file", "uri"), ("file_path", "uri")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.uri)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let document = document(Self::NAME, &context.snapshot, &params.uri)?;
        let (errors, mut truncated) =
            syntax_errors(Self::NAME, context, &document, MAX_DIAGNOSTICS)?;
        let room = MAX_DIAGNOSTICS - errors.len();
        let mut warnings = syntax_warnings(context, &document, room + 1);
        truncated |= warnings.len() > room;
        warnings.truncate(room);
        let encoding = context.editor.encoding();
        let shown = |span, message, severity| {
            let range = Range::from_span(document.text(), span, encoding);
            Diagnostic { range, line: range.line(), severity, message, source: "tandem" }
        };
        let errors = errors.into_iter().map(|e| shown(e.span, e.message, "error"));
        let warnings = warnings.into_iter().map(|w| shown(w.span, w.message, "warning"));
        Ok(Output { diagnostics: errors.chain(warnings).collect(), truncated })
    }
}

/// The diagnostics as lines: `line: severity: message`.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for one in list_at(result, "diagnostics") {
        let (line, severity) = (number_at(one, "line"), str_at(one, "severity"));
        lines.push(format_args!("{line}: {severity}: {}", str_at(one, "message")));
    }
    lines.push_rest(result);
    lines.finish("no problems found")
}
