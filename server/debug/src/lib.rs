//! The debug bridge: a client of debug adapters (DAP), for whoever debugs through this server.
//!
//! A [`Debugger`] holds the [`Session`]s of one client and the [`Breakpoints`] of its workspace. A
//! session is one adapter with one program: started through `process`, so that neither outlives
//! it, and spoken to with envelopes and bodies of our own. What adapters there are, how they are
//! found and what they are told is data ([`Adapters`]). An adapter that dies, hangs, floods or lies
//! ends its own session, with the last lines it wrote to its standard error.
//! [`Debugger::watch`] tells what comes about, as [`Event`]s.
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
mod face;
mod found;
mod output;
mod pages;
mod plain;
mod session;
mod template;
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
pub use face::{Asked, Voice, next_request};
pub use found::{Found, Search, Tool};
pub use output::{Chunk, Piece};
pub use plain::{code_of_message, is_plain};
pub use session::{Data, Elements, Ending, Lines, Phase, Plan, Resume, Session, Stop};
pub use template::Values;
