//! `debug_variables`: variables of a frame, or parts of a value.

use ::debug::{ElementPage, Session, Variable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::display::VariableOutput;
use super::failure;
use super::sessions::{request_limits, session};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, clip,
    results::{Lines, items_before, list_at, strings_at},
};

pub(crate) struct DebugVariables;

/// Page size.
const PAGE_SIZE: usize = 100;
/// Longest value, in characters.
const MAX_VALUE_CHARS: usize = 400;
/// Limit for `names`.
const MAX_NAMES: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `reference` of a value, to list its parts; valid until the program continues.
    #[serde(default)]
    reference: Option<i64>,
    /// The frame; by default the newest.
    #[serde(default)]
    frame: Option<i64>,
    /// `locals` (default), `globals`, or a name from the result's `scopes`.
    #[serde(default)]
    scope: Option<String>,
    /// Only names that contain this.
    #[serde(default)]
    filter: Option<String>,
    /// Only these names.
    #[serde(default)]
    names: Vec<String>,
    /// False: names and types only.
    #[serde(default = "super::parameter_defaults::default_true")]
    values: bool,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The variables, in the debugger's order.
    variables: Vec<VariableOutput>,
    /// The frame's scopes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for DebugVariables {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_variables";
    const DESCRIPTION: &'static str = "The variables of a frame of a stopped program, or the parts \
        of a value (`reference`), page by page. `values: false` omits values, `names` selects \
        variables. Secrets are hidden.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if params.names.len() > MAX_NAMES {
            let why = format!("`names` has more than {MAX_NAMES}");
            return Err(failure::invalid(Self::NAME, &why));
        }
        let start = items_before(Self::NAME, params.cursor.as_deref())?;
        let session = session(context, Self::NAME, params.session)?;
        let (references, scopes) = match params.reference {
            Some(reference) => (vec![reference], Vec::new()),
            None => scopes(context, &session, &params)?,
        };
        let is_requested = |variable: &Variable| {
            params.filter.as_ref().is_none_or(|part| variable.name.contains(part.as_str()))
                && (params.names.is_empty() || params.names.contains(&variable.name))
        };
        let is_whole = params.filter.is_none() && params.names.is_empty();
        let mut variables = Vec::new();
        for reference in &references {
            // Ask for one page only if the adapter supports it and everything is wanted.
            let page = (is_whole && references.len() == 1 && params.reference.is_some())
                .then(|| element_page(context, &session, *reference, start))
                .transpose()?
                .flatten();
            if let Some((found, more)) = page {
                return Ok(output(&params, found, scopes, more, start));
            }
            let all = session.variables(*reference, None, request_limits(context));
            let all = all.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
            variables.extend(all.into_iter().filter(is_requested));
        }
        let mut rest = variables.split_off(start.min(variables.len()));
        let more = rest.len() > PAGE_SIZE;
        rest.truncate(PAGE_SIZE);
        Ok(output(&params, rest, scopes, more, start))
    }
}

fn output(
    params: &Params,
    variables: Vec<Variable>,
    scopes: Vec<String>,
    more: bool,
    start: usize,
) -> Output {
    let next_cursor = more.then(|| (start + variables.len()).to_string());
    let shown = |variable: &Variable| match params.values {
        true => VariableOutput::from_variable(variable, MAX_VALUE_CHARS),
        false => VariableOutput::name_only(variable),
    };
    Output { variables: variables.iter().map(shown).collect(), scopes, next_cursor }
}

/// A page of a long value's elements, and whether there are more; `None` if it is not indexed or
/// its adapter does not support paging.
fn element_page(
    context: &Context<'_>,
    session: &Session,
    reference: i64,
    start: usize,
) -> Result<Option<(Vec<Variable>, bool)>, ToolError> {
    let failed = |error| failure::from_debug_error(DebugVariables::NAME, error);
    let is_side_effect_free = |expression: &str| session.is_side_effect_free(expression);
    let found =
        session.elements(reference, start, PAGE_SIZE, is_side_effect_free, request_limits(context));
    if let Some(ElementPage { elements: found, total: of }) = found.map_err(failed)? {
        let more = start + found.len() < of;
        return Ok(Some((found, more)));
    }
    let found = session.variables(reference, Some((start, PAGE_SIZE + 1)), request_limits(context));
    match found {
        Ok(found) if found.is_empty() || found.len() > PAGE_SIZE + 1 => Ok(None),
        Ok(mut found) => {
            let more = found.len() > PAGE_SIZE;
            found.truncate(PAGE_SIZE);
            Ok(Some((found, more)))
        }
        Err(::debug::DebugError::Refused { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// The references of the chosen scope, and the names of all scopes.
fn scopes(
    context: &Context<'_>,
    session: &Session,
    params: &Params,
) -> Result<(Vec<i64>, Vec<String>), ToolError> {
    let tool = DebugVariables::NAME;
    let failed = |error| failure::from_debug_error(tool, error);
    let frame = match params.frame {
        Some(frame) => frame,
        None => top_frame(context, tool, session)?,
    };
    let scopes = session.scopes(frame, request_limits(context)).map_err(failed)?;
    let names: Vec<_> = scopes.iter().map(|scope| clip(&scope.name, 100)).collect();
    let wanted = params.scope.as_deref().unwrap_or("locals");
    let chosen: Vec<_> = scopes
        .iter()
        .filter(|scope| {
            let is_called = scope.name.eq_ignore_ascii_case(wanted);
            is_called || (wanted.eq_ignore_ascii_case("locals") && scope.is_local())
        })
        .map(|scope| scope.variables_reference)
        .collect();
    if chosen.is_empty() && params.scope.is_some() {
        let message = format!("{tool}: the frame has no scope `{wanted:.60}`");
        return Err(
            ToolError::new(Code::NoMatch, message).hint(format!("it has {}", names.join(", ")))
        );
    }
    Ok((chosen, names))
}

/// The newest frame of the stopped thread.
pub(super) fn top_frame(
    context: &Context<'_>,
    tool: &str,
    session: &Session,
) -> Result<i64, ToolError> {
    let found = session.stack(None, 0, 1, request_limits(context));
    let (frames, _) = found.map_err(|error| failure::from_debug_error(tool, error))?;
    frames.first().map(|frame| frame.id).ok_or_else(|| {
        ToolError::new(Code::NoMatch, format!("{tool}: the thread has no frame where it is"))
            .hint("`debug_threads` lists the others")
    })
}

fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    super::display::push_variables(&mut lines, list_at(result, "variables"));
    let scopes = strings_at(result, "scopes");
    if !scopes.is_empty() {
        lines.push(format_args!("[scopes: {}]", scopes.join(", ")));
    }
    lines.push_rest(result);
    lines.finish("no variables")
}
