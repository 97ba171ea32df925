//! The MCP front end: every tool, for agents outside of editors.
//!
//! Where a server runs for the workspace in an editor, it is joined: calls see the unsaved text there,
//! and what they change changes in the editor, with undo. Where none runs, the calls are made here, on
//! the files of the disk. Which of the two it is may change between calls, as editors come and go.

mod back;
mod bounded;
mod editor;
mod handler;
mod headless;
mod joined;
mod listing;
mod outcome;
mod progress;
mod waiting;

use std::path::PathBuf;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};

use self::bounded::Bounded;
use self::handler::Handler;

/// Longest message of a client, in bytes; longer ones are skipped and answered with an error.
const LONGEST: usize = 16 << 20;

/// What is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// The workspace's folder.
    pub folder: PathBuf,
    /// Whether to work on the disk's files even where a server runs that could be joined.
    pub headless: bool,
}

/// Serves one client until it leaves.
///
/// # Errors
/// In words, where the folder cannot be opened or what comes in is no MCP.
pub async fn serve(
    options: Options,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    let handler = Handler::new(options)?;
    let back = handler.back();
    let transport = AsyncRwTransport::new(input, output).with_max_line_length(LONGEST);
    let served = handler.serve(Bounded::new(transport)).await.map_err(|error| error.to_string());
    let ended = match served {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    back.stop();
    ended
}
