//! The LSP front end: framing, ingress in wire order, one file per request and notification.
//!
//! Everything that a client says is applied or snapshotted here, in the order of the wire, and
//! answered by the crates below. Types of the protocol stop at this crate's border. It knows
//! nothing of parsing, names or files, and no handler computes on the runtime's threads or awaits
//! the client.

mod admission;
mod backend;
mod capabilities;
mod catching_up;
mod completion_features;
mod convert;
mod crew;
mod debug;
mod diagnostics;
mod editor;
mod error;
mod framing;
mod git;
mod hierarchy;
mod indexing;
mod ingress;
mod late;
mod limited;
mod live;
mod locations;
mod notifications;
mod outbox;
mod pool;
mod progress;
mod question;
mod requests;
mod review;
mod session;
mod settings;
mod status;
mod syntax_limits;
mod taken_back;
mod token_writer;
mod tool_call;
mod transport;

pub use framing::{BODY_CAP, HEADER_CAP};
pub use transport::{Ending, serve};
