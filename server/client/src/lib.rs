//! A blocking client of a language server: a child process on pipes, or a TCP or Unix socket.
//!
//! It drives a server from outside, for the tour, black-box tests and benches. Start reading from
//! [`Client`] and [`Pending`]. It parses messages, matches responses to requests, keeps unread
//! messages, and answers the server's requests. It does not trust the server: frames, queues and captured
//! output are bounded, every wait has a timeout, and nothing panics.
//!
//! It knows nothing of document text, tools, this project's server, or async: messages are
//! `serde_json::Value`s, and threads do the waiting.

mod client;
mod document;
mod error;
mod inbox;
mod outgoing;
mod process;
mod uri;

pub use client::{Answer, Client, PendingResponse, ServerRequest};
pub use error::{ClientError, ResponseError};
pub use framing::encode as encode_frame;
pub use outgoing::Outgoing;
pub use process::Process;
pub use uri::file_uri;
