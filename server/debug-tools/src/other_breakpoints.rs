//! Breakpoints without a line: functions by the debugger's name, exceptions, data.

use ::debug::{BreakpointCondition, ExceptionBreakpoint, SessionPhase};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breakpoint_output::running_sessions;
use super::failure;
use super::sessions::{debugging, request_limits, session};
use tools::{Context, ToolError, clip};

/// Limits: bytes of a name or condition, and exception filters of one call.
const MAX_TEXT_BYTES: usize = 10_000;
const MAX_EXCEPTION_FILTERS: usize = 100;

/// An exception filter.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExceptionParam {
    /// The debugger's name of the filter, from a list: `raised`, `uncaught`, `panic`.
    filter: String,
    /// Only if this is true; depends on the debugger.
    #[serde(default)]
    pub(super) condition: Option<String>,
}

/// A data breakpoint.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DataBreakpointParam {
    /// The variable, or an expression.
    name: String,
    /// `reference` of the value that contains it.
    #[serde(default)]
    reference: Option<i64>,
    /// `write` (default), `read` or `readWrite`.
    #[serde(default = "default_access")]
    access: String,
}

fn default_access() -> String {
    "write".to_owned()
}

/// All breakpoints without a line.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct OtherBreakpoints {
    /// Functions, by the debugger's name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    functions: Vec<FunctionOutput>,
    /// The exception filters of the running debuggers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exceptions: Vec<ExceptionOutput>,
    /// Data breakpoints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    data: Vec<DataOutput>,
}

#[derive(Serialize, JsonSchema)]
struct FunctionOutput {
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
struct ExceptionOutput {
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
struct DataOutput {
    /// Its id.
    id: u64,
    /// What is watched.
    what: String,
    /// `write`, `read` or `readWrite`.
    access: String,
    /// The program's session.
    session: u64,
}

impl OtherBreakpoints {
    /// The current ones.
    pub(super) fn all(context: &Context<'_>) -> Self {
        let breakpoints = debugging(context).breakpoints();
        let sessions = running_sessions(context);
        let requested = breakpoints.exceptions();
        let mut others = Self::default();
        for one in breakpoints.functions() {
            let binding =
                sessions.iter().filter_map(|session| session.breakpoint_bindings().remove(&one.id));
            let binding = binding.max_by_key(|bound| bound.verified);
            let nothing = || Some("no program is being debugged".to_owned());
            others.functions.push(FunctionOutput {
                id: one.id,
                function_name: clip(&one.name, 300),
                verified: binding.as_ref().is_some_and(|bound| bound.verified),
                line: binding.as_ref().and_then(|bound| bound.line),
                message: binding.map_or_else(nothing, |bound| bound.message),
            });
        }
        for session in sessions {
            let id = session.id();
            others.exceptions.extend(
                session.capabilities().exception_breakpoint_filters.iter().map(|filter| {
                    let is_wanted = |all: &Vec<ExceptionBreakpoint>| {
                        all.iter().any(|one| one.filter == filter.filter)
                    };
                    ExceptionOutput {
                        filter: filter.filter.clone(),
                        label: clip(&filter.label, 100),
                        on: requested.as_ref().map_or(filter.default, is_wanted),
                        session: id,
                    }
                }),
            );
            others.data.extend(session.data().into_iter().map(|one| DataOutput {
                id: one.id,
                what: clip(&one.what, 200),
                access: one.access,
                session: id,
            }));
        }
        others
    }
}

/// Sets a function breakpoint, by the debugger's name.
pub(super) fn set_function(
    context: &Context<'_>,
    tool: &str,
    name: &str,
    condition: BreakpointCondition,
) -> Result<(), ToolError> {
    if name.is_empty() || name.len() > MAX_TEXT_BYTES {
        return Err(failure::invalid(tool, "`function_name` is empty or too long"));
    }
    let set = debugging(context).breakpoints().set_function(name, condition);
    set.ok_or_else(|| failure::invalid(tool, "there are too many function breakpoints"))?;
    send_function_breakpoints(context);
    Ok(())
}

/// Sends the function breakpoints to the running sessions.
pub(super) fn send_function_breakpoints(context: &Context<'_>) {
    for session in running_sessions(context) {
        if let Err(error) = session.send_function_breakpoints(request_limits(context)) {
            tracing::debug!("functions: {error}");
        }
    }
}

/// Enables exception filters.
pub(super) fn set_exceptions(
    context: &Context<'_>,
    tool: &str,
    requested: &[ExceptionParam],
) -> Result<(), ToolError> {
    let long = |one: &ExceptionParam| {
        one.filter.len() + one.condition.as_ref().map_or(0, String::len) > MAX_TEXT_BYTES
    };
    if requested.len() > MAX_EXCEPTION_FILTERS || requested.iter().any(long) {
        return Err(failure::invalid(tool, "`exceptions` are too many or too long"));
    }
    let all = requested.iter().map(|one| ExceptionBreakpoint {
        filter: one.filter.clone(),
        condition: one.condition.clone(),
    });
    let sessions = running_sessions(context);
    let known: Vec<_> = sessions
        .iter()
        .flat_map(|session| &session.capabilities().exception_breakpoint_filters)
        .map(|filter| filter.filter.as_str())
        .collect();
    if let Some(unknown) = requested.iter().find(|one| !known.contains(&one.filter.as_str()))
        && !sessions.is_empty()
    {
        let why = format!("no running debugger has the exception filter `{:.60}`", unknown.filter);
        return Err(failure::invalid(tool, &why).hint(format!("known are {}", known.join(", "))));
    }
    debugging(context).breakpoints().set_exceptions(Some(all.collect()));
    for session in sessions {
        let set = session.send_exception_breakpoints(request_limits(context));
        set.map_err(|error| failure::from_debug_error(tool, error))?;
    }
    Ok(())
}

/// Sets a data breakpoint.
pub(super) fn set_data(
    context: &Context<'_>,
    tool: &str,
    requested: &DataBreakpointParam,
    of: Option<u64>,
) -> Result<(), ToolError> {
    if requested.name.is_empty() || requested.name.len() > MAX_TEXT_BYTES {
        return Err(failure::invalid(tool, "`data.name` is empty or too long"));
    }
    let session = session(context, tool, of)?;
    let frame = match requested.reference {
        Some(_) => None,
        None if matches!(session.phase(), SessionPhase::Stopped(_)) => {
            Some(super::debug_variables::top_frame(context, tool, &session)?)
        }
        None => None,
    };
    let set = session.set_data_breakpoint(
        &requested.name,
        requested.reference,
        frame,
        &requested.access,
        request_limits(context),
    );
    set.map(drop).map_err(|error| failure::from_debug_error(tool, error))
}
