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
mod server;
mod session;
mod side_effects;
mod template;
mod tool_search;
mod transport;
mod wire;

pub use adapter::{Adapter, Adapters, Kind, Project, Transport};
pub use body::{
    BoundBreakpoint, Capabilities, ExceptionFilter, Frame, Instruction, Scope, Source, Thread,
    Variable,
};
pub use breakpoints::{Bound, Breakpoint, Breakpoints, Condition, Exception, Function};
pub use debugger::{Debugger, Patience};
pub use error::DebugError;
pub use events::Event;
pub use output::{Chunk, Piece};
pub use server::{Asked, Voice, next_request};
pub use session::{Data, Elements, Ending, Lines, Phase, Plan, Resume, Session, Stop};
pub use side_effects::{code_of_message, is_plain};
pub use template::Values;
pub use tool_search::{Found, Search, Tool};
