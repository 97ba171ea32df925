//! `debug_variables`: what a frame or a value holds.

use ::debug::{Elements, Session, Variable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure;
use super::running::{at_once, session};
use super::shown::{self, Value};
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugVariables;

/// Variables of one result.
const PAGE: usize = 100;
/// Longest value, in characters.
const LONGEST_VALUE: usize = 400;
/// Most names that values are asked for by.
const MOST_NAMES: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What a value holds: its `reference`, good until the program goes on.
    #[serde(default)]
    reference: Option<i64>,
    /// The frame; the newest one by default.
    #[serde(default)]
    frame: Option<i64>,
    /// The group of the frame's variables: `locals` (the default), `globals`, or as the result's
    /// `scopes` name it.
    #[serde(default)]
    scope: Option<String>,
    /// Only names that hold this.
    #[serde(default)]
    filter: Option<String>,
    /// Only these names.
    #[serde(default)]
    names: Vec<String>,
    /// False gives names and types alone.
    #[serde(default = "super::wanted::yes")]
    values: bool,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
    /// The debug session, where several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The variables, in the debugger's order.
    variables: Vec<Value>,
    /// The groups that the frame's variables are in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for DebugVariables {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_variables";
    const DESCRIPTION: &'static str = "The variables of a frame of a stopped program, or what one \
        of them holds (`reference`), page by page. `values: false` gives names and types, \
        `names` the values that are wanted. Values that look like secrets are not shown.";
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
            // Asked for by the page: adapters that cannot give all that there is.
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

/// A page of the elements of a long value, and whether there are more; `None` where it is none, or
/// its adapter gives pages to nobody.
fn elements(
    context: &Context<'_>,
    session: &Session,
    reference: i64,
    start: usize,
) -> Result<Option<(Vec<Variable>, bool)>, ToolError> {
    let failed = |error| failure::of(DebugVariables::NAME, error);
    let only_looks = |expression: &str| session.only_looks(expression);
    let found = session.elements(reference, start, PAGE, only_looks, at_once(context));
    if let Some(Elements { found, of }) = found.map_err(failed)? {
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

/// What the wanted scope of the wanted frame is asked for by, and the names of all its scopes.
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

/// The newest frame of the thread that stopped.
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
