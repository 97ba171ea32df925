//! A client of debug adapters: the DAP side of debugging.
//!
//! Start with [`Debugger`], which holds one client's [`Session`]s and its workspace's
//! [`Breakpoints`]. A session is one adapter with one program, started through `process` so that
//! neither outlives it. Which adapters exist, how they are found and what their requests contain is
//! data: [`Adapters`]. An adapter that dies, hangs, floods or breaks the protocol ends only its own
//! session, with its last lines of standard error. [`Debugger::watch`] subscribes to [`Event`]s.
//!
//! It knows nothing of workspaces, tools, policy or editors.

mod adapter;
mod body;
mod breakpoints;
mod client;
mod debugger;
mod error;
mod events;
mod expressions;
mod output;
mod pages;
mod phase;
mod server;
mod session;
mod side_effects;
mod template;
mod tool_search;
mod transport;
mod wire;

pub use adapter::{Adapter, Adapters, LaunchKind, ProjectKind, Transport};
pub use body::{
    BoundBreakpoint, Capabilities, ExceptionFilter, Instruction, Scope, Source, StackFrame, Thread,
    Variable,
};
pub use breakpoints::{
    Breakpoint, BreakpointBinding, BreakpointCondition, Breakpoints, ExceptionBreakpoint,
    FunctionBreakpoint,
};
pub use client::WaitLimits;
pub use debugger::Debugger;
pub use error::DebugError;
pub use events::DebugEvent;
pub use output::{OutputChunk, OutputPiece};
pub use phase::{SessionEnd, SessionPhase, StopInfo};
pub use server::{ClientRequest, Connection, next_request};
pub use session::{DataBreakpoint, ElementPage, LineMap, ResumeKind, Session, SessionConfig};
pub use side_effects::{is_side_effect_free, log_message_expressions};
pub use template::TemplateValues;
pub use tool_search::{ToolLookup, ToolSearch, ToolSpec};
