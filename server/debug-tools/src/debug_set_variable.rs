//! `debug_set_variable`: changes a variable of a stopped program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::debug_evaluate::code_in_program;
use super::debug_variables::top_frame;
use super::display;
use super::failure;
use super::sessions::{request_limits, session, wait_limits};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugSetVariable;

/// Longest value, in bytes.
const MAX_VALUE_BYTES: usize = 20_000;
/// Longest timeout, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 30_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The variable's name, from `debug_variables`.
    name: String,
    /// The new value, as source code.
    value: String,
    /// `reference` of the value that contains it; by default the frame's locals.
    #[serde(default)]
    reference: Option<i64>,
    /// The frame; by default the newest.
    #[serde(default)]
    frame: Option<i64>,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The variable's name.
    name: String,
    /// Its new value.
    value: String,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

impl Tool for DebugSetVariable {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_set_variable";
    const DESCRIPTION: &'static str = "Change a variable of a stopped program. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.name.is_empty() || params.name.len() + params.value.len() > MAX_VALUE_BYTES {
            let why = format!("`name` and `value` must have {MAX_VALUE_BYTES} bytes at most");
            return Err(failure::invalid(Self::NAME, &why));
        }
        let session = session(context, Self::NAME, params.session)?;
        let code = format!("{} = {}", params.name, params.value);
        Ok(vec![code_in_program(session.title(), session.id(), &code)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let failed = |error| failure::from_debug_error(Self::NAME, error);
        let references = match params.reference {
            Some(reference) => vec![reference],
            None => {
                let frame = match params.frame {
                    Some(frame) => frame,
                    None => top_frame(context, Self::NAME, &session)?,
                };
                let scopes = session.scopes(frame, request_limits(context)).map_err(failed)?;
                let local = scopes.iter().filter(|scope| scope.is_local());
                local.map(|scope| scope.variables_reference).collect()
            }
        };
        for reference in references {
            let held =
                session.variables(reference, None, request_limits(context)).map_err(failed)?;
            if !held.iter().any(|variable| variable.name == params.name) {
                continue;
            }
            let patience = wait_limits(context, MAX_TIMEOUT_MS);
            let set = session.set_variable(reference, &params.name, &params.value, patience);
            let set = set.map_err(failed)?;
            return Ok(Output {
                value: display::redact_value(&params.name, &set.value, MAX_VALUE_BYTES),
                kind: set.kind,
                name: params.name,
            });
        }
        let message = format!("{}: there is no variable `{:.80}`", Self::NAME, params.name);
        Err(ToolError::new(Code::NoMatch, message).hint("`debug_variables` lists them"))
    }
}
