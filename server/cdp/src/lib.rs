//! The Chrome DevTools Protocol: commands, their responses, and events.
//!
//! Start with [`Connection`]. It writes commands from any thread and matches responses to them; one thread
//! reads messages and passes events to a handler. Messages travel over a pair of pipes
//! (`--remote-debugging-pipe`) or over a WebSocket ([`Transport`]). This crate knows no tools, starts no
//! browser, and does not decide what may be reached.

mod connection;
mod error;
mod json;
mod transport;

pub use connection::{Connection, Event, SessionId, Waiting};
pub use error::{CdpError, Stop};
pub use json::get_json;
pub use transport::{Transport, TransportError};
