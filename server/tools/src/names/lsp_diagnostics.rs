//! `lsp_diagnostics`: what is wrong with a file's syntax.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::{document, syntax_errors, syntax_warnings};
use super::range::Range;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspDiagnostics;

/// Most diagnostics of one result.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    uri: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What is wrong, in order of place.
    diagnostics: Vec<Diagnostic>,
    /// True where there is more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Diagnostic {
    /// Where it is, 0-based.
    range: Range,
    /// The 1-based line of that.
    line: usize,
    /// `error` or `warning`.
    severity: &'static str,
    /// What is wrong.
    message: String,
    /// Who says so.
    source: &'static str,
}

impl Tool for LspDiagnostics {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_diagnostics";
    const DESCRIPTION: &'static str = "The syntax errors of a file, of its unsaved text where it \
        is open, and what JSON allows but no reader agrees on (a name twice in one object), as a \
        warning. No compiler is run: what only a compiler would find is not among them.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "uri"), ("file", "uri"), ("file_path", "uri")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.uri)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let document = document(Self::NAME, &context.snapshot, &params.uri)?;
        let (errors, mut truncated) = syntax_errors(Self::NAME, context, &document, MOST)?;
        let room = MOST - errors.len();
        let mut warnings = syntax_warnings(context, &document, room + 1);
        truncated |= warnings.len() > room;
        warnings.truncate(room);
        let encoding = context.editor.encoding();
        let shown = |span, message, severity| {
            let range = Range::of(document.text(), span, encoding);
            Diagnostic { range, line: range.line(), severity, message, source: "tandem" }
        };
        let errors = errors.into_iter().map(|e| shown(e.span, e.message, "error"));
        let warnings = warnings.into_iter().map(|w| shown(w.span, w.message, "warning"));
        Ok(Output { diagnostics: errors.chain(warnings).collect(), truncated })
    }
}
