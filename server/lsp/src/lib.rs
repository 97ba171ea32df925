//! The LSP front end: dispatch in wire order, one file per request and notification.
//!
//! Start reading from `Backend` (the protocol methods), `Ingress` (dispatch) and `Session` (the state
//! of one client). Notifications are applied and requests get their snapshot in wire order. The crates
//! below compute the answers. Protocol types stay inside this crate. It knows nothing of parsing, name
//! resolution or files. No handler computes on the async runtime's threads or awaits the client.

mod admission;
mod backend;
mod background_parse;
mod cancellable_request;
mod capabilities;
mod check_on_save;
mod check_results;
mod completion_features;
mod convert;
mod debug;
mod diagnostics;
mod editor;
mod error;
mod git;
mod hierarchy;
mod indexing;
mod ingress;
mod late_edits;
mod live;
mod locations;
mod notifications;
mod outbox;
mod progress;
mod request_context;
mod request_timeout;
mod requests;
mod review;
mod saved_files;
mod session;
mod session_threads;
mod settings;
mod status;
mod syntax_limits;
mod token_encoder;
mod tool_call;
mod transport;

pub use transport::{ConnectionEnd, serve};
