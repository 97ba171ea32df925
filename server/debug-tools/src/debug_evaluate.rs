//! `debug_evaluate`: evaluates an expression in a stopped program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::debug_variables::top_frame;
use super::display::VariableOutput;
use super::failure;
use super::sessions::{session, wait_limits};
use tools::{
    Context, Effect, EffectKind, Target, Tool, ToolError,
    audit::redact,
    clip,
    results::{Lines, str_at},
};

pub(crate) struct DebugEvaluate;

/// Longest expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 20_000;
/// Longest value, in characters.
const MAX_VALUE_CHARS: usize = 1_000;
/// Longest timeout, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 600_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The expression, in the program's language.
    expression: String,
    /// The frame; by default the newest.
    #[serde(default)]
    frame: Option<i64>,
    /// `watch` (default) and `hover` evaluate expressions; `repl` also runs statements and
    /// debugger commands.
    #[serde(default)]
    context: EvaluationContext,
    /// Timeout in milliseconds: 10,000 by default, at most 600,000. The program may go on
    /// computing after it.
    #[serde(default = "super::parameter_defaults::default_wait_ms")]
    timeout_ms: u64,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EvaluationContext {
    #[default]
    Watch,
    Hover,
    Repl,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The value; hidden if it looks like a secret.
    result: String,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// `reference` for `debug_variables`, to list its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<i64>,
    /// Its number of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i64>,
    /// `address` for `debug_memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
}

/// The effect of running the caller's code in a program.
pub(super) fn code_in_program(title: &str, session: u64, code: &str) -> Effect {
    Effect {
        kind: EffectKind::Execute,
        target: Target::Named(format!("code in debug session {session}: {title}")),
        detail: Some(code.to_owned()),
    }
}

impl Tool for DebugEvaluate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_evaluate";
    const DESCRIPTION: &'static str = "Evaluate an expression in a frame of a stopped program. \
        Reading expressions (names, members, comparisons) run at once; calls and side effects need \
        approval. Secrets are hidden.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.expression.trim().is_empty() || params.expression.len() > MAX_EXPRESSION_BYTES {
            let why = format!("`expression` must have from 1 to {MAX_EXPRESSION_BYTES} bytes");
            return Err(failure::invalid(Self::NAME, &why));
        }
        if params.timeout_ms == 0 || params.timeout_ms > MAX_TIMEOUT_MS {
            let why = format!("`timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}");
            return Err(failure::invalid(Self::NAME, &why));
        }
        let session = session(context, Self::NAME, params.session)?;
        if params.context != EvaluationContext::Repl
            && session.is_side_effect_free(&params.expression)
        {
            return Ok(Vec::new());
        }
        Ok(vec![code_in_program(session.title(), session.id(), &params.expression)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let frame = match params.frame {
            Some(frame) => frame,
            None => top_frame(context, Self::NAME, &session)?,
        };
        let what_for = match params.context {
            EvaluationContext::Watch => "watch",
            EvaluationContext::Hover => "hover",
            EvaluationContext::Repl => "repl",
        };
        let patience = wait_limits(context, params.timeout_ms);
        let found = session.evaluate(&params.expression, Some(frame), what_for, patience);
        let mut found = found.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
        // The last part of the expression names the value.
        let parts = params.expression.rsplit(['.', '>', ':', '[']);
        let name =
            parts.map(|part| part.trim_matches([']', '"', '\'', ' '])).find(|n| !n.is_empty());
        found.name = name.unwrap_or_default().to_owned();
        let value = VariableOutput::from_variable(&found, MAX_VALUE_CHARS);
        let result = value.value.unwrap_or_else(|| redact(&clip(&found.value, MAX_VALUE_CHARS)));
        Ok(Output {
            result,
            kind: value.kind,
            reference: value.reference,
            count: value.count,
            memory: found.memory_reference,
        })
    }
}

fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    lines.push_text(str_at(result, "result"));
    if let Some(reference) = result["reference"].as_i64() {
        lines.push(format_args!("[reference {reference}]"));
    }
    if let Some(address) = result["memory"].as_str() {
        lines.push(format_args!("[memory {address}]"));
    }
    lines.finish("")
}
