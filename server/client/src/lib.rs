//! A blocking client of a language server: a process on pipes, or a peer on a TCP or Unix socket.
//!
//! For programs that drive a server from outside: the tour, black-box tests, benches. It frames and
//! parses messages, matches answers to requests, keeps what the server says unasked, and answers
//! what the server asks. It trusts nothing the server sends: frames, queues and captured output are
//! bounded, every wait has an end, and nothing panics.
//!
//! It knows nothing of documents' text, of tools, of this project's server, or of async: messages
//! are `serde_json::Value`s, and threads do the waiting.

mod client;
mod document;
mod error;
mod frame;
mod inbox;
mod outgoing;
mod process;
mod uri;

pub use client::{Answer, Client, Pending, ServerRequest};
pub use error::{ClientError, ResponseError};
pub use frame::{MAX_BODY, MAX_HEADER, encode};
pub use outgoing::Outgoing;
pub use process::Process;
pub use uri::file_uri;
