//! Tool calls in a running server, over the Unix socket of its workspace: both sides of the protocol.
//!
//! A connection starts with one line of JSON that selects a protocol, the greeting. The server answers
//! with one line, `{"ok": true, "client": "…"}` with its editor's name (or `"headless": true`), or
//! `{"error": "…"}`. For tool
//! calls ([`ToolsGreeting`]) each further line is one message: see [`Message`] and [`Answer`].
//!
//! This crate knows nothing of the front ends on either side.

mod connection;
mod greeting;
mod message;
mod server;

pub use self::connection::{BoxFuture, CallClient, CallOutcome, Connection};
pub use self::greeting::{ConnectError, Greeted, ToolsGreeting, Via, greet};
pub use self::message::{Answer, Message, Question};
pub use self::server::{BegunCall, CallServer, JoinedCall, JoinedClient, is_same_user, serve};
