//! The tools: what an AI plugin, an agent or a shell may ask for by name.
//!
//! A [`Tool`] is one file and one line in [`registry`]: its name, description, typed parameters
//! and result (from which its schemas come), and its work on a [`Context`]. Every front end calls
//! [`call`]. This crate knows nothing of LSP, MCP or processes: who asks, and how an open document
//! changes, is behind [`workspace::Editor`].

mod apply_edit;
mod arguments;
mod edit_file;
mod editing;
mod error;
mod leave;
mod read_file;
mod reference;
mod registry;
mod tool;

pub use arguments::object;
pub use error::{Code, ToolError};
pub use reference::reference;
pub use registry::{call, find, registry};
pub use tool::{Context, Effect, Entry, Tool};
