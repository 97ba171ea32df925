//! Agents as servers of the Agent Client Protocol: this is the client's side.
//!
//! [`choose`](chosen::choose) finds the agent of a call and [`start`](start::start) its process. An
//! [`Agent`] is the connection with one session of the protocol. What it asks of us (files, permissions) goes
//! through tools and policy (`requests`); its MCP server is this program.

mod agent;
mod chosen;
mod connection;
mod place;
mod requests;
mod start;

pub(crate) use self::agent::{Agent, Observer, START_TIMEOUT, Step};
pub(crate) use self::chosen::{Chosen, choose, choose_any};
pub(crate) use self::place::{Awaited, Place, Work};
pub(crate) use self::start::{mcp_servers, root, start, start_effects};
