//! `debug_variables`: variables of a frame, or parts of a value.

use ::debug::{ElementPage, Session, Variable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure;
use super::running::{at_once, session};
use super::shown::{self, Value};
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugVariables;

/// Page size.
const PAGE: usize = 100;
/// Longest value, in characters.
const LONGEST_VALUE: usize = 400;
/// Limit for `names`.
const MOST_NAMES: usize = 100;

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
    #[serde(default = "super::wanted::yes")]
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
    variables: Vec<Value>,
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

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if params.names.len() > MOST_NAMES {
            let why = format!("`names` has more than {MOST_NAMES}");
            return Err(failure::invalid(Self::NAME, &why));
        }
        let start = shown::cursor(Self::NAME, params.cursor.as_deref())?;
        let session = session(context, Self::NAME, params.session)?;
        let (references, scopes) = match params.reference {
            Some(reference) => (vec![reference], Vec::new()),
            None => scopes(context, &session, &params)?,
        };
        let is_wanted = |variable: &Variable| {
            params.filter.as_ref().is_none_or(|part| variable.name.contains(part.as_str()))
                && (params.names.is_empty() || params.names.contains(&variable.name))
        };
        let is_whole = params.filter.is_none() && params.names.is_empty();
        let mut variables = Vec::new();
        for reference in &references {
            // Ask for one page only if the adapter supports it and everything is wanted.
            let page = (is_whole && references.len() == 1 && params.reference.is_some())
                .then(|| elements(context, &session, *reference, start))
                .transpose()?
                .flatten();
            if let Some((found, more)) = page {
                return Ok(told(&params, found, scopes, more, start));
            }
            let all = session.variables(*reference, None, at_once(context));
            let all = all.map_err(|error| failure::of(Self::NAME, error))?;
            variables.extend(all.into_iter().filter(is_wanted));
        }
        let mut rest = variables.split_off(start.min(variables.len()));
        let more = rest.len() > PAGE;
        rest.truncate(PAGE);
        Ok(told(&params, rest, scopes, more, start))
    }
}

fn told(
    params: &Params,
    variables: Vec<Variable>,
    scopes: Vec<String>,
    more: bool,
    start: usize,
) -> Output {
    let next_cursor = more.then(|| (start + variables.len()).to_string());
    let shown = |variable: &Variable| match params.values {
        true => Value::of(variable, LONGEST_VALUE),
        false => Value::name_of(variable),
    };
    Output { variables: variables.iter().map(shown).collect(), scopes, next_cursor }
}

/// A page of a long value's elements, and whether there are more; `None` if it is not indexed or
/// its adapter does not support paging.
fn elements(
    context: &Context<'_>,
    session: &Session,
    reference: i64,
    start: usize,
) -> Result<Option<(Vec<Variable>, bool)>, ToolError> {
    let failed = |error| failure::of(DebugVariables::NAME, error);
    let only_looks = |expression: &str| session.is_side_effect_free(expression);
    let found = session.elements(reference, start, PAGE, only_looks, at_once(context));
    if let Some(ElementPage { elements: found, total: of }) = found.map_err(failed)? {
        let more = start + found.len() < of;
        return Ok(Some((found, more)));
    }
    let found = session.variables(reference, Some((start, PAGE + 1)), at_once(context));
    match found {
        Ok(found) if found.is_empty() || found.len() > PAGE + 1 => Ok(None),
        Ok(mut found) => {
            let more = found.len() > PAGE;
            found.truncate(PAGE);
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
    let failed = |error| failure::of(tool, error);
    let frame = match params.frame {
        Some(frame) => frame,
        None => newest(context, tool, session)?,
    };
    let scopes = session.scopes(frame, at_once(context)).map_err(failed)?;
    let names: Vec<_> = scopes.iter().map(|scope| shown::clipped(&scope.name, 100)).collect();
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
pub(super) fn newest(
    context: &Context<'_>,
    tool: &str,
    session: &Session,
) -> Result<i64, ToolError> {
    let found = session.stack(None, 0, 1, at_once(context));
    let (frames, _) = found.map_err(|error| failure::of(tool, error))?;
    frames.first().map(|frame| frame.id).ok_or_else(|| {
        ToolError::new(Code::NoMatch, format!("{tool}: the thread has no frame where it is"))
            .hint("`debug_threads` lists the others")
    })
}
