//! Debugging: real programs, through debug adapters, one file a tool.

mod adapters;
mod breakpoint;
mod debug_attach;
mod debug_breakpoint;
mod debug_evaluate;
mod debug_launch;
mod debug_output;
mod debug_pause;
mod debug_restart;
mod debug_sessions;
mod debug_set_variable;
mod debug_stack;
mod debug_step;
mod debug_stop;
mod debug_threads;
mod debug_variables;
mod failure;
mod place;
mod plain;
mod program;
mod report;
mod running;
mod shown;
mod wanted;

pub(crate) use debug_attach::DebugAttach;
pub(crate) use debug_breakpoint::DebugBreakpoint;
pub(crate) use debug_evaluate::DebugEvaluate;
pub(crate) use debug_launch::DebugLaunch;
pub(crate) use debug_output::DebugOutput;
pub(crate) use debug_pause::DebugPause;
pub(crate) use debug_restart::DebugRestart;
pub(crate) use debug_sessions::DebugSessions;
pub(crate) use debug_set_variable::DebugSetVariable;
pub(crate) use debug_stack::DebugStack;
pub(crate) use debug_step::DebugStep;
pub(crate) use debug_stop::DebugStop;
pub(crate) use debug_threads::DebugThreads;
pub(crate) use debug_variables::DebugVariables;

pub(crate) use running::Debugging;
