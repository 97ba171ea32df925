//! Breakpoints without a line: functions by the debugger's name, exceptions, data.

use ::debug::{BreakpointCondition, ExceptionBreakpoint, SessionPhase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breakpoint::running;
use super::running::{at_once, debugging, session};
use super::{failure, shown};
use crate::{Context, ToolError};

/// Limits: bytes of a name or condition, and exception filters of one call.
const LONGEST: usize = 10_000;
const MOST: usize = 100;

/// An exception filter.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedException {
    /// The debugger's name of the filter, from a list: `raised`, `uncaught`, `panic`.
    filter: String,
    /// Only if this is true; depends on the debugger.
    #[serde(default)]
    pub(super) condition: Option<String>,
}

/// A data breakpoint.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedData {
    /// The variable, or an expression.
    name: String,
    /// `reference` of the value that contains it.
    #[serde(default)]
    reference: Option<i64>,
    /// `write` (default), `read` or `readWrite`.
    #[serde(default = "write")]
    access: String,
}

fn write() -> String {
    "write".to_owned()
}

/// All breakpoints without a line.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct Stops {
    /// Functions, by the debugger's name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    functions: Vec<ShownFunction>,
    /// The exception filters of the running debuggers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exceptions: Vec<ShownException>,
    /// Data breakpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    data: Vec<ShownData>,
}

#[derive(Serialize, JsonSchema)]
struct ShownFunction {
    /// Its id.
    id: u64,
    /// The function.
    function_name: String,
    /// Whether a program will stop there.
    verified: bool,
    /// The line where it stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Why it will not.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ShownException {
    /// The debugger's name of the filter.
    filter: String,
    /// Its label.
    label: String,
    /// Whether it is enabled.
    on: bool,
    /// The debugger's session.
    session: u64,
}

#[derive(Serialize, JsonSchema)]
struct ShownData {
    /// Its id.
    id: u64,
    /// What is watched.
    what: String,
    /// `write`, `read` or `readWrite`.
    access: String,
    /// The program's session.
    session: u64,
}

impl Stops {
    /// The current ones.
    pub(super) fn all(context: &Context<'_>) -> Self {
        let breakpoints = debugging(context).breakpoints();
        let sessions = running(context);
        let wanted = breakpoints.exceptions();
        let mut stops = Self::default();
        for one in breakpoints.functions() {
            let told =
                sessions.iter().filter_map(|session| session.breakpoint_bindings().remove(&one.id));
            let told = told.max_by_key(|bound| bound.verified);
            let nothing = || Some("no program is being debugged".to_owned());
            stops.functions.push(ShownFunction {
                id: one.id,
                function_name: shown::clipped(&one.name, 300),
                verified: told.as_ref().is_some_and(|bound| bound.verified),
                line: told.as_ref().and_then(|bound| bound.line),
                message: told.map_or_else(nothing, |bound| bound.message),
            });
        }
        for session in sessions {
            let id = session.id();
            stops.exceptions.extend(
                session.capabilities().exception_breakpoint_filters.iter().map(|filter| {
                    let is_wanted = |all: &Vec<ExceptionBreakpoint>| {
                        all.iter().any(|one| one.filter == filter.filter)
                    };
                    ShownException {
                        filter: filter.filter.clone(),
                        label: shown::clipped(&filter.label, 100),
                        on: wanted.as_ref().map_or(filter.default, is_wanted),
                        session: id,
                    }
                }),
            );
            stops.data.extend(session.data().into_iter().map(|one| ShownData {
                id: one.id,
                what: shown::clipped(&one.what, 200),
                access: one.access,
                session: id,
            }));
        }
        stops
    }
}

/// Sets a function breakpoint, by the debugger's name.
pub(super) fn set_function(
    context: &Context<'_>,
    tool: &str,
    name: &str,
    condition: BreakpointCondition,
) -> Result<(), ToolError> {
    if name.is_empty() || name.len() > LONGEST {
        return Err(failure::invalid(tool, "`function_name` is empty or too long"));
    }
    let set = debugging(context).breakpoints().set_function(name, condition);
    set.ok_or_else(|| failure::invalid(tool, "there are too many function breakpoints"))?;
    tell_functions(context);
    Ok(())
}

/// Sends the function breakpoints to the running sessions.
pub(super) fn tell_functions(context: &Context<'_>) {
    for session in running(context) {
        if let Err(error) = session.send_function_breakpoints(at_once(context)) {
            tracing::debug!("functions: {error}");
        }
    }
}

/// Enables exception filters.
pub(super) fn set_exceptions(
    context: &Context<'_>,
    tool: &str,
    wanted: &[WantedException],
) -> Result<(), ToolError> {
    let long = |one: &WantedException| {
        one.filter.len() + one.condition.as_ref().map_or(0, String::len) > LONGEST
    };
    if wanted.len() > MOST || wanted.iter().any(long) {
        return Err(failure::invalid(tool, "`exceptions` are too many or too long"));
    }
    let all = wanted.iter().map(|one| ExceptionBreakpoint {
        filter: one.filter.clone(),
        condition: one.condition.clone(),
    });
    let sessions = running(context);
    let known: Vec<_> = sessions
        .iter()
        .flat_map(|session| &session.capabilities().exception_breakpoint_filters)
        .map(|filter| filter.filter.as_str())
        .collect();
    if let Some(unknown) = wanted.iter().find(|one| !known.contains(&one.filter.as_str()))
        && !sessions.is_empty()
    {
        let why = format!("no running debugger has the exception filter `{:.60}`", unknown.filter);
        return Err(failure::invalid(tool, &why).hint(format!("known are {}", known.join(", "))));
    }
    debugging(context).breakpoints().set_exceptions(Some(all.collect()));
    for session in sessions {
        let set = session.send_exception_breakpoints(at_once(context));
        set.map_err(|error| failure::of(tool, error))?;
    }
    Ok(())
}

/// Sets a data breakpoint.
pub(super) fn set_data(
    context: &Context<'_>,
    tool: &str,
    wanted: &WantedData,
    of: Option<u64>,
) -> Result<(), ToolError> {
    if wanted.name.is_empty() || wanted.name.len() > LONGEST {
        return Err(failure::invalid(tool, "`data.name` is empty or too long"));
    }
    let session = session(context, tool, of)?;
    let frame = match wanted.reference {
        Some(_) => None,
        None if matches!(session.phase(), SessionPhase::Stopped(_)) => {
            Some(super::debug_variables::newest(context, tool, &session)?)
        }
        None => None,
    };
    let set = session.set_data_breakpoint(
        &wanted.name,
        wanted.reference,
        frame,
        &wanted.access,
        at_once(context),
    );
    set.map(drop).map_err(|error| failure::of(tool, error))
}
